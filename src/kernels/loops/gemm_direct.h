/* Part of gemm_real.h: products that read the operands where they lie and write C at once. The rows
 * of C are contiguous, and so are those of B, or B is copied; A may lie in any way. Half types are
 * computed with A widened before, or go the way of float32. Rows and columns that
 * fill no tile are computed by a tile moved back over its neighbour: the same numbers are written
 * twice.
 *
 * An element is the sum of its blocks of KC summands, one after another, each added up from 0: the
 * sums of the packed products, so the bits do not tell which way was taken.
 *
 * Limit: the fused multiply-adds. Nothing is spent on panels, which is what counts up to sides of a
 * few hundred, and where there is but one tile of rows; beyond, rows of B that are far apart miss
 * the caches. */

/* What a tile is: of how many rows and vectors, how many blocks of summands are added up side by
 * side (a chain of few sums waits for itself), whether all columns exist, else how many do, and
 * where the last vector begins (before the end of the one before it, if together they are too
 * long). Constants, but for count and the last vector's place of some. */
typedef struct FN(form) {
    int rows, nv, beside;
    bool whole;
    int64_t count, last;
} FN(form);

static inline __attribute__((always_inline)) int64_t FN(place)(const FN(form) f, int v) {
    return v == f.nv - 1 ? f.last : v * W;
}

#if ROUNDS
#define A_OF(p) CAT(C, p, 0)
#else
#define A_OF(p) C_OF(CAT(T, p, 0))
#endif

/* So few rows have DIRECT_WIDE vectors of columns side by side. */
enum { FN(wide_rows) = MR * NV / 2 / DIRECT_WIDE };

/* Sums of `beside` blocks of k summands, KC apart: acc[block][row][vector]. Rows of B that are
 * asked for have a pointer of their own, as those of A do (point_at_rows). */
