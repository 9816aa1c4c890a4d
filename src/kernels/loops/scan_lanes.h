/* Running sums and products of lines of float and double, several at a time. Lines of float side by
 * side in memory are joined element by element, a line in each lane. Lines one behind the other are
 * joined four elements at a time (lanes_four), in the same order on every ISA: AVX2 has two of two
 * lines in each vector, AVX-512 turns squares of eight lines over in registers. All is in double,
 * and what is before a line stays in registers. */
#ifndef NOMEN_SRC_SCAN_LANES_H
#define NOMEN_SRC_SCAN_LANES_H

#include "kernels/simd/turn.h"

/* LANES_HERE: there are vectors of LANES float, and of as many double. */
#define LANES_HERE (NOMEN__ISA_ID == NOMEN__ISA_ID_avx512 || NOMEN__ISA_ID == NOMEN__ISA_ID_avx2)

/* LONG_LINE: of double, which a square of eight lines takes as long for. LONG_COUPLE: lines of
 * which two at a time wait for themselves. */
enum { LANES = W64, LONG_LINE = 128, LONG_COUPLE = 32 };
#define LANES_INLINE static inline __attribute__((always_inline))

#if LANES_HERE

/* ---- vectors: the first n lanes in memory, the others being `other`, or left alone ----------- */

#if VB == 64

typedef __m256 lanes_row;

LANES_INLINE lanes_row lanes_get(const char *p, int n, float other) {
    if (n == LANES) return _mm256_loadu_ps((const float *)(const void *)p);
    return _mm256_mask_loadu_ps(_mm256_set1_ps(other), (__mmask8)((1u << n) - 1), p);
}
LANES_INLINE void lanes_put(char *p, int n, lanes_row x) {
    if (n == LANES)
        _mm256_storeu_ps((float *)(void *)p, x);
    else
        _mm256_mask_storeu_ps(p, (__mmask8)((1u << n) - 1), x);
}
LANES_INLINE vf64 lanes_widen(lanes_row x) { return (vf64)_mm512_cvtps_pd(x); }
LANES_INLINE lanes_row lanes_narrow(vf64 x) { return _mm512_cvtpd_ps((__m512d)x); }

/* Of a vector of pairs: pair k everywhere; `own` joined with what is in the lanes of a mask. */
#define COUPLE(x, k) ((vf64)_mm512_shuffle_f64x2((__m512d)(x), (__m512d)(x), (k) * 0x55))
LANES_INLINE vf64 lanes_behind(const bool sums, vf64 own, __mmask8 lanes, vf64 x, bool first) {
    const __m512d a = (__m512d)own, b = (__m512d)x;
    if (first && !sums) return (vf64)_mm512_mask_blend_pd(lanes, a, b);
    return (vf64)(sums ? _mm512_mask_add_pd(a, lanes, a, b) : _mm512_mask_mul_pd(a, lanes, a, b));
}

