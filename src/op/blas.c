/* Matrix products by OpenBLAS, behind the interface of our own (nomen__gemm). The library is opened
 * when it is wanted and never needed. What it cannot do, of layouts or sizes, our kernel does. */
#include "core/forks.h"
#include "nomen/blas.h"
#include "op/op.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef enum choice { UNKNOWN, OWN, OPENBLAS, AUTO } choice;
static const char *const words[] = {[OWN] = "own", [OPENBLAS] = "openblas", [AUTO] = "auto"};

static _Atomic int chosen; /* UNKNOWN: nobody has asked the environment yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void) { pthread_mutex_lock(&lock); }

static void give(void) { pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void watch_forks(void) { nomen__watch_forks(take, give); }

/* ---- the library ----------------------------------------------------------------------------- */

/* The interface of CBLAS, with 32-bit integers. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
typedef void gemm_f32(int order, int ta, int tb, int m, int n, int k, float alpha, const void *a,
                      int lda, const void *b, int ldb, float beta, void *c, int ldc);
typedef void gemm_f64(int order, int ta, int tb, int m, int n, int k, double alpha, const void *a,
                      int lda, const void *b, int ldb, double beta, void *c, int ldc);
typedef void gemm_complex(int order, int ta, int tb, int m, int n, int k, const void *alpha,
                          const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                          int ldc);

static struct {
    bool tried, found;
    gemm_f32 *s;
    gemm_f64 *d;
    gemm_complex *c, *z;
    const nomen__gemm *own[NOMEN_DTYPE_COUNT];
} blas;

static bool symbol(void *file, const char *name, void *function) {
    void *at = dlsym(file, name);
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

static bool use(void *file) {
    void (*threads)(int);
    /* without this it is another BLAS, whose threads would meet ours */
    if (!symbol(file, "openblas_set_num_threads", &threads)) return false;
    if (!symbol(file, "cblas_sgemm", &blas.s) || !symbol(file, "cblas_dgemm", &blas.d) ||
        !symbol(file, "cblas_cgemm", &blas.c) || !symbol(file, "cblas_zgemm", &blas.z))
        return false;
    threads(1);
    static const nomen_dtype dtypes[] = {NOMEN_F32, NOMEN_F64, NOMEN_C64, NOMEN_C128};
    for (size_t i = 0; i < NOMEN_COUNT(dtypes); i++)
        blas.own[dtypes[i]] = nomen__kernel_find("matmul", dtypes[i])->gemm;
    return true;
}

/* With the lock held. */
static bool find_library(void) {
    const char *named = getenv("NOMEN_BLAS_LIBRARY");
    const char *const names[] = {named ? named : "libopenblas.so.0", "libopenblas.so"};
    if (blas.tried) return blas.found;
    blas.tried = true;
    for (size_t i = 0; i < (named ? 1 : NOMEN_COUNT(names)) && !blas.found; i++) {
        void *file = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!file) continue;
        blas.found = use(file);
        if (!blas.found) dlclose(file);
    }
    return blas.found;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static choice choice_of(const char *word) {
    for (choice i = OWN; word && i <= AUTO; i++)
        if (!strcmp(word, words[i])) return i;
    return UNKNOWN;
}

static choice current(void) {
    choice now = (choice)atomic_load_explicit(&chosen, memory_order_acquire);
    if (NOMEN_LIKELY(now != UNKNOWN)) return now;
    int expected = UNKNOWN;
    now = choice_of(getenv("NOMEN_BLAS"));
    if (now == UNKNOWN) now = OWN; /* see nomen/blas.h */
    bool first = atomic_compare_exchange_strong(&chosen, &expected, (int)now);
    return first ? now : (choice)expected;
}

/* What is asked for in vain is no longer asked for: a program runs anywhere. */
static bool is_there(void) {
    static _Atomic int known; /* 1: it is, 2: it is not */
    int now = atomic_load_explicit(&known, memory_order_acquire);
    if (NOMEN_UNLIKELY(!now)) {
        take();
        now = find_library() ? 1 : 2;
        atomic_store_explicit(&known, now, memory_order_release);
        give();
    }
    return now == 1;
}

const char *nomen_get_blas(void) {
    choice now = current();
    return words[now != OWN && !is_there() ? OWN : now];
}

