/* Picking elements out of a run without gaps, in order: what AVX-512 has an instruction for, and
 * AVX2 a permutation whose lanes are looked up by the mask. The vector layer for files that select;
 * no comparison of numbers, only of unsigned keys. */
#ifndef NOMEN_SRC_PACK_H
#define NOMEN_SRC_PACK_H

#include "kernels/simd/simd.h"

#define PACK_FAST (NOMEN__ISA_ID == NOMEN__ISA_ID_avx512)
#define PACK_LOOK (NOMEN__ISA_ID == NOMEN__ISA_ID_avx2)

#if PACK_LOOK
/* Which of eight lanes a mask chooses, a byte for each, the first in the lowest: for all masks. */
#define LANE_OF(mask, lane)                                                                        \
    ((mask) >> (lane) & 1                                                                          \
         ? (uint64_t)(lane) << 8 * __builtin_popcount((mask) & ((1 << (lane)) - 1))                \
         : 0)
#define LANES_OF(mask)                                                                             \
    (LANE_OF(mask, 1) | LANE_OF(mask, 2) | LANE_OF(mask, 3) | LANE_OF(mask, 4) |                   \
     LANE_OF(mask, 5) | LANE_OF(mask, 6) | LANE_OF(mask, 7))
#define LANES_OF_4(mask)                                                                           \
    LANES_OF(mask), LANES_OF((mask) + 1), LANES_OF((mask) + 2), LANES_OF((mask) + 3)
#define LANES_OF_16(mask)                                                                          \
    LANES_OF_4(mask), LANES_OF_4((mask) + 4), LANES_OF_4((mask) + 8), LANES_OF_4((mask) + 12)
#define LANES_OF_64(mask)                                                                          \
    LANES_OF_16(mask), LANES_OF_16((mask) + 16), LANES_OF_16((mask) + 32), LANES_OF_16((mask) + 48)
static const uint64_t pack_lanes[256] = {LANES_OF_64(0), LANES_OF_64(64), LANES_OF_64(128),
                                         LANES_OF_64(192)};
/* Likewise the place among those chosen for each lane: how many are chosen before it. */
#undef LANE_OF
#define LANE_OF(mask, lane)                                                                        \
    ((uint64_t)__builtin_popcount((mask) & ((1 << (lane)) - 1)) << 8 * (lane))
static const uint64_t unpack_lanes[256] = {LANES_OF_64(0), LANES_OF_64(64), LANES_OF_64(128),
                                           LANES_OF_64(192)};
#undef LANE_OF
#undef LANES_OF
#undef LANES_OF_4
#undef LANES_OF_16
#undef LANES_OF_64

/* The lanes of 32 bits that are all ones in `chosen`, in order, to `to`, which has room for eight.
 * Returns how many. */
static inline int pack_lanes_32(void *to, __m256i x, __m256i chosen) {
    const int mask = _mm256_movemask_ps((__m256)chosen);
    const __m256i from = _mm256_cvtepu8_epi32(_mm_loadu_si64(&pack_lanes[mask]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(x, from));
    return __builtin_popcount((unsigned)mask);
}

/* The same of 64 bits, of which there is room for four: as pairs of 32. */
static inline int pack_lanes_64(void *to, __m256i x, __m256i chosen) {
    return pack_lanes_32(to, x, chosen) / 2;
}

/* All ones where a <= b, of unsigned lanes. */
static inline __m256i not_above_u32(__m256i a, __m256i b) {
    return _mm256_cmpeq_epi32(_mm256_min_epu32(a, b), a);
}
#endif

/* Of the masks of 32 lanes a bit for each, the first one's lowest. */
enum { PACK_MASKS_32 = 32 / W32, PACK_MASKS_64 = 32 / W64 };
static inline __attribute__((always_inline)) uint32_t
pack_bits_32(const vi32 masks[PACK_MASKS_32]) {
#if PACK_FAST
    return _mm512_movepi32_mask((__m512i)masks[0]) |
           (uint32_t)_mm512_movepi32_mask((__m512i)masks[1]) << 16;
#elif PACK_LOOK
    const __m256i low = _mm256_packs_epi32((__m256i)masks[0], (__m256i)masks[1]);
    const __m256i high = _mm256_packs_epi32((__m256i)masks[2], (__m256i)masks[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes = _mm256_packs_epi16(low, high); /* each half of its own */
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order));
#else
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++) bits |= (uint32_t)(masks[i / W32][i % W32] & 1) << i;
    return bits;
#endif
}
static inline __attribute__((always_inline)) uint32_t
pack_bits_64(const vi64 masks[PACK_MASKS_64]) {
    uint32_t bits = 0;
#if PACK_FAST
#pragma GCC unroll 4
    for (int v = 0; v < PACK_MASKS_64; v++)
        bits |= (uint32_t)_mm512_movepi64_mask((__m512i)masks[v]) << v * W64;
#elif PACK_LOOK
#pragma GCC unroll 8
    for (int v = 0; v < PACK_MASKS_64; v++)
        bits |= (uint32_t)_mm256_movemask_pd((__m256d)masks[v]) << v * W64;
#else
    for (int i = 0; i < 32; i++) bits |= (uint32_t)(masks[i / W64][i % W64] & 1) << i;
#endif
    return bits;
}

