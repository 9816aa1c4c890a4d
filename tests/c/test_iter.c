/* The iterator, copies and fills against a loop over indices: every layout, broadcasting, casts,
 * sizes up to several chunks; and the index of kernels. */
#include "layouts.h"

#include <pthread.h>

static const nomen_dtype all_dtypes[] = {NOMEN_BOOL, NOMEN_U8,  NOMEN_I8,  NOMEN_I16,
                                         NOMEN_I32,  NOMEN_I64, NOMEN_F16, NOMEN_BF16,
                                         NOMEN_F32,  NOMEN_F64, NOMEN_C64, NOMEN_C128};

static nomen_dtype random_dtype(void) { return all_dtypes[random_below(COUNT(all_dtypes))]; }

static nomen__loop *loop_of(const char *name, nomen_dtype d) {
    const nomen__kernel *k = nomen__kernel_find(name, d);
    assert_non_null(k);
    assert_non_null(k->loop);
    return k->loop;
}

/* What storing x in dtype d and reading it back gives, for the small numbers of these tests. */
static wide stored(nomen_dtype d, wide x) {
    char room[16];
    double re = (double)x.re;
    if (d == NOMEN_BOOL) re = x.re != 0 || x.im != 0;
    if (d == NOMEN_U8) re = (double)(uint8_t)(int64_t)x.re;
    store_double(d, room, re, (double)x.im);
    wide w = load_wide(d, room);
    return w;
}

static bool same(wide a, wide b) { return a.re == b.re && a.im == b.im; }

