/* Numbers at equal distances, of arange and linspace. */
#include "kernels/loops/loops.h"

/* ptr: out, without gaps, and three numbers: result i is the first - (the second - i) * the third.
 * Counting down from the end, and up with a second that is negative: zeros have the right sign. */
static void ramp_f64(char *const ptr[], const int64_t step[], int64_t n) {
    const double *given = (const double *)(const void *)ptr[1];
    const double start = given[0], before = given[1], by = given[2];
    double *out = (double *)(void *)ptr[0];
    (void)step;
    SIMD_IVDEP
    for (int32_t i = 0; i < (int32_t)n; i++) out[i] = start - (before - (double)i) * by;
}

/* ptr: out and two numbers: result i is the first + i * the second, and wraps. */
static void ramp_i64(char *const ptr[], const int64_t step[], int64_t n) {
    const uint64_t *given = (const uint64_t *)(const void *)ptr[1];
    const uint64_t start = given[0], by = given[1];
    uint64_t *out = (uint64_t *)(void *)ptr[0];
    int64_t i = 0;
    vu64 now;
    (void)step;
    for (int l = 0; l < W64; l++) now[l] = start + (uint64_t)l * by;
    /* By addition: only AVX-512 multiplies 64 bits. */
    for (; i + 4 * W64 <= n; i += 4 * W64) {
        for (int v = 0; v < 4; v++) {
            const vu64 one = now + (uint64_t)(v * W64) * by;
            memcpy(out + i + v * W64, &one, sizeof one);
        }
        now += (uint64_t)(4 * W64) * by;
    }
    for (; i < n; i++) out[i] = start + (uint64_t)i * by;
}

const nomen__kernel NOMEN__TABLE(ramp)[] = {
    ROW("ramp", NOMEN_F64, ramp_f64),
    ROW("ramp", NOMEN_I64, ramp_i64),
    {.name = NULL},
};
