/* Memory: statistics that return to zero, caches, limits, and every allocation failing in turn. */
#include "core/state.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MIB = 1 << 20 };

static int start(void **s) {
    (void)s;
    nomen_clear_error();
    nomen_empty_cache();
    return 0;
}

/* Nothing may be left of any test, and nothing cached once the caches are emptied. */
static int finish(void **s) {
    (void)s;
    nomen_set_memory_limit(0);
    nomen_set_cache_limit((size_t)1 << 30);
    nomen_thread_end();
    nomen_empty_cache();
    nomen_memory_stats m = nomen_get_memory_stats();
    if (!m.bytes_live && !m.bytes_cached && !m.buffers_live && !m.tensors_live && !m.metadata_live)
        return 0;
    fprintf(stderr, "left: %lld bytes, %lld cached, %lld buffers, %lld tensors, %lld of metadata\n",
            (long long)m.bytes_live, (long long)m.bytes_cached, (long long)m.buffers_live,
            (long long)m.tensors_live, (long long)m.metadata_live);
    return -1;
}

static size_t sizes_to_try[] = {0,    1,     63,    64,      65,      511,     512,    513,
                                1023, 1024,  1025,  2047,    2049,    4095,    4096,   4097,
                                5000, 65536, 65537, MIB - 1, MIB + 1, 4 * MIB, 5 * MIB};

static void buffers_of_all_sizes(void **s) {
    (void)s;
    for (size_t i = 0; i < NOMEN_COUNT(sizes_to_try); i++) {
        size_t bytes = sizes_to_try[i], capacity = 0;
        char *p = nomen__buffer_new(bytes, &capacity);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_true(capacity >= bytes);
        if (bytes > 512) assert_true((double)capacity <= 1.125 * (double)bytes + 63);
        memset(p, 0xa5, bytes);
        nomen__buffer_free(p, capacity);
        if (NOMEN__CACHING) { /* the same block comes back */
            size_t again;
            char *q = nomen__buffer_new(bytes, &again);
            assert_ptr_equal(q, p);
            assert_int_equal(again, capacity);
            nomen__buffer_free(q, again);
        }
    }
    nomen__buffer_free(NULL, 0);
}

static void blocks_do_not_overlap(void **s) {
    (void)s;
    enum { COUNT = 3000 };
    static struct {
        unsigned char *p;
        size_t bytes, capacity;
    } b[COUNT];
    uint32_t seed = 1;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < COUNT; i++) {
            if (b[i].p && (seed >> 20 & 1)) {
                for (size_t k = 0; k < b[i].bytes; k += 61) assert_int_equal(b[i].p[k], i & 255);
                nomen__buffer_free(b[i].p, b[i].capacity);
                b[i].p = NULL;
            }
            seed = seed * 1664525 + 1013904223;
            if (b[i].p) continue;
            b[i].bytes = seed % 50 ? seed >> 8 & 4095 : (seed >> 8) % 100000;
            b[i].p = nomen__buffer_new(b[i].bytes, &b[i].capacity);
            assert_non_null(b[i].p);
            memset(b[i].p, i & 255, b[i].bytes);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < b[i].bytes; k += 61) assert_int_equal(b[i].p[k], i & 255);
        nomen__buffer_free(b[i].p, b[i].capacity);
        b[i].p = NULL;
    }
}

static void metadata_of_all_sizes(void **s) {
    (void)s;
    char *p[700];
    for (size_t n = 0; n < NOMEN_COUNT(p); n++) {
        p[n] = nomen__alloc(n);
        assert_non_null(p[n]);
        assert_int_equal((uintptr_t)p[n] % 16, 0);
        memset(p[n], (int)(n & 255), n);
    }
    for (size_t n = 0; n < NOMEN_COUNT(p); n++) {
        for (size_t k = 0; k < n; k++) assert_int_equal((unsigned char)p[n][k], n & 255);
        nomen__free(p[n], n);
    }
    unsigned char *zero = nomen__calloc(10, 10);
    for (int i = 0; i < 100; i++) assert_int_equal(zero[i], 0);
    nomen__free(zero, 100);
    nomen__free(NULL, 5);
    assert_null(nomen__calloc(SIZE_MAX / 2, 3));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
}

static void impossible_sizes(void **s) {
    (void)s;
    size_t capacity;
    assert_null(nomen__buffer_new(SIZE_MAX, &capacity));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    assert_null(nomen__alloc(SIZE_MAX - 5));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    int64_t huge[] = {(int64_t)1 << 32, (int64_t)1 << 31}, negative[] = {3, -1};
    assert_null(nomen__tensor_empty(NOMEN_F64, 2, huge));
    assert_string_equal(nomen_last_error()->message,
                        "a tensor of sizes [4294967296, 2147483648] with 8-byte elements is too "
                        "large for this machine's address space");
    assert_null(nomen__tensor_empty(NOMEN_F64, 2, negative));
    assert_string_equal(nomen_last_error()->message,
                        "size -1 of dim 1 is negative: sizes must be 0 or more");
}

