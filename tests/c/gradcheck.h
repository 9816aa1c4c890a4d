/* The cases of test_gradcheck.c: a table for each family of rows (gradcases_*.c), and what several
 * of them call. */
#ifndef NOMEN_TESTS_GRADCHECK_H
#define NOMEN_TESTS_GRADCHECK_H

#include "core/core.h"
#include "nomen/grad.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"

#include <string.h>

enum { MOST_INPUTS = 3, MOST_DIMS = 4 };
enum { REAL_ONLY = 1, NO_SECOND = 2, ONE_ZERO = 4, TWO_ZEROS = 8, NO_IN_PLACE = 16 };

typedef nomen_tensor *case_call(nomen_tensor *const in[]);

typedef struct grad_case {
    const char *op;
    case_call *call;                 /* NULL: the row on its operands, nothing else */
    const char *inputs[MOST_INPUTS]; /* "N=2 C=3", "2 3", "" for 0-d */
    double low, high;
    int flags;
} grad_case;

typedef struct grad_cases {
    const char *family, *file;
    const grad_case *at;
    size_t count;
} grad_cases;
extern const grad_cases gradcases_elementwise, gradcases_reduce, gradcases_product,
    gradcases_random, gradcases_select, gradcases_view, gradcases_compose;

/* A 1-d int64 tensor. */
static inline nomen_tensor *list_of(int64_t count, const int64_t *at) {
    nomen_tensor *t = nomen_zeros(NULL, (nomen_sizes){1, &count}, .dtype = NOMEN_I64);
    memcpy(nomen_data(t), at, sizeof *at * (size_t)count);
    return t;
}
#define LIST_OF(...) list_of(NOMEN_SIZES(__VA_ARGS__).count, NOMEN_SIZES(__VA_ARGS__).at)

#endif
