/* Places in a tensor: from indices to distances in memory, all checked first; and the walks between
 * such places and rows of elements. */
#include "op/places.h"

#include "op/tile.h"

#include <string.h>

/* ---- finding them ---------------------------------------------------------------------------- */

typedef struct place_job {
    const int64_t *from; /* the index; may be what becomes the places */
    int64_t *at;
    nomen__loop *outside; /* the kernel that looks for what is out of range */
    int64_t limit;
    bool negative;
    int ndim; /* of the dims counted as one, those of size 1 left out and neighbours joined */
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
    /* along one dim: the coordinates that the index itself has */
    int own_ndim; /* those that go on in each other are one */
    int64_t own_size[NOMEN_MAX_DIMS], own_stride[NOMEN_MAX_DIMS];
    int64_t row_stride[NOMEN_MAX_DIMS]; /* of the rows, if they have no one step */
    _Atomic int64_t wrong;              /* the first one out of range */
} place_job;

static void remember(place_job *job, int64_t i) {
    int64_t seen = atomic_load_explicit(&job->wrong, memory_order_relaxed);
    while (i < seen && !atomic_compare_exchange_weak_explicit(
                           &job->wrong, &seen, i, memory_order_relaxed, memory_order_relaxed)) {}
}

/* -1: out of range */
static inline int64_t in_range(const place_job *job, int64_t v) {
    if (v < 0 && job->negative) v += job->limit;
    return (uint64_t)v < (uint64_t)job->limit ? v : -1;
}

static int64_t distance(const place_job *job, int64_t v) {
    int64_t sum = 0;
    if (NOMEN_LIKELY(job->limit <= UINT32_MAX)) /* half the digits are divided in half the time */
        for (int d = job->ndim - 1; d > 0; d--) {
            const uint32_t short_v = (uint32_t)v, size = (uint32_t)job->size[d];
            sum += (int64_t)(short_v % size) * job->stride[d];
            v = short_v / size;
        }
    else
        for (int d = job->ndim - 1; d > 0; d--) {
            sum += v % job->size[d] * job->stride[d];
            v /= job->size[d];
        }
    return job->ndim ? sum + v * job->stride[0] : 0;
}

static bool any_outside(const int64_t *v, int64_t n, const place_job *job) {
    uint64_t bits;
    job->outside(
        (char *const[]){(char *)&bits, (char *)(uintptr_t)v, (char *)(uintptr_t)&job->limit}, NULL,
        n);
    return bits >> 63;
}

/* Places base + i * step + v[i] * stride, of indices in range. */
static void place_run(const place_job *job, int64_t *at, const int64_t *v, int64_t n, int64_t base,
                      int64_t step) {
    int64_t stride = job->stride[0];
    if (stride == 1)
        for (int64_t i = 0; i < n; i++) at[i] = base + i * step + v[i];
    else
        for (int64_t i = 0; i < n; i++) at[i] = base + i * step + v[i] * stride;
}

/* RUN: what is checked is in cache still when it is read again. Fewer units than FEW leave threads
 * without work: they are cut into slices of SLICE elements. */
enum { RUN = 1024, FEW = 64, SLICE = 256 };

/* What is out of range stays, to be told. */
static void find(void *context, int64_t begin, int64_t end) {
    place_job *job = context;
    for (; begin < end; begin += RUN) {
        int64_t n = end - begin < RUN ? end - begin : RUN, *at = job->at + begin;
        const int64_t *from = job->from + begin;
        if (job->ndim == 1 && !any_outside(from, n, job)) {
            place_run(job, at, from, n, 0, 0);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t v = in_range(job, from[i]);
            if (NOMEN_UNLIKELY(v < 0))
                remember(job, begin + i);
            else
                at[i] = distance(job, v);
        }
    }
}

/* Where element i of an index along one dim lies, by the index's own coordinates; how many elements
 * from it on differ in the last one only. */
static int64_t base_of(const place_job *job, const int64_t *stride, int64_t i, int64_t *left) {
    int64_t base = 0;
    *left = 1;
    for (int d = job->own_ndim - 1; d >= 0; d--) {
        int64_t at = i % job->own_size[d];
        i /= job->own_size[d];
        base += at * stride[d];
        if (d == job->own_ndim - 1) *left = job->own_size[d] - at;
    }
    return base;
}

/* Vectors have a product of factors of 32 bits; one of 64 they must put together. */
static bool is_narrow(const place_job *job) {
    return job->limit <= UINT32_MAX && job->stride[0] >= 0 && job->stride[0] <= UINT32_MAX;
}
/* Lines of a few elements: so many make a group, and so many groups follow each other. */
typedef struct short_lines {
    int64_t count, groups;
    int64_t step, next, next_group; /* from element to element, line to line, group to group */
} short_lines;

static inline __attribute__((always_inline)) void line_run(const place_job *job, int64_t *at,
                                                           const int64_t *v,
                                                           const short_lines *lines, int64_t base,
                                                           int64_t n, const bool narrow) {
    const short_lines l = *lines; /* or it would be read again after each store */
    const int64_t stride = job->stride[0];
    for (int64_t g = 0; g < l.groups; g++, base += l.next_group) {
        int64_t own = base;
        for (int64_t k = 0; k < l.count; k++, at += n, v += n, own += l.next)
            for (int64_t i = 0; i < n; i++)
                at[i] = own + i * l.step +
                        (narrow ? (int64_t)((uint64_t)(uint32_t)v[i] * (uint32_t)stride)
                                : v[i] * stride);
    }
}

/* How many whole lines of n elements from `begin` on, where one begins, lie one step of the next
 * dim apart. */
static int64_t lines_from(const place_job *job, int64_t begin, int64_t end, int64_t n) {
    const int64_t all = job->own_size[job->own_ndim - 2], left = all - begin / n % all,
                  whole = (end - begin) / n;
    return left < whole ? left : whole;
}

