/* The strided iterator of elementwise kernels: broadcasting, casts on the way in and out, threads.
 * How it walks is planned in iter_plan.c. */
#include "op/iter.h"
#include "op/tile.h"

#include <stdalign.h>
#include <string.h>

/* BLOCK: elements of a cast buffer. Chunks do not depend on the number of threads. */
enum { BLOCK = 512 };
enum { SPREAD_MOST = 4096, JOINED_BYTES = 8192, JOINED_ROW = 512 };

/* ---- making it ------------------------------------------------------------------------------- */

/* Inputs of one element in all are converted now, not once per block. Are there casts left? */
static bool cast_constants(nomen__iter *it) {
    bool casts = it->cast[0] != NULL;
    for (int k = 1; k < it->count; k++) {
        if (!it->cast[k]) continue;
        bool constant = true;
        for (int d = 0; d < it->ndim; d++) constant &= it->step[d][k] == 0;
        casts |= !constant;
        if (!constant) continue;
        char *const value = (char *)it->constant[k];
        it->cast[k]((char *const[2]){value, it->base[k]},
                    (const int64_t[2]){it->item[k], it->own[k]}, 1);
        it->base[k] = value;
        it->cast[k] = NULL;
    }
    return casts;
}

/* One run of all elements, if the operands are whole and contiguous, or one element. */
static bool make_whole(nomen__iter *it, nomen_tensor *const *operand) {
    bool whole = true;
    for (int k = 0; k < it->count; k++) {
        const nomen_tensor *t = operand[k];
        bool all = t->numel == it->numel && t->flags & NOMEN__CONTIGUOUS;
        it->step[0][k] = all ? it->own[k] : 0;
        whole &= all || (k && t->numel == 1);
    }
    if (!whole) return false;
    it->ndim = 1;
    it->size[0] = it->numel;
    return true;
}

static NOMEN_NOINLINE void make_casting(nomen__iter *it, nomen_tensor *out, nomen_tensor *const *in,
                                        int nin, int ndim, const int64_t *size,
                                        const nomen_dtype *dtypes) {
    nomen_tensor *operand[OPERANDS];
    it->simple = it->casting = it->even = it->again = it->turns = it->planes = false;
    it->called = it->spans = it->wide = false;
    it->lines = NULL;
    it->cut = 0;
    it->inner = 1;
    if (it->numel == 0) return;
    operand[0] = out;
    for (int k = 1; k <= nin; k++) operand[k] = in[k - 1];
    for (int k = 0; k <= nin; k++) {
        nomen_tensor *t = operand[k];
        nomen_dtype own = (nomen_dtype)t->dtype;
        it->base[k] = t->data;
        it->item[k] = nomen__item(dtypes[k]);
        it->own[k] = nomen__item(own);
        /* what comes of a comparison is 0 or 1, whatever it is called */
        const bool truth = !k && nin && dtypes[0] == NOMEN_BOOL && dtypes[1] != NOMEN_BOOL;
        it->cast[k] = own == dtypes[k] || (truth && it->own[k] == 1) ? NULL
                      : k ? nomen__cast_loop(own, dtypes[k])
                          : nomen__cast_loop(dtypes[k], own);
    }
    it->moves = nin == 1 && !it->cast[0] && dtypes[0] == dtypes[1] &&
                it->loop == nomen__copy_loop(dtypes[0]);
    if (it->moves && it->cast[1]) { /* the cast is all there is to do */
        it->loop = it->cast[1];
        it->item[1] = it->own[1];
        it->cast[1] = NULL;
        it->moves = false;
    }
    if (!make_whole(it, operand)) nomen__iter_plan(it, operand, ndim, size);
    it->casting = cast_constants(it);
    if (it->even | it->again) it->spread = nomen__copy_loop((nomen_dtype)out->dtype);
    it->simple = it->ndim == 1 && it->numel <= it->alone && !it->casting && !it->even;
}

