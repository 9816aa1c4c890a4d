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
static inline vf64 eights_last(vf64 p) {
    return (vf64)_mm512_permutexvar_pd(_mm512_set1_epi64(7), (__m512d)p);
}

#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2

/* The same of four, half of eight: they need one register each. */
static inline vf64 fours_pairs(vf64 p, vf64 none) {
    return (vf64)_mm256_blend_pd((__m256d)none, _mm256_movedup_pd((__m256d)p), 0xa);
}
static inline vf64 fours_half(vf64 p, vf64 none) {
    return (vf64)_mm256_blend_pd((__m256d)none, _mm256_permute4x64_pd((__m256d)p, 0x55), 0xc);
}
static inline vf64 fours_last(vf64 p) { return (vf64)_mm256_permute4x64_pd((__m256d)p, 0xff); }
static inline __attribute__((always_inline)) vf64 fours_load(const char *x, bool narrow) {
    return narrow ? (vf64)_mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)x)) : ld_f64(x);
}
static inline __attribute__((always_inline)) void fours_store(char *y, bool narrow, vf64 p) {
    if (narrow)
        _mm_storeu_ps((float *)(void *)y, _mm256_cvtpd_ps((__m256d)p));
    else
        st_f64(y, p);
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
    for (int64_t j = 0; j < n; j += 8, from += x_bytes, to += y_bytes) {
        vf64 p = fours_load(from, x_narrow), q = fours_load(from + x_bytes / 2, x_narrow);
        p += fours_pairs(p, none);
        q += fours_pairs(q, none);
        p += fours_half(p, none);
        q += fours_half(q, none);
        q += fours_last(p);
        fours_store(to, y_narrow, base + (run + p));
        fours_store(to + y_bytes / 2, y_narrow, base + (run + q));
        run += fours_last(q);
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

static inline uint64_t eights_sum_u64(const void *x, uint64_t *y, int64_t n, uint64_t before) {
    const char *from = x; /* 64 bits, with a sign or not */
    uint64_t run = 0;
#if VB == 64
    const vf64 none = {0};
    vu64 base = before - (vu64)none;
    for (int64_t j = 0; j < n; j += 8) {
        vu64 p;
        memcpy(&p, from + 8 * j, sizeof p);
        p += (vu64)eights_pairs((vf64)p, none);
        p += (vu64)eights_fours((vf64)p, none);
        p += (vu64)eights_half((vf64)p, none);
        const vu64 sum = base + p;
        memcpy(y + j, &sum, sizeof sum);
        base += (vu64)eights_last((vf64)p);
    }
    run = base[0] - before;
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
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
        const vf64 first = eights_half(p, none);
        p *= run * first;
        eights_store(to, y_narrow, p);
        run = eights_last(p);
    }
    return run[0];
#elif NOMEN__ISA_ID == NOMEN__ISA_ID_avx2
    const vf64 none = v_set_f64(1);
    vf64 run = v_set_f64(before);
    for (int64_t j = 0; j < n; j += 4, from += x_bytes / 2, to += y_bytes / 2) {
        vf64 p = fours_load(from, x_narrow);
        p *= fours_pairs(p, none);
        p *= fours_half(p, none);
        fours_store(to, y_narrow, p * run);
        run *= fours_last(p);
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

#endif
