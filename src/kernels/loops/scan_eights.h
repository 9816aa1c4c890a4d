/* Running sums and products of numbers without gaps, eight at a time: neighbours are joined, then
 * pairs, then fours, so that nothing waits for the element before it. The order of the operations
 * is the same in every ISA; where a vector holds all eight they are done side by side. */
#ifndef NOMEN_SRC_SCAN_EIGHTS_H
#define NOMEN_SRC_SCAN_EIGHTS_H

#include "kernels/simd/simd.h"

#if VB == 64

/* Of eight numbers what is to be joined with them, round by round; `none` changes nothing. The
 * compiler would take shuffles of two operands, and two halves to widen. */
static inline vf64 eights_pairs(vf64 p, vf64 none) {
    return (vf64)_mm512_mask_movedup_pd((__m512d)none, 0xaa, (__m512d)p);
}
static inline vf64 eights_fours(vf64 p, vf64 none) {
    return (vf64)_mm512_mask_permutex_pd((__m512d)none, 0xcc, (__m512d)p, 0x55);
}
static inline vf64 eights_half(vf64 p, vf64 none) {
    return (vf64)_mm512_mask_permutexvar_pd((__m512d)none, 0xf0, _mm512_set1_epi64(3), (__m512d)p);
}
static inline vf64 eights_third(vf64 p) {
    return (vf64)_mm512_permutexvar_pd(_mm512_set1_epi64(3), (__m512d)p);
}
static inline vf64 eights_upper(vf64 p, vf64 q) {
    return (vf64)_mm512_mask_blend_pd(0xf0, (__m512d)p, (__m512d)q);
}
static inline vf64 eights_last(vf64 p) {
    return (vf64)_mm512_permutexvar_pd(_mm512_set1_epi64(7), (__m512d)p);
}

#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2

/* Eight numbers are two fours side by side: numbers 0 of both and numbers 2 in one vector, those 1
 * and 3 in the other. So each step serves both, and one of them crosses the halves of a vector.
 * `before` is what numbers 2 and 3 are joined with, none for the others; each of `last` is what the
 * first four come to, or the second ones. */
typedef struct eights_two {
    vf64 even, odd, before, last;
} eights_two;
#define EIGHTS_EVEN(x, y)   ((vf64)_mm256_unpacklo_pd((__m256d)(x), (__m256d)(y)))
#define EIGHTS_ODD(x, y)    ((vf64)_mm256_unpackhi_pd((__m256d)(x), (__m256d)(y)))
#define EIGHTS_HALVES(x)    ((vf64)_mm256_permute2f128_pd((__m256d)(x), (__m256d)(x), 1))
/* Lanes of numbers 0 and 1, or of the first four, from x, others from y. */
#define EIGHTS_BEHIND(x, y) ((vf64)_mm256_blend_pd((__m256d)(x), (__m256d)(y), 0xc))
#define EIGHTS_SECOND(x, y) ((vf64)_mm256_blend_pd((__m256d)(x), (__m256d)(y), 0xa))

static inline __attribute__((always_inline)) vf64 four_load(const char *x, bool narrow) {
    return narrow ? (vf64)_mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)x)) : ld_f64(x);
}
static inline __attribute__((always_inline)) void four_store(char *y, bool narrow, vf64 p) {
    if (narrow)
        _mm_storeu_ps((float *)(void *)y, _mm256_cvtpd_ps((__m256d)p));
    else
        st_f64(y, p);
}
static inline __attribute__((always_inline)) eights_two eights_of(const char *x, bool narrow,
                                                                  const bool sums) {
    const vf64 a = four_load(x, narrow), b = four_load(x + (narrow ? 16 : 32), narrow);
    eights_two p = {.even = EIGHTS_EVEN(a, b), .odd = EIGHTS_ODD(a, b)};
    p.odd = sums ? p.even + p.odd : p.even * p.odd;
    const vf64 other = EIGHTS_HALVES(p.odd);
    p.before = EIGHTS_BEHIND(v_set_f64(sums ? 0 : 1), other);
    p.last = sums ? p.odd + other : p.odd * other;
    return p;
}
static inline __attribute__((always_inline)) void eights_put(char *y, bool narrow, vf64 even,
                                                             vf64 odd) {
    four_store(y, narrow, EIGHTS_EVEN(even, odd));
    four_store(y + (narrow ? 16 : 32), narrow, EIGHTS_ODD(even, odd));
}

#endif

/* Eight numbers, of float or double (narrow: they are float), as double, and back. */
#define EIGHTS_NARROW(x) (sizeof *(x) == sizeof(float))
#if VB == 64

static inline __attribute__((always_inline)) vf64 eights_load(const void *x, bool narrow) {
    return narrow ? (vf64)_mm512_cvtps_pd(_mm256_loadu_ps(x)) : ld_f64(x);
}
static inline __attribute__((always_inline)) void eights_store(void *y, bool narrow, vf64 p) {
    if (narrow)
        _mm256_storeu_ps(y, _mm512_cvtpd_ps((__m512d)p));
    else
        st_f64(y, p);
}