void nomen__iter_make_mixed(nomen__iter *it, nomen__loop *loop, nomen_tensor *out,
                            nomen_tensor *const *in, int nin, int ndim, const int64_t *size,
                            const nomen_dtype *dtypes) {
    it->loop = loop;
    it->count = nin + 1;
    it->numel = out->numel;
    it->alone = NOMEN__ALONE;
    it->tiled = 0;
    make_casting(it, out, in, nin, ndim, size, dtypes);
}

static NOMEN_NOINLINE void make_otherwise(nomen__iter *it, nomen__loop *loop, nomen_tensor *out,
                                          nomen_tensor *const *in, int nin, int ndim,
                                          const int64_t *size, nomen_dtype kernel_dtype,
                                          nomen_dtype kernel_result) {
    nomen_dtype dtypes[OPERANDS];
    dtypes[0] = kernel_result;
    for (int k = 1; k <= nin; k++) dtypes[k] = kernel_dtype;
    nomen__iter_make_mixed(it, loop, out, in, nin, ndim, size, dtypes);
}

/* Contiguous operands of as many elements as the output lie like it, whatever their ranks; with
 * them and lone numbers it is one run of all elements. */
void nomen__iter_make(nomen__iter *it, nomen__loop *loop, nomen_tensor *out,
                      nomen_tensor *const *in, int nin, int ndim, const int64_t *size,
                      nomen_dtype kernel_dtype, nomen_dtype kernel_result) {
    int64_t numel = out->numel, item = nomen__item(kernel_dtype);
    bool plain = out->flags & NOMEN__CONTIGUOUS && out->dtype == (uint32_t)kernel_result;
    for (int k = 0; k < nin; k++) {
        const nomen_tensor *t = in[k];
        bool whole = t->numel == numel && t->flags & NOMEN__CONTIGUOUS;
        it->base[k + 1] = t->data;
        it->step[0][k + 1] = whole ? item : 0;
        plain &= (whole | (t->numel == 1)) & (t->dtype == (uint32_t)kernel_dtype);
    }
    if (NOMEN_UNLIKELY(!plain)) {
        make_otherwise(it, loop, out, in, nin, ndim, size, kernel_dtype, kernel_result);
        return;
    }
    it->loop = loop;
    it->base[0] = out->data;
    it->step[0][0] = nomen__item(kernel_result);
    it->ndim = 1;
    it->count = nin + 1;
    it->numel = it->size[0] = numel;
    it->alone = NOMEN__ALONE;
    it->tiled = 0;
    it->casting = it->even = it->again = it->moves = it->turns = it->planes = false;
    it->simple = numel <= NOMEN__ALONE && numel != 0;
}

/* ---- running it ------------------------------------------------------------------------------ */

/* n elements in a row, through the cast buffers. */
static NOMEN_NOINLINE void run_casting(const nomen__iter *it, char *const *ptr, const int64_t *step,
                                       int64_t n) {
    alignas(64) char buffer[OPERANDS][BLOCK * 16];
    char *at[OPERANDS];
    int64_t taken[OPERANDS];
    for (int k = 0; k < it->count; k++)
        taken[k] = !it->cast[k] ? step[k] : k && step[k] == 0 ? 0 : it->item[k];
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int k = 0; k < it->count; k++) {
            at[k] = ptr[k] + i * step[k];
            if (!it->cast[k]) continue;
            char *const move[2] = {buffer[k], at[k]};
            if (k && (step[k] || i == 0))
                it->cast[k](move, (const int64_t[2]){it->item[k], step[k]}, step[k] ? m : 1);
            at[k] = buffer[k];
        }
        it->loop(at, taken, m);
        if (!it->cast[0]) continue;
        char *const move[2] = {ptr[0] + i * step[0], buffer[0]};
        it->cast[0](move, (const int64_t[2]){step[0], it->item[0]}, m);
    }
}

