/* A loop over one input; no include guard, included once per kernel and dtype by floats.h, ints.h
 * and complexes.h. Wants FN, T (input in memory), OT (output in memory), V (in registers), W
 * (lanes), LD, ST, EXPR(x); with W > 1 also LDN, STN (first k elements) and SPLAT (first element to
 * all). With LOOP_PAIRS two vectors at a time, of long expressions that wait for themselves; then
 * QUICK(x, &unfit) may stand for EXPR where no lane of the mask unfit is set: without a branch.
 * AS_IN_MEMORY: V holds elements of T, which OT is, bit by bit. With BY_LINES there is another loop
 * over many short lines. Shapes: contiguous, constant, strided. */
#include "kernels/loops/ends.h"
#include "kernels/loops/far.h"
#include "kernels/loops/twice.h"

#ifdef LOOP_PAIRS
/* The expression by itself, for the loops where it is called: a few elements, constants, strides.
 */
static __attribute__((noinline)) V LOOP_NAME2(FN, one)(V x) { return EXPR(x); }
#define ONE(x) LOOP_NAME2(FN, one)(x)

/* Pairs of vectors. All is inlined: a call would put every register into memory, and what is on
 * either side of it would not overlap. */
static __attribute__((noinline, flatten)) void LOOP_NAME2(FN, pairs)(char *o, const char *a,
                                                                     int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT);
    for (; n >= 2 * W; n -= 2 * W, a += 2 * W * ti, o += 2 * W * to) {
        const V x = LD(a), y = LD(a + W * ti);
#ifdef QUICK
        __typeof__(SIMD_PICK(v_less, x)(x, x)) unfit, other;
        V fx = QUICK(x, &unfit), fy = QUICK(y, &other);
        if (__builtin_expect(SIMD_PICK(v_some, x)(unfit | other), 0)) {
            fx = ONE(x);
            fy = ONE(y);
        }
#else
        const V fx = EXPR(x), fy = EXPR(y);
#endif
        ST(o, fx);
        ST(o + W * to, fy);
    }
}
#else
#define ONE(x) EXPR(x)
#endif

/* Apart, with its blocks and calls: the short loops keep all they use in registers. */
static __attribute__((noinline)) void LOOP_NAME2(FN, strided)(char *const ptr[],
                                                              const int64_t step[], int64_t n) {
    const char *a = ptr[1];
    char *o = ptr[0];
#if W == 1
    if (sizeof(T) >= 8 && step[0] != (int64_t)sizeof(OT)) { /* of shorter ones blocks are vectors */
        const int64_t sa = step[1], so = step[0];           /* else read again after each store */
        for (int64_t i = 0; i < n; i++) {
            ST(o + i * so, EXPR(LD(a + i * sa)));
            __asm__ volatile(""); /* see binary.h */
        }
        return;
    }
#elif defined(AS_IN_MEMORY) && !defined(LOOP_PAIRS)
    if (step[0] != (int64_t)sizeof(OT)) {
        const int64_t sa = step[1], so = step[0];
        for (; n >= W; n -= W, a += W * sa, o += W * so)
            LOOP_FAR_OUT(o, so, EXPR(LOOP_FAR(a, sa, n > W)));
    }
#endif
    T x[LOOP_BLOCK];
    OT result[LOOP_BLOCK];
    for (int64_t k; n > 0; n -= k, a += k * step[1], o += k * step[0]) {
        k = loop_part(n, LOOP_BLOCK, W);
        const T *px = loop_gather(x, a, step[1], k, sizeof(T), W);
        OT *const r = loop_target(result, o, step[0], k, sizeof(OT), W);
        int64_t j = 0;
#ifdef LOOP_PAIRS
        j = k & ~(int64_t)(2 * W - 1);
        LOOP_NAME2(FN, pairs)((char *)r, (const char *)px, j);
#endif
        SIMD_IVDEP
        for (; j < k; j += W) ST(r + j, ONE(LD(px + j)));
        loop_scatter(r, o, step[0], k, sizeof(OT));
    }
}

#if W > 1

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT);
    const int64_t whole = n & ~(int64_t)(W - 1);
    const char *const a = ptr[1];
    char *o = ptr[0];
    if (step[0] == to && step[1] == ti) {
        int64_t i = 0;
        LOOP_KEEP(last, a);
#ifdef LOOP_PAIRS
        i = n & ~(int64_t)(2 * W - 1);
        if (i > 0) LOOP_NAME2(FN, pairs)(o, a, i);
#endif
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, ONE(LD(a + i * ti)));
        if (i < n) LOOP_END(o, ONE(LOOP_LAST(last, a)));
        return;
    }
    if (step[0] == to && step[1] == 0 && n > 0) {
        LOOP_ONE(x, a);
        LOOP_TWICE
        for (; n >= W; n -= W, o += W * to) ST(o, ONE(x));
        if (n > 0) STN(o, ONE(x), n);
        return;
    }
    LOOP_NAME2(FN, strided)(ptr, step, n);
}

#ifdef BY_LINES
#define INPUTS        1
#define LINES_EXPR(v) EXPR((v)[0])
#include "kernels/loops/lines.h"
#endif

#else

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t sa = step[1], so = step[0];
    const char *a = ptr[1];
    char *o = ptr[0];
    if (so == (int64_t)sizeof(OT) && sa == (int64_t)sizeof(T)) {
        const T *ca = (const T *)a;
        OT *co = (OT *)o;
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i)));
    } else if (so == (int64_t)sizeof(OT) && sa == 0 && n > 0) {
        const V x = LD(a);
        OT *co = (OT *)o;
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(x));
    } else {
        LOOP_NAME2(FN, strided)(ptr, step, n);
    }
}

#if defined(BY_LINES) && W32 > 1
#include "kernels/loops/lines_single.h"
#endif

#endif
#undef ONE
