/* What the pipeline and the kernels say to each other. Kernels see this, nomen/dtype.h and simd/,
 * nothing else. Kernels are void, allocate nothing and cannot fail: whatever can go wrong was
 * checked before they run. */
#ifndef NOMEN_SRC_KERNEL_H
#define NOMEN_SRC_KERNEL_H

#include "nomen/dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the rest of the work to be left out? For kernels of whole rows, after so many elements of one.
 * What they have written then is of no use, and what they hand on is memory that they may read. Set
 * when the library is loaded. */
enum { NOMEN__LONG_ROW = 1 << 20 };
extern bool (*const nomen__kernel_stopped)(void);
/* May a kernel use the tile registers of AMX? The system is asked for them the first time. */
extern bool (*const nomen__kernel_tiles)(void);
/* May it use AVX-512's sums of pairs of products of bfloat16? */
extern bool (*const nomen__kernel_pairs)(void);

/* Elementwise loop: ptr[0] is the output, ptr[1..] the inputs; step in bytes, any sign, 0 for a
 * constant. All inputs have the dtype the kernel is registered for; the output has it too unless
 * the row's dtype rule says otherwise (comparisons write bool, abs and friends of complex write the
 * real type). Output and inputs may be the very same memory with the same step (in place), never
 * overlap otherwise. Nothing is aligned beyond the element. */
typedef void nomen__loop(char *const ptr[], const int64_t step[], int64_t n);

/* The same over `lines` lines of n elements, `down` bytes from one to the next, where the output of
 * a line is dense and each input is, or is one number. */
typedef void nomen__lines(char *const ptr[], const int64_t step[], int64_t n, const int64_t down[],
                          int64_t lines);

/* Kernels of places (points.c) do several lines of n in one call: step[NOMEN__POINTS_LINES] is how
 * many, the next three are the bytes from one line to the next in ptr[0] to ptr[2]. No two lines
 * write to the same place. */
enum { NOMEN__POINTS_LINES = 3, NOMEN__POINTS_STEPS = NOMEN__POINTS_LINES + 4 };

/* The kernel "turn" moves squares of so many elements of `size` bytes at least. */
static inline int64_t nomen__turn_fewest(int64_t size) { return size == 1 ? 8 : 16 / size; }
enum { NOMEN__WOVEN = 8 }; /* most lines that the kernel "weave" puts by turns */

/* Does a target lie just behind its source in the page? From a few thousand bytes on the C library
 * copies by an instruction that then takes 20 times as long on some processors. */
static inline bool nomen__lags(const char *to, const char *from) {
    enum { PAGE = 4096, LAG = 32 };
    const uintptr_t behind = ((uintptr_t)to - (uintptr_t)from) % PAGE;
    return behind != 0 && behind < LAG;
}

/* Reduction into an array of accumulators. The pipeline hands out at most NOMEN__ACC_BLOCK
 * accumulators at a time (acc_most, where a reducer takes more), calls init once, step any number
 * of times, merge to join partial results, finish once. */
enum { NOMEN__ACC_BLOCK = 256, NOMEN__ACC_WIDE = 1024, NOMEN__ACC_BYTES = 48 };

typedef struct nomen__reduce_param {
    int64_t count;     /* elements reduced into one output (0 for empty) */
    double correction; /* var, std */
} nomen__reduce_param;

/* One rectangle of input: accumulator i takes in the elements at in + i * acc_step + j * red_step,
 * 0 <= j < n_red. Element j has flat position index0 + j * index_step among the reduced ones (for
 * arg reductions). */
typedef struct nomen__reduce_step {
    const char *in;
    int64_t n_acc, acc_step, n_red, red_step, index0, index_step;
    int64_t behind; /* bytes behind the last element that may be read, too */
} nomen__reduce_step;

/* What a reducer or a scanner makes of one element alone: as many rows as elements are copied, and
 * need neither accumulators nor carries. */
