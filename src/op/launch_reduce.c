/* Reductions: how the dims of the input become rectangles for a reducer, and how the work is shared
 * among threads so that their number does not show in the result. Adding up is the reducer's. */
#include "op/fusing.h"
#include "op/launch.h"
#include "op/nest.h"
#include "op/passing.h"
#include "op/rows.gen.h"

#include "nomen/memory.h"

#include <stdlib.h>
#include <string.h>

/* A unit is a block of accumulators and everything that is reduced into it. Where units are few but
 * large (LARGE elements), they are cut into parts with accumulators of their own, at most PARTS in
 * all; parts are whole blocks of ROUND elements, as reducers take them in. */
enum { LARGE = 4 * NOMEN__GRAIN, FEW_UNITS = 16, PARTS = 64, ROUND = 1024 };
enum { MANY = 64 }; /* elements reduced into each of a few neighbours, that are worth a unit */
enum { NEIGHBOURS = 64 };   /* accumulators of which blocks are multiples: whole lines of memory */
enum { FEW_COLUMNS = 8 };   /* fewer of them are taken by reducers as rows: other sums */
enum { SHORT_ROW = 16 };    /* reducers turn such rows into columns */
enum { SHORT_BESIDE = 64 }; /* rows worse than one element again and again */
enum { TOGETHER = 1024 };   /* rows up to which several of one accumulator are taken in at once */
/* Bytes: what caches hold no more of; how far behind a block lines are asked for, how much is asked
 * for at a time, and of rows that do without if few steps are taken; see plan_ahead. */
enum { FAR = 1 << 24, AHEAD = 8192, ASKED = 4096, LONG = 6144, LINE = 64 };
enum { ACCUMULATORS = NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES };

/* The casts of results that are not wanted as the reducer writes them. */
typedef struct result {
    char *base; /* NULL: not wanted */
    nomen__loop *cast;
    int64_t item; /* bytes of what the reducer writes */
} result;

enum { IN, OUT, POSITION = OUT }; /* sides of what is kept, with two results; and reduced */

typedef struct reduction reduction;

/* Takes several of the rows of one accumulator at once, that begin at s, `left` or `more` at most,
 * and says how many. */
typedef int64_t take_several(const reduction *r, const nomen__reduce_step *s, void *acc,
                             int64_t left, int64_t more);

struct reduction {
    const nomen__reducer *reducer;
    nomen__reduce_param param;
    const char *in;
    result out[NOMEN__MAX_OUT];
    int64_t index0;
    nomen__nest kept, reduced; /* dims of the result, and the others; rectangles span the first */
    int64_t outer, block, blocks; /* units: outer kept dims times blocks of the first */
    int64_t beside;               /* accumulators for each index of the first: see find_groups */
    int64_t near[NOMEN__SIDES];   /* bytes from one of these to the next */
    int64_t spaced;               /* elements from group to group of a span; 0: no spans */
    char *partial;                /* accumulators of parts */
    int64_t parts, part;          /* per unit; elements of one per accumulator */
    int64_t item;                 /* bytes of an element of the input */
    enum { NOTHING, WHOLE_ROWS, PIECES } ahead; /* see plan_ahead */
    take_several *several;      /* NULL: rows of one accumulator are taken one by one */
    bool columns;               /* units are columns that need no accumulators */
    bool whole;                 /* see share_columns */
    bool squares;               /* see are_squares */
    bool across;                /* see lies_across */
    int64_t lent;               /* the last block has so many of the one before it, too */
    nomen__fuse_program *steps; /* the input is put off, and made block by block */
    bool lost;                  /* those have changed: it is to be made as a whole */
};

/* How far apart elements are. What is broadcast lies farther out than all others: its elements are
 * in cache when they come again. */
static int64_t span(int64_t step) { return step < 0 ? -step : step ? step : INT64_MAX; }

/* ---- dims ------------------------------------------------------------------------------------ */

/* One dim more, in its place by the input's steps: for the steps of the other sides. */
static int64_t *put_dim(nomen__nest *n, int64_t size, int64_t in) {
    int at = n->ndim++;
    for (; at > 0 && span(n->step[at - 1][IN]) > span(in); at--) nomen__nest_copy(n, at, at - 1);
    n->size[at] = size;
    n->step[at][IN] = in;
    return n->step[at];
}

/* Dims that go on in each other are one. */
static void merge_dims(nomen__nest *n) {
    int last = 0;
    for (int d = 1; d < n->ndim; d++)
        if (nomen__nest_goes_on(n, last, d))
            n->size[last] *= n->size[d];
        else if (++last < d)
            nomen__nest_copy(n, last, d);
    if (n->ndim) n->ndim = last + 1;
}

/* Positions count in the order of the dims. */
static void collect(reduction *r, const nomen_tensor *in, uint64_t mask, nomen_tensor *const *out,
                    bool positions) {
    int64_t position = 1;
    const nomen_tensor *shape = out[0] ? out[0] : out[1];
    int at = shape->ndim; /* of the results' dims, from the last one */
    bool keepdim = shape->ndim == in->ndim;
    r->kept.ndim = r->reduced.ndim = 0;
    for (int d = in->ndim - 1; d >= 0; d--) {
        bool reduced = mask >> d & 1;
        int64_t size = in->size[d], near = in->stride[d] * r->item, *step;
        if (!reduced || keepdim) at--;
        if (size == 1) continue;
        if (reduced) {
            if (near || !size || !r->reducer->once) { /* nothing is not something again */
                step = put_dim(&r->reduced, size, near);
                step[POSITION] = positions ? position : 0;
                step[POSITION + 1] = 0;
            } else {
                r->param.count /= size;
            }
            position *= size;
            continue;
        }
        step = put_dim(&r->kept, size, near);
        for (int k = 0; k < NOMEN__MAX_OUT; k++)
            step[OUT + k] = out[k] ? out[k]->stride[at] * nomen__item(out[k]->dtype) : 0;
    }
}

/* Without positions any order will do: all steps are made to go forward, and positions are counted
 * as the elements come. */
static void merge_reduced(reduction *r, bool positions) {
    nomen__nest *const n = &r->reduced;
    for (int d = 0; d < n->ndim && !positions; d++) {
        if (n->step[d][IN] >= 0) continue;
        r->in += (n->size[d] - 1) * n->step[d][IN];
        n->step[d][IN] = -n->step[d][IN];
    }
    merge_dims(n);
    int64_t position = 1;
    for (int d = 0; d < n->ndim && !positions; d++) {
        n->step[d][POSITION] = position;
        position *= n->size[d];
    }
}

