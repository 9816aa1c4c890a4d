/* How the strided iterator walks: the order of dims, and which of its ways take the least time. */
#include "op/iter.h"

#include <stdlib.h>
#include <string.h>

/* Tiles have TILE_FAR rows or more, a cache line of them; of short rows, SHORT_BYTES at most, as
 * many as there is room for; of less than SHORT_ROWS it does not pay, nor where two dims are
 * SHORT_PLANE in all. Copies that turn over take TURN_LINES of each row, into rows that are
 * TURN_FAR bytes apart in all. */
enum { TILE_FAR = 16, TILE_BYTES = 8192, TINY = 8 };
enum { TURN_LINES = 4, TURN_FAR = 32768 };
enum { SHORT_BYTES = 256, SHORT_PLANE = 1024, SPREAD_BYTES = 256, SHORT_ROWS = 8 };
/* Rows of so many bytes go by tiles of any dims, of so many bytes at most: those that are dense,
 * and those of inputs with holes, for which a kernel gathers a block in each call. Parts of a dim
 * that is cut have multiples of EVEN elements. */
enum { BLOCK_ROW = 256, HOLES_ROW = 1024, EVEN = 16 };
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
enum { FAR_STEP = 16 }; /* elements */
enum { LANE = 4 };      /* bytes in which kernels compute at least */
enum { FEW = 32 }; /* elements for which it takes longer to find a better way than to do without */

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

/* Two dims of a few elements, which are moved along the longest one: a call for each two of them
 * takes longer than what it does. */