typedef enum nomen__of_one {
    NOMEN__OWN,       /* something of its own */
    NOMEN__ITSELF,    /* that element; a position is 0 */
    NOMEN__TRUTH,     /* whether it is not 0, as a bool or a number */
    NOMEN__PLUS_ZERO, /* that element, but that a zero loses its sign, as in a sum */
    NOMEN__SIZE,      /* its absolute value */
    NOMEN__TIMES_ONE, /* what it is times one: another number where it is complex and infinite */
} nomen__of_one;

typedef struct nomen__reducer {
    uint32_t acc_bytes; /* of one accumulator, at most NOMEN__ACC_BYTES */
    uint32_t acc_most;  /* accumulators at a time: NOMEN__ACC_BLOCK to NOMEN__ACC_WIDE */
    bool nonempty;      /* nothing has no result (max, min) */
    bool hasty;         /* step passes over what can change nothing (any, all) */
    bool once; /* an element that comes again changes nothing (amax, aminmax, any): dims that
                * are expanded are left out */
    bool few;  /* less than eight accumulators beside each other, of many elements each, do well */
    bool in_parts; /* accumulators lie in parts side by side, so that none of them can be taken
                    * for itself (max, aminmax) */
    bool places;   /* the second result is a position, which the order of elements shows in (max) */
    bool heavy;    /* an element of a row takes more steps than its load: those that wait for
                    * memory fill the processor, which then asks for nothing more by itself */
    nomen__of_one of_one;
    void (*init)(void *acc, int64_t n_acc);
    void (*step)(void *acc, const nomen__reduce_step *s);
    void (*merge)(void *acc, const void *later,
                  int64_t n_acc); /* later: the accumulators of later elements */
    /* out[k] may be NULL (not wanted); k = 0 the value, k = 1 the second one of those who have two:
     * the int64 position (max, min), the mean (var_mean) */
    void (*finish)(char *const out[2], const int64_t out_step[2], const void *acc, int64_t n_acc,
                   const nomen__reduce_param *p);
    /* What init, step and finish give of eight accumulators or more, of elements and results beside
     * each other, if n_red is at most NOMEN__FEW_ROWS. NULL: there is no better way than those. */
    void (*columns)(char *out, const nomen__reduce_step *s);
} nomen__reducer;
enum { NOMEN__FEW_ROWS = 128 };

/* Scans (cumsum): element j of line r is in + r * in_row + j * in_step, its result is made of it
 * and of all before it. A carry per line goes from one run to the next, so that a line may be
 * scanned in pieces. */
typedef struct nomen__scan_args {
    char *out; /* NULL: only the carry is wanted */
    char *at;  /* where the int64 positions go, of scans that have them (cummax); may be NULL */
    const char *in;
    int64_t n, in_step, out_step, at_step;
    int64_t lines, in_row, out_row, at_row; /* at most NOMEN__ACC_BLOCK lines */
    int64_t index0, index_step;             /* of positions */
    /* 0, or as many blocks of n elements of two to seven lines side by side, with nothing between
     * elements, lines or blocks: of scanners that say `few`; of those that turn they lie anyhow,
     * and so many bytes from block to block. */
    int64_t groups, in_group, out_group;
} nomen__scan_args;

typedef struct nomen__scanner {
    uint32_t carry_bytes; /* a multiple of 8, at most NOMEN__ACC_BYTES */
    nomen__of_one of_one;
    void (*begin)(void *carry, int64_t lines);
    void (*run)(void *carry, const nomen__scan_args *a);
    /* The same of lines from their beginning whose carry nobody asks for. NULL: begin and run. */
    void (*whole)(const nomen__scan_args *a);
    /* Carries that stand at the start of a part move behind it; part: what running through it alone
     * left, which may be the carry itself. NULL: a line cannot be cut into parts. */
    void (*join)(void *carry, const void *part, int64_t lines);
    int few;    /* from so many lines on those side by side may be groups; less than 256 elements
                 * of even fewer lines; 0: none */
    bool turns; /* lines side by side may become lines one behind the other, or the other way round,
                 * in no more time than others take */
} nomen__scanner;

