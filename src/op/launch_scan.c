/* Scans along one dim (cumsum) over all lines of a tensor. A unit is some lines side by side; where
 * units are few and their lines long, they are cut into parts: first every part is run through for
 * its carry alone, then again behind the carry of all parts before it. With one thread the parts
 * follow each other, which gives the same bits in one go. */
#include "op/launch.h"
#include "op/nest.h"
#include "op/rows.gen.h"
#include "op/scan_back.h"

#include "nomen/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 4 * NOMEN__GRAIN,
    FEW_UNITS = 16,
    PARTS = 64,
    ROUND = NOMEN__SCAN_ROUND,
    RUN = 1 << 20
};
/* Elements worth a chunk, if there are few. */
enum { WORTH = 3 * NOMEN__GRAIN / 8 };
enum { ENOUGH = 8 }; /* lines side by side that do well enough */
enum { VALUES, POSITIONS, IN, TENSORS };

typedef struct scan {
    const nomen__scanner *scanner;
    char *base[TENSORS];
    int64_t numel, n, step[TENSORS]; /* n of them along the dim */
    nomen__nest others;
    int64_t lines, few;        /* side by side, or the groups; side by side in groups, 0: none */
    const int64_t *row, *near; /* how far apart these are: steps of the others, or `up` */
    int64_t up[TENSORS];
    int64_t item[TENSORS];
    int64_t outer, block, blocks; /* units: others times blocks of lines */
    int64_t width;                /* lines of a unit */
    int64_t index0, index_step;
    bool back;           /* elements of a line lie one before the other */
    bool made;           /* the input is a copy made for this */
    int64_t part, parts; /* elements of one, and how many there are */
    char *carries;       /* of parts, units * parts of them; NULL: parts follow each other */
    size_t carry, room;  /* bytes of one, and of all */
} scan;

/* ---- dims ------------------------------------------------------------------------------------ */

static const int64_t nowhere[TENSORS];

/* The longest of the other dims makes the lines, unless one of unit step does well enough. Of half
 * types and complex numbers a few short lines do not, as each group of them takes a call. */
static int longest(const scan *s) {
    enum { SMALL = 40, SMALL_COMPLEX = 24, MORE = 2 * ENOUGH }; /* elements of a group; its lines */
    const nomen__nest *const others = &s->others;
    const int64_t most = s->scanner->turns ? SMALL_COMPLEX : s->item[IN] == 2 ? SMALL : 0;
    const bool small = others->ndim && s->n * others->size[0] <= most;
    int best = 0;
    for (int d = 1; d < others->ndim; d++)
        if (others->size[d] > others->size[best] &&
            others->size[best] < (small && best == 0 ? MORE : ENOUGH))
            best = d;
    return best;
}
static void choose_lines(scan *s) {
    nomen__nest *const others = &s->others;
    const int best = longest(s);
    s->lines = others->ndim ? nomen__nest_take(others, best) : 1;
    s->row = others->ndim ? others->step[best] : nowhere;
}

/* Lines of complex numbers may be groups wherever their elements lie, if a dim further out would
 * make the lines, which would read each piece of memory once for each of the few; and only where no
 * line is cut, as the cuts would be others. */
static bool are_turned(const scan *s) {
    enum { SHORT = 8, SOME = 4 }; /* for products, of fewer lines than a vector has room for */
    const nomen__nest *const others = &s->others;
    if (!s->scanner->turns || others->ndim < 2 || others->size[0] < 2) return false;
    if (!s->scanner->join && s->n < SHORT && others->size[0] < SOME) return false;
    if (s->n > ROUND && s->numel >= LARGE) return false;
    const int best = longest(s);
    return best && others->step[0][VALUES] == s->item[VALUES] &&
           llabs(others->step[best][VALUES]) > llabs(s->step[VALUES]);
}

/* Two to seven lines side by side, and nothing between their elements: there may be many of such
 * groups one behind the other. */
