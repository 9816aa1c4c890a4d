/* The strided iterator of elementwise kernels: broadcasting, the order of dims, casts on the way in
 * and out, threads; and the plain moves made with it. Reductions, rows and products: launch_*.c. */
#include "op/op.h"
#include "op/tile.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* BLOCK: elements of a cast buffer. Chunks do not depend on the number of threads. Tiles have
 * TILE_FAR rows or more, a cache line of them; of short rows, SHORT_BYTES at most, as many as there
 * is room for; of less than SHORT_ROWS it does not pay, nor where two dims are SHORT_PLANE in all.
 * One row again and again takes AGAIN_BYTES of L1, through which the others stream. Copies that
 * turn over take TURN_LINES of each row, into rows that are TURN_FAR bytes apart in all. */
enum { BLOCK = 512, TILE_FAR = 16, TILE_BYTES = 8192, TINY = 8, LINE = 64 };
enum { TURN_LINES = 4, TURN_FAR = 32768 };
enum { COPIED_ROW = 16 }; /* elements of a row that are copied one by one */
enum {
    SHORT_BYTES = 256,
    SHORT_PLANE = 1024,
    SPREAD_BYTES = 256,
    SPREAD_MOST = 4096,
    SHORT_ROWS = 8
};
/* Rows of so many bytes go by tiles of any dims, of so many bytes at most: those that are dense,
 * and those of inputs with holes, for which a kernel gathers a block in each call. Parts of a dim
 * that is cut have multiples of EVEN elements. */
enum { BLOCK_ROW = 256, HOLES_ROW = 1024, BLOCK_BYTES = 16384, EVEN = 16 };
/* Bytes of tiles in L2, see widen_tiles, of rows too far apart in them, and of all operands from
 * which on it pays for short rows. */
enum { WIDE_BYTES = 1 << 18, TURN_APART = 1024, FAR_BYTES = 1 << 24 };
enum { APART_BYTES = 96 }; /* of rows of the output that are worth a copy more than a call each */
/* Rows of more bytes, of all inputs, take longer to copy than a call each, if they are whole
 * vectors, or vectors in parts cost nothing: else what is left takes some kernels as long as the
 * row (those with a mask do so anyway, which has elements of another size). If the output has more
 * than NEAR_BYTES, its rows and those of the inputs come from beyond L2, which takes twice as long
 * tile by tile as all of them at a time. */
enum { COPIED = 192, COPIED_PARTS = 300, COPIED_FAR = 96, WHOLE_BYTES = 32, NEAR_BYTES = 1 << 19 };
enum { AGAIN_BYTES = 4096, JOINED_BYTES = 8192, JOINED_ROW = 512 };
enum { OPERANDS = NOMEN__MAX_IN + 1, FAR_STEP = 16 };
enum { FEW = 32 }; /* elements for which it takes longer to find a better way than to do without */
#define APART static __attribute__((noinline)) /* keeps what is rare out of the small case */

/* ---- making it ------------------------------------------------------------------------------- */

/* An input of one element in all is converted now instead of once per block. */
static void cast_constant(nomen__iter *it, int k) {
    char *const value = (char *)it->constant[k];
    it->cast[k]((char *const[2]){value, it->base[k]}, (const int64_t[2]){it->item[k], it->own[k]},
                1);
    it->base[k] = value;
    it->cast[k] = NULL;
}

/* Dims without those of size 1, innermost first; forward in the output. */
static void collect(nomen__iter *it, nomen_tensor *const *operand, int ndim, const int64_t *size) {
    int n = 0;
    for (int d = ndim - 1; d >= 0; d--) {
        if (size[d] == 1) continue;
        int64_t *step = it->step[n];
        it->size[n++] = size[d];
        for (int k = 0; k < it->count; k++) {
            const nomen_tensor *t = operand[k];
            int own = d - (ndim - t->ndim);
            step[k] = own < 0 || t->size[own] == 1 ? 0 : t->stride[own] * nomen__item(t->dtype);
        }
        if (step[0] >= 0) continue;
        for (int k = 0; k < it->count; k++) {
            it->base[k] += (size[d] - 1) * step[k];
            step[k] = -step[k];
        }
    }
    it->ndim = n;
}