/* out = a + b computed in dtype `compute`, whatever the dtypes of the three. */
static void check_add(nomen_tensor *out, nomen_tensor *a, nomen_tensor *b, nomen_dtype compute) {
    nomen_tensor *in[] = {a, b};
    nomen__iter it;
    nomen__iter_make(&it, loop_of("add", compute), out, in, 2, out->ndim, out->size, compute,
                     compute);
    nomen__iter_run(&it);
    int64_t index[NOMEN_MAX_DIMS], wrong = 0;
    for (bool more = first_index(out, index); more;
         more = next_index(out->ndim, out->size, index)) {
        wide x = load_wide((nomen_dtype)a->dtype, element_broadcast(a, out->ndim, index));
        wide y = load_wide((nomen_dtype)b->dtype, element_broadcast(b, out->ndim, index));
        x = stored(compute, x);
        y = stored(compute, y);
        wide sum = stored(compute, (wide){x.re + y.re, x.im + y.im, 0});
        sum = stored((nomen_dtype)out->dtype, sum);
        wrong += !same(sum, load_wide((nomen_dtype)out->dtype, element(out, index)));
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(damage(out), 0);
}

/* An operand for a result of these sizes: fewer dims, dims of size 1. */
static nomen_tensor *operand(nomen_dtype d, int ndim, const int64_t *size, int allowed) {
    int64_t own[NOMEN_MAX_DIMS];
    int drop = ndim && random_below(3) == 0 ? (int)random_below(ndim + 1) : 0;
    for (int i = drop; i < ndim; i++) own[i - drop] = random_below(4) == 0 ? 1 : size[i];
    return layout_small(d, ndim - drop, own, allowed);
}

static void random_adds(void **s) {
    (void)s;
    for (int round = 0; round < 1500; round++) {
        int ndim = (int)random_below(6), allowed = round % 4 ? ANY_LAYOUT : ROW_MAJOR;
        int64_t size[6];
        for (int i = 0; i < ndim; i++) size[i] = random_below(12) == 0 ? 0 : 1 + random_below(7);
        nomen_dtype compute = random_dtype();
        bool casts = random_below(2);
        nomen_tensor *out = layout_new(casts ? random_dtype() : compute, ndim, size, allowed);
        nomen_tensor *a = operand(casts ? random_dtype() : compute, ndim, size, allowed);
        nomen_tensor *b = operand(casts ? random_dtype() : compute, ndim, size, allowed);
        check_add(out, a, b, compute);
        nomen__release(out);
        nomen__release(a);
        nomen__release(b);
    }
}

/* Long enough for several chunks, whose borders fall into the middle of rows and tiles. */
static void large_adds(void **s) {
    (void)s;
    static const int64_t sizes[][3] = {{1, 1, 100003}, {331, 1, 337}, {3, 40000, 1},
                                       {41, 43, 47},   {2, 300, 301}, {65537, 2, 1}};
    for (int round = 0; round < 36; round++) {
        const int64_t *size = sizes[round % 6];
        int allowed = round < 6 ? ROW_MAJOR : round < 18 ? PERMUTED : ANY_LAYOUT;
        nomen_dtype d = round % 5 == 4 ? NOMEN_F64 : NOMEN_F32;
        nomen_set_num_threads(thread_counts[round % 3]);
        nomen_tensor *out = layout_new(d, 3, size, allowed);
        nomen_tensor *a = layout_small(round % 4 == 3 ? NOMEN_I16 : d, 3, size, allowed);
        nomen_tensor *b = operand(d, 3, size, allowed);
        check_add(out, a, b, d);
        nomen__release(out);
        nomen__release(a);
        nomen__release(b);
    }
}

/* Rows of the output with holes between them, short and not so short, as dims 0 and 1 or turned. */
static void rows_apart(void **s) {
    (void)s;
    static const nomen_dtype dtypes[] = {NOMEN_U8, NOMEN_BF16, NOMEN_F32, NOMEN_F64, NOMEN_C128};
    for (int64_t width = 1; width < 40; width++)
        for (int k = 0; k < (int)COUNT(dtypes); k++) {
            const nomen_dtype d = dtypes[k], other = width % 3 ? d : NOMEN_I16;
            const int64_t rows = width % 4 ? 31 : 700, size[] = {2, rows, width};
            const int64_t room[] = {2, rows, width + 1 + width % 3};
            nomen_tensor *out = layout_new(width % 7 ? d : NOMEN_F64, 3, room, ROW_MAJOR);
            out->size[2] = width;
            nomen__tensor_finish(out);
            nomen_tensor *a = layout_small(d, 3, size, width % 5 ? ROW_MAJOR : PERMUTED);
            nomen_tensor *b = operand(other, 3, size, width % 2 ? ROW_MAJOR : ANY_LAYOUT);
            nomen_set_num_threads(thread_counts[width % 3]);
            check_add(out, a, b, d);
            nomen__release(out);
            nomen__release(a);
            nomen__release(b);
        }
}

static void in_place(void **s) {
    (void)s;
    static const int64_t size[] = {7, 300, 40};
    for (int round = 0; round < 8; round++) {
        /* float16 computed in float64: the same memory goes in and out through buffers. */
        nomen_dtype d = round % 2 ? NOMEN_F16 : NOMEN_F32,
                    compute = round % 2 ? NOMEN_F64 : NOMEN_F32;
        nomen_tensor *x = layout_small(d, 3, size, ANY_LAYOUT);
        nomen_tensor *y = layout_small(d, 3, size, ANY_LAYOUT);
        nomen_tensor *in[] = {x, y}, *before = layout_new(d, 3, size, ROW_MAJOR);
        int64_t index[NOMEN_MAX_DIMS], wrong = 0;
        for (bool more = first_index(x, index); more; more = next_index(3, size, index))
            memcpy(element(before, index), element(x, index), (size_t)dtype_size[d]);
        nomen__iter it;
        nomen__iter_make(&it, loop_of("sub", compute), x, in, 2, 3, size, compute, compute);
        nomen__iter_run(&it);
        for (bool more = first_index(x, index); more; more = next_index(3, size, index))
            wrong += load_wide(d, element(x, index)).re !=
                     load_wide(d, element(before, index)).re - load_wide(d, element(y, index)).re;
        assert_int_equal(wrong, 0);
        nomen__release(x);
        nomen__release(y);
        nomen__release(before);
    }
}

/* The dims of where's operands differ, and so do their dtypes. */
static void mixed_dtypes(void **s) {
    (void)s;
    static const int64_t size[] = {5, 70, 9};
    for (int round = 0; round < 60; round++) {
        nomen_dtype d = random_dtype();
        nomen_tensor *mask = operand(round % 3 ? NOMEN_BOOL : NOMEN_U8, 3, size, ANY_LAYOUT);
        nomen_tensor *x = operand(d, 3, size, ANY_LAYOUT),
                     *y = operand(NOMEN_I8, 3, size, ANY_LAYOUT);
        nomen_tensor *out = layout_new(d, 3, size, ANY_LAYOUT), *in[] = {mask, x, y};
        const nomen_dtype dtypes[] = {d, NOMEN_BOOL, d, d};
        nomen__iter it;
        nomen__iter_make_mixed(&it, loop_of("where", d), out, in, 3, 3, size, dtypes);
        nomen__iter_run(&it);
        int64_t index[NOMEN_MAX_DIMS], wrong = 0;
        for (bool more = first_index(out, index); more; more = next_index(3, size, index)) {
            bool pick = *element_broadcast(mask, 3, index) != 0;
            nomen_tensor *from = pick ? x : y;
            wide want = load_wide((nomen_dtype)from->dtype, element_broadcast(from, 3, index));
            wrong += !same(stored(d, want), load_wide(d, element(out, index)));
        }
        assert_int_equal(wrong, 0);
        assert_int_equal(damage(out), 0);
        nomen__release(mask);
        nomen__release(x);
        nomen__release(y);
        nomen__release(out);
    }
}

static void check_copy(nomen_tensor *out, nomen_tensor *in) {
    nomen_dtype from = (nomen_dtype)in->dtype, to = (nomen_dtype)out->dtype;
    int64_t index[NOMEN_MAX_DIMS], wrong = 0;
    assert_int_equal(nomen__copy_values(out, in), NOMEN_OK);
    for (bool more = first_index(out, index); more;
         more = next_index(out->ndim, out->size, index)) {
        wide want = load_wide(from, element_broadcast(in, out->ndim, index));
        wrong += !same(stored(to, want), load_wide(to, element(out, index)));
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(damage(out), 0);
}

static void copies(void **s) {
    (void)s;
    for (int round = 0; round < 1200; round++) {
        int ndim = (int)random_below(5), allowed = round % 4 ? ANY_LAYOUT : ROW_MAJOR;
        int64_t size[5];
        for (int i = 0; i < ndim; i++)
            size[i] = random_below(15) == 0 ? 0 : 1 + random_below(round % 40 ? 9 : 50);
        nomen_dtype from = random_dtype(), to = random_below(2) ? from : random_dtype();
        nomen_tensor *out = layout_new(to, ndim, size, allowed);
        nomen_tensor *in = operand(from, ndim, size, allowed);
        check_copy(out, in);
        nomen__release(out);
        nomen__release(in);
    }
}

static void transposes(void **s) {
    (void)s;
    static const int64_t sizes[][3] = {
        {1, 64, 64}, {1, 300, 450}, {5, 33, 100}, {3, 17, 1000}, {1, 4, 90000}};
    for (int round = 0; round < 60; round++) {
        const int64_t *size = sizes[round % 5];
        nomen_dtype d = all_dtypes[round % COUNT(all_dtypes)];
        nomen_set_num_threads(thread_counts[round % 3]);
        nomen_tensor *out = layout_new(d, 3, size, ROW_MAJOR);
        nomen_tensor *in = layout_small(round % 7 ? d : NOMEN_U8, 3, size, PERMUTED);
        check_copy(out, in);
        nomen__release(out);
        nomen__release(in);
    }
}

static void many_dims(void **s) {
    (void)s;
    int64_t size[NOMEN_MAX_DIMS];
    for (int i = 0; i < NOMEN_MAX_DIMS; i++) size[i] = i % 8 == 3 ? 2 : 1;
    for (int round = 0; round < 20; round++) {
        nomen_tensor *out = layout_new(NOMEN_F32, NOMEN_MAX_DIMS, size, PERMUTED | BACKWARD);
        nomen_tensor *in = layout_small(NOMEN_F32, NOMEN_MAX_DIMS, size, PERMUTED | BACKWARD);
        check_copy(out, in);
        nomen__release(out);
        nomen__release(in);
    }
}

static void same_tensor(void **s) {
    (void)s;
    static const int64_t size[] = {3, 50};
    nomen_tensor *x = layout_small(NOMEN_I64, 2, size, ROW_MAJOR);
    uint64_t sum = 0, after = 0;
    int64_t index[NOMEN_MAX_DIMS];
    for (bool more = first_index(x, index); more; more = next_index(2, size, index))
        sum = sum * 3 + *(uint64_t *)element(x, index);
    assert_int_equal(nomen__copy_values(x, x), NOMEN_OK);
    for (bool more = first_index(x, index); more; more = next_index(2, size, index))
        after = after * 3 + *(uint64_t *)element(x, index);
    assert_true(sum == after);
    nomen__release(x);
}

static void fills(void **s) {
    (void)s;
    static const struct {
        nomen_number number;
        double re, im;
    } cases[] = {{{NOMEN_NUMBER_INT, 3, 0, 0}, 3, 0},
                 {{NOMEN_NUMBER_BOOL, 1, 0, 0}, 1, 0},
                 {{NOMEN_NUMBER_FLOAT, 0, 2.5, 0}, 2.5, 0},
                 {{NOMEN_NUMBER_COMPLEX, 0, 1.5, -2}, 1.5, -2}};
    for (int round = 0; round < 200; round++) {
        int ndim = (int)random_below(4);
        int64_t size[] = {random_below(6), 1 + random_below(5), round % 50 ? 3 : 30000};
        nomen_dtype d = all_dtypes[round % COUNT(all_dtypes)];
        int which = (int)random_below(COUNT(cases));
        nomen_tensor *t = layout_new(d, ndim, size, ANY_LAYOUT);
        nomen__fill_values(t, &cases[which].number);
        char want[16];
        /* To bool: not zero. To integers: towards zero, as store_double does. */
        store_double(d, want, d == NOMEN_BOOL ? 1 : cases[which].re, cases[which].im);
        int64_t index[NOMEN_MAX_DIMS], wrong = 0;
        for (bool more = first_index(t, index); more; more = next_index(ndim, size, index))
            wrong += memcmp(want, element(t, index), (size_t)dtype_size[d]) != 0;
        assert_int_equal(wrong, 0);
        assert_int_equal(damage(t), 0);
        nomen__release(t);
    }
}

/* ---- the registry ---------------------------------------------------------------------------- */

static void *looks_up(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)nomen__kernel_find("add", NOMEN_F32);
}

static void kernels_are_found(void **s) {
    (void)s;
    pthread_t threads[4];
    void *found[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, looks_up, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], &found[i]);
    const nomen__kernel *add = nomen__kernel_find("add", NOMEN_F32);
    assert_non_null(add);
    for (int i = 0; i < 4; i++) assert_ptr_equal(found[i], add);
    assert_null(nomen__kernel_find("no such kernel", NOMEN_F32));
    assert_null(nomen__kernel_find("exp", NOMEN_BOOL));
    assert_null(nomen__kernel_find("cast", NOMEN_F32));
    assert_null(nomen__kernel_find(NULL, NOMEN_F32));
    for (int f = 0; f < COUNT(all_dtypes); f++)
        for (int t = 0; t < COUNT(all_dtypes); t++)
            assert_true((nomen__cast_loop(all_dtypes[f], all_dtypes[t]) == NULL) == (f == t));
}