nomen_status nomen_set_blas(const char *which) {
    choice next = choice_of(which);
    if (next == UNKNOWN)
        return nomen__fail(NOMEN_ERROR_VALUE,
                           "nomen_set_blas: '%.40s' is none of 'own', 'openblas', 'auto'",
                           which ? which : "NULL");
    if (next == OPENBLAS && !is_there())
        return nomen__hint(nomen__fail(NOMEN_ERROR_UNSUPPORTED, "there is no OpenBLAS here"),
                           "install libopenblas, or name its file in NOMEN_BLAS_LIBRARY");
    atomic_store_explicit(&chosen, (int)next, memory_order_release);
    return NOMEN_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

/* How BLAS sees a matrix of so many rows and columns: with a unit step along one of them. */
static bool seen(int64_t rows, int64_t cols, int64_t row, int64_t col, int64_t item, int *how,
                 int *leading) {
    bool lies = (col == item || cols == 1) && (rows == 1 || row >= cols * item);
    bool stands = (row == item || rows == 1) && (cols == 1 || col >= rows * item);
    int64_t step = lies ? (rows == 1 ? cols * item : row) : cols == 1 ? rows * item : col;
    if ((!lies && !stands) || step % item || step / item > INT_MAX) return false;
    *how = lies ? AS_IT_IS : TRANSPOSED;
    *leading = (int)(step / item);
    return true;
}

static bool multiply(nomen_dtype dtype, const nomen__gemm_args *given) {
    const int64_t item = nomen__item(dtype);
    nomen__gemm_args g = *given;
    int ta, tb, tc, lda, ldb, ldc;
    if (!g.k || g.m > INT_MAX || g.n > INT_MAX || g.k > INT_MAX ||
        !seen(g.m, g.n, g.c_row, g.c_col, item, &tc, &ldc))
        return false;
    if (tc == TRANSPOSED) /* of the transposed product the rows lie in memory */
        g = (nomen__gemm_args){.m = given->n,
                               .n = given->m,
                               .k = given->k,
                               .a = given->b,
                               .b = given->a,
                               .c = given->c,
                               .a_row = given->b_col,
                               .a_col = given->b_row,
                               .b_row = given->a_col,
                               .b_col = given->a_row};
    if (!seen(g.m, g.k, g.a_row, g.a_col, item, &ta, &lda) ||
        !seen(g.k, g.n, g.b_row, g.b_col, item, &tb, &ldb))
        return false;
    const int m = (int)g.m, n = (int)g.n, k = (int)g.k;
    const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
    const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    switch (dtype) {
    case NOMEN_F32: blas.s(ROW_MAJOR, ta, tb, m, n, k, 1, g.a, lda, g.b, ldb, 0, g.c, ldc); break;
    case NOMEN_F64: blas.d(ROW_MAJOR, ta, tb, m, n, k, 1, g.a, lda, g.b, ldb, 0, g.c, ldc); break;
    case NOMEN_C64:
        blas.c(ROW_MAJOR, ta, tb, m, n, k, one_f, g.a, lda, g.b, ldb, zero_f, g.c, ldc);
        break;
    default: blas.z(ROW_MAJOR, ta, tb, m, n, k, one_d, g.a, lda, g.b, ldb, zero_d, g.c, ldc);
    }
    return true;
}

/* An entry of BLAS per dtype, and the scratch that our kernel wants, should it have to step in. */
static void run(nomen_dtype dtype, const nomen__gemm_args *g, void *scratch) {
    if (!multiply(dtype, g)) blas.own[dtype]->run(g, scratch);
}

static void run_f32(const nomen__gemm_args *g, void *scratch) { run(NOMEN_F32, g, scratch); }
static void run_f64(const nomen__gemm_args *g, void *scratch) { run(NOMEN_F64, g, scratch); }
static void run_c64(const nomen__gemm_args *g, void *scratch) { run(NOMEN_C64, g, scratch); }
static void run_c128(const nomen__gemm_args *g, void *scratch) { run(NOMEN_C128, g, scratch); }

static size_t scratch_f32(int64_t m, int64_t n, int64_t k) {
    return blas.own[NOMEN_F32]->scratch(m, n, k);
}
static size_t scratch_f64(int64_t m, int64_t n, int64_t k) {
    return blas.own[NOMEN_F64]->scratch(m, n, k);
}
static size_t scratch_c64(int64_t m, int64_t n, int64_t k) {
    return blas.own[NOMEN_C64]->scratch(m, n, k);
}
static size_t scratch_c128(int64_t m, int64_t n, int64_t k) {
    return blas.own[NOMEN_C128]->scratch(m, n, k);
}

/* From SIDES on our own kernels are as fast; it is also what the threads begin to share out, since
 * OpenBLAS does not promise the same bits for the same element in a block of another size. */
enum { SIDES = 128, TILE = 16 };
static const nomen__gemm gemms[NOMEN_DTYPE_COUNT] = {
    [NOMEN_F32] = {.scratch = scratch_f32, .run = run_f32, .rows = TILE, .side = SIDES / 2},
    [NOMEN_F64] = {.scratch = scratch_f64, .run = run_f64, .rows = TILE, .side = SIDES / 2},
    [NOMEN_C64] = {.scratch = scratch_c64, .run = run_c64, .rows = TILE, .side = SIDES / 2},
    [NOMEN_C128] = {.scratch = scratch_c128, .run = run_c128, .rows = TILE, .side = SIDES / 2},
};

/* From this side on OpenBLAS is faster (bench/bench_blas.c), and up to SIDES. */
static const int64_t faster_from[NOMEN_DTYPE_COUNT] = {
    [NOMEN_F32] = 16, [NOMEN_F64] = 16, [NOMEN_C64] = 16, [NOMEN_C128] = 48};

const nomen__gemm *nomen__gemm_for(const nomen__gemm *own, nomen_dtype dtype, int64_t m, int64_t n,
                                   int64_t k) {
    int64_t side = faster_from[dtype];
    choice now = current();
    if (!side || now == OWN) return own;
    if (now == AUTO && (m < side || n < side || k < side || m >= SIDES || n >= SIDES)) return own;
    return is_there() ? &gemms[dtype] : own;
}