/* Should dim a lie outside of dim b? The first operand that tells them apart decides. */
static bool is_outer(const nomen__iter *it, int a, int b) {
    for (int k = 0; k < it->count; k++) {
        int64_t x = llabs(it->step[a][k]), y = llabs(it->step[b][k]);
        if (x && y && x != y) return x > y;
    }
    return false;
}

static void swap_dims(nomen__iter *it, int a, int b) {
    int64_t size = it->size[a], step[OPERANDS];
    it->size[a] = it->size[b];
    it->size[b] = size;
    for (int k = 0; k < it->count; k++) {
        step[k] = it->step[a][k];
        it->step[a][k] = it->step[b][k];
        it->step[b][k] = step[k];
    }
}

/* Dim d goes to a place before it, and those in between one on. */
static void bring_dim(nomen__iter *it, int d, int to) {
    for (; d > to; d--) swap_dims(it, d, d - 1);
}

static void sort_dims(nomen__iter *it) {
    for (int i = 1; i < it->ndim; i++)
        for (int j = i; j > 0 && is_outer(it, j - 1, j); j--) swap_dims(it, j - 1, j);
}

static void merge_dims(nomen__iter *it) {
    int last = 0;
    for (int d = 1; d < it->ndim; d++) {
        bool fits = true;
        for (int k = 0; k < it->count; k++)
            fits &= it->step[d][k] == it->step[last][k] * it->size[last];
        if (fits) {
            it->size[last] *= it->size[d];
            continue;
        }
        if (++last == d) continue;
        it->size[last] = it->size[d];
        memcpy(it->step[last], it->step[d], sizeof it->step[d]);
    }
    it->ndim = it->ndim ? last + 1 : 0;
}

/* Do the operand's elements along dim 0 lie apart? */
static bool has_holes(const nomen__iter *it, int k) {
    return it->step[0][k] && it->step[0][k] != it->own[k];
}

static bool crosses(const nomen__iter *it, int k, int d) {
    int64_t here = llabs(it->step[0][k]), there = llabs(it->step[d][k]);
    const int64_t far = it->own[k] == 1 ? FAR_STEP / 2 : FAR_STEP; /* of bytes squares are of 8 */
    return there && there < here && here >= far && (there < FAR_STEP || there == it->own[k]);
}

/* A copy of which rows and columns change places goes straight into the output, some lines of the
 * input at a time, so that they are fetched ahead. Not where the output's rows lie powers of two
 * apart, so that the cache has no room for parts of so many of them. */
static void find_turns(nomen__iter *it) {
    const int64_t item = it->own[0], line = LINE / item;
    const int64_t apart = llabs(it->step[1][0]), power = apart & -apart;
    int64_t rows = TURN_LINES * line;
    if (power && rows > TURN_FAR / power) rows = TURN_FAR / power;
    it->turns = it->moves && it->step[0][0] == item && it->step[1][1] == item && rows >= 2 * line;
    if (!it->turns) return;
    it->high = rows;
    it->width = it->size[0];
}

/* Parts of the dim that is cut: of so many elements at most, all about the same. */
static void cut_evenly(nomen__iter *it, int64_t most) {
    const int64_t size = it->size[it->cut];
    it->width = size;
    if (size <= most) return;
    if (most > EVEN) most -= most % EVEN;
    const int64_t parts = (size + most - 1) / most, part = (size + parts - 1) / parts;
    const int64_t even = (part + EVEN - 1) / EVEN * EVEN;
    it->width = even <= most ? even : part;
}

/* What comes from beyond L2 is read in tiles of whole rows if they have room in it, and of as many
 * lines of the cache: long runs are fetched ahead, in the input and in what lies like the output.
 */