static bool find_groups(scan *s) {
    enum { SHORT = 256, FEW = 64 }; /* elements that are not worth it */
    nomen__nest *const others = &s->others;
    const int least = s->scanner->few;
    const bool anyhow = are_turned(s);
    bool found = anyhow || (least && others->ndim && others->size[0] < ENOUGH);
    if (!s->base[VALUES]) found = false;
    for (int k = 0; found && !anyhow && k < TENSORS; k++) {
        const int64_t item = others->step[0][k];
        found = !s->base[k] || (item == s->item[k] && s->step[k] == item * others->size[0]);
    }
    if (!found || s->numel <= FEW) return false;
    s->lines = nomen__nest_take(others, 0);
    s->row = others->step[0];
    if (s->lines < least && s->n > SHORT) return true; /* no groups, but the lines to be taken */
    s->few = s->lines;
    s->near = s->row;
    s->lines = 1;
    s->row = nowhere;
    bool behind = others->ndim > 1;
    for (int k = 0; behind && !s->scanner->turns && k < TENSORS; k++)
        behind = others->step[1][k] == s->step[k] * s->n;
    if (!behind) return true;
    s->lines = nomen__nest_take(others, 1);
    s->row = others->step[1];
    return true;
}

/* Where nothing has gaps, all dims before the one go on in each other, and all behind it. */
static bool collect_whole(scan *s, const nomen_tensor *const *tensors, int dim) {
    const nomen_tensor *in = tensors[IN];
    for (int k = 0; k < TENSORS; k++)
        if (tensors[k] && !(tensors[k]->flags & NOMEN__CONTIGUOUS)) return false;
    const int64_t before = nomen__numel_of(in->size, dim),
                  behind = nomen__numel_of(in->size + dim + 1, in->ndim - dim - 1);
    if (in->ndim) s->n = in->size[dim];
    const int last = behind > 1;
    for (int k = 0; k < TENSORS; k++) {
        const int64_t item = tensors[k] ? nomen__item(tensors[k]->dtype) : 0;
        s->step[k] = behind * item;
        s->others.step[0][k] = item;
        s->others.step[last][k] = behind * s->n * item;
    }
    s->others.size[0] = behind;
    s->others.size[last] = before;
    s->others.ndim = last + (before > 1);
    return true;
}

static void collect(scan *s, const nomen_tensor *const *tensors, int dim) {
    const nomen_tensor *in = tensors[IN];
    nomen__nest *const others = &s->others;
    int order[NOMEN_MAX_DIMS];
    others->ndim = 0;
    memset(s->step, 0, sizeof s->step);
    nomen__nest_order(tensors[VALUES] ? tensors[VALUES] : in, order); /* by results' steps */
    for (int i = 0; i < in->ndim; i++) {
        const int d = order[i];
        int64_t *step = d == dim ? s->step : others->step[others->ndim];
        for (int k = 0; k < TENSORS; k++)
            step[k] = tensors[k] ? tensors[k]->stride[d] * nomen__item(tensors[k]->dtype) : 0;
        if (d == dim)
            s->n = in->size[d];
        else if (in->size[d] != 1)
            nomen__nest_add(others, in->size[d]);
    }
}

/* Lines backwards, and without gaps: not of so few elements that calls would take as long. */
static bool are_back(const scan *s) {
    enum { FEW = 64 };
    bool back = !s->few && s->numel > FEW && s->n > 1;
    for (int k = 0; back && k < TENSORS; k++) back = !s->base[k] || s->step[k] == -s->item[k];
    return back;
}

/* Lines that lie one behind the other come the last one first, so that memory is read in one
 * stream; those that may be cut come only some at a time. */
static void plan_back(scan *s) {
    bool behind = s->lines > 1;
    int64_t largest = 0;
    for (int k = 0; k < TENSORS; k++) {
        if (s->base[k] && s->item[k] > largest) largest = s->item[k];
        behind = behind && (!s->base[k] || s->row[k] == s->n * s->item[k]);
    }
    for (int k = 0; behind && k < TENSORS; k++) {
        if (s->base[k]) s->base[k] += (s->lines - 1) * s->row[k];
        s->up[k] = -s->row[k];
    }
    if (behind) s->row = s->up;
    const int64_t most = nomen__scan_back_room(largest) / ROUND;
    if (s->n > ROUND && s->block > most) s->block = most;
}