/* As many accumulators beside each other as there is room for: memory is read in long pieces, which
 * the processor fetches ahead. Only where enough units are left, or parts of them. */
static void widen_block(reduction *r) {
    const nomen__nest *const kept = &r->kept;
    int64_t most = ACCUMULATORS / (int64_t)r->reducer->acc_bytes;
    if (most > (int64_t)r->reducer->acc_most) most = r->reducer->acc_most;
    most -= most % NEIGHBOURS;
    if (kept->step[0][IN] != r->item || most <= NOMEN__ACC_BLOCK ||
        kept->size[0] <= NOMEN__ACC_BLOCK)
        return;
    int64_t blocks = (kept->size[0] + most - 1) / most,
            block = (kept->size[0] + blocks - 1) / blocks;
    block = (block + NEIGHBOURS - 1) / NEIGHBOURS * NEIGHBOURS;
    if (block > kept->size[0]) block = kept->size[0];
    if (r->outer * blocks < FEW_UNITS && block * r->param.count < LARGE) return;
    r->block = block;
    r->blocks = (kept->size[0] + block - 1) / block;
}

/* Many columns of not so many rows are shared out among the threads without cutting the rows into
 * parts, whose accumulators would be handed from one processor to another, and merged. Sums are the
 * same for every block of columns. Whether it is done must not depend on the threads. */
static void share_columns(reduction *r) {
    const nomen__nest *const kept = &r->kept;
    enum { COLUMNS = 512, ROWS = 8192, SHARES = 2 };
    r->whole = kept->step[0][IN] == r->item && kept->size[0] >= COLUMNS && r->param.count <= ROWS;
    if (!r->whole) return;
    const int64_t shares = SHARES * nomen_get_num_threads(), over = kept->size[0] % NEIGHBOURS;
    const bool few = over && over < FEW_COLUMNS; /* may be all that the last block has */
    int64_t block = (kept->size[0] * r->outer + shares - 1) / shares;
    block = (block + NEIGHBOURS - 1) / NEIGHBOURS * NEIGHBOURS;
    if (few && block == NEIGHBOURS) block += NEIGHBOURS;
    if (shares > SHARES && block < r->block) {
        r->block = block;
        r->blocks = (kept->size[0] + block - 1) / block;
    }
    if (few && kept->size[0] % r->block == over) r->lent = NEIGHBOURS;
}

/* Elements worth a chunk of so many: short rows and reducers of many steps take longer. No result
 * shows how rows are cut, so one thread has larger pieces. */
static int64_t grain_of(const reduction *r, int64_t elements) {
    enum { FEW = 64, SHORT = 3 * NOMEN__GRAIN / 8, STEPS = NOMEN__GRAIN / 2 };
    if (elements <= 2 * SHORT || nomen_get_num_threads() == 1) return NOMEN__GRAIN;
    return nomen__grain_of(elements, r->reduced.size[0] < FEW ? SHORT
                                     : r->reducer->heavy      ? STEPS
                                                              : NOMEN__GRAIN);
}

/* Do short rows of some accumulators make up longer ones, of which there are many? They are then
 * a block, or are cut into some, of as many elements as accumulators that are taken in at once;
 * what lies between them, no more than they are, is taken in, too. */
static bool are_squares(const reduction *r) {
    const nomen__nest *const kept = &r->kept, *const reduced = &r->reduced;
    enum { SQUARED = NOMEN__ACC_BLOCK / 2 }; /* two rows and more */
    const int64_t row = reduced->size[0] * r->item, pitch = kept->step[0][IN];
    return reduced->ndim > 1 && reduced->size[1] >= SHORT_ROW && !r->reducer->in_parts &&
           !r->reducer->places && !r->reducer->hasty && reduced->step[0][IN] == r->item &&
           row > 0 && pitch >= row && pitch <= 2 * row && pitch % r->item == 0 &&
           reduced->step[1][IN] >= kept->size[0] * pitch &&
           (kept->size[0] * pitch <= NOMEN__ACC_BLOCK * r->item || pitch <= SQUARED * r->item);
}
/* Elements from one of those rows to the next. */
static int64_t pitch_of(const reduction *r) { return r->kept.step[0][IN] / r->item; }

enum { FEWEST_ROWS = 8 }; /* of a rectangle of few accumulators */

/* Do few accumulators beside each other, of many such groups, make better rectangles than the dim
 * of groups, whose elements lie far apart? */
static bool are_groups(const reduction *r) {
    enum { WIDEST = 32, WORTH = 32, WORTH_OF_8 = 20, FOLDED = 4096, PAGE = 4096 };
    const nomen__nest *const kept = &r->kept;
    const int64_t size = kept->size[0], near = kept->step[0][IN], next = kept->step[1][IN];
    const int64_t rows = r->reduced.size[0], row = span(r->reduced.step[0][IN]);
    if (size < FEW_COLUMNS ? !r->reducer->few || near != r->item : size > WIDEST || near == r->item)
        return false;
    if (rows * size < FOLDED && rows * (size - 2) < (r->item >= 8 ? WORTH_OF_8 : WORTH))
        return false;
    /* Rows of all groups one behind the other are not read group by group. */
    return row >= size * span(near) && (span(next) >= row || kept->size[1] * next <= PAGE);
}

/* Do rows of few accumulators, with gaps of at most twice their length, make up longer ones? Such
 * spans are sooner taken in with what lies in the gaps than gathered; by reducers of many steps if
 * gaps are small. */
static bool are_spans(const reduction *r) {
    const nomen__nest *const kept = &r->kept;
    const int64_t row = kept->size[0] * r->item, next = kept->step[1][IN], gap = next - row;
    return kept->size[0] < FEW_COLUMNS && kept->step[0][IN] == r->item && next % r->item == 0 &&
           gap > 0 && gap <= (r->reducer->heavy ? row / 2 : 2 * row) &&
           kept->size[1] * kept->size[0] >= SHORT_ROW &&
           r->reduced.step[0][IN] >= kept->size[1] * next && !r->reducer->places &&
           !r->reducer->hasty;
}

/* A unit then is some groups, of which each is a rectangle, or a span of them, which is one; it has
 * results one behind the other. */
static void find_groups(reduction *r) {
    nomen__nest *const kept = &r->kept;
    const int64_t size = kept->size[0], *const near = kept->step[0];
    if (kept->ndim < 2 || r->reduced.ndim != 1 || r->reducer->in_parts ||
        r->reduced.size[0] < FEWEST_ROWS)
        return;
    for (int k = OUT; k < NOMEN__SIDES; k++)
        if (kept->step[1][k] != size * near[k]) return;
    if (are_spans(r))
        r->spaced = kept->step[1][IN] / r->item;
    else if (!are_groups(r))
        return;
    r->beside = size;
    memcpy(r->near, near, sizeof r->near);
    kept->ndim--;
    for (int d = 0; d < kept->ndim; d++) nomen__nest_copy(kept, d, d + 1);
}