static inline __attribute__((always_inline)) void
FN(direct_sums)(const nomen__gemm_args *g, V *acc, const char *a, const char *b, int64_t k,
                const FN(form) f, const int beside, const int64_t ahead) {
    const int64_t a_row = g->a_row, a_col = g->a_col, b_row = g->b_row;
    const int groups = (f.rows + ROWS_EACH - 1) / ROWS_EACH;
    const char *row[ROWS_GROUPS], *next = b + ahead;
    /* up to where a row of B that is less than a vector is loaded as one, with what is behind it:
     * of small elements a part of a vector is put together one by one */
    const char *const behind =
        E < 4 && b_row > 0 ? g->b + (g->k - 1) * b_row + (f.count - W) * E : NULL;
    __asm__("" : "+r"(next));
    point_at_rows(row, a, a_row, groups);
#pragma GCC unroll 32
    for (int x = 0; x < beside * f.rows * f.nv; x++) acc[x] = (V){0};
    for (; k > 0; k--, b += b_row, next += b_row) {
#pragma GCC unroll 4
        for (int q = 0; q < beside; q++) {
            const int64_t block = q * KC * b_row;
            V line[DIRECT_WIDE + 1];
#pragma GCC unroll 8
            for (int v = 0; v < f.nv; v++) {
                const char *in = b + block + FN(place)(f, v) * E;
                if (ahead && f.nv > 1) __builtin_prefetch(next + block + FN(place)(f, v) * E);
                const bool vector = f.whole || (E < 4 && in <= behind);
                line[v] = vector ? LDV(&CAT(T, in, 0)) : LDV_N(&CAT(T, in, 0), f.count);
            }
#pragma GCC unroll 16
            for (int r = 0; r < f.rows; r++) {
                const char *one = row[r / ROWS_EACH] + q * KC * a_col + r % ROWS_EACH * a_row;
                const V x = FN(splat)(A_OF(one));
                V *mine = acc + (q * f.rows + r) * f.nv;
#pragma GCC unroll 8
                for (int v = 0; v < f.nv; v++) mine[v] = FMA(x, line[v], mine[v]);
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < groups; i++) row[i] += a_col;
    }
}

/* Sums of blocks, one after the other, of a tile of `each` vectors. */
static APART void FN(add_blocks)(V *total, const V *some, int each, int blocks, bool first) {
    for (int x = 0; x < each; x++) {
        V sum = first ? some[x] : total[x] + some[x];
        for (int q = 1; q < blocks; q++) sum += some[q * each + x];
        total[x] = sum;
    }
}

/* The first `count` elements of a vector to where they belong. */
static APART void FN(put_apart)(char *to, V sum, int64_t count, int64_t step) {
    C x[W];
    memcpy(x, &sum, sizeof x);
    for (int64_t l = 0; l < count; l++) AT(T, to, l * step) = T_OF(x[l]);
}

/* No memcpy: sums whose address is known to others are stored in every step of a loop that loads
 * by a mask, which for the compiler may read anything. */
static inline __attribute__((always_inline)) void FN(keep_sums)(V *to, const V *from,
                                                                const int count) {
#pragma GCC unroll 64
    for (int x = 0; x < count; x++) to[x] = from[x];
}

/* Rows i.. and columns j.. of C, whose elements may lie apart where rows are few. */
static inline __attribute__((always_inline)) void
FN(direct_tile)(const nomen__gemm_args *g, int64_t i, int64_t j, const FN(form) f) {
    enum { MOST = MR * DIRECT_WIDE };
    const char *a = g->a + i * g->a_row, *b = g->b + j * E;
    const int each = f.rows * f.nv;
    const bool together = f.rows > GEMM_NARROW || WHOLE || g->c_col == E;
    const int64_t ahead = direct_ahead(g, E);
    V acc[MOST];
    if (WHOLE) {
        FN(direct_sums)(g, acc, a, b, g->k, f, 1, 0);
    } else {
        V total[MOST], some[MOST];
        int64_t left = g->k, k;
        do {
            const bool first = left == g->k;
            if (f.beside > 1 && left >= f.beside * KC) {
                k = f.beside * KC;
                FN(direct_sums)(g, acc, a, b, KC, f, f.beside, ahead);
                FN(keep_sums)(some, acc, f.beside * each);
                FN(add_blocks)(total, some, each, f.beside, first);
            } else {
                k = left < KC ? left : KC;
                FN(direct_sums)(g, acc, a, b, k, f, 1, ahead);
                if (k == g->k) break; /* they are what acc holds */
                FN(keep_sums)(some, acc, each);
                FN(add_blocks)(total, some, each, 1, first);
            }
            a += k * g->a_col;
            b += k * g->b_row;
            left -= k;
        } while (left > 0);
        if (g->k > KC) FN(keep_sums)(acc, total, each);
    }
    char *c = g->c + i * g->c_row + j * g->c_col;
    const bool runs_over = !f.whole && f.rows > 1 && FN(runs_over)(g, g->m, i + f.rows - 1, W);
#pragma GCC unroll 16
    for (int r = 0; r < f.rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < f.nv; v++) {
            char *to = c + r * g->c_row + FN(place)(f, v) * g->c_col;
            if (!together) FN(put_apart)(to, acc[r * f.nv + v], f.count, g->c_col);
#if ROUNDS
            else if (f.whole && f.nv % 2 == 0 && f.last == (f.nv - 1) * W) { /* two at once */
                if (v % 2 == 0) STV_TWO(&AT(T, to, 0), acc[r * f.nv + v], acc[r * f.nv + v + 1]);
            }
#endif
            else if (f.whole || runs_over)
                STV(&AT(T, to, 0), acc[r * f.nv + v]);
            else
                STV_N(&AT(T, to, 0), acc[r * f.nv + v], f.count);
        }
}

/* All columns of a few rows: B is what takes the time, and lines of the cache at the border of two
 * tiles are read twice. So many vectors at a time, and no tile of one behind them. */
static inline __attribute__((always_inline)) void FN(direct_few)(const nomen__gemm_args *g,
                                                                 int64_t i, const int rows) {
    enum { WIDE = DIRECT_WIDE * W };
    const FN(form) whole = {rows, DIRECT_WIDE, 1, true, W, WIDE - W};
    int64_t j = 0;
    for (; g->n - j > WIDE + W; j += WIDE) FN(direct_tile)(g, i, j, whole);
    const int64_t left = g->n - j, last = left - W;
    const FN(form) one = {rows, 1, 4, true, W, last}, two = {rows, 2, 2, true, W, last},
                   three = {rows, 3, 2, true, W, last}, four = {rows, 4, 1, true, W, last},
                   five = {rows, 5, 1, true, W, last};
    switch ((left - 1) / W) {
    case 0: FN(direct_tile)(g, i, j, one); break;
    case 1: FN(direct_tile)(g, i, j, two); break;
    case 2: FN(direct_tile)(g, i, j, three); break;
    case 3: FN(direct_tile)(g, i, j, four); break;
    default: FN(direct_tile)(g, i, j, five);
    }
}

/* The same of more rows. */
static inline __attribute__((always_inline)) void FN(direct_many)(const nomen__gemm_args *g,
                                                                  int64_t i, const int rows) {
    enum { WIDE = NV * W };
    const FN(form) whole = {rows, NV, 1, true, W, WIDE - W}, one = {rows, 1, 1, true, W, 0};
    const int64_t n = g->n;
    int64_t j = 0;
    /* The last tile is moved back if all of its vectors have something to do. */
    for (; n >= WIDE && j + WIDE <= n + W - 1; j += WIDE)
        FN(direct_tile)(g, i, j + WIDE <= n ? j : n - WIDE, whole);
    for (; j < n; j += W) FN(direct_tile)(g, i, j + W <= n ? j : n - W, one);
}

static inline __attribute__((always_inline)) void FN(direct_rows)(const nomen__gemm_args *g,
                                                                  int64_t i, const int rows) {
    const bool few = rows <= FN(wide_rows);
    const FN(form) part = {rows, 1, few ? 4 : 1, false, g->n, 0};
    if (g->n < W)
        FN(direct_tile)(g, i, 0, part);
    else if (few)
        FN(direct_few)(g, i, rows);
    else
        FN(direct_many)(g, i, rows);
}

#if VB == 64 && !ROUNDS
/* One vector of columns leaves registers for more rows: B is read once for all of a small block. */
static inline __attribute__((always_inline)) void FN(direct_alone)(const nomen__gemm_args *g,
                                                                   const int rows, int64_t i) {
    const FN(form) one = {rows, 1, 1, true, W, 0};
    V acc[GEMM_SMALL];
    FN(direct_sums)(g, acc, g->a + i * g->a_row, g->b, g->k, one, 1, 0);
    char *c = g->c + i * g->c_row;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++, c += g->c_row) STV(&AT(T, c, 0), acc[r]);
}

