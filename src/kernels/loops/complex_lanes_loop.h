/* Include-template of complex_lanes.h, for one of its types: T, PART (f32 or f64), REAL, NARROW,
 * ALONE (each number by itself), FN; takes them away. */

#ifdef OUT_REAL
#define OT REAL
#define ST LOOP_NAME2(vc_store_real, PART)
#else
#define OT T
#define ST LOOP_NAME2(vc_store, PART)
#endif

/* Whole vectors, n a multiple of their lanes. */
static __attribute__((noinline)) void LOOP_NAME2(FN, run)(OT *o, const T *a, int64_t n) {
    for (; n > 0; n -= W64, a += W64, o += W64) {
        vi64 unfit = ~(vi64){0};
        const vc64 z = LOOP_NAME2(vc_load, PART)(a);
        vc64 y = z;
        if (!ALONE) y = LANES(z, NARROW, &unfit);
        if (__builtin_expect(v_any64(unfit), 0)) y = LOOP_NAME2(OP, lanes_else)(z, unfit, y);
        ST(o, y);
    }
}

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const char *a = ptr[1];
    char *o = ptr[0];
    T x[LOOP_BLOCK];
    OT result[LOOP_BLOCK];
    if (step[0] == (int64_t)sizeof(OT) && step[1] == (int64_t)sizeof(T) && n >= W64) {
        const int64_t whole = n & ~(int64_t)(W64 - 1);
        LOOP_NAME2(FN, run)((OT *)(void *)o, (const T *)(const void *)a, whole);
        n -= whole, a += whole * step[1], o += whole * step[0];
    }
    for (int64_t k; n > 0; n -= k, a += k * step[1], o += k * step[0]) {
        k = n < LOOP_BLOCK ? n : LOOP_BLOCK;
        const T *px = loop_gather(x, a, step[1], k, sizeof(T), W64);
        /* zeros behind the last would go to libm */
        if (px == x)
            for (int64_t j = k; j % W64 != 0; j++) x[j] = x[k - 1];
        OT *const r = loop_target(result, o, step[0], k, sizeof(OT), W64);
        LOOP_NAME2(FN, run)(r, px, (k + W64 - 1) & ~(int64_t)(W64 - 1));
        loop_scatter(r, o, step[0], k, sizeof(OT));
    }
}

#undef T
#undef PART
#undef REAL
#undef NARROW
#undef ALONE
#undef FN
#undef OT
#undef ST