/* Short lines from element `begin` on, as many as follow each other: how many elements that is.
 * Where each began would take longer to find out than all else. */
static int64_t find_lines(const place_job *job, int64_t begin, int64_t end, int64_t *to,
                          int64_t base) {
    const int d = job->own_ndim - 2;
    const int64_t n = job->own_size[d + 1], *v = job->from + begin;
    short_lines l = {lines_from(job, begin, end, n), 1, job->own_stride[d + 1], job->own_stride[d],
                     0};
    const int64_t group = n * l.count;
    if (d > 0 && l.count == job->own_size[d]) {
        const int64_t all = job->own_size[d - 1], left = all - begin / group % all;
        l.groups = (end - begin) / group;
        if (l.groups > left) l.groups = left;
        l.next_group = job->own_stride[d - 1];
    }
    switch (n) {
    case 2: line_run(job, to, v, &l, base, 2, false); break;
    case 3: line_run(job, to, v, &l, base, 3, false); break;
    case 4: line_run(job, to, v, &l, base, 4, false); break;
    default:
        if (is_narrow(job))
            line_run(job, to, v, &l, base, n, true);
        else
            line_run(job, to, v, &l, base, n, false);
    }
    return l.groups * group;
}

/* The places of the elements begin to end of an index along one dim, all of them in range. */
static void find_along(const place_job *job, int64_t begin, int64_t end, int64_t *to) {
    enum { SHORT = 32 };
    const int last = job->own_ndim - 1;
    int64_t left, step = last < 0 ? 0 : job->own_stride[last];
    while (begin < end) {
        const int64_t base = base_of(job, job->own_stride, begin, &left);
        int64_t n = left < end - begin ? left : end - begin;
        if (last > 0 && n == job->own_size[last] && n <= SHORT)
            n = find_lines(job, begin, end, to, base);
        else
            place_run(job, to, job->from + begin, n, base, step);
        to += n;
        begin += n;
    }
}

/* What is out of range is remembered; false: something is. */
static bool all_inside(place_job *job, int64_t begin, int64_t end) {
    if (!any_outside(job->from + begin, end - begin, job)) return true;
    for (int64_t i = begin; i < end; i++)
        if (in_range(job, job->from[i]) < 0) remember(job, i);
    return false;
}

static void check_along(void *context, int64_t begin, int64_t end) {
    (void)all_inside(context, begin, end);
}

static nomen_status out_of_range(const nomen__place_rule *rule, int64_t v, int64_t limit) {
    if (rule->words == NOMEN__RANGE_FLAT)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "out of range: tried to access index %lld on a tensor of %lld elements.",
                           (long long)v, (long long)limit);
    if (limit == 0 && rule->words == NOMEN__RANGE_INDEX)
        return nomen__fail(NOMEN_ERROR_INDEX,
                           "index is out of bounds for dimension with size 0: index %lld",
                           (long long)v);
    nomen_status code = rule->words == NOMEN__RANGE_RUNTIME ? NOMEN_ERROR_SHAPE : NOMEN_ERROR_INDEX;
    const char *before = rule->words == NOMEN__RANGE_SELF   ? "index out of range in self: "
                         : rule->words == NOMEN__RANGE_COPY ? "index_copy_(): "
                                                            : "";
    bool single = rule->count == 1 && rule->first < rule->table->ndim;
    const char *name = single ? nomen_name_text(nomen__name_at(rule->table, rule->first)) : NULL;
    if (name)
        return nomen__fail(code, "%sindex %lld is out of bounds for dimension '%s' with size %lld",
                           before, (long long)v, name, (long long)limit);
    return nomen__fail(code, "%sindex %lld is out of bounds for dimension %d with size %lld",
                       before, (long long)v, rule->first, (long long)limit);
}

/* Joins the dims that are counted as one where strides allow it. */
static void join_group(place_job *job, const nomen__place_rule *rule) {
    const nomen_tensor *t = rule->table;
    job->limit = 1;
    job->ndim = 0;
    for (int d = rule->first; d < rule->first + rule->count; d++) {
        job->limit *= t->size[d];
        if (t->size[d] == 1) continue;
        int last = job->ndim - 1;
        if (job->ndim && job->stride[last] == t->size[d] * t->stride[d]) {
            job->size[last] *= t->size[d];
            job->stride[last] = t->stride[d];
            continue;
        }
        job->size[job->ndim] = t->size[d];
        job->stride[job->ndim++] = t->stride[d];
    }
}

/* index itself, or a contiguous copy in int64. */
static nomen_tensor *plain_index(nomen_tensor *index) {
    if (index->dtype == NOMEN_I64 && (index->flags & NOMEN__CONTIGUOUS))
        return nomen__retain(index);
    return nomen__copied(nomen__tensor_empty(NOMEN_I64, index->ndim, index->size), index);
}

/* Before indices are looked at: nothing is wrong so far. */
static void begin_looking(place_job *job) {
    job->outside = nomen__kernel_find("outside", NOMEN_I64)->loop;
    atomic_init(&job->wrong, INT64_MAX);
}

/* Takes over places. */
static nomen_tensor *all_of(nomen_tensor *places, const nomen__place_rule *rule, place_job *job,
                            nomen__task *task) {
    job->negative = rule->negative;
    begin_looking(job);
    nomen_status s = NOMEN_OK;
    if (places->numel) s = nomen__parallel_asking(places->numel, NOMEN__GRAIN, task, job);
    int64_t wrong = atomic_load_explicit(&job->wrong, memory_order_relaxed);
    if (!s && wrong == INT64_MAX) return places;
    if (!s) out_of_range(rule, job->from[wrong], job->limit);
    nomen__release(places);
    return NULL;
}

static void look(void *context, int64_t begin, int64_t end) {
    place_job *job = context;
    if (any_outside(job->from + begin, end - begin, job)) remember(job, begin);
}