/* Lines of n elements that are all the same, `down` apart: their numbers first, as one line. */
static NOMEN_NOINLINE void run_even(const nomen__iter *it, char *const *ptr, int64_t n,
                                    const int64_t *down, int64_t lines) {
    alignas(64) char number[BLOCK * 16];
    char *at[OPERANDS];
    int64_t step[OPERANDS];
    memcpy(step, down, sizeof step);
    step[0] = it->own[0];
    for (int64_t first = 0; first < lines; first += BLOCK) {
        const int64_t some = lines - first < BLOCK ? lines - first : BLOCK;
        for (int k = 0; k < it->count; k++) at[k] = ptr[k] + first * down[k];
        char *out = at[0];
        at[0] = number;
        if (it->casting)
            run_casting(it, at, step, some);
        else
            it->loop(at, step, some);
        if (it->step[0][0] == step[0] && n * step[0] <= SPREAD_MOST) {
            nomen__spread_rows(out, down[0], number, step[0], n, some, step[0]);
            continue;
        }
        for (int64_t r = 0; r < some; r++) {
            char *const spread[2] = {out + r * down[0], number + r * step[0]};
            it->spread(spread, (const int64_t[2]){it->step[0][0], 0}, n);
        }
    }
}

/* Vectors of 64 bytes would each be in two lines of the cache, which stores take twice as long for:
 * where a long run does not begin with a line, its first elements come by themselves. */
static NOMEN_NOINLINE void run_from_line(const nomen__iter *it, char *const *ptr,
                                         const int64_t *step, int64_t n) {
    const int64_t head = (LINE - (int64_t)((uintptr_t)ptr[0] % LINE)) / step[0];
    char *at[OPERANDS];
    for (int k = 0; k < it->count; k++) at[k] = ptr[k] + head * step[k];
    it->loop(ptr, step, head);
    it->loop(at, step, n - head);
}

static inline void run_loop(const nomen__iter *it, char *const *ptr, const int64_t *step,
                            int64_t n) {
    enum { LONG_RUN = 4096 }; /* bytes */
    if (NOMEN_UNLIKELY((uintptr_t)ptr[0] % LINE && n * step[0] >= LONG_RUN && LINE > step[0]))
        run_from_line(it, ptr, step, n);
    else
        it->loop(ptr, step, n);
}

/* n elements of dim 0. */
static inline void run_line(const nomen__iter *it, char *const *ptr, const int64_t *step,
                            int64_t n) {
    if (NOMEN_UNLIKELY(it->even))
        run_even(it, ptr, n, it->own, 1);
    else if (it->casting)
        run_casting(it, ptr, step, n);
    else
        run_loop(it, ptr, step, n);
}

/* Where in the dims from `first` on the element (or row) number `at` lies. */
static void enter(const nomen__iter *it, int first, int64_t at, int64_t *index, char **ptr) {
    for (int k = 0; k < it->count; k++) ptr[k] = it->base[k];
    for (int d = first; d < it->ndim; d++) {
        index[d] = at % it->size[d];
        at /= it->size[d];
        for (int k = 0; k < it->count; k++) ptr[k] += index[d] * it->step[d][k];
    }
}

/* One step on in the dims from `first` on. */
static inline void advance(const nomen__iter *it, int first, int64_t *index, char **ptr) {
    for (int d = first; d < it->ndim; d++) {
        const int64_t *step = it->step[d];
        if (++index[d] < it->size[d]) {
            for (int k = 0; k < it->count; k++) ptr[k] += step[k];
            return;
        }
        index[d] = 0;
        for (int k = 0; k < it->count; k++) ptr[k] -= (it->size[d] - 1) * step[k];
    }
}

/* Lines of n elements at ptr: a call for each. */
static inline __attribute__((always_inline)) void run_each(const nomen__iter *it, char *const *ptr,
                                                           const int64_t *step, int64_t n,
                                                           const int64_t *down, int64_t lines,
                                                           const int count) {
    char *at[OPERANDS];
    for (int64_t r = 0; r < lines; r++) {
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) {
            at[k] = ptr[k] + r * down[k];
            __asm__ volatile("" : "+r"(at[k])); /* two at a time as a vector it takes longer */
        }
        it->loop(at, step, n);
    }
}

/* The same with a known number of operands, which they take nearly as long to find as short lines
 * to compute. */
