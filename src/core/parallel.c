/* The pool of worker threads. A job is cut into chunks and these into as many slices as there are
 * threads. Workers and the caller claim chunks one by one, each in its own slice first: in the next
 * job a thread finds in its cache what it wrote in the last one. Who is done goes on in the slices
 * of others, and the caller waits only for chunks that somebody has begun: a worker that the system
 * lets sleep costs nothing. */
#define _GNU_SOURCE
#include "core/calls.h"
#include "core/state.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 64, /* of a cache: what one thread writes does not lie beside what others read */
    MOST_THREADS = 1024,
    SPIN_NS = 100 * 1000, /* how long a worker looks for the next job before it sleeps */
    /* Waking costs the caller up to 30 us on a virtual machine: shorter jobs run alone. */
    WAKE_WORTH_NS = 100 * 1000,
    HOLD_NS = 3 * 1000, /* how long a worker leaves chunks to those whose slices they are in */
    HINTS = 16,
    MOST_SLICES = 64,
    ASK_NS = 200 * 1000 * 1000, /* how often a long operation asks whether to go on */
    MOVE_NS = 4 * 1000 * 1000,  /* how often a worker leaves the processor of who called, at most */
    FEW_WORKERS = 8,            /* all of which are kept away from it when they are woken */
};

/* One job at a time: `busy` is held by its caller. The state of a slice is the number of the job in
 * the high half and how many of its chunks are unclaimed in the low half; a claim succeeds only if
 * neither has changed since the claimer read what the job is about, so a worker that slept over the
 * end of a job cannot touch the next one. */
static struct slice {
    _Alignas(LINE) _Atomic uint64_t state;
} slices[MOST_SLICES];
static struct {
    _Alignas(LINE) nomen__task *_Atomic task;
    void *_Atomic context;
    _Atomic int64_t n, grain, chunks;
    _Atomic int slices;
    _Atomic int processor;   /* that the caller ran on when it published the job */
    _Atomic uint32_t number; /* stored when all slices are there */
    _Atomic bool stopped;    /* with busy: what is left of the job is claimed, but not done */
} job = {.slices = 1};
/* Chunks of the job that are not done. A thread tells what it did when it finds no more to do: were
 * each told of by itself, this line would travel between the processors as often. */
static _Alignas(LINE) _Atomic uint32_t unfinished;
static _Alignas(LINE) _Atomic bool busy;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the two conditions */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static _Atomic int sleepers;
static _Atomic bool caller_sleeps;

static pthread_t workers[MOST_THREADS]; /* with busy */
static int started;                     /* with busy */
static int wished;          /* with busy: what `started` was made for, which may have failed */
static _Atomic int wanted;  /* threads, the caller included; 0: not decided yet */
static _Atomic int allowed; /* workers beyond this number end */

/* How long a chunk of a task took when it last mattered: tells whether sleeping workers are worth
 * waking. */
static struct hint {
    nomen__task *_Atomic task;
    _Atomic int64_t ns;
} hints[HINTS];

/* Short jobs in quick succession are worth waking for together: how long such jobs have run alone,
 * and when the last one ended. */
static int64_t alone_ns, alone_end; /* with busy */

static _Thread_local bool inside
    __attribute__((tls_model("initial-exec"))); /* a task runs in this thread */
static _Thread_local int self
    __attribute__((tls_model("initial-exec"))); /* among the threads of a job: 0 is its caller */

int nomen__parallel_self(void) { return self; }

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* ---- how many -------------------------------------------------------------------------------- */

static int default_threads(void) {
    const char *wish = getenv("NOMEN_NUM_THREADS");
    long asked = wish ? strtol(wish, NULL, 10) : 0;
    int n = asked < 0 ? 0 : asked > MOST_THREADS ? MOST_THREADS : (int)asked;
#ifdef CPU_COUNT
    cpu_set_t set;
    if (n < 1 && sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    if (n < 1) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1) n = 1;
    return n > MOST_THREADS ? MOST_THREADS : n;
}

int nomen_get_num_threads(void) {
    int n = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (NOMEN_LIKELY(n)) return n;
    int none = 0;
    atomic_compare_exchange_strong(&wanted, &none, default_threads());
    return atomic_load(&wanted);
}

nomen_status nomen_set_num_threads(int n) {
    if (n < 1 || n > MOST_THREADS)
        return nomen__fail(NOMEN_ERROR_VALUE, "%d threads: the number must be from 1 to %d", n,
                           MOST_THREADS);
    atomic_store(&wanted, n);
    return NOMEN_OK;
}

/* ---- claiming -------------------------------------------------------------------------------- */

