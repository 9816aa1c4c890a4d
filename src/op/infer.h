/* The name rules, as pure functions over name lists: no tensors, no allocation, no globals but the
 * name table. Each returns NOMEN_OK or records the error of ../docs/names.md and leaves its outputs
 * unspecified. */
#ifndef NOMEN_SRC_INFER_H
#define NOMEN_SRC_INFER_H

#include "core/core.h"

/* A name list read in place. at == NULL: n unnamed dims. */
typedef struct nomen__names {
    int n;
    const nomen_name *at;
} nomen__names;

/* A name list under construction. */
typedef struct nomen__namelist {
    int n;
    nomen_name at[NOMEN_MAX_DIMS];
} nomen__namelist;

static inline nomen__names nomen__names_of(const nomen_tensor *t) {
    return (nomen__names){t->ndim, t->flags & NOMEN__NAMED ? t->names : NULL};
}
static inline nomen_name nomen__names_at(nomen__names a, int i) { return a.at ? a.at[i] : 0; }

/* One item of a dim list or a name list as the user wrote it. */
typedef struct nomen__dimref {
    enum { NOMEN__DIM_INDEX, NOMEN__DIM_NAME, NOMEN__DIM_NONE, NOMEN__DIM_ELLIPSIS } kind;
    nomen_name name; /* NOMEN__DIM_NAME */
    int64_t index;   /* NOMEN__DIM_INDEX */
} nomen__dimref;

/* n < 0: not given at all. */
typedef struct nomen__dims {
    int n;
    const nomen__dimref *at;
} nomen__dims;

/* Text to items: "N C", "0 -1", "N ... C", "* C"; items separated by blanks. Writes at most
 * capacity items; too many, or an invalid name, is an error. */
nomen_status nomen__dims_parse(const char *text, nomen__dimref *items, int capacity, int *count);
/* The way back, for calls made of others: dims by place from the first, those in a set, and one, as
 * "0 2". Two digits and a blank each at most. */
enum { NOMEN__DIM_TEXT = 3 * NOMEN_MAX_DIMS };
const char *nomen__dims_text(const int *dims, int n, char text[NOMEN__DIM_TEXT]);
const char *nomen__dim_text(uint64_t mask, char text[NOMEN__DIM_TEXT]);
const char *nomen__one_dim(int dim, char text[NOMEN__DIM_TEXT]);

/* ---- dims to positions ----------------------------------------------------------------------- */
/* E25, E26, IndexError for integers: "Dimension out of range (expected to be in range of [-2, 1],
 * but got 5)" (0-d tensors accept 0 and -1). */
nomen_status nomen__dim_position(nomen__names own, const nomen__dimref *ref, int *position);
/* The dim of a tensor that has dims: "Dimension specified as 0 but tensor has no dimensions". */
nomen_status nomen__dim_of_some(nomen__names own, const nomen__dimref *ref, int *position);
/* The dim that select takes away: without dims a name is told before that there are none. */
nomen_status nomen__dim_selected(nomen__names own, const nomen__dimref *ref, int *position);
/* Two dims that may not be the same one: those of a diagonal. */
nomen_status nomen__dims_crossing(nomen__names own, const nomen__dimref *first,
                                  const nomen__dimref *second, int *i, int *j);
/* movedim: result dim k is own dim order[k]. order has room for NOMEN_MAX_DIMS. */
nomen_status nomen__dims_moved(nomen__names own, nomen__dims source, nomen__dims destination,
                               int *order);
/* A list, in order; repeated: "dim {i} appears multiple times in the list of dims". A list not
 * given (n < 0) is all dims. positions has room for NOMEN_MAX_DIMS. */
nomen_status nomen__dim_positions(nomen__names own, nomen__dims dims, int *positions,
                                  uint64_t *mask);
/* Where a new dim goes, 0..own.n: an index counts the new dim too, a name means in front of that
 * dim. */
nomen_status nomen__dim_place(nomen__names own, const nomen__dimref *ref, int *position);
/* The dims of a permutation: each once. order has room for own.n. */
nomen_status nomen__dim_order(nomen__names own, nomen__dims want, int *order);

/* ---- rules ----------------------------------------------------------------------------------- */
/* section 4.2: action is "broadcast" or "cat". */
nomen_status nomen__unify(nomen__names a, nomen__names b, const char *action,
                          nomen__namelist *result);
/* section 4.3: left fold over operands, empty lists neutral. */
nomen_status nomen__unify_all(const nomen__names *operands, int count, nomen__namelist *result);
void nomen__names_copy(nomen__names own, nomen__namelist *result);
/* keepdim false: own minus mask; true: own. */
void nomen__names_reduce(nomen__names own, uint64_t mask, bool keepdim, nomen__namelist *result);
/* section 10.1, with the whole result checked for duplicates (E29). Also mm, mv, bmm, dot. */
nomen_status nomen__names_matmul(nomen__names a, nomen__names b, nomen__namelist *result);
/* Strict contraction: an error if the two dims that are contracted have different names. */
nomen_status nomen__names_contracted(nomen__names a, nomen__names b, const char *op);
/* section 10.3: unify(matmul(m1, m2), bias) */
nomen_status nomen__names_addmm(nomen__names bias, nomen__names m1, nomen__names m2,
                                nomen__namelist *result);
/* The same of an outer product, and of products that are summed over their batch dim. */
nomen_status nomen__names_addr(nomen__names bias, nomen__names v1, nomen__names v2,
                               nomen__namelist *result);
nomen_status nomen__names_addbmm(nomen__names bias, nomen__names m1, nomen__names m2,
                                 nomen__namelist *result);
/* The first na of a, then the first nb of b; no name twice. */
nomen_status nomen__names_chain(const char *op, nomen__names a, int na, nomen__names b, int nb,
                                nomen__namelist *result);