static void run_lines(const nomen__iter *it, char *const *ptr, const int64_t *step, int64_t n,
                      const int64_t *down, int64_t lines) {
    if (NOMEN_UNLIKELY(it->even)) {
        run_even(it, ptr, n, down, lines);
    } else if (it->lines) {
        it->lines(ptr, step, n, down, lines);
    } else if (it->casting) {
        char *at[OPERANDS];
        for (int64_t r = 0; r < lines; r++) {
            for (int k = 0; k < it->count; k++) at[k] = ptr[k] + r * down[k];
            run_casting(it, at, step, n);
        }
    } else if (it->count == 3) {
        run_each(it, ptr, step, n, down, lines, 3);
    } else if (it->count == 2) {
        run_each(it, ptr, step, n, down, lines, 2);
    } else {
        run_each(it, ptr, step, n, down, lines, it->count);
    }
}

/* The first of some rows goes to all of them: as copies of a block that is near, made of a few, by
 * the kernel, which is faster there than the C library. */
static void repeat_row(const nomen__iter *it, char *to, int64_t rows) {
    const int64_t own = it->own[0], pitch = it->step[1][0], n = it->size[0];
    const int64_t step[2] = {own, own};
    const bool dense = pitch == n * own;
    int64_t block = 1;
    for (int64_t done = 1, some; done < rows; done += some) {
        some = rows - done < block ? rows - done : block;
        it->spread((char *const[]){to + done * pitch, to}, step, some * n);
        if (dense && block * pitch < AGAIN_BYTES / 2) block = done + some;
    }
}

/* Rows of an input with holes between elements, which goes on in the next row where the output does
 * not: some of them are made dense by one call of the kernel, and put where they go as rows. */
static void move_joined(const nomen__iter *it, char *const *ptr, int64_t rows) {
    const int64_t *const step = it->step[0], *const down = it->step[1];
    const int64_t n = it->size[0], bytes = n * it->own[0], most = JOINED_BYTES / bytes;
    alignas(64) char dense[JOINED_BYTES];
    for (int64_t r = 0, some; r < rows; r += some) {
        some = rows - r < most ? rows - r : most;
        run_line(it, (char *const[]){dense, ptr[1] + r * down[1]}, step, some * n);
        nomen__copy_rows(ptr[0] + r * down[0], down[0], dense, bytes, some, bytes);
    }
}

/* Whole rows at ptr. It stays where it is: numbers in memory that are added to again and again wait
 * for each other, for as long as some short rows take. */
static void run_some(const nomen__iter *it, char *const *ptr, int64_t rows) {
    enum { LONG = 2048, WORD = 4 /* bytes */, SHORT_ROW = 12, SHORT_FILL = 32 /* elements */ };
    const int64_t *step = it->step[0], *down = it->step[1], n = it->size[0];
    /* One long row again and again is in L1, from where the kernel copies faster than the C
     * library, which else knows best. */
    const bool again = down[1] == 0 && n * it->own[0] >= LONG;
    if (it->moves && step[1] == 0 && step[0] == it->own[0] && n * step[0] <= SPREAD_MOST) {
        nomen__spread_rows(ptr[0], down[0], ptr[1], down[1], n, rows, it->own[0]);
        return;
    }
    if (it->moves && step[0] == it->own[0] && step[1] == it->own[0] && !again) {
        nomen__copy_rows(ptr[0], down[0], ptr[1], down[1], rows, n * it->own[0]);
        return;
    }
    if (it->moves && step[0] == it->own[0] && step[1] == -step[0] && n * step[0] >= WORD) {
        nomen__reverse_rows(ptr[0], down[0], ptr[1], down[1], n, rows, it->own[0]);
        return;
    }
    const int64_t few = step[1] != 0 ? SHORT_ROW : step[0] != it->own[0] ? SHORT_FILL : 0;
    const bool joins = step[0] == it->own[0] && step[1] > step[0] && down[1] == n * step[1];
    if (it->moves && n > few && joins && n * step[0] <= JOINED_ROW && rows > 1) {
        move_joined(it, ptr, rows);
        return;
    }
    if (it->moves && n <= (step[1] != 0 ? COPIED_ROW : few)) {
        nomen__copy_few(ptr, step, down, n, rows, it->own[0]);
        return;
    }
    if (it->again) {
        run_line(it, ptr, step, n);
        repeat_row(it, ptr[0], rows);
        return;
    }
    run_lines(it, ptr, step, n, down, rows);
}