/* LANES rows of LANES into as many columns. */
LANES_INLINE void lanes_turn(lanes_row x[LANES]) {
    __m256 a[LANES], b[LANES];
    for (int i = 0; i < LANES; i += 2) {
        a[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; k++) {
            const __m256d low = _mm256_castps_pd(a[i + k]), high = _mm256_castps_pd(a[i + k + 2]);
            b[i + 2 * k] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, high));
            b[i + 2 * k + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, high));
        }
    for (int i = 0; i < LANES / 2; i++) {
        x[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        x[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}

#else

typedef __m128 lanes_row;

LANES_INLINE __m128i lanes_first(int n) {
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}
LANES_INLINE lanes_row lanes_get(const char *p, int n, float other) {
    const float *from = (const float *)(const void *)p;
    if (n == LANES) return _mm_loadu_ps(from);
    const __m128i here = lanes_first(n);
    return _mm_blendv_ps(_mm_set1_ps(other), _mm_maskload_ps(from, here), _mm_castsi128_ps(here));
}
/* In parts: some processors take twenty steps for a store with a mask. */
LANES_INLINE void lanes_put(char *p, int n, lanes_row x) {
    if (n == LANES) {
        _mm_storeu_ps((float *)(void *)p, x);
        return;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, x);
        x = _mm_movehl_ps(x, x);
        p += 8;
    }
    if (n & 1) _mm_store_ss((float *)(void *)p, x);
}
LANES_INLINE vf64 lanes_widen(lanes_row x) { return (vf64)_mm256_cvtps_pd(x); }
LANES_INLINE lanes_row lanes_narrow(vf64 x) { return _mm256_cvtpd_ps((__m256d)x); }

#endif
#else

typedef vf32h lanes_row;
LANES_INLINE vf64 lanes_widen(lanes_row x) { return __builtin_convertvector(x, vf64); }
LANES_INLINE lanes_row lanes_narrow(vf64 x) { return __builtin_convertvector(x, lanes_row); }

#endif

LANES_INLINE vf64 lanes_get_f64(const double *p, int n) {
    return n == LANES ? ld_f64(p) : ld_f64_n(p, n);
}
LANES_INLINE void lanes_put_f64(double *p, int n, vf64 x) {
    if (n == LANES)
        st_f64(p, x);
    else
        st_f64_n(p, x, n);
}

/* LANES elements of 4 or 8 bytes as double, of which the first n are stored. */
#if LANES_HERE
LANES_INLINE vf64 lanes_from(const char *p, int bytes) {
    const void *at = p;
    return bytes == 4 ? lanes_widen(lanes_get(p, LANES, 0)) : ld_f64(at);
}
LANES_INLINE void lanes_to(char *p, int bytes, int n, vf64 x) {
    void *at = p;
    if (bytes == 4)
        lanes_put(p, n, lanes_narrow(x));
    else
        lanes_put_f64(at, n, x);
}
#endif

/* ---- lines one by one in memory -------------------------------------------------------------- */

/* What the lines are: at most LANES, of elements of 4 or 8 bytes that follow each other. */
typedef struct lanes {
    const char *in;
    char *out;               /* NULL: the carry alone is asked for */
    int64_t in_row, out_row; /* bytes */
    int lines, in_bytes, out_bytes;
    bool beyond; /* may three elements behind the last line be read? */
} lanes;

#define LANES_JOIN(sums, a, b) ((sums) ? (a) + (b) : (a) * (b))

/* `few` <= LANES lines from line r on, from their element j on. */
LANES_INLINE lanes lanes_at(const nomen__scan_args *a, int64_t r, int64_t j, int few) {
    return (lanes){.in = a->in + r * a->in_row + j * a->in_step,
                   .out = moved(a->out, r * a->out_row + j * a->out_step),
                   .in_row = a->in_row,
                   .out_row = a->out_row,
                   .lines = few,
                   .in_bytes = (int)a->in_step,
                   .out_bytes = (int)a->out_step,
                   .beyond = r + few < a->lines && a->n > 1 && a->in_row == a->n * a->in_step};
}

#if LANES_HERE
#include "kernels/loops/scan_quads.h"
#endif

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx2

typedef quad_before lanes_before;
#define lanes_lines  quad_lines
#define lanes_packed quad_packed

#else

#define LANE_NAME(name) lanes_##name
#define LANE_COUNT      LANES
#define LANE_VECTOR     vf64
#include "kernels/loops/scan_apart.h"

#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512

/* n <= LANES elements of each line from j on; those of double are summed only. */
LANES_INLINE vf64 lanes_square(const lanes *l, int lines, int64_t j, int n, const lanes_before *b) {
    lanes_row x[LANES];
    vf64 wide[LANES], own = b->own;
    for (int i = 0; i < LANES; i++) {
        const char *in = l->in + (i < lines ? i : 0) * l->in_row + j * l->in_bytes;
        if (l->in_bytes == 4)
            x[i] = lanes_get(in, n, !b->sums);
        else
            wide[i] = lanes_get_f64((const double *)(const void *)in, n);
    }
    if (l->in_bytes == 4) {
        lanes_turn(x);
        for (int k = 0; k < LANES; k++) wide[k] = lanes_widen(x[k]);
    } else {
        v_turn_f64(wide);
    }
    for (int k = 0; k < LANES; k += 4) own = lanes_four(b->sums, wide + k, own);
    if (!l->out) return own;
    for (int k = 0; k < LANES; k++) wide[k] = b->based ? b->base + wide[k] : wide[k];
    if (l->out_bytes == 4) {
        for (int k = 0; k < LANES; k++) x[k] = lanes_narrow(wide[k]);
        lanes_turn(x);
    } else {
        v_turn_f64(wide);
    }
    for (int i = 0; i < LANES && i < lines; i++) {
        char *out = l->out + i * l->out_row + j * l->out_bytes;
        if (l->out_bytes == 4)
            lanes_put(out, n, x[i]);
        else
            lanes_put_f64((double *)(void *)out, n, wide[i]);
    }
    return own;
}

/* Eight elements of two lines, in the order of lanes_four: as quads, elements 0, 2, 4 and 6 of both
 * lines are one vector, and those between them the other, which takes a third of the shuffles of a
 * square. own: what is before both, in all lanes. What it is after them. */
LANES_INLINE vf64 lanes_couple(const lanes *l, const char *in, char *out, const bool sums, vf64 own,
                               const bool first) {
    const __m512d x = (__m512d)lanes_from(in, l->in_bytes);
    const __m512d y = (__m512d)lanes_from(in + l->in_row, l->in_bytes);
    vf64 even = (vf64)_mm512_unpacklo_pd(x, y), odd = (vf64)_mm512_unpackhi_pd(x, y);
    odd = LANES_JOIN(sums, even, odd);
    own = lanes_behind(sums, own, 0xfc, COUPLE(odd, 0), first);
    own = lanes_behind(sums, own, 0xf0, COUPLE(odd, 1), false);
    own = lanes_behind(sums, own, 0xc0, COUPLE(odd, 2), false);
    even = LANES_JOIN(sums, own, even);
    odd = LANES_JOIN(sums, own, odd);
    const __m512d low = (__m512d)even, high = (__m512d)odd;
    lanes_to(out, l->out_bytes, LANES, (vf64)_mm512_unpacklo_pd(low, high));
    lanes_to(out + l->out_row, l->out_bytes, LANES, (vf64)_mm512_unpackhi_pd(low, high));
    return COUPLE(odd, 3);
}

/* Lines of some eights of elements, before which there is nothing, and of whose end nobody asks. */
LANES_INLINE void lanes_couples(const nomen__scan_args *a, const bool sums) {
    const lanes l = lanes_at(a, 0, 0, 2);
    const int64_t in_line = a->n * l.in_bytes;
    const char *in = a->in;
    char *out = a->out;
    for (int64_t r = 0; r < a->lines; r += 2, in += 2 * a->in_row, out += 2 * a->out_row) {
        vf64 own = v_set_f64(sums ? 0 : 1);
        lanes one = l;
        if (r + 1 == a->lines) one.in_row = one.out_row = 0; /* the last line, twice */
        own = lanes_couple(&one, in, out, sums, own, true);
        for (int64_t j = LANES * l.in_bytes, k = LANES * l.out_bytes; j < in_line;
             j += LANES * l.in_bytes, k += LANES * l.out_bytes)
            own = lanes_couple(&one, in + j, out + k, sums, own, false);
    }
}

LANES_INLINE vf64 lanes_lines(const lanes *l, int64_t n, lanes_before b) {
    int64_t j = 0;
    for (; l->lines == LANES && j + LANES <= n; j += LANES)
        b.own = lanes_square(l, LANES, j, LANES, &b);
    for (; j < n; j += LANES) {
        const int here = n - j < LANES ? (int)(n - j) : LANES;
        b.own = lanes_square(l, l->lines, j, here, &b);
    }
    return b.own;
}

#else

LANES_INLINE vf64 lanes_lines(const lanes *l, int64_t n, lanes_before b) {
    int64_t j = 0;
    for (; l->lines == LANES && j + 4 <= n; j += 4) b.own = lanes_apart(l, LANES, j, 4, &b);
    for (; j < n; j += 4) b.own = lanes_apart(l, l->lines, j, n - j < 4 ? (int)(n - j) : 4, &b);
    return b.own;
}

#endif

LANES_INLINE int64_t lanes_packed(const nomen__scan_args *a, const bool sums) {
    (void)a, (void)sums;
    return 0;
}

#endif

/* No owns: nothing is before the lines, and nobody asks for what they come to. */
LANES_INLINE void lanes_group(const nomen__scan_args *a, int64_t r, int few, double *owns,
                              const double *bases, const bool sums) {
    const lanes l = lanes_at(a, r, 0, few);
    lanes_before b = {.own = v_set_f64(sums ? 0 : 1), .sums = sums};
    if (!owns) {
        lanes_lines(&l, a->n, b);
        return;
    }
    b.own = lanes_get_f64(owns + r, few);
    if (sums) b.base = lanes_get_f64(bases + r, few);
    b.based = sums && v_any64(b.base != 0);
    /* twice, each without questions; nothing is added to anything but -0, which a sum is not */
    const vf64 after = b.based ? lanes_lines(&l, a->n, b) : lanes_lines(&l, a->n, b);
    lanes_put_f64(owns + r, few, after);
}

/* bases: of sums only. */
LANES_INLINE void lanes_run(const nomen__scan_args *a, double *owns, const double *bases,
                            const bool sums) {
#if NOMEN__ISA_ID == NOMEN__ISA_ID_avx512
    const bool wide = a->in_step == 8, empty = a->n < 3 * LANES && a->n % LANES;
    const bool doubles = wide || a->out_step == 8; /* floats take as long to become double */
    if (!owns && a->n % LANES == 0 && a->n <= (doubles ? LONG_COUPLE : LANES)) {
        lanes_couples(a, sums);
        return;
    }
    if (!owns && (wide ? a->n < LONG_LINE : empty)) {
        quad_run(a, sums);
        return;
    }
#endif
    int64_t r = owns ? 0 : lanes_packed(a, sums);
    for (; r + LANES <= a->lines; r += LANES) lanes_group(a, r, LANES, owns, bases, sums);
    if (r < a->lines) lanes_group(a, r, (int)(a->lines - r), owns, bases, sums);
}

/* All before and in a part. The correction of an infinite sum is NaN and says nothing. */
static inline double get_sum2(sum2 base, sum2 own) {
    const double hi = base.hi + own.hi, t = hi + (base.lo + own.lo);
    return hi - hi == 0 ? t : hi;
}

/* Sums in pairs of doubles: so many elements are added up before the pair hears of them. */
enum { SUM2_RUN = 128 };
LANES_INLINE void lanes_group_sum2(const nomen__scan_args *a, int64_t r, int few, sum2 *owns,
                                   const sum2 *bases) {
    sums2 base = {{0}, {0}}, own = {{0}, {0}};
    if (owns) {
        base = sums2_at(bases);
        own = sums2_at(owns);
    }
    for (int64_t j = 0; j < a->n; j += SUM2_RUN) {
        const lanes l = lanes_at(a, r, j, few);
        const int64_t n = a->n - j < SUM2_RUN ? a->n - j : SUM2_RUN;
        const vf64 high = base.hi + own.hi, both = high + (base.lo + own.lo);
        const vf64 before = v_sel(high - high == 0, both, high);
        const lanes_before b = {.base = before, .sums = true, .based = true};
        const lanes_before none = {.sums = true};
        const vf64 x = v_any64(before != 0) ? lanes_lines(&l, n, b) : lanes_lines(&l, n, none);
        const vf64 sum = own.hi + x, back = sum - own.hi;
        own.lo += (own.hi - (sum - back)) + (x - back); /* as sum2_add */
        own.hi = sum;
    }
    if (owns) sums2_to(owns, own);
}
LANES_INLINE void lanes_run_sum2(const nomen__scan_args *a, sum2 *owns, const sum2 *bases) {
    int64_t r = 0;
    if (!owns && a->n <= SUM2_RUN) { /* the pair never hears of them */
        lanes_run(a, NULL, NULL, true);
        return;
    }
    for (; r + LANES <= a->lines; r += LANES)
        if (owns)
            lanes_group_sum2(a, r, LANES, owns + r, bases + r);
        else
            lanes_group_sum2(a, r, LANES, NULL, NULL);
    if (r == a->lines) return;
    if (!owns) {
        lanes_group_sum2(a, r, (int)(a->lines - r), NULL, NULL);
        return;
    }
    sum2 own[LANES] = {0}, base[LANES] = {0};
    const size_t bytes = (size_t)(a->lines - r) * sizeof *own;
    memcpy(own, owns + r, bytes);
    memcpy(base, bases + r, bytes);
    lanes_group_sum2(a, r, (int)(a->lines - r), own, base);
    memcpy(owns + r, own, bytes);
}

/* Products of double, element by element: two lines in each vector, pairs of elements of both
 * turned over on the way in and out; some vectors side by side, since each step waits for the one
 * before.
 */
typedef double lanes_two __attribute__((vector_size(16)));

LANES_INLINE lanes_two lanes_get_two(const char *p) {
    lanes_two x;
    memcpy(&x, p, sizeof x);
    return x;
}
LANES_INLINE void lanes_group_prod(const nomen__scan_args *a, int64_t r, const int vectors,
                                   double *owns) {
    const char *in = a->in + r * a->in_row;
    char *out = a->out + r * a->out_row;
    lanes_two own[4];
    int64_t j = 0;
    for (int v = 0; v < vectors; v++) own[v] = (lanes_two){1, 1};
    for (int v = 0; owns && v < vectors; v++) memcpy(&own[v], owns + r + 2 * v, sizeof own[v]);
    for (; j + 2 <= a->n; j += 2)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const char *from = in + 2 * v * a->in_row + j * 8;
            char *to = out + 2 * v * a->out_row + j * 8;
            const lanes_two x = lanes_get_two(from), y = lanes_get_two(from + a->in_row);
            const lanes_two first = own[v] * __builtin_shufflevector(x, y, 0, 2);
            own[v] = first * __builtin_shufflevector(x, y, 1, 3);
            const lanes_two p = __builtin_shufflevector(first, own[v], 0, 2);
            const lanes_two q = __builtin_shufflevector(first, own[v], 1, 3);
            memcpy(to, &p, sizeof p);
            memcpy(to + a->out_row, &q, sizeof q);
        }
    for (int v = 0; j < a->n && v < vectors; v++) {
        const char *from = in + 2 * v * a->in_row + j * 8;
        char *to = out + 2 * v * a->out_row + j * 8;
        double both[2];
        memcpy(&both[0], from, 8);
        memcpy(&both[1], from + a->in_row, 8);
        own[v] *= (lanes_two){both[0], both[1]};
        memcpy(both, &own[v], sizeof both);
        memcpy(to, &both[0], 8);
        memcpy(to + a->out_row, &both[1], 8);
    }
    for (int v = 0; owns && v < vectors; v++) memcpy(owns + r + 2 * v, &own[v], sizeof own[v]);
}
LANES_INLINE void lanes_run_prod(const nomen__scan_args *a, double *owns) {
    int64_t r = 0;
    for (; r + 8 <= a->lines; r += 8) lanes_group_prod(a, r, 4, owns);
    for (; r + 2 <= a->lines; r += 2) lanes_group_prod(a, r, 1, owns);
    for (double own = r < a->lines && owns ? owns[r] : 1; r < a->lines; r++) {
        const double *x = (const double *)(const void *)(a->in + r * a->in_row);
        double *y = (double *)(void *)(a->out + r * a->out_row);
        for (int64_t j = 0; j < a->n; j++) y[j] = own *= x[j];
        if (owns) owns[r] = own;
    }
}