static void large_buffers_are_cached_and_bounded(void **s) {
    (void)s;
    if (!NOMEN__CACHING) skip();
    size_t capacity, small;
    nomen_set_cache_limit(20 * MIB);
    void *p[4];
    for (int i = 0; i < 4; i++) p[i] = nomen__buffer_new(8 * MIB, &capacity);
    for (int i = 0; i < 4; i++) nomen__buffer_free(p[i], capacity);
    assert_int_equal(nomen_get_memory_stats().bytes_cached, 16 * MIB);
    int64_t misses = nomen_get_memory_stats().misses;
    void *again = nomen__buffer_new(8 * MIB, &capacity);
    assert_int_equal(nomen_get_memory_stats().misses, misses);
    nomen__buffer_free(again, capacity);
    /* Another size comes in: the one unused for longer makes room. */
    for (int i = 0; i < 3; i++) p[i] = nomen__buffer_new(6 * MIB, &small);
    for (int i = 0; i < 3; i++) nomen__buffer_free(p[i], small);
    assert_int_equal(nomen_get_memory_stats().bytes_cached, 18 * MIB);
    nomen_set_cache_limit(7 * MIB);
    assert_int_equal(nomen_get_memory_stats().bytes_cached, 6 * MIB);
    nomen_set_cache_limit(0);
    assert_int_equal(nomen_get_memory_stats().bytes_cached, 0);
    void *q = nomen__buffer_new(6 * MIB, &small);
    nomen__buffer_free(q, small);
    assert_int_equal(nomen_get_memory_stats().bytes_cached, 0);
}

static void statistics(void **s) {
    (void)s;
    nomen_memory_stats before = nomen_get_memory_stats();
    int64_t size[] = {1000, 1000}, tiny[] = {2};
    nomen_tensor *big = nomen__tensor_empty(NOMEN_F32, 2, size),
                 *small = nomen__tensor_empty(NOMEN_U8, 1, tiny);
    nomen_tensor *view = nomen__tensor_alias(big);
    nomen_memory_stats now = nomen_get_memory_stats();
    assert_int_equal(now.tensors_live, before.tensors_live + 3);
    assert_int_equal(now.buffers_live, before.buffers_live + 2);
    assert_int_equal(now.allocations, before.allocations + 2);
    assert_true(now.bytes_live >= before.bytes_live + 4000000);
    assert_true(now.bytes_peak >= now.bytes_live);
    assert_true(now.metadata_live >= before.metadata_live + 3 * (int64_t)sizeof(nomen_tensor));
    nomen__release(big);
    assert_int_equal(nomen_get_memory_stats().buffers_live, before.buffers_live + 2);
    nomen__release(view);
    nomen__release(small);
    nomen_memory_stats after = nomen_get_memory_stats();
    assert_int_equal(after.bytes_live, before.bytes_live);
    assert_int_equal(after.tensors_live, before.tensors_live);
    assert_int_equal(after.metadata_live, before.metadata_live);
    assert_int_equal(after.bytes_peak, now.bytes_peak);
}

static void memory_limit(void **s) {
    (void)s;
    size_t capacity = 0;
    nomen_set_memory_limit(10 * MIB);
    void *p = nomen__buffer_new(8 * MIB, &capacity);
    assert_non_null(p);
    int64_t peak = nomen_get_memory_stats().bytes_peak;
    size_t refused = 0;
    assert_null(nomen__buffer_new(4 * MIB, &refused));
    const nomen_error *e = nomen_last_error();
    assert_int_equal(e->code, NOMEN_ERROR_MEMORY);
    assert_non_null(strstr(e->message, "nomen_set_memory_limit"));
    assert_int_equal(nomen_get_memory_stats().bytes_live, (int64_t)capacity);
    assert_int_equal(nomen_get_memory_stats().bytes_peak, peak);
    /* Small ones are counted to the byte too. */
    void *block[2 * MIB / 1024 + 1];
    size_t each = 0, n = 0;
    while (n < NOMEN_COUNT(block) && (block[n] = nomen__buffer_new(1024, &each))) n++;
    assert_int_equal(n, 2 * MIB / 1024);
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    for (size_t i = 0; i < n; i++) nomen__buffer_free(block[i], 1024);
    nomen__buffer_free(p, capacity);
    p = nomen__buffer_new(9 * MIB, &capacity);
    assert_non_null(p);
    nomen__buffer_free(p, capacity);
}

/* Many threads free what another has made, and the sums still come out even. */
enum { CROSS = 2000 };
static nomen_tensor *crossing[CROSS];