static void widen_tiles(nomen__iter *it, int64_t item) {
    enum { BANDS = 8 }; /* for threads to share, unless a line is too much for so many */
    const int64_t line = LINE / item, row = it->size[0] * item,
                  share = it->numel / it->size[0] / BANDS / line,
                  bytes = WIDE_BYTES / __builtin_popcount(it->tiled), fit = bytes / (row * line);
    int64_t lines = fit && fit < TURN_LINES ? fit : TURN_LINES;
    if (lines > share) lines = share ? share : 1;
    it->wide = true;
    it->high = lines * line;
    it->width = it->size[0];
    if (!fit) cut_evenly(it, bytes / (it->high * item));
    /* rows of a tile that are powers of two apart would share sets of L1 */
    const int64_t apart = it->width * item;
    if ((apart & -apart) >= TURN_APART) it->width = it->width / 2 + line;
}

/* Is there so little of dim 0 and of this one that it is copied element by element sooner than by
 * tiles, of which each would have no more? Squares that are turned over in registers have less. */
static bool is_copied(const nomen__iter *it, int d) {
    enum { SQUARE = 64 }; /* elements */
    const int64_t row = it->size[0], rows = it->size[d];
    if (it->step[d][1] == it->own[1]) return row * rows <= SQUARE;
    return row <= COPIED_ROW && rows <= COPIED_ROW;
}

/* Inputs whose near dim is not the output's are read in tiles; that dim becomes the second one. */
static void find_tiles(nomen__iter *it) {
    if (it->ndim < 2) return;
    /* see nomen__copy_few and find_blocks */
    if (it->moves ? it->size[0] < TINY : it->size[0] * it->own[0] <= BLOCK_ROW) return;
    int best = 0;
    for (int k = 1; k < it->count && !best; k++)
        for (int d = 1; d < it->ndim; d++)
            if (it->size[d] >= 4 && crosses(it, k, d)) {
                best = d;
                break;
            }
    if (!best) return;
    if (it->moves && is_copied(it, best)) return;
    bring_dim(it, best, 1);
    int64_t item = 1, bytes = TILE_BYTES;
    for (int k = 1; k < it->count; k++) {
        if (!has_holes(it, k)) continue;
        it->tiled |= 1u << k;
        if (it->own[k] > item) item = it->own[k];
        if (!crosses(it, k, 1)) bytes = BLOCK_BYTES; /* else the kernel would gather it, by rows */
    }
    it->high = TILE_FAR * item < LINE ? LINE / item : TILE_FAR;
    it->width = bytes / it->high / item;
    if (it->width > it->size[0]) { /* then there is room for more rows */
        it->width = it->size[0];
        it->high = bytes / it->width / item;
    }
    cut_evenly(it, it->width);
    find_turns(it);
    if (!it->moves && it->numel * item > NEAR_BYTES) widen_tiles(it, item);
}

/* Rows of numbers that are all the same: computed once, then spread. Rows of a few elements far
 * apart go otherwise (find_blocks). */
static void find_even_rows(nomen__iter *it) {
    const bool dense = it->step[0][0] == it->own[0], rows = it->ndim > 1;
    bool even = !it->moves && !it->tiled && (!rows || dense || it->size[0] >= TINY);
    for (int k = 1; k < it->count; k++) even &= it->step[0][k] == 0;
    it->even = even;
}

/* Rows of which each is the same as the one before, as no input goes on: one is computed. */
static void find_again(nomen__iter *it) {
    bool again = it->ndim > 1 && !it->moves && !it->tiled && !it->even;
    again = again && it->step[0][0] == it->own[0];
    for (int k = 1; k < it->count; k++) again &= it->step[1][k] == 0;
    it->again = again;
}

/* The dim from dim 1 on along which the elements of an operand are so many bytes apart; 0: none. */
static int dim_of_step(const nomen__iter *it, int k, int64_t step) {
    for (int d = 1; d < it->ndim; d++)
        if (it->step[d][k] == step) return d;
    return 0;
}

/* The input whose elements along dim 0 lie apart, by so many bytes or more, while they do not along
 * another; 0: none. */
static int crossing(const nomen__iter *it, int64_t least) {
    for (int k = 1; k < it->count; k++)
        if (has_holes(it, k) && llabs(it->step[0][k]) >= least && dim_of_step(it, k, it->own[k]))
            return k;
    return 0;
}

