/* Launches of reductions, row functions, matrix products and fills against loops over indices:
 * every layout, casts on the way in and out, any number of threads, failing allocations. */
#include "layouts.h"

#include "nomen/error.h"
#include "op/rows.gen.h"
#include "sample.h"

static nomen__call call;

/* A call of an operation that the table does not have: its id has no place in caches. */
static nomen__call *begin(const char *kernel, nomen_dtype compute, nomen_dtype writes, int nout) {
    static nomen__op op;
    op = (nomen__op){.name = "test", .id = UINT16_MAX, .nout = (uint8_t)nout, .kernel = kernel};
    nomen__call_begin(&call, &op);
    call.kernel = nomen__kernel_find(kernel, compute);
    assert_non_null(call.kernel);
    call.compute = compute;
    call.writes = writes;
    call.result[0] = call.result[1] = NOMEN_I64;
    call.reduce_correction = 1;
    return &call;
}

/* ---- reductions ------------------------------------------------------------------------------ */

static nomen_dtype written(const char *name, nomen_dtype d) {
    if (!strcmp(name, "any") || !strcmp(name, "all")) return NOMEN_BOOL;
    if (!strcmp(name, "sum") || !strcmp(name, "prod"))
        return is_float(d) || is_complex(d) ? d : NOMEN_I64;
    return d;
}

/* The result of reducing by the book: first all elements in logical order, then one answer. */
typedef struct answer {
    long double value;
    int64_t position;
} answer;

static answer by_the_book(const char *name, const long double *x, int64_t n) {
    answer a = {0, -1};
    long double sum = 0, squares = 0, product = 1, exponentials = 0, any = 0, all = 1;
    int sign = strcmp(name, "min") ? 1 : -1;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        product *= x[i];
        exponentials += expl(x[i]);
        any = any != 0 || x[i] != 0;
        all = all != 0 && x[i] != 0;
        if (a.position < 0 || sign * x[i] > sign * x[a.position]) a.position = i;
    }
    for (int64_t i = 0; i < n; i++) squares += (x[i] - sum / n) * (x[i] - sum / n);
    if (!strcmp(name, "sum")) a.value = sum;
    if (!strcmp(name, "prod")) a.value = product;
    if (!strcmp(name, "mean")) a.value = sum / n;
    if (!strcmp(name, "var")) a.value = n > 1 ? squares / (n - 1) : (long double)NAN;
    if (!strcmp(name, "logsumexp")) a.value = logl(exponentials);
    if (!strcmp(name, "any")) a.value = any;
    if (!strcmp(name, "all")) a.value = all;
    if (sign < 0 || !strcmp(name, "max")) a.value = a.position < 0 ? 0 : x[a.position];
    return a;
}

/* Compares both results at every index; wide relative bound: the kernels have tests of their own.
 */
