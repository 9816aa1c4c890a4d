/* The core room: tensors, storages, names, errors, memory, threads. Knows nothing of operations. */
#ifndef NOMEN_SRC_CORE_H
#define NOMEN_SRC_CORE_H

#include "nomen/dtype.h"
#include "nomen/error.h"
#include "nomen/names.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOMEN_LIKELY(x)   __builtin_expect(!!(x), 1)
#define NOMEN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NOMEN_NOINLINE    __attribute__((noinline))
/* What leads to a call of it lies apart from the rest of a function, which so takes fewer lines of
 * the instruction cache. */
#define NOMEN_COLD __attribute__((cold))
/* No machine has more; sums of sizes do not overflow. */
#define NOMEN__MOST_BYTES ((size_t)(sizeof(size_t) > 4 ? (uint64_t)1 << 47 : (uint64_t)1 << 31))
#define NOMEN_COUNT(a)    (sizeof(a) / sizeof((a)[0]))

/* ---- dtypes (dtype.c) ------------------------------------------------------------------------ */

extern const uint8_t nomen__item_bytes[NOMEN_DTYPE_COUNT];
/* The floating dtype of what has none of its own: nomen_set_default_dtype. */
extern _Atomic uint8_t nomen__default_dtype;
static inline nomen_dtype nomen__default_float(void) {
    return (nomen_dtype)atomic_load_explicit(&nomen__default_dtype, memory_order_relaxed);
}
static inline nomen_dtype nomen__default_complex(void) {
    return nomen__default_float() == NOMEN_F64 ? NOMEN_C128 : NOMEN_C64;
}
/* nomen_dtype_size of what is known to be a dtype. */
static inline int64_t nomen__item(unsigned dtype) { return nomen__item_bytes[dtype]; }

/* ---- errors (error.c) ------------------------------------------------------------------------ */

/* Records the first unseen error of this thread; returns its code, so that `return
 * nomen__fail(...)` reads well. */
nomen_status nomen__fail(nomen_status code, const char *format, ...) NOMEN_PRINTF(2, 3) NOMEN_COLD;
nomen_status nomen__fail_v(nomen_status code, const char *format, va_list arguments);
/* Attaches operation and operands to the error just recorded, if it has none yet. */
void nomen__error_context(const char *op, const char *operands);
/* Says what would fix the error just recorded; returns `failed`, so that `return
 * nomen__hint(nomen__fail(...), ...)` reads well. The first hint stays. */
nomen_status nomen__hint(nomen_status failed, const char *format, ...)
    NOMEN_PRINTF(2, 3) NOMEN_COLD;
bool nomen__error_pending(void);
/* Of the error that is pending, which stays unseen; NOMEN_OK if there is none. */
nomen_status nomen__error_code(void);
/* The last failure counts for nothing: whoever saw it has another way. An earlier one stays. */
void nomen__error_drop(void);

