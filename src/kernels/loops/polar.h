/* Include-template: complex numbers from sizes and angles, computed in double. Before: FN, T (a
 * real number in memory), OT (a complex one). After: T and OT are undefined. */

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    enum { BLOCK = 256 };
    double size[BLOCK], angle[BLOCK], re[BLOCK], im[BLOCK];
    const char *a = ptr[1], *b = ptr[2];
    char *o = ptr[0];
    for (int64_t k; n > 0; n -= k, a += k * step[1], b += k * step[2], o += k * step[0]) {
        k = n < BLOCK ? n : BLOCK;
        for (int64_t i = 0; i < k; i++) {
            size[i] = (double)*(const T *)(const void *)(a + i * step[1]);
            angle[i] = (double)*(const T *)(const void *)(b + i * step[2]);
        }
        for (int64_t i = k; i % W64 != 0; i++) size[i] = angle[i] = 0;
        for (int64_t i = 0; i < k; i += W64) {
            const vf64 s = ld_f64(size + i), x = ld_f64(angle + i);
            st_f64(re + i, s * v_cos_f64(x));
            st_f64(im + i, s * v_sin_f64(x));
        }
        for (int64_t i = 0; i < k; i++) *(OT *)(void *)(o + i * step[0]) = (OT){(T)re[i], (T)im[i]};
    }
}

#undef T
#undef OT
