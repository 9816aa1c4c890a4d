/* Cases of gradients: views, moves and joins. */
#include "gradcheck.h"

static nomen_tensor *cast_complex(nomen_tensor *const in[]) {
    return nomen_cast(in[0], NOMEN_C128);
}
static nomen_tensor *to_cpu(nomen_tensor *const in[]) { return nomen_to_device(in[0], "cpu"); }
static nomen_tensor *cast_real(nomen_tensor *const in[]) { return nomen_cast(in[0], NOMEN_F64); }
static nomen_tensor *fill_clone(nomen_tensor *const in[]) {
    return nomen_fill_(nomen_clone(in[0]), in[1]);
}
static nomen_tensor *copy_clone(nomen_tensor *const in[]) {
    return nomen_copy_(nomen_clone(in[0]), in[1]);
}
static nomen_tensor *copy_mixed(nomen_tensor *const in[]) {
    return nomen_copy_(nomen_cast(in[0], NOMEN_C128), in[1]);
}
static nomen_tensor *zero_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_zero_(nomen_clone(in[0])), in[0]);
}
static nomen_tensor *movedim_two(nomen_tensor *const in[]) {
    return nomen_movedim(in[0], "C A", "A B");
}
static nomen_tensor *moveaxis_one(nomen_tensor *const in[]) {
    return nomen_moveaxis(in[0], "-1", "0");
}
static nomen_tensor *swapaxes_one(nomen_tensor *const in[]) {
    return nomen_swapaxes(in[0], "A", "C");
}
static nomen_tensor *swapdims_in_place(nomen_tensor *const in[]) {
    return nomen_swapdims_(nomen_clone(in[0]), "A", "B");
}
static nomen_tensor *diagonal_above(nomen_tensor *const in[]) {
    return nomen_diagonal(in[0], 1, "A", "B");
}
static nomen_tensor *diagonal_turned(nomen_tensor *const in[]) {
    return nomen_diagonal(in[0], 1, "C", "B");
}
static nomen_tensor *unfold_overlapping(nomen_tensor *const in[]) {
    return nomen_unfold(in[0], "B", 2, 1);
}
static nomen_tensor *as_strided_overlapping(nomen_tensor *const in[]) {
    return nomen_as_strided(nomen_mul(in[0], nomen_scalar(2)), NOMEN_SIZES(3, 2), NOMEN_SIZES(1, 1),
                            .storage_offset = nomen_num(1));
}
static nomen_tensor *view_of(nomen_tensor *const in[]) {
    return nomen_view(in[0], NOMEN_SIZES(2, -1));
}
static nomen_tensor *flip_two(nomen_tensor *const in[]) { return nomen_flip(in[0], "A -1"); }
static nomen_tensor *tril_below(nomen_tensor *const in[]) { return nomen_tril(in[0], -1); }
static nomen_tensor *triu_above(nomen_tensor *const in[]) {
    return nomen_triu_(nomen_clone(in[0]), 1);
}
static nomen_tensor *roll_two(nomen_tensor *const in[]) {
    return nomen_roll(in[0], NOMEN_SIZES(1, -2), "A B");
}
static nomen_tensor *diag_matrix(nomen_tensor *const in[]) { return nomen_diag(in[0], 1); }
static nomen_tensor *diag_embed_one(nomen_tensor *const in[]) {
    return nomen_diag_embed(in[0], -1, "0", "2");
}
static nomen_tensor *repeat_some(nomen_tensor *const in[]) {
    return nomen_repeat(in[0], NOMEN_SIZES(2, 3, 1));
}
static nomen_tensor *repeat_interleave_some(nomen_tensor *const in[]) {
    return nomen_repeat_interleave(in[0], LIST_OF(2, 0, 3), .dim = "B");
}
static nomen_tensor *rename_dims(nomen_tensor *const in[]) { return nomen_rename(in[0], "X ..."); }
static nomen_tensor *refine(nomen_tensor *const in[]) { return nomen_refine_names(in[0], "P Q"); }
static nomen_tensor *align_to(nomen_tensor *const in[]) {
    return nomen_align_to(in[0], "C X ... A");
}
static nomen_tensor *align_as(nomen_tensor *const in[]) {
    return nomen_align_as(in[0], nomen_detach(in[1]));
}
static nomen_tensor *transpose(nomen_tensor *const in[]) {
    return nomen_transpose(in[0], "A", "C");
}
static nomen_tensor *permute(nomen_tensor *const in[]) { return nomen_permute(in[0], "2 0 1"); }
static nomen_tensor *select(nomen_tensor *const in[]) { return nomen_select(in[0], "B", -1); }
static nomen_tensor *narrow(nomen_tensor *const in[]) { return nomen_narrow(in[0], "B", 1, 2); }
static nomen_tensor *slice(nomen_tensor *const in[]) {
    return nomen_slice(in[0], "B", .start = nomen_num(0), .end = nomen_num(3),
                       .step = nomen_num(2));
}
static nomen_tensor *slice_empty(nomen_tensor *const in[]) {
    return nomen_slice(in[0], "B", .start = nomen_num(3));
}
static nomen_tensor *squeeze(nomen_tensor *const in[]) { return nomen_squeeze(in[0]); }
static nomen_tensor *unsqueeze(nomen_tensor *const in[]) {
    return nomen_unsqueeze(in[0], "1", .name = "X");
}
static nomen_tensor *expand(nomen_tensor *const in[]) {
    return nomen_expand(in[0], NOMEN_SIZES(2, 3, 4));
}
static nomen_tensor *flatten(nomen_tensor *const in[]) { return nomen_flatten(in[0], "B C", "X"); }
static nomen_tensor *flatten_copied(nomen_tensor *const in[]) {
    return nomen_flatten(nomen_transpose(in[0], "B", "C"), "C B", "X");
}
static nomen_tensor *unflatten(nomen_tensor *const in[]) {
    return nomen_unflatten(in[0], "B", NOMEN_SIZES(2, 2), "X Y");
}
static nomen_tensor *reshape(nomen_tensor *const in[]) {
    return nomen_reshape(in[0], NOMEN_SIZES(3, -1));
}
static nomen_tensor *reshape_copied(nomen_tensor *const in[]) {
    return nomen_reshape(nomen_transpose(in[0], "0", "1"), NOMEN_SIZES(-1));
}
static nomen_tensor *cat_three(nomen_tensor *const in[]) {
    return nomen_cat(NOMEN_LIST(in[0], in[1], in[0]), "B");
}
static nomen_tensor *cat_empty(nomen_tensor *const in[]) {
    return nomen_cat(NOMEN_LIST(in[1], in[0]), "0");
}
static nomen_tensor *stack_two(nomen_tensor *const in[]) {
    return nomen_stack(NOMEN_LIST(in[0], in[1]), "1");
}
static nomen_tensor *split_up(nomen_tensor *const in[]) {
    nomen_list parts = nomen_split(in[0], nomen_num(2), "B");
    return parts.count == 2 ? nomen_mul(parts.at[0], nomen_sum(parts.at[1])) : NULL;
}
static nomen_tensor *unbind_up(nomen_tensor *const in[]) {
    nomen_list parts = nomen_unbind(in[0], "B");
    return parts.count == 3 ? nomen_mul(parts.at[0], parts.at[2]) : NULL;
}