/* Of slice i of `count`. */
static int64_t first_chunk(int64_t chunks, int i, int count) { return chunks * i / count; }

/* So many chunks that the thread has run. */
static void finish_chunks(uint32_t ran) {
    if (ran == 0) return;
    if (atomic_fetch_sub(&unfinished, ran) != ran || !atomic_load(&caller_sleeps)) return;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
}

/* Takes one chunk of slice i and runs it; false if there is none. */
static bool run_chunk_of(int i) {
    _Atomic uint64_t *state = &slices[i].state;
    uint64_t seen = atomic_load_explicit(state, memory_order_acquire);
    for (;;) {
        uint32_t left = (uint32_t)seen;
        if (left == 0) return false;
        nomen__task *task = atomic_load_explicit(&job.task, memory_order_relaxed);
        void *context = atomic_load_explicit(&job.context, memory_order_relaxed);
        int64_t n = atomic_load_explicit(&job.n, memory_order_relaxed);
        int64_t grain = atomic_load_explicit(&job.grain, memory_order_relaxed);
        int64_t chunks = atomic_load_explicit(&job.chunks, memory_order_relaxed);
        int count = atomic_load_explicit(&job.slices, memory_order_relaxed);
        if (!atomic_compare_exchange_weak_explicit(state, &seen, seen - 1, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        int64_t begin = (first_chunk(chunks, i + 1, count) - left) * grain;
        if (NOMEN_LIKELY(!atomic_load_explicit(&job.stopped, memory_order_relaxed)))
            task(context, begin, n - begin < grain ? n : begin + grain);
        return true;
    }
}

/* The same of any slice, of the thread's own first. */
static bool run_chunk(void) {
    const int count = atomic_load_explicit(&job.slices, memory_order_relaxed);
    for (int i = 0, at = self < count ? self : self % count; i < count; i++) {
        if (run_chunk_of(at)) return true;
        at = at + 1 < count ? at + 1 : 0;
    }
    return false;
}

/* Chunks that nobody has claimed. */
static int64_t unclaimed(void) {
    int64_t left = 0;
    for (int i = 0; i < atomic_load_explicit(&job.slices, memory_order_relaxed); i++)
        left += (uint32_t)atomic_load_explicit(&slices[i].state, memory_order_relaxed);
    return left;
}

/* ---- processors ------------------------------------------------------------------------------
 * Some systems wake a worker on the processor where its caller computes, though another one is
 * idle, and leave both there for milliseconds. So a worker that is woken may not run there until it
 * does run, and one that finds itself there goes elsewhere, if it may run anywhere else. */

#ifdef CPU_COUNT

/* Of a worker, with `lock` held. */
static struct place {
    int processor;  /* where it sleeps; -1: it is awake */
    bool sent_away; /* for the moment it may not run everywhere where it may otherwise: */
    cpu_set_t may;
} places[MOST_THREADS];

static int processor(void) { return sched_getcpu(); }

/* Where a thread may run, and all of that but one; false if nothing is left. */
static bool elsewhere(pthread_t thread, int here, cpu_set_t *may, cpu_set_t *others) {
    if (here < 0 || here >= CPU_SETSIZE) return false;
    if (pthread_getaffinity_np(thread, sizeof *may, may)) return false;
    *others = *may;
    CPU_CLR((size_t)here, others);
    return CPU_COUNT(others) > 0;
}

/* A worker that runs where its caller does. */
static void keep_apart(int64_t *moved_at) {
    cpu_set_t may, others;
    const int here = processor();
    if (here != atomic_load_explicit(&job.processor, memory_order_relaxed)) return;
    const int64_t now = now_ns();
    if (now - *moved_at < MOVE_NS) return;
    *moved_at = now;
    if (!elsewhere(pthread_self(), here, &may, &others)) return;
    pthread_setaffinity_np(pthread_self(), sizeof others, &others);
    pthread_setaffinity_np(pthread_self(), sizeof may, &may);
}

/* With busy and lock held: before workers are woken. Of many only those that sleep here. */
static void send_away(void) {
    const int here = processor();
    for (int i = 0; i < started; i++) {
        struct place *p = &places[i];
        cpu_set_t others;
        if (p->processor < 0 || p->sent_away) continue;
        if (p->processor != here && started > FEW_WORKERS) continue;
        if (!elsewhere(workers[i], here, &p->may, &others)) continue;
        p->sent_away = !pthread_setaffinity_np(workers[i], sizeof others, &others);
    }
}

static void lies_down(int index) { places[index].processor = processor(); }

static void gets_up(int index) {
    struct place *p = &places[index];
    p->processor = -1;
    if (p->sent_away) pthread_setaffinity_np(pthread_self(), sizeof p->may, &p->may);
    p->sent_away = false;
}

static void moves_in(int index) { places[index] = (struct place){.processor = -1}; }

#else

static int processor(void) { return 0; }
static void keep_apart(int64_t *moved_at) { (void)moved_at; }
static void send_away(void) {}
static void lies_down(int index) { (void)index; }
static void gets_up(int index) { (void)index; }
static void moves_in(int index) { (void)index; }

#endif

/* ---- workers --------------------------------------------------------------------------------- */

/* Is there another job than the one whose chunks have all been seen to be claimed? */
static bool has_work(uint32_t seen) { return atomic_load(&job.number) != seen; }

static bool may_stay(int index) {
    return index < atomic_load_explicit(&allowed, memory_order_relaxed);
}

static void sleep_for_work(int index, uint32_t seen) {
    pthread_mutex_lock(&lock);
    /* Announced before the last look: a caller that published after that look sees the sleeper. */
    atomic_fetch_add(&sleepers, 1);
    lies_down(index);
    while (!has_work(seen) && may_stay(index)) pthread_cond_wait(&work, &lock);
    atomic_fetch_sub(&sleepers, 1);
    gets_up(index);
    pthread_mutex_unlock(&lock);
}

/* Is anything left of the job when those whose slices it was in had a moment for it? Who takes
 * chunks of another at once takes them away from the cache that they are in, and who only looks at
 * slices takes their lines away from those who claim: on 16 processors a job of 6 us took 22. */
static bool is_left_over(uint32_t seen) {
    const int64_t start = now_ns();
    while (atomic_load_explicit(&unfinished, memory_order_relaxed)) {
        for (int i = 0; i < 8 && !has_work(seen); i++) pause_cpu();
        if (has_work(seen)) return false;
        if (now_ns() - start >= HOLD_NS) return true;
    }
    return false;
}

static void *worker(void *argument) {
    int index = (int)(intptr_t)argument;
    int64_t moved_at = 0;
    inside = true;
    self = index + 1;
    while (may_stay(index)) {
        const uint32_t seen = atomic_load(&job.number);
        keep_apart(&moved_at);
        uint32_t ran = 0;
        if (self < atomic_load_explicit(&job.slices, memory_order_relaxed))
            while (run_chunk_of(self)) ran++;
        finish_chunks(ran);
        if (is_left_over(seen)) {
            for (ran = 0; run_chunk();) ran++;
            finish_chunks(ran);
        }
        int64_t start = now_ns();
        do {
            for (int i = 0; i < 32 && !has_work(seen); i++) pause_cpu();
        } while (!has_work(seen) && may_stay(index) && now_ns() - start < SPIN_NS);
        if (!has_work(seen) && may_stay(index)) sleep_for_work(index, seen);
    }
    return NULL;
}

static void wake(int64_t chunks) {
    pthread_mutex_lock(&lock);
    send_away();
    int asleep = atomic_load(&sleepers);
    if (chunks >= asleep)
        pthread_cond_broadcast(&work);
    else
        for (int64_t i = 0; i < chunks; i++) pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
}

/* With busy held and no job: ends workers with index >= most. */
static void end_workers(int most) {
    if (started <= most) return;
    atomic_store(&allowed, most);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    while (started > most) pthread_join(workers[--started], NULL);
}

/* With busy held and no job. Where the system refuses a thread, there are fewer. */
static void adjust_workers(int threads) {
    wished = threads;
    end_workers(threads - 1);
    atomic_store(&allowed, threads - 1);
    /* Signals are for the threads of the program. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < threads - 1) {
        moves_in(started);
        if (nomen__sys_thread(&workers[started], worker, (void *)(intptr_t)started)) break;
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void nomen__parallel_stop(void) {
    if (atomic_exchange(&busy, true)) return;
    end_workers(0);
    wished = 0;
    atomic_store(&busy, false);
}

/* A child of fork has the caller only: whatever the pool was doing goes on in the parent. */
void nomen__parallel_fork(nomen__fork phase) {
    if (phase == NOMEN__FORK_BEFORE)
        pthread_mutex_lock(&lock);
    else
        pthread_mutex_unlock(&lock);
    if (phase != NOMEN__FORK_CHILD) return;
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&done, NULL);
    started = 0;
    wished = 0;
    atomic_store(&sleepers, 0);
    atomic_store(&caller_sleeps, false);
    atomic_store(&unfinished, 0);
    /* Who forks while asked whether to go on comes back into a job whose chunks went elsewhere. */
    atomic_store(&job.stopped, inside);
    const uint32_t number = atomic_load(&job.number) + 1;
    for (int i = 0; i < MOST_SLICES; i++) atomic_store(&slices[i].state, (uint64_t)number << 32);
    atomic_store(&job.number, number);
    atomic_store(&busy, false);
}

/* ---- asking whether to go on ----------------------------------------------------------------- */

_Thread_local bool nomen__work_awaited __attribute__((tls_model("initial-exec")));

nomen_status nomen_set_interrupt(bool (*asked)(void *payload), void *payload) {
    nomen__thread *me = nomen__thread_get();
    if (!me) return nomen__fail(NOMEN_ERROR_MEMORY, "no memory for the state of a thread");
    nomen__interrupt_swap(asked, NULL, payload);
    return NOMEN_OK;
}

/* me: NULL for those who do not ask. What is called may compute with tensors; it is not asked again
 * meanwhile. */
static bool is_due(const nomen__thread *me) {
    return me && me->interrupt && !me->quiet && now_ns() - me->asked_at >= ASK_NS;
}

static bool is_to_stop(nomen__thread *me) {
    if (!is_due(me)) return false;
    me->quiet = true;
    bool stop = me->interrupt(me->interrupt_payload);
    me->quiet = false;
    me->asked_at = now_ns();
    return stop;
}

void *nomen__interrupt_swap(bool (*asked)(void *payload), void (*begins)(void *payload),
                            void *payload) {
    nomen__thread *me = nomen__thread_get();
    void *before = me ? me->interrupt_payload : NULL;
    if (!me) return NULL;
    me->interrupt = asked;
    me->begins = begins;
    me->interrupt_payload = payload;
    nomen__work_awaited = begins != NULL;
    return before;
}

bool nomen__ask_nothing(bool quiet) {
    nomen__thread *me = nomen__thread_here;
    bool before = me && me->quiet;
    if (me) me->quiet = quiet;
    return before;
}

static nomen_status interrupted(void) {
    return nomen__hint(nomen__fail(NOMEN_ERROR_INTERRUPTED, "the operation was interrupted"),
                       "what it was to write to (out=, in place) may be written in part");
}

void nomen__begin_work(void) {
    nomen__thread *me = nomen__thread_here;
    nomen__work_awaited = false;
    me->begins(me->interrupt_payload);
}

bool nomen__ask_is_due(void) { return is_due(nomen__thread_here); }

nomen_status nomen__ask(void) {
    nomen__work_begins();
    return is_to_stop(nomen__thread_here) ? interrupted() : NOMEN_OK;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* false: it was stopped. */
static bool run_serially(int64_t n, int64_t grain, nomen__task *task, void *context,
                         nomen__thread *asks) {
    for (int64_t begin = 0; begin < n; begin += grain) {
        task(context, begin, n - begin < grain ? n : begin + grain);
        if (n - begin <= grain) break; /* begin + grain might overflow */
        /* in the middle of a chunk it may have been asked already */
        if (asks && (asks->stopped || is_to_stop(asks))) return false;
    }
    return true;
}

/* After a chunk of one's own. */
static void look_around(nomen__thread *asks) {
    if (asks && !atomic_load_explicit(&job.stopped, memory_order_relaxed) && is_to_stop(asks))
        atomic_store_explicit(&job.stopped, true, memory_order_relaxed);
}

static void wait_for_others(void) {
    int64_t start = now_ns();
    while (atomic_load_explicit(&unfinished, memory_order_acquire)) {
        for (int i = 0; i < 32 && atomic_load_explicit(&unfinished, memory_order_acquire); i++)
            pause_cpu();
        if (now_ns() - start < SPIN_NS) continue;
        pthread_mutex_lock(&lock);
        atomic_store(&caller_sleeps, true);
        while (atomic_load(&unfinished)) pthread_cond_wait(&done, &lock);
        atomic_store(&caller_sleeps, false);
        pthread_mutex_unlock(&lock);
    }
}

/* The caller's share while workers sleep: wakes them as soon as the rest of the job looks worth it.
 */
static void run_and_wake(int64_t chunks, nomen__task *task, nomen__thread *asks) {
    struct hint *hint = &hints[((uintptr_t)task >> 4) % HINTS];
    bool known = atomic_load_explicit(&hint->task, memory_order_relaxed) == task;
    int64_t each = known ? atomic_load_explicit(&hint->ns, memory_order_relaxed) : WAKE_WORTH_NS;
    int64_t start = now_ns(), ran = 0, spent = 0;
    if (start - alone_end > WAKE_WORTH_NS) alone_ns = 0;
    bool woken = each > WAKE_WORTH_NS / chunks || alone_ns > WAKE_WORTH_NS;
    if (woken) wake(chunks - 1);
    while (run_chunk()) {
        look_around(asks);
        ran++;
        spent = now_ns() - start;
        int64_t left = unclaimed();
        if (!woken && left && spent / ran > WAKE_WORTH_NS / left) {
            wake(left);
            woken = true;
        }
    }
    finish_chunks((uint32_t)ran);
    alone_end = start + spent;
    alone_ns = woken ? 0 : alone_ns + spent;
    if (!ran) return;
    atomic_store_explicit(&hint->task, task, memory_order_relaxed);
    atomic_store_explicit(&hint->ns, spent / ran, memory_order_relaxed);
}

/* false: it was stopped, and some chunks have not run. */
static bool run_job(int64_t n, int64_t grain, nomen__task *task, void *context,
                    nomen__thread *asks) {
    int64_t chunks = (n - 1) / grain + 1;
    int threads = nomen_get_num_threads();
    if (threads == 1 || inside || chunks > INT32_MAX ||
        atomic_exchange_explicit(&busy, true, memory_order_acquire)) {
        return run_serially(n, grain, task, context, asks);
    }
    if (NOMEN_UNLIKELY(wished != threads)) {
        nomen__thread_get(); /* the handlers of fork are in place before there are workers */
        adjust_workers(threads);
    }
    inside = true;
    atomic_store_explicit(&job.task, task, memory_order_relaxed);
    atomic_store_explicit(&job.context, context, memory_order_relaxed);
    atomic_store_explicit(&job.n, n, memory_order_relaxed);
    atomic_store_explicit(&job.grain, grain, memory_order_relaxed);
    atomic_store_explicit(&job.chunks, chunks, memory_order_relaxed);
    atomic_store_explicit(&unfinished, (uint32_t)chunks, memory_order_relaxed);
    const int most = threads < MOST_SLICES ? threads : MOST_SLICES;
    const int count = chunks < most ? (int)chunks : most;
    atomic_store_explicit(&job.slices, count, memory_order_relaxed);
    atomic_store_explicit(&job.processor, processor(), memory_order_relaxed);
    const uint32_t number = atomic_load_explicit(&job.number, memory_order_relaxed) + 1;
    for (int i = 0; i < count; i++) {
        int64_t own = first_chunk(chunks, i + 1, count) - first_chunk(chunks, i, count);
        atomic_store_explicit(&slices[i].state, (uint64_t)number << 32 | (uint64_t)own,
                              memory_order_release);
    }
    atomic_store(&job.number, number);
    if (NOMEN_UNLIKELY(atomic_load(&sleepers) > 0)) {
        run_and_wake(chunks, task, asks);
    } else {
        uint32_t ran = 0;
        for (; run_chunk(); ran++) look_around(asks);
        finish_chunks(ran);
    }
    if (atomic_load_explicit(&unfinished, memory_order_acquire)) wait_for_others();
    inside = false;
    bool whole = !atomic_load_explicit(&job.stopped, memory_order_relaxed);
    atomic_store_explicit(&job.stopped, false, memory_order_relaxed);
    atomic_store_explicit(&busy, false, memory_order_release);
    return whole;
}

void nomen__parallel(int64_t n, int64_t grain, nomen__task *task, void *context) {
    nomen__work_begins();
    if (grain <= 0 || grain >= n) {
        if (n > 0) task(context, 0, n);
    } else {
        (void)run_job(n, grain, task, context, NULL);
    }
}

bool nomen__is_stopped(void) {
    nomen__thread *me = nomen__thread_here;
    if (inside) {
        look_around(me);
        return atomic_load_explicit(&job.stopped, memory_order_relaxed);
    }
    if (me && !me->stopped && is_to_stop(me)) me->stopped = true; /* nobody is asked twice */
    return me && me->stopped;
}

nomen_status nomen__parallel_asking(int64_t n, int64_t grain, nomen__task *task, void *context) {
    nomen__thread *me = nomen__thread_here;
    bool whole = true;
    if (n <= 0) return NOMEN_OK;
    nomen__work_begins();
    if (grain > 0 && grain < n)
        whole = run_job(n, grain, task, context, inside ? NULL : me);
    else
        task(context, 0, n);
    if (NOMEN_UNLIKELY(me && me->stopped)) whole = me->stopped = false;
    return NOMEN_LIKELY(whole) ? NOMEN_OK : interrupted();
}