#define DIRECT_ALONE(rows)                                                                         \
    case (rows): FN(direct_alone)(g, rows, i); break

static void FN(direct_column)(const nomen__gemm_args *g) {
    const int64_t tiles = (g->m + GEMM_SMALL - 1) / GEMM_SMALL;
    const int64_t rows = tiles == 1 ? g->m : (g->m + tiles - 1) / tiles; /* divisions take long */
    for (int64_t t = 0; t < tiles; t++) {
        const int64_t i = (t + 1) * rows <= g->m ? t * rows : g->m - rows;
        switch (rows) {
            DIRECT_ALONE(8);
            DIRECT_ALONE(9);
            DIRECT_ALONE(10);
            DIRECT_ALONE(11);
            DIRECT_ALONE(12);
            DIRECT_ALONE(13);
            DIRECT_ALONE(14);
            DIRECT_ALONE(15);
            DIRECT_ALONE(16);
        }
    }
}
#undef DIRECT_ALONE
#endif

#define DIRECT_CASE(count)                                                                         \
    case (count):                                                                                  \
        if ((count) <= MR && !(WHOLE && (count) > FN(wide_rows) && (count) < (MR + 1) / 2))        \
            FN(direct_rows)(g, i, (count) <= MR ? (count) : 1);                                    \
        break

/* Tiles of more than half of MR rows where there are so many, so that the rows of C come out
 * almost even; few where there is little to do but to store, and more would be in each other's way,
 * as those that are rounded are. */
static void FN(direct_tiles)(const nomen__gemm_args *g) {
#if VB == 64 && !ROUNDS
    if (g->n == W && g->m > MR / 2 && g->k <= KC && g->c_col == E) {
        FN(direct_column)(g);
        return;
    }
#endif
    const bool meet = share_sets(g->c_row, 4096, 64); /* all rows of C */
    const bool rounds = ROUNDS && FN(wide_rows) > 1 && g->k <= 2 * STORED_K;
    const bool stores = rounds || (!ROUNDS && g->k <= STORED_K && meet);
    const int64_t most = stores && g->n >= DIRECT_WIDE * W ? FN(wide_rows) : MR;
    const int64_t tiles = g->m <= most ? 1 : (g->m + most - 1) / most;
    const int64_t each = tiles == 1 ? g->m : g->m / tiles; /* divisions take long */
    int64_t longer = g->m - each * tiles;                  /* tiles of one more */
    for (int64_t i = 0, rows; i < g->m; i += rows, longer--) {
        rows = each + (longer > 0);
        switch (rows) {
            DIRECT_CASE(1);
            DIRECT_CASE(2);
            DIRECT_CASE(3);
            DIRECT_CASE(4);
            DIRECT_CASE(5);
            DIRECT_CASE(6);
            DIRECT_CASE(7);
            DIRECT_CASE(8);
            DIRECT_CASE(9);
            DIRECT_CASE(10);
            DIRECT_CASE(11);
            DIRECT_CASE(12);
            DIRECT_CASE(13);
            DIRECT_CASE(14);
        }
    }
}
#undef DIRECT_CASE
#undef A_OF

