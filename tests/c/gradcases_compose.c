/* Cases of gradients: rows without a formula, made of other rows. */
#include "gradcheck.h"

#include <math.h>

/* The product of all parts, which have one size: each gradient depends on all the others. */
static nomen_tensor *product_of(nomen_list parts, int64_t count) {
    if (parts.count != count) return NULL;
    nomen_tensor *product = parts.at[0];
    for (int64_t i = 1; i < count; i++) product = nomen_mul(product, parts.at[i]);
    return product;
}
static nomen_tensor *squared(nomen_tensor *t) { return nomen_mul(t, t); }

static nomen_tensor *align_two(nomen_tensor *const in[]) {
    return product_of(nomen_align_tensors(NOMEN_LIST(in[0], in[1])), 2);
}
static nomen_tensor *cdist_2(nomen_tensor *const in[]) { return nomen_cdist(in[0], in[1]); }
static nomen_tensor *cdist_p(nomen_tensor *const in[], double p) {
    return nomen_cdist(in[0], in[1], .p = nomen_num(p));
}
static nomen_tensor *cdist_1(nomen_tensor *const in[]) { return cdist_p(in, 1); }
static nomen_tensor *cdist_3(nomen_tensor *const in[]) { return cdist_p(in, 3); }
static nomen_tensor *cdist_most(nomen_tensor *const in[]) { return cdist_p(in, (double)INFINITY); }
static nomen_tensor *chunk_one(nomen_tensor *const in[]) {
    return product_of(nomen_chunk(in[0], 2, "B"), 2);
}
static nomen_tensor *contiguous_turned(nomen_tensor *const in[]) {
    return squared(nomen_contiguous(nomen_transpose(in[0], "A", "B")));
}
static nomen_tensor *split_sections(nomen_tensor *const in[]) {
    return product_of(nomen_tensor_split(in[0], nomen_num(2), "-1"), 2);
}
static nomen_tensor *split_at(nomen_tensor *const in[]) {
    return product_of(nomen_tensor_split(in[0], .dim = "B", .indices = NOMEN_SIZES(1, 2)), 3);
}
static nomen_tensor *hsplit_two(nomen_tensor *const in[]) {
    return product_of(nomen_hsplit(in[0], nomen_num(2)), 2);
}
static nomen_tensor *vsplit_two(nomen_tensor *const in[]) {
    return product_of(nomen_vsplit(in[0], .indices = NOMEN_SIZES(1)), 2);
}
static nomen_tensor *dsplit_two(nomen_tensor *const in[]) {
    return product_of(nomen_dsplit(in[0], nomen_num(2)), 2);
}
static nomen_tensor *hstack_three(nomen_tensor *const in[]) {
    return squared(nomen_hstack(NOMEN_LIST(in[0], in[1], in[0])));
}
static nomen_tensor *vstack_three(nomen_tensor *const in[]) {
    return squared(nomen_vstack(NOMEN_LIST(in[0], in[1], in[0])));
}
static nomen_tensor *dstack_three(nomen_tensor *const in[]) {
    return squared(nomen_dstack(NOMEN_LIST(in[0], in[1], in[0])));
}
static nomen_tensor *column_stack_two(nomen_tensor *const in[]) {
    return squared(nomen_column_stack(NOMEN_LIST(in[0], in[1])));
}
static nomen_tensor *with_nan(nomen_tensor *x) {
    nomen_tensor *gone = nomen_gt(nomen_detach(x), nomen_scalar(0.3));
    return nomen_where(gone, nomen_scalar((double)NAN), x);
}
static nomen_tensor *fmax_nan(nomen_tensor *const in[]) {
    return squared(nomen_fmax(with_nan(in[0]), in[1]));
}
static nomen_tensor *fmin_nan(nomen_tensor *const in[]) {
    return squared(nomen_fmin(in[0], with_nan(in[1])));
}
static nomen_tensor *msort_numbered(nomen_tensor *const in[]) {
    nomen_tensor *sorted = nomen_msort(in[0]);
    return nomen_mul(squared(sorted), nomen_cumsum(nomen_ones_like(sorted), "0"));
}
static nomen_tensor *narrow_copy(nomen_tensor *const in[]) {
    return squared(nomen_narrow_copy(in[0], "B", 1, 2));
}
static nomen_tensor *positive(nomen_tensor *const in[]) { return squared(nomen_positive(in[0])); }
static nomen_tensor *resolve_conj(nomen_tensor *const in[]) {
    return squared(nomen_resolve_conj(nomen_conj(in[0])));
}
static nomen_tensor *threshold(nomen_tensor *const in[]) {
    return squared(nomen_threshold(in[0], nomen_num(0.1), nomen_num(-3)));
}
static nomen_tensor *threshold_in_place(nomen_tensor *const in[]) {
    return squared(nomen_threshold_(nomen_clone(in[0]), nomen_num(0.1), nomen_num(-3)));
}
static nomen_tensor *tile_longer(nomen_tensor *const in[]) {
    return squared(nomen_tile(in[0], NOMEN_SIZES(2, 1, 3)));
}
static nomen_tensor *tile_shorter(nomen_tensor *const in[]) {
    return squared(nomen_tile(in[0], NOMEN_SIZES(2)));
}
static nomen_tensor *to_complex(nomen_tensor *const in[]) {
    return squared(nomen_to(in[0], NOMEN_C128));
}
static nomen_tensor *to_copy(nomen_tensor *const in[]) {
    return squared(nomen_to(in[0], NOMEN_F64, .copy = true));
}
static nomen_tensor *trace(nomen_tensor *const in[]) { return squared(nomen_trace(in[0])); }