/* Do a few rows of a few elements each make one result after the other, of which there are many? A
 * group of them fills no vector and takes as long as a call: it is sooner gathered with others. */
static bool are_small(const reduction *r) {
    enum { MOST = 64, MOST_SHORT = 128, COLUMNS = 16, SHORT_COLUMNS = 32, GROUPS = 64 };
    const nomen__nest *const kept = &r->kept, *const reduced = &r->reduced;
    const int64_t size = kept->size[0], elements = size * reduced->size[0], item = r->item;
    const bool direct = r->reducer->columns; /* which do without accumulators */
    if (kept->ndim < 2 || reduced->ndim != 1 || (direct && item >= 8)) return false;
    return elements <= (item <= 2 ? MOST_SHORT : MOST) &&
           size < (item == 1 || (item == 2 && !direct) ? SHORT_COLUMNS : COLUMNS) &&
           kept->size[nomen__nest_longest(kept)] >= GROUPS;
}

/* May rows of one accumulator have some of their own, as many at once as a call takes? */
static bool may_take_rows(const reduction *r) {
    return r->reduced.size[0] <= TOGETHER && !r->reducer->places && !r->reducer->hasty;
}

/* Rectangles are never without dims; a short near dim makes poor ones, then the longest is better.
 */
static void finish_dims(reduction *r) {
    nomen__nest *const kept = &r->kept, *const reduced = &r->reduced;
    if (kept->ndim == 0) {
        kept->size[0] = 1;
        kept->step[0][IN] = kept->step[0][OUT] = kept->step[0][OUT + 1] = 0;
        kept->ndim = 1;
    }
    if (reduced->ndim == 0) {
        reduced->size[0] = 1;
        reduced->step[0][IN] = reduced->step[0][POSITION] = 0;
        reduced->ndim = 1;
    }
    const int last = reduced->ndim - 1;
    if (reduced->size[0] < SHORT_BESIDE && !reduced->step[last][IN])
        nomen__nest_move_first(reduced, last);
    /* Three columns, of which vectors are not filled: those of 4 bytes are sooner gathered. */
    const int64_t least = r->item == 4 ? 4 : 3;
    const bool few = r->reducer->few && kept->size[0] >= least && kept->step[0][IN] == r->item &&
                     reduced->step[0][IN] == kept->size[0] * r->item && reduced->size[0] >= MANY;
    r->beside = 1;
    r->spaced = 0;
    if (!few) find_groups(r);
    if ((kept->size[0] < FEW_COLUMNS || are_small(r)) && !few && r->beside == 1 && !are_squares(r))
        nomen__nest_move_first(kept, nomen__nest_longest(kept));
    const int64_t most = NOMEN__ACC_BLOCK / (r->spaced ? r->spaced : r->beside),
                  each = r->param.count * r->beside;
    r->block = kept->size[0] < most ? kept->size[0] : most;
    /* Rows can be shared out one by one, columns are better cut into parts of all of them. */
    bool rows = span(kept->step[0][IN]) > span(reduced->step[0][IN]);
    r->outer = 1;
    for (int d = 1; d < kept->ndim; d++) r->outer *= kept->size[d];
    const int64_t grain = grain_of(r, each * kept->size[0] * r->outer);
    r->squares = are_squares(r);
    if (r->squares && r->block > NOMEN__ACC_BLOCK / pitch_of(r))
        r->block = NOMEN__ACC_BLOCK / pitch_of(r);
    if (rows && !r->squares && r->block * each > grain)
        r->block = grain / each > 8 ? grain / each : 8;
    if (r->block > kept->size[0]) r->block = kept->size[0];
    /* Rows of a few accumulators are sooner taken in one by one, of each so many at once. */
    if (rows && !r->squares && kept->size[0] < FEW_COLUMNS && reduced->ndim > 1 &&
        reduced->size[0] < SHORT_ROW && reduced->size[1] >= MANY && may_take_rows(r))
        r->block = 1;
    r->blocks = (kept->size[0] + r->block - 1) / r->block;
    r->whole = false;
    r->lent = 0;
    if (rows || r->beside > 1) return;
    widen_block(r);
    share_columns(r);
}

/* Blocks of so many accumulators at most. */
static void narrow_block(reduction *r, int64_t most) {
    if (r->block <= most) return;
    r->lent = 0;
    r->block = most;
    r->blocks = (r->kept.size[0] + most - 1) / most;
}

/* Whether lines are asked for ahead of blocks of rows. Not where a reducer turns over more rows at
 * a time than make such a block: rows of small elements, and longer ones for a position. */
static bool asks_by_rows(const reduction *r) {
    enum { TURNED = 128, PLACES = 512 }; /* elements of a row */
    const int64_t n = r->reduced.size[0], row = n * r->item, next = r->kept.step[0][IN];
    if (r->reduced.ndim > 1 || next < row || next > 2 * row) return false;
    if (r->item <= 2 && (n < SHORT_ROW || n > TURNED)) return false;
    if (r->reducer->places && n > TURNED && n < PLACES) return false;
    return row < LONG || r->reducer->heavy;
}

/* Long rows not of elements of one byte: a step takes in a whole line of them. */
static void plan_ahead(reduction *r, const nomen_tensor *in) {
    const int64_t next = r->kept.step[0][IN];
    r->ahead = NOTHING;
    if (in->numel * r->item < FAR || r->reduced.step[0][IN] != r->item) return;
    if (r->reduced.size[0] >= ROUND) {
        if (r->reducer->heavy && r->item > 1) r->ahead = PIECES;
        /* Accumulators in parts are not taken one by one. */
        if (r->ahead && r->reducer->in_parts) narrow_block(r, 1);
    } else if (asks_by_rows(r)) {
        /* Of rows that reducers take several of at once, as many as they do. */
        const int64_t at_once = LINE / r->item * next <= 2 * ASKED ? LINE / r->item : 1,
                      most = ASKED / next / at_once * at_once;
        r->ahead = WHOLE_ROWS;
        narrow_block(r, most > at_once ? most : at_once);
    }
}

/* ---- one unit -------------------------------------------------------------------------------- */

typedef struct unit {
    int64_t n;     /* accumulators */
    int64_t first; /* of kept[0] */
    const char *in;
    char *out[NOMEN__MAX_OUT];
    int64_t index[NOMEN_MAX_DIMS]; /* of the other kept dims */
} unit;