#if PACK_FAST
/* A bit for each lane in which a < b, or both are the same: the compiler would make masks as wide
 * as the numbers first. */
#define PACK_COMPARED(a, b, floats, integers)                                                      \
    (uint32_t)_Generic((a),                                                                        \
        vf32: _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), floats),                                \
        vf64: _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), floats),                              \
        vi32: _mm512_cmp_epi32_mask((__m512i)(a), (__m512i)(b), integers),                         \
        vi64: _mm512_cmp_epi64_mask((__m512i)(a), (__m512i)(b), integers))
#define PACK_LESS(a, b) PACK_COMPARED(a, b, _CMP_LT_OQ, _MM_CMPINT_LT)
#define PACK_SAME(a, b) PACK_COMPARED(a, b, _CMP_EQ_OQ, _MM_CMPINT_EQ)
#endif

/* The first bit that is set; some number if none is. */
static inline __attribute__((always_inline)) uint64_t first_bit(uint64_t bits) {
#ifdef __BMI__
    return __builtin_ia32_tzcnt_u64(bits);
#else
    return (uint64_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
#endif
}

/* The positions of the bits that are set, in order, from `first` on. Returns how many; there is
 * room for PACK_BITS. A few are put two by two, the first ones, `sure`, without asking whether
 * there are any, as a wrong guess takes longer; many by looking up eight bits at a time. */
enum { PACK_BITS = 64 + 16, PACK_MANY = PACK_FAST ? 2 : PACK_LOOK ? 12 : 64 };
static inline __attribute__((always_inline)) int64_t pack_bits(uint32_t *to, uint64_t bits,
                                                               int64_t first, int64_t sure) {
    const int64_t count = __builtin_popcountll(bits);
#if PACK_FAST
    if (sure > PACK_MANY) {
        __m512i at = _mm512_add_epi32(
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
            _mm512_set1_epi32((int)first));
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++, bits >>= 16, at = _mm512_add_epi32(at, _mm512_set1_epi32(16))) {
            const __mmask16 in = (__mmask16)bits;
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(in, at));
            to += __builtin_popcount(in);
        }
        return count;
    }
#elif PACK_LOOK
    if (sure > PACK_MANY) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++, bits >>= 8) {
            const unsigned in = bits & 255;
            const __m256i from = _mm256_cvtepu8_epi32(_mm_loadu_si64(&pack_lanes[in]));
            const __m256i at = _mm256_set1_epi32((int)first + 8 * i);
            _mm256_storeu_si256((__m256i *)to, _mm256_add_epi32(from, at));
            to += __builtin_popcount(in);
        }
        return count;
    }
#endif
    const uint64_t both = (uint64_t)first << 32 | (uint64_t)first;
    for (int64_t k = 0; k < sure || k < count; k += 2) {
        uint64_t two = both + first_bit(bits);
        bits &= bits - 1;
        two += first_bit(bits) << 32;
        bits &= bits - 1;
        memcpy(to + k, &two, sizeof two);
    }
    return count;
}