#else

static inline __attribute__((always_inline)) void eights_load(const void *x, bool narrow,
                                                              double *p) {
    float f[8];
    if (!narrow) {
        memcpy(p, x, sizeof *p * 8);
        return;
    }
    memcpy(f, x, sizeof f);
    for (int l = 0; l < 8; l++) p[l] = (double)f[l];
}
static inline __attribute__((always_inline)) void eights_store(void *y, bool narrow,
                                                               const double *p) {
    float f[8];
    if (!narrow) {
        memcpy(y, p, sizeof *p * 8);
        return;
    }
    for (int l = 0; l < 8; l++) f[l] = (float)p[l];
    memcpy(y, f, sizeof f);
}

#endif

/* y[i] becomes before + (x[0] + ... + x[i]); n is a multiple of 8. Returns the sum of all. x and y
 * are the same array or two. */
#define eights_sum(x, y, n, before)                                                                \
    eights_sum_of(x, EIGHTS_NARROW(x), y, EIGHTS_NARROW(y), n, before)
static inline __attribute__((always_inline)) double
eights_sum_of(const void *x, bool x_narrow, void *y, bool y_narrow, int64_t n, double before) {
    const int64_t x_bytes = x_narrow ? 32 : 64, y_bytes = y_narrow ? 32 : 64;
    const char *from = x;
    char *to = y;
#if VB == 64
    const vf64 none = {0}, base = v_set_f64(before);
    vf64 run = {0};
    for (int64_t j = 0; j < n; j += 8, from += x_bytes, to += y_bytes) {
        vf64 p = eights_load(from, x_narrow);
        p += eights_pairs(p, none);
        p += eights_fours(p, none);
        p += eights_half(p, none);
        eights_store(to, y_narrow, base + (run + p));
        run += eights_last(p);
    }
    return run[0];
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
    const vf64 none = {0}, base = v_set_f64(before);
    vf64 run = {0};
    if (n <= 0) return 0;
    eights_two next = eights_of(from, x_narrow, true);
    for (int64_t j = 0; j < n; j += 8, to += y_bytes) {
        const eights_two p = next; /* the next ones are begun first: little waits at any time */
        from += j + 8 < n ? x_bytes : 0;
        next = eights_of(from, x_narrow, true);
        const vf64 even = p.even + p.before, odd = p.odd + p.before;
        const vf64 first = EIGHTS_EVEN(none, p.last);
        eights_put(to, y_narrow, base + (run + (even + first)), base + (run + (odd + first)));
        run += p.last + v_swap_f64(p.last);
    }
    return run[0];
#else
    double run = 0;
    for (int64_t j = 0; j < n; j += 8, from += x_bytes, to += y_bytes) {
        double p[8];
        eights_load(from, x_narrow, p);
        for (int l = 0; l < 8; l += 2) p[l + 1] += p[l];
        for (int l = 0; l < 8; l += 4) p[l + 2] += p[l + 1], p[l + 3] += p[l + 1];
        for (int l = 4; l < 8; l++) p[l] += p[3];
        const double all = p[7];
        for (int l = 0; l < 8; l++) p[l] = before + (run + p[l]);
        eights_store(to, y_narrow, p);
        run += all;
    }
    return run;
#endif
}

#if VB == 64
/* The same of integers of 64 bits, with a sign or not, which wrap: all eight at once, sums or
 * products. Returns what all of them come to. */
static inline __attribute__((always_inline)) uint64_t eights_whole(const void *x, uint64_t *y,
                                                                   int64_t n, uint64_t before,
                                                                   const bool sums) {
    const char *from = x;
    const vf64 none = (vf64)((vu64){0} + (sums ? 0 : 1));
    vu64 run = (vu64)none, base = (vu64){0} + before;
    for (int64_t j = 0; j < n; j += 8) {
        vu64 p, q;
        memcpy(&p, from + 8 * j, sizeof p);
        q = (vu64)eights_pairs((vf64)p, none);
        p = sums ? p + q : p * q;
        q = (vu64)eights_fours((vf64)p, none);
        p = sums ? p + q : p * q;
        q = (vu64)eights_half((vf64)p, none);
        p = sums ? p + q : p * q;
        const vu64 made = sums ? base + p : base * p;
        memcpy(y + j, &made, sizeof made);
        q = (vu64)eights_last((vf64)p);
        base = sums ? base + q : base * q;
        run = sums ? run : run * q; /* nothing divides what is before out of a product */
    }
    return sums ? base[0] - before : run[0];
}
static inline uint64_t eights_prod_u64(const void *x, uint64_t *y, int64_t n, uint64_t before) {
    return eights_whole(x, y, n, before, false);
}
#endif