/* Whatever a table of the chosen ISA holds is what the index gives. */
static void best_kernels_win(void **s) {
    (void)s;
    /* Products of bfloat16 have no tables of their own: those of AVX-512 ask for them. */
    const char *isa = nomen__isa_name(nomen__cpu_pairs() ? NOMEN__AVX512 : nomen__cpu_isa());
    int rows = 0, wrong = 0;
    for (int i = 0; i < ISAS; i++) {
        if (strcmp(all_isas[i].name, isa)) continue;
        for (int t = 0; t < TABLES; t++)
            for (const nomen__kernel *k = all_isas[i].table[t]; k->name; k++)
                if (!k->to) { /* casts have a table of their own */
                    wrong += nomen__kernel_find(k->name, k->dtype) != k;
                    rows++;
                }
    }
    assert_true(rows > 0);
    assert_int_equal(wrong, 0);
}

static void ops_remember(void **s) {
    (void)s;
    const nomen__op op = {.name = "add", .kernel = "add", .id = 500},
                    far = {.name = "add", .kernel = "add", .id = 60000};
    const nomen__kernel *add = nomen__kernel_find("add", NOMEN_I32);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(nomen__op_kernel(&op, op.kernel, NOMEN_I32), add);
        assert_ptr_equal(nomen__op_kernel(&far, far.kernel, NOMEN_I32), add);
        assert_ptr_equal(nomen__op_kernel(&op, "sub", NOMEN_I32),
                         nomen__kernel_find("sub", NOMEN_I32));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_found),
        cmocka_unit_test(best_kernels_win),
        cmocka_unit_test(ops_remember),
        cmocka_unit_test(random_adds),
        cmocka_unit_test(large_adds),
        cmocka_unit_test(in_place),
        cmocka_unit_test(rows_apart),
        cmocka_unit_test(mixed_dtypes),
        cmocka_unit_test(copies),
        cmocka_unit_test(transposes),
        cmocka_unit_test(many_dims),
        cmocka_unit_test(same_tensor),
        cmocka_unit_test(fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
