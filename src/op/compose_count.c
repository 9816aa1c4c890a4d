/* Composite rows that count: bincount, histc. */
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "op/op.h"
#include "op/rows.gen.h"

#include <math.h>
#include <string.h>

static nomen_status not_whole(void) {
    return nomen__fail(NOMEN_ERROR_STATE,
                       "bincount only supports 1-d non-negative integral inputs.");
}

static nomen_status check_bins(const nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    if (!(c->op->dtypes >> t->dtype & 1))
        return nomen__fail(NOMEN_ERROR_DTYPE, "\"bincount_cpu\" not implemented for '%s'",
                           nomen_dtype_name((nomen_dtype)t->dtype));
    if (nomen__given(c, 2) && c->arg[2].integer < 0)
        return nomen__fail(NOMEN_ERROR_STATE, "minlength should be >= 0");
    return t->ndim == 1 ? NOMEN_OK : not_whole();
}

static nomen_status check_weights(const nomen__call *c) {
    if (!nomen__given(c, 1) || (c->in[1]->ndim == 1 && c->in[1]->numel == c->in[0]->numel))
        return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "weights should be 1-d and have the same length as input");
}

/* How many places there must be, -1: there is a negative number or something failed. */
static int64_t places(nomen_tensor *t, int64_t least) {
    if (!t || !t->numel) return t ? least : -1;
    nomen_tensor *most = NULL, *low = nomen_aminmax(t, .max = &most);
    if (!low || nomen_item_int(low) < 0) return -1;
    int64_t n = nomen_item_int(most);
    if (n == INT64_MAX) return -1;
    return n + 1 > least ? n + 1 : least;
}

/* Sums of float32 stay float32, as those of complex numbers stay complex; else float64. */
static nomen_tensor *summands(nomen_tensor *weights) {
    nomen_dtype d = nomen_dtype_of(weights);
    return d == NOMEN_F32 || nomen_dtype_is_complex(d) ? weights : nomen_to(weights, NOMEN_F64);
}

/* Counts of all bins, by parts of the elements, each of which has tables of its own. */
enum { HISTOGRAM_PART = 65536, HISTOGRAM_PARTS = 16 };

typedef struct histogram {
    const char *data;
    int64_t n, bins, part, tables, *counts; /* tables of each part */
    double low, high;
    int64_t item;       /* bytes of an element, where it is a whole number */
    nomen__loop *widen; /* to int64; NULL: they are, or bytes, of which none is negative */
} histogram;

static inline int64_t bin_within(int64_t bin, int64_t bins) {
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}

/* In at most so many parts; NULL: no memory, or it was ended. */
static nomen_tensor *add_up(histogram *h, int64_t tables, int64_t most, nomen__task *count) {
    nomen_tensor *r = nomen_zeros(NULL, NOMEN_SIZES(h->bins), .dtype = NOMEN_I64);
    h->part = HISTOGRAM_PART;
    if (h->n / h->part >= most) h->part = (h->n - 1) / most + 1;
    const int64_t parts = (h->n + h->part - 1) / h->part;
    if (!r) return NULL;
    int64_t *total = (int64_t *)(void *)r->data;
    h->counts = total;
    h->tables = tables;
    if (parts * tables == 1) return nomen__parallel_asking(1, 1, count, h) ? NULL : r;
    size_t bytes = sizeof *h->counts * (size_t)(h->bins * tables * parts), capacity = 0;
    void *room = nomen__buffer_new(bytes, &capacity);
    if (!room) return NULL;
    h->counts = room;
    memset(room, 0, bytes);
    nomen_status s = nomen__parallel_asking(parts, 1, count, h);
    const int64_t *own = h->counts;
    for (int64_t k = 0; k < parts * tables; k++, own += h->bins)
        for (int64_t i = 0; i < h->bins; i++) total[i] += own[i];
    nomen__buffer_free(room, capacity);
    return s ? NULL : r;
}

/* Whole numbers, four tables by turns, if they are small: a count waits for that of the same number
 * before it. */
enum { TABLES = 4, MOST_BINS = 1024 };