static void find_planes(nomen__iter *it) {
    enum { SMALL = 32, LONG = 16 }; /* elements */
    int longest = 2;
    if (!it->moves || it->ndim < 3 || it->size[0] * it->size[1] > SMALL) return;
    for (int d = 3; d < it->ndim; d++)
        if (it->size[d] > it->size[longest]) longest = d;
    if (it->size[longest] < LONG) return;
    bring_dim(it, longest, 2);
    it->planes = true;
    it->tiled = 2;
    it->cut = 1;
    it->inner = it->size[0];
    it->width = it->size[1];
    it->high = BLOCK_BYTES / (it->inner * it->width * it->own[0]);
    if (it->high > it->size[2]) it->high = it->size[2];
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

/* Does a dim from `first` on move this operand? */
static bool moves_beyond(const nomen__iter *it, int k, int first) {
    for (int d = first; d < it->ndim; d++)
        if (it->step[d][k]) return true;
    return false;
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
        repeats |= (near == 0) != (far == 0) && !moves_beyond(it, k, 2);
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

/* Is the next row of this input in the lines of the cache that the one before has read, which have
 * room in L1? Where rows are not short it is read as it lies, then, if elements are not put
 * together from narrower ones. */
static bool shares_lines(const nomen__iter *it, int k) {
    enum { LEAST = 64, WIDE = 8 }; /* elements; bytes of one */
    const int64_t step = llabs(it->step[1][k]);
    return step && step < LINE && it->own[k] >= WIDE && it->size[0] >= LEAST &&
           it->size[0] * LINE <= BLOCK_BYTES;
}

/* Are there enough elements along its dim without holes? */
static bool has_lines(const nomen__iter *it, int k) {
    return it->size[dim_of_step(it, k, it->own[k])] * it->own[k] >= LINE / 2;
}

/* Of an input that has no such room: of its lines, and as much of the dims near in the output. Not
 * where these have so little that the tile would be small. */
static bool find_cut(nomen__iter *it, int k, int64_t item) {
    enum { LEAST = 1024 }; /* bytes */
    const int c = dim_of_step(it, k, it->own[k]);
    int cut = 0;
    const int64_t rows = it->size[c] < LINE / item ? it->size[c] : LINE / item;
    int64_t inner = 1;
    for (; cut < c - 1 && inner * it->size[cut] * item * rows <= BLOCK_BYTES; cut++)
        inner *= it->size[cut];
    if (inner * it->size[cut] * item * rows < LEAST) return false;
    it->inner = inner;
    bring_dim(it, c, cut + 1);
    it->cut = cut;
    cut_evenly(it, BLOCK_BYTES / (it->inner * item * rows));
    return true;
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
    if (cross && !has_lines(it, cross) && shares_lines(it, cross)) return;
    if (!cross || is_near_next(it, cross, item) || near_line(it, cross, item, false)) {
        find_whole(it, (cross ? BLOCK_BYTES : TILE_BYTES) / 4, item);
    } else if (!has_lines(it, cross)) {
        near_line(it, cross, item, true);
        find_whole(it, BLOCK_BYTES / 4, item);
    } else if (!find_cut(it, cross, item)) {
        find_whole(it, TILE_BYTES / 4, item);
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

void nomen__iter_plan(nomen__iter *it, nomen_tensor *const *operand, int ndim,
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
        find_planes(it);
        if (it->planes) return;
        find_tiles(it);
        find_even_rows(it);
        find_again(it);
        if (it->ndim > 1 && it->count > 2) find_spans(it);
        find_short_rows(it);
        find_blocks(it);
    }
}

/* Is the tile of this operand made anew on the way, as a dim further out moves it? */
static bool is_made_anew(const nomen__iter *it, int k) {
    const int out = it->cut + 1;
    return (it->high < it->size[out] && it->step[out][k]) || moves_beyond(it, k, out + 1);
}

/* Bytes of a row up to which a tile of rows takes less time than a call for lines, if inputs are
 * made anew by so much work (in thirds of a copy). */
static int64_t short_for_lines(const nomen__iter *it, int64_t item, int64_t work) {
    enum { SHORT = 32, SHORT_HALF = 96 /* of half types, which are widened first */ };
    if (nomen__cpu_parts()) return SHORT * (it->count - 1);
    int64_t inputs = 0; /* without lone numbers */
    for (int k = 1; k < it->count; k++) inputs += it->step[0][k] || it->step[1][k];
    return 3 * (item < LANE ? SHORT_HALF : SHORT) * inputs / work;
}

/* Many rows in a tile, of which each is short or of which few lie at even distances, take less time
 * as one row: so many that it pays to make a tile of each input, unless that is made but once. */
static bool tiles_are_better(const nomen__iter *it, int64_t item, int64_t bytes, bool lines) {
    /* bytes of a vector, of which the last of a row has some missing; rows, and of how many bytes
     * of a row one more; rows at even distances; rows, where each is a call */
    enum { VECTOR = 32, MANY = 14, MORE = 4, PLANE = 8, CALLS = 8 };
    enum { COPIES = 3, SPREADS = 2 }; /* what it takes to make an operand anew */
    if (!it->tiled || it->called) return false;
    const int out = it->cut + 1;
    bool all = it->high >= it->size[out]; /* or the tile serves all of them */
    int64_t made = -1, work = 0;          /* 1 for one tile, 3 for two */
    for (int k = 0; k < it->count; k++) {
        if (!(it->tiled >> k & 1) || !is_made_anew(it, k)) continue;
        all |= it->step[out][k] == 0;
        if (k > 1 && it->base[k] == it->base[k - 1]) continue;
        made += 2;
        work += it->step[0][k] ? COPIES : SPREADS;
    }
    if (made < 0) return true;
    const int64_t rows = it->inner * it->width / it->size[0] * (all ? it->size[out] : it->high);
    const int64_t vector = nomen__cpu_parts() ? 2 * VECTOR : VECTOR;
    const int64_t missing = -bytes & (vector - 1), many = lines ? MANY + bytes / MORE : CALLS;
    const bool is_short = bytes - missing < short_for_lines(it, item, work);
    return (is_short || !lines || it->size[1] < PLANE) && rows * it->count > 3 * made * many;
}

void nomen__iter_by_lines(nomen__iter *it, nomen__lines *lines) {
    enum { LONG = 4096 };       /* bytes */
    enum { FEWEST = 3 };        /* lines that are worth it */
    if (it->numel == 0) return; /* nothing was planned */
    if (it->ndim < 2 || it->casting || it->even || it->again || it->spans) return;
    if (it->size[1] < FEWEST) return;
    const int64_t item = it->own[0] > it->own[1] ? it->own[0] : it->own[1]; /* bool is one */
    const int64_t bytes = it->size[0] * (item < LANE ? LANE : item);
    if (bytes > LONG || it->step[0][0] != it->own[0]) return;
    if (tiles_are_better(it, item, bytes, lines != NULL)) return;
    /* where vectors in parts of half types are made element by element; what is left of a row of
     * bytes behind whole vectors takes many steps; a heavy kernel takes longer to begin */
    if (item < LANE && (!lines || (bytes % WHOLE_BYTES && !nomen__cpu_parts()))) return;
    if (!lines && it->alone != NOMEN__ALONE) return;
    for (int k = 1; k < it->count; k++)
        if (has_holes(it, k)) return;
    it->lines = lines;
    it->tiled = 0;
}