/* Short rows with the same short holes behind them in all inputs, of which there are two or more:
 * the holes are computed, too, so that some rows are one, and left out where the results are copied
 * to where they go. Nothing needs to be gathered. */
static NOMEN_NOINLINE void find_spans(nomen__iter *it) {
    enum { SPAN_OF_TWO = 136, SPAN = 256 }; /* bytes of a row of two inputs, and of more */
    const int64_t n = it->size[0];
    int64_t item = it->own[0], pitch = 0;
    int lines = 0;
    if (it->moves || it->cast[0] || it->tiled || it->even || it->again) return;
    if (it->size[1] < SHORT_ROWS || it->step[0][0] != item || it->alone != NOMEN__ALONE) return;
    for (int k = 1; k < it->count; k++) {
        const int64_t near = it->step[0][k], far = it->step[1][k], own = it->own[k];
        if (it->cast[k]) return;
        if (near == 0 && far == 0) continue; /* one number */
        if (near != own || far % own || far <= n * own) return;
        if (pitch && far != pitch * own) return;
        pitch = far / own;
        lines += k == 1 || it->base[k] != it->base[k - 1];
        if (own > item) item = own;
    }
    if (lines < 2 || pitch > n + n / 4 || n * item > (lines == 2 ? SPAN_OF_TWO : SPAN)) return;
    it->spans = true;
    it->tiled = 1;
    it->high = TILE_BYTES / (pitch * item);
    it->width = n;
}

/* Short rows would be little more than their calls: where the output has them without holes between
 * them, the inputs are made so, and many rows are one. So are longer ones, if all that has to be
 * made is one row again and again, which is made once. */
static void find_short_rows(nomen__iter *it) {
    const int64_t n = it->size[0];
    int64_t item = it->own[0];
    uint32_t tiled = 0;
    int64_t copied = 0;
    bool again = true, alike = true, dense = true, repeats = false;
    bool whole = n * item % WHOLE_BYTES == 0 && !it->cast[0];
    if (it->ndim < 2 || it->tiled || it->even || it->again || it->size[1] < SHORT_ROWS) return;
    if (n * item > AGAIN_BYTES / 2 || (crossing(it, LINE) && !it->moves))
        return; /* see find_blocks */
    if (it->step[0][0] != item || it->step[1][0] != n * item) return;
    for (int k = 1; k < it->count; k++) {
        const int64_t near = it->step[0][k], far = it->step[1][k], own = it->own[k];
        whole &= n * own % WHOLE_BYTES == 0 && !it->cast[k];
        repeats |= (near == 0) != (far == 0);
        dense &= near == own || (near == 0 && far == 0); /* a lone number is one to a kernel, too */
        alike &= own == it->own[0];
        if (far == n * near) continue; /* one element, or without holes too */
        if (it->moves && (near == 0 || (far == 0 && n * own > LINE))) return; /* see run_some */
        if (near == 0 ? n * own > SPREAD_BYTES : far && (near != own || it->moves)) return;
        tiled |= 1u << k;
        again &= far == 0 && near == own;
        if (far && !(k > 1 && it->base[k] == it->base[k - 1])) copied += n * own;
        if (own > item) item = own;
    }
    if (n * item > (again ? AGAIN_BYTES / 2 : SHORT_BYTES)) return;
    if (it->ndim > 2 && !it->moves && !repeats && n * it->size[1] * item < SHORT_PLANE)
        return; /* see find_blocks */
    it->tiled = tiled;
    const bool large = it->numel * item > NEAR_BYTES;
    it->called = whole && copied > COPIED;
    if (dense && alike && (whole || nomen__cpu_parts()))
        it->called |= copied > (large ? COPIED_FAR : COPIED_PARTS);
    it->high = (again ? AGAIN_BYTES : TILE_BYTES) / (n * item);
    it->width = n;
}

/* Are there operands whose elements along dim 0 lie apart? */
static bool any_holes(const nomen__iter *it) {
    bool holes = false;
    for (int k = 0; k < it->count; k++) holes |= has_holes(it, k);
    return holes;
}

