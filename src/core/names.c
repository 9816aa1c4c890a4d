/* The name table, the rules of name lists, and how names and sizes look in messages. The rules by
 * which operations combine names are in src/op. */
#include "core/state.h"
#include "nomen/tensor.h"

#include <pthread.h>

/* ---- the table ------------------------------------------------------------------------------- */

/* Readers take no lock: entries are written once, before their id is published in a slot of the
 * hash, and neither entries nor a hash that was outgrown are ever freed. */
typedef struct entry {
    const char *text;
    uint32_t length, hash;
} entry;

enum { FIRST_CHUNK = 256, CHUNKS = 24, FIRST_SLOTS = 1024 };

typedef struct table {
    struct table *outgrown; /* kept: a reader may be in it */
    uint32_t mask;
    _Atomic nomen_name slots[];
} table;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for insertion */
static entry *_Atomic chunks[CHUNKS]; /* chunk k holds FIRST_CHUNK << k entries */
static table *_Atomic slots;
static _Atomic uint32_t count; /* of entries; ids are 1 .. count */

/* What a byte may be in a name: 1 not the first, 3 any. */
static const uint8_t name_bytes[256] = {
    ['0' ... '9'] = 1, ['A' ... 'Z'] = 3, ['a' ... 'z'] = 3, ['_'] = 3};

/* Of a valid name; 0 for everything else. */
static uint32_t hash_of(const char *text, size_t length) {
    uint32_t h = 2166136261u;
    unsigned fine = length && length < INT32_MAX ? name_bytes[(unsigned char)text[0]] >> 1 : 0;
    for (size_t i = 0; i < length; i++) {
        fine &= name_bytes[(unsigned char)text[i]];
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    }
    h ^= h >> 15;
    return fine ? h + !h : 0;
}

/* Id 1 is the first entry of chunk 0. */
static entry *entry_at(nomen_name id) {
    uint32_t i = id - 1 + FIRST_CHUNK;
    int k = 31 - __builtin_clz(i) - (31 - __builtin_clz(FIRST_CHUNK));
    entry *chunk = atomic_load_explicit(&chunks[k], memory_order_acquire);
    return chunk + (i - ((uint32_t)FIRST_CHUNK << k));
}

static nomen_name find(const table *t, const char *text, size_t length, uint32_t hash) {
    if (!t) return 0;
    for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
        nomen_name id = atomic_load_explicit(&t->slots[i], memory_order_acquire);
        if (!id) return 0;
        const entry *e = entry_at(id);
        if (e->hash == hash && e->length == length && !memcmp(e->text, text, length)) return id;
    }
}

static void place(table *t, nomen_name id, uint32_t hash) {
    uint32_t i = hash & t->mask;
    while (atomic_load_explicit(&t->slots[i], memory_order_relaxed)) i = (i + 1) & t->mask;
    atomic_store_explicit(&t->slots[i], id, memory_order_release);
}

/* With the lock held: a table with room for one more. */
static table *table_for(uint32_t entries) {
    table *t = atomic_load_explicit(&slots, memory_order_relaxed);
    if (t && entries < t->mask / 2) return t;
    uint32_t size = t ? (t->mask + 1) * 2 : FIRST_SLOTS;
    table *larger = nomen__alloc_forever(sizeof *larger + size * sizeof larger->slots[0]);
    if (!larger) return NULL;
    larger->outgrown = t;
    larger->mask = size - 1;
    for (uint32_t i = 0; i < size; i++) atomic_init(&larger->slots[i], 0);
    for (nomen_name id = 1; id <= entries; id++) place(larger, id, entry_at(id)->hash);
    atomic_store_explicit(&slots, larger, memory_order_release);
    return larger;
}

/* With the lock held. */
static bool chunk_for(nomen_name id) {
    uint32_t i = id - 1 + FIRST_CHUNK;
    int k = 31 - __builtin_clz(i) - (31 - __builtin_clz(FIRST_CHUNK));
    if (k >= CHUNKS) {
        nomen__fail(NOMEN_ERROR_MEMORY, "there are %u dim names already: no room for more", id - 1);
        return false;
    }
    if (atomic_load_explicit(&chunks[k], memory_order_relaxed)) return true;
    entry *chunk = nomen__alloc_forever(((size_t)FIRST_CHUNK << k) * sizeof *chunk);
    if (chunk) atomic_store_explicit(&chunks[k], chunk, memory_order_release);
    return chunk != NULL;
}

/* With the lock held. */
static nomen_name insert(const char *text, size_t length, uint32_t hash) {
    uint32_t entries = atomic_load_explicit(&count, memory_order_relaxed);
    nomen_name id = find(atomic_load_explicit(&slots, memory_order_relaxed), text, length, hash);
    if (id) return id; /* somebody was faster */
    id = entries + 1;
    table *t = table_for(entries);
    if (!t || !chunk_for(id)) return 0;
    char *copy = nomen__alloc_forever(length + 1);
    if (!copy) return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    *entry_at(id) = (entry){copy, (uint32_t)length, hash};
    atomic_store_explicit(&count, id, memory_order_release);
    place(t, id, hash);
    return id;
}

/* Anything that would break the line or end the text is shown as an escape. */
static void add_quoted(nomen__text *t, const char *text, size_t length) {
    for (size_t i = 0; i < length && t->used + 1 < t->size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 32 || c == 127)
            nomen__text_add(t, "\\x%02x", c);
        else
            nomen__text_add(t, "%c", c);
    }
}

