/* Scans backwards: see scan_back.h. A copy there and one back within the first cache take less than
 * what kernels lose where they gather elements one by one. */
#include "op/scan_back.h"
#include "op/tile.h"

enum { ROOM = 1 << 15 }; /* bytes of each operand at a time */

int64_t nomen__scan_back_room(int64_t item) { return ROOM / item; }

static int64_t room_of(const nomen__scan_args *a) {
    int64_t step = a->in_step;
    if (a->out && a->out_step < step) step = a->out_step;
    if (a->at && a->at_step < step) step = a->at_step;
    return nomen__scan_back_room(-step);
}

/* Rows of n elements, the first of which begins at `from` and goes back, one behind the other. */
static void turn(char *to, const char *from, int64_t from_row, int64_t n, int64_t rows,
                 int64_t item) {
    if (from_row == -n * item)
        nomen__reverse_rows(to, 0, from, 0, n * rows, 1, item);
    else
        nomen__reverse_rows(to, n * item, from, from_row, n, rows, item);
}

/* And the way back: `to` is where the first element of the first row goes. */
static void turn_back(char *to, int64_t to_row, const char *from, int64_t n, int64_t rows,
                      int64_t item) {
    const int64_t all = n * rows;
    if (to_row == -n * item)
        nomen__reverse_rows(to - (all - 1) * item, 0, from + (all - 1) * item, 0, all, 1, item);
    else
        nomen__reverse_rows(to - (n - 1) * item, to_row, from + (n - 1) * item, n * item, n, rows,
                            item);
}

/* n elements of each line, from begin on, turned round on the way. carry: NULL if the lines are
 * whole. */
static void run_piece(const nomen__scanner *scanner, void *carry, const nomen__scan_args *a,
                      int64_t begin, int64_t n) {
    _Alignas(64) char in[ROOM], out[ROOM];
    _Alignas(64) int64_t at[ROOM / sizeof(int64_t)];
    const int64_t item = -a->in_step, made = -a->out_step, place = (int64_t)sizeof *at;
    turn(in, a->in + begin * a->in_step, a->in_row, n, a->lines, item);
    const nomen__scan_args turned = {
        .out = a->out ? out : NULL,
        .at = a->at ? (char *)at : NULL,
        .in = in,
        .n = n,
        .in_step = item,
        .out_step = made,
        .at_step = place,
        .lines = a->lines,
        .in_row = n * item,
        .out_row = n * made,
        .at_row = n * place,
        .index0 = a->index0 + begin * a->index_step,
        .index_step = a->index_step,
    };
    if (carry)
        scanner->run(carry, &turned);
    else
        scanner->whole(&turned);
    if (a->out) turn_back(a->out + begin * a->out_step, a->out_row, out, n, a->lines, made);
    if (a->at) turn_back(a->at + begin * a->at_step, a->at_row, (char *)at, n, a->lines, place);
}

static void run_pieces(const nomen__scanner *scanner, void *carry, const nomen__scan_args *a,
                       int64_t room) {
    const int64_t most =
        a->n * a->lines <= room ? a->n : room / a->lines / NOMEN__SCAN_ROUND * NOMEN__SCAN_ROUND;
    for (int64_t j = 0; j < a->n; j += most)
        run_piece(scanner, carry, a, j, a->n - j < most ? a->n - j : most);
}

void nomen__scan_back(const nomen__scanner *scanner, void *carry, const nomen__scan_args *a) {
    _Alignas(64) char own[NOMEN__ACC_BLOCK * NOMEN__ACC_BYTES];
    const int64_t room = room_of(a);
    if (carry) {
        run_pieces(scanner, carry, a, room);
        return;
    }
    int64_t together = room / a->n;
    if (together < room / NOMEN__SCAN_ROUND) together = room / NOMEN__SCAN_ROUND;
    if (together > NOMEN__ACC_BLOCK) together = NOMEN__ACC_BLOCK;
    for (int64_t r = 0; r < a->lines; r += together) {
        nomen__scan_args some = *a;
        some.lines = a->lines - r < together ? a->lines - r : together;
        some.in += r * a->in_row;
        if (a->out) some.out += r * a->out_row;
        if (a->at) some.at += r * a->at_row;
        const bool whole = scanner->whole && a->n * some.lines <= room;
        if (!whole) scanner->begin(own, some.lines);
        run_pieces(scanner, whole ? NULL : own, &some, room);
    }
}