/* Are all indices distances as they are, but for a factor? */
static bool are_places(place_job *job, int64_t n, int64_t *unit) {
    if (job->ndim != 1 || (!unit && job->stride[0] != 1)) return false;
    begin_looking(job);
    if (n) nomen__parallel(n, NOMEN__GRAIN, look, job);
    if (atomic_load_explicit(&job->wrong, memory_order_relaxed) != INT64_MAX) return false;
    if (unit) *unit = job->stride[0];
    return true;
}

nomen_tensor *nomen__places(nomen_tensor *index, const nomen__place_rule *rule, int64_t *unit) {
    nomen_tensor *from = plain_index(index), *places = from;
    place_job job;
    if (unit) *unit = 1;
    if (!from) return NULL;
    join_group(&job, rule);
    job.from = (const int64_t *)(const void *)from->data;
    if (are_places(&job, from->numel, unit)) return from;
    if (from == index) places = nomen__tensor_empty(NOMEN_I64, index->ndim, index->size);
    if (places) {
        job.at = (int64_t *)(void *)places->data;
        places = all_of(places, rule, &job, find);
    }
    if (from == index) nomen__release(from);
    return places;
}

/* row_stride: of the rows, where they have no one step; else NULL. */
static void along(place_job *job, const nomen_tensor *index, const nomen_tensor *table, int dim,
                  const int64_t *row_stride) {
    job->limit = table->ndim ? table->size[dim] : 1;
    job->from = (const int64_t *)(const void *)index->data;
    job->ndim = 1;
    job->stride[0] = table->ndim ? table->stride[dim] : 0;
    int last = -1;
    for (int d = 0; d < index->ndim; d++) {
        /* an index with dims for a 0-d table has one element */
        const int64_t size = index->size[d], row = row_stride ? row_stride[d] : 0,
                      own = d == dim || d >= table->ndim ? 0 : table->stride[d];
        if (size == 1) continue;
        if (last >= 0 && job->own_stride[last] == own * size &&
            (!row_stride || job->row_stride[last] == row * size)) {
            job->own_size[last] *= size;
        } else {
            job->own_size[++last] = size;
        }
        job->own_stride[last] = own;
        job->row_stride[last] = row;
    }
    job->own_ndim = last + 1;
}

nomen_tensor *nomen__index_along(nomen_tensor *index, const nomen__place_rule *rule) {
    nomen_tensor *from = plain_index(index);
    if (!from) return NULL;
    place_job job;
    along(&job, from, rule->table, rule->first, NULL);
    return rule->late ? from : all_of(from, rule, &job, check_along);
}

/* ---- rows ------------------------------------------------------------------------------------ */

bool nomen__one_step(const nomen_tensor *t, int first, int count, int64_t *step) {
    int64_t next = 0;
    bool begun = false;
    *step = 0;
    for (int d = first + count - 1; d >= first; d--) {
        if (t->size[d] == 1) continue;
        if (begun && t->stride[d] != next) return false;
        if (!begun) *step = t->stride[d];
        begun = true;
        next = t->stride[d] * t->size[d];
    }
    return true;
}

/* Whether what lies side by side at a place of the table does so in rows, too, or is one element:
 * else it would go element by element, to or from places far from each other. */
static bool has_runs(const nomen_tensor *rows, const nomen__place_rule *rule, int index_ndim) {
    enum { SHORT = 16 };
    const nomen_tensor *table = rule->table;
    for (int d = 0; d < table->ndim; d++) {
        if (d >= rule->first && d < rule->first + rule->count) continue;
        if (table->size[d] == 1 || table->stride[d] != 1) continue;
        const int own = d < rule->first ? d : d - rule->count + index_ndim;
        return rows->size[own] < SHORT || (uint64_t)rows->stride[own] <= 1;
    }
    return true;
}

nomen_tensor *nomen__dense_like(nomen_tensor *t, nomen_dtype dtype, int ndim, const int64_t *size,
                                const nomen_tensor *model) {
    nomen_tensor *made = nomen__tensor_empty(dtype, ndim, size);
    if (made && ndim == model->ndim && !(model->flags & NOMEN__CONTIGUOUS))
        nomen__lay_out_like(made, model);
    return nomen__copied(made, t);
}