/* A fixed-size text under construction: never overflows, ends in "..." when cut. */
typedef struct nomen__text {
    char *at;
    size_t size, used;
} nomen__text;
#define NOMEN__TEXT(name, capacity)                                                                \
    char name##_buffer[capacity];                                                                  \
    nomen__text name = {name##_buffer, sizeof name##_buffer, 0};                                   \
    name##_buffer[0] = 0
void nomen__text_add(nomen__text *t, const char *format, ...) NOMEN_PRINTF(2, 3);

/* ---- memory (alloc.c) ------------------------------------------------------------------------ */

/* All memory of the library comes through these. NULL and a recorded NOMEN_ERROR_MEMORY on failure.
 * nomen__alloc: metadata (nodes, spilled dims, lists), 16-byte aligned, per-thread free lists for
 * small sizes. */
void *nomen__alloc(size_t bytes);
void *nomen__calloc(size_t count, size_t bytes); /* zeroed; checks the product */
void nomen__free(void *p, size_t bytes);         /* bytes as asked for; NULL is fine */

/* Could so many tensors be within the limit of memory? Otherwise an error. */
nomen_status nomen__headers_fit(int64_t count);
/* Data buffers: 64-byte aligned, cached by size class; *capacity becomes what to hand back to
 * nomen__buffer_free. */
void *nomen__buffer_new(size_t bytes, size_t *capacity);
void nomen__buffer_free(void *p, size_t capacity);

#ifdef NOMEN_FAULTS
/* For tests. nth = 0: the next request of this thread fails, 1: the one after it, ...; once. -1:
 * none. Requests are nomen__alloc, nomen__calloc and nomen__buffer_new, whether or not a cache
 * could serve them. */
NOMEN_API void nomen__fail_allocation(int64_t nth);
NOMEN_API int64_t nomen__allocation_count(void); /* requests of this thread so far */
/* The same of calls of the system (calls.h): the nth fails with this error number. 0: it is a read
 * or a write of one byte; other calls work. */
NOMEN_API void nomen__fail_system(int64_t nth, int error);
NOMEN_API int64_t nomen__system_count(void);
/* The system itself has no memory, whoever asks: not for the nth request and count - 1 more. Caches
 * do not ask. Returns the requests since it was last called. */
NOMEN_API int64_t nomen__fail_memory(int64_t nth, int64_t count);
/* Threads that begin find no memory for their state. */
NOMEN_API void nomen__fail_threads(bool fail);
#endif

/* ---- storage (storage.c) --------------------------------------------------------------------- */

typedef struct nomen__storage {
    _Atomic int32_t refs;
    _Atomic uint32_t version; /* bumped by every write; saved tensors are checked against it */
    char *data;
    size_t bytes;                   /* usable */
    size_t capacity;                /* what the allocator gave; 0 for foreign memory */
    void (*release)(void *payload); /* foreign memory only */
    void *payload;
    uint32_t inlined;  /* data lies behind this header in one block of this many bytes; 0: apart */
    uint32_t readonly; /* foreign memory that must not be written */
} nomen__storage;

nomen__storage *nomen__storage_new(size_t bytes);
nomen__storage *nomen__storage_foreign(void *data, size_t bytes, void (*release)(void *payload),
                                       void *payload);
/* Memory that other processes can map (shared.c): fresh and zero, or what a descriptor stands for,
 * which is duplicated and checked. */
nomen__storage *nomen__storage_shared(size_t bytes);
nomen__storage *nomen__storage_from_file(int file);
/* Its descriptor, -1 if the memory is this process's own. */
int nomen__storage_file(const nomen__storage *s);
void nomen__storage_free(nomen__storage *s); /* when the last reference is gone */
static inline void nomen__storage_retain(nomen__storage *s) {
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
}
static inline void nomen__storage_release(nomen__storage *s) {
    if (atomic_load_explicit(&s->refs, memory_order_acquire) == 1 ||
        atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
        nomen__storage_free(s);
}

/* ---- tensor (tensor.c) ----------------------------------------------------------------------- */

enum { NOMEN__INLINE_DIMS = 8 };

enum nomen__flag {
    NOMEN__NAMED = 1,      /* some dim has a name; without it names[] may hold anything */
    NOMEN__WRAPPED = 2,    /* a number in tensor's clothing: weak in dtype promotion */
    NOMEN__CONTIGUOUS = 4, /* row-major without holes (computed when the header is made) */
    NOMEN__SPILLED = 8,    /* size, stride and names point to a block of their own */
    NOMEN__BLIND = 16,     /* a view made while gradients were off: it does not know its base */
    NOMEN__REQUIRES = 32,  /* takes part in autograd: requires_grad, or made from such */
    NOMEN__AWAY = 64,      /* nobody but a backend may follow data (devices.h); on the CPU: the
                              values are put off, and data is NULL (op/fusing.h) */
    NOMEN__UNHEARD = 128,  /* such a view of what takes part in autograd: no change may be missed */
};

struct nomen__autograd; /* src/autograd/tape.h */

typedef struct nomen_tensor {
    _Atomic int32_t refs;
    uint8_t dtype, ndim, flags, device;
    char *data; /* address of the first element (index 0 in every dim) */
    nomen__storage *storage;
    int64_t numel;
    struct nomen__autograd *grad; /* NULL: takes no part in autograd */
    /* views made while gradients are on: whose data they show (no view itself), one reference; an
     * in-place change of the view is one of it */
    struct nomen_tensor *base;
    int64_t *size, *stride; /* strides in elements, any sign */
    nomen_name *names;
    struct nomen__scope *scope; /* the scope that owns one reference, NULL: none */
    uint32_t scope_slot;
    uint32_t magic; /* NOMEN__LIVE while alive */
    void *python;   /* the wrapper object that owns this header, if any (borrowed) */
    int64_t inline_size[NOMEN__INLINE_DIMS], inline_stride[NOMEN__INLINE_DIMS];
    nomen_name inline_names[NOMEN__INLINE_DIMS];
} nomen_tensor;

enum { NOMEN__LIVE = 0x6e6f6d65, NOMEN__DEAD = 0x64656164 };

/* A header with room for ndim dims, one reference, no storage, no names; sizes and strides are not
 * set. */
nomen_tensor *nomen__tensor_new(nomen_dtype dtype, int ndim);
/* A fresh contiguous tensor with storage; size may be NULL for 0-d. Checks sizes (negative,
 * overflow). */
nomen_tensor *nomen__tensor_empty(nomen_dtype dtype, int ndim, const int64_t *size);
/* A fresh tensor with the sizes and strides of a contiguous one, of a dtype that is no
 * wider: its sizes need no check again. */
nomen_tensor *nomen__tensor_like(const nomen_tensor *model, nomen_dtype dtype);
/* A second header on the same storage: same dims, names and dtype; no autograd. */
nomen_tensor *nomen__tensor_alias(const nomen_tensor *t);
/* The product of n sizes. */
static inline int64_t nomen__numel_of(const int64_t *size, int n) {
    int64_t numel = 1;
    for (int d = 0; d < n; d++) numel *= size[d];
    return numel;
}
/* A header on the storage of t, so many bytes behind its first element, with another dtype, sizes
 * and strides, which stay within the memory: no names, no autograd. */
nomen_tensor *nomen__tensor_view(const nomen_tensor *t, nomen_dtype dtype, int ndim,
                                 const int64_t *size, const int64_t *stride, int64_t bytes);
/* A header and a storage on memory that is somebody else's, with one reference. stride in elements,
 * of any sign; NULL: row-major. Checks everything that can be checked: sizes, that the reach of the
 * strides fits the address space, alignment. On failure nothing is released. */
nomen_tensor *nomen__tensor_foreign(void *data, nomen_dtype dtype, int ndim, const int64_t *size,
                                    const int64_t *stride, void (*release)(void *payload),
                                    void *payload);
/* A header on a storage, the first element `offset` elements behind its start; stride NULL:
 * row-major. Fails if an element would lie outside. */
nomen_tensor *nomen__tensor_on_storage(nomen__storage *s, nomen_dtype dtype, int64_t offset,
                                       int ndim, const int64_t *size, const int64_t *stride);
/* What the address of an element must be a multiple of. */
size_t nomen__alignment(nomen_dtype dtype);
/* After size and stride are set: numel and the contiguous flag. */
void nomen__tensor_finish(nomen_tensor *t);
void nomen__tensor_free(nomen_tensor *t); /* when the last reference is gone */
/* Room for so many dims, so that becoming a tensor of them cannot fail. */
nomen_status nomen__tensor_reserve(nomen_tensor *t, int ndim);
/* Makes t what `from` is (storage, dims, dtype, names), keeping identity, references and autograd.
 * For out= resizes. */
nomen_status nomen__tensor_become(nomen_tensor *t, const nomen_tensor *from);

static inline nomen_tensor *nomen__retain(nomen_tensor *t) {
    if (t) atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}
static inline void nomen__release(nomen_tensor *t) {
    if (t && (atomic_load_explicit(&t->refs, memory_order_acquire) == 1 ||
              atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) == 1))
        nomen__tensor_free(t);
}
/* After a view was made of `of`: nomen__tensor_free lets go of it. */
static inline void nomen__set_base(nomen_tensor *view, nomen_tensor *of) {
    if (view != of && !view->base) view->base = nomen__retain(of->base ? of->base : of);
}
/* Does an operation on t concern the tape? A view may not know yet what an in-place change made of
 * its base. */
static inline bool nomen__concerns_tape(const nomen_tensor *t) {
    return (t->flags & NOMEN__REQUIRES) || (t->base && (t->base->flags & NOMEN__REQUIRES));
}
/* A header on the storage of another tensor is where that is. */
static inline void nomen__same_place(nomen_tensor *t, const nomen_tensor *of) {
    t->device = of->device;
    t->flags = (uint8_t)((t->flags & ~NOMEN__AWAY) | (of->flags & NOMEN__AWAY));
}
static inline bool nomen__is_named(const nomen_tensor *t) { return t->flags & NOMEN__NAMED; }
static inline nomen_name nomen__name_at(const nomen_tensor *t, int dim) {
    return t->flags & NOMEN__NAMED ? t->names[dim] : 0;
}

/* Product of sizes with overflow checks; -1 and a recorded error ("... is too large ...") if it
 * does not fit or a size is negative. bytes of one element so that the byte count fits too. */
int64_t nomen__checked_numel(const int64_t *size, int ndim, size_t item);
/* Row-major strides. */
void nomen__contiguous_strides(const int64_t *size, int ndim, int64_t *stride);

/* Tensors whose values are put off (op/fuse.c): to be computed when somebody asks for them. All
 * headers on such a storage are known, and become ordinary ones together. */
typedef struct nomen__put_off_hooks {
    nomen_status (*make)(const nomen_tensor *t);
    nomen_status (*join)(nomen_tensor *t); /* another header, its storage is set */
    void (*leave)(nomen_tensor *t);        /* a header that is about to let go of its storage */
    nomen_status (*before_write)(const nomen__storage *s);
    _Atomic int64_t count; /* how many there are; 0: nothing needs to be asked */
} nomen__put_off_hooks;
extern nomen__put_off_hooks nomen__put_off;

static inline bool nomen__is_put_off(const nomen_tensor *t) {
    return NOMEN_UNLIKELY(t->flags & NOMEN__AWAY) && !t->device;
}
/* Computes the values of t if they are put off: before anybody follows t->data. */
static inline nomen_status nomen__make_ready(const nomen_tensor *t) {
    return nomen__is_put_off(t) ? nomen__put_off.make(t) : NOMEN_OK;
}
/* Computes what is put off and needs the memory as it is: before anybody writes to it. */
static inline nomen_status nomen__before_write(const nomen__storage *s) {
    bool any = atomic_load_explicit(&nomen__put_off.count, memory_order_relaxed);
    return NOMEN_UNLIKELY(any) ? nomen__put_off.before_write(s) : NOMEN_OK;
}

/* ---- scopes (scope.c) ------------------------------------------------------------------------ */

/* Gives the caller's reference of t to the current scope of this thread and returns t. A tensor
 * that a scope owns already stays there, and the reference is dropped. NULL passes through. On
 * failure t is released, the error is recorded, and NULL comes back. */
nomen_tensor *nomen__scoped(nomen_tensor *t);
/* Room for count tensors, all NULL, that dies with the current scope: for the `at` of a nomen_list.
 * Never NULL unless it failed. The tensors in it are registered on their own. */
nomen_tensor **nomen__scope_array(int64_t count);

/* After a write. Not a locked instruction, which takes as long as a small write: two threads that
 * write at once, to different parts, may count as one, and saved tensors see that somebody did. */
static inline void nomen__written(nomen__storage *s) {
    const uint32_t before = atomic_load_explicit(&s->version, memory_order_relaxed);
    atomic_store_explicit(&s->version, before + 1, memory_order_relaxed);
}

static inline bool nomen__has_sizes(const nomen_tensor *t, int ndim, const int64_t *size) {
    if (t->ndim != ndim) return false;
    for (int i = 0; i < ndim; i++)
        if (t->size[i] != size[i]) return false;
    return true;
}

/* Hook of the autograd room: called when a header with autograd metadata dies (set once at load).
 */
extern void (*nomen__autograd_free)(struct nomen__autograd *);

/* ---- names (names.c) ------------------------------------------------------------------------- */

/* Splits "N C * H" at blanks. More than NOMEN_MAX_DIMS names and names that are none are errors. */
nomen_status nomen__names_split(const char *text, nomen_name names[NOMEN_MAX_DIMS], int *count);
/* Attaches names (NULL or all 0: none). No checks. */
void nomen__set_names(nomen_tensor *t, const nomen_name *names);
/* The rules of names given to a tensor of rank ndim: at most 64 dims, count, no duplicates. */
nomen_status nomen__check_names(const nomen_name *names, int count, int ndim);
/* "['N', None]" as the error texts print name lists. */
void nomen__text_names(nomen__text *t, const nomen_name *names, int n);
/* "[2, 3]" */
void nomen__text_sizes(nomen__text *t, const int64_t *size, int n);
/* "Tensor[N=32, C=64]", "Tensor[32, 64]", "Tensor[]"; with ", int64" when the dtype is asked for.
 */
void nomen__text_tensor(nomen__text *t, const nomen_tensor *x, bool dtype);

/* ---- threads (parallel.c) -------------------------------------------------------------------- */

typedef void nomen__task(void *context, int64_t begin, int64_t end);
/* Calls task once for every chunk [k * grain, min((k + 1) * grain, n)), in any order, on any thread
 * of the pool (the caller takes chunks too); returns when all are done. Chunks do not depend on the
 * number of threads. Runs them in the caller, in order, when there is one chunk, one thread, or the
 * caller is itself a task. */
void nomen__parallel(int64_t n, int64_t grain, nomen__task *task, void *context);
/* The same, but the caller asks between chunks whether to go on (nomen_set_interrupt). If not, the
 * remaining chunks are left out, and NOMEN_ERROR_INTERRUPTED is recorded and comes back. Not with a
 * lock held: the answer may need one that somebody holds who wants ours. */
nomen_status nomen__parallel_asking(int64_t n, int64_t grain, nomen__task *task, void *context)
    __attribute__((warn_unused_result));
/* Which of the threads of a job this is: 0 for its caller, from 1 on for workers. The same thread
 * gets the same chunks of a job like the last one, if it is there in time. */
int nomen__parallel_self(void);
/* For chunks of such a job that take long: true, if the rest of it is to be left out. */
bool nomen__is_stopped(void);
/* For loops that take long without being such a job. */
nomen_status nomen__ask(void) __attribute__((warn_unused_result));
/* Would it ask at all? Who holds a lock gives it back only then. */
bool nomen__ask_is_due(void);
/* While a lock is held; gives back what was before. */
bool nomen__ask_nothing(bool quiet);
/* nomen_set_interrupt that gives back the payload of before. begins is called once, before the
 * first launch, job of the pool's or loop that asks: a view has none of these. NULL: nothing is. */
void *nomen__interrupt_swap(bool (*asked)(void *payload), void (*begins)(void *payload),
                            void *payload);
void nomen__begin_work(void);
extern _Thread_local bool nomen__work_awaited __attribute__((tls_model("initial-exec")));
static inline void nomen__work_begins(void) {
    if (NOMEN_UNLIKELY(nomen__work_awaited)) nomen__begin_work();
}

/* ---- cpu (cpu.c) ----------------------------------------------------------------------------- */

typedef enum nomen__isa {
    NOMEN__SCALAR,
    NOMEN__AVX2,
    NOMEN__AVX512,
    NOMEN__AVX512_BF16, /* AVX-512 with sums of pairs of products of bfloat16 */
    NOMEN__AMX,         /* that with tiles for products of bfloat16 */
    NOMEN__NEON,
    NOMEN__ISA_COUNT
} nomen__isa;
/* The best ISA of this machine that the library was built with;
 * NOMEN_ISA=scalar|avx2|avx512|avx512_bf16|amx|neon lowers it. */
nomen__isa nomen__cpu_isa(void);
/* It is NOMEN__AMX, and the system lets this process use tiles: it is asked the first time, since
 * the stacks of signal handlers must be larger from then on. */
bool nomen__cpu_tiles(void);
/* It is NOMEN__AVX512_BF16 or NOMEN__AMX. */
bool nomen__cpu_pairs(void);
/* Its vectors are loaded and stored in parts for nothing: AVX-512 and what stands on it. */
bool nomen__cpu_parts(void);
const char *nomen__isa_name(nomen__isa isa);

#endif