static void check_reduced(const char *name, const nomen_tensor *in, uint64_t mask, bool keepdim,
                          const nomen_tensor *value, const nomen_tensor *at) {
    const nomen_tensor *shape = value ? value : at;
    int64_t kept[NOMEN_MAX_DIMS] = {0}, size[NOMEN_MAX_DIMS], full[NOMEN_MAX_DIMS], wrong = 0;
    int64_t count = shape->numel ? in->numel / shape->numel : 0;
    long double *x = malloc(sizeof *x * (size_t)(count + 1));
    for (int d = 0; d < in->ndim; d++) size[d] = mask >> d & 1 ? 1 : in->size[d];
    for (bool more = shape->numel > 0; more; more = next_index(in->ndim, size, kept)) {
        int64_t reduced[NOMEN_MAX_DIMS], at_index[NOMEN_MAX_DIMS], inner[NOMEN_MAX_DIMS] = {0},
                                                                   n = 0;
        for (int d = 0; d < in->ndim; d++) reduced[d] = mask >> d & 1 ? in->size[d] : 1;
        for (bool go = count > 0; go; go = next_index(in->ndim, reduced, inner)) {
            for (int d = 0; d < in->ndim; d++) full[d] = kept[d] + inner[d];
            x[n++] = load_wide((nomen_dtype)in->dtype, element(in, full)).re;
        }
        int to = 0;
        for (int d = 0; d < in->ndim; d++)
            if (keepdim || !(mask >> d & 1)) at_index[to++] = kept[d];
        answer want = by_the_book(name, x, n);
        if (at) wrong += *(const int64_t *)element(at, at_index) != want.position;
        if (value) {
            nomen_dtype d = (nomen_dtype)value->dtype;
            long double got = load_wide(d, element(value, at_index)).re, far = fabsl(want.value);
            long double digits = is_float(call.compute) ? epsilon_of(call.compute) : 0;
            if (is_float(d)) digits += epsilon_of(d);
            long double bound = 40 * digits * (far < 1 ? 1 : far);
            want.value = overflow_as(call.compute, want.value);
            if (close_to(got, overflow_as(d, want.value), bound)) continue;
            if (!wrong++)
                print_error("%s of %d %s gave %s %Lg, not %Lg\n", name, (int)n,
                            dtype_names[in->dtype], dtype_names[d], got, want.value);
        }
    }
    assert_int_equal(wrong, 0);
    if (value) assert_int_equal(damage(value), 0);
    if (at) assert_int_equal(damage(at), 0);
    free(x);
}

static void check_reduce(const char *name, nomen_tensor *in, uint64_t mask, nomen_dtype compute,
                         nomen_dtype out, int allowed, bool keepdim) {
    int64_t size[NOMEN_MAX_DIMS] = {0};
    bool best = !strcmp(name, "max") || !strcmp(name, "min");
    int ndim = 0, mode = best ? (int)random_below(4) : 0; /* value, both, position, position only */
    for (int d = 0; d < in->ndim; d++)
        if (keepdim || !(mask >> d & 1)) size[ndim++] = mask >> d & 1 ? 1 : in->size[d];
    nomen__call *c = begin(name, compute, written(name, compute), best && mode < 3 ? 2 : 1);
    nomen_tensor *value = mode < 2 ? layout_new(out, ndim, size, allowed) : NULL, *at = NULL;
    if (mode) at = layout_new(NOMEN_I64, ndim, size, allowed);
    c->in[0] = in;
    c->nin = 1;
    c->mask = mask;
    c->out[0] = mode == 3 ? at : value;
    c->out[1] = mode == 3 ? NULL : at;
    if (mode == 3) c->writes = NOMEN_I64;
    nomen__step *launch = mode == 3 ? nomen__launch_positions : nomen__launch_reduce;
    assert_int_equal(launch(c), NOMEN_OK);
    check_reduced(name, in, mask, keepdim, value, at);
    nomen__release(value);
    nomen__release(at);
}

static const char *const reducers[] = {"sum", "prod",      "mean", "var", "max",
                                       "min", "logsumexp", "any",  "all"};

static bool exists(const char *name, nomen_dtype d) { return nomen__kernel_find(name, d) != NULL; }

static nomen_dtype real_dtype(void) { return (nomen_dtype)(NOMEN_BOOL + random_below(NOMEN_F64)); }

