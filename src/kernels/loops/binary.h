/* A loop over two inputs; no include guard, included once per kernel and dtype by floats.h, ints.h
 * and complexes.h. Wants FN, T (inputs in memory), OT (output in memory), V (in registers), W
 * (lanes), LD, ST, EXPR(x, y); with W > 1 also LDN, STN (first k elements) and SPLAT (first element
 * to all). AS_IN_MEMORY: V holds elements of T, which OT is, bit by bit. Shapes: contiguous, one
 * operand constant, strided. */
#include "kernels/loops/ends.h"
#include "kernels/loops/far.h"
#include "kernels/loops/twice.h"

/* Apart, with its blocks and calls: the short loops keep all they use in registers. */
static __attribute__((noinline)) void LOOP_NAME2(FN, strided)(char *const ptr[],
                                                              const int64_t step[], int64_t n) {
    const char *a = ptr[1], *b = ptr[2];
    char *o = ptr[0];
#if W == 1
    enum { ITEM = sizeof(T), SECOND = 2 * ITEM, OUT = sizeof(OT) };
    const int64_t sa = step[1], sb = step[2], so = step[0]; /* else read again after each store */
    const bool two = sa && sa != ITEM && sb && sb != ITEM;
    if (ITEM >= 8 && (two || so != OUT)) {
        /* blocks would save nothing, and keep one operand waiting for another */
        int64_t i = 0;
        if (so == OUT && sa == SECOND && sb == SECOND) {
            /* out of whole vectors, which ask for more memory at a time */
            SIMD_IVDEP
            for (; i < n - 1; i++) ST(o + i * OUT, EXPR(LD(a + i * SECOND), LD(b + i * SECOND)));
        }
        for (; i < n; i++) {
            ST(o + i * so, EXPR(LD(a + i * sa), LD(b + i * sb)));
            __asm__ volatile(""); /* by vectors, made lane by lane, it takes twice as long */
        }
        return;
    }
#elif defined(AS_IN_MEMORY)
    if (step[0] != (int64_t)sizeof(OT) && n >= W) {
        const int64_t sa = step[1], sb = step[2], so = step[0];
        LOOP_ONE(first, a);
        LOOP_ONE(second, b);
        for (; n >= W; n -= W, a += W * sa, b += W * sb, o += W * so) {
            const V x = LOOP_FAR_IN(first, a, sa, n > W), y = LOOP_FAR_IN(second, b, sb, n > W);
            LOOP_FAR_OUT(o, so, EXPR(x, y));
        }
    }
#endif
    T x[LOOP_BLOCK], y[LOOP_BLOCK];
    OT result[LOOP_BLOCK];
    const T *px = NULL, *py = NULL; /* what is one number is so in all blocks */
    for (int64_t k; n > 0; n -= k, a += k * step[1], b += k * step[2], o += k * step[0]) {
        k = loop_part(n, LOOP_BLOCK, W);
        if (step[1] || !px) px = loop_gather(x, a, step[1], k, sizeof(T), W);
        if (step[2] || !py) py = loop_gather(y, b, step[2], k, sizeof(T), W);
        OT *const r = loop_target(result, o, step[0], k, sizeof(OT), W);
        SIMD_IVDEP
        for (int64_t j = 0; j < k; j += W) ST(r + j, EXPR(LD(px + j), LD(py + j)));
        loop_scatter(r, o, step[0], k, sizeof(OT));
    }
}

#if W > 1

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT), whole = n & ~(int64_t)(W - 1);
    const char *const a = ptr[1], *const b = ptr[2];
    char *const o = ptr[0];
    int64_t i = 0; /* the one thing that moves: pointers would be three */
    if (step[0] == to && step[1] == ti && step[2] == ti) {
        LOOP_KEEP(x, a);
        LOOP_KEEP(y, b);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(LD(a + i * ti), LD(b + i * ti)));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, a), LOOP_LAST(y, b)));
    } else if (step[0] == to && step[1] == ti && step[2] == 0 && n > 0) {
        LOOP_ONE(y, b);
        LOOP_KEEP(x, a);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(LD(a + i * ti), y));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, a), y));
    } else if (step[0] == to && step[1] == 0 && step[2] == ti && n > 0) {
        LOOP_ONE(x, a);
        LOOP_KEEP(y, b);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(x, LD(b + i * ti)));
        if (i < n) LOOP_END(o, EXPR(x, LOOP_LAST(y, b)));
    } else {
        LOOP_NAME2(FN, strided)(ptr, step, n);
    }
}

#ifdef BY_LINES
#define INPUTS        2
#define LINES_EXPR(v) EXPR((v)[0], (v)[1])
#include "kernels/loops/lines.h"
#endif

#else

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), sa = step[1], sb = step[2], so = step[0];
    const char *a = ptr[1], *b = ptr[2];
    char *o = ptr[0];
    const int contiguous = so == (int64_t)sizeof(OT);
    const T *ca = (const T *)a, *cb = (const T *)b;
    OT *co = (OT *)o;
    if (contiguous && sa == ti && sb == ti) {
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i), LD(cb + i)));
    } else if (contiguous && sa == ti && sb == 0 && n > 0) {
        const V y = LD(b);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i), y));
    } else if (contiguous && sa == 0 && sb == ti && n > 0) {
        const V x = LD(a);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(x, LD(cb + i)));
    } else {
        LOOP_NAME2(FN, strided)(ptr, step, n);
    }
}

#endif
