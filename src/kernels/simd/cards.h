/* Template: vectors shuffled like cards, each of their lanes of 16 bytes by itself. No include
 * guard; interleave.h includes it once per width. Wants FN, VEC, the type of vectors, and LOW and
 * HIGH, which put the elements of two by turns; takes them away again.
 *
 * Idea: a round takes the first bit of the number of a vector and puts it behind the bits of the
 * number of an element in its lane. After as many rounds as that has bits squares of 16 / size
 * vectors are turned over: vector k has element k of each. */

static inline __attribute__((always_inline)) void FN(VEC x[], const int count, const int64_t size) {
    VEC y[16];
#pragma GCC unroll 4
    for (int round = 0; round < 4; round++) {
        if (size << round >= 16) break;
#pragma GCC unroll 8
        for (int k = 0; k < count / 2; k++) {
            y[2 * k] = LOW(x[k], x[k + count / 2], size);
            y[2 * k + 1] = HIGH(x[k], x[k + count / 2], size);
        }
#pragma GCC unroll 16
        for (int k = 0; k < count; k++) x[k] = y[k];
    }
}

#undef VEC
#undef LOW
#undef HIGH
#undef FN