/* Whether B, read in its place, is read by one tile of rows only; where there are instructions that
 * widen, two of them cost less than to widen it whole. */
static inline bool FN(has_flat_rows)(int64_t m, int64_t n) {
    const int tiles = ROUNDS && VB > 16 && n > GEMM_NARROW ? 2 : 1;
    return m <= tiles * MR || m <= GEMM_NARROW;
}
/* Some tiles read it, too: two where its rows share neither sets of the cache nor take more pages
 * than are remembered, and with AVX-512 four where it stays in L2. Measured on a Zen 3 and on a
 * Xeon with 2 MB of L2. */
static inline bool FN(is_read_again)(const nomen__gemm_args *g) {
    enum { PAGE = 4096, PAGES = 1024, NEAR = 3 << 19 };
    const int64_t row = g->b_row < PAGE ? g->b_row : PAGE;
    if (VB < 32 || ROUNDS || g->n <= GEMM_NARROW || g->k * row > PAGES * PAGE) return false;
    if (VB == 64 && g->k * g->n * E <= NEAR) return g->m <= 4 * MR;
    return g->m <= 2 * MR && !share_sets(g->b_row, 2048, 16);
}
static inline bool FN(is_flat)(const nomen__gemm_args *g) {
    return !WHOLE && (FN(has_flat_rows)(g->m, g->n) || FN(is_read_again)(g)) && g->n > 1 &&
           g->b_col == E && (g->m <= GEMM_NARROW || g->c_col == E);
}

#if ROUNDS
static inline int64_t FN(pitch)(int64_t n) { return (n + W - 1) / W * W; }

/* Of lines whose elements lie apart, but side by side with those of the next line: in squares. */
static APART void FN(widen_turned)(C *to, const char *in, int64_t lines, int64_t n, int64_t step) {
    for (int64_t p = 0; p < lines; p += W, to += W * FN(pitch)(n), in += W * E) {
        const int64_t side = lines - p < W ? lines - p : W;
        for (int64_t j = 0; j < n; j += W) {
            V x[W];
            for (int64_t i = 0; i < W; i++) {
                const char *at = in + (j + i) * step;
                x[i] = j + i >= n  ? (V){0}
                       : side == W ? LDV(&CAT(T, at, 0))
                                   : LDV_N(&CAT(T, at, 0), side);
            }
            TURN(x);
            for (int64_t i = 0; i < side; i++)
                memcpy(to + i * FN(pitch)(n) + j, x + i, sizeof x[i]);
        }
    }
}

static void FN(widen)(C *to, const char *in, int64_t lines, int64_t n, int64_t line, int64_t step) {
    if (line == E && step != E && lines >= W / 4) {
        FN(widen_turned)(to, in, lines, n, step);
        return;
    }
    for (int64_t i = 0; i < lines; i++, to += FN(pitch)(n), in += line)
        for (int64_t j = 0; j < n; j += GEMM_SMALL)
            FN(take)(to + j, in + j * step, n - j < GEMM_SMALL ? n - j : GEMM_SMALL, step);
}

/* Of how many rows of A the numbers fit into GEMM_NEAR bytes: whole tiles. */
static inline int64_t FN(widened_rows)(int64_t m, int64_t k) {
    const int64_t most = GEMM_NEAR / (FN(pitch)(k) * (int64_t)sizeof(C)) / MR * MR;
    const int64_t rows = most < MR ? MR : most;
    return m < rows ? m : rows;
}
static inline size_t FN(direct_scratch)(int64_t m, int64_t k) {
    return (size_t)(FN(widened_rows)(m, k) * FN(pitch)(k)) * sizeof(C);
}

/* Of so many rows that are left, the next ones, at most rows: no few at the end by themselves. */
static inline int64_t FN(part_of)(int64_t left, int64_t rows) {
    return left <= rows ? left : left < 2 * rows ? (left + 1) / 2 : rows;
}