/* Rows of at most so many elements are gathered by the kernel itself, several at a time; longer
 * ones with gaps are given to it side by side. */
enum { NOMEN__SHORT_ROW = 16 };
/* A function of whole rows (softmax): row r, element i at in + r * in_row + i * in_step. May run in
 * place. */
typedef struct nomen__rows_args {
    char *out;
    const char *in;
    int64_t n, in_step, out_step, rows, in_row, out_row;
    void *wide;       /* scratch for a row of what is computed with, in whole vectors, or NULL */
    const char *with; /* of gradients: those of the results, which lie as `in`; rows have no gaps,
                         or lie side by side without gaps */
} nomen__rows_args;
/* Rows of more than `least` elements, and at most `most`, take less time with scratch, if these
 * have no gaps. */
typedef struct nomen__rows_scratch {
    int64_t least, most;
} nomen__rows_scratch;
typedef void nomen__rows(const nomen__rows_args *a);

/* Order statistics of whole rows (sort, topk, kthvalue, median, nanmedian, mode): result j < count
 * of row r is the value at values + r * value_row + j * value_step, of the dtype of the input, and
 * its int64 position in the row likewise; NULL: not wanted. Results never overlap the input. */
typedef struct nomen__order_args {
    const char *in;
    char *values, *indices;
    int64_t n, rows, count; /* count: n for sort, the number asked for for topk, else 1 */
    int64_t k;              /* kthvalue: the rank, from 0 */
    int64_t in_step, value_step, index_step, in_row, value_row, index_row;
    bool descending; /* sort, topk */
    bool wide;       /* positions take more than 32 bits; tests say so of shorter rows too */
    int pieces;      /* how many threads share each row; 0: `run` does it */
} nomen__order_args;

typedef struct nomen__order nomen__order;
struct nomen__order {
    int what; /* this and the type are the kernel's own */
    const void *type;
    /* Bytes for all below, of as many rows or fewer. */
    size_t (*scratch)(const nomen__order *o, const nomen__order_args *a);
    void (*run)(const nomen__order *o, const nomen__order_args *a, void *scratch);
    /* The same without scratch; false: rows are too many or too long for that. */
    bool (*small)(const nomen__order *o, const nomen__order_args *a);
    /* Are rows that lie side by side read once, a vector of them at a time? */
    bool (*sides)(const nomen__order *o, const nomen__order_args *a);
    /* A single long row, shared by several threads: are there pieces of it? Each phase is begun by
     * one thread (false: there is no sharing this row, `run` is to do it), then done by all, a
     * piece each. */
    bool (*shares)(const nomen__order *o, const nomen__order_args *a);
    bool (*begin)(const nomen__order *o, const nomen__order_args *a, void *scratch, int phase);
    void (*piece)(const nomen__order *o, const nomen__order_args *a, void *scratch, int phase,
                  int piece);
};
enum { NOMEN__ORDER_PHASES = 4 };

/* C[m, n] = A[m, k] B[k, n]; steps in bytes and of any sign; C never overlaps A or B; k may be 0 (C
 * becomes zero). */
typedef struct nomen__gemm_args {
    int64_t m, n, k;
    const char *a, *b;
    char *c;
    int64_t a_row, a_col, b_row, b_col, c_row, c_col;
} nomen__gemm_args;

struct nomen__gemm_parts;

/* Many small products at once: `count` of them, step[0], [1], [2] bytes apart in A, B and C. The
 * same bits for each of them, however many there are. */
typedef struct nomen__gemm_batches {
    bool (*wants)(const nomen__gemm_args *g, int64_t count);
    void (*run)(const nomen__gemm_args *g, int64_t count, const int64_t step[3]);
} nomen__gemm_batches;

typedef struct nomen__gemm {
    size_t (*scratch)(int64_t m, int64_t n,
                      int64_t k); /* bytes of 64-byte aligned scratch that run needs */
    void (*run)(const nomen__gemm_args *g, void *scratch);
    int64_t rows; /* of a tile: who cuts C does so between tiles */
    int64_t side; /* the fewest rows and columns of a part of C that has the bits of the whole */
    const struct nomen__gemm_parts *parts;     /* NULL: there is no such way */
    const struct nomen__gemm_batches *batches; /* likewise */
} nomen__gemm;