/* All of it, when there are rows at least. */
static void run_whole(const nomen__iter *it) {
    int64_t index[NOMEN_MAX_DIMS], rows = it->size[1], left = it->numel / it->size[0] / rows;
    const int64_t blocks = it->ndim > 2 ? it->size[2] : 1, *const step = it->step[2];
    char *outer[OPERANDS], *ptr[OPERANDS];
    for (int d = 3; d < it->ndim; d++) index[d] = 0;
    for (int k = 0; k < it->count; k++) outer[k] = it->base[k];
    for (;; advance(it, 3, index, outer)) {
        run_some(it, outer, rows);
        for (int64_t i = 1; i < blocks; i++) {
            for (int k = 0; k < it->count; k++) ptr[k] = outer[k] + i * step[k];
            run_some(it, ptr, rows);
        }
        left -= blocks;
        if (left == 0) return;
    }
}

/* Elements begin to end, rows cut where they happen to be. */
static void run_rows(void *context, int64_t begin, int64_t end) {
    const nomen__iter *it = context;
    int64_t index[NOMEN_MAX_DIMS];
    char *ptr[OPERANDS];
    enter(it, 0, begin, index, ptr);
    while (begin < end) {
        if (it->ndim > 1 && index[0] == 0 && end - begin >= it->size[0]) {
            int64_t rows = (end - begin) / it->size[0], left = it->size[1] - index[1];
            if (rows > left) rows = left;
            run_some(it, ptr, rows);
            begin += rows * it->size[0];
            const int64_t on = rows < left ? rows : -index[1];
            for (int k = 0; k < it->count; k++) ptr[k] += on * it->step[1][k];
            index[1] += on;
            if (rows == left) advance(it, 2, index, ptr);
            continue;
        }
        int64_t n = it->size[0] - index[0];
        if (n > end - begin) n = end - begin;
        run_line(it, ptr, it->step[0], n);
        begin += n;
        for (int k = 0; k < it->count; k++) ptr[k] -= index[0] * it->step[0][k];
        index[0] = 0;
        advance(it, 1, index, ptr);
    }
}

static int64_t bands(const nomen__iter *it) {
    return (it->size[it->cut + 1] + it->high - 1) / it->high;
}

/* Room for the inputs that do not lie like the output, and for an output with holes; whose rows are
 * there, of how many elements, and how many. */
typedef struct tile_room {
    alignas(64) char near[OPERANDS][BLOCK_BYTES + LINE];
    char *at; /* of `each` bytes for an operand: near, or large ones */
    int64_t each;
    size_t capacity;
    const char *corner[OPERANDS];
    int64_t n[OPERANDS], rows[OPERANDS];
} tile_room;

/* Large tiles; where no memory is left for them, they come in parts of at most so many elements
 * and rows. */
static NOMEN_NOINLINE void open_wide(const nomen__iter *it, tile_room *room, int64_t *width,
                                     int64_t *high) {
    int64_t item = 1;
    for (int k = 0; k < it->count; k++)
        if (it->tiled >> k & 1 && it->own[k] > item) item = it->own[k];
    const int64_t bytes = it->width * it->high * item + LINE;
    char *large = nomen__buffer_new((size_t)(it->count * bytes), &room->capacity);
    if (large) {
        room->at = large;
        room->each = bytes;
    } else {
        nomen__error_drop();
        const int64_t rows = BLOCK_BYTES / (it->width * item);
        *high = rows ? rows : LINE / item;
        if (!rows) *width = BLOCK_BYTES / LINE;
    }
}

