/* Include-template: the matrix product of one complex dtype, on panels of real parts beside panels
 * of imaginary ones. Before: SFX, T (stored), C (its parts), V (vector of C), W (its lanes), FMA(V,
 * V, V), MR (rows of the tile; it is one vector wide), KC, MC, NC (block sizes). After: FN(gemm);
 * everything is undefined. */

#define NR                      W
#define AT(type, base, offset)  (*(type *)(void *)((base) + (offset)))
#define CAT(type, base, offset) (*(const type *)(const void *)((base) + (offset)))

static inline V FN(splat)(C x) { return x - (V){0}; }

/* tile[2][MR][NR], real parts first, = packed a times packed b. */
static APART void FN(kernel)(int64_t k, const C *restrict a, const C *restrict b,
                             C *restrict tile) {
    V re[MR], im[MR];
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++) re[i] = im[i] = (V){0};
    for (int64_t p = 0; p < k; p++, a += 2 * MR, b += 2 * NR) {
        V b_re = *(const V *)(const void *)b, b_im = *(const V *)(const void *)(b + NR),
          minus = -b_im;
#pragma GCC unroll 16
        for (int i = 0; i < MR; i++) {
            V x = FN(splat)(a[i]), y = FN(splat)(a[MR + i]);
            re[i] = FMA(y, minus, FMA(x, b_re, re[i]));
            im[i] = FMA(y, b_re, FMA(x, b_im, im[i]));
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++) {
        *(V *)(void *)(tile + i * NR) = re[i];
        *(V *)(void *)(tile + (MR + i) * NR) = im[i];
    }
}

/* Panels of `width` lines of `length` elements: real parts, then imaginary parts, element after
 * element. */
static inline void FN(pack)(C *to, const char *in, int64_t lines, int64_t length, int64_t line_step,
                            int64_t step, const int64_t width) {
    for (int64_t i = 0; i < lines; i += width, to += 2 * width * length)
        for (int64_t p = 0; p < length; p++)
            for (int64_t r = 0; r < width; r++) {
                T x = {0, 0};
                if (i + r < lines) x = CAT(T, in, (i + r) * line_step + p * step);
                to[2 * width * p + r] = x.re;
                to[2 * width * p + width + r] = x.im;
            }
}

static void FN(block)(const C *a, const C *b, int64_t m, int64_t n, int64_t k, char *c, int64_t row,
                      int64_t col, bool first) {
    C tile[2 * MR * NR] __attribute__((aligned(64)));
    for (int64_t j = 0; j < n; j += NR)
        for (int64_t i = 0; i < m; i += MR) {
            FN(kernel)(k, a + 2 * i * k, b + 2 * j * k, tile);
            for (int64_t r = 0; r < MR && i + r < m; r++)
                for (int64_t s = 0; s < NR && j + s < n; s++) {
                    T *to = &AT(T, c, (i + r) * row + (j + s) * col);
                    C re = tile[r * NR + s], im = tile[(MR + r) * NR + s];
                    *to = first ? (T){re, im} : (T){to->re + re, to->im + im};
                }
        }
}

typedef struct FN(plan) {
    int64_t mc, kc, nc;
    size_t a, b;
} FN(plan);

static inline FN(plan) FN(plan_of)(int64_t m, int64_t n, int64_t k) {
    FN(plan) p = {(m + MR - 1) / MR * MR, k, (n + NR - 1) / NR * NR, 0, 0};
    if (p.mc > MC) p.mc = MC;
    if (p.kc > KC) p.kc = KC;
    if (p.nc > NC) p.nc = NC;
    p.a = ((size_t)(p.mc * p.kc) * sizeof(T) + 63) / 64 * 64;
    p.b = ((size_t)(p.kc * p.nc) * sizeof(T) + 63) / 64 * 64;
    return p;
}

static void FN(large)(const nomen__gemm_args *g, void *scratch) {
    FN(plan) plan = FN(plan_of)(g->m, g->n, g->k);
    C *a = scratch, *b = (C *)(void *)((char *)scratch + plan.a);
    for (int64_t j = 0; j < g->n; j += plan.nc) {
        int64_t n = g->n - j < plan.nc ? g->n - j : plan.nc;
        for (int64_t p = 0; p < g->k; p += plan.kc) {
            int64_t k = g->k - p < plan.kc ? g->k - p : plan.kc;
            FN(pack)(b, g->b + p * g->b_row + j * g->b_col, n, k, g->b_col, g->b_row, NR);
            for (int64_t i = 0; i < g->m; i += plan.mc) {
                int64_t m = g->m - i < plan.mc ? g->m - i : plan.mc;
                FN(pack)(a, g->a + i * g->a_row + p * g->a_col, m, k, g->a_row, g->a_col, MR);
                FN(block)(a, b, m, n, k, g->c + i * g->c_row + j * g->c_col, g->c_row, g->c_col,
                          p == 0);
            }
        }
    }
}

/* Straight from memory: small products, and products with a vector, which packing would only slow
 * down. */
static void FN(plain)(const nomen__gemm_args *g) {
    enum { LANES = 4 };
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const char *a = g->a + i * g->a_row, *b = g->b + j * g->b_col;
            C re[LANES] = {0}, im[LANES] = {0};
            for (int64_t p = 0; p < g->k; p += LANES)
                for (int64_t l = 0; l < LANES && p + l < g->k; l++) {
                    T x = CAT(T, a, (p + l) * g->a_col), y = CAT(T, b, (p + l) * g->b_row);
                    re[l] += x.re * y.re - x.im * y.im;
                    im[l] += x.re * y.im + x.im * y.re;
                }
            AT(T, g->c, i * g->c_row + j * g->c_col) =
                (T){(re[0] + re[1]) + (re[2] + re[3]), (im[0] + im[1]) + (im[2] + im[3])};
        }
}

static inline bool FN(is_plain)(int64_t m, int64_t n, int64_t k) {
    return m == 1 || n == 1 || k <= 0 ||
           (m <= GEMM_SMALL / 2 && n <= GEMM_SMALL / 2 && k <= GEMM_SMALL);
}

static size_t FN(scratch)(int64_t m, int64_t n, int64_t k) {
    if (FN(is_plain)(m, n, k) || m <= 0 || n <= 0) return 0;
    FN(plan) p = FN(plan_of)(m, n, k);
    return p.a + p.b;
}

static void FN(run)(const nomen__gemm_args *g, void *scratch) {
    if (FN(is_plain)(g->m, g->n, g->k))
        FN(plain)(g);
    else if (g->m > 0 && g->n > 0)
        FN(large)(g, scratch);
}

static const nomen__gemm FN(gemm) = {.scratch = FN(scratch), .run = FN(run)};

#undef NR
#undef AT
#undef CAT
#undef SFX
#undef T
#undef C
#undef V
#undef W
#undef FMA
#undef MR
#undef KC
#undef MC
#undef NC