nomen_status nomen__names_inner(nomen__names a, nomen__names b, bool strict,
                                nomen__namelist *result);
nomen_status nomen__names_search(nomen__names sequence, nomen__names values,
                                 nomen__namelist *result);
nomen_status nomen__names_distinct(const char *op, const nomen__namelist *result);
nomen_status nomen__names_cdist(nomen__names a, nomen__names b, nomen__namelist *result);
/* section 11; E34 and the zero-dim error included, for unnamed operands too: leave out the empty
 * 1-d ones that cat lets pass beforehand. */
nomen_status nomen__names_cat(const nomen__names *operands, int count, nomen__namelist *result);
/* section 12, with deviations section 2. */
nomen_status nomen__names_masked_fill(nomen__names self, nomen__names mask, const char *op,
                                      bool inplace, nomen__namelist *result);
nomen_status nomen__names_masked_select(nomen__names self, nomen__names mask,
                                        nomen__namelist *result);
/* section 5.2 rule 2 and 5.3: computed names against a tensor that has (or has not) names. E22. */
nomen_status nomen__names_match_out(nomen__names out, nomen__names computed);
/* section 5.2 rule 1: a named out= keeps its sizes (E23); from has out.n sizes. Comes before
 * nomen__names_match_out. */
nomen_status nomen__names_check_resize(nomen__names out, const int64_t *from, const int64_t *to,
                                       int to_n);
/* section 3.2 to 3.3: the whole list, one glob allowed (its error texts want fn: "rename",
 * "rename_"). */
nomen_status nomen__names_rename(nomen__names own, nomen__dims want, const char *fn,
                                 nomen__namelist *result);
/* rename(**map): count pairs old -> new (new 0 unnames). E10. */
nomen_status nomen__names_rename_map(nomen__names own, const nomen_name *old,
                                     const nomen_name *fresh, int count, const char *fn,
                                     nomen__namelist *result);
nomen_status nomen__names_refine(nomen__names own, nomen__dims want, nomen__namelist *result);
/* section 3.5: source[k] = own position of result dim k, -1 for a new dim of size 1. One glob
 * allowed. */
nomen_status nomen__names_align_to(nomen__names own, nomen__dims want, nomen__namelist *result,
                                   int *source);
/* Plain align_tensors for two or more lists: not exported as a function of tensors in this form;
 * see section 3.7. */
nomen_status nomen__names_align_tensors(nomen__names own, nomen__names target, int *source);
/* section 3.8: dims (names or integers, consecutive, ascending) become out (0: unnamed). first,
 * last: positions; a 0-d tensor gives first 0, last -1 (one new dim, none taken), in the range form
 * too. */
nomen_status nomen__names_flatten_list(nomen__names own, nomen__dims dims, nomen_name out,
                                       int *first, int *last, nomen__namelist *result);
/* start and end may be names or integers. "flatten() has invalid args: start_dim cannot come after
 * end_dim". */
nomen_status nomen__names_flatten_range(nomen__names own, const nomen__dimref *start,
                                        const nomen__dimref *end, nomen_name out, int *first,
                                        int *last, nomen__namelist *result);
/* section 3.9: dim at position becomes count dims with these names. */
nomen_status nomen__names_unflatten(nomen__names own, int position, const nomen_name *fresh,
                                    int count, nomen__namelist *result);
/* result dim k is own dim order[k]; order is a permutation */
void nomen__names_permute(nomen__names own, const int *order, nomen__namelist *result);
/* section 6.2: the second dim is looked up first. i, j: positions. */
nomen_status nomen__dims_transposed(nomen__names own, const nomen__dimref *first,
                                    const nomen__dimref *second, int *i, int *j);
nomen_status nomen__names_transpose(nomen__names own, const nomen__dimref *first,
                                    const nomen__dimref *second, int *i, int *j,
                                    nomen__namelist *result);
/* A new dim (name 0: unnamed) at position 0..own.n: unsqueeze, stack. */
nomen_status nomen__names_insert(nomen__names own, int position, nomen_name name,
                                 nomen__namelist *result);
/* leading dims of expand are unnamed */
nomen_status nomen__names_expand(nomen__names own, int ndim, nomen__namelist *result);
/* The same of repeat, which has words of its own for too few numbers. */
nomen_status nomen__names_repeat(nomen__names own, int64_t count, nomen__namelist *result);
/* Own names, then an unnamed dim. */
nomen_status nomen__names_append(nomen__names own, nomen__namelist *result);
/* One dim of all elements: a vector's is the one it has. */
void nomen__names_flat(nomen__names own, nomen__namelist *result);
/* Dims that stay whole under the new sizes keep their names. empty: there are no elements. */
void nomen__names_reshape(nomen__names own, const int64_t *from, int ndim, const int64_t *to,
                          bool empty, nomen__namelist *result);
nomen_status nomen__names_diag(nomen__names own, nomen__namelist *result);
/* Own names but the last, and two unnamed dims at i and j of the result. */
nomen_status nomen__names_diag_embed(nomen__names own, const nomen__dimref *first,
                                     const nomen__dimref *second, int *i, int *j,
                                     nomen__namelist *result);
/* hstack and its like (op: its NOMEN__OP_): dims of size 1 that a piece of ndim dims gets before it
 * is joined. */
void nomen__pile_dims(int op, int ndim, int *front, int *back);
/* The dims [first, first + count) become those of an index: with its names; a vector without a name
 * in the place of one dim is that dim still. */
nomen_status nomen__names_index(nomen__names own, int first, int count, nomen__names index,
                                nomen__namelist *result);
/* Duplicates, E3, E4 over a finished list. */
nomen_status nomen__names_validate(const nomen_name *names, int count, int ndim);

#endif