/* ---- lines side by side in memory ------------------------------------------------------------ */

/* So many elements of all lines are joined before the next ones. */
enum { LEVELS = 16, WIDE = 4 * LANES };

#if LANES_HERE

/* The first n of LANES elements of 4 or 8 bytes. */
LANES_INLINE vf64 lanes_get_any(const char *p, int bytes, int n) {
    const void *at = p;
    return bytes == 4 ? lanes_widen(lanes_get(p, n, 0)) : lanes_get_f64(at, n);
}

/* Elements begin to end of `vectors` times LANES lines, of the last of which n are there. owns is
 * NULL: the lines are whole, and nobody asks what was before them or what they come to. */
LANES_INLINE void lanes_down(const nomen__scan_args *a, int64_t r, int64_t begin, int64_t end,
                             int vectors, int n, double *owns, const double *bases,
                             const bool sums) {
    const int in_bytes = (int)a->in_row, out_bytes = (int)a->out_row;
    vf64 own[4], base[4];
    const char *in = a->in + r * in_bytes + begin * a->in_step;
    char *out = moved(a->out, r * out_bytes + begin * a->out_step);
    for (int v = 0; v < vectors; v++) {
        own[v] = owns ? lanes_get_f64(owns + r + LANES * v, n) : (vf64){0} + (sums ? 0 : 1);
        base[v] = sums && owns ? lanes_get_f64(bases + r + LANES * v, n) : (vf64){0};
    }
    for (int64_t j = begin; j < end; j++, in += a->in_step, out = moved(out, a->out_step))
        for (int v = 0; v < vectors; v++) {
            const vf64 one = lanes_get_any(in + in_bytes * LANES * v, in_bytes, n);
            own[v] = sums ? own[v] + one : own[v] * one;
            if (!out) continue; /* the carry alone is asked for */
            lanes_to(out + out_bytes * LANES * v, out_bytes, n, sums ? base[v] + own[v] : own[v]);
        }
    for (int v = 0; v < vectors && owns; v++) lanes_put_f64(owns + r + LANES * v, n, own[v]);
}