nomen_tensor *nomen__place_rows(nomen_tensor *t, nomen_dtype dtype, int ndim, const int64_t *size,
                                int first, int count, const nomen__place_rule *rule) {
    int64_t step;
    if (t->dtype != (uint8_t)dtype && t->numel == 1) { /* one number: cast once, then broadcast */
        nomen_tensor *one = nomen__copied(nomen__tensor_empty(dtype, t->ndim, t->size), t);
        nomen_tensor *rows =
            one ? nomen__place_rows(one, dtype, ndim, size, first, count, rule) : NULL;
        nomen__release(one);
        return rows;
    }
    if (t->dtype == (uint8_t)dtype) {
        int64_t stride[NOMEN_MAX_DIMS];
        for (int d = 0; d < ndim; d++) {
            int own = d - (ndim - t->ndim);
            stride[d] = own < 0 || t->size[own] == 1 ? 0 : t->stride[own];
        }
        nomen_tensor *rows = nomen__tensor_view(t, dtype, ndim, size, stride, 0);
        if (!rows) return NULL;
        if (nomen__one_step(rows, first, count, &step) && (!rule || has_runs(rows, rule, count)))
            return rows;
        nomen__release(rows);
    }
    return rule ? nomen__dense_like(t, dtype, ndim, size, rule->table)
                : nomen__copied(nomen__tensor_empty(dtype, ndim, size), t);
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct place_walk {
    nomen__place_kind kind;
    nomen__loop *points, *copy, *fold; /* fold: of whole runs, NULL: they are moved */
    char *table, *rows;
    const int64_t *at;         /* NULL: found on the way */
    int64_t unit;              /* bytes that they count: an element where something is put */
    place_job *along;          /* how */
    bool late;                 /* indices are looked at on the way, too */
    bool plain;                /* they are places but for what a row adds */
    int64_t count, item, run;  /* places; bytes of an element; elements in a row at each place */
    int64_t row_step;          /* bytes from one place to the next in rows */
    const int64_t *row_stride; /* with along: of rows that have no one step; NULL: they have */
    int64_t run_step;          /* within a run of rows; 0: one element, again and again */
    int64_t place_step;        /* within a run of the table */
    int64_t apart;             /* so many places in a row have nothing to do with the next ones */
    int64_t inner; /* with along: of them so many, again and again, are different ones */
    int ndim;      /* what is done for every index of these dims, innermost first */
    int64_t size[NOMEN_MAX_DIMS], table_step[NOMEN_MAX_DIMS], rows_step[NOMEN_MAX_DIMS];
} place_walk;

/* Lines of places that are walked in one call, and the bytes from one to the next. */
typedef struct place_lines {
    int64_t count, table, rows, at;
} place_lines;

static const place_lines one_line = {.count = 1};

/* by: what a place counts, in bytes. near: the places are in cache, or will be. */
static void walk_points(const place_walk *w, char *table, char *rows, const int64_t *at, int64_t by,
                        int64_t n, bool near, const place_lines *l) {
    char *places = (char *)(uintptr_t)at;
    if (w->kind == NOMEN__PLACE_TAKE)
        w->points((char *const[]){rows, table, places},
                  (const int64_t[NOMEN__POINTS_STEPS]){w->row_step, by, 8, l->count, l->rows,
                                                       l->table, l->at},
                  n);
    else
        w->points((char *const[]){table, places, rows},
                  (const int64_t[NOMEN__POINTS_STEPS]){near, by, w->row_step, l->count, l->table,
                                                       l->at, l->rows},
                  n);
}

/* Are all places of a piece of the table in cache, or nearly? All that they may lie in is asked
 * for, if that is little and most of it will be needed: the indices are read and checked meanwhile.
 */
static bool is_near(const place_walk *w, const char *table, int64_t n) {
    enum { NEAR = 8192, FAR = 1 << 21, LINE = 64 };
    const int64_t limit = w->along->limit, stride = w->along->stride[0];
    if (limit > FAR || stride > FAR || stride <= 0) return false;
    const int64_t bytes = limit * stride * w->item;
    if (bytes > NEAR || n < bytes / LINE) return bytes <= FAR;
    for (int64_t i = 0; i < bytes; i += LINE) __builtin_prefetch(table + i, 1);
    return true;
}

/* How many whole lines of n places from begin on, of at most RUN places, lie one step apart in the
 * table and in rows. */
static int64_t lines_along(const place_walk *w, int64_t begin, int64_t end, int64_t n,
                           place_lines *l) {
    const place_job *job = w->along;
    const int d = job->own_ndim - 2;
    l->count = 1;
    if (d < 0 || 2 * n > RUN || 2 * n > end - begin || begin % n) return 1;
    l->count = lines_from(job, begin, end - begin < RUN ? end : begin + RUN, n);
    l->table = job->own_stride[d] * w->item;
    l->rows = w->row_stride ? w->row_stride[d] * w->item : n * w->row_step;
    l->at = 8 * n;
    return l->count;
}

/* Places begin to end of an index along a dim. */
static void walk_along(const place_walk *w, char *table, char *rows, int64_t begin, int64_t end) {
    enum { LINES_LEAST = 64 }; /* elements of short lines: where fewer begin takes longer to find */
    const place_job *job = w->along;
    const int64_t line = job->own_ndim ? job->own_size[job->own_ndim - 1] : 1;
    int64_t found[RUN];
    char *const first = rows;
    rows += begin * w->row_step;
    for (int64_t n; begin < end; begin += n, rows += n * w->row_step) {
        place_lines l = one_line;
        int64_t left, base = base_of(job, job->own_stride, begin, &left);
        n = end - begin < left ? end - begin : left;
        if (w->row_stride) rows = first + base_of(job, w->row_stride, begin, &left) * w->item;
        if (w->plain && n == line) n *= lines_along(w, begin, end, n, &l);
        if (line < NOMEN__PLACE_RUN && n < LINES_LEAST) {
            n /= l.count;
            l.count = 1;
        }
        /* the index itself, but for where it starts */
        const bool plain = w->plain && n >= NOMEN__PLACE_RUN;
        if (plain && n > RUN && w->late) n = RUN;
        if (!plain && (!w->row_stride || n > RUN)) n = end - begin < RUN ? end - begin : RUN;
        const bool near = plain && (l.count > 1 || is_near(w, table + base * w->item, n));
        if (w->late && !all_inside(w->along, begin, begin + n)) continue;
        if (plain) {
            walk_points(w, table + base * w->item, rows, job->from + begin,
                        job->stride[0] * w->item, n / l.count, near, &l);
            continue;
        }
        find_along(job, begin, begin + n, found);
        walk_points(w, table, rows, found, w->item, n, false, &l);
    }
}

/* Runs of few bytes between n places and rows: so many words, of which the last one is perhaps over
 * the one before it. */
static inline __attribute__((always_inline)) void move_words(const place_walk *w, char *table,
                                                             char *rows, const int64_t *at,
                                                             int64_t n, const int64_t word,
                                                             const int64_t words) {
    const int64_t unit = w->unit, last = w->run * w->item - word, step = w->row_step;
    const bool take = w->kind == NOMEN__PLACE_TAKE;
    for (int64_t i = 0; i < n; i++, rows += step) {
        char *const place = table + at[i] * unit, *const to = take ? rows : place;
        const char *const from = take ? place : rows;
#pragma GCC unroll 16
        for (int64_t k = 0; k < words - 1; k++)
            memcpy(to + k * word, from + k * word, (size_t)word);
        memcpy(to + last, from + last, (size_t)word);
    }
}

/* false: they are more. */
static bool move_short(const place_walk *w, char *table, char *rows, const int64_t *at, int64_t n) {
    enum { WORD = 16, MOST = 10 * WORD }; /* longer ones the C library knows better */
    const int64_t bytes = w->run * w->item;
    if (w->fold || bytes > MOST || bytes < 2 || (w->kind != NOMEN__PLACE_TAKE && !w->run_step))
        return false;
    if (bytes < 4)
        move_words(w, table, rows, at, n, 2, 2);
    else if (bytes < 8)
        move_words(w, table, rows, at, n, 4, 2);
    else if (bytes < WORD)
        move_words(w, table, rows, at, n, 8, 2);
    else
        switch ((bytes - 1) / WORD) {
        case 0: move_words(w, table, rows, at, n, WORD, 1); break;
        case 1: move_words(w, table, rows, at, n, WORD, 2); break;
        case 2: move_words(w, table, rows, at, n, WORD, 3); break;
        case 3: move_words(w, table, rows, at, n, WORD, 4); break;
        case 4: move_words(w, table, rows, at, n, WORD, 5); break;
        case 5: move_words(w, table, rows, at, n, WORD, 6); break;
        case 6: move_words(w, table, rows, at, n, WORD, 7); break;
        case 7: move_words(w, table, rows, at, n, WORD, 8); break;
        case 8: move_words(w, table, rows, at, n, WORD, 9); break;
        default: move_words(w, table, rows, at, n, WORD, 10); break;
        }
    return true;
}

/* Runs of elements at n places. */
static void walk_runs(const place_walk *w, char *table, char *rows, const int64_t *at, int64_t n) {
    const int64_t bytes = w->run * w->item, row_step = w->row_step, place_step = w->place_step;
    const bool stepped = place_step != w->item;
    int64_t run_step = w->run_step;
    if (!stepped && move_short(w, table, rows, at, n)) return;
    if (w->kind == NOMEN__PLACE_PUT && run_step == 0 && row_step == 0 && !stepped) {
        /* one number everywhere: the first run is what the others are copied from */
        char *place = table + *at++ * w->unit;
        w->copy((char *const[]){place, rows}, (const int64_t[]){w->item, 0}, w->run);
        rows = place;
        run_step = w->item;
        n--;
    }
    for (int64_t i = 0; i < n; i++, rows += row_step) {
        char *place = table + at[i] * w->unit;
        if (w->fold)
            w->fold((char *const[]){place, place, rows},
                    (const int64_t[]){place_step, place_step, run_step}, w->run);
        else if (w->kind == NOMEN__PLACE_TAKE && stepped)
            w->copy((char *const[]){rows, place}, (const int64_t[]){w->item, place_step}, w->run);
        else if (w->kind == NOMEN__PLACE_TAKE)
            nomen__copy_block(rows, place, bytes);
        else if (run_step == 0 || stepped)
            w->copy((char *const[]){place, rows}, (const int64_t[]){place_step, run_step}, w->run);
        else if (place != rows)
            nomen__copy_block(place, rows, bytes);
    }
}

/* Where what is side by side in rows is not in the table: so many lines of places that they fill a
 * line of the cache in rows are taken together, and turned over. An element here and there is no
 * match for the sets of a cache, which those that are a power of two apart share, nor for one that
 * is too small; else lines of few elements are not worth it. */
enum { LINE = 64, FEW_LINES = 8, FEW_PLACES = 24 };
enum { FEW_WALKED = 8 }; /* places that may be walked one by one, of all lines */

static bool is_turned(const place_walk *w) {
    enum { SHARING = 256, LARGE = 1 << 20 }; /* bytes */
    return w->kind == NOMEN__PLACE_TAKE && w->at && w->run == 1 && w->ndim &&
           w->rows_step[0] == w->item && w->size[0] >= FEW_LINES && w->count >= FEW_PLACES &&
           (w->item < 8 || w->row_step % SHARING == 0 || w->row_step * w->count >= LARGE);
}

static void take_turned(const place_walk *w, char *table, char *rows, int64_t begin, int64_t end,
                        const place_lines *l) {
    enum { PLACES = 256 };
    _Alignas(64) char taken[LINE * PLACES];
    const int64_t item = w->item, row = PLACES * item, most = LINE / item;
    for (int64_t k = 0, lines; k < l->count; k += lines) {
        lines = l->count - k < most ? l->count - k : most;
        for (int64_t i = begin, n; i < end; i += n) {
            n = end - i < PLACES ? end - i : PLACES;
            w->points(
                (char *const[]){taken, table + k * l->table, (char *)(uintptr_t)(w->at + i)},
                (const int64_t[NOMEN__POINTS_STEPS]){item, w->unit, 8, lines, row, l->table, 0}, n);
            nomen__turn_tile(rows + k * item + i * w->row_step, w->row_step, taken, row, lines, n,
                             item);
        }
    }
}

/* A few places of each of many outer indices: one place of all of them after the other, so that it
 * is one long move. Each element meets what is put to it in the same order as ever. */
static bool walk_few(const place_walk *w, char *table, char *rows, const int64_t *at, int64_t n,
                     const place_lines *l) {
    enum { LEAST = 16, SOME = 512, FEWER = 4, WORD = 4 };
    const int64_t bytes = w->run * w->item;
    const bool rows_only = w->fold || !w->run_step || w->place_step != w->item;
    /* what is added waits for what was, and each element lies in a line of its own */
    const bool words = w->fold && w->item >= WORD; /* of smaller ones vectors hold many lines */
    const int64_t far = w->item >= 8 ? LINE : 2 * LINE;
    const int64_t most = words || (w->run == 1 && l->table >= far) ? FEWER : FEW_WALKED;
    if (n > most || l->count < LEAST || (w->run > 1 && rows_only)) return false;
    for (int64_t first = 0, some; first < l->count; first += some) {
        some = l->count - first < SOME ? l->count - first : SOME;
        for (int64_t i = 0; i < n; i++) {
            char *const place = table + first * l->table + at[i] * w->unit, *const row =
                                                                                rows +
                                                                                first * l->rows +
                                                                                i * w->row_step;
            if (w->fold)
                w->fold((char *const[]){place, place, row},
                        (const int64_t[]){l->table, l->table, l->rows}, some);
            else if (w->run > 1 && w->kind == NOMEN__PLACE_TAKE)
                nomen__copy_rows(row, l->rows, place, l->table, some, bytes);
            else if (w->run > 1)
                nomen__copy_rows(place, l->table, row, l->rows, some, bytes);
            else if (w->kind == NOMEN__PLACE_TAKE)
                w->copy((char *const[]){row, place}, (const int64_t[]){l->rows, l->table}, some);
            else
                w->copy((char *const[]){place, row}, (const int64_t[]){l->table, l->rows}, some);
        }
    }
    return true;
}

/* Places begin to end of outer indices that follow each other: l. */
static void walk_places(const place_walk *w, char *table, char *rows, int64_t begin, int64_t end,
                        const place_lines *l) {
    if (!w->at) {
        walk_along(w, table, rows, begin, end);
        return;
    }
    if (l->count >= FEW_LINES && is_turned(w)) {
        take_turned(w, table, rows, begin, end, l);
        return;
    }
    rows += begin * w->row_step;
    if (walk_few(w, table, rows, w->at + begin, end - begin, l)) return;
    if (w->run == 1) {
        walk_points(w, table, rows, w->at + begin, w->unit, end - begin, false, l);
        return;
    }
    for (int64_t i = 0; i < l->count; i++)
        walk_runs(w, table + i * l->table, rows + i * l->rows, w->at + begin, end - begin);
}

/* Units are places within outer indices. */
static void walk_units(void *context, int64_t begin, int64_t end) {
    const place_walk *w = context;
    int64_t index[NOMEN_MAX_DIMS], outer = 0, from = begin;
    if (begin >= w->count) { /* a few elements take less time than a division */
        outer = begin / w->count;
        from = begin % w->count;
    }
    char *table = w->table, *rows = w->rows;
    for (int d = 0; d < w->ndim; d++) {
        index[d] = outer ? outer % w->size[d] : 0;
        outer = outer ? outer / w->size[d] : 0;
        table += index[d] * w->table_step[d];
        rows += index[d] * w->rows_step[d];
    }
    while (begin < end) {
        const int64_t to = w->count - from < end - begin ? w->count : from + end - begin;
        place_lines l = one_line;
        if (w->ndim && from == 0 && end - begin >= 2 * w->count) { /* several outer indices */
            const int64_t left = w->size[0] - index[0], whole = (end - begin) / w->count;
            l = (place_lines){left < whole ? left : whole, w->table_step[0], w->rows_step[0], 0};
        }
        walk_places(w, table, rows, from, to, &l);
        begin += l.count * (to - from);
        from = 0;
        for (int d = 0; d < w->ndim; d++) {
            const int64_t steps = d ? 1 : l.count;
            table += steps * w->table_step[d];
            rows += steps * w->rows_step[d];
            index[d] += steps;
            if (index[d] < w->size[d]) break;
            table -= w->size[d] * w->table_step[d];
            rows -= w->size[d] * w->rows_step[d];
            index[d] = 0;
        }
    }
}

/* Whatever may come to the same place belongs to one thread. */
static void walk_apart(void *context, int64_t begin, int64_t end) {
    const place_walk *w = context;
    walk_units(context, begin * w->apart, end * w->apart);
}

/* Along a far dim: of each row of the index a slice, which meets none of the others. A slice of the
 * table stays in cache, too. */
static void walk_slices(void *context, int64_t begin, int64_t end) {
    const place_walk *w = context;
    const int64_t slices = (w->inner + SLICE - 1) / SLICE;
    for (; begin < end; begin++) {
        const int64_t at = begin % slices * SLICE,
                      n = w->inner - at < SLICE ? w->inner - at : SLICE;
        const int64_t first = begin / slices * w->apart;
        for (int64_t row = 0; row < w->apart; row += w->inner)
            walk_places(w, w->table, w->rows, first + row + at, first + row + at + n, &one_line);
    }
}

static void add_outer(place_walk *w, int64_t size, int64_t table_step, int64_t rows_step) {
    const int last = w->ndim - 1;
    if (size == 1) return;
    table_step *= w->item;
    rows_step *= w->item;
    if (last >= 0 && table_step == w->table_step[last] * w->size[last] &&
        rows_step == w->rows_step[last] * w->size[last]) {
        w->size[last] *= size;
        return;
    }
    w->size[w->ndim] = size;
    w->table_step[w->ndim] = table_step;
    w->rows_step[w->ndim++] = rows_step;
}

/* Of few places the lines are walked place by place, if they are many: those of the longest dim. */
static void choose_lines(place_walk *w) {
    enum { MANY = 16 };
    int longest = 0;
    if (w->count > FEW_WALKED || w->ndim < 2 || w->size[0] >= MANY) return;
    for (int d = 1; d < w->ndim; d++)
        if (w->size[d] > w->size[longest]) longest = d;
    const int64_t size = w->size[0], table = w->table_step[0], rows = w->rows_step[0];
    w->size[0] = w->size[longest];
    w->table_step[0] = w->table_step[longest];
    w->rows_step[0] = w->rows_step[longest];
    w->size[longest] = size;
    w->table_step[longest] = table;
    w->rows_step[longest] = rows;
}

static void set_kernels(place_walk *w, nomen_dtype dtype) {
    static const char *const points[] = {"take", "put", "put_add", "put_mul", "put_max", "put_min"};
    static const char *const folds[] = {NULL, NULL, "add", "mul", "maximum", "minimum"};
    w->points = nomen__kernel_find(points[w->kind], dtype)->loop;
    w->copy = nomen__copy_loop(dtype);
    w->fold = folds[w->kind] ? nomen__kernel_find(folds[w->kind], dtype)->loop : NULL;
}

/* The dims that are not indexed, with strides in elements; how many of them are behind the index.
 */
typedef struct place_dims {
    int count, behind;
    int64_t size[NOMEN_MAX_DIMS], table[NOMEN_MAX_DIMS], rows[NOMEN_MAX_DIMS];
} place_dims;

/* The nearest one of what is written first. */
static void collect_dims(place_dims *dims, const nomen_tensor *table, int first, int count,
                         const nomen_tensor *rows, int index_ndim, bool takes) {
    dims->count = dims->behind = 0;
    for (int d = table->ndim - 1; d >= 0; d--) {
        if (table->size[d] == 1 || (d >= first && d < first + count)) continue;
        dims->behind += d >= first;
        const int64_t far = table->stride[d];
        const int64_t own = rows->stride[d < first ? d : d - count + index_ndim];
        int k = dims->count++;
        for (; k && (takes ? own < dims->rows[k - 1] : far < dims->table[k - 1]); k--) {
            dims->size[k] = dims->size[k - 1];
            dims->table[k] = dims->table[k - 1];
            dims->rows[k] = dims->rows[k - 1];
        }
        dims->size[k] = table->size[d];
        dims->table[k] = far;
        dims->rows[k] = own;
    }
}

/* As many of them as possible become runs, of elements side by side in the table, and in rows too,
 * or all of one element of rows. Or the nearest one is, with a step in the table. */
static void plan_runs(place_walk *w, const place_dims *dims) {
    enum { FEW_ADDED = 4 };
    const int64_t step = dims->count && !dims->rows[0] && w->kind != NOMEN__PLACE_TAKE ? 0 : 1;
    int k = 0;
    w->run = 1;
    w->run_step = step * w->item;
    w->place_step = w->item;
    if (dims->count && dims->rows[0] == step) {
        const int64_t near = dims->table[0];
        int64_t run = 1;
        for (; k < dims->count && dims->table[k] == near * run && dims->rows[k] == run * step; k++)
            run *= dims->size[k];
        /* what is put is stored one by one anyway, whatever its size */
        const int64_t item = w->kind == NOMEN__PLACE_PUT ? 8 : w->item;
        if (near == 1 || nomen__is_stepped_run(run, near, item)) {
            w->run = run;
            w->place_step = near * w->item;
        } else {
            k = 0;
        }
    }
    /* runs of a few elements that are added take longer to call than to add one by one */
    if (w->fold && k >= dims->behind && w->run > 1 && w->run <= FEW_ADDED) {
        add_outer(w, w->run, 1, step);
        w->run = 1;
    }
    for (; k < dims->count; k++) add_outer(w, dims->size[k], dims->table[k], dims->rows[k]);
}

/* Who writes to the same place is one thread. */
static nomen_status run_walk(place_walk *w) {
    const int64_t units = nomen__numel_of(w->size, w->ndim) * w->count;
    if (units * w->run <= NOMEN__GRAIN) return nomen__parallel_asking(units, units, walk_units, w);
    int64_t grain = NOMEN__GRAIN / w->run + 1;
    if (w->kind == NOMEN__PLACE_TAKE) {
        /* of whole lines of the index: many short ones are walked at once, or turned over */
        int64_t line =
            w->along && w->along->own_ndim ? w->along->own_size[w->along->own_ndim - 1] : 1;
        if (is_turned(w) && w->size[0] >= FEW)
            line = FEW_LINES * w->count;
        else if (line > grain) /* long ones may be cut */
            line = 1;
        grain += line - 1 - (grain - 1) % line;
        return nomen__parallel_asking(units, grain, walk_units, w);
    }
    if (w->inner >= 2 * SLICE && w->count / w->apart < FEW) {
        const int64_t slices = w->count / w->apart * ((w->inner + SLICE - 1) / SLICE);
        return nomen__parallel_asking(slices, grain * w->inner / (SLICE * w->apart) + 1,
                                      walk_slices, w);
    }
    return nomen__parallel_asking(units / w->apart, grain / w->apart + 1, walk_apart, w);
}

/* What lies at a place, or goes there: a tensor without some dims, with no memory of its own. */
typedef struct slice {
    nomen_tensor t;
    int64_t size[NOMEN_MAX_DIMS], stride[NOMEN_MAX_DIMS];
} slice;

/* t without `count` dims from `first` on, so many bytes on. */
static void take_slice(slice *s, const nomen_tensor *t, int first, int count, int64_t bytes) {
    int ndim = 0;
    s->t = *t;
    for (int d = 0; d < t->ndim; d++) {
        if (d >= first && d < first + count) continue;
        s->size[ndim] = t->size[d];
        s->stride[ndim++] = t->stride[d];
    }
    s->t.ndim = (uint8_t)ndim;
    s->t.size = s->size;
    s->t.stride = s->stride;
    s->t.names = NULL;
    s->t.flags &= (uint8_t)~NOMEN__NAMED;
    s->t.data += bytes;
    nomen__tensor_finish(&s->t);
}

/* One place, number i, as a slice, which has no walk of its own. Nothing is allocated, so that not
 * some of them are written and others are not. */
static nomen_status run_slice(const place_walk *w, const nomen_tensor *table, int first, int count,
                              const nomen_tensor *rows, int index_ndim, int64_t i) {
    const nomen_dtype dtype = (nomen_dtype)table->dtype;
    slice place, row;
    take_slice(&place, table, first, count, w->at[i] * w->unit);
    take_slice(&row, rows, first, index_ndim, i * w->row_step * w->item);
    if (w->kind == NOMEN__PLACE_TAKE) return nomen__copy_values(&row.t, &place.t);
    if (!w->fold) return nomen__copy_values(&place.t, &row.t);
    nomen__iter it;
    nomen__iter_make(&it, w->fold, &place.t, (nomen_tensor *const[]){&place.t, &row.t}, 2,
                     place.t.ndim, place.size, dtype, dtype);
    return nomen__iter_run_asking(&it);
}

/* ---- whole slices ---------------------------------------------------------------------------- */

/* Are there slices that a copy each takes, in which elements are turned over? */
static bool are_copies(const place_walk *w, const nomen_tensor *rows) {
    if (!w->ndim) return false;
    if (w->count == 1) return rows->numel >= NOMEN__SLICE_LEAST;
    return w->kind == NOMEN__PLACE_TAKE && w->run == 1 && w->ndim > 1 && !w->row_stride &&
           nomen__are_few_slices(w->count, rows->numel, w->item);
}

/* Does what is put go to slices that have holes, but lie apart from each other? */
static bool are_slices(const place_walk *w, const nomen_tensor *table, int first, int count) {
    enum { SHORT_RUN = 32, LEAST = 1024 }; /* elements worth headers */
    if (w->kind != NOMEN__PLACE_PUT || count != 1 || !w->ndim || w->run > SHORT_RUN) return false;
    int64_t reach = 1, numel = 1;
    for (int d = 0; d < table->ndim; d++) {
        if (d == first) continue;
        reach += (table->size[d] - 1) * table->stride[d];
        numel *= table->size[d];
    }
    return numel >= LEAST && reach <= table->stride[first];
}

typedef struct block_job {
    const place_walk *w;
    nomen__block block;
} block_job;

static void move_slices(void *context, int64_t begin, int64_t end) {
    const block_job *job = context;
    const place_walk *w = job->w;
    for (; begin < end; begin++)
        nomen__move_block(w->rows + begin * w->row_step, w->table + w->at[begin] * w->unit,
                          &job->block, w->item);
}

/* Are slices that are taken blocks of memory whose rows are short, or lie across? Each of them is
 * moved for itself, so that its elements are turned over in registers. */
static bool are_blocks(const place_walk *w, const place_dims *dims, int64_t step) {
    enum { LEAST = 64, SIDE = 8 /* elements */, LONG = 64 /* bytes */ };
    int64_t taken = 1, put = 1, side = 0;
    if (w->kind != NOMEN__PLACE_TAKE || w->run * w->item >= LONG || dims->count < 2) return false;
    for (int k = 0; k < dims->count; k++) {
        taken += (dims->size[k] - 1) * dims->table[k];
        put += (dims->size[k] - 1) * dims->rows[k];
        if (dims->table[k] == 1) side = dims->size[k];
    }
    return side >= SIDE && taken <= step && put * w->item <= w->row_step &&
           nomen__numel_of(dims->size, dims->count) >= LEAST;
}

static nomen_status run_blocks(const place_walk *w, const place_dims *dims) {
    block_job job;
    job.w = w;
    job.block.ndim = dims->count;
    for (int k = 0; k < dims->count; k++) {
        job.block.size[k] = dims->size[k];
        job.block.to[k] = dims->rows[k] * w->item;
        job.block.from[k] = dims->table[k] * w->item;
    }
    const int64_t each = nomen__numel_of(dims->size, dims->count);
    return nomen__parallel_asking(w->count, NOMEN__GRAIN / each + 1, move_slices, &job);
}

nomen_status nomen__place_run(nomen__place_kind kind, nomen_tensor *table, int first, int count,
                              const nomen_tensor *places, int64_t unit, nomen_tensor *rows,
                              int index_ndim, const nomen__place_rule *rule) {
    if (rows->numel == 0 || places->numel == 0) return NOMEN_OK;
    place_walk w; /* large: of the dims only those that are there are filled in */
    place_job job;
    place_dims dims;
    w.kind = kind;
    w.late = rule && rule->late;
    w.table = table->data;
    w.rows = rows->data;
    w.at = NULL;
    w.along = NULL;
    w.ndim = 0;
    set_kernels(&w, (nomen_dtype)table->dtype);
    w.count = w.apart = places->numel;
    w.inner = 1;
    w.item = nomen__item(table->dtype);
    w.unit = unit * w.item;
    w.row_stride = nomen__one_step(rows, first, index_ndim, &w.row_step) ? NULL : rows->stride;
    collect_dims(&dims, table, first, count, rows, index_ndim, kind == NOMEN__PLACE_TAKE);
    plan_runs(&w, &dims);
    if (rule) {
        const int dim = rule->first;
        along(&job, places, table, dim, w.row_stride);
        job.negative = rule->negative;
        if (w.late) begin_looking(&job);
        w.along = &job;
        w.plain = job.own_ndim && job.own_stride[job.own_ndim - 1] == 0;
        if (w.row_stride) {
            w.row_stride = job.row_stride;
            w.row_step = job.own_ndim ? job.row_stride[job.own_ndim - 1] : 0;
        }
        for (int d = 0; d < dim && d < places->ndim; d++) w.apart /= places->size[d];
        for (int d = dim + 1; d < places->ndim; d++) w.inner *= places->size[d];
    } else {
        w.at = (const int64_t *)(const void *)places->data;
        if (are_copies(&w, rows) || (!w.row_stride && are_slices(&w, table, first, count))) {
            nomen_status s = NOMEN_OK;
            for (int64_t i = 0; i < w.count && !s; i++)
                s = run_slice(&w, table, first, count, rows, index_ndim, i);
            return s;
        }
        choose_lines(&w);
    }
    w.row_step *= w.item;
    if (w.at && count == 1 && are_blocks(&w, &dims, table->stride[first]))
        return run_blocks(&w, &dims);
    nomen_status s = run_walk(&w);
    if (s || !w.late) return s;
    int64_t wrong = atomic_load_explicit(&job.wrong, memory_order_relaxed);
    return wrong == INT64_MAX ? NOMEN_OK : out_of_range(rule, job.from[wrong], job.limit);
}