static void random_reductions(void **s) {
    (void)s;
    for (int round = 0; round < 4000; round++) {
        const char *name = reducers[round % COUNT(reducers)];
        nomen_dtype d = real_dtype(), compute = random_below(4) ? d : NOMEN_F64;
        if (!exists(name, compute)) compute = NOMEN_F32;
        bool extremum = name[0] == 'm' && name[1] != 'e', keepdim = random_below(2);
        int ndim = (int)random_below(6), allowed = round % 4 ? ANY_LAYOUT : ROW_MAJOR;
        int64_t size[6];
        for (int i = 0; i < ndim; i++) {
            size[i] = 1 + random_below(round % 10 ? 5 : 12);
            if (random_below(20) == 0 && !extremum) size[i] = 0;
        }
        uint64_t mask = random_bits() & (((uint64_t)1 << ndim) - 1);
        nomen_dtype writes = written(name, compute);
        nomen_dtype out = random_below(4) || writes == NOMEN_BOOL ? writes : NOMEN_F64;
        if (nomen_dtype_is_integral(compute) && !strcmp(name, "prod")) out = writes; /* it wraps */
        nomen_tensor *in = layout_small(d, ndim, size, allowed);
        if (!strcmp(name, "prod")) /* small products only */
            for (int64_t i = 0, index[NOMEN_MAX_DIMS] = {0}; i < in->numel;
                 i++, next_index(ndim, size, index))
                store_double(d, element(in, index), random_below(9) ? 1 : 2, 0);
        check_reduce(name, in, mask, compute, out, allowed, keepdim);
        nomen__release(in);
    }
}

/* Large enough to be cut into parts or shared out, in every direction. */
static void large_reductions(void **s) {
    (void)s;
    static const struct {
        int64_t size[3];
        uint64_t mask;
    } cases[] = {{{1, 1, 300007}, 7}, {{700, 600, 1}, 1},  {{700, 600, 1}, 2},  {{60, 70, 80}, 5},
                 {{60, 70, 80}, 2},   {{3, 200000, 1}, 2}, {{200000, 3, 1}, 1}, {{100000, 2, 2}, 2},
                 {{2, 400, 400}, 3},  {{90000, 8, 1}, 2},  {{30000, 3, 4}, 6},  {{2, 400, 400}, 6},
                 {{1, 1, 300007}, 0}};
    const int rounds = one_in() > 1 ? 1 : 6;
    for (int round = 0; round < rounds * COUNT(cases); round++) {
        const int64_t *size = cases[round % COUNT(cases)].size;
        const char *name = reducers[round % COUNT(reducers)];
        nomen_dtype d = !strcmp(name, "prod") ? NOMEN_BOOL : NOMEN_F32;
        int allowed = round % 3 ? ANY_LAYOUT : ROW_MAJOR;
        if (!strcmp(name, "var") && !cases[round % COUNT(cases)].mask) continue; /* of one: NaN */
        nomen_set_num_threads(thread_counts[round % 3]);
        nomen_tensor *in = layout_small(d, 3, size, allowed);
        check_reduce(name, in, cases[round % COUNT(cases)].mask, d, written(name, d), allowed,
                     round % 2);
        nomen__release(in);
    }
}

