/* What the process shares, and the list of threads. Every mutable global of the core is here or
 * named here: alloc.c     the user's allocator, "has anything been allocated" buffer.c    the depot
 * of small blocks, the cache of large ones, limits, bytes handed out (one lock) names.c     the
 * name table (read without locks, one lock to insert) parallel.c  the pool of workers (one owner at
 * a time) cpu.c       the chosen ISA dtype.c     the default dtype device.c    the backends and
 * devices in use (read without locks, one lock to add) tensor.c    the hooks of the autograd room
 * and of values that are put off, set once and per thread: the error (error.c), "inside a task"
 * (parallel.c), nomen__thread (here).
 */
#include "core/forks.h"
#include "core/state.h"

#include <pthread.h>

_Thread_local nomen__thread *nomen__thread_here __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards threads and retired */
static pthread_key_t key;
static bool have_key;
static nomen__thread *threads;
static nomen__totals retired; /* what threads that are gone have counted */
nomen__counters nomen__orphans;

static void add_counters(nomen__totals *sum, nomen__counters *c) {
    sum->tensors += atomic_load_explicit(&c->tensors, memory_order_relaxed);
    sum->storages += atomic_load_explicit(&c->storages, memory_order_relaxed);
    sum->metadata += atomic_load_explicit(&c->metadata, memory_order_relaxed);
    sum->allocations += atomic_load_explicit(&c->allocations, memory_order_relaxed);
    sum->misses += atomic_load_explicit(&c->misses, memory_order_relaxed);
    sum->bytes += atomic_load_explicit(&c->bytes, memory_order_relaxed);
}

static void add(nomen__totals *sum, nomen__thread *t) {
    add_counters(sum, &t->counters);
    nomen__pairs ready = nomen__pairs_of(t);
    sum->tensors -= ready.count;
    sum->storages -= ready.count;
    sum->metadata -= ready.count * (int64_t)sizeof(nomen_tensor);
    sum->bytes -= ready.bytes;
    sum->small_free += ready.bytes;
    for (int i = 0; i < NOMEN__SMALL_CLASSES; i++)
        sum->small_free += (int64_t)nomen__small_size(i) *
                           (int64_t)atomic_load_explicit(&t->small[i].count, memory_order_relaxed);
}

/* The end of a thread: its counters go to those of the dead, its block back to the system. */
static void retire(nomen__thread *me) {
    nomen_thread_end();
    pthread_mutex_lock(&lock);
    add(&retired, me);
    if (me->previous)
        me->previous->next = me->next;
    else
        threads = me->next;
    if (me->next) me->next->previous = me->previous;
    pthread_mutex_unlock(&lock);
    nomen__thread_here = NULL;
    nomen__thread_block_free(me);
}

static void at_thread_exit(void *me) {
    if (me && me == nomen__thread_here) retire(me);
}

/* The order of locking is that of this function everywhere: threads, buffers, names. */
static void fork_before(void) {
    pthread_mutex_lock(&lock);
    nomen__buffer_fork(NOMEN__FORK_BEFORE);
    nomen__names_fork(NOMEN__FORK_BEFORE);
    nomen__parallel_fork(NOMEN__FORK_BEFORE);
}

static void fork_parent(void) {
    nomen__parallel_fork(NOMEN__FORK_PARENT);
    nomen__names_fork(NOMEN__FORK_PARENT);
    nomen__buffer_fork(NOMEN__FORK_PARENT);
    pthread_mutex_unlock(&lock);
}

/* Threads that did not come along keep their counters: what they made is still in memory. */
static void fork_child(void) {
    nomen__parallel_fork(NOMEN__FORK_CHILD);
    nomen__names_fork(NOMEN__FORK_CHILD);
    nomen__buffer_fork(NOMEN__FORK_CHILD);
    pthread_mutex_unlock(&lock);
}

static void start(void) {
    nomen__buffer_start();
    have_key = pthread_key_create(&key, at_thread_exit) == 0;
    pthread_atfork(fork_before, fork_parent, fork_child);
}

void nomen__watch_forks(void (*take)(void), void (*give)(void)) {
    pthread_once(&once, start);
    (void)pthread_atfork(take, give, give);
}

/* The library may be unloaded: no thread may run in it or return to it after that. */
__attribute__((destructor)) static void unload(void) {
    nomen__parallel_stop();
    if (have_key) pthread_key_delete(key);
    have_key = false;
}

nomen__thread *nomen__thread_start(void) {
    pthread_once(&once, start);
    nomen__thread *me = nomen__thread_block_new();
    if (!me) return NULL;
    me->fail_in = -1;
    me->call_fails_in = -1;
    me->current = &me->root;
    me->root.thread = me;
    pthread_mutex_lock(&lock);
    me->next = threads;
    if (threads) threads->previous = me;
    threads = me;
    pthread_mutex_unlock(&lock);
    nomen__thread_here = me;
    if (have_key) pthread_setspecific(key, me);
    return me;
}

nomen__totals nomen__thread_totals(void) {
    pthread_mutex_lock(&lock);
    nomen__totals sum = retired;
    add_counters(&sum, &nomen__orphans);
    for (nomen__thread *t = threads; t; t = t->next) add(&sum, t);
    pthread_mutex_unlock(&lock);
    return sum;
}

/* The block itself stays, with an error that nobody has looked at yet, until the thread exits. */
void nomen_thread_end(void) {
    nomen__thread *me = nomen__thread_here;
    if (!me) return;
    nomen__scope_drop(me);
    nomen__pairs_drop(me);
    nomen__alloc_drop(me);
    nomen__buffer_drop(me);
}