/* A tile of operand k in the output's order, and as it lies; `from` the one and `to` the other. */
static void move_tile(const nomen__iter *it, int k, char *to, const char *from, int64_t n,
                      int64_t rows) {
    nomen__block b; /* not filled with zeros, which takes as long as what is done with it */
    b.ndim = it->cut + 2;
    int64_t step = it->own[k];
    for (int d = 0; d < b.ndim; d++) {
        b.size[d] = d > it->cut ? rows : d == it->cut ? n / it->inner : it->size[d];
        b.to[d] = k ? step : it->step[d][k];
        b.from[d] = k ? it->step[d][k] : step;
        step *= b.size[d];
    }
    nomen__move_block(to, from, &b, it->own[k]);
}

/* A tile of the only input, to where it belongs. */
static void move_planes(const nomen__iter *it, char *const *corner, int64_t rows) {
    nomen__block b;
    b.ndim = it->cut + 2;
    for (int d = 0; d < b.ndim; d++) {
        b.size[d] = d > it->cut ? rows : it->size[d];
        b.to[d] = it->step[d][0];
        b.from[d] = it->step[d][1];
    }
    nomen__move_block(corner[0], corner[1], &b, it->own[0]);
}

/* Are they one input, which is there twice? (x.addcmul(x, y)) */
static bool lie_alike(const nomen__iter *it, int j, int k) {
    bool alike = it->own[j] == it->own[k];
    for (int d = 0; d <= it->cut + 1; d++) alike &= it->step[d][j] == it->step[d][k];
    return alike;
}

static bool holds(const tile_room *room, int k, const char *corner, int64_t n, int64_t rows) {
    return room->corner[k] == corner && room->n[k] == n && room->rows[k] >= rows;
}

/* A tile of input k, unless it is what is there: outer dims may not move it. */
static char *gather(const nomen__iter *it, tile_room *room, int k, const char *corner, int64_t n,
                    int64_t rows) {
    char *to = room->at + k * room->each;
    for (int j = 1; j < k; j++)
        if (holds(room, j, corner, n, rows) && lie_alike(it, j, k))
            return room->at + j * room->each;
    if (holds(room, k, corner, n, rows)) return to;
    if (k) move_tile(it, k, to, corner, n, rows);
    room->corner[k] = corner;
    room->n[k] = n;
    room->rows[k] = rows;
    return to;
}

/* Rows of n elements with the same holes behind them, see find_spans. */
static void run_span(const nomen__iter *it, char *room, char *const *corner, int64_t n,
                     int64_t rows) {
    const int64_t item = it->own[0];
    char *ptr[OPERANDS] = {room};
    int64_t pitch = n; /* elements from row to row, unless an input is one number */
    for (int k = 1; k < it->count; k++) {
        ptr[k] = corner[k];
        if (it->step[1][k]) pitch = it->step[1][k] / it->own[k];
    }
    it->loop(ptr, it->step[0], (rows - 1) * pitch + n);
    nomen__copy_rows(corner[0], it->step[1][0], room, pitch * item, rows, n * item);
}

/* A tile at ptr: the inputs that do not lie like the output are made so first, then it goes row by
 * row, or as one row. */
static void run_tile(const nomen__iter *it, tile_room *room, char *const *corner, int64_t n,
                     int64_t rows) {
    char *ptr[OPERANDS];
    int64_t step[OPERANDS], down[OPERANDS];
    bool dense = true;
    const int64_t width = n, high = rows;
    if (it->turns) {
        nomen__turn_tile(corner[0], it->step[1][0], corner[1], it->step[0][1], n, rows, it->own[0]);
        return;
    }
    if (it->planes) {
        move_planes(it, corner, rows);
        return;
    }
    if (it->spans) {
        run_span(it, room->at, corner, n, rows);
        return;
    }
    for (int k = 0; k < it->count; k++) {
        ptr[k] = corner[k];
        step[k] = it->step[0][k];
        down[k] = it->step[it->cut + 1][k];
        if (it->tiled >> k & 1) {
            ptr[k] = gather(it, room, k, corner[k], n, rows);
            step[k] = it->own[k];
            down[k] = n * it->own[k];
        }
        dense &= down[k] == n * step[k];
    }
    if (dense) {
        n *= rows;
        rows = 1;
    }
    if (it->moves && step[0] == it->own[0]) {
        nomen__copy_rows(ptr[0], down[0], ptr[1], down[1], rows, n * step[0]);
        return;
    }
    run_lines(it, ptr, step, n, down, rows);
    if (it->tiled & 1) move_tile(it, 0, corner[0], room->at, width, high);
}