static APART void FN(direct)(const nomen__gemm_args *g, C *scratch) {
    const bool as_one = g->a_col == E && g->a_row == g->k * E;
    const int64_t along = as_one ? g->k : FN(pitch)(g->k), rows = FN(widened_rows)(g->m, g->k);
    nomen__gemm_args part = *g;
    part.a = (char *)scratch;
    part.a_row = along * (int64_t)sizeof(C);
    part.a_col = sizeof(C);
    for (int64_t i = 0; i < g->m; i += part.m) {
        part.m = FN(part_of)(g->m - i, rows);
        part.c = g->c + i * g->c_row;
        if (as_one)
            FN(widen)(scratch, g->a + i * g->a_row, 1, part.m * g->k, 0, E);
        else
            FN(widen)(scratch, g->a + i * g->a_row, part.m, g->k, g->a_row, g->a_col);
        FN(direct_tiles)(&part);
    }
}

/* Products of up to GEMM_MEDIUM rows and columns, or few summands, are those of float32: the same
 * sums in the same order. Some rows at a time, so that those of C stay near. Of few summands rows
 * of B are widened for each tile, where that takes an instruction or two. */
static inline bool FN(is_near)(int64_t m, int64_t n, int64_t k) {
    const bool little = n <= GEMM_MEDIUM && m <= GEMM_MEDIUM;
    return (little || k <= GEMM_THIN) && is_near_matmul_f32(m, n, k);
}
static inline bool FN(is_thin)(int64_t m, int64_t n, int64_t k) {
    const bool few = n <= GEMM_NARROW, slim = VB == 64 && n > 1 && k <= GEMM_SMALL;
    return VB > 16 && k <= GEMM_THIN && m > MR / 2 && (!few || slim);
}
static inline int64_t FN(strip)(int64_t m, int64_t n) {
    if (m <= GEMM_MEDIUM && n <= GEMM_MEDIUM) return m;
    const int64_t rows = GEMM_NEAR / (n * (int64_t)sizeof(C)) / MR * MR;
    return rows > m ? m : rows < MR ? MR : rows;
}

static APART void FN(medium)(const nomen__gemm_args *g, C *scratch) {
    const int64_t e = (int64_t)sizeof(C), across = FN(pitch)(g->n), along = FN(pitch)(g->k);
    const int64_t rows = FN(strip)(g->m, g->n);
    C *a = scratch, *b = a + rows * along, *c = b + g->k * across;
    nomen__gemm_args part = *g;
    FN(widen)(b, g->b, g->k, g->n, g->b_row, g->b_col);
    for (int64_t left = g->m; left > 0; left -= part.m) {
        part.m = FN(part_of)(left, rows);
        const nomen__gemm_args wide = {.m = part.m,
                                       .n = g->n,
                                       .k = g->k,
                                       .a = (char *)a,
                                       .b = (char *)b,
                                       .c = (char *)c,
                                       .a_row = along * e,
                                       .a_col = e,
                                       .b_row = across * e,
                                       .b_col = e,
                                       .c_row = across * e,
                                       .c_col = e};
        FN(widen)(a, part.a, part.m, g->k, g->a_row, g->a_col);
        direct_matmul_f32(&wide, NULL);
        FN(deliver)(&part, c, across);
        part.a += part.m * g->a_row;
        part.c += part.m * g->c_row;
    }
}
#else
/* Whether B, or what it is copied to, stays near while all tiles of rows read it. */
static inline bool FN(is_near)(int64_t m, int64_t n, int64_t k) {
    return m > MR / 2 && n > GEMM_NARROW && (k <= DIRECT_K || (n <= GEMM_MEDIUM && !WHOLE)) &&
           k * n * E < (m < DIRECT_MANY ? DIRECT_B : DIRECT_B_MANY);
}
/* Whether a product goes without panels: by its sizes, and by how its operands lie. */
static inline bool FN(is_direct)(const nomen__gemm_args *g) {
    if (g->c_col != E || !FN(is_near)(g->m, g->n, g->k)) return false;
    if (g->b_col != E && (g->k > DIRECT_K || g->k * g->n * E >= DIRECT_B_COPY)) return false;
    return g->a_col == E || g->m <= DIRECT_A_ROWS || g->k <= DIRECT_A_K;
}

