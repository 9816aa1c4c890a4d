/* One product of test_blas_library.c: SUFFIX, T, and how factors are handed over. */
#define NAME_OF(s) cblas_##s##gemm
#define NAME(s)    NAME_OF(s)

OPEN void NAME(SUFFIX)(int order, int ta, int tb, int m, int n, int k, FACTOR alpha, const void *a,
                       int lda, const void *b, int ldb, FACTOR beta, void *c, int ldc);

void NAME(SUFFIX)(int order, int ta, int tb, int m, int n, int k, FACTOR alpha, const void *a,
                  int lda, const void *b, int ldb, FACTOR beta, void *c, int ldc) {
    const T *x = a, *y = b;
    T *z = c;
    __atomic_fetch_add(&blas_calls, 1, __ATOMIC_RELAXED);
    if (order != 101 || VALUE(alpha) != 1 || VALUE(beta) != 0) return;
    if (lda < (ta == 111 ? k : m) || ldb < (tb == 111 ? n : k) || ldc < n) return;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            T sum = 0;
            for (ptrdiff_t l = 0; l < k; l++)
                sum += (ta == 111 ? x[i * lda + l] : x[l * lda + i]) *
                       (tb == 111 ? y[l * ldb + j] : y[j * ldb + l]);
            z[i * ldc + j] = sum;
        }
}

#undef SUFFIX
#undef T
#undef FACTOR
#undef VALUE
#undef NAME
#undef NAME_OF