/* A bin that exists, should somebody write to the elements meanwhile. */
static inline uint64_t bin_of(int64_t x, uint64_t last) {
    return (uint64_t)x < last ? (uint64_t)x : last;
}

/* n elements, bytes or numbers of 64 bits. */
static inline __attribute__((always_inline)) void count_some(int64_t *counts, int64_t bins,
                                                             bool several, const void *x, int64_t n,
                                                             const bool bytes) {
    const int64_t next = several ? bins : 0;
    int64_t *second = counts + next, *third = second + next, *fourth = third + next, i = 0;
    const uint64_t last = (uint64_t)bins - 1;
    const uint8_t *narrow = x;
    const int64_t *wide = x;
    for (; i + TABLES <= n; i += TABLES) {
        const uint64_t a = bin_of(bytes ? narrow[i] : wide[i], last);
        const uint64_t b = bin_of(bytes ? narrow[i + 1] : wide[i + 1], last);
        const uint64_t c = bin_of(bytes ? narrow[i + 2] : wide[i + 2], last);
        const uint64_t d = bin_of(bytes ? narrow[i + 3] : wide[i + 3], last);
        counts[a]++;
        second[b]++;
        third[c]++;
        fourth[d]++;
    }
    for (; i < n; i++) counts[bin_of(bytes ? narrow[i] : wide[i], last)]++;
}

static void count_whole(void *context, int64_t begin, int64_t end) {
    enum { BLOCK = 512 };
    const histogram *h = context;
    int64_t wide[BLOCK];
    for (; begin < end; begin++) {
        int64_t first = begin * h->part, *counts = h->counts + begin * h->tables * h->bins;
        const int64_t behind = h->n - first < h->part ? h->n : first + h->part;
        const bool several = h->tables > 1;
        const char *const x = h->data + first * h->item;
        if (!h->widen && h->item == 1)
            count_some(counts, h->bins, several, x, behind - first, true);
        else if (!h->widen)
            count_some(counts, h->bins, several, x, behind - first, false);
        for (int64_t n; h->widen && first < behind; first += n) {
            n = behind - first < BLOCK ? behind - first : BLOCK;
            char *const ptr[] = {(char *)wide, (char *)(uintptr_t)h->data + first * h->item};
            h->widen(ptr, (const int64_t[]){sizeof *wide, h->item}, n);
            count_some(counts, h->bins, several, wide, n, false);
        }
    }
}

/* NULL without an error: another device has them. Counts are whole numbers: how many parts there
 * are does not show. */
static nomen_tensor *counted_whole(nomen_tensor *t, int64_t bins) {
    if (t->device) return NULL;
    if (!t->numel) return nomen_zeros(NULL, NOMEN_SIZES(bins), .dtype = NOMEN_I64);
    t = nomen_contiguous(t);
    if (!t) return NULL;
    const nomen_dtype d = nomen_dtype_of(t);
    histogram h = {.data = t->data, .n = t->numel, .bins = bins, .item = nomen__item(d)};
    if (h.item > 1 && d != NOMEN_I64) h.widen = nomen__move_loop(d, NOMEN_I64);
    if (bins <= MOST_BINS && bins <= t->numel)
        return add_up(&h, TABLES, HISTOGRAM_PARTS, count_whole);
    /* to clear and to add up large tables takes long, too */
    const int64_t threads = nomen_get_num_threads(), worth = t->numel / bins / TABLES;
    return add_up(&h, 1, worth < 1 ? 1 : worth < threads ? worth : threads, count_whole);
}

/* A few elements, counted here. One reference, no scope; NULL: there is something to say of them,
 * or it takes more than that. */
