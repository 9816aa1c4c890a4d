/* Picking elements out of a run without gaps, in order: what AVX-512 has an instruction for. The
 * vector layer for files that select; no comparison of numbers, only of unsigned keys. */
#ifndef NOMEN_SRC_PACK_H
#define NOMEN_SRC_PACK_H

#include "kernels/simd/simd.h"

#define PACK_FAST (NOMEN__ISA_ID == NOMEN__ISA_ID_avx512)

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
#endif
    for (; i < n; i++) {
        to[kept] = (uint64_t)i;
        kept += keys[i] <= high;
    }
    return kept;
}

#endif