static const grad_case cases[] = {
    {"align_tensors", align_two, {"A=2 B=3", "A=2"}, -1, 1, 0},
    {"cdist", cdist_1, {"N=2 D=3", "M=3 D=3"}, -1, 1, 0},
    {"cdist", cdist_2, {"N=2 D=3", "M=3 D=3"}, -1, 1, 0},
    {"cdist", cdist_3, {"N=2 D=3", "M=3 D=3"}, -1, 1, 0},
    {"cdist", cdist_most, {"2 2 3", "3 3"}, -1, 1, 0},
    {"distances", NULL, {"2 3", "3 3"}, -1, 1, 0},
    {"chunk", chunk_one, {"A=2 B=4"}, -1, 1, 0},
    {"column_stack", column_stack_two, {"3", "3 2"}, -1, 1, 0},
    {"contiguous", contiguous_turned, {"A=2 B=3"}, -1, 1, 0},
    {"dsplit", dsplit_two, {"A=2 B=1 C=4"}, -1, 1, 0},
    {"dstack", dstack_three, {"2 3", "2 3"}, -1, 1, 0},
    {"fmax", NULL, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"fmax", fmax_nan, {"N=2 C=3", "C=3"}, -1, 1, REAL_ONLY},
    {"fmin", NULL, {"N=2 C=3", "C=3"}, -1, 1, REAL_ONLY},
    {"fmin", fmin_nan, {"3", "2 3"}, -1, 1, REAL_ONLY},
    {"hsplit", hsplit_two, {"A=2 B=4"}, -1, 1, 0},
    {"hsplit", hsplit_two, {"A=4"}, -1, 1, 0},
    {"hstack", hstack_three, {"A=2 B=3", "A=2 B=1"}, -1, 1, 0},
    {"hstack", hstack_three, {"3", ""}, -1, 1, 0},
    {"msort", msort_numbered, {"A=4 B=2"}, -1, 1, REAL_ONLY},
    {"narrow_copy", narrow_copy, {"A=2 B=4"}, -1, 1, 0},
    {"positive", positive, {"A=2 B=3"}, -1, 1, 0},
    {"conj", NULL, {"A=2 B=3"}, -1, 1, 0},
    {"resolve_conj", resolve_conj, {"A=2 B=3"}, -1, 1, 0},
    {"tensor_split", split_sections, {"A=2 B=4"}, -1, 1, 0},
    {"tensor_split", split_at, {"A=2 B=3"}, -1, 1, 0},
    {"threshold", threshold, {"A=2 B=4"}, -1, 1, REAL_ONLY},
    {"threshold", threshold_in_place, {"A=2 B=4"}, -1, 1, REAL_ONLY},
    {"tile", tile_longer, {"A=2 B=2"}, -1, 1, 0},
    {"tile", tile_shorter, {"A=2 B=3"}, -1, 1, 0},
    {"to", to_complex, {"A=2 B=3"}, -1, 1, 0},
    {"to", to_copy, {"A=2 B=3"}, -1, 1, REAL_ONLY},
    {"trace", trace, {"A=2 B=3"}, -1, 1, 0},
    {"vsplit", vsplit_two, {"A=2 B=3"}, -1, 1, 0},
    {"vstack", vstack_three, {"A=2 B=3", "A=1 B=3"}, -1, 1, 0},
};
const grad_cases gradcases_compose = {"compose", "gradcases_compose.c", cases, NOMEN_COUNT(cases)};
