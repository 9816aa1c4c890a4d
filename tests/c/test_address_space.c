/* setrlimit(RLIMIT_AS): small blocks when no slab can be mapped, and what makes room for one. */
#include "can_fork.h"
#include "core/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { MIB = 1 << 20, BLOCK = 4096, MOST = 4 * NOMEN__SLAB_BYTES / BLOCK };

static struct rlimit before;
static struct {
    void *p;
    size_t capacity;
} taken[MOST];

static rlim_t mapped_now(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    int read = fscanf(file, "%lu", &pages);
    fclose(file);
    return read == 1 ? (rlim_t)pages * 4096 : 0;
}

/* Lets the process map that many bytes more; false where nobody can (under a sanitizer, which needs
 * more itself, or where the limit is not heeded, under an emulator). */
static bool leave(size_t bytes) {
    if (!NOMEN__CACHING || !FORKS) return false;
    rlim_t now = mapped_now();
    if (!now || getrlimit(RLIMIT_AS, &before) != 0) return false;
    struct rlimit low = {now + bytes, before.rlim_max};
    if (setrlimit(RLIMIT_AS, &low) != 0) return false;
    size_t more = bytes + MIB;
    void *p = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return true;
    munmap(p, more);
    setrlimit(RLIMIT_AS, &before);
    return false;
}

/* How many small blocks there are until there are no more. */
static int take_all(void) {
    int count = 0;
    for (; count < MOST; count++) {
        taken[count].p = nomen__buffer_new(BLOCK, &taken[count].capacity);
        if (!taken[count].p) break;
        memset(taken[count].p, 1, BLOCK);
    }
    return count;
}

static void give_back(int count) {
    for (int i = 0; i < count; i++) nomen__buffer_free(taken[i].p, taken[i].capacity);
}

static int start(void **s) {
    (void)s;
    nomen_clear_error();
    nomen_empty_cache();
    nomen__free(nomen__alloc(1), 1); /* the state of this thread exists */
    return 0;
}

static int finish(void **s) {
    (void)s;
    if (before.rlim_cur) setrlimit(RLIMIT_AS, &before);
    nomen_thread_end();
    nomen_empty_cache();
    nomen_memory_stats m = nomen_get_memory_stats();
    return m.bytes_live || m.bytes_cached || m.tensors_live || m.metadata_live ? -1 : 0;
}

static void no_slab_is_an_error(void **s) {
    (void)s;
    if (!leave(0)) skip();
    int count = take_all();
    assert_int_equal(count, 0);
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    assert_int_equal(nomen_get_memory_stats().bytes_live, 0);
    int64_t size[] = {BLOCK / 4};
    nomen_clear_error();
    assert_null(nomen__tensor_empty(NOMEN_F32, 1, size));
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    assert_int_equal(nomen_get_memory_stats().tensors_live, 0);
    setrlimit(RLIMIT_AS, &before);
    assert_int_equal(take_all(), MOST);
    give_back(MOST);
}

/* A slab is mapped with as much again, to be cut at its alignment: what one needs is enough. */
static void the_last_slab_is_used_up(void **s) {
    (void)s;
    if (!leave(2 * NOMEN__SLAB_BYTES)) skip();
    int count = take_all();
    assert_int_equal(count, NOMEN__SLAB_BYTES / BLOCK - 1); /* its head takes the place of one */
    assert_int_equal(nomen_last_error()->code, NOMEN_ERROR_MEMORY);
    assert_int_equal(nomen_get_memory_stats().bytes_live, count * BLOCK);
    give_back(count);
    assert_int_equal(take_all(), count); /* what came back is there for the next */
    give_back(count);
}

static void cached_buffers_make_room(void **s) {
    (void)s;
    size_t capacity;
    void *large = nomen__buffer_new(8 * MIB, &capacity);
    assert_non_null(large);
    nomen__buffer_free(large, capacity);
    if (!leave(0)) skip();
    assert_true(nomen_get_memory_stats().bytes_cached >= 8 * MIB);
    assert_int_equal(take_all(), MOST);
    assert_true(nomen_get_memory_stats().bytes_cached < MIB);
    give_back(MOST);
}

/* The other way round: slabs of which no block is in use make room for a large buffer. */
static void idle_slabs_make_room(void **s) {
    (void)s;
    assert_int_equal(take_all(), MOST);
    give_back(MOST);
    size_t capacity, bytes = NOMEN__SLAB_BYTES;
    void *large = NULL;
    if (!leave(0)) skip();
    large = nomen__buffer_new(bytes, &capacity);
    assert_non_null(large);
    nomen__buffer_free(large, capacity);
}

/* As many bytes as no request may have; of some of them, 32 bits hold only zeros. */
static void more_bytes_than_addresses(void **state) {
    (void)state;
    const int64_t most = PTRDIFF_MAX / 4 + 1, sizes[] = {most, 2 * most, INT64_C(1) << 60};
    for (size_t i = 0; i < NOMEN_COUNT(sizes); i++) {
        assert_null(nomen__tensor_empty(NOMEN_F32, 1, &sizes[i]));
        nomen_status code = nomen_last_error()->code;
        assert_true(code == NOMEN_ERROR_MEMORY || code == NOMEN_ERROR_SHAPE);
        nomen_clear_error();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_bytes_than_addresses),
        cmocka_unit_test_setup_teardown(no_slab_is_an_error, start, finish),
        cmocka_unit_test_setup_teardown(the_last_slab_is_used_up, start, finish),
        cmocka_unit_test_setup_teardown(cached_buffers_make_room, start, finish),
        cmocka_unit_test_setup_teardown(idle_slabs_make_room, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