static void move(const reduction *r, unit *u, int d, int64_t by) {
    if (!r->steps) u->in += by * r->kept.step[d][IN];
    for (int k = 0; k < NOMEN__MAX_OUT; k++)
        if (u->out[k]) u->out[k] += by * r->kept.step[d][OUT + k];
}

static void find_block(const reduction *r, unit *u) {
    const int64_t left = r->kept.size[0] - u->first, behind = left - r->block;
    u->n = behind <= 0 ? left : behind < FEW_COLUMNS ? r->block - r->lent : r->block;
}

static void find_unit(const reduction *r, int64_t number, unit *u) {
    const nomen__nest *const kept = &r->kept;
    int64_t line = number / r->blocks;
    u->first = number % r->blocks * r->block;
    if (number % r->blocks == r->blocks - 1) u->first -= r->lent;
    u->in = r->in;
    for (int k = 0; k < NOMEN__MAX_OUT; k++) u->out[k] = r->out[k].base;
    move(r, u, 0, u->first);
    for (int d = 1; d < kept->ndim; d++) {
        u->index[d] = line % kept->size[d];
        line /= kept->size[d];
        move(r, u, d, u->index[d]);
    }
    find_block(r, u);
}

/* The one behind it, without divisions: they take as long as a small unit. */
static void next_unit(const reduction *r, unit *u) {
    const nomen__nest *const kept = &r->kept;
    int64_t by = u->n;
    if (u->first + by >= kept->size[0]) {
        by = -u->first;
        for (int d = 1; d < kept->ndim; d++) {
            const bool more = ++u->index[d] < kept->size[d];
            move(r, u, d, more ? 1 : 1 - kept->size[d]);
            if (more) break;
            u->index[d] = 0;
        }
    }
    move(r, u, 0, by);
    u->first += by;
    find_block(r, u);
}

/* ---- what is put off ------------------------------------------------------------------------- */

/* BYTES hold a unit of rows that reducers turn, whatever the dtype; of others, as many rows as fit
 * into NEAR, or a part of one: whole blocks of ROUND elements, so that reducers see what they would
 * see of a whole row. */
enum { BYTES = NOMEN__ACC_BLOCK * SHORT_ROW * 16, NEAR = 16384 };

/* The input is one block of memory, row behind row. */
static bool is_one_block(const reduction *r) {
    const nomen__nest *const kept = &r->kept, *const reduced = &r->reduced;
    return reduced->ndim == 1 && kept->ndim == 1 && reduced->step[0][IN] == r->item &&
           (kept->size[0] == 1 || kept->step[0][IN] == r->param.count * r->item);
}

/* Elements begin to end of n rows from number `first` of the unit. */
static void take_blocks(const reduction *r, const unit *u, char *acc, int64_t begin, int64_t end) {
    _Alignas(64) char near[BYTES];
    int64_t count = r->param.count, rows = u->n, most = end - begin;
    if (count > SHORT_ROW) {
        rows = NEAR / (count * r->item);
        if (rows < 1 || most != count) rows = 1;
        most = NEAR / r->item / ROUND * ROUND;
    }
    nomen__reduce_step s = {.in = near, .acc_step = count * r->item, .red_step = r->item};
    s.index_step = r->reduced.step[0][POSITION];
    for (int64_t row = 0; row < u->n; row += rows) {
        s.n_acc = u->n - row < rows ? u->n - row : rows;
        char *to = acc + row * (int64_t)r->reducer->acc_bytes;
        for (int64_t at = begin; at < end; at += s.n_red) {
            s.n_red = s.n_acc == 1 && end - at > most ? most : end - at;
            s.index0 = r->index0 + at * s.index_step;
            int64_t from = (u->first + row) * count + at;
            nomen__fuse_compute(r->steps, from, from + s.n_acc * s.n_red, near);
            r->reducer->step(to, &s);
        }
    }
}

/* ---- all units ------------------------------------------------------------------------------- */

/* n accumulators become part of one: halves are joined; those in parts by way of their results,
 * which are elements in turn. */
static void join(const reduction *r, void *acc, char *own, int64_t n) {
    if (!r->reducer->in_parts) {
        for (; n > 1; n -= n / 2)
            r->reducer->merge(own, own + (n - n / 2) * (int64_t)r->reducer->acc_bytes, n / 2);
        r->reducer->merge(acc, own, 1);
        return;
    }
    _Alignas(64) char made[NOMEN__MAX_OUT][NOMEN__ACC_BLOCK * 8];
    char *to[NOMEN__MAX_OUT] = {made[0], made[1]};
    nomen__reduce_step s = {.n_acc = 1, .n_red = n, .red_step = r->item};
    r->reducer->finish(to, (const int64_t[NOMEN__MAX_OUT]){r->item, r->item}, own, n, &r->param);
    for (int k = 0; k < NOMEN__MAX_OUT; k++) {
        s.in = made[k];
        r->reducer->step(acc, &s);
    }
}

/* Each row is reduced into an accumulator of its own, as a call takes many of those at once. */
static int64_t take_rows(const reduction *r, const nomen__reduce_step *s, void *acc, int64_t left,
                         int64_t more) {
    _Alignas(64) char own[ACCUMULATORS];
    nomen__reduce_step all = *s;
    all.n_acc = left < more ? left : more;
    if (all.n_acc > NOMEN__ACC_BLOCK) all.n_acc = NOMEN__ACC_BLOCK;
    all.acc_step = r->reduced.step[1][IN];
    all.n_red = r->reduced.size[0];
    r->reducer->init(own, all.n_acc);
    r->reducer->step(own, &all);
    join(r, acc, own, all.n_acc);
    return all.n_acc;
}

/* What stands at the same place of all rows is reduced into one accumulator. For results in which
 * the order of elements does not show. */
static int64_t take_columns(const reduction *r, const nomen__reduce_step *s, void *acc,
                            int64_t left, int64_t more) {
    _Alignas(64) char own[ACCUMULATORS];
    const int64_t row = r->reduced.size[0];
    nomen__reduce_step some = *s;
    some.acc_step = r->reduced.step[0][IN];
    some.n_red = left < more ? left : more;
    some.red_step = r->reduced.step[1][IN];
    for (int64_t at = 0; at < row; at += some.n_acc, some.in += some.n_acc * some.acc_step) {
        some.n_acc = row - at < NOMEN__ACC_BLOCK ? row - at : NOMEN__ACC_BLOCK;
        r->reducer->init(own, some.n_acc);
        r->reducer->step(own, &some);
        join(r, acc, own, some.n_acc);
    }
    return some.n_red;
}