/* Some elements of all lines before the next ones. in_row and out_row are known to the compiler. */
LANES_INLINE void lanes_levels(const nomen__scan_args *a, double *owns, const double *bases,
                               const bool sums) {
    for (int64_t begin = 0; begin < a->n; begin += LEVELS) {
        const int64_t end = a->n - begin < LEVELS ? a->n : begin + LEVELS;
        int64_t r = 0;
        for (; r + WIDE <= a->lines; r += WIDE)
            lanes_down(a, r, begin, end, 4, LANES, owns, bases, sums);
        for (; r + LANES <= a->lines; r += LANES)
            lanes_down(a, r, begin, end, 1, LANES, owns, bases, sums);
        if (r < a->lines) lanes_down(a, r, begin, end, 1, (int)(a->lines - r), owns, bases, sums);
    }
}

#endif

/* Sums of double: as lines one behind the other, a run of elements is added up before the pair
 * hears of it. */
LANES_INLINE void lanes_down_sum2(const nomen__scan_args *a, int64_t r, int64_t begin, int64_t end,
                                  int vectors, int n, double *runs, const double *befores) {
    vf64 run[4], before[4];
    const char *in = a->in + r * 8 + begin * a->in_step;
    char *out = moved(a->out, r * 8 + begin * a->out_step);
    for (int v = 0; v < vectors; v++) {
        run[v] = runs ? lanes_get_f64(runs + r + LANES * v, n) : (vf64){0};
        before[v] = runs ? lanes_get_f64(befores + r + LANES * v, n) : (vf64){0};
    }
    for (int64_t j = begin; j < end; j++, in += a->in_step, out = moved(out, a->out_step))
        for (int v = 0; v < vectors; v++) {
            const void *from = in + 8 * LANES * v;
            run[v] += lanes_get_f64(from, n);
            void *to = moved(out, 8 * LANES * v);
            if (to) lanes_put_f64(to, n, before[v] + run[v]);
        }
    for (int v = 0; v < vectors && runs; v++) lanes_put_f64(runs + r + LANES * v, n, run[v]);
}
/* Some elements of all lines. runs is NULL: as owns of lanes_down. */
LANES_INLINE void lanes_level_sum2(const nomen__scan_args *a, int64_t begin, int64_t end,
                                   double *runs, const double *befores) {
    int64_t r = 0;
    for (; r + WIDE <= a->lines; r += WIDE)
        lanes_down_sum2(a, r, begin, end, 4, LANES, runs, befores);
    for (; r + LANES <= a->lines; r += LANES)
        lanes_down_sum2(a, r, begin, end, 1, LANES, runs, befores);
    if (r < a->lines) lanes_down_sum2(a, r, begin, end, 1, (int)(a->lines - r), runs, befores);
}
LANES_INLINE void lanes_levels_sum2(const nomen__scan_args *a, sum2 *owns, const sum2 *bases) {
    double before[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    double run[NOMEN__ACC_BLOCK] __attribute__((aligned(64)));
    if (!owns) {
        lanes_level_sum2(a, 0, a->n, NULL, NULL);
        return;
    }
    for (int64_t first = 0; first < a->n; first += SUM2_RUN) {
        const int64_t last = a->n - first < SUM2_RUN ? a->n : first + SUM2_RUN;
        for (int64_t r = 0; r < a->lines; r++) {
            before[r] = get_sum2(bases[r], owns[r]);
            run[r] = 0;
        }
        for (int64_t begin = first; begin < last; begin += LEVELS) {
            const int64_t end = last - begin < LEVELS ? last : begin + LEVELS;
            lanes_level_sum2(a, begin, end, run, before);
        }
        for (int64_t r = 0; r < a->lines; r++) sum2_add(&owns[r], run[r]);
    }
}

/* ---- one line, in blocks of eight parts that are lines to the lanes -------------------------- */

enum { LINE_PARTS = 8, LINE_PART = 128, LINE_BLOCK = LINE_PARTS * LINE_PART };

/* What each part of a block comes to, eight sums at a time, of several parts: each addition waits
 * for the one before. */
static inline void line_totals(const float *x, double totals[LINE_PARTS]) {
    enum { TOGETHER_PARTS = 4, EACH = 8 / W64 };
    for (int p = 0; p < LINE_PARTS; p += TOGETHER_PARTS, x += TOGETHER_PARTS * LINE_PART) {
        vf64 sum[TOGETHER_PARTS][EACH];
        double t[8];
#pragma GCC unroll 4
        for (int q = 0; q < TOGETHER_PARTS; q++)
            for (int v = 0; v < EACH; v++) sum[q][v] = (vf64){0};
        for (int k = 0; k < LINE_PART; k += 8)
#pragma GCC unroll 4
            for (int q = 0; q < TOGETHER_PARTS; q++)
                for (int v = 0; v < EACH; v++)
                    sum[q][v] += widen_f32(x + q * LINE_PART + k + v * W64);
        for (int q = 0; q < TOGETHER_PARTS; q++) {
            memcpy(t, sum[q], sizeof t);
            for (int l = 0; l < 4; l++) t[l] += t[l + 4];
            totals[p + q] = (t[0] + t[2]) + (t[1] + t[3]);
        }
    }
}

/* Running sums of each part, behind what is before it. */
static inline void line_block(const float *x, float *y, const double before[LINE_PARTS]) {
    enum { ROW = LINE_PART * sizeof(float) };
    for (int p = 0; p < LINE_PARTS; p += LANES) {
        const lanes l = {.in = (const char *)(x + p * LINE_PART),
                         .out = (char *)(y + p * LINE_PART),
                         .in_row = ROW,
                         .out_row = ROW,
                         .lines = LANES,
                         .in_bytes = 4,
                         .out_bytes = 4};
        const lanes_before b = {.own = lanes_get_f64(before + p, LANES), .sums = true};
        lanes_lines(&l, LINE_PART, b);
    }
}

#endif
