/* A loop over three inputs; no include guard, included once per kernel and dtype by floats.h,
 * ints.h and complexes.h. Wants FN, T (inputs in memory), OT (output in memory), V (in registers),
 * W (lanes), LD, ST, EXPR(x, y, z); with W > 1 also LDN, STN (first k elements) and SPLAT (first
 * element to all). AS_IN_MEMORY: V holds elements of T, which OT is, bit by bit. Shapes:
 * contiguous, the last one or two operands constant or the second one, any of them, strided. */
#include "kernels/loops/ends.h"
#include "kernels/loops/far.h"
#include "kernels/loops/twice.h"

/* Apart, with its blocks and calls: the short loops keep all they use in registers. */
static __attribute__((noinline)) void LOOP_NAME2(FN, strided)(char *const ptr[],
                                                              const int64_t step[], int64_t n) {
    const char *a = ptr[1], *b = ptr[2], *c = ptr[3];
    char *o = ptr[0];
#if W > 1
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT);
    bool dense = step[0] == to && n > 0;
    for (int i = 1; i <= 3; i++) dense &= step[i] == ti || step[i] == 0;
    if (dense) { /* each a row or one number, the same throughout: branches cost next to nothing */
        const int64_t whole = n & ~(int64_t)(W - 1);
        const bool moves[] = {step[1] != 0, step[2] != 0, step[3] != 0};
        LOOP_ONE(first, a);
        LOOP_ONE(second, b);
        LOOP_ONE(third, c);
        V x = first, y = second, z = third;
        int64_t i = 0;
        for (; i < whole; i += W) {
            if (moves[0]) x = LD(a + i * ti);
            if (moves[1]) y = LD(b + i * ti);
            if (moves[2]) z = LD(c + i * ti);
            ST(o + i * to, EXPR(x, y, z));
        }
        n -= whole;
        if (n == 0) return;
        if (moves[0]) x = LDN(a + i * ti, n);
        if (moves[1]) y = LDN(b + i * ti, n);
        if (moves[2]) z = LDN(c + i * ti, n);
        STN(o + i * to, EXPR(x, y, z), n);
        return;
    }
#ifdef AS_IN_MEMORY
    if (step[0] != to && n >= W) {
        const int64_t sa = step[1], sb = step[2], sc = step[3], so = step[0];
        LOOP_ONE(first, a);
        LOOP_ONE(second, b);
        LOOP_ONE(third, c);
        for (; n >= W; n -= W, a += W * sa, b += W * sb, c += W * sc, o += W * so) {
            const V x = LOOP_FAR_IN(first, a, sa, n > W), y = LOOP_FAR_IN(second, b, sb, n > W);
            const V z = LOOP_FAR_IN(third, c, sc, n > W);
            LOOP_FAR_OUT(o, so, EXPR(x, y, z));
        }
    }
#endif
#else
    if (sizeof(T) >= 8 && step[0] != (int64_t)sizeof(OT)) {
        const int64_t sa = step[1], sb = step[2], sc = step[3], so = step[0];
        for (int64_t i = 0; i < n; i++) {
            ST(o + i * so, EXPR(LD(a + i * sa), LD(b + i * sb), LD(c + i * sc)));
            __asm__ volatile(""); /* see binary.h */
        }
        return;
    }
#endif
    T x[LOOP_BLOCK], y[LOOP_BLOCK], z[LOOP_BLOCK];
    OT result[LOOP_BLOCK];
    const T *px = NULL, *py = NULL, *pz = NULL; /* what is one number is so in all blocks */
    for (int64_t k; n > 0;
         n -= k, a += k * step[1], b += k * step[2], c += k * step[3], o += k * step[0]) {
        k = loop_part(n, LOOP_BLOCK, W);
        if (step[1] || !px) px = loop_gather(x, a, step[1], k, sizeof(T), W);
        if (step[2] || !py) py = loop_gather(y, b, step[2], k, sizeof(T), W);
        if (step[3] || !pz) pz = loop_gather(z, c, step[3], k, sizeof(T), W);
        OT *const r = loop_target(result, o, step[0], k, sizeof(OT), W);
        SIMD_IVDEP
        for (int64_t j = 0; j < k; j += W) ST(r + j, EXPR(LD(px + j), LD(py + j), LD(pz + j)));
        loop_scatter(r, o, step[0], k, sizeof(OT));
    }
}

#if W > 1

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT), whole = n & ~(int64_t)(W - 1);
    const char *const a = ptr[1], *const b = ptr[2], *const c = ptr[3];
    char *const o = ptr[0];
    int64_t i = 0;
    if (step[0] == to && step[1] == ti && step[2] == ti && step[3] == ti) {
        LOOP_KEEP(x, a);
        LOOP_KEEP(y, b);
        LOOP_KEEP(z, c);
        LOOP_TWICE
        for (; i < whole; i += W)
            ST(o + i * to, EXPR(LD(a + i * ti), LD(b + i * ti), LD(c + i * ti)));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, a), LOOP_LAST(y, b), LOOP_LAST(z, c)));
        return;
    }
    if (step[0] == to && step[1] == ti && step[2] == ti && step[3] == 0 && n > 0) {
        LOOP_ONE(z, c);
        LOOP_KEEP(x, a);
        LOOP_KEEP(y, b);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(LD(a + i * ti), LD(b + i * ti), z));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, a), LOOP_LAST(y, b), z));
        return;
    }
    if (step[0] == to && step[1] == ti && step[2] == 0 && step[3] == 0 && n > 0) {
        LOOP_ONE(y, b);
        LOOP_ONE(z, c);
        LOOP_KEEP(x, a);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(LD(a + i * ti), y, z));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, a), y, z));
        return;
    }
    LOOP_NAME2(FN, strided)(ptr, step, n);
}

#ifdef BY_LINES
#define INPUTS        3
#define LINES_EXPR(v) EXPR((v)[0], (v)[1], (v)[2])
#include "kernels/loops/lines.h"
#endif

#else

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), sa = step[1], sb = step[2], sc = step[3], so = step[0];
    const char *a = ptr[1], *b = ptr[2], *c = ptr[3];
    char *o = ptr[0];
    const int contiguous = so == (int64_t)sizeof(OT) && sa == ti;
    const T *ca = (const T *)a, *cb = (const T *)b, *cc = (const T *)c;
    OT *co = (OT *)o;
    if (contiguous && sb == ti && sc == ti) {
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i), LD(cb + i), LD(cc + i)));
    } else if (contiguous && sb == ti && sc == 0 && n > 0) {
        const V z = LD(c);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i), LD(cb + i), z));
    } else if (contiguous && sb == 0 && sc == ti && n > 0) {
        const V y = LD(b);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i), y, LD(cc + i)));
    } else if (contiguous && sb == 0 && sc == 0 && n > 0) {
        const V y = LD(b), z = LD(c);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(co + i, EXPR(LD(ca + i), y, z));
    } else {
        LOOP_NAME2(FN, strided)(ptr, step, n);
    }
}

#endif