/* Rows of several accumulators one behind the other are one row, in which each element has an
 * accumulator; those of a row are joined at the end. For results in which the order of elements
 * does not show. */
static int64_t take_squares(const reduction *r, const nomen__reduce_step *s, void *acc,
                            int64_t left, int64_t more) {
    _Alignas(64) char own[ACCUMULATORS];
    const int64_t row = r->reduced.size[0], pitch = pitch_of(r);
    const int64_t bytes = (int64_t)r->reducer->acc_bytes;
    nomen__reduce_step all = *s;
    all.n_acc = (s->n_acc - 1) * pitch + row;
    all.acc_step = r->item;
    all.n_red = left < more ? left : more;
    all.red_step = r->reduced.step[1][IN];
    r->reducer->init(own, all.n_acc);
    r->reducer->step(own, &all);
    for (int64_t k = 0; k < s->n_acc; k++)
        join(r, (char *)acc + k * bytes, own + k * pitch * bytes, row);
    return all.n_red;
}

/* First the elements that begin the rows, then those behind these. For results in which their order
 * does not show. */
static int64_t take_across(const reduction *r, const nomen__reduce_step *s, void *acc, int64_t left,
                           int64_t more) {
    const nomen__nest *const reduced = &r->reduced;
    nomen__reduce_step one = *s;
    one.n_red = left < more ? left : more;
    if (one.n_red > ROUND) one.n_red = ROUND;
    one.red_step = reduced->step[1][IN];
    one.index_step = reduced->step[1][POSITION];
    for (int64_t i = 0; i < reduced->size[0]; i++) {
        r->reducer->step(acc, &one);
        one.in += reduced->step[0][IN];
        one.index0 += reduced->step[0][POSITION];
    }
    return one.n_red;
}

/* Of rows that come from memory. At the end of a row each reducer does many steps: short ones, of
 * which a unit is a block (WHOLE_ROWS), are read up to four times as fast. */