/* The keys with low <= key <= high, in order, to `to`, which has room for n and may be `keys`.
 * Returns how many; *less: how many are below. */
static inline int64_t pack_between_u32(uint32_t *to, const uint32_t *keys, int64_t n, uint32_t low,
                                       uint32_t high, int64_t *less) {
    int64_t kept = 0, below = 0, i = 0;
    const uint32_t span = high - low;
#if PACK_FAST
    for (; i + 16 <= n; i += 16) {
        const __m512i x = _mm512_loadu_si512(keys + i), lowest = _mm512_set1_epi32((int)low);
        const __mmask16 in =
            _mm512_cmple_epu32_mask(_mm512_sub_epi32(x, lowest), _mm512_set1_epi32((int)span));
        below += __builtin_popcount(_mm512_cmplt_epu32_mask(x, lowest));
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi32(in, x));
        kept += __builtin_popcount(in);
    }
#elif PACK_LOOK
    const __m256i lowest = _mm256_set1_epi32((int)low), wide = _mm256_set1_epi32((int)span);
    __m256i above = _mm256_setzero_si256(); /* less how many are not below: n < 2^35 */
    for (; i + 8 <= n; i += 8) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(keys + i));
        const __m256i in = not_above_u32(_mm256_sub_epi32(x, lowest), wide);
        above = _mm256_add_epi32(above, not_above_u32(lowest, x));
        kept += pack_lanes_32(to + kept, x, in);
    }
    below = i;
    for (int l = 0; l < 8; l++) below += ((const vi32)above)[l];
#endif
    for (; i < n; i++) {
        const uint32_t key = keys[i];
        to[kept] = key;
        kept += key - low <= span;
        below += key < low;
    }
    *less = below;
    return kept;
}

static inline int64_t pack_between_u64(uint64_t *to, const uint64_t *keys, int64_t n, uint64_t low,
                                       uint64_t high, int64_t *less) {
    int64_t kept = 0, below = 0, i = 0;
    const uint64_t span = high - low;
#if PACK_FAST
    for (; i + 8 <= n; i += 8) {
        const __m512i x = _mm512_loadu_si512(keys + i), lowest = _mm512_set1_epi64((int64_t)low);
        const __mmask8 in =
            _mm512_cmple_epu64_mask(_mm512_sub_epi64(x, lowest), _mm512_set1_epi64((int64_t)span));
        below += __builtin_popcount(_mm512_cmplt_epu64_mask(x, lowest));
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi64(in, x));
        kept += __builtin_popcount(in);
    }
#elif PACK_LOOK
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN); /* to compare as signed lanes */
    const __m256i lowest = _mm256_set1_epi64x((int64_t)low), least = _mm256_xor_si256(lowest, sign);
    const __m256i wide = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)span), sign);
    __m256i lower = _mm256_setzero_si256();
    for (; i + 4 <= n; i += 4) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(keys + i));
        const __m256i off = _mm256_xor_si256(_mm256_sub_epi64(x, lowest), sign);
        const __m256i out = _mm256_cmpgt_epi64(off, wide);
        lower = _mm256_add_epi64(lower, _mm256_cmpgt_epi64(least, _mm256_xor_si256(x, sign)));
        kept += pack_lanes_64(to + kept, x, _mm256_xor_si256(out, _mm256_set1_epi64x(-1)));
    }
    for (int l = 0; l < 4; l++) below -= ((const vi64)lower)[l];
#endif
    for (; i < n; i++) {
        const uint64_t key = keys[i];
        to[kept] = key;
        kept += key - low <= span;
        below += key < low;
    }
    *less = below;
    return kept;
}

/* The positions of keys <= high, in order. `to` has room for n of them, and is not `keys`. */
static inline int64_t pack_places_u32(uint32_t *to, const uint32_t *keys, int64_t n,
                                      uint32_t high) {
    int64_t kept = 0, i = 0;
#if PACK_FAST
    __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (; i + 16 <= n; i += 16, at = _mm512_add_epi32(at, _mm512_set1_epi32(16))) {
        const __mmask16 in =
            _mm512_cmple_epu32_mask(_mm512_loadu_si512(keys + i), _mm512_set1_epi32((int)high));
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi32(in, at));
        kept += __builtin_popcount(in);
    }
