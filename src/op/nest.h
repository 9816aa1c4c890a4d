/* Dims over which a launch repeats what it does to one line, row or matrix: a loop nest, with the
 * way from one index to the next in each of up to three tensors. Only for the launch_*.c files. */
#ifndef NOMEN_SRC_NEST_H
#define NOMEN_SRC_NEST_H

#include "op/op.h"

#include <stdlib.h>
#include <string.h>

enum { NOMEN__SIDES = 3 };

typedef struct nomen__nest {
    int ndim; /* the nearest one first */
    int64_t size[NOMEN_MAX_DIMS];
    int64_t step[NOMEN_MAX_DIMS][NOMEN__SIDES]; /* bytes; 0 of a side that there is not */
} nomen__nest;

/* Is dim `far` what comes where dim `near` ends, on all sides? */
static inline bool nomen__nest_goes_on(const nomen__nest *n, int near, int far) {
    const int64_t *const here = n->step[near], *const there = n->step[far], size = n->size[near];
    return (there[0] == here[0] * size) & (there[1] == here[1] * size) &
           (there[2] == here[2] * size);
}

/* The dim whose steps stand behind those of the others: one more, unless the last one goes on in
 * it. */
static inline void nomen__nest_add(nomen__nest *n, int64_t size) {
    const int last = n->ndim - 1;
    if (last >= 0 && nomen__nest_goes_on(n, last, n->ndim))
        n->size[last] *= size;
    else
        n->size[n->ndim++] = size;
}

/* A dim goes elsewhere; gives back its size. It stays where it is with size 1, as do its steps:
 * what was just stored one by one is not to be copied, since that would wait for the stores. */
static inline int64_t nomen__nest_take(nomen__nest *n, int d) {
    const int64_t size = n->size[d];
    n->size[d] = 1;
    return size;
}

static inline void nomen__nest_copy(nomen__nest *n, int to, int from) {
    n->size[to] = n->size[from];
#pragma GCC unroll 3
    for (int k = 0; k < NOMEN__SIDES; k++) n->step[to][k] = n->step[from][k];
}

static inline int nomen__nest_longest(const nomen__nest *n) {
    int longest = 0;
    for (int d = 1; d < n->ndim; d++)
        if (n->size[d] > n->size[longest]) longest = d;
    return longest;
}

/* Dim d comes before all others, which keep their order. */
static inline void nomen__nest_move_first(nomen__nest *n, int d) {
    const int64_t size = n->size[d];
    int64_t step[NOMEN__SIDES];
    memcpy(step, n->step[d], sizeof step);
    for (; d > 0; d--) nomen__nest_copy(n, d, d - 1);
    n->size[0] = size;
    memcpy(n->step[0], step, sizeof step);
}

static inline int64_t nomen__nest_count(const nomen__nest *n) {
    return nomen__numel_of(n->size, n->ndim);
}

/* How far from the first index the one of this number is. */
static inline void nomen__nest_find(const nomen__nest *n, int64_t number,
                                    int64_t at[NOMEN__SIDES]) {
    for (int k = 0; k < NOMEN__SIDES; k++) at[k] = 0;
    for (int d = 0; number && d < n->ndim; d++) {
        if (n->size[d] == 1) continue; /* a division takes as long as ten comparisons */
        const int64_t index = number % n->size[d];
        number /= n->size[d];
#pragma GCC unroll 3
        for (int k = 0; k < NOMEN__SIDES; k++) at[k] += index * n->step[d][k];
    }
}

/* Where number `begin` is, and how many up to `end` follow it along the nearest dim. */
static inline int64_t nomen__nest_run(const nomen__nest *n, int64_t begin, int64_t end,
                                      int64_t at[NOMEN__SIDES]) {
    const int64_t left = n->size[0] - begin % n->size[0];
    nomen__nest_find(n, begin, at);
    return left < end - begin ? left : end - begin;
}

/* The dims of t by their steps, the nearest one first. */
static inline void nomen__nest_order(const nomen_tensor *t, int *order) {
    for (int k = 0; k < t->ndim; k++) {
        const int d = t->ndim - 1 - k;
        int at = k;
        for (; at && llabs(t->stride[d]) < llabs(t->stride[order[at - 1]]) && t->size[d] > 1; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
}

/* Bytes from one index of batch dim d to the next, d counted from the last one of those before the
 * matrices of t. */
static inline int64_t nomen__batch_step(const nomen_tensor *t, int d) {
    const int own = t->ndim - 3 - d;
    return own < 0 || t->size[own] == 1 ? 0 : t->stride[own] * nomen__item(t->dtype);
}

#endif