static void ask_ahead(const char *in, int64_t bytes) {
    for (int64_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch(in + AHEAD + at); /* beyond the input it is no access */
}

/* Rows that come from memory, by blocks, for each of which the lines some way behind it are asked
 * for. A reducer of many steps reads twice as fast then; one that does little more than to load
 * takes up to half as long again. */
static void step_ahead(const reduction *r, char *acc, const nomen__reduce_step *s) {
    nomen__reduce_step block = *s;
    block.n_acc = 1;
    for (int64_t i = 0; i < s->n_acc; i++, acc += r->reducer->acc_bytes)
        for (int64_t j = 0; j < s->n_red; j += ROUND) {
            block.n_red = s->n_red - j < ROUND ? s->n_red - j : ROUND;
            block.in = s->in + i * s->acc_step + j * s->red_step;
            block.index0 = s->index0 + j * s->index_step;
            ask_ahead(block.in, block.n_red * s->red_step);
            r->reducer->step(acc, &block);
        }
}

/* All groups of a span as one, with what lies between them. */
static void take_span(const reduction *r, const unit *u, char *acc, int64_t begin, int64_t end) {
    _Alignas(64) char own[ACCUMULATORS];
    const int64_t bytes = (int64_t)r->reducer->acc_bytes, step = r->reduced.step[0][IN];
    const nomen__reduce_step s = {.in = u->in + begin * step,
                                  .n_acc = (u->n - 1) * r->spaced + r->beside,
                                  .acc_step = r->item,
                                  .n_red = end - begin,
                                  .red_step = step};
    r->reducer->init(own, s.n_acc);
    r->reducer->step(own, &s);
    for (int64_t i = 0; i < u->n; i++)
        r->reducer->merge(acc + i * r->beside * bytes, own + i * r->spaced * bytes, r->beside);
}

/* One row of elements of all accumulators of a group after the other. */
static void take_groups(const reduction *r, const unit *u, char *acc, int64_t begin, int64_t end) {
    const int64_t step = r->reduced.step[0][IN], index_step = r->reduced.step[0][POSITION];
    nomen__reduce_step s = {.in = u->in + begin * step,
                            .n_acc = r->beside,
                            .acc_step = r->near[IN],
                            .n_red = end - begin,
                            .red_step = step,
                            .index0 = r->index0 + begin * index_step,
                            .index_step = index_step};
    if (r->kept.step[0][IN] > 0) s.behind = r->kept.step[0][IN]; /* the next group */
    for (int64_t i = 0; i < u->n; i++) {
        if (u->first + i + 1 == r->kept.size[0]) s.behind = 0;
        r->reducer->step(acc, &s);
        acc += r->beside * (int64_t)r->reducer->acc_bytes;
        s.in += r->kept.step[0][IN];
    }
}

/* Takes in the reduced elements begin to end of a unit. */
static void take_in(const reduction *r, const unit *u, void *acc, int64_t begin, int64_t end) {
    const nomen__nest *const reduced = &r->reduced;
    const int64_t row = reduced->size[0];
    if (NOMEN_UNLIKELY(r->steps != NULL)) {
        take_blocks(r, u, acc, begin, end);
        return;
    }
    int64_t index[NOMEN_MAX_DIMS], rest = begin;
    if (NOMEN_UNLIKELY(r->spaced)) {
        take_span(r, u, acc, begin, end);
        return;
    }
    if (NOMEN_UNLIKELY(r->beside > 1)) {
        take_groups(r, u, acc, begin, end);
        return;
    }
    nomen__reduce_step s = {.in = u->in, .n_acc = u->n, .acc_step = r->kept.step[0][IN]};
    s.index0 = r->index0;
    s.red_step = reduced->step[0][IN];
    s.index_step = reduced->step[0][POSITION];
    if (reduced->ndim == 1 && r->ahead != PIECES) {
        if (NOMEN_UNLIKELY(r->ahead == WHOLE_ROWS)) ask_ahead(s.in, s.n_acc * s.acc_step);
        s.in += begin * s.red_step;
        s.index0 += begin * s.index_step;
        s.n_red = end - begin;
        r->reducer->step(acc, &s);
        return;
    }
    for (int d = 0; d < reduced->ndim; d++) {
        index[d] = rest % reduced->size[d];
        rest /= reduced->size[d];
        s.in += index[d] * reduced->step[d][IN];
        s.index0 += index[d] * reduced->step[d][POSITION];
    }
    while (begin < end) {
        int64_t rows = 1;
        if (r->several && index[0] == 0 && end - begin >= 2 * row) {
            rows = r->several(r, &s, acc, reduced->size[1] - index[1], (end - begin) / row);
            begin += rows * row;
        } else {
            s.n_red = row - index[0] < end - begin ? row - index[0] : end - begin;
            if (NOMEN_UNLIKELY(r->ahead == PIECES))
                step_ahead(r, acc, &s);
            else
                r->reducer->step(acc, &s);
            begin += s.n_red;
        }
        s.in -= index[0] * s.red_step;
        s.index0 -= index[0] * s.index_step;
        index[0] = 0;
        for (int d = 1; d < reduced->ndim; d++, rows = 1) {
            s.in += rows * reduced->step[d][IN];
            s.index0 += rows * reduced->step[d][POSITION];
            if ((index[d] += rows) < reduced->size[d]) break;
            s.in -= reduced->size[d] * reduced->step[d][IN];
            s.index0 -= reduced->size[d] * reduced->step[d][POSITION];
            index[d] = 0;
        }
    }
}

static void deliver(const reduction *r, const unit *u, const char *acc) {
    _Alignas(64) char made[NOMEN__MAX_OUT][NOMEN__ACC_BLOCK * 16];
    const bool casts = r->out[0].cast || r->out[1].cast;
    const int64_t all = u->n * r->beside, most = casts ? NOMEN__ACC_BLOCK : all; /* at a time */
    const int64_t *const each = r->beside > 1 ? r->near : r->kept.step[0];
    for (int64_t first = 0, n; first < all; first += n) {
        char *out[NOMEN__MAX_OUT], *to[NOMEN__MAX_OUT];
        int64_t step[NOMEN__MAX_OUT];
        n = all - first < most ? all - first : most;
        for (int k = 0; k < NOMEN__MAX_OUT; k++) {
            const bool cast = r->out[k].cast != NULL;
            out[k] = u->out[k] ? u->out[k] + first * each[OUT + k] : NULL;
            to[k] = out[k] && cast ? made[k] : out[k];
            step[k] = cast ? r->out[k].item : each[OUT + k];
        }
        r->reducer->finish(to, step, acc + first * r->reducer->acc_bytes, n, &r->param);
        for (int k = 0; casts && k < NOMEN__MAX_OUT; k++) {
            if (!out[k] || !r->out[k].cast) continue;
            char *const ptr[2] = {out[k], made[k]};
            r->out[k].cast(ptr, (const int64_t[2]){each[OUT + k], r->out[k].item}, n);
        }
    }
}

static void run_units(void *context, int64_t begin, int64_t end) {
    const reduction *r = context;
    _Alignas(64) char acc[ACCUMULATORS];
    unit u;
    for (find_unit(r, begin, &u); begin < end; begin++, next_unit(r, &u)) {
        if (r->columns && u.n >= FEW_COLUMNS) {
            const nomen__reduce_step s = {.in = u.in,
                                          .n_acc = u.n,
                                          .acc_step = r->item,
                                          .n_red = r->param.count,
                                          .red_step = r->reduced.step[0][IN]};
            r->reducer->columns(u.out[0], &s);
            continue;
        }
        r->reducer->init(acc, u.n * r->beside);
        if (r->param.count) take_in(r, &u, acc, 0, r->param.count);
        deliver(r, &u, acc);
    }
}

static char *accumulators_of(const reduction *r, int64_t part) {
    return r->partial + part * r->block * r->beside * (int64_t)r->reducer->acc_bytes;
}

/* Parts begin to end, r->parts of them per unit. */
static void run_parts(void *context, int64_t begin, int64_t end) {
    const reduction *r = context;
    for (; begin < end; begin++) {
        unit u;
        find_unit(r, begin / r->parts, &u);
        int64_t from = begin % r->parts * r->part, left = r->param.count - from;
        r->reducer->init(accumulators_of(r, begin), u.n * r->beside);
        take_in(r, &u, accumulators_of(r, begin), from, from + (left < r->part ? left : r->part));
    }
}

/* n pieces of `each` elements. What is put off is computed with the lock of those values held. */
static nomen_status share(reduction *r, int64_t n, int64_t grain, int64_t each, nomen__task *task) {
    if (r->steps) return nomen__fuse_share(n, grain, each, task, r, &r->lost);
    return nomen__parallel_asking(n, grain, task, r);
}

static nomen_status run_in_parts(reduction *r, int64_t units) {
    int64_t count = r->param.count, most = PARTS / units, block = r->block * r->beside;
    r->parts = block * count / NOMEN__GRAIN;
    if (r->parts > most) r->parts = most;
    r->part = (count + r->parts - 1) / r->parts;
    if (r->part > ROUND) r->part = (r->part + ROUND - 1) / ROUND * ROUND;
    r->parts = (count + r->part - 1) / r->part;
    size_t capacity, bytes = (size_t)(units * r->parts * block) * r->reducer->acc_bytes;
    r->partial = nomen__buffer_new(bytes, &capacity);
    if (!r->partial) return NOMEN_ERROR_MEMORY;
    nomen_status s = share(r, units * r->parts, 1, block * r->part, run_parts);
    for (int64_t i = 0; !s && !r->lost && i < units; i++) {
        unit u;
        find_unit(r, i, &u);
        char *acc = accumulators_of(r, i * r->parts);
        for (int64_t k = 1; k < r->parts; k++)
            r->reducer->merge(acc, accumulators_of(r, i * r->parts + k), u.n * r->beside);
        deliver(r, &u, acc);
    }
    nomen__buffer_free(r->partial, capacity);
    return s;
}

static nomen_status run(reduction *r) {
    int64_t units = r->outer * r->blocks, each = r->block * r->beside * r->param.count;
    if (units < FEW_UNITS && each >= LARGE && !r->whole) return run_in_parts(r, units);
    if (units == 1) { /* nothing to share out */
        run_units(r, 0, 1);
        return NOMEN_OK;
    }
    const int64_t worth = grain_of(r, each * units);
    int64_t grain = each ? (worth + each - 1) / each : units;
    if (each * units <= 2 * worth) grain = units;
    return share(r, units, grain, each ? each : 1, run_units);
}

static take_several *choose_several(const reduction *r) {
    /* Lanes of so few bytes take as long to fold as many elements; of longer rows not as long as it
     * takes to bring accumulators back. */
    enum { NARROW = 2, MIDDLE = 512 };
    const nomen__reducer *reducer = r->reducer;
    if (r->squares) return take_squares;
    if (r->reduced.ndim < 2 || r->block > 1) return NULL;
    const int64_t row = r->reduced.size[0];
    if (r->reduced.size[1] >= SHORT_ROW) {
        const bool columns = reducer->once && !reducer->places && !reducer->hasty;
        if (row < SHORT_ROW && (reducer->in_parts || reducer->hasty))
            return columns && row >= FEW_COLUMNS ? take_columns : take_across;
        if (row >= SHORT_ROW && row <= MIDDLE && columns && r->item <= NARROW) return take_columns;
    }
    return may_take_rows(r) ? take_rows : NULL;
}

/* Few rows of elements beside each other, with results beside each other. */
static bool has_columns(const reduction *r) {
    const int64_t *kept = r->kept.step[0], along = r->reduced.step[0][IN];
    return r->reducer->columns && r->reduced.ndim == 1 && r->param.count > 0 &&
           r->param.count <= NOMEN__FEW_ROWS && r->out[0].base && !r->out[0].cast &&
           kept[IN] == r->item && kept[OUT] == r->out[0].item &&
           (llabs(along) > r->item || r->param.count == 1);
}

enum { FEWEST_EACH = 8 }; /* elements of a result that are worth a copy of all results */

/* Few results beside each other in the input, which are many with those of the dims that go on in
 * the same block of it, where results lie otherwise. */
static bool lie_in_one(const nomen__nest *kept, int64_t item, int64_t each) {
    enum { ENOUGH = 4096, TIMES = 4 }; /* elements; what is gained */
    int64_t block = kept->size[0];
    if (kept->step[0][IN] != item || block >= NEIGHBOURS || each < FEWEST_EACH) return false;
    for (int d = 1; d < kept->ndim && kept->step[d][IN] == block * item; d++)
        block *= kept->size[d];
    return block >= SHORT_ROW && block >= TIMES * kept->size[0] && block * each >= ENOUGH;
}

/* Many results of few elements each, whose dims lie in another order where they go than in the
 * input: each would be written to another line of memory, or units are small, of which many would
 * be one in the order of the input. */
static bool lies_across(const reduction *r, const nomen_tensor *shape) {
    enum { MANY_RESULTS = 512, FEW_EACH = 64, SMALL = 256 /* elements */ };
    const nomen__nest *const kept = &r->kept;
    const int64_t count = r->param.count, item = nomen__item(shape->dtype);
    const int side = OUT + !r->out[0].base;
    const bool small = count * kept->size[0] <= SMALL;
    const int64_t *const near = kept->step[0];
    bool across = false;
    if (kept->ndim < 2) return false;
    if (lie_in_one(kept, r->item, count)) return true;
    if (shape->numel < MANY_RESULTS || count > FEW_EACH) return false;
    if (kept->size[0] < FEW_COLUMNS && count < FEWEST_EACH) return false;
    if (small && kept->step[1][IN] == kept->size[0] * near[IN]) return true;
    for (int d = 1; d < kept->ndim; d++)
        across |= near[side] != item && kept->step[d][side] == item;
    return across && (small || (kept->size[0] >= SHORT_ROW && near[IN] == r->item));
}

static void prepare(reduction *r, nomen__call *c, const nomen_tensor *in,
                    nomen_tensor *const *out) {
    r->reducer = c->kernel->reducer;
    r->param.count = in->numel / (out[0] ? out[0] : out[1])->numel;
    r->param.correction = c->reduce_correction;
    r->in = in->data;
    r->index0 = 0;
    r->item = nomen__item(c->compute);
    r->steps = NULL;
    r->lost = false;
    for (int k = 0; k < NOMEN__MAX_OUT; k++) {
        nomen_dtype writes = k && c->op->nout > 1 ? c->result[1] : c->writes;
        r->out[k] = (result){NULL, NULL, nomen__item(writes)};
        if (!out[k]) continue;
        r->out[k].base = out[k]->data;
        r->out[k].cast = nomen__cast_loop(writes, (nomen_dtype)out[k]->dtype);
    }
    const bool positions = out[1] && r->reducer->places;
    collect(r, in, c->mask, out, positions);
    merge_dims(&r->kept);
    merge_reduced(r, positions);
    r->across = lies_across(r, out[0] ? out[0] : out[1]);
    finish_dims(r);
    plan_ahead(r, in);
    r->several = choose_several(r);
    r->columns = has_columns(r);
}

/* A tensor like a result that lies in the order of what is left of the input. */
static nomen_tensor *along_input(const nomen_tensor *out, const nomen_tensor *in, uint64_t mask) {
    int64_t own[NOMEN_MAX_DIMS];
    nomen_tensor *made = nomen__tensor_empty((nomen_dtype)out->dtype, out->ndim, out->size);
    for (int d = 0, at = 0; d < in->ndim; d++)
        if (out->ndim == in->ndim || !(mask >> d & 1)) own[at++] = in->stride[d];
    if (!made) return NULL;
    const nomen_tensor model = {.ndim = out->ndim, .stride = own, .size = made->size};
    nomen__lay_out_like(made, &model);
    return made;
}

static nomen_status reduce_across(reduction *r, nomen__call *c, const nomen_tensor *in,
                                  nomen_tensor *const *out) {
    nomen_tensor *made[NOMEN__MAX_OUT] = {NULL};
    nomen_status s = NOMEN_OK;
    for (int k = 0; k < NOMEN__MAX_OUT && !s; k++) {
        made[k] = out[k] ? along_input(out[k], in, c->mask) : NULL;
        if (out[k] && !made[k]) s = NOMEN_ERROR_MEMORY;
    }
    if (!s) {
        prepare(r, c, in, made);
        s = run(r);
    }
    for (int k = 0; k < NOMEN__MAX_OUT; k++) {
        if (!s && out[k]) s = nomen__copy_values(out[k], made[k]);
        nomen__release(made[k]);
    }
    return s;
}

static nomen_status reduce(nomen__call *c, const nomen_tensor *in, nomen_tensor *const *out) {
    reduction r;
    prepare(&r, c, in, out);
    if (NOMEN_UNLIKELY(r.across)) return reduce_across(&r, c, in, out);
    return run(&r);
}

/* *done: the reduction has run over what is put off, without making it. */
static nomen_status reduce_steps(nomen__call *c, nomen_tensor *const *out, bool *done) {
    reduction r;
    prepare(&r, c, c->in[0], out);
    if (!is_one_block(&r)) return NOMEN_OK;
    nomen_status s = nomen__fuse_open(c->in[0], c->compute, &r.steps);
    if (s || !r.steps) return s;
    s = run(&r);
    *done = !r.lost;
    nomen__fuse_close(r.steps, s == NOMEN_OK && *done);
    return s;
}

/* ---- few elements ---------------------------------------------------------------------------- */

/* A small block of memory whose last dims, or first ones, go, or one dim of any step: one
 * rectangle, which the general way would come to as well, with the same bits. */
enum { FEW_RESULTS = 64, FEW_ELEMENTS = 16384 };

/* *times: how many there are, one behind the other in the input and in the result. */
static bool one_rectangle(const nomen_tensor *in, uint64_t mask, nomen__reduce_step *s,
                          int64_t *times) {
    int64_t outer = 1, reduced = 1, inner = 1, item = nomen__item(in->dtype);
    *times = 1;
    if (in->ndim == 1 && mask && in->stride[0] >= 0) {
        const int64_t n = in->size[0], step = n > 1 ? in->stride[0] * item : 0;
        *s = (nomen__reduce_step){
            .in = in->data, .n_acc = 1, .n_red = n, .red_step = step, .index_step = n > 1};
        return true;
    }
    if (!(in->flags & NOMEN__CONTIGUOUS)) return false;
    for (int d = 0; d < in->ndim; d++) {
        if (in->size[d] == 1) continue;
        if (!(mask >> d & 1))
            *(reduced > 1 ? &inner : &outer) *= in->size[d];
        else if (inner > 1)
            return false;
        else
            reduced *= in->size[d];
    }
    if (outer > FEW_RESULTS || inner > FEW_RESULTS) return false;
    *s = (nomen__reduce_step){
        .in = in->data, .n_acc = inner, .n_red = reduced, .index_step = reduced > 1};
    if (inner > 1) {
        *times = outer;
        s->acc_step = item;
    } else if (outer > 1) {
        s->n_acc = outer;
        s->acc_step = reduced * item;
    }
    if (reduced > 1) s->red_step = inner * item;
    return true;
}

static bool reduce_few(const nomen__call *c, nomen_tensor *const *out) {
    const nomen_tensor *in = c->in[0];
    nomen__reduce_step s;
    int64_t times;
    if (in->dtype != (uint8_t)c->compute || in->numel > FEW_ELEMENTS || in->numel == 0 ||
        !one_rectangle(in, c->mask, &s, &times))
        return false;
    if (NOMEN_UNLIKELY(s.n_red == 1) && c->kernel->reducer->of_one >= NOMEN__SIZE) return false;
    char *to[NOMEN__MAX_OUT] = {NULL, NULL};
    int64_t step[NOMEN__MAX_OUT] = {0, 0};
    for (int k = 0; k < NOMEN__MAX_OUT; k++) {
        if (!out[k]) continue;
        nomen_dtype writes = k && c->op->nout > 1 ? c->result[1] : c->writes;
        if (out[k]->dtype != (uint8_t)writes || !(out[k]->flags & NOMEN__CONTIGUOUS)) return false;
        to[k] = out[k]->data;
        step[k] = s.n_acc > 1 ? nomen__item(writes) : 0;
    }
    _Alignas(64) char acc[FEW_RESULTS * NOMEN__ACC_BYTES];
    const nomen__reducer *reducer = c->kernel->reducer;
    const nomen__reduce_param param = {s.n_red, c->reduce_correction};
    for (;;) {
        reducer->init(acc, s.n_acc);
        reducer->step(acc, &s);
        reducer->finish(to, step, acc, s.n_acc, &param);
        if (--times == 0) return true;
        s.in += s.n_acc * s.n_red * nomen__item(in->dtype);
        for (int k = 0; k < NOMEN__MAX_OUT; k++)
            if (to[k]) to[k] += s.n_acc * step[k];
    }
}

/* ---- as many results as elements ------------------------------------------------------------- */

/* Whether they are what the table has for one element, in dtypes that it can be written in. */
static bool is_of_one(const nomen__call *c, nomen_tensor *const *out) {
    const nomen__of_one of_one = c->kernel->reducer->of_one;
    if (NOMEN_LIKELY(c->in[0]->numel != (out[0] ? out[0] : out[1])->numel)) return false;
    if (of_one == NOMEN__OWN || of_one == NOMEN__SIZE) return of_one == NOMEN__SIZE;
    return c->in[0]->dtype == (uint8_t)c->compute &&
           (!out[0] || out[0]->dtype == (uint8_t)c->writes);
}

static nomen_status reduce_ones(const nomen__call *c, nomen_tensor *const *out) {
    const nomen__reducer *reducer = c->kernel->reducer;
    nomen__layout view;
    nomen_tensor *in =
        nomen__lay_without(&view, c->in[0], c->mask, (out[0] ? out[0] : out[1])->ndim);
    return nomen__launch_ones(c, reducer->of_one, in, out, reducer->places);
}

static nomen_status launch(nomen__call *c, nomen_tensor *const *out) {
    if ((!out[0] && !out[1]) || (out[0] ? out[0] : out[1])->numel == 0) return NOMEN_OK;
    nomen_status sliced;
    if (c->in[0]->numel >= NOMEN__SLICED && nomen__reduce_slices(c, out, &sliced)) return sliced;
    if (NOMEN_LIKELY(!(c->in[0]->flags & NOMEN__AWAY)) && reduce_few(c, out)) return NOMEN_OK;
    if (NOMEN_UNLIKELY(nomen__is_put_off(c->in[0]))) {
        bool done = false;
        nomen_status s = reduce_steps(c, out, &done);
        if (!s && !done) s = nomen__make_ready(c->in[0]);
        if (s || done) return s;
    }
    if (is_of_one(c, out)) return reduce_ones(c, out);
    nomen_tensor *in = nomen__launch_input(c->in[0], c->compute);
    if (!in) return NOMEN_ERROR_MEMORY;
    nomen_status status = reduce(c, in, out);
    nomen__launch_done(c->in[0], in);
    return status;
}

nomen_status nomen__launch_reduce(nomen__call *c) {
    const uint64_t repeated = nomen__repeats(c->in[0], c->mask, NOMEN__TWICE);
    if (NOMEN_UNLIKELY(repeated)) return nomen__launch_once(c, c->mask, repeated);
    nomen_tensor *const out[NOMEN__MAX_OUT] = {
        c->skip[0] ? NULL : c->out[0],
        c->op->nout < 2 || c->skip[1] ? NULL : c->out[1],
    };
    return launch(c, out);
}

/* Of a reducer with two results only the second one is wanted: the position. */
nomen_status nomen__launch_positions(nomen__call *c) {
    const uint64_t repeated = nomen__repeats(c->in[0], c->mask, NOMEN__TWICE);
    if (NOMEN_UNLIKELY(repeated)) return nomen__launch_once(c, c->mask, repeated);
    nomen_tensor *const out[NOMEN__MAX_OUT] = {NULL, c->out[0]};
    return launch(c, out);
}