#elif PACK_LOOK
    const __m256i highest = _mm256_set1_epi32((int)high);
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (; i + 8 <= n; i += 8, at = _mm256_add_epi32(at, _mm256_set1_epi32(8)))
        kept += pack_lanes_32(
            to + kept, at, not_above_u32(_mm256_loadu_si256((const __m256i *)(keys + i)), highest));
#endif
    for (; i < n; i++) {
        to[kept] = (uint32_t)i;
        kept += keys[i] <= high;
    }
    return kept;
}

static inline int64_t pack_places_u64(uint64_t *to, const uint64_t *keys, int64_t n,
                                      uint64_t high) {
    int64_t kept = 0, i = 0;
#if PACK_FAST
    __m512i at = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (; i + 8 <= n; i += 8, at = _mm512_add_epi64(at, _mm512_set1_epi64(8))) {
        const __mmask8 in =
            _mm512_cmple_epu64_mask(_mm512_loadu_si512(keys + i), _mm512_set1_epi64((int64_t)high));
        _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi64(in, at));
        kept += __builtin_popcount(in);
    }
#elif PACK_LOOK
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN), ones = _mm256_set1_epi64x(-1);
    const __m256i highest = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)high), sign);
    __m256i at = _mm256_setr_epi64x(0, 1, 2, 3);
    for (; i + 4 <= n; i += 4, at = _mm256_add_epi64(at, _mm256_set1_epi64x(4))) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(keys + i));
        const __m256i out = _mm256_cmpgt_epi64(_mm256_xor_si256(x, sign), highest);
        kept += pack_lanes_64(to + kept, at, _mm256_xor_si256(out, ones));
    }
#endif
    for (; i < n; i++) {
        to[kept] = (uint64_t)i;
        kept += keys[i] <= high;
    }
    return kept;
}

/* Elements of 1, 2, 4 and 8 bytes where a mask of bytes says so: pack_some to the front of `to`,
 * where there is room for `room`; unpack_some from the front of x, where there are so many, to
 * places in `to`. Both say how many. Of which sizes: PACK_SOME, UNPACK_SOME. */
#define PACK_SOME(size)   ((PACK_FAST && (size) <= 8) || UNPACK_SOME(size))
#define UNPACK_SOME(size) ((PACK_FAST || PACK_LOOK) && ((size) == 4 || (size) == 8))
#if PACK_FAST
#define PACK_AT_ONCE(size) ((size) == 8 ? 8 : 16)
typedef __mmask16 pack_chosen;

static inline __mmask16 pack_mask(const char *mask, int at_once) {
    const __m128i *from = (const __m128i *)(const void *)mask; /* of eight the upper lanes are 0 */
    const __m128i bytes = at_once == 8 ? _mm_loadl_epi64(from) : _mm_loadu_si128(from);
    return _mm_test_epi8_mask(bytes, bytes);
}
/* So many lanes from the first on, but at most 15 and not more than there is room for. */
static inline __mmask16 pack_first(int count, int64_t room) {
    return (__mmask16)((1u << (count < room ? count : (int)room)) - 1);
}

static inline int pack_some_1(void *to, int64_t room, const void *x, __mmask16 chosen) {
    const int count = __builtin_popcount(chosen);
    const __m512i wide = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)x));
    const __m512i found = _mm512_maskz_compress_epi32(chosen, wide);
    if (room >= 16)
        _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(found));
    else
        _mm512_mask_cvtepi32_storeu_epi8(to, pack_first(count, room), found);
    return count;
}
static inline int pack_some_2(void *to, int64_t room, const void *x, __mmask16 chosen) {
    const int count = __builtin_popcount(chosen);
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)x));
    const __m512i found = _mm512_maskz_compress_epi32(chosen, wide);
    if (room >= 16)
        _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(found));
    else
        _mm512_mask_cvtepi32_storeu_epi16(to, pack_first(count, room), found);
    return count;
}
static inline int pack_some_4(void *to, int64_t room, const void *x, __mmask16 chosen) {
    const int count = __builtin_popcount(chosen);
    const __m512i found = _mm512_maskz_compress_epi32(chosen, _mm512_loadu_si512(x));
    if (room >= 16)
        _mm512_storeu_si512(to, found);
    else
        _mm512_mask_storeu_epi32(to, pack_first(count, room), found);
    return count;
}
static inline int pack_some_8(void *to, int64_t room, const void *x, __mmask16 chosen) {
    const int count = __builtin_popcount(chosen);
    const __m512i found = _mm512_maskz_compress_epi64((__mmask8)chosen, _mm512_loadu_si512(x));
    if (room >= 8)
        _mm512_storeu_si512(to, found);
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)pack_first(count, room), found);
    return count;
}

