/* Name inference without tensors: which names an operation would give its result, or why it would
 * refuse. */
#ifndef NOMEN_INFERENCE_H
#define NOMEN_INFERENCE_H

#include "nomen/error.h"
#include "nomen/export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A question. Lists of names are text: names separated by blanks, "*" for an unnamed dim, "" for no
 * dims. Lists of dims may hold integers too. Everything but op may be left out (zero).
 *
 *     const char *operands[] = {"N C", "C"};
 *     char names[256];
 *     nomen_infer_args args = {.op = "add", .operands = operands, .count = 2};
 *     if (nomen_infer(&args, names, sizeof names) == NOMEN_OK) puts(names);        // N C
 *     else puts(nomen_error_text());
 */
typedef struct nomen_infer_args {
    /* "add", "matmul", "sum"; with a "_" behind it in place: "add_" */
    const char *op;
    /* Names of the tensors, in the order of the operation's arguments; at most 64. Numbers are left
     * out or given as "". */
    const char *const *operands;
    int count;
    /* Dims to work on: reductions, squeeze, transpose ("H W"), permute, unflatten, flatten ("H W",
     * or a range "H ... -1"), movedim (from where, then to where), unsqueeze and stack (where the
     * new dim goes). For rename: the names to replace, one by one, by those in `names`. */
    const char *dim;
    /* Names wanted: rename (NULL drops all), refine_names, align_to, unflatten, zeros. */
    const char *names;
    /* Name of the one new dim: flatten, unsqueeze, stack, diagonal; NULL: unnamed. */
    const char *out_dim;
    bool keepdim;
    int ndim;        /* dims of the result, where no names say it: expand, as_strided, zeros; of
                      * unflatten those that the one becomes */
    const char *out; /* names of the tensor given as out= */
    /* Sizes of the first operand, for squeeze (NULL: all are 1) and reshape. */
    const int64_t *size;
    /* Sizes of out and of the result: with both, "a named out= is never resized" is checked too.
     * Those of the result for reshape, where ndim says how many there are. */
    const int64_t *out_size, *result_size;
    bool strict;          /* products refuse to contract two dims of different names */
    const char *equation; /* einsum */
} nomen_infer_args;

/* Writes the names of the result, in the form above, to result (room for size bytes); several
 * results are separated by "; ". A NULL result only asks whether the operation would do it. Errors
 * are those of the operation itself; besides, NOMEN_ERROR_VALUE if the operation is unknown or the
 * room is too small, and NOMEN_ERROR_TYPE if the number of operands or dims does not fit.
 * Example:
 *     const char *operands[] = {"N C", "C H"};
 *     char names[64];
 *     nomen_infer_args args = {.op = "matmul", .operands = operands, .count = 2};
 *     nomen_infer(&args, names, sizeof names) == NOMEN_OK && strcmp(names, "N H") == 0 */
NOMEN_API nomen_status nomen_infer(const nomen_infer_args *args, char *result, size_t size);

/* Strict contraction: from now on matrix products refuse, as NOMEN_ERROR_NAME, to contract two dims
 * that both have names, and different ones: N C @ K H. It is off by default, as PyTorch knows it,
 * and one setting for the process. Returns what it was.
 * Example:
 *     bool before = nomen_set_strict_contraction(true);
 *     nomen_strict_contraction()
 *     nomen_matmul(nomen_ones("N C", NOMEN_SIZES(2, 3)), nomen_ones("K", NOMEN_SIZES(3))) == NULL
 *     nomen_set_strict_contraction(before); */
NOMEN_API bool nomen_set_strict_contraction(bool strict);
NOMEN_API bool nomen_strict_contraction(void);

/* The rule that an operation follows, a word of ops/namerules.def such as "unify"; NULL if there is
 * no such operation.
 * Example:
 *     strcmp(nomen_infer_rule("add"), "unify") == 0 */
NOMEN_API const char *nomen_infer_rule(const char *op);
/* That rule in a sentence; NULL if there is no such rule.
 * Example:
 *     nomen_infer_rule_text("unify") != NULL && nomen_infer_rule_text("none such") == NULL */
NOMEN_API const char *nomen_infer_rule_text(const char *rule);

#ifdef __cplusplus
}
#endif
#endif
