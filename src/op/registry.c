/* The kernel tables of all files and instruction sets, joined into one index: the best row of this
 * machine for a name and a dtype. What the rows do is in src/kernels. */
#include "op/op.h"

#include <pthread.h>
#include <string.h>

#define X(stem) extern const nomen__kernel NOMEN__PASTE(stem, scalar)[];
#include "kernel_tables.h"
#undef X
static const nomen__kernel *const tables_scalar[] = {
#define X(stem) NOMEN__PASTE(stem, scalar),
#include "kernel_tables.h"
#undef X
};
enum { TABLES = (int)NOMEN_COUNT(tables_scalar) };

#if NOMEN_BUILT_AVX2
#define X(stem) extern const nomen__kernel NOMEN__PASTE(stem, avx2)[];
#include "kernel_tables.h"
#undef X
static const nomen__kernel *const tables_avx2[] = {
#define X(stem) NOMEN__PASTE(stem, avx2),
#include "kernel_tables.h"
#undef X
};
#endif

#if NOMEN_BUILT_AVX512
#define X(stem) extern const nomen__kernel NOMEN__PASTE(stem, avx512)[];
#include "kernel_tables.h"
#undef X
static const nomen__kernel *const tables_avx512[] = {
#define X(stem) NOMEN__PASTE(stem, avx512),
#include "kernel_tables.h"
#undef X
};
#endif

#if NOMEN_BUILT_NEON
#define X(stem) extern const nomen__kernel NOMEN__PASTE(stem, neon)[];
#include "kernel_tables.h"
#undef X
static const nomen__kernel *const tables_neon[] = {
#define X(stem) NOMEN__PASTE(stem, neon),
#include "kernel_tables.h"
#undef X
};
#endif

static const nomen__kernel *const *const tables[NOMEN__ISA_COUNT] = {
    [NOMEN__SCALAR] = tables_scalar,
#if NOMEN_BUILT_AVX2
    [NOMEN__AVX2] = tables_avx2,
#endif
#if NOMEN_BUILT_AVX512
    [NOMEN__AVX512] = tables_avx512,
#endif
#if NOMEN_BUILT_NEON
    [NOMEN__NEON] = tables_neon,
#endif
};

/* An open hash table, filled once and only read afterwards. What does not fit any more (it never
 * gets fuller than three quarters) is found by walking the tables. */
enum { SLOTS = 4096, MOST_USED = SLOTS / 4 * 3 };
static const nomen__kernel *slots[SLOTS];
static nomen__loop *casts[NOMEN_DTYPE_COUNT][NOMEN_DTYPE_COUNT], *copies[NOMEN_DTYPE_COUNT];
static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool ready;

static uint32_t hash(const char *name, nomen_dtype dtype, nomen_dtype to) {
    uint32_t h = 2166136261u ^ (uint32_t)dtype ^ (uint32_t)to << 8;
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 16777619u;
    return (h ^ h >> 15) % SLOTS;
}

static bool is_row(const nomen__kernel *k, const char *name, nomen_dtype dtype, nomen_dtype to) {
    return k->dtype == dtype && k->to == to && !strcmp(k->name, name);
}

/* The slot of the row, or the free one where it belongs. */
static const nomen__kernel **slot_of(const char *name, nomen_dtype dtype, nomen_dtype to) {
    uint32_t i = hash(name, dtype, to);
    while (slots[i] && !is_row(slots[i], name, dtype, to)) i = (i + 1) % SLOTS;
    return &slots[i];
}

/* From the best instruction set down: a row that is there already is a better one. */
static void build(void) {
    int used = 0;
    complete = true;
    for (int isa = (int)nomen__cpu_isa(); isa >= 0; isa--)
        for (int t = 0; tables[isa] && t < TABLES; t++)
            for (const nomen__kernel *k = tables[isa][t]; k->name; k++) {
                if (!strcmp(k->name, "cast")) {
                    if (!casts[k->dtype][k->to]) casts[k->dtype][k->to] = k->loop;
                    continue;
                }
                const nomen__kernel **slot = slot_of(k->name, k->dtype, k->to);
                if (*slot) continue;
                if (used == MOST_USED) {
                    complete = false;
                    continue;
                }
                *slot = k;
                used++;
                if (!strcmp(k->name, "copy")) copies[k->dtype] = k->loop;
            }
    atomic_store_explicit(&ready, true, memory_order_release);
}

static inline void make_ready(void) {
    if (NOMEN_UNLIKELY(!atomic_load_explicit(&ready, memory_order_acquire)))
        pthread_once(&once, build);
}

static const nomen__kernel *search(const char *name, nomen_dtype dtype, nomen_dtype to) {
    for (int isa = (int)nomen__cpu_isa(); isa >= 0; isa--)
        for (int t = 0; tables[isa] && t < TABLES; t++)
            for (const nomen__kernel *k = tables[isa][t]; k->name; k++)
                if (is_row(k, name, dtype, to)) return k;
    return NULL;
}

const nomen__kernel *nomen__kernel_writing(const char *name, nomen_dtype dtype, nomen_dtype to) {
    make_ready();
    const nomen__kernel *k = *slot_of(name, dtype, to);
    return k || complete ? k : search(name, dtype, to);
}

/* What was found for the text at an address, most times a word of the program: found again without
 * reading it twice. The row says for itself whether it is the right one. */
enum { KNOWN = 256 };
static const nomen__kernel *_Atomic known[KNOWN];

const nomen__kernel *nomen__kernel_find(const char *name, nomen_dtype dtype) {
    if (!name) return NULL;
    make_ready();
    const nomen__kernel *_Atomic *at = &known[((uintptr_t)name + 37u * (unsigned)dtype) % KNOWN];
    const nomen__kernel *k = atomic_load_explicit(at, memory_order_relaxed);
    /* the linker makes one text of equal ones, most times */
    if (k && k->dtype == dtype && (k->name == name || !strcmp(k->name, name))) return k;
    k = nomen__kernel_writing(name, dtype, NOMEN_DTYPE_NONE);
    if (k) atomic_store_explicit(at, k, memory_order_relaxed);
    return k;
}

nomen__loop *nomen__cast_loop(nomen_dtype from, nomen_dtype to) {
    if (from == to) return NULL;
    make_ready();
    return casts[from][to];
}

nomen__loop *nomen__copy_loop(nomen_dtype dtype) {
    make_ready();
    return copies[dtype];
}

const nomen__kernel *_Atomic nomen__op_kernels[NOMEN__CACHED_OPS][NOMEN_DTYPE_COUNT];

const nomen__kernel *nomen__op_kernel(const nomen__op *op, const char *name, nomen_dtype dtype) {
    const nomen__kernel *k = name == op->kernel ? nomen__op_kernel_known(op, dtype) : NULL;
    if (NOMEN_LIKELY(k != NULL)) return k;
    k = nomen__kernel_find(name, dtype);
    if (name == op->kernel && op->id < NOMEN__CACHED_OPS)
        atomic_store_explicit(&nomen__op_kernels[op->id][dtype], k, memory_order_relaxed);
    return k;
}