static inline int unpack_some_4(void *to, const void *x, int64_t left, __mmask16 chosen) {
    const int count = __builtin_popcount(chosen);
    const __m512i next =
        left >= 16 ? _mm512_loadu_si512(x) : _mm512_maskz_loadu_epi32(pack_first(count, left), x);
    _mm512_storeu_si512(to, _mm512_mask_expand_epi32(_mm512_loadu_si512(to), chosen, next));
    return count;
}
static inline int unpack_some_8(void *to, const void *x, int64_t left, __mmask16 chosen) {
    const int count = __builtin_popcount(chosen);
    const __m512i next = left >= 8 ? _mm512_loadu_si512(x)
                                   : _mm512_maskz_loadu_epi64((__mmask8)pack_first(count, left), x);
    _mm512_storeu_si512(to,
                        _mm512_mask_expand_epi64(_mm512_loadu_si512(to), (__mmask8)chosen, next));
    return count;
}

#elif PACK_LOOK
#define PACK_AT_ONCE(size) (32 / (size))
typedef __m256i pack_chosen; /* lanes of ones */

static inline __m256i pack_mask(const char *mask, int at_once) {
    const __m256i lanes = at_once == 8 ? _mm256_cvtepi8_epi32(_mm_loadu_si64(mask))
                                       : _mm256_cvtepi8_epi64(_mm_loadu_si32(mask));
    return _mm256_xor_si256(_mm256_cmpeq_epi32(lanes, _mm256_setzero_si256()),
                            _mm256_set1_epi32(-1));
}
/* The first n lanes of 32 bits. */
static inline __m256i pack_first(int64_t n) {
    const __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n < 8 ? n : 8)), at);
}

static inline int pack_some_4(void *to, int64_t room, const void *x, __m256i chosen) {
    const __m256i own = _mm256_loadu_si256((const __m256i *)x);
    if (room >= 8) return pack_lanes_32(to, own, chosen);
    int made[8];
    const int count = pack_lanes_32(made, own, chosen);
    _mm256_maskstore_epi32((int *)to, pack_first(room), _mm256_loadu_si256((__m256i *)made));
    return count;
}
static inline int unpack_some_4(void *to, const void *x, int64_t left, __m256i chosen) {
    const int mask = _mm256_movemask_ps((__m256)chosen);
    const __m256i from = _mm256_cvtepu8_epi32(_mm_loadu_si64(&unpack_lanes[mask]));
    const __m256i next = left >= 8 ? _mm256_loadu_si256((const __m256i *)x)
                                   : _mm256_maskload_epi32((const int *)x, pack_first(left));
    const __m256i own = _mm256_loadu_si256((__m256i *)to);
    const __m256i spread = _mm256_permutevar8x32_epi32(next, from);
    _mm256_storeu_si256((__m256i *)to, _mm256_blendv_epi8(own, spread, chosen));
    return __builtin_popcount((unsigned)mask);
}
/* As pairs of 32 bits. */
static inline __m256i pack_pairs(__m256i chosen) { return _mm256_shuffle_epi32(chosen, 0xa0); }
static inline int pack_some_8(void *to, int64_t room, const void *x, __m256i chosen) {
    return pack_some_4(to, 2 * room, x, pack_pairs(chosen)) / 2;
}
static inline int unpack_some_8(void *to, const void *x, int64_t left, __m256i chosen) {
    return unpack_some_4(to, x, 2 * left, pack_pairs(chosen)) / 2;
}
#endif

#endif