/* The dims, from dim 1 on, along which such an input is read until a line of the cache is used up:
 * brought next to dim 0 where `move`; otherwise it is only told whether a block that has as much of
 * all dims in between has room. */
static bool near_line(nomen__iter *it, int k, int64_t item, bool move) {
    int64_t run = it->own[k], width = it->size[0];
    int last = 0;
    for (int next = 1; run < LINE && next < it->ndim; next++) {
        const int d = dim_of_step(it, k, run);
        if (!d) break;
        if (d > last) last = d;
        run *= it->size[d];
        if (move) bring_dim(it, d, next);
    }
    if (!last) return true;
    for (int d = 1; d < last; d++) width *= it->size[d];
    const int64_t part = run > LINE ? it->size[last] * LINE / run : it->size[last];
    return width * (part ? part : 1) * item <= BLOCK_BYTES;
}

/* Do its elements along the next dim lie so near each other that a block of both dims uses lines of
 * the cache up? */
static bool is_near_next(const nomen__iter *it, int k, int64_t item) {
    enum { FEWEST = 32 };
    const int64_t step = llabs(it->step[1][k]);
    return step && step <= 2 * it->own[k] && it->size[1] >= FEWEST &&
           it->size[0] * FEWEST * item <= BLOCK_BYTES / 4;
}

/* Are there enough elements along its dim without holes? */
static bool has_lines(const nomen__iter *it, int k) {
    return it->size[dim_of_step(it, k, it->own[k])] * it->own[k] >= LINE / 2;
}

/* Of an input that has no such room: of its lines, and as much of the dims near in the output. */
static void find_cut(nomen__iter *it, int k, int64_t item) {
    const int c = dim_of_step(it, k, it->own[k]);
    int cut = 0;
    const int64_t rows = it->size[c] < LINE / item ? it->size[c] : LINE / item;
    for (it->inner = 1; cut < c - 1 && it->inner * it->size[cut] * item * rows <= BLOCK_BYTES;
         cut++)
        it->inner *= it->size[cut];
    bring_dim(it, c, cut + 1);
    it->cut = cut;
    cut_evenly(it, BLOCK_BYTES / (it->inner * item * rows));
}

/* All of some of the nearest dims, and of the next one as much as there is room for. */
static void find_whole(nomen__iter *it, int64_t bytes, int64_t item) {
    int cut = 0;
    it->inner = 1;
    while (cut + 2 < it->ndim && it->inner * it->size[cut] * it->size[cut + 1] * item <= bytes)
        it->inner *= it->size[cut++];
    it->cut = cut;
    it->width = it->size[cut];
}

/* Short rows of any other kind, and such whose elements lie apart: more of them is made one row of
 * each operand that does not lie so. */
static void find_blocks(nomen__iter *it) {
    if (it->ndim < 2 || it->moves || it->tiled || it->even || it->again) return;
    int64_t item = 1;
    for (int k = 0; k < it->count; k++)
        if (it->own[k] > item) item = it->own[k];
    const bool apart = it->step[1][0] != it->size[0] * it->own[0]; /* not one row as they are */
    if (it->size[0] * item > (any_holes(it) ? HOLES_ROW : apart ? APART_BYTES : BLOCK_ROW)) return;
    const int cross = crossing(it, LINE);
    if (cross && !is_near_next(it, cross, item) && !near_line(it, cross, item, false)) {
        if (has_lines(it, cross)) {
            find_cut(it, cross, item);
        } else {
            near_line(it, cross, item, true);
            find_whole(it, BLOCK_BYTES / 4, item);
        }
    } else {
        find_whole(it, (cross ? BLOCK_BYTES : TILE_BYTES) / 4, item);
    }
    const int64_t n = it->inner * it->width;
    const bool all = n * item <= 2 * BLOCK_ROW || it->width == it->size[it->cut];
    for (int k = 0; k < it->count; k++) {
        for (int d = 0; d < it->cut; d++)
            if (it->step[d + 1][k] != it->size[d] * it->step[d][k]) it->tiled |= 1u << k;
        if (all && it->step[it->cut + 1][k] != n * it->step[0][k]) it->tiled |= 1u << k;
        if (has_holes(it, k)) it->tiled |= 1u << k;
    }
    it->high = TILE_BYTES / n / item;
    if (it->high < LINE / item) it->high = BLOCK_BYTES / n / item;
    if (it->cut == 0 && cross && it->count * it->numel * item > FAR_BYTES) {
        it->high = WIDE_BYTES / 2 / n / item;
        it->wide = true;
    }
    if (it->high > it->size[it->cut + 1]) it->high = it->size[it->cut + 1];
}

