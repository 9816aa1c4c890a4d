/* Include-template: small matrices of a batch turned over, so that each lane of a vector has a
 * matrix of its own, and back. Before: SFX, T (stored), C (computed), V (a vector of W of C), E
 * (bytes of T), LDV(p), LDV_N(p, n), STV(p, v), STV_N(p, v, n), C_OF(T), T_OF(C), TURN(x). After:
 * FN(panel_in), FN(panel_out); they are all still there.
 *
 * A panel is a vector for each element, that of the batches' first elements, of their second ones,
 * ... `batch` is how many bytes the matrices of two lanes are apart; batch 0: all have the same. */

#define PANEL_OF(p) (*(const T *)(const void *)(p))
#define PANEL_TO(p) (*(T *)(void *)(p))

/* A matrix as it lies: `inner` elements a step apart, `outer` times; a panel has them in that
 * order. */
typedef struct FN(shape) {
    int64_t outer, inner, far, near; /* steps in bytes */
    int64_t row, col;                /* of the panel, in elements of C */
} FN(shape);

static inline int64_t FN(size)(int64_t n) { return n < 0 ? -n : n; }
static inline FN(shape) FN(shape_of)(int64_t rows, int64_t cols, int64_t row, int64_t col) {
    const bool down = cols == 1 || (rows > 1 && FN(size)(row) < FN(size)(col));
    FN(shape) s = {rows, cols, row, col, cols * W, W};
    if (down) s = (FN(shape)){cols, rows, col, row, W, rows * W};
    if (s.outer == 1 || s.far == s.inner * s.near) {
        s.inner *= s.outer;
        s.outer = 1;
    }
    return s;
}

/* The first vectors of a square, which stay in registers: loops of that length are a call to copy
 * them from memory. */
static inline __attribute__((always_inline)) void FN(square_to)(C *to, const V *x, int64_t some) {
#pragma GCC unroll 32
    for (int i = 0; i < W; i++) {
        if (i == some) return;
        *(V *)(void *)(to + i * W) = x[i];
    }
}
static inline __attribute__((always_inline)) void FN(square_from)(V *x, const C *from,
                                                                  int64_t some) {
#pragma GCC unroll 32
    for (int i = 0; i < W; i++) x[i] = i < some ? *(const V *)(const void *)(from + i * W) : (V){0};
}

/* n elements of so many lanes; the others are 0. */
static APART void FN(line_in)(C *to, const char *from, int64_t lanes, int64_t batch, int64_t n,
                              int64_t step) {
    if (step == E && batch != 0) { /* in squares */
        for (; n > 0; n -= W, to += W * W, from += W * E) {
            const char *at = from;
            V x[W];
            if (lanes == W && n >= W)
#pragma GCC unroll 32
                for (int l = 0; l < W; l++, at += batch) x[l] = LDV(&PANEL_OF(at));
            else if (lanes == W)
#pragma GCC unroll 32
                for (int l = 0; l < W; l++, at += batch) x[l] = LDV_N(&PANEL_OF(at), n);
            else
                for (int l = 0; l < W; l++, at += batch)
                    x[l] = l >= lanes ? (V){0}
                           : n >= W   ? LDV(&PANEL_OF(at))
                                      : LDV_N(&PANEL_OF(at), n);
            TURN(x);
            FN(square_to)(to, x, n);
        }
        return;
    }
    for (int64_t e = 0; e < n; e++, to += W, from += step) {
        V x = {0};
        if (batch == E) {
            x = lanes == W ? LDV(&PANEL_OF(from)) : LDV_N(&PANEL_OF(from), lanes);
        } else if (batch == 0) {
            x = FN(splat)(C_OF(PANEL_OF(from)));
        } else {
            for (int64_t l = 0; l < lanes; l++) to[l] = C_OF(PANEL_OF(from + l * batch));
            for (int64_t l = lanes; l < W; l++) to[l] = 0;
            continue;
        }
        *(V *)(void *)to = x;
    }
}

static APART void FN(line_out)(char *to, const C *from, int64_t lanes, int64_t batch, int64_t n,
                               int64_t step) {
    if (step == E) {
        /* lanes without gaps are stored as whole vectors, over what the next one stores later */
        const bool runs_over = n < W && batch == n * E;
        for (int64_t e = 0; e < n; e += W) {
            const int64_t some = n - e < W ? n - e : W;
            char *at = to + e * E;
            V x[W];
            FN(square_from)(x, from + e * W, some);
            TURN(x);
            for (int64_t l = 0; l < lanes; l++, at += batch)
                if (some == W || (runs_over && W <= (lanes - l) * n))
                    STV(&PANEL_TO(at), x[l]);
                else
                    STV_N(&PANEL_TO(at), x[l], some);
        }
        return;
    }
    for (int64_t e = 0; e < n; e++, from += W, to += step) {
        const V x = *(const V *)(const void *)from;
        if (batch != E)
            for (int64_t l = 0; l < lanes; l++) PANEL_TO(to + l * batch) = T_OF(from[l]);
        else if (lanes == W)
            STV(&PANEL_TO(to), x);
        else
            STV_N(&PANEL_TO(to), x, lanes);
    }
}

/* Matrices of elements of `parts` numbers each: 2 of complex ones, whose shapes count elements. */
static void FN(panel_in)(C *to, const char *from, int64_t lanes, int64_t batch, const FN(shape) * s,
                         const int parts) {
    const bool dense = parts > 1 && s->near == parts * E;
    for (int64_t i = 0; i < s->outer; i++, to += parts * s->inner * W, from += s->far)
        if (parts == 1 || dense)
            FN(line_in)(to, from, lanes, batch, parts * s->inner, dense ? E : s->near);
        else
            for (int64_t e = 0; e < s->inner; e++)
                FN(line_in)(to + parts * e * W, from + e * s->near, lanes, batch, parts, E);
}
static void FN(panel_out)(char *to, const C *from, int64_t lanes, int64_t batch,
                          const FN(shape) * s, const int parts) {
    const bool dense = parts > 1 && s->near == parts * E;
    for (int64_t i = 0; i < s->outer; i++, from += parts * s->inner * W, to += s->far)
        if (parts == 1 || dense)
            FN(line_out)(to, from, lanes, batch, parts * s->inner, dense ? E : s->near);
        else
            for (int64_t e = 0; e < s->inner; e++)
                FN(line_out)(to + e * s->near, from + parts * e * W, lanes, batch, parts, E);
}

#undef PANEL_OF
#undef PANEL_TO