static void plan(scan *s, const nomen_tensor *const *tensors, int dim, bool reverse) {
    s->n = 1;
    s->few = 0;
    s->numel = tensors[IN]->numel;
    if (!collect_whole(s, tensors, dim)) collect(s, tensors, dim);
    s->index0 = reverse ? s->n - 1 : 0;
    s->index_step = reverse ? -1 : 1;
    for (int k = 0; k < TENSORS; k++) {
        s->base[k] = tensors[k] ? tensors[k]->data : NULL;
        s->item[k] = tensors[k] ? nomen__item(tensors[k]->dtype) : 0;
        if (!tensors[k] || !reverse) continue;
        s->base[k] += (s->n - 1) * s->step[k];
        s->step[k] = -s->step[k];
    }
    if (!find_groups(s)) choose_lines(s);
    /* Lines side by side in memory are worked on together, others one by one. */
    s->block = s->lines < NOMEN__ACC_BLOCK ? s->lines : NOMEN__ACC_BLOCK;
    s->width = s->few ? s->few : s->block;
    /* Products show which lines are worked on together, so no number of threads changes it. */
    const int64_t grain = nomen__grain_of(s->numel, WORTH);
    if (s->few) s->block = grain / (s->n * s->few) + 1;
    bool apart = llabs(s->row[IN]) > llabs(s->step[IN]);
    if (apart && !s->few && s->block * s->n > grain) s->block = grain / s->n > 8 ? grain / s->n : 8;
    s->back = reverse && are_back(s);
    if (s->back) plan_back(s);
    if (s->block > s->lines) s->block = s->lines;
    s->blocks = s->block == s->lines ? 1 : (s->lines + s->block - 1) / s->block;
    s->outer = nomen__nest_count(&s->others);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Divisions take longer than a small scan does: those that one can do without are left out. */
static nomen__scan_args unit_at(const scan *s, int64_t number) {
    int64_t first = 0, rest = number;
    if (s->blocks > 1) {
        first = number % s->blocks * s->block;
        rest = number / s->blocks;
    }
    int64_t at[TENSORS], left = s->lines - first;
    nomen__nest_find(&s->others, rest, at);
    for (int k = 0; k < TENSORS; k++) at[k] += first * s->row[k];
    const int64_t *row = s->few ? s->near : s->row;
    return (nomen__scan_args){
        .out = s->base[VALUES] ? s->base[VALUES] + at[VALUES] : NULL,
        .at = s->base[POSITIONS] ? s->base[POSITIONS] + at[POSITIONS] : NULL,
        .in = s->base[IN] + at[IN],
        .n = s->n,
        .out_step = s->step[VALUES],
        .at_step = s->step[POSITIONS],
        .in_step = s->step[IN],
        .lines = s->few            ? s->few
                 : left < s->block ? left
                                   : s->block,
        .out_row = row[VALUES],
        .at_row = row[POSITIONS],
        .in_row = row[IN],
        .index0 = s->index0,
        .index_step = s->index_step,
        .groups = !s->few           ? 0
                  : left < s->block ? left
                                    : s->block,
        .in_group = s->few ? s->row[IN] : 0,
        .out_group = s->few ? s->row[VALUES] : 0,
    };
}

/* At most n elements of the lines, from begin on. */
static nomen__scan_args piece_of(nomen__scan_args a, int64_t begin, int64_t n) {
    int64_t left = a.n - begin;
    a.n = left < n ? left : n;
    a.in += begin * a.in_step;
    if (a.out) a.out += begin * a.out_step;
    if (a.at) a.at += begin * a.at_step;
    a.index0 += begin * a.index_step;
    return a;
}

static nomen__scan_args part_of(const scan *s, nomen__scan_args a, int64_t part) {
    return piece_of(a, part * s->part, s->part);
}

static void run_whole(const scan *s, const nomen__scan_args *unit) {
    _Alignas(64) char carry[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES];
    if (s->back) {
        nomen__scan_back(s->scanner, NULL, unit);
    } else if (s->scanner->whole) {
        s->scanner->whole(unit);
    } else {
        s->scanner->begin(carry, unit->lines);
        s->scanner->run(carry, unit);
    }
}

/* A part of lines, behind what stands before it. */
static void run_behind(const scan *s, void *carry, const nomen__scan_args *a) {
    if (s->back)
        nomen__scan_back(s->scanner, carry, a);
    else
        s->scanner->run(carry, a);
}

static void run_units(void *context, int64_t begin, int64_t end) {
    const scan *s = context;
    for (; begin < end; begin++) {
        nomen__scan_args unit = unit_at(s, begin);
        run_whole(s, &unit);
    }
}

static void run_for_carries(void *context, int64_t begin, int64_t end) {
    const scan *s = context;
    for (; begin < end; begin++) {
        nomen__scan_args a = part_of(s, unit_at(s, begin / s->parts), begin % s->parts);
        char *carry = s->carries + (size_t)begin * s->carry;
        a.out = a.at = NULL;
        s->scanner->begin(carry, a.lines);
        run_behind(s, carry, &a);
    }
}

static void run_parts(void *context, int64_t begin, int64_t end) {
    const scan *s = context;
    for (; begin < end; begin++) {
        nomen__scan_args a = part_of(s, unit_at(s, begin / s->parts), begin % s->parts);
        run_behind(s, s->carries + (size_t)begin * s->carry, &a);
    }
}

/* What each part left becomes what stands before it. */
static void sum_up(const scan *s, int64_t units) {
    _Alignas(64) char before[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES];
    _Alignas(64) char own[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES];
    for (int64_t i = 0; i < units * s->parts; i++) {
        int64_t lines = unit_at(s, i / s->parts).lines;
        char *carry = s->carries + (size_t)i * s->carry;
        if (i % s->parts == 0) s->scanner->begin(before, lines);
        memcpy(own, carry, s->carry);
        memcpy(carry, before, s->carry);
        s->scanner->join(before, own, lines);
    }
}

/* One unit, part after part, in runs of whole rounds between which it is asked whether to go on.
 * A line may be cut there: its carry goes from run to run. */
static nomen_status run_alone(const scan *s, int64_t number) {
    _Alignas(64) char carry[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES];
    nomen__scan_args unit = unit_at(s, number);
    int64_t each = unit.n <= ROUND ? ROUND : (RUN / ROUND / unit.lines + 1) * ROUND;
    if (s->parts == 1 && unit.n <= each) { /* as it is: copies would wait for the stores before */
        run_whole(s, &unit);
        return NOMEN_OK;
    }
    s->scanner->begin(carry, unit.lines);
    for (int64_t p = 0; p < s->parts; p++) {
        nomen__scan_args part = part_of(s, unit, p);
        for (int64_t from = 0; from < part.n; from += each) {
            nomen__scan_args a = piece_of(part, from, each);
            run_behind(s, carry, &a);
            nomen_status status = unit.n > each ? nomen__ask() : NOMEN_OK;
            if (status) return status;
        }
        if (s->parts > 1) s->scanner->join(carry, carry, part.lines);
    }
    return NOMEN_OK;
}

/* What parts there are, and room for their carries, before anything is written. */
static nomen_status cut(scan *s) {
    const int64_t units = s->outer * s->blocks, each = s->block * s->n * (s->few ? s->few : 1);
    s->part = s->n;
    s->parts = 1;
    s->carries = NULL;
    if (!s->scanner->join || units >= FEW_UNITS || each < LARGE) return NOMEN_OK;
    const int64_t most = PARTS / units;
    s->parts = each / NOMEN__GRAIN < most ? each / NOMEN__GRAIN : most;
    s->part = ((s->n + s->parts - 1) / s->parts + ROUND - 1) / ROUND * ROUND;
    s->parts = (s->n + s->part - 1) / s->part;
    if (s->parts == 1 || nomen_get_num_threads() == 1) return NOMEN_OK;
    s->carry = (size_t)s->width * s->scanner->carry_bytes;
    s->carries = nomen__buffer_new((size_t)(units * s->parts) * s->carry, &s->room);
    return s->carries ? NOMEN_OK : NOMEN_ERROR_MEMORY;
}

static nomen_status run(scan *s) {
    const int64_t units = s->outer * s->blocks, each = s->block * s->n * (s->few ? s->few : 1);
    if (s->carries) {
        nomen_status failed = nomen__parallel_asking(units * s->parts, 1, run_for_carries, s);
        if (failed) return failed;
        sum_up(s, units);
        return nomen__parallel_asking(units * s->parts, 1, run_parts, s);
    }
    if (units == 1 || s->parts > 1) { /* nothing to share out, or nobody to share it with */
        nomen_status failed = NOMEN_OK;
        for (int64_t i = 0; !failed && i < units; i++) failed = run_alone(s, i);
        return failed;
    }
    /* What one thread has just written takes another longer to read than to scan. */
    const int64_t worth = s->made ? NOMEN__GRAIN : nomen__grain_of(each * units, WORTH);
    const bool small = each * units <= 2 * worth;
    const int64_t grain = small ? units : (worth + each - 1) / each;
    return nomen__parallel_asking(units, grain, run_units, s);
}

/* Are lines side by side, at least eight of them, on one side only, and does that suit the kernel?
 * A copy would have to turn them over. */
static bool turns_itself(const nomen__scanner *scanner, const nomen_tensor *in,
                         const nomen_tensor *out, int dim) {
    int near = in->ndim - 1;
    while (near >= 0 && (near == dim || in->size[near] == 1)) near--;
    if (!scanner->turns || near < 0) return false;
    if (in->ndim > 2 && in->size[near] < ENOUGH) return false; /* see choose_lines */
    return (in->stride[dim] == 1 && out->stride[near] == 1) ||
           (in->stride[near] == 1 && out->stride[dim] == 1);
}

/* Few lines that have no gaps: kernels take them one by one from where they are. A tensor without
 * dims has one, and neither size nor stride. */
static bool are_few(const nomen_tensor *in, int dim) {
    enum { FEW = 8 };
    return !in->ndim || (in->stride[dim] == 1 && in->numel < FEW * in->size[dim]);
}

/* A few lines side by side with holes between their elements, or that lie across: in a copy without
 * holes they are groups. */
static bool become_groups(const nomen__scanner *scanner, const nomen_tensor *in,
                          const nomen_tensor *out, int dim) {
    enum { FEW = 64 };
    if (!scanner->few || in->numel <= FEW || !(out->flags & ~in->flags & NOMEN__CONTIGUOUS))
        return false;
    const int64_t lines = nomen__numel_of(in->size + dim + 1, in->ndim - dim - 1);
    return lines >= scanner->few && lines < ENOUGH;
}

/* Short lines without gaps that do not lie one behind the other, as they do in a copy: then many
 * are a block. Sums and products of floating numbers take lines from wherever they are. */
static bool become_rows(const nomen__call *c, const nomen_tensor *in, const nomen_tensor *out) {
    enum { SHORT = 64, FEW = 64 };
    const int dim = c->dim;
    return (c->op->nout > 1 || c->compute < NOMEN_F16) && in->ndim > 1 && dim == in->ndim - 1 &&
           in->size[dim] <= SHORT && in->numel > FEW && in->stride[dim] == 1 &&
           out->flags & ~in->flags & NOMEN__CONTIGUOUS;
}

/* Lines of complex numbers are taken from where their elements lie, if these are not far apart:
 * products, whose steps take longer, only if they are few, so that each waits for the one before,
 * or shorter than it takes to turn squares over. complex128, of which a line of the cache has but
 * four, also from further apart, where these lines stay in L1: long lines, or groups of a few. */
static bool takes_apart(const nomen__scanner *scanner, const nomen_tensor *in,
                        const nomen_tensor *out, int dim) {
    enum { SHORT_PRODUCT = 10, LONG = 13, LONG_PRODUCT = 32, STAY = 256 };
    if (!scanner->turns || in->ndim == 0) return false;
    const int64_t n = in->size[dim],
                  beside = nomen__numel_of(in->size + dim + 1, in->ndim - dim - 1);
    const bool one = n >= LONG && (scanner->join || n <= LONG_PRODUCT),
               stays = in->dtype == NOMEN_C128 && n * beside <= STAY && (beside > 1 || one);
    return (scanner->join || n < SHORT_PRODUCT || stays || in->numel < ENOUGH * n) &&
           out->stride[dim] < ENOUGH && in->stride[dim] && (in->stride[dim] < ENOUGH || stays);
}

/* Lines side by side of which only a few go on in each other, as there are holes behind these: in a
 * copy all of them do. */
static bool become_wide(const nomen__scanner *scanner, const nomen_tensor *in,
                        const nomen_tensor *out, int dim) {
    enum { SHORT = 4 };
    const int64_t few = scanner->turns ? ENOUGH : 2 * ENOUGH; /* complex ones fill more vectors */
    int64_t run = 1, lines = 1, near = 0;
    if (!(out->flags & ~in->flags & NOMEN__CONTIGUOUS) || in->size[dim] < SHORT) return false;
    for (int d = in->ndim - 1; d > dim; d--) {
        if (in->size[d] == 1) continue;
        if (lines == 1) near = in->stride[d];
        if (run == lines && in->stride[d] == run * near) run *= in->size[d];
        lines *= in->size[d];
    }
    return run < few && lines >= 2 * run;
}

/* Kernels take lines in place. Elements of half types become floats a vector at a time where all of
 * them follow each other, and one by one elsewhere. Of a line alone sums and products fetch
 * elements in less time than a copy takes, extrema with their positions do not. */
static bool is_copied(const nomen__call *c, const nomen_tensor *in, const nomen_tensor *out) {
    const bool halves = c->compute == NOMEN_F16 || c->compute == NOMEN_BF16;
    if (c->writes != c->compute) return false;
    if (become_groups(c->kernel->scanner, in, out, c->dim)) return true;
    if (become_rows(c, in, out)) return true;
    if (become_wide(c->kernel->scanner, in, out, c->dim)) return true;
    if (are_few(in, c->dim)) return false;
    if (turns_itself(c->kernel->scanner, in, out, c->dim)) return false;
    if (takes_apart(c->kernel->scanner, in, out, c->dim)) return false;
    if (halves && out->flags & ~in->flags & NOMEN__CONTIGUOUS) return true;
    if (in->ndim == 1 && c->op->nout == 1) return false;
    return nomen__is_copied_first(in, out, c->dim, 0);
}

/* A few lines of complex numbers side by side that are no whole vectors: in place, what is loaded
 * of them would wait for what was stored of the elements before, as parts of vectors. */
static bool are_parts(const nomen__call *c, const nomen_tensor *t) {
    enum { ROOM = 4 };
    const int64_t lines = nomen__numel_of(t->size + c->dim + 1, t->ndim - c->dim - 1);
    return c->kernel->scanner->turns && lines > 1 && lines < 2 * ROOM && lines != ROOM;
}

/* A copy is where the results go, unless its lines are short and not whole vectors: what is loaded
 * of one would wait for what is stored of the line before it. */
static nomen_tensor *copy_for(const nomen__call *c, nomen_tensor *in, nomen_tensor *out) {
    enum { SHORT = 64, LANES = 8, NEAR = 1 << 23 };
    const int64_t n = out->size[c->dim];
    const bool parts = (out->stride[c->dim] == 1 && n < SHORT && n % LANES) || are_parts(c, out),
               apart = parts && out->numel * nomen__item(out->dtype) <= NEAR;
    return apart ? nomen__tensor_empty_on(0, c->compute, in->ndim, in->size) : nomen__retain(out);
}

/* Many units of few elements, as lines lie in another order than their results: in a copy that
 * stays near they lie alike, and are more. Not where they are side by side in both, as vectors are.
 */
static bool are_small(const scan *s, const nomen__call *c, const nomen_tensor *in,
                      const nomen_tensor *out) {
    enum { FEW = 64, MANY = 16, NEAR = 1 << 20 };
    const bool beside = s->row[IN] == s->item[IN] && s->row[VALUES] == s->item[VALUES];
    const int64_t each = s->block * s->n * (s->few ? s->few : 1);
    return each < FEW && !beside && !s->scanner->turns && s->outer * s->blocks > MANY &&
           c->writes == c->compute && s->numel * s->item[VALUES] <= NEAR &&
           (out->flags & ~in->flags & NOMEN__CONTIGUOUS);
}

/* `at` may be NULL. */
static nomen_status scan_lines(const nomen__call *c, nomen_tensor *in, nomen_tensor *out,
                               nomen_tensor *at, bool reverse) {
    bool copied = is_copied(c, in, out);
    scan s;
    s.scanner = c->kernel->scanner;
    if (!copied) {
        plan(&s, (const nomen_tensor *const[TENSORS]){out, at, in}, c->dim, reverse);
        copied = are_small(&s, c, in, out);
    }
    nomen_tensor *from = copied ? copy_for(c, in, out) : nomen__retain(in);
    if (!from) return NOMEN_ERROR_MEMORY;
    if (copied) plan(&s, (const nomen_tensor *const[TENSORS]){out, at, from}, c->dim, reverse);
    s.made = from != c->in[0];
    nomen_status status = cut(&s);
    if (!status && copied) status = nomen__copy_values(from, in);
    if (!status) status = run(&s);
    if (s.carries) nomen__buffer_free(s.carries, s.room);
    nomen__release(from);
    return status;
}

/* In place, what is loaded of a few short lines waits for what was stored of the ones before,
 * unless they are whole vectors: results are made apart, if they are not so large that somebody may
 * not have that memory. */
static bool is_made_apart(const nomen__call *c) {
    enum { SHORT = 10, LANES = 4, FEW = 64, LARGE_BYTES = 1 << 26 };
    const nomen_tensor *t = c->out[0];
    if (!c->inplace || !(t->flags & NOMEN__CONTIGUOUS) || t->numel <= FEW) return false;
    if (t->numel * nomen__item(t->dtype) > LARGE_BYTES) return false;
    const int64_t n = t->size[c->dim];
    return (t->stride[c->dim] == 1 && n > 1 && n < SHORT && n % LANES) || are_parts(c, t);
}

nomen_status nomen__launch_scan(nomen__call *c) {
    const nomen__of_one of_one = c->kernel->scanner->of_one;
    bool second = c->op->nout > 1 && !c->skip[1];
    if (c->out[0]->numel == 0) return NOMEN_OK;
    const uint64_t along = nomen__along(c->dim),
                   repeated = nomen__repeats(c->in[0], along, NOMEN__OFTEN);
    if (NOMEN_UNLIKELY(repeated) && !nomen__are_ones(c->in[0], c->dim))
        return nomen__launch_once(c, along, repeated);
    int flag = nomen__arg_of(c->op, NOMEN__FLAG);
    bool reverse = flag >= 0 && nomen__given(c, flag) && c->arg[flag].flag;
    nomen_tensor *in = nomen__launch_input(c->in[0], c->compute);
    nomen_tensor *out = nomen__launch_output(c->out[0], c->writes, is_made_apart(c));
    nomen_tensor *at = second ? nomen__launch_output(c->out[1], c->result[1], false) : NULL;
    nomen_status status = in && out && (at || !second) ? NOMEN_OK : NOMEN_ERROR_MEMORY;
    if (!status && NOMEN_UNLIKELY(nomen__are_ones(in, c->dim)) && of_one != NOMEN__OWN)
        status = nomen__launch_ones(c, of_one, in, (nomen_tensor *const[2]){out, at}, true);
    else if (!status)
        status = scan_lines(c, in, out, at, reverse);
    nomen__launch_done(c->in[0], in);
    status = nomen__launch_end(c->out[0], out, status);
    return at ? nomen__launch_end(c->out[1], at, status) : status;
}