/* A faster way for large products, in parts of less digits that add up to all of them: as accurate,
 * with other bits. It takes finite numbers that are neither huge nor tiny, so both operands have to
 * be looked at first. */
typedef struct nomen__gemm_parts {
    const nomen__gemm *gemm;
    bool (*wants)(int64_t m, int64_t n, int64_t k);
    /* Takes n numbers into a span, which begins as NOMEN__NO_SPAN: as bits, the least magnitude
     * that is not 0, less one, and the largest. */
    void (*widen)(uint32_t span[2], const char *x, int64_t n, int64_t step);
    bool (*fits)(const uint32_t a[2], const uint32_t b[2], int64_t k);
} nomen__gemm_parts;
#define NOMEN__NO_SPAN {UINT32_MAX, 0}

/* The p-norms of the differences of m points and n others, of k coordinates each: those of point i
 * are at a + i * a_row + c * a_col. Steps in bytes and of any sign. */
typedef struct nomen__distance_args {
    int64_t m, n, k;
    const char *a, *b;
    char *out; /* result i, j is at out + i * out_row + j * out_col; see pairs */
    int64_t a_row, a_col, b_row, b_col, out_row, out_col;
    double p;
    bool pairs;    /* a is points first.. of b, and wanted are distances to later points only: */
    int64_t first; /* out is dense, and begins with the distance of the points 0 and 1 */
    const char *g, *norm; /* slope: the distances, and their gradients; pair i, j as a result */
    int64_t g_row, g_col, norm_row, norm_col;
} nomen__distance_args;

typedef struct nomen__distance {
    size_t (*scratch)(int64_t k); /* bytes of 64-byte aligned scratch that run needs */
    void (*run)(const nomen__distance_args *a, void *scratch);
    /* p is 1 or 2: the gradient of each of the m points, to out; their rows there are dense */
    size_t (*slope_scratch)(int64_t k);
    void (*slope)(const nomen__distance_args *a, void *scratch);
    /* As those of matrix products, for two short lists of points. */
    bool (*wants_batches)(const nomen__distance_args *a, int64_t count);
    void (*run_batches)(const nomen__distance_args *a, int64_t count, const int64_t step[3]);
    /* And their gradients: steps of a, b, g, norm and out. */
    bool (*wants_slopes)(const nomen__distance_args *a, int64_t count);
    void (*slope_batches)(const nomen__distance_args *a, int64_t count, const int64_t step[5]);
} nomen__distance;

/* A row of a kernel table. Tables end with a row whose name is NULL. */
typedef struct nomen__kernel {
    const char *name;
    nomen_dtype dtype;
    nomen_dtype to; /* of "cast", and of a second row where it is not the usual one: the output's */
    nomen_dtype first; /* of the first operand, where it is another one (where: bool) */
    nomen__loop *loop;
    nomen__lines *lines; /* of a light kernel; NULL: it is called for each line */
    const nomen__reducer *reducer;
    const nomen__scanner *scanner;
    nomen__rows *rows;
    nomen__rows_scratch rows_scratch;
    const nomen__gemm *gemm;
    const nomen__order *order;
    const nomen__distance *distance;
} nomen__kernel;

/* Each file of src/kernels is compiled once per ISA with NOMEN_ISA set to scalar, avx2, avx512 or
 * neon, and exports exactly one symbol: its table, e.g. NOMEN__TABLE(arith) =
 * nomen__kernels_arith_avx2. */
#define NOMEN__PASTE(file, isa)  nomen__kernels_##file##_##isa
#define NOMEN__PASTE2(file, isa) NOMEN__PASTE(file, isa)
#define NOMEN__TABLE(file)       NOMEN__PASTE2(file, NOMEN_ISA)

#endif