static nomen_tensor *counted_few(const nomen_tensor *t, int64_t least) {
    enum { SOME = 128 };
    int64_t wide[SOME], low = 0, most = -1;
    const nomen_dtype d = (nomen_dtype)t->dtype;
    if (t->numel > SOME || !t->numel || !(t->flags & NOMEN__CONTIGUOUS) || t->flags & NOMEN__AWAY)
        return NULL;
    nomen__loop *widen = nomen__move_loop(d, NOMEN_I64);
    widen((char *const[]){(char *)wide, t->data}, (const int64_t[]){8, nomen__item(d)}, t->numel);
    for (int64_t i = 0; i < t->numel; i++) {
        low = wide[i] < low ? wide[i] : low;
        most = wide[i] > most ? wide[i] : most;
    }
    if (low < 0 || most >= MOST_BINS || least > MOST_BINS) return NULL;
    const int64_t bins = most + 1 > least ? most + 1 : least;
    nomen_tensor *r = nomen__tensor_empty(NOMEN_I64, 1, &bins);
    if (!r) {
        nomen__error_drop(); /* the long way asks again, and tells */
        return NULL;
    }
    int64_t *counts = (int64_t *)(void *)r->data;
    memset(counts, 0, sizeof *counts * (size_t)bins);
    for (int64_t i = 0; i < t->numel; i++) counts[wide[i]]++;
    return r;
}

nomen_status nomen__compose_bincount(nomen__call *c) {
    nomen_status s = check_bins(c);
    int64_t least = nomen__given(c, 2) ? c->arg[2].integer : 0;
    if (s) return s;
    nomen_tensor *r = nomen__given(c, 1) ? NULL : counted_few(c->in[0], least);
    if (r) return nomen__compose_deliver(c, r, NULL);
    nomen_scope() {
        nomen_tensor *t = nomen__nameless(c->in[0]), *w;
        int64_t n = places(t, least);
        if (n < 0 && !nomen__error_pending()) s = not_whole();
        if (!s && n >= 0) s = check_weights(c);
        if (!s && n >= 0 && !nomen__given(c, 1)) r = counted_whole(t, n);
        w = s || r || nomen__error_pending() ? NULL
            : nomen__given(c, 1) && c->in[0]->numel
                ? summands(nomen__nameless(c->in[1]))
                : nomen_expand(nomen_ones(NULL, NOMEN_SIZES(1), .dtype = NOMEN_I64),
                               NOMEN_SIZES(c->in[0]->numel));
        if (n >= 0 && w)
            r = nomen_index_add(nomen_zeros(NULL, NOMEN_SIZES(n), .dtype = nomen_dtype_of(w)), "0",
                                t, w);
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, NULL) : s ? s : NOMEN_ERROR_STATE;
}

/* ---- histc ----------------------------------------------------------------------------------- */

static double bound(const nomen__call *c, int arg) {
    if (!nomen__given(c, arg)) return 0;
    const nomen_number *n = c->arg[arg].number;
    return n->kind == NOMEN_NUMBER_FLOAT || n->kind == NOMEN_NUMBER_COMPLEX ? n->re : (double)n->i;
}

/* From the least to the largest element if the bounds are equal, and half a piece more on either
 * side if those are. */
static nomen_status find_bounds(nomen_tensor *t, double *low, double *high) {
    if (*high < *low)
        return nomen__fail(NOMEN_ERROR_STATE, "torch.histc: max must be larger than min");
    if (*low == *high && t->numel) {
        nomen_tensor *most = NULL, *least = nomen_aminmax(t, .max = &most);
        if (!least) return NOMEN_ERROR_STATE;
        *low = nomen_item(least);
        *high = nomen_item(most);
    }
    if (*low == *high) {
        *low -= 1;
        *high += 1;
    }
    if (isfinite(*low) && isfinite(*high)) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_STATE, "torch.histc: range of [%g, %g] is not finite", *low,
                       *high);
}

static nomen_tensor *pieces(nomen_tensor *t, int64_t bins, double low, double high) {
    nomen_dtype d = nomen_dtype_of(t);
    bool real = nomen_dtype_is_floating(d);
    nomen_tensor *inside =
        nomen_logical_and(nomen_ge(t, nomen_scalar(low)), nomen_le(t, nomen_scalar(high)));
    nomen_tensor *x = nomen_masked_select(t, inside);
    if (!real || d == NOMEN_F16 || d == NOMEN_BF16) x = nomen_to(x, real ? NOMEN_F32 : NOMEN_F64);
    x = nomen_mul(nomen_sub(x, nomen_scalar(low)), nomen_scalar((double)bins));
    if (high > low)
        x = nomen_div(x, nomen_scalar(high - low));
    else /* so large that half a piece more on either side is lost: the middle of no width */
        x = nomen_full_like(x, nomen_num((double)(bins / 2)));
    x = nomen_to(x, NOMEN_I64);
    x = nomen_clamp(x, nomen_scalar((int64_t)0), nomen_scalar(bins - 1));
    return nomen_to(nomen_bincount(x, .minlength = bins), d);
}

