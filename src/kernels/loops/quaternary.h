/* A loop over four inputs; no include guard, included once per kernel and dtype by floats.h,
 * ints.h and complexes.h. Wants FN, T (inputs in memory), OT (output in memory), V (in registers),
 * W (lanes), LD, ST, EXPR(x, a, b, c); with W > 1 also LDN, STN (first k elements) and SPLAT (first
 * element to all). Shapes: the last operand constant (a factor, as addcmul has it), the last two or
 * three, any of them, strided. */
#include "kernels/loops/ends.h"
#include "kernels/loops/twice.h"

/* Apart, with its blocks and calls: the short loops keep all they use in registers. */
static __attribute__((noinline)) void LOOP_NAME2(FN, strided)(char *const ptr[],
                                                              const int64_t step[], int64_t n) {
    const char *at[4] = {ptr[1], ptr[2], ptr[3], ptr[4]};
    char *o = ptr[0];
    T block[4][LOOP_BLOCK];
    OT result[LOOP_BLOCK];
    const T *p[4] = {NULL}; /* what is one number is so in all blocks */
    for (int64_t k; n > 0; n -= k, o += k * step[0]) {
        k = loop_part(n, LOOP_BLOCK, W);
        for (int i = 0; i < 4; i++) {
            if (step[i + 1] || !p[i])
                p[i] = loop_gather(block[i], at[i], step[i + 1], k, sizeof(T), W);
            at[i] += k * step[i + 1];
        }
        OT *const r = loop_target(result, o, step[0], k, sizeof(OT), W);
        SIMD_IVDEP
        for (int64_t j = 0; j < k; j += W)
            ST(r + j, EXPR(LD(p[0] + j), LD(p[1] + j), LD(p[2] + j), LD(p[3] + j)));
        loop_scatter(r, o, step[0], k, sizeof(OT));
    }
}

#if W > 1

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T), to = (int64_t)sizeof(OT), whole = n & ~(int64_t)(W - 1);
    const char *const at[4] = {ptr[1], ptr[2], ptr[3], ptr[4]};
    char *const o = ptr[0];
    int64_t i = 0;
    if (step[0] == to && step[1] == ti && !step[2] && !step[3] && !step[4] && n > 0) {
        LOOP_ONE(a, at[1]);
        LOOP_ONE(b, at[2]);
        LOOP_ONE(c, at[3]);
        const char *const p = at[0];
        LOOP_KEEP(x, p);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(LD(p + i * ti), a, b, c));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, p), a, b, c));
        return;
    }
    if (step[0] == to && step[1] == ti && step[2] == ti && step[3] == ti && !step[4] && n > 0) {
        LOOP_ONE(c, at[3]);
        const char *const p = at[0], *const q = at[1], *const r = at[2];
        LOOP_KEEP(x, p);
        LOOP_KEEP(a, q);
        LOOP_KEEP(b, r);
        LOOP_TWICE
        for (; i < whole; i += W)
            ST(o + i * to, EXPR(LD(p + i * ti), LD(q + i * ti), LD(r + i * ti), c));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, p), LOOP_LAST(a, q), LOOP_LAST(b, r), c));
        return;
    }
    if (step[0] == to && step[1] == ti && step[2] == ti && !step[3] && !step[4] && n > 0) {
        LOOP_ONE(b, at[2]);
        LOOP_ONE(c, at[3]);
        const char *const p = at[0], *const q = at[1];
        LOOP_KEEP(x, p);
        LOOP_KEEP(a, q);
        LOOP_TWICE
        for (; i < whole; i += W) ST(o + i * to, EXPR(LD(p + i * ti), LD(q + i * ti), b, c));
        if (i < n) LOOP_END(o, EXPR(LOOP_LAST(x, p), LOOP_LAST(a, q), b, c));
        return;
    }
    bool dense = step[0] == to && n > 0;
    for (int k = 1; k <= 4; k++) dense &= step[k] == ti || step[k] == 0;
    if (dense) { /* each a row or one number, the same throughout: branches cost next to nothing */
        const bool moves[] = {step[1] != 0, step[2] != 0, step[3] != 0, step[4] != 0};
        LOOP_ONE(one, at[0]);
        LOOP_ONE(two, at[1]);
        LOOP_ONE(three, at[2]);
        LOOP_ONE(four, at[3]);
        V x = one, a = two, b = three, c = four;
        for (; i < whole; i += W) {
            if (moves[0]) x = LD(at[0] + i * ti);
            if (moves[1]) a = LD(at[1] + i * ti);
            if (moves[2]) b = LD(at[2] + i * ti);
            if (moves[3]) c = LD(at[3] + i * ti);
            ST(o + i * to, EXPR(x, a, b, c));
        }
        n -= whole;
        if (n == 0) return;
        if (moves[0]) x = LDN(at[0] + i * ti, n);
        if (moves[1]) a = LDN(at[1] + i * ti, n);
        if (moves[2]) b = LDN(at[2] + i * ti, n);
        if (moves[3]) c = LDN(at[3] + i * ti, n);
        STN(o + i * to, EXPR(x, a, b, c), n);
        return;
    }
    LOOP_NAME2(FN, strided)(ptr, step, n);
}

#ifdef BY_LINES
#define INPUTS        4
#define LINES_EXPR(v) EXPR((v)[0], (v)[1], (v)[2], (v)[3])
#include "kernels/loops/lines.h"
#endif

#else

static void FN(char *const ptr[], const int64_t step[], int64_t n) {
    const int64_t ti = (int64_t)sizeof(T);
    if (step[0] == (int64_t)sizeof(OT) && step[1] == ti && step[2] == ti && step[3] == ti &&
        step[4] == 0 && n > 0) {
        const T *x = (const T *)ptr[1], *a = (const T *)ptr[2], *b = (const T *)ptr[3];
        OT *o = (OT *)ptr[0];
        const V c = LD(ptr[4]);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(o + i, EXPR(LD(x + i), LD(a + i), LD(b + i), c));
        return;
    }
    if (step[0] == (int64_t)sizeof(OT) && step[1] == ti && step[2] == ti && step[3] == 0 &&
        step[4] == 0 && n > 0) {
        const T *x = (const T *)ptr[1], *a = (const T *)ptr[2];
        OT *o = (OT *)ptr[0];
        const V b = LD(ptr[3]), c = LD(ptr[4]);
        SIMD_IVDEP
        LOOP_TWICE
        for (int64_t i = 0; i < n; i++) ST(o + i, EXPR(LD(x + i), LD(a + i), b, c));
        return;
    }
    LOOP_NAME2(FN, strided)(ptr, step, n);
}

#endif
