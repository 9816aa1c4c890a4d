/* Random calls of every row: operands of any dtype, layout, names, device and history, arguments
 * that fit and that do not, out= and in place, fused or not, then the way back. Each ends in a
 * result that is whole or in an error. Where allocations can be made to fail, some are made again
 * with each of theirs failing in turn. Nothing is left behind. */
#include "../fuzz/checks.h"
#include "nomen/inference.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 40, MOST_BYTES = 512, MOST_FAILURES = 400, LISTED = 4 };

/* Not counted as a test of the row: nobody looks at values. */
nomen_tensor *__real_nomen__call_struct(const nomen__op *op, const void *args, bool inplace);
nomen_list __real_nomen__call_struct_list(const nomen__op *op, const void *args);
bool __real_nomen__call_struct_bool(const nomen__op *op, const void *args);

#ifdef NOMEN_FAULTS
enum { FAULTY = 1 };
#else
enum { FAULTY = 0 };
static void nomen__fail_allocation(int64_t nth) { (void)nth; }
static int64_t nomen__allocation_count(void) { return 0; }
#endif

static uint64_t state;

static int64_t below(int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static bool chance(int percent) { return below(100) < percent; }

#define ONE_OF(list) ((list)[below((int64_t)NOMEN_COUNT(list))])

/* ---- operands -------------------------------------------------------------------------------- */

/* What the operands of a call have in common, mostly. */
typedef struct theme {
    nomen_dtype dtype;
    int ndim;
    int64_t size[NOMEN_MAX_DIMS];
    const char *names, *device;
    bool gradient;
} theme;

static const char *const names_of_rank[][4] = {
    {NULL, NULL, NULL, NULL}, {"N", "C", "*", NULL},        {"N C", "C N", "* C", NULL},
    {"N C H", "* * C", NULL}, {"N C H W", "* C * *", NULL},
};

static theme draw_theme(void) {
    static const nomen_dtype usual[] = {NOMEN_F32, NOMEN_F64, NOMEN_I64, NOMEN_BOOL, NOMEN_C64};
    static const int64_t shapes[][5] = {{0},       {1, 2},       {1, 4},       {2, 2, 2},
                                        {2, 3, 3}, {2, 2, 3},    {2, 0, 2},    {2, 1, 3},
                                        {1, 0},    {3, 2, 3, 2}, {3, 2, 2, 2}, {4, 2, 2, 3, 2}};
    const int64_t *shape = ONE_OF(shapes);
    theme t = {.dtype = chance(70) ? ONE_OF(usual) : (nomen_dtype)(1 + below(12)),
               .ndim = (int)shape[0]};
    memcpy(t.size, shape + 1, sizeof *t.size * (size_t)t.ndim);
    if (chance(3)) { /* more dims than a header has room for */
        t.ndim = 10;
        for (int i = 0; i < t.ndim; i++) t.size[i] = i < 2 ? 2 : 1;
    }
    if (t.ndim < 5 && chance(35)) t.names = ONE_OF(names_of_rank[t.ndim]);
    if (chance(2)) { /* as many as there may be: one more does not fit */
        t.ndim = NOMEN_MAX_DIMS - (int)below(2);
        for (int i = 0; i < t.ndim; i++) t.size[i] = i ? 1 : 2;
    }
    t.device = chance(6) ? "mock" : NULL;
    t.gradient = chance(40);
    return t;
}

/* The same values in another order in memory, with gaps, or lying on each other. */
static nomen_tensor *laid_out(nomen_tensor *t) {
    int last = nomen_ndim(t) - 1;
    char text[12];
    snprintf(text, sizeof text, "%d", last);
    if (last < 0) return t;
    switch (below(5)) {
    case 0: return nomen_flip(t, text);
    case 1: {
        nomen_tensor *wide = nomen_cat(NOMEN_LIST(t, t), text);
        int64_t n = nomen_shape(t)[last];
        return n > 1 ? nomen_slice(wide, text, .start = nomen_num(0), .step = nomen_num(2)) : t;
    }
    case 2: {
        nomen_tensor *turned = last ? nomen_contiguous(nomen_transpose(t, "0", text)) : t;
        return last ? nomen_transpose(turned, "0", text) : t;
    }
    case 3: {
        nomen_sizes size = {nomen_ndim(t), nomen_shape(t)};
        return nomen_shape(t)[0] ? nomen_expand(nomen_narrow(t, "0", 0, 1), size) : t;
    }
    default: return nomen_select(nomen_stack(NOMEN_LIST(t, t), "0"), "0", 1);
    }
}

static nomen_tensor *fresh_operand(const theme *like) {
    theme mine = chance(80) ? *like : draw_theme();
    if (chance(10)) mine.dtype = (nomen_dtype)(1 + below(12));
    if (chance(10)) mine.names = NULL;
    if (chance(5) && mine.ndim) mine.ndim--, mine.names = NULL;
    if (chance(3)) return nomen_scalar(2.5);
    int64_t count = 1;
    for (int i = 0; i < mine.ndim; i++) count *= mine.size[i];
    nomen_tensor *t = nomen_arange(NULL, .end = nomen_num(count), .dtype = NOMEN_I64);
    int64_t turns = 2 + below(4), less = below(3);
    t = nomen_sub(nomen_remainder(t, nomen_scalar(turns)), nomen_scalar(less == 2 ? 1 : 0));
    t = nomen_reshape(t, ((nomen_sizes){mine.ndim, mine.size}));
    if (chance(8)) t = nomen_div(t, nomen_scalar(0)); /* infinities and NaN */
    t = nomen_cast(t, mine.dtype);
    if (chance(40)) t = laid_out(t);
    if (mine.names) nomen_set_names(t, mine.names);
    if (mine.device && chance(90)) t = nomen_to(t, .device = mine.device);
    if (mine.gradient && chance(80) &&
        (nomen_dtype_is_floating(nomen_dtype_of(t)) || nomen_dtype_is_complex(nomen_dtype_of(t)))) {
        t = nomen_clone(t);
        nomen_set_requires_grad(t, true);
        if (chance(50)) t = nomen_mul(t, nomen_scalar(1));
        if (chance(20) && nomen_ndim(t)) t = nomen_narrow(t, "0", 0, nomen_shape(t)[0]);
        if (chance(10)) t = nomen_narrow(t, "0", 0, 1);
    }
    if (t && chance(2)) {
        t = nomen_clone(t);
        t->storage->readonly = true;
    }
    nomen_clear_error();
    return t ? t : nomen_scalar(1);
}

/* One that was made before, or a part of it: the memory of two operands may be the same. */
static nomen_tensor *before_last, *last;

static nomen_tensor *operand(const theme *like) {
    static nomen_tensor dead; /* as one that was freed */
    if (last && chance(10)) return chance(50) ? last : before_last;
    if (last && chance(5) && nomen_ndim(last)) return nomen_flip(last, "0");
    if (chance(1) && chance(50)) return &dead;
    before_last = last ? last : NULL;
    last = fresh_operand(like);
    if (!before_last) before_last = last;
    return last;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int64_t integer(void) {
    static const int64_t edges[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, 1LL << 40, -(1LL << 32),
                                    INT32_MAX, 64,        -64,           1000};
    return chance(94) ? below(6) - 2 : ONE_OF(edges);
}

static nomen_number number(void) {
    static const double floats[] = {0, 0.5, 1, 2, -1, 3.5, 1e300, -0.0, 1e-310, 300};
    switch (below(12)) {
    case 0: return nomen_number_bool(below(2));
    case 1: return nomen_number_complex(1, (double)below(2));
    case 2: return nomen_number_float((double)INFINITY);
    case 3: return nomen_number_float((double)NAN);
    case 4:
    case 5:
    case 6: return nomen_number_float(ONE_OF(floats));
    default: return nomen_number_int(integer());
    }
}

static const char *text_of(int kind) {
    static const char *const dim[] = {"0", "1",  "-1", "N", "C",   "0", "-1", "1",
                                      "2", "-9", "Q",  "",  "0 1", "9", "*",  "a-b"};
    static const char *const dims[] = {
        "0",    "0 1",     "N C", "1 0",  "-1",  "N", "C N",   "0 1 2",
        "...",  "",        "0 0", "N ..", "* C", "Q", "2 0 1", "N C H W ... A B",
        "0 -1", "3 2 1 0", "C"};
    static const char *const names[] = {"N C", "A", "A B C", "* *", "", "N N", "9", "K", "A B"};
    static const char *const words[] = {"floor",
                                        "trunc",
                                        "sum",
                                        "prod",
                                        "mean",
                                        "amax",
                                        "amin",
                                        "linear",
                                        "lower",
                                        "higher",
                                        "nearest",
                                        "midpoint",
                                        "ij,jk->ik",
                                        "i,i",
                                        "ij->ji",
                                        "...i,...i->...",
                                        "ii->i",
                                        "channels_last",
                                        "left",
                                        "right",
                                        "contiguous_format",
                                        "preserve_format",
                                        "cpu",
                                        "mock",
                                        "mock:1",
                                        "nowhere",
                                        "add",
                                        "multiply",
                                        "N=A",
                                        "N=A C=B",
                                        "channels_last_3d",
                                        "use_mm_for_euclid_dist",
                                        "donot_use_mm_for_euclid_dist",
                                        ",",
                                        "->",
                                        "i j"};
    if (kind == NOMEN__DIM) return ONE_OF(dim);
    if (kind == NOMEN__DIMS) return ONE_OF(dims);
    return kind == NOMEN__TEXT ? ONE_OF(words) : ONE_OF(names);
}

/* What one call is made of: the struct points in here. */
typedef struct draft {
    const nomen__op *op;
    theme like;
    bool inplace;
    int steps; /* of what is put off */
    nomen_tensor *listed[LISTED], *second;
    int64_t size[NOMEN__MAX_ARGS][4];
    _Alignas(16) char args[MOST_BYTES];
} draft;

static void put(draft *d, size_t offset, const void *value, size_t bytes) {
    assert_true(offset + bytes <= sizeof d->args);
    memcpy(d->args + offset, value, bytes);
}

static void draw_sizes(draft *d, int i, nomen_sizes *sizes) {
    static const int64_t counts[] = {1, 2, 2, 2, 3, 0, 4};
    sizes->count = ONE_OF(counts);
    sizes->at = d->size[i];
    for (int k = 0; k < 4; k++)
        d->size[i][k] = chance(95) ? below(4) - (chance(10) ? 2 : 0) : integer();
    if (chance(40)) { /* those of the operands */
        sizes->count = d->like.ndim;
        sizes->at = d->like.size;
    }
    if (chance(2)) sizes->count = -1;
}

static void draw_argument(draft *d, int i) {
    const nomen__argspec *spec = &d->op->args[i];
    if (spec->flags & NOMEN__OPTIONAL ? chance(55) : chance(1)) return;
    switch ((nomen__kind)spec->kind) {
    case NOMEN__TENSOR: {
        nomen_tensor *t = operand(&d->like);
        if (chance(1)) t = NULL;
        put(d, spec->offset, &t, sizeof(t));
        break;
    }
    case NOMEN__TENSORS: {
        nomen_list list = {below(LISTED + 1), d->listed};
        for (int k = 0; k < LISTED; k++) d->listed[k] = chance(1) ? NULL : operand(&d->like);
        put(d, spec->offset, &list, sizeof list);
        break;
    }
    case NOMEN__NUMBER: {
        nomen_number n = number();
        put(d, spec->offset, &n, sizeof n);
        break;
    }
    case NOMEN__INT: {
        int64_t n = integer();
        put(d, spec->offset, &n, sizeof n);
        break;
    }
    case NOMEN__FLAG: {
        bool flag = chance(50);
        put(d, spec->offset, &flag, sizeof flag);
        break;
    }
    case NOMEN__SIZES: {
        nomen_sizes sizes;
        draw_sizes(d, i, &sizes);
        put(d, spec->offset, &sizes, sizeof sizes);
        break;
    }
    case NOMEN__DTYPE: {
        nomen_dtype dtype = (nomen_dtype)(chance(97) ? 1 + below(12) : 99);
        put(d, spec->offset, &dtype, sizeof dtype);
        break;
    }
    case NOMEN__GENERATOR: break; /* the common one */
    case NOMEN__DIM:
    case NOMEN__DIMS:
    case NOMEN__NAMES:
    case NOMEN__NAME:
    case NOMEN__TEXT: {
        const char *text = text_of(spec->kind);
        put(d, spec->offset, &text, sizeof text);
        break;
    }
    }
}

static void draw_call(draft *d, const nomen__op *op, bool fused) {
    memset(d, 0, sizeof *d);
    d->op = op;
    d->like = draw_theme();
    if (fused) { /* few elements are not worth it */
        d->like.ndim = 2;
        d->like.size[0] = 2;
        d->like.size[1] = 40000;
        d->like.names = ONE_OF(names_of_rank[2]);
    }
    last = before_last = NULL;
    d->inplace = op->forms & NOMEN__INPLACE && (op->forms == NOMEN__INPLACE || chance(25));
    d->steps = (int)below(4);
    for (int i = 0; i < op->nargs; i++) draw_argument(d, i);
    nomen_tensor **second = &d->second;
    if (op->second_offset && chance(60)) put(d, op->second_offset, &second, sizeof second);
    if (op->out_offset && !d->inplace && chance(25)) {
        theme like = d->like;
        if (chance(80)) like.gradient = false;
        nomen_tensor *out = operand(&like);
        if (chance(20) && last) out = nomen_requires_grad(last) ? nomen_detach(last) : last;
        if (chance(30)) out = nomen_empty(NULL, NOMEN_SIZES(0), .dtype = like.dtype);
        put(d, op->out_offset, &out, sizeof(out));
    }
    if (op->device_offset && chance(8)) {
        const char *device = chance(80) ? "mock" : "nowhere";
        put(d, op->device_offset, &device, sizeof device);
    }
    nomen_clear_error();
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Tensors among the arguments, which no failure may change. */
typedef struct before {
    nomen_tensor *at[NOMEN__MAX_IN + LISTED];
    nomen_dtype dtype[NOMEN__MAX_IN + LISTED];
    int ndim[NOMEN__MAX_IN + LISTED], count;
    int64_t numel[NOMEN__MAX_IN + LISTED];
} before;

static before operands_of(const draft *d) {
    before b = {.count = 0};
    for (int i = 0; i < d->op->nargs && b.count < (int)NOMEN_COUNT(b.at); i++) {
        if (d->op->args[i].kind != NOMEN__TENSOR) continue;
        nomen_tensor *t;
        memcpy(&t, d->args + d->op->args[i].offset, sizeof(t));
        if (!t || t->magic != NOMEN__LIVE) continue;
        b.at[b.count] = t;
        b.dtype[b.count] = nomen_dtype_of(t);
        b.ndim[b.count] = nomen_ndim(t);
        b.numel[b.count++] = nomen_numel(t);
    }
    return b;
}

static void check_unchanged(const before *b) {
    for (int i = 0; i < b->count; i++) {
        check_tensor(b->at[i]);
        assert_int_equal(nomen_dtype_of(b->at[i]), b->dtype[i]);
        assert_int_equal(nomen_ndim(b->at[i]), b->ndim[i]);
        assert_int_equal(nomen_numel(b->at[i]), b->numel[i]);
    }
}

/* In a fused block the first operand is to be computed as well. Gives back what it was. */
static nomen_tensor *put_off_operand(draft *d, bool fused) {
    nomen_tensor *t = NULL;
    if (d->op->nargs && d->op->args[0].kind == NOMEN__TENSOR)
        memcpy(&t, d->args + d->op->args[0].offset, sizeof(t));
    if (!fused || d->inplace || !t || t->magic != NOMEN__LIVE || d->steps == 0) return NULL;
    nomen_tensor *more = t;
    for (int i = 0; i < d->steps && more; i++)
        more = i & 1 ? nomen_add(more, t) : nomen_mul(more, nomen_scalar(1));
    nomen_clear_error();
    if (!more) return NULL;
    put(d, d->op->args[0].offset, &more, sizeof more);
    return t;
}

/* The first result, or NULL; *failed: with an error. */
static nomen_tensor *call(draft *d, bool *failed) {
    nomen_tensor *t = NULL;
    d->second = NULL;
    if (d->op->truth) {
        (void)__real_nomen__call_struct_bool(d->op, d->args);
    } else if (d->op->list) {
        nomen_list list = __real_nomen__call_struct_list(d->op, d->args);
        if (list.count) t = list.at[below(list.count)];
    } else {
        t = __real_nomen__call_struct(d->op, d->args, d->inplace);
        if ((t == NULL) != nomen__error_pending())
            fail_msg("%s: %s", d->op->name, nomen_error_text());
    }
    *failed = nomen__error_pending();
    if (*failed) t = NULL;
    return t;
}

/* backward, or the gradients of the operands, which can be differentiated again: kept in leaves
 * these would hold themselves alive. */
static nomen_status way_back(nomen_tensor *t, const before *b) {
    nomen_tensor *g = nomen_ones_like(t);
    if (!g) return NOMEN_ERROR_MEMORY;
    if (nomen__is_named(t)) nomen_set_names(g, NULL);
    if (t->numel & 1 || !b->count) return nomen_backward(t, .gradient = g, .retain_graph = true);
    nomen_tensor *leaf[NOMEN_COUNT(b->at)];
    int64_t n = 0;
    for (int i = 0; i < b->count; i++)
        if (nomen_requires_grad(b->at[i])) leaf[n++] = b->at[i];
    nomen_list got = nomen_grad(NOMEN_LIST(t), ((nomen_list){n, leaf}), NOMEN_LIST(g),
                                .create_graph = true, .allow_unused = true);
    for (int64_t i = 0; i < got.count; i++)
        if (got.at[i]) check_tensor(got.at[i]);
    return got.count == n ? NOMEN_OK : nomen__error_pending() ? NOMEN_ERROR_GRAD : NOMEN_OK;
}

/* The call once more, with the nth request for memory failing, until none does. */
static int64_t fail_each(draft *d, bool fused) {
    int64_t failures = 0;
    before b = operands_of(d);
    for (int64_t nth = 0; nth < MOST_FAILURES; nth++) {
        bool failed = false;
        int64_t requests = nomen__allocation_count();
        nomen_scope() {
            nomen_fuse_mark mark = {0};
            nomen__fail_allocation(nth);
            if (fused) mark = nomen_fuse_begin();
            nomen_clear_error(); /* without a scope it goes on in the one around it */
            nomen_tensor *first = put_off_operand(d, fused), *t = call(d, &failed);
            if (first) put(d, d->op->args[0].offset, &first, sizeof first);
            if (!failed && t && nomen_requires_grad(t)) failed = way_back(t, &b) != NOMEN_OK;
            if (fused) nomen_fuse_end(&mark);
            nomen__fail_allocation(-1);
        }
        requests = nomen__allocation_count() - requests;
        if (failed) check_failure();
        nomen_clear_error(); /* of what went on without */
        if (failed && !d->inplace) check_unchanged(&b);
        if (requests <= nth) break;
        failures++;
    }
    return failures;
}

static void one_call(const nomen__op *op, int64_t *results, int64_t *failures) {
    nomen_scope() {
        draft d;
        bool fused = chance(5);
        draw_call(&d, op, fused);
        before b = operands_of(&d);
        bool failed = false, again = FAULTY && chance(25);
        bool strict = nomen_set_strict_contraction(chance(10));
        nomen_set_default_dtype(chance(10) ? NOMEN_F64 : NOMEN_F32);
        nomen_scope() {
            nomen_fuse_mark mark = {0};
            if (fused) mark = nomen_fuse_begin();
            nomen_tensor *first = put_off_operand(&d, fused), *t = call(&d, &failed);
            if (first) put(&d, op->args[0].offset, &first, sizeof first);
            if (failed) {
                check_failure();
                check_unchanged(&b);
            } else {
                ++*results;
            }
            if (t) check_tensor(t);
            if (d.second) check_tensor(d.second);
            if (t && nomen_requires_grad(t) && way_back(t, &b)) check_failure();
            if (d.second && nomen_requires_grad(d.second) && way_back(d.second, &b))
                check_failure();
            if (fused) nomen_fuse_end(&mark);
        }
        nomen_clear_error();
        if (again && (!failed || chance(20))) *failures += fail_each(&d, fused);
        nomen_set_strict_contraction(strict);
        nomen_set_default_dtype(NOMEN_F32);
    }
}

static void every_row(void **unused) {
    (void)unused;
    int64_t results = 0, failures = 0;
    const char *rounds = getenv("NOMEN_RANDOM_CALLS");
    for (int64_t round = 0, n = rounds ? atoll(rounds) : ROUNDS; round < n; round++)
        for (int i = 0; i < nomen__op_count; i++) {
            state = (uint64_t)(round * 1000 + i);
            below(2);
            balance b = balance_open();
            one_call(&nomen__ops[i], &results, &failures);
            balance_close(&b);
        }
    if (rounds)
        printf("figure: random calls that gave a result: %lld\n"
               "figure: allocations that failed in random calls: %lld\n",
               (long long)results, (long long)failures);
    assert_true(results > nomen__op_count * 5);
    assert_true(!FAULTY || failures > nomen__op_count * 5);
}

static int begin(void **unused) {
    (void)unused;
    nomen_set_memory_limit((size_t)1 << 28);
    return setenv("NOMEN_BACKEND_PATH", NOMEN_BACKENDS_DIR, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