/* B with its rows one after the other, as copy_rows has it, of fewer columns than a vector has room
 * for: what is stored with a row of the copy beyond its end, the next ones are written over. */
static APART void FN(copy_short_rows)(T *to, const nomen__gemm_args *g) {
    const int64_t n = g->n, k = g->k, some = k < W ? k : W;
    for (int64_t p0 = 0; p0 < k; p0 += W) {
        const int64_t p = p0 + W <= k || k < W ? p0 : k - W;
        V x[W];
#pragma GCC unroll 32
        for (int i = 0; i < W; i++) {
            const int64_t at = i < n ? i * g->b_col + p * E : 0;
            x[i] = i >= n      ? (V){0}
                   : some == W ? LDV(&CAT(T, g->b, at))
                               : LDV_N(&CAT(T, g->b, at), k);
        }
        TURN(x);
#pragma GCC unroll 32
        for (int i = 0; i < W; i++) {
            if (i == some) break;
            T *const row = to + (p + i) * n;
            if ((p + i) * n + W <= k * n)
                STV(row, x[i]);
            else
                STV_N(row, x[i], n);
        }
    }
}

/* B with its rows one after the other: columns that lie in one piece are turned over in squares of
 * vectors, the last ones moved back, or in parts of squares. */
static APART void FN(copy_rows)(T *to, const nomen__gemm_args *g) {
    const int64_t n = g->n, k = g->k;
    const bool squares = g->b_row == E && n >= W && k >= W;
    for (int64_t p0 = 0; squares && p0 < k; p0 += W)
        for (int64_t j0 = 0; j0 < n; j0 += W) {
            const int64_t p = p0 + W <= k ? p0 : k - W, j = j0 + W <= n ? j0 : n - W;
            V x[W];
#pragma GCC unroll 32
            for (int i = 0; i < W; i++) x[i] = LDV(&CAT(T, g->b, (j + i) * g->b_col + p * E));
            TURN(x);
#pragma GCC unroll 32
            for (int i = 0; i < W; i++) STV(to + (p + i) * n + j, x[i]);
        }
    if (squares) return;
    if (g->b_row == E && n >= W && k >= (VB == 64 ? W / 4 : W / 2)) {
        for (int64_t j0 = 0; j0 < n; j0 += W) {
            const int64_t j = j0 + W <= n ? j0 : n - W;
            V x[W];
#pragma GCC unroll 32
            for (int i = 0; i < W; i++) x[i] = LDV_N(&CAT(T, g->b, (j + i) * g->b_col), k);
            TURN(x);
            for (int64_t p = 0; p < k; p++) STV(to + p * n + j, x[p]);
        }
        return;
    }
    if (g->b_row == E && n < W && n >= W / 4 && k >= W / 2) {
        FN(copy_short_rows)(to, g);
        return;
    }
    for (int64_t p0 = 0; p0 < k; p0 += 8) /* 8 rows of the copy stay in L1 */
        for (int64_t j = 0; j < n; j++)
            for (int64_t p = p0; p < k && p < p0 + 8; p++)
                to[p * n + j] = CAT(T, g->b, p * g->b_row + j * g->b_col);
}

/* One summand: there is nothing to do but to store, row after row of C. A vector and more of
 * columns. */
static APART void FN(stored_rows)(const nomen__gemm_args *g) {
    for (int64_t i = 0; i < g->m; i++) {
        const V x = FN(splat)(C_OF(CAT(T, g->a, i * g->a_row)));
        char *c = g->c + i * g->c_row;
#pragma GCC unroll 4
        for (int64_t j0 = 0; j0 < g->n; j0 += W) {
            const int64_t j = j0 + W <= g->n ? j0 : g->n - W;
            STV(&AT(T, c, j * E), FMA(x, LDV(&CAT(T, g->b, j * E)), (V){0}));
        }
    }
}

static APART void FN(direct)(const nomen__gemm_args *g, T *scratch) {
    if (VB >= 32 && g->k == 1 && g->n >= W && g->b_col == E && g->c_col == E) {
        FN(stored_rows)(g);
        return;
    }
    if (g->b_col == E) { /* a copy of what was written just now would be waited for */
        FN(direct_tiles)(g);
        return;
    }
    nomen__gemm_args rows = *g;
    FN(copy_rows)(scratch, g);
    rows.b = (const char *)scratch;
    rows.b_row = g->n * E;
    rows.b_col = E;
    FN(direct_tiles)(&rows);
}
#endif