APART void make_slowly(nomen__iter *it, nomen_tensor *const *operand, int ndim,
                       const int64_t *size) {
    collect(it, operand, ndim, size);
    sort_dims(it);
    merge_dims(it);
    if (it->ndim == 0) {
        it->ndim = 1;
        it->size[0] = 1;
        for (int k = 0; k < it->count; k++) it->step[0][k] = nomen__item(operand[k]->dtype);
    }
    if (it->numel > FEW) {
        find_tiles(it);
        find_even_rows(it);
        find_again(it);
        if (it->ndim > 1 && it->count > 2) find_spans(it);
        find_short_rows(it);
        find_blocks(it);
    }
    for (int k = 1; k < it->count; k++) {
        bool constant = true;
        for (int d = 0; d < it->ndim; d++) constant &= it->step[d][k] == 0;
        if (it->cast[k] && constant) cast_constant(it, k);
    }
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
    for (int k = 1; k < it->count; k++)
        if (it->cast[k] && !it->step[0][k]) cast_constant(it, k);
    return true;
}

APART void make_casting(nomen__iter *it, nomen_tensor *out, nomen_tensor *const *in, int nin,
                        int ndim, const int64_t *size, const nomen_dtype *dtypes) {
    nomen_tensor *operand[OPERANDS];
    it->simple = it->casting = it->even = it->again = it->turns = false;
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
    if (!make_whole(it, operand)) make_slowly(it, operand, ndim, size);
    for (int k = 0; k <= nin; k++) it->casting |= it->cast[k] != NULL;
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

APART void make_otherwise(nomen__iter *it, nomen__loop *loop, nomen_tensor *out,
                          nomen_tensor *const *in, int nin, int ndim, const int64_t *size,
                          nomen_dtype kernel_dtype, nomen_dtype kernel_result) {
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
    it->casting = it->even = it->again = it->moves = it->turns = false;
    it->simple = numel <= NOMEN__ALONE && numel != 0;
}

/* Is the tile of this input made anew on the way, as a dim further out moves it? */
static bool is_made_anew(const nomen__iter *it, int k) {
    const int out = it->cut + 1;
    bool anew = it->high < it->size[out] && it->step[out][k];
    for (int d = out + 1; d < it->ndim; d++) anew |= it->step[d][k] != 0;
    return anew;
}

/* Many rows in a tile, of which each is short or of which few lie at even distances, take less time
 * as one row: so many that it pays to make a tile of each input, unless that is made but once. */
static bool tiles_are_better(const nomen__iter *it, int64_t bytes, bool lines) {
    /* bytes of a row for each input, without what is missing in its last vector; rows, and of how
     * many bytes of a row one more; rows at even distances; rows, where each is a call */
    enum { SHORT = 32, VECTOR = 64, MANY = 14, MORE = 4, PLANE = 8, CALLS = 8 };
    if (!it->tiled || it->called) return false;
    const int out = it->cut + 1;
    bool all = it->high >= it->size[out]; /* or the tile serves all of them */
    int64_t made = -1;                    /* 1 for one tile, 3 for two */
    for (int k = 1; k < it->count; k++) {
        if (!(it->tiled >> k & 1) || !is_made_anew(it, k)) continue;
        all |= it->step[out][k] == 0;
        if (it->base[k] != it->base[k - 1]) made += 2;
    }
    if (made < 0) return true;
    const int64_t rows = it->inner * it->width / it->size[0] * (all ? it->size[out] : it->high);
    const int64_t missing = -bytes & (VECTOR - 1), many = lines ? MANY + bytes / MORE : CALLS;
    const bool is_short = bytes - missing < SHORT * (it->count - 1);
    return (is_short || !lines || it->size[1] < PLANE) && rows * it->count > 3 * made * many;
}

void nomen__iter_by_lines(nomen__iter *it, nomen__lines *lines) {
    enum { LONG = 4096, LANE = 4 }; /* bytes */
    enum { FEWEST = 3 };            /* lines that are worth it */
    if (it->numel == 0) return;     /* nothing was planned */
    if (it->ndim < 2 || it->casting || it->even || it->again || it->spans) return;
    if (it->size[1] < FEWEST) return;
    const int64_t item = it->own[0] > it->own[1] ? it->own[0] : it->own[1]; /* bool is one */
    const int64_t bytes = it->size[0] * (item < LANE ? LANE : item);
    if (bytes > LONG || it->step[0][0] != it->own[0]) return;
    if (tiles_are_better(it, bytes, lines != NULL)) return;
    /* where vectors in parts of half types are made element by element; what is left of a row of
     * bytes behind whole vectors takes many steps; a heavy kernel takes longer to begin */
    if (item < LANE && (!lines || (bytes % WHOLE_BYTES && !nomen__cpu_parts()))) return;
    if (!lines && it->alone != NOMEN__ALONE) return;
    for (int k = 1; k < it->count; k++)
        if (has_holes(it, k)) return;
    it->lines = lines;
    it->tiled = 0;
}

/* ---- running it ------------------------------------------------------------------------------ */

/* n elements in a row, through the cast buffers. */
APART void run_casting(const nomen__iter *it, char *const *ptr, const int64_t *step, int64_t n) {
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
APART void run_even(const nomen__iter *it, char *const *ptr, int64_t n, const int64_t *down,
                    int64_t lines) {
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

/* n elements of dim 0. */
static inline void run_line(const nomen__iter *it, char *const *ptr, const int64_t *step,
                            int64_t n) {
    if (NOMEN_UNLIKELY(it->even))
        run_even(it, ptr, n, it->own, 1);
    else if (it->casting)
        run_casting(it, ptr, step, n);
    else
        it->loop(ptr, step, n);
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
APART void open_wide(const nomen__iter *it, tile_room *room, int64_t *width, int64_t *high) {
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

APART nomen_status run_slowly(const nomen__iter *it, sharing *share) {
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
        it->loop(it->base, it->step[0], it->numel);
    else if (it->numel)
        (void)run_slowly(it, share_all);
}

nomen_status nomen__iter_run_asking(const nomen__iter *it) {
    if (NOMEN_UNLIKELY(!it->simple))
        return it->numel ? run_slowly(it, nomen__parallel_asking) : NOMEN_OK;
    it->loop(it->base, it->step[0], it->numel);
    return NOMEN_OK;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* What writes a number to all elements: a kernel of its own where all of them are in L2. */
static nomen__loop *fill_loop(const nomen_tensor *t) {
    enum { NEAR = 1 << 15, FAR = 1 << 20 };
    const int64_t item = nomen__item(t->dtype), bytes = t->numel * item;
    const bool near = t->flags & NOMEN__CONTIGUOUS && bytes > NEAR && bytes < FAR;
    return near ? nomen__mover("fill", item) : nomen__copy_loop((nomen_dtype)t->dtype);
}

/* Into all elements, where that is one short run: there is nothing to plan. */
static bool spread_number(nomen_tensor *t, char *number, nomen__loop *fill) {
    if (!(t->flags & NOMEN__CONTIGUOUS) || t->numel > NOMEN__ALONE) return false;
    fill((char *const[2]){t->data, number}, (const int64_t[2]){nomen__item(t->dtype), 0}, t->numel);
    return true;
}

/* A number for all elements is converted once. */
APART nomen_status copy_one(nomen_tensor *dst, const nomen_tensor *src, nomen__loop *cast) {
    alignas(16) char value[16];
    const nomen_dtype to = (nomen_dtype)dst->dtype;
    nomen__cast_one(cast, to, value, (nomen_dtype)src->dtype, src->data);
    nomen__loop *const fill = fill_loop(dst);
    if (spread_number(dst, value, fill)) return NOMEN_OK;
    nomen_tensor one = {
        .dtype = (uint8_t)to, .numel = 1, .flags = NOMEN__CONTIGUOUS, .data = value};
    nomen_tensor *in = &one;
    nomen__iter it;
    nomen__iter_make(&it, fill, dst, &in, 1, dst->ndim, dst->size, to, to);
    return nomen__iter_run_asking(&it);
}

/* The same elements in the same places. */
static bool is_itself(const nomen_tensor *t, const nomen_tensor *other) {
    bool same = t->data == other->data && t->ndim == other->ndim && t->dtype == other->dtype;
    for (int d = 0; same && d < t->ndim; d++)
        same = t->size[d] == other->size[d] && t->stride[d] == other->stride[d];
    return same;
}

nomen_status nomen__copy_values(nomen_tensor *dst, const nomen_tensor *src) {
    if (NOMEN_UNLIKELY((dst->flags | src->flags) & NOMEN__AWAY)) return nomen__copy_away(dst, src);
    nomen_dtype from = (nomen_dtype)src->dtype, to = (nomen_dtype)dst->dtype;
    nomen__loop *loop = nomen__cast_loop(from, to);
    if (loop && src->numel == 1 && dst->numel) return copy_one(dst, src, loop);
    if (!loop) {
        if (dst->numel == src->numel && dst->flags & src->flags & NOMEN__CONTIGUOUS &&
            dst->numel <= NOMEN__ALONE) {
            if (dst->data != src->data && dst->numel)
                nomen__copy_block(dst->data, src->data, dst->numel * nomen__item(to));
            return NOMEN_OK;
        }
        if (is_itself(dst, src)) return NOMEN_OK;
        loop = nomen__copy_loop(to);
    }
    nomen__iter it;
    nomen_tensor *in = (nomen_tensor *)(uintptr_t)src; /* only read */
    nomen__iter_make_mixed(&it, loop, dst, &in, 1, dst->ndim, dst->size,
                           (const nomen_dtype[2]){to, from});
    return nomen__iter_run_asking(&it);
}

nomen_tensor *nomen__copied(nomen_tensor *copy, const nomen_tensor *src) {
    if (!copy || !copy->numel || !nomen__copy_values(copy, src)) return copy;
    nomen__release(copy);
    return NULL;
}

/* Of all dtypes these three hold every number, so that one cast is enough. */
static nomen_dtype widest(const nomen_number *n, void *value) {
    switch (n->kind) {
    case NOMEN_NUMBER_FLOAT: memcpy(value, &n->re, sizeof n->re); return NOMEN_F64;
    case NOMEN_NUMBER_COMPLEX:
        memcpy(value, (const double[2]){n->re, n->im}, 2 * sizeof(double));
        return NOMEN_C128;
    default: memcpy(value, &n->i, sizeof n->i); return NOMEN_I64;
    }
}

nomen_status nomen__fill_values(nomen_tensor *t, const nomen_number *n) {
    alignas(16) char wide[16], value[16];
    nomen_dtype to = (nomen_dtype)t->dtype, from = widest(n, wide);
    nomen__loop *cast = nomen__cast_loop(from, to);
    nomen_tensor one = {.dtype = (uint8_t)to, .numel = 1, .flags = NOMEN__CONTIGUOUS, .data = wide};
    nomen_tensor *in = &one;
    if (cast) {
        nomen__cast_one(cast, to, value, from, wide);
        one.data = value;
    }
    if (NOMEN_UNLIKELY(t->flags & NOMEN__AWAY)) {
        nomen_status s = nomen__make_ready(t);
        if (s || t->device) return s ? s : nomen__fill_away(t, one.data);
    }
    nomen__loop *const fill = fill_loop(t);
    if (spread_number(t, one.data, fill)) return NOMEN_OK;
    nomen__iter it;
    nomen__iter_make(&it, fill, t, &in, 1, t->ndim, t->size, to, to);
    nomen__iter_run(&it);
    return NOMEN_OK;
}