/* The same for float32 and float64 in one pass, with the arithmetic of pieces(). */
static void count_f32(void *context, int64_t begin, int64_t end) {
    const histogram *h = context;
    const float *x = (const float *)(const void *)h->data, low = (float)h->low,
                high = (float)h->high, bins = (float)h->bins, width = (float)(h->high - h->low);
    for (; begin < end; begin++) {
        const int64_t first = begin * h->part, left = h->n - first;
        int64_t *counts = h->counts + begin * h->bins;
        for (int64_t i = first; i < first + (left < h->part ? left : h->part); i++)
            if (x[i] >= low && x[i] <= high)
                counts[bin_within((int64_t)((x[i] - low) * bins / width), h->bins)]++;
    }
}

static void count_f64(void *context, int64_t begin, int64_t end) {
    const histogram *h = context;
    const double *x = (const double *)(const void *)h->data, low = h->low, high = h->high,
                 bins = (double)h->bins, width = h->high - h->low;
    for (; begin < end; begin++) {
        const int64_t first = begin * h->part, left = h->n - first;
        int64_t *counts = h->counts + begin * h->bins;
        for (int64_t i = first; i < first + (left < h->part ? left : h->part); i++)
            if (x[i] >= low && x[i] <= high)
                counts[bin_within((int64_t)((x[i] - low) * bins / width), h->bins)]++;
    }
}

/* NULL without an error: another way has to be taken. */
static nomen_tensor *counted(nomen_tensor *t, int64_t bins, double low, double high) {
    const nomen_dtype d = nomen_dtype_of(t);
    const bool wide = d == NOMEN_F64;
    const double width = wide ? high - low : (double)(float)(high - low),
                 reach = (wide ? high - low : (double)((float)high - (float)low)) * (double)bins;
    const bool known = (wide || d == NOMEN_F32) && !t->device && bins <= HISTOGRAM_PART;
    if (!known || !(width > 0) || !(wide ? isfinite(reach) : isfinite((float)reach))) return NULL;
    t = nomen_contiguous(t);
    if (!t) return NULL;
    histogram h = {.data = t->data, .n = t->numel, .bins = bins, .low = low, .high = high};
    nomen_tensor *r = add_up(&h, 1, HISTOGRAM_PARTS, wide ? count_f64 : count_f32);
    return r ? nomen_to(r, d) : NULL;
}

nomen_status nomen__compose_histc(nomen__call *c) {
    nomen_tensor *t = c->in[0], *r = NULL;
    int64_t bins = nomen__given(c, 1) ? c->arg[1].integer : 100;
    double low = bound(c, 2), high = bound(c, 3);
    if (!(c->op->dtypes >> t->dtype & 1))
        return nomen__fail(NOMEN_ERROR_DTYPE, "\"histogram_cpu\" not implemented for '%s'",
                           nomen_dtype_name((nomen_dtype)t->dtype));
    if (bins <= 0)
        return nomen__fail(NOMEN_ERROR_STATE,
                           "torch.histogram(): bins must be > 0, but got %lld for dimension 0",
                           (long long)bins);
    nomen_status s = NOMEN_OK;
    nomen_scope() {
        t = nomen_rename(t);
        s = t ? find_bounds(t, &low, &high) : NOMEN_ERROR_STATE;
        if (!s) r = counted(t, bins, low, high);
        if (!s && !r && !nomen__error_pending()) r = pieces(t, bins, low, high);
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, NULL) : s ? s : NOMEN_ERROR_STATE;
}
