/* Two rows of a matrix: their scalar product, and their rotation into each other (Jacobi), of real
 * and of complex numbers; and a row in mirrors from both sides (Golub, Kahan).
 *
 * Idea: plain loops for the compiler's vectoriser; products in lanes of the same number in every
 * set, so that all add in the same order.
 *
 * Limit: loads and stores of L1, two of each per element of a rotation. */
#include "kernels/loops/loops.h"

enum { LANES = 32, FEW = 8 };

/* The lanes joined in halves: all in one sum, or even ones less odd ones. */
static inline double join(double *s, int least) {
#pragma GCC unroll 8
    for (int w = LANES / 2; w >= least; w /= 2)
        for (int l = 0; l < w; l++) s[l] += s[l + w];
    return least == 1 ? s[0] : s[0] - s[1];
}

static void product(char *const ptr[], const int64_t step[], int64_t n) {
    const double *a = (const double *)(const void *)ptr[1],
                 *b = (const double *)(const void *)ptr[2];
    double s[LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    (void)step;
    for (int l = 0; l < LANES; l++) s[l] = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += a[i + l] * b[i + l];
    for (; i + FEW <= n; i += FEW)
        for (int l = 0; l < FEW; l++) s[l] += a[i + l] * b[i + l];
    for (int l = 0; i + l < n; l++) s[l] += a[i + l] * b[i + l];
    *(double *)(void *)ptr[0] = join(s, 1);
}

/* conj(a) * b: the real parts are the product of twice as many reals, the imaginary ones are those
 * of neighbours. */
static void product_complex(char *const ptr[], const int64_t step[], int64_t n) {
    const double *a = (const double *)(const void *)ptr[1],
                 *b = (const double *)(const void *)ptr[2];
    double s[LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    product(ptr, step, 2 * n);
    for (int l = 0; l < LANES; l++) s[l] = 0;
    for (; i + LANES <= 2 * n; i += LANES)
        for (int l = 0; l < LANES; l++) s[l] += a[i + l] * b[i + (l ^ 1)];
    for (int l = 0; i + l < 2 * n; l++) s[l] += a[i + l] * b[i + (l ^ 1)];
    ((double *)(void *)ptr[0])[1] = join(s, 2);
}

/* a becomes c a - s b, b becomes s a + c b; the third operand is c, s. */
static void rotate(char *const ptr[], const int64_t step[], int64_t n) {
    double *a = (double *)(void *)ptr[0], *b = (double *)(void *)ptr[1];
    const double *factors = (const double *)(const void *)ptr[2], c = factors[0], s = factors[1];
    (void)step;
    SIMD_IVDEP
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i], y = b[i], cx = c * x, sy = s * y, sx = s * x, cy = c * y;
        a[i] = cx - sy;
        b[i] = sx + cy;
    }
}

/* The same with conj(s) in the first; s is two numbers. */
static void rotate_complex(char *const ptr[], const int64_t step[], int64_t n) {
    double *a = (double *)(void *)ptr[0], *b = (double *)(void *)ptr[1];
    const double *factors = (const double *)(const void *)ptr[2], c = factors[0], re = factors[1],
                 im = factors[2];
    (void)step;
    SIMD_IVDEP
    for (int64_t i = 0; i < 2 * n; i += 2) {
        const double x = a[i], xi = a[i + 1], y = b[i], yi = b[i + 1];
        a[i] = c * x - (re * y + im * yi);
        a[i + 1] = c * xi - (re * yi - im * y);
        b[i] = re * x - im * xi + c * y;
        b[i + 1] = re * xi + im * x + c * yi;
    }
}

/* A row in two mirrors, in two looks. Operands: the row, what the last mirror from the left adds to
 * it, the normal of the next one from the right, sums, and factors: of the second operand, and of
 * the normal in units of its product with the row. Then the row times its first element is added
 * to the sums. */
static void mirror(char *const ptr[], const int64_t step[], int64_t n) {
    double *row = (double *)(void *)ptr[0], *sums = (double *)(void *)ptr[3];
    const double *last = (const double *)(const void *)ptr[1],
                 *normal = (const double *)(const void *)ptr[2],
                 *factors = (const double *)(const void *)ptr[4], factor = factors[0];
    double s[LANES] __attribute__((aligned(64)));
    int64_t i = 0;
    (void)step;
    for (int l = 0; l < LANES; l++) s[l] = 0;
    for (; i + LANES <= n; i += LANES) {
        SIMD_IVDEP
        for (int l = 0; l < LANES; l++) {
            const double x = row[i + l] + factor * last[i + l];
            row[i + l] = x;
            s[l] += x * normal[i + l];
        }
    }
    SIMD_IVDEP
    for (int64_t k = i; k < n; k++) row[k] += factor * last[k];
    for (; i + FEW <= n; i += FEW)
        for (int l = 0; l < FEW; l++) s[l] += row[i + l] * normal[i + l];
    for (int l = 0; i + l < n; l++) s[l] += row[i + l] * normal[i + l];
    const double far = factors[1] * join(s, 1), first = row[0] + far * normal[0];
    SIMD_IVDEP
    for (i = 0; i < n; i++) {
        const double x = row[i] + far * normal[i];
        row[i] = x;
        sums[i] += first * x;
    }
}

const nomen__kernel NOMEN__TABLE(rotate)[] = {
    ROW("rows_product", NOMEN_F64, product),
    ROW("rows_product", NOMEN_C128, product_complex),
    ROW("row_mirror", NOMEN_F64, mirror),
    ROW("rows_rotate", NOMEN_F64, rotate),
    ROW("rows_rotate", NOMEN_C128, rotate_complex),
    {.name = NULL},
};