static nomen_status refuse(const char *text, size_t length) {
    NOMEN__TEXT(shown, 512);
    add_quoted(&shown, text, length);
    return nomen__fail(NOMEN_ERROR_NAME,
                       "Invalid name: a valid identifier contains only digits, alphabetical "
                       "characters, and/or underscore and starts with a non-digit. got: '%s'.",
                       shown_buffer);
}

static nomen_status intern(const char *text, size_t length, nomen_name *result) {
    if (!text) length = 0;
    if (length == 1 && text[0] == '*') {
        *result = 0;
        return NOMEN_OK;
    }
    uint32_t hash = hash_of(text, length);
    if (!hash) return refuse(text, length);
    nomen_name id = find(atomic_load_explicit(&slots, memory_order_acquire), text, length, hash);
    if (!id) {
        nomen__thread_get(); /* the handlers of fork are in place before this lock is first taken */
        pthread_mutex_lock(&lock);
        id = insert(text, length, hash);
        pthread_mutex_unlock(&lock);
        if (!id) return NOMEN_ERROR_MEMORY;
    }
    *result = id;
    return NOMEN_OK;
}

bool nomen_name_intern(const char *text, size_t length, nomen_name *result) {
    return intern(text, length, result) == NOMEN_OK;
}

const char *nomen_name_text(nomen_name name) {
    if (name == 0 || name > atomic_load_explicit(&count, memory_order_acquire)) return NULL;
    return entry_at(name)->text;
}

void nomen__names_fork(nomen__fork phase) {
    if (phase == NOMEN__FORK_BEFORE)
        pthread_mutex_lock(&lock);
    else
        pthread_mutex_unlock(&lock);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

nomen_status nomen__names_split(const char *text, nomen_name names[NOMEN_MAX_DIMS], int *result) {
    int n = 0;
    for (const char *p = text; *p;) {
        if (blank(*p)) {
            p++;
            continue;
        }
        const char *start = p;
        while (*p && !blank(*p)) p++;
        if (n == NOMEN_MAX_DIMS)
            return nomen__fail(
                NOMEN_ERROR_NAME,
                "Named tensors only support up to %d dims: these are more than %d names",
                NOMEN_MAX_DIMS, NOMEN_MAX_DIMS);
        nomen_status status = intern(start, (size_t)(p - start), &names[n++]);
        if (status) return status;
    }
    *result = n;
    return NOMEN_OK;
}

void nomen__set_names(nomen_tensor *t, const nomen_name *names) {
    nomen_name any = 0;
    if (names)
        for (int i = 0; i < t->ndim; i++) any |= names[i];
    if (!any) {
        t->flags &= (uint8_t)~NOMEN__NAMED;
        return;
    }
    for (int i = 0; i < t->ndim; i++) t->names[i] = names[i];
    t->flags |= NOMEN__NAMED;
}

static bool repeats(const nomen_name *names, int n) {
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i && names[i]; k++)
            if (names[k] == names[i]) return true;
    return false;
}

nomen_status nomen__check_names(const nomen_name *names, int n, int ndim) {
    bool fits = ndim <= NOMEN_MAX_DIMS && n == ndim;
    if (NOMEN_LIKELY(fits && (!names || !repeats(names, n)))) return NOMEN_OK;
    NOMEN__TEXT(list, 900);
    nomen__text_names(&list, names, n);
    if (ndim > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_NAME,
                           "Named tensors only support up to %d dims: Attempted to create a tensor "
                           "with dim %d with names %s",
                           NOMEN_MAX_DIMS, ndim, list_buffer);
    if (n != ndim)
        return nomen__hint(
            nomen__fail(
                NOMEN_ERROR_NAME,
                "Number of names (%d) and number of dimensions in tensor (%d) do not match. "
                "Attempted to create a tensor with names %s",
                n, ndim, list_buffer),
            "one name per dim is wanted; a dim without a name is None, in C \"*\"");
    return nomen__hint(nomen__fail(NOMEN_ERROR_NAME,
                                   "Cannot construct a tensor with duplicate names. Got names: %s.",
                                   list_buffer),
                       "each name may stand once: give one of them another name, or None");
}

/* ---- texts ----------------------------------------------------------------------------------- */

void nomen__text_names(nomen__text *t, const nomen_name *names, int n) {
    nomen__text_add(t, "[");
    for (int i = 0; i < n; i++) {
        const char *name = names ? nomen_name_text(names[i]) : NULL;
        const char *quote = name ? "'" : "";
        nomen__text_add(t, "%s%s%s%s", i ? ", " : "", quote, name ? name : "None", quote);
    }
    nomen__text_add(t, "]");
}

void nomen__text_sizes(nomen__text *t, const int64_t *size, int n) {
    nomen__text_add(t, "[");
    for (int i = 0; i < n; i++) nomen__text_add(t, "%s%lld", i ? ", " : "", (long long)size[i]);
    nomen__text_add(t, "]");
}

void nomen__text_tensor(nomen__text *t, const nomen_tensor *x, bool dtype) {
    if (!x) {
        nomen__text_add(t, "NULL");
        return;
    }
    nomen__text_add(t, "Tensor[");
    for (int i = 0; i < x->ndim; i++) {
        const char *name = nomen_name_text(nomen__name_at(x, i));
        nomen__text_add(t, "%s%s%s%lld", i ? ", " : "", name ? name : "", name ? "=" : "",
                        (long long)x->size[i]);
    }
    if (dtype)
        nomen__text_add(t, "%s%s", x->ndim ? ", " : "", nomen_dtype_name((nomen_dtype)x->dtype));
    nomen__text_add(t, "]");
}
