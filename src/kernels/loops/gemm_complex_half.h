/* Part of gemm_complex_direct.h, with AVX-512: columns of C that half of a vector has room for, in
 * half vectors. Whole ones, half of them empty, take twice as long where each is computed in two
 * steps (Zen 4). */

typedef C FN(halves) __attribute__((vector_size(32)));

/* The first so many lanes at p, and to p. */
static inline __mmask8 FN(halves_some)(int64_t lanes) {
    return (__mmask8)loop_first(lanes > 0 ? lanes : 0);
}
static inline FN(halves) FN(halves_at)(const char *p, int64_t lanes) {
    FN(halves) whole;
    if (lanes >= W / 2) {
        memcpy(&whole, p, sizeof whole);
        return whole;
    }
    return sizeof(C) == 4 ? (FN(halves))_mm256_maskz_loadu_ps(FN(halves_some)(lanes), p)
                          : (FN(halves))_mm256_maskz_loadu_pd(FN(halves_some)(lanes), p);
}
static inline void FN(halves_to)(char *p, FN(halves) x, int64_t lanes) {
    if (lanes >= W / 2) {
        memcpy(p, &x, sizeof x);
        return;
    }
    if (sizeof(C) == 4)
        _mm256_mask_storeu_ps(p, FN(halves_some)(lanes), (__m256)x);
    else
        _mm256_mask_storeu_pd(p, FN(halves_some)(lanes), (__m256d)x);
}

/* Of each half of a register the even lanes or the odd ones of two vectors, and the way back. */
static inline FN(halves) FN(halves_even)(FN(halves) x, FN(halves) y) {
    return sizeof(C) == 4 ? (FN(halves))_mm256_shuffle_ps((__m256)x, (__m256)y, 0x88)
                          : (FN(halves))_mm256_unpacklo_pd((__m256d)x, (__m256d)y);
}
static inline FN(halves) FN(halves_odd)(FN(halves) x, FN(halves) y) {
    return sizeof(C) == 4 ? (FN(halves))_mm256_shuffle_ps((__m256)x, (__m256)y, 0xdd)
                          : (FN(halves))_mm256_unpackhi_pd((__m256d)x, (__m256d)y);
}
static inline FN(halves) FN(halves_first)(FN(halves) re, FN(halves) im) {
    return sizeof(C) == 4 ? (FN(halves))_mm256_unpacklo_ps((__m256)re, (__m256)im)
                          : (FN(halves))_mm256_unpacklo_pd((__m256d)re, (__m256d)im);
}
static inline FN(halves) FN(halves_last)(FN(halves) re, FN(halves) im) {
    return sizeof(C) == 4 ? (FN(halves))_mm256_unpackhi_ps((__m256)re, (__m256)im)
                          : (FN(halves))_mm256_unpackhi_pd((__m256d)re, (__m256d)im);
}

static inline __attribute__((always_inline)) void
FN(halves_parts)(const char *p, int64_t count, FN(halves) * re, FN(halves) * im) {
    enum { EACH = W / 2 }; /* lanes of a vector */
    const FN(halves) first = FN(halves_at)(p, 2 * count);
    const FN(halves) last = FN(halves_at)(p + 32, 2 * count - EACH);
    *re = FN(halves_even)(first, last);
    *im = FN(halves_odd)(first, last);
}

static inline __attribute__((always_inline)) void
FN(halves_put_parts)(char *p, int64_t count, FN(halves) re, FN(halves) im, bool onto) {
    enum { EACH = W / 2 };
    if (onto) {
        FN(halves) old_re, old_im;
        FN(halves_parts)(p, count, &old_re, &old_im);
        re += old_re;
        im += old_im;
    }
    FN(halves_to)(p, FN(halves_first)(re, im), 2 * count);
    if (2 * count > EACH) FN(halves_to)(p + 32, FN(halves_last)(re, im), 2 * count - EACH);
}

static inline FN(halves) FN(halves_fma)(FN(halves) x, FN(halves) y, FN(halves) z) {
    return sizeof(C) == 4 ? (FN(halves))_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z)
                          : (FN(halves))_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
}
static inline FN(halves) FN(halves_fma_less)(FN(halves) x, FN(halves) y, FN(halves) z) {
    return sizeof(C) == 4 ? (FN(halves))_mm256_fnmadd_ps((__m256)x, (__m256)y, (__m256)z)
                          : (FN(halves))_mm256_fnmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
}
static inline __attribute__((always_inline)) void
FN(halves_add_product)(FN(halves) * re, FN(halves) * im, const C *one, FN(halves) b_re,
                       FN(halves) b_im) {
    const FN(halves) x = one[0] - (FN(halves)){0}, y = one[1] - (FN(halves)){0};
    *re = FN(halves_fma_less)(y, b_im, FN(halves_fma)(x, b_re, *re));
    *im = FN(halves_fma)(y, b_re, FN(halves_fma)(x, b_im, *im));
}

#define TILE(name) FN(halves_##name)
#define TV         FN(halves)
#define TW         (NR / 2)
#include "kernels/loops/gemm_complex_tile.h"