static const grad_case cases[] = {
    {"align_as", align_as, {"A=2 C=3", "C=1 B=1 A=1"}, -1, 1, 0},
    {"align_to", align_to, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"cast", cast_complex, {"2 3"}, -1, 1, 0},
    {"cast", cast_real, {"2 3"}, -1, 1, 0},
    {"to_device", to_cpu, {"N=2 C=3"}, -1, 1, 0},
    {"cat", cat_three, {"A=2 B=3", "A=2 B=1"}, -1, 1, 0},
    {"cat", cat_empty, {"2 3", "0"}, -1, 1, 0},
    {"clone", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"copy", copy_clone, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"copy", copy_mixed, {"2 3", "3"}, -1, 1, 0},
    {"diag", diag_matrix, {"N=3"}, -1, 1, 0},
    {"diag", diag_matrix, {"A=2 B=3"}, -1, 1, 0},
    {"diag_embed", diag_embed_one, {"A=2 B=3"}, -1, 1, 0},
    {"diagonal", diagonal_above, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"diagonal", diagonal_turned, {"A=2 B=3 C=4"}, -1, 1, 0},
    {"expand", expand, {"3 1"}, -1, 1, 0},
    {"fill", fill_clone, {"N=2 C=3", ""}, -1, 1, 0},
    {"flatten", flatten, {"A=2 B=2 C=3"}, -1, 1, 0},
    {"flatten", flatten_copied, {"A=2 B=2 C=3"}, -1, 1, 0},
    {"flip", flip_two, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"fliplr", NULL, {"A=2 B=3"}, -1, 1, 0},
    {"flipud", NULL, {"A=2 B=3"}, -1, 1, 0},
    {"moveaxis", moveaxis_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"movedim", movedim_two, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"narrow", narrow, {"A=2 B=4 C=2"}, -1, 1, 0},
    {"permute", permute, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"refine_names", refine, {"2 3"}, -1, 1, 0},
    {"rename", rename_dims, {"A=2 B=3"}, -1, 1, 0},
    {"repeat", repeat_some, {"A=2 B=3"}, -1, 1, 0},
    {"repeat_interleave", repeat_interleave_some, {"A=2 B=3"}, -1, 1, 0},
    {"reshape", reshape, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"reshape", reshape_copied, {"2 3"}, -1, 1, 0},
    {"roll", roll_two, {"A=2 B=3"}, -1, 1, 0},
    {"select", select, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"slice", slice, {"A=2 B=4 C=2"}, -1, 1, 0},
    {"slice", slice_empty, {"A=2 B=3"}, -1, 1, 0},
    {"split", split_up, {"A=2 B=3"}, -1, 1, 0},
    {"squeeze", squeeze, {"A=1 B=3 C=1"}, -1, 1, 0},
    {"stack", stack_two, {"A=2 B=3", "A=2 B=3"}, -1, 1, 0},
    {"swapaxes", swapaxes_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"swapdims", swapdims_in_place, {"A=2 B=3"}, -1, 1, 0},
    {"transpose", transpose, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"tril", tril_below, {"A=2 B=3 C=3"}, -1, 1, 0},
    {"tril", NULL, {"A=3 B=2"}, -1, 1, 0},
    {"triu", triu_above, {"A=2 B=3 C=3"}, -1, 1, 0},
    {"unbind", unbind_up, {"A=2 B=3"}, -1, 1, 0},
    {"unflatten", unflatten, {"A=2 B=4"}, -1, 1, 0},
    {"unfold", unfold_overlapping, {"A=2 B=4 C=2"}, -1, 1, 0},
    {"unsqueeze", unsqueeze, {"A=2 B=3"}, -1, 1, 0},
    {"as_strided", as_strided_overlapping, {"A=2 B=3"}, -1, 1, 0},
    {"view", view_of, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"zero", zero_clone, {"N=2 C=3"}, -1, 1, 0},
};
const grad_cases gradcases_view = {"view", "gradcases_view.c", cases, NOMEN_COUNT(cases)};