static inline uint64_t eights_sum_u64(const void *x, uint64_t *y, int64_t n, uint64_t before) {
#if VB == 64
    return eights_whole(x, y, n, before, true);
#else
    const char *from = x;
    uint64_t run = 0;
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
    __m256i base = _mm256_set1_epi64x((int64_t)before);
    for (int64_t j = 0; j < n; j += 4) {
        __m256i p = _mm256_loadu_si256((const __m256i *)(const void *)(from + 8 * j));
        p = _mm256_add_epi64(p, _mm256_slli_si256(p, 8)); /* neighbours, then pairs */
        const __m256i lower = _mm256_permute2x128_si256(p, p, 0x08);
        p = _mm256_add_epi64(p, _mm256_unpackhi_epi64(lower, lower));
        _mm256_storeu_si256((__m256i *)(void *)(y + j), _mm256_add_epi64(base, p));
        base = _mm256_add_epi64(base, _mm256_permute4x64_epi64(p, 0xff));
    }
    run = (uint64_t)_mm256_extract_epi64(base, 0) - before;
#else
    for (int64_t j = 0; j < n; j++) {
        uint64_t one;
        memcpy(&one, from + 8 * j, sizeof one);
        y[j] = before + (run += one);
    }
#endif
    return run;
#endif
}

/* y[i] becomes before * x[0] * ... * x[i]: fours, one after the other, since more might overflow
 * where the whole does not. Returns the last. */
#define eights_prod(x, y, n, before)                                                               \
    eights_prod_of(x, EIGHTS_NARROW(x), y, EIGHTS_NARROW(y), n, before)
static inline __attribute__((always_inline)) double
eights_prod_of(const void *x, bool x_narrow, void *y, bool y_narrow, int64_t n, double before) {
    const int64_t x_bytes = x_narrow ? 32 : 64, y_bytes = y_narrow ? 32 : 64;
    const char *from = x;
    char *to = y;
#if VB == 64
    const vf64 none = v_set_f64(1);
    vf64 run = v_set_f64(before);
    for (int64_t j = 0; j < n; j += 8, from += x_bytes, to += y_bytes) {
        vf64 p = eights_load(from, x_narrow);
        p *= eights_pairs(p, none);
        p *= eights_fours(p, none);
        const vf64 second = run * eights_third(p); /* what the next eight wait for: two products */
        eights_store(to, y_narrow, p * eights_upper(run, second));
        run = second * eights_last(p);
    }
    return run[0];
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
    vf64 run = v_set_f64(before);
    if (n <= 0) return before;
    eights_two next = eights_of(from, x_narrow, false);
    for (int64_t j = 0; j < n; j += 8, to += y_bytes) {
        const eights_two p = next;
        from += j + 8 < n ? x_bytes : 0;
        next = eights_of(from, x_narrow, false);
        const vf64 second = run * v_dup_even_f64(p.last), own = EIGHTS_SECOND(run, second);
        eights_put(to, y_narrow, p.even * p.before * own, p.odd * p.before * own);
        run = second * v_dup_odd_f64(p.last);
    }
    return run[0];
#else
    for (int64_t j = 0; j < n; j += 8, from += x_bytes, to += y_bytes) {
        double p[8];
        eights_load(from, x_narrow, p);
        for (int l = 0; l < 8; l += 4) {
            const double a = p[l], b = a * p[l + 1], c = p[l + 2], d = c * p[l + 3];
            p[l] = before * a;
            p[l + 1] = before * b;
            p[l + 2] = before * (b * c);
            p[l + 3] = before *= b * d;
        }
        eights_store(to, y_narrow, p);
    }
    return before;
#endif
}

/* Are so many numbers all within 2^-15 and 2^15? */
enum { CALM = 32 };
static inline bool eights_calm(const double *x) {
    const vf64 low = v_set_f64(0x1p-15), high = v_set_f64(0x1p15);
    vi64 calm = (vi64){0} - 1;
    for (int l = 0; l < CALM; l += W64) {
        const vf64 size = v_abs_f64(ld_f64(x + l));
        calm &= (size >= low) & (size <= high);
    }
    return !v_any64(~calm);
}

/* The same of double: some at a time where they and what is before them are so far from the limits
 * that no part can reach those, one by one elsewhere. */
static inline double eights_prod_f64(const double *x, double *y, int64_t n, double before) {
    for (int64_t j = 0; j < n; j += CALM) {
        const double size = __builtin_fabs(before);
        const int64_t here = n - j < CALM ? n - j : CALM;
        if (here == CALM && (size == 0 || (size >= 0x1p-500 && size <= 0x1p500)) &&
            eights_calm(x + j)) {
            before = eights_prod(x + j, y + j, CALM, before);
            continue;
        }
        for (int64_t k = j; k < j + here; k++) y[k] = before *= x[k];
    }
    return before;
}

#endif