/* The bits of a sum do not depend on how many threads took part in it. */
static void threads_leave_no_trace(void **s) {
    (void)s;
    static const struct {
        int64_t size[2];
        uint64_t mask;
    } cases[] = {{{1, 1000003}, 3}, {{1500, 1000}, 1}, {{1500, 1000}, 2}, {{100000, 7}, 1},
                 {{7, 100000}, 2},  {{200000, 8}, 2},  {{9000, 512}, 1}};
    for (int k = 0; k < 2 * COUNT(cases); k++) {
        const char *name = k % 2 ? "logsumexp" : "sum";
        uint64_t mask = cases[k / 2].mask;
        int64_t size[2] = {0, 0}, first_size = cases[k / 2].size[0], bytes = 0;
        int ndim = 0;
        char *first = NULL;
        nomen_tensor *in = layout_new(NOMEN_F32, 2, cases[k / 2].size, ROW_MAJOR);
        for (int64_t i = 0; i < in->numel; i++)
            ((float *)(void *)in->data)[i] = (float)random_unit();
        if (!(mask & 1)) size[ndim++] = first_size;
        if (!(mask & 2)) size[ndim++] = cases[k / 2].size[1];
        for (int t = 0; t < 6; t++) {
            nomen_set_num_threads(thread_counts[t % 3]);
            nomen__call *c = begin(name, NOMEN_F32, NOMEN_F32, 1);
            c->in[0] = in;
            c->mask = mask;
            c->out[0] = layout_new(NOMEN_F32, ndim, size, ROW_MAJOR);
            assert_int_equal(nomen__launch_reduce(c), NOMEN_OK);
            bytes = c->out[0]->numel * 4;
            if (!first) {
                first = malloc((size_t)bytes);
                memcpy(first, c->out[0]->data, (size_t)bytes);
            }
            assert_memory_equal(first, c->out[0]->data, (size_t)bytes);
            nomen__release(c->out[0]);
        }
        free(first);
        nomen__release(in);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void check_softmax(nomen_tensor *in, int dim, nomen_dtype compute, nomen_tensor *out) {
    nomen__call *c = begin("softmax", compute, compute, 1);
    c->in[0] = in;
    c->dim = dim;
    c->out[0] = out;
    assert_int_equal(nomen__launch_rows(c), NOMEN_OK);
    int64_t index[NOMEN_MAX_DIMS], wrong = 0, n = in->ndim ? in->size[dim] : 1;
    nomen_dtype from = (nomen_dtype)in->dtype, to = (nomen_dtype)out->dtype;
    double *x = malloc(sizeof *x * (size_t)(n + 1));
    for (bool more = first_index(in, index); more; more = next_index(in->ndim, in->size, index)) {
        if (in->ndim && index[dim]) continue;
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            if (in->ndim) index[dim] = i;
            x[i] = exp((double)load_wide(from, element(in, index)).re);
            sum += x[i];
        }
        for (int64_t i = 0; i < n; i++) {
            if (in->ndim) index[dim] = i;
            double got = (double)load_wide(to, element(out, index)).re;
            wrong += !(fabs(got - x[i] / sum) <=
                       4 * (double)epsilon_of(compute) + 4 * (double)epsilon_of(to));
        }
        if (in->ndim) index[dim] = 0;
    }
    free(x);
    assert_int_equal(wrong, 0);
    assert_int_equal(damage(out), 0);
}

static void softmaxes(void **s) {
    (void)s;
    for (int round = 0; round < 600; round++) {
        int ndim = (int)random_below(5), allowed = round % 4 ? ANY_LAYOUT : ROW_MAJOR;
        int64_t size[5];
        for (int i = 0; i < ndim; i++) size[i] = random_below(15) == 0 ? 0 : 1 + random_below(9);
        nomen_dtype d = (nomen_dtype)(NOMEN_F16 + random_below(4));
        nomen_tensor *in = layout_small(random_below(3) ? d : NOMEN_I32, ndim, size, allowed);
        nomen_tensor *out = layout_new(random_below(4) ? d : NOMEN_F64, ndim, size, allowed);
        check_softmax(in, ndim ? (int)random_below(ndim) : 0, d, out);
        nomen__release(in);
        nomen__release(out);
    }
}

static void large_softmaxes(void **s) {
    (void)s;
    static const int64_t sizes[][3] = {{300, 2, 400}, {20000, 3, 2}, {1, 2, 100000}};
    for (int round = 0; round < 18; round++) {
        const int64_t *size = sizes[round % 3];
        nomen_set_num_threads(thread_counts[round / 3 % 3]);
        int allowed = round % 2 ? ROW_MAJOR : ANY_LAYOUT;
        nomen_tensor *in = layout_small(NOMEN_F32, 3, size, allowed);
        nomen_tensor *out = layout_new(NOMEN_F32, 3, size, allowed);
        check_softmax(in, (int)random_below(3), NOMEN_F32, out);
        nomen__release(in);
        nomen__release(out);
    }
}

/* ---- matrix products ------------------------------------------------------------------------- */

/* Sizes of the product, by the rule; both operands have at least one dim. */
static int product_size(const nomen_tensor *a, const nomen_tensor *b, int64_t *size) {
    int batch_a = a->ndim > 2 ? a->ndim - 2 : 0, batch_b = b->ndim > 2 ? b->ndim - 2 : 0;
    int batch = batch_a > batch_b ? batch_a : batch_b, n = batch;
    for (int d = 0; d < batch; d++) {
        int own_a = d - (batch - batch_a), own_b = d - (batch - batch_b);
        int64_t x = own_a < 0 ? 1 : a->size[own_a], y = own_b < 0 ? 1 : b->size[own_b];
        size[d] = x == 1 ? y : x;
    }
    if (a->ndim > 1) size[n++] = a->size[a->ndim - 2];
    if (b->ndim > 1) size[n++] = b->size[b->ndim - 1];
    return n;
}

static int64_t wrong_products(const nomen_tensor *a, const nomen_tensor *b,
                              const nomen_tensor *out) {
    int64_t index[NOMEN_MAX_DIMS], wrong = 0, k = a->size[a->ndim - 1];
    nomen_dtype da = (nomen_dtype)a->dtype, db = (nomen_dtype)b->dtype,
                to = (nomen_dtype)out->dtype;
    int rows = a->ndim > 1, cols = b->ndim > 1, batch = out->ndim - rows - cols;
    for (bool more = first_index(out, index); more;
         more = next_index(out->ndim, out->size, index)) {
        long double re = 0, im = 0;
        int64_t ia[NOMEN_MAX_DIMS], ib[NOMEN_MAX_DIMS];
        for (int d = 0; d < a->ndim - 2; d++)
            ia[d] = a->size[d] == 1 ? 0 : index[d + batch - (a->ndim - 2)];
        for (int d = 0; d < b->ndim - 2; d++)
            ib[d] = b->size[d] == 1 ? 0 : index[d + batch - (b->ndim - 2)];
        if (rows) ia[a->ndim - 2] = index[batch];
        if (cols) ib[b->ndim - 1] = index[batch + rows];
        for (int64_t i = 0; i < k; i++) {
            ia[a->ndim - 1] = i;
            ib[cols ? b->ndim - 2 : 0] = i;
            wide x = load_wide(da, element(a, ia)), y = load_wide(db, element(b, ib));
            re += x.re * y.re - x.im * y.im;
            im += x.re * y.im + x.im * y.re;
        }
        wide got = load_wide(to, element(out, index));
        wrong += got.re != re || got.im != im;
    }
    return wrong;
}

static void check_product(nomen_tensor *a, nomen_tensor *b, nomen_dtype compute, nomen_dtype to,
                          int allowed) {
    int64_t size[NOMEN_MAX_DIMS] = {0};
    int ndim = product_size(a, b, size);
    nomen__call *c = begin("matmul", compute, compute, 1);
    c->in[0] = a;
    c->in[1] = b;
    c->nin = 2;
    c->out[0] = layout_new(to, ndim, size, allowed);
    assert_int_equal(nomen__launch_matmul(c), NOMEN_OK);
    assert_int_equal(wrong_products(a, b, c->out[0]), 0);
    assert_int_equal(damage(c->out[0]), 0);
    nomen__release(c->out[0]);
}

static void random_products(void **s) {
    (void)s;
    static const nomen_dtype dtypes[] = {NOMEN_I32, NOMEN_I64, NOMEN_F16, NOMEN_F32,
                                         NOMEN_F64, NOMEN_C64, NOMEN_C128};
    for (int round = 0; round < 1500; round++) {
        int allowed = round % 4 ? ANY_LAYOUT : ROW_MAJOR;
        int an = 1 + (int)random_below(5), bn = 1 + (int)random_below(5), batch = 3;
        int64_t sa[5], sb[5], of_batch[3], k = random_below(round % 10 ? 8 : 40);
        for (int d = 0; d < batch; d++)
            of_batch[d] = random_below(12) == 0 ? 0 : 1 + random_below(3);
        for (int d = 0; d < an - 2; d++)
            sa[d] = random_below(3) ? of_batch[d + batch - (an - 2)] : 1;
        for (int d = 0; d < bn - 2; d++)
            sb[d] = random_below(3) ? of_batch[d + batch - (bn - 2)] : 1;
        if (an > 1) sa[an - 2] = random_below(round % 10 ? 8 : 40);
        sa[an - 1] = sb[bn > 1 ? bn - 2 : 0] = k;
        if (bn > 1) sb[bn - 1] = random_below(round % 10 ? 8 : 40);
        nomen_dtype d = dtypes[random_below(COUNT(dtypes))];
        nomen_tensor *a = layout_small(random_below(5) ? d : NOMEN_I8, an, sa, allowed);
        nomen_tensor *b = layout_small(random_below(5) ? d : NOMEN_U8, bn, sb, allowed);
        check_product(a, b, d, random_below(5) ? d : NOMEN_C128, allowed);
        nomen__release(a);
        nomen__release(b);
    }
}

static void large_products(void **s) {
    (void)s;
    static const struct {
        int an, bn;
        int64_t a[3], b[3];
    } cases[] = {{2, 2, {500, 30}, {30, 600}},    {2, 1, {3000, 200}, {200}},
                 {1, 2, {200}, {200, 3000}},      {3, 3, {90, 40, 20}, {90, 20, 50}},
                 {3, 2, {30, 20, 40}, {40, 60}},  {3, 2, {300, 1, 40}, {40, 60}},
                 {2, 3, {20, 40}, {30, 40, 60}},  {2, 2, {451, 1}, {1, 700}},
                 {3, 3, {70, 3, 2}, {1, 2, 900}}, {1, 1, {200003}, {200003}}};
    const int rounds = one_in() > 1 ? 1 : 3;
    for (int round = 0; round < rounds * COUNT(cases); round++) {
        int i = round % COUNT(cases), allowed = round / COUNT(cases) ? ANY_LAYOUT : ROW_MAJOR;
        nomen_set_num_threads(thread_counts[round % 3]);
        nomen_tensor *a = layout_small(NOMEN_F32, cases[i].an, cases[i].a, allowed);
        nomen_tensor *b = layout_small(NOMEN_F32, cases[i].bn, cases[i].b, allowed);
        check_product(a, b, NOMEN_F32, NOMEN_F32, allowed);
        nomen__release(a);
        nomen__release(b);
    }
}

/* Products are cut by the number of threads, but not so that it could be told from the bits. */
static void products_by_any_threads(void **s) {
    (void)s;
    static const int64_t sizes[][3] = {
        {267, 300, 201}, {530, 70, 1100}, {505, 500, 65}, {3000, 300, 1}, {200, 400, 512}};
    static const int threads[] = {1, 2, 3, 4, 7, 32};
    static const nomen_dtype dtypes[] = {NOMEN_F32, NOMEN_F64, NOMEN_F16, NOMEN_C64};
    for (int round = 0; round < COUNT(dtypes) * COUNT(sizes); round++) {
        const int64_t *n = sizes[round / COUNT(dtypes)], left[] = {n[0], n[1]},
                      right[] = {n[1], n[2]}, both[] = {n[0], n[2]};
        nomen_dtype d = dtypes[round % COUNT(dtypes)];
        size_t bytes = (size_t)(n[0] * n[2] * dtype_size[d]);
        nomen_tensor *a = layout_new(d, 2, left, PERMUTED), *b = layout_new(d, 2, right, PERMUTED);
        int64_t index[NOMEN_MAX_DIMS];
        for (bool more = first_index(a, index); more; more = next_index(2, left, index))
            store_double(d, element(a, index), random_unit(), random_unit());
        for (bool more = first_index(b, index); more; more = next_index(2, right, index))
            store_double(d, element(b, index), random_unit(), random_unit());
        char *first = malloc(bytes);
        for (int t = 0; t < COUNT(threads); t++) {
            nomen_set_num_threads(threads[t]);
            nomen__call *c = begin("matmul", d, d, 1);
            c->in[0] = a;
            c->in[1] = b;
            c->out[0] = layout_new(d, 2, both, ROW_MAJOR);
            assert_int_equal(nomen__launch_matmul(c), NOMEN_OK);
            if (t == 0) memcpy(first, c->out[0]->data, bytes);
            assert_memory_equal(first, c->out[0]->data, bytes);
            nomen__release(c->out[0]);
        }
        free(first);
        nomen__release(a);
        nomen__release(b);
    }
}

/* The result goes over an operand: a product into itself. */
static void product_over_operand(void **s) {
    (void)s;
    static const int64_t size[] = {20, 20};
    nomen_tensor *a = layout_small(NOMEN_F32, 2, size, ROW_MAJOR),
                 *b = layout_small(NOMEN_F32, 2, size, ROW_MAJOR);
    nomen_tensor *before = layout_new(NOMEN_F32, 2, size, ROW_MAJOR);
    memcpy(before->data, a->data, 1600);
    nomen__call *c = begin("matmul", NOMEN_F32, NOMEN_F32, 1);
    c->in[0] = a;
    c->in[1] = b;
    c->out[0] = a;
    assert_int_equal(nomen__launch_matmul(c), NOMEN_OK);
    assert_int_equal(wrong_products(before, b, a), 0);
    nomen__release(a);
    nomen__release(b);
    nomen__release(before);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void elementwise(void **s) {
    (void)s;
    static const int64_t size[] = {4, 6}, row[] = {6};
    nomen_tensor *a = layout_small(NOMEN_F32, 2, size, ANY_LAYOUT);
    nomen_tensor *b = layout_small(NOMEN_F32, 1, row, ANY_LAYOUT);
    nomen_tensor *less = layout_new(NOMEN_BOOL, 2, size, ROW_MAJOR),
                 *pick = layout_new(NOMEN_F32, 2, size, ANY_LAYOUT);
    nomen__call *c = begin("lt", NOMEN_F32, NOMEN_BOOL, 1);
    c->in[0] = a, c->in[1] = b, c->nin = 2, c->out[0] = less;
    assert_int_equal(nomen__launch_elementwise(c), NOMEN_OK);
    c = begin("where", NOMEN_F32, NOMEN_F32, 1);
    c->in[0] = less, c->in[1] = a, c->in[2] = b, c->nin = 3, c->out[0] = pick;
    assert_int_equal(nomen__launch_elementwise(c), NOMEN_OK);
    int64_t index[NOMEN_MAX_DIMS], wrong = 0;
    for (bool more = first_index(a, index); more; more = next_index(2, size, index)) {
        float x = *(float *)element(a, index), y = *(float *)element(b, index + 1);
        wrong += *(uint8_t *)element(less, index) != (x < y);
        wrong += *(float *)element(pick, index) != (x < y ? x : y);
    }
    assert_int_equal(wrong, 0);
    nomen__release(a);
    nomen__release(b);
    nomen__release(less);
    nomen__release(pick);
}

static void zeros_and_ones(void **s) {
    (void)s;
    for (int round = 0; round < 100; round++) {
        int64_t size[] = {random_below(5), 1 + random_below(4), round % 20 ? 3 : 20000};
        nomen_dtype d = (nomen_dtype)(NOMEN_BOOL + round % NOMEN_C128);
        nomen_tensor *t = layout_new(d, 3, size, round % 2 ? ANY_LAYOUT : ROW_MAJOR);
        nomen__call *c = begin("copy", d, d, 1);
        c->out[0] = t;
        for (int value = 0; value < 2; value++) {
            int64_t index[NOMEN_MAX_DIMS], wrong = 0;
            assert_int_equal(value ? nomen__launch_one(c) : nomen__launch_zero(c), NOMEN_OK);
            assert_int_equal(nomen__launch_nothing(c), NOMEN_OK);
            for (bool more = first_index(t, index); more; more = next_index(3, size, index)) {
                wide got = load_wide(d, element(t, index));
                wrong += got.re != value || got.im != 0;
            }
            assert_int_equal(wrong, 0);
        }
        assert_int_equal(damage(t), 0);
        nomen__release(t);
    }
}

#ifdef NOMEN_FAULTS
/* Every allocation of a launch fails in turn: an error comes back and the output is as it was. */
static void no_memory(void **s) {
    (void)s;
    static const int64_t big[] = {600, 700}, matrix[] = {700, 600}, one[] = {1, 700},
                         square[] = {600, 600};
    enum { LAUNCHES = 3 };
    nomen__step *const launch[LAUNCHES] = {nomen__launch_reduce, nomen__launch_rows,
                                           nomen__launch_matmul};
    const char *const kernel[LAUNCHES] = {"sum", "softmax", "matmul"};
    const int64_t *const out_size[LAUNCHES] = {one, big, square};
    for (int i = 0; i < LAUNCHES; i++) {
        nomen_tensor *a = layout_small(NOMEN_I32, 2, big, ROW_MAJOR),
                     *b = layout_small(NOMEN_I16, 2, matrix, ROW_MAJOR);
        nomen_tensor *out = layout_new(NOMEN_F64, 2, out_size[i], ROW_MAJOR);
        nomen_status status = NOMEN_ERROR_MEMORY;
        int failures = 0;
        for (int64_t nth = 0; status == NOMEN_ERROR_MEMORY; nth++) {
            nomen__call *c = begin(kernel[i], NOMEN_F32, NOMEN_F32, 1);
            c->in[0] = a, c->in[1] = b, c->nin = 2, c->out[0] = out, c->mask = 1, c->dim = 1;
            nomen__fail_allocation(nth);
            status = launch[i](c);
            nomen__fail_allocation(-1);
            failures += status != NOMEN_OK;
            if (status == NOMEN_OK) break;
            assert_int_equal(status, NOMEN_ERROR_MEMORY);
            for (size_t k = 0; k < out->storage->bytes; k++)
                assert_int_equal((uint8_t)out->storage->data[k], GUARD_BYTE);
            nomen_clear_error();
        }
        assert_int_equal(status, NOMEN_OK);
        assert_true(failures >= 2);
        nomen__release(a);
        nomen__release(b);
        nomen__release(out);
    }
}

/* Scratch that only saves time is done without: the same bits. */
static void no_scratch(void **s) {
    (void)s;
    static const int64_t size[] = {3, 9000};
    nomen_tensor *a = layout_small(NOMEN_F16, 2, size, ROW_MAJOR),
                 *out[2] = {layout_new(NOMEN_F16, 2, size, ROW_MAJOR),
                            layout_new(NOMEN_F16, 2, size, ROW_MAJOR)};
    for (int without = 0; without < 2; without++) {
        nomen__call *c = begin("softmax", NOMEN_F16, NOMEN_F16, 1);
        c->in[0] = a, c->nin = 1, c->out[0] = out[without], c->mask = 1, c->dim = 1;
        assert_true(c->kernel->rows_scratch.least < size[1]);
        nomen__fail_allocation(without ? 0 : -1);
        assert_int_equal(nomen__launch_rows(c), NOMEN_OK);
        nomen__fail_allocation(-1);
        assert_int_equal(nomen__error_code(), NOMEN_OK);
    }
    assert_memory_equal(out[0]->storage->data, out[1]->storage->data, out[0]->storage->bytes);
    nomen__release(a);
    nomen__release(out[0]);
    nomen__release(out[1]);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_reductions),
        cmocka_unit_test(large_reductions),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(softmaxes),
        cmocka_unit_test(large_softmaxes),
        cmocka_unit_test(random_products),
        cmocka_unit_test(large_products),
        cmocka_unit_test(products_by_any_threads),
        cmocka_unit_test(product_over_operand),
        cmocka_unit_test(elementwise),
        cmocka_unit_test(zeros_and_ones),
#ifdef NOMEN_FAULTS
        cmocka_unit_test(no_memory),
        cmocka_unit_test(no_scratch),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