static void *frees_all(void *unused) {
    (void)unused;
    for (int i = 0; i < CROSS; i++) nomen__release(crossing[i]);
    return NULL;
}

static void freed_elsewhere(void **s) {
    (void)s;
    for (int i = 0; i < CROSS; i++) {
        int64_t size[] = {i % 700};
        crossing[i] = nomen__tensor_empty(NOMEN_F64, 1, size);
        assert_non_null(crossing[i]);
    }
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, frees_all, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(nomen_get_memory_stats().tensors_live, 0);
    assert_int_equal(nomen_get_memory_stats().bytes_live, 0);
}

static void *makes_and_frees(void *unused) {
    (void)unused;
    nomen_tensor *t[50] = {NULL};
    for (int i = 0; i < 5000; i++) {
        int64_t size[] = {(i * 37) % 3000};
        nomen__release(t[i % 50]);
        t[i % 50] = nomen__tensor_empty(NOMEN_F32, 1, size);
    }
    for (int i = 0; i < 50; i++) nomen__release(t[i]);
    return NULL;
}

static void threads_share_the_depot(void **s) {
    (void)s;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, makes_and_frees, NULL), 0);
    for (int i = 0; i < 30; i++) {
        nomen_empty_cache();
        nomen_get_memory_stats();
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(nomen_get_memory_stats().bytes_live, 0);
}

static void too_late_for_an_allocator(void **s) {
    (void)s;
    nomen__free(nomen__alloc(16), 16);
    assert_int_equal(nomen_set_allocator(NULL), NOMEN_ERROR_STATE);
}

#ifdef NOMEN_FAULTS
/* Something of everything that allocates in this room. */
static bool creation(void) {
    int64_t size[9] = {1, 2, 1, 2, 1, 2, 1, 2, 1}, big[] = {100, 100};
    static int runs;
    float data[2] = {1, 2};
    char name[32];
    snprintf(name, sizeof name, "fault_%d", runs++);
    nomen_scope_mark mark = nomen_scope_open();
    nomen_tensor *a = nomen__scoped(nomen__tensor_empty(NOMEN_F32, 9, size));
    nomen_tensor *b = a ? nomen__scoped(nomen__tensor_empty(NOMEN_F64, 2, big)) : NULL;
    nomen_tensor *c = b ? nomen__scoped(nomen__tensor_alias(a)) : NULL;
    nomen_tensor *d = c ? nomen_from_data(data, NOMEN_F32, name, NOMEN_SIZES(2), NULL, NULL) : NULL;
    nomen_tensor *e = d ? nomen_scalar(2.5) : NULL;
    nomen_tensor **list = e ? nomen__scope_array(5) : NULL;
    bool fine = list && nomen__tensor_become(b, a) == NOMEN_OK && nomen_keep(e);
    nomen_scope_close(&mark);
    nomen_thread_end();
    return fine;
}
#endif

static void every_allocation_fails_in_turn(void **s) {
    (void)s;
#ifdef NOMEN_FAULTS
    nomen_thread_end();
    int failures = 0;
    for (int64_t nth = 0;; nth++) {
        nomen_clear_error();
        nomen__fail_allocation(nth);
        bool fine = creation();
        nomen__fail_allocation(-1);
        bool failed = nomen_last_error() != NULL;
        nomen_memory_stats m = nomen_get_memory_stats();
        assert_int_equal(m.tensors_live, 0);
        assert_int_equal(m.buffers_live, 0);
        assert_int_equal(m.bytes_live, 0);
        assert_int_equal(m.metadata_live, 0);
        if (!failed) {
            assert_true(fine);
            break;
        }
        failures++;
    }
    assert_true(failures >= 12);
    int64_t before = nomen__allocation_count();
    nomen__free(nomen__alloc(8), 8);
    assert_int_equal(nomen__allocation_count(), before + 1);
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(buffers_of_all_sizes, start, finish),
        cmocka_unit_test_setup_teardown(blocks_do_not_overlap, start, finish),
        cmocka_unit_test_setup_teardown(metadata_of_all_sizes, start, finish),
        cmocka_unit_test_setup_teardown(impossible_sizes, start, finish),
        cmocka_unit_test_setup_teardown(large_buffers_are_cached_and_bounded, start, finish),
        cmocka_unit_test_setup_teardown(statistics, start, finish),
        cmocka_unit_test_setup_teardown(memory_limit, start, finish),
        cmocka_unit_test_setup_teardown(freed_elsewhere, start, finish),
        cmocka_unit_test_setup_teardown(threads_share_the_depot, start, finish),
        cmocka_unit_test_setup_teardown(too_late_for_an_allocator, start, finish),
        cmocka_unit_test_setup_teardown(every_allocation_fails_in_turn, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