/* Bands of rows, begin to end of them over all outer dims. */
static void run_bands(void *context, int64_t begin, int64_t end) {
    const nomen__iter *it = context;
    const int64_t each = bands(it);
    const int dim = it->cut;
    const int64_t size = it->size[dim];
    int64_t index[NOMEN_MAX_DIMS], width = it->width, high = it->high;
    char *outer[OPERANDS], *ptr[OPERANDS];
    tile_room room;
    room.at = room.near[0];
    room.each = sizeof room.near[0];
    for (int k = 0; k < OPERANDS; k++) room.corner[k] = NULL;
    if (NOMEN_UNLIKELY(it->wide)) open_wide(it, &room, &width, &high);
    enter(it, dim + 2, begin / each, index, outer);
    for (int64_t band = begin % each; begin < end; begin++) {
        const int64_t first = band * it->high, left = it->size[dim + 1] - first,
                      rows = left < it->high ? left : it->high;
        for (int64_t j = 0; j < rows; j += high)
            for (int64_t i = 0; i < size; i += width) {
                const int64_t part = size - i < width ? size - i : width;
                for (int k = 0; k < it->count; k++)
                    ptr[k] = outer[k] + (first + j) * it->step[dim + 1][k] + i * it->step[dim][k];
                run_tile(it, &room, ptr, it->inner * part, rows - j < high ? rows - j : high);
            }
        if (++band < each) continue;
        band = 0;
        advance(it, dim + 2, index, outer);
    }
    if (room.at != room.near[0]) nomen__buffer_free(room.at, room.capacity);
}

/* How the pieces are shared out: nomen__parallel_asking or, for copies that others rely on, a job
 * that always comes to its end. */
typedef nomen_status sharing(int64_t n, int64_t grain, nomen__task *task, void *context);

static nomen_status share_all(int64_t n, int64_t grain, nomen__task *task, void *context) {
    nomen__parallel(n, grain, task, context);
    return NOMEN_OK;
}

static NOMEN_NOINLINE nomen_status run_slowly(const nomen__iter *it, sharing *share) {
    /* The task's context is not const; nothing writes through it. */
    void *context = (void *)(uintptr_t)it;
    /* a heavy kernel takes longer to begin than to copy what it works on */
    if (it->tiled && !(it->called && it->alone == NOMEN__ALONE)) {
        const int64_t row = it->inner * it->size[it->cut];
        int64_t count = it->numel / row / it->size[it->cut + 1] * bands(it);
        int64_t grain = it->alone / 2 / (row * it->high);
        if (it->numel <= it->alone) grain = count;
        return share(count, grain ? grain : 1, run_bands, context);
    } else if (it->numel > it->alone) {
        return share(it->numel, it->alone / 2, run_rows, context);
    } else if (it->ndim > 1) {
        run_whole(it);
    } else {
        run_line(it, it->base, it->step[0], it->numel);
    }
    return NOMEN_OK;
}

void nomen__iter_run(const nomen__iter *it) {
    if (NOMEN_LIKELY(it->simple))
        run_loop(it, it->base, it->step[0], it->numel);
    else if (it->numel)
        (void)run_slowly(it, share_all);
}

nomen_status nomen__iter_run_asking(const nomen__iter *it) {
    if (NOMEN_UNLIKELY(!it->simple))
        return it->numel ? run_slowly(it, nomen__parallel_asking) : NOMEN_OK;
    run_loop(it, it->base, it->step[0], it->numel);
    return NOMEN_OK;
}
