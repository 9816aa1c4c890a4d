/* Cases of gradients: masks and indices. */
#include "gradcheck.h"

static nomen_tensor *large(nomen_tensor *t, double bound) {
    return nomen_gt(nomen_abs(nomen_detach(t)), nomen_scalar(bound));
}
/* The last input is only looked at. */
static nomen_tensor *masked_fill_one(nomen_tensor *const in[]) {
    return nomen_masked_fill(in[0], large(in[2], 0.6), in[1]);
}
static nomen_tensor *masked_fill_in_place(nomen_tensor *const in[]) {
    return nomen_masked_fill_(nomen_clone(in[0]), large(in[2], 0.6), in[1]);
}
static nomen_tensor *masked_fill_view(nomen_tensor *const in[]) {
    nomen_tensor *whole = nomen_clone(in[0]);
    nomen_masked_fill_(nomen_select(whole, "0", 1), large(in[2], 0.6), in[1]);
    return whole;
}
static nomen_tensor *masked_select_one(nomen_tensor *const in[]) {
    return nomen_masked_select(in[0], large(in[1], 0.6));
}
static nomen_tensor *masked_scatter_one(nomen_tensor *const in[]) {
    return nomen_masked_scatter(in[0], large(in[2], 0.6), in[1]);
}
static nomen_tensor *index_select_one(nomen_tensor *const in[]) {
    return nomen_index_select(in[0], "B", LIST_OF(2, 0, 2));
}
static nomen_tensor *index_fill_one(nomen_tensor *const in[]) {
    return nomen_index_fill(in[0], "B", LIST_OF(2, -1, 0), in[1]);
}
static nomen_tensor *index_add_one(nomen_tensor *const in[]) {
    return nomen_index_add(in[0], "B", LIST_OF(2, 2, 0, 2), in[1], .alpha = nomen_num(1.5));
}
static nomen_tensor *index_copy_one(nomen_tensor *const in[]) {
    return nomen_index_copy_(nomen_clone(in[0]), "B", LIST_OF(2, 0), in[1]);
}
static nomen_tensor *square_of(nomen_tensor *list) {
    return nomen_reshape(list, NOMEN_SIZES(2, -1));
}
static nomen_tensor *gather_one(nomen_tensor *const in[]) {
    return nomen_gather(in[0], "1", square_of(LIST_OF(2, 0, 2, 1)));
}
static nomen_tensor *scatter_one(nomen_tensor *const in[]) {
    return nomen_scatter(in[0], "1", square_of(LIST_OF(2, 0, 1, 2)), in[1]);
}
static nomen_tensor *scatter_number(nomen_tensor *const in[]) {
    return nomen_scatter_(nomen_clone(in[0]), "1", square_of(LIST_OF(2, 0, 1, 2)), nomen_scalar(3));
}
static nomen_tensor *scatter_adding(nomen_tensor *const in[]) {
    return nomen_scatter(in[0], "1", square_of(LIST_OF(2, 2, 1, 2)), in[1], .reduce = "add");
}
static nomen_tensor *scatter_add_one(nomen_tensor *const in[]) {
    return nomen_scatter_add(in[0], "1", square_of(LIST_OF(2, 2, 1, 2)), in[1]);
}
static nomen_tensor *scatter_reduced(nomen_tensor *const in[], const char *reduce, bool exclude) {
    return nomen_scatter_reduce(in[0], "1", square_of(LIST_OF(2, 2, 1, 2)), in[1], reduce,
                                .exclude_self = exclude);
}
static nomen_tensor *scatter_sum(nomen_tensor *const in[]) {
    return scatter_reduced(in, "sum", true);
}
static nomen_tensor *scatter_mean(nomen_tensor *const in[]) {
    return scatter_reduced(in, "mean", false);
}
static nomen_tensor *scatter_prod(nomen_tensor *const in[]) {
    return scatter_reduced(in, "prod", false);
}
static nomen_tensor *scatter_others_prod(nomen_tensor *const in[]) {
    return scatter_reduced(in, "prod", true);
}
static nomen_tensor *scatter_amax(nomen_tensor *const in[]) {
    return scatter_reduced(in, "amax", false);
}
static nomen_tensor *scatter_amin(nomen_tensor *const in[]) {
    return scatter_reduced(in, "amin", true);
}
static nomen_tensor *scatter_multiplying(nomen_tensor *const in[]) {
    return nomen_scatter(in[0], "1", square_of(LIST_OF(2, 2, 1, 2)), in[1], .reduce = "multiply");
}
static nomen_tensor *quantile_one(nomen_tensor *const in[]) {
    return nomen_quantile(in[0], nomen_scalar(0.3), .dim = "B");
}
static nomen_tensor *nanquantile_one(nomen_tensor *const in[]) {
    return nomen_nanquantile(in[0], nomen_scalar(0.7), .dim = "0");
}
static nomen_tensor *bincount_one(nomen_tensor *const in[]) {
    return nomen_bincount(LIST_OF(2, 0, 2, 1), .weights = in[0]);
}
static nomen_tensor *unique_values(nomen_tensor *const in[]) { return nomen_unique(in[0]).at[0]; }
static nomen_tensor *unique_runs(nomen_tensor *const in[]) {
    return nomen_unique_consecutive(in[0], .dim = "B").at[0];
}
static nomen_tensor *take_one(nomen_tensor *const in[]) {
    return nomen_take(in[0], square_of(LIST_OF(5, 0, -1, 2)));
}
static nomen_tensor *put_one(nomen_tensor *const in[]) {
    return nomen_put(in[0], square_of(LIST_OF(5, 0, -2, 2)), in[1]);
}
static nomen_tensor *put_adding(nomen_tensor *const in[]) {
    return nomen_put_(nomen_clone(in[0]), LIST_OF(5, 0, -1, 2), in[1], .accumulate = true);
}
static nomen_tensor *take_dims_one(nomen_tensor *const in[]) {
    return nomen_take_dims(in[0], square_of(LIST_OF(5, 0, -1, 2)), 1, 2);
}
static nomen_tensor *put_dims_one(nomen_tensor *const in[]) {
    return nomen_put_dims_(nomen_clone(in[0]), LIST_OF(5, 0), in[1], 1, 2);
}
static nomen_tensor *index_apart(nomen_tensor *const in[]) {
    return nomen_index(in[0], NOMEN_LIST(LIST_OF(1, 0), NULL, LIST_OF(1, -1)));
}
static nomen_tensor *index_masked(nomen_tensor *const in[]) {
    return nomen_index(in[0], NOMEN_LIST(large(in[1], 0.6)));
}
static nomen_tensor *index_put_apart(nomen_tensor *const in[]) {
    return nomen_index_put(in[0], NOMEN_LIST(LIST_OF(1, 0), NULL, LIST_OF(1, -1)), in[1]);
}
static nomen_tensor *index_put_adding(nomen_tensor *const in[]) {
    nomen_tensor *whole = nomen_clone(in[0]);
    nomen_index_put_(nomen_select(whole, "A", 1), NOMEN_LIST(LIST_OF(1, 0, 1)), in[1],
                     .accumulate = true);
    return whole;
}
static nomen_tensor *take_along_dim_one(nomen_tensor *const in[]) {
    return nomen_take_along_dim(in[0], nomen_reshape(LIST_OF(2, 0), NOMEN_SIZES(1, 2)), "1");
}

static const grad_case cases[] = {
    {"gather", gather_one, {"A=2 B=3"}, -1, 1, 0},
    {"index", index_apart, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"index", index_masked, {"A=2 B=3 C=2", "A=2 B=3"}, -1, 1, 0},
    {"index_add", index_add_one, {"A=2 B=3 C=2", "A=2 B=4 C=2"}, -1, 1, 0},
    {"index_copy", index_copy_one, {"A=2 B=3 C=2", "A=2 B=2 C=2"}, -1, 1, 0},
    {"index_fill", index_fill_one, {"A=2 B=3 C=2", ""}, -1, 1, 0},
    {"index_put", index_put_apart, {"A=2 B=3 C=2", "2 3"}, -1, 1, 0},
    {"index_put", index_put_adding, {"A=2 B=3 C=2", "3 1"}, -1, 1, 0},
    {"index_select", index_select_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"masked_fill", masked_fill_one, {"N=2 C=3", "", "N=2 C=3"}, -1, 1, 0},
    {"masked_fill", masked_fill_in_place, {"N=2 C=3", "", "C=3"}, -1, 1, 0},
    {"masked_fill", masked_fill_view, {"2 3", "", "3"}, -1, 1, 0},
    {"masked_fill", masked_fill_one, {"3", "", "2 3"}, -1, 1, 0},
    {"masked_scatter", masked_scatter_one, {"N=2 C=3", "7", "C=3"}, -1, 1, 0},
    {"masked_select", masked_select_one, {"N=2 C=3", "N=2 C=3"}, -1, 1, 0},
    {"masked_select", masked_select_one, {"2 1", "3"}, -1, 1, 0},
    {"put", put_one, {"A=2 B=3", "4"}, -1, 1, 0},
    {"put", put_adding, {"A=2 B=3", "2 2"}, -1, 1, 0},
    {"put_dims", put_dims_one, {"A=2 B=3 C=2", "2"}, -1, 1, 0},
    {"scatter", scatter_one, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter", scatter_one, {"A=2 B=3", "3 4"}, -1, 1, 0},
    {"scatter", scatter_number, {"A=2 B=3"}, -1, 1, 0},
    {"scatter", scatter_adding, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter_add", scatter_add_one, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter", scatter_multiplying, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter_reduce", scatter_sum, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter_reduce", scatter_mean, {"A=2 B=3", "3 4"}, -1, 1, 0},
    {"scatter_reduce", scatter_prod, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter_reduce", scatter_others_prod, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter_reduce", scatter_amax, {"A=2 B=3", "A=2 B=2"}, -1, 1, REAL_ONLY},
    {"scatter_reduce", scatter_amin, {"A=2 B=3", "A=2 B=2"}, -1, 1, REAL_ONLY},
    {"quantile", quantile_one, {"A=2 B=3"}, -1, 1, REAL_ONLY},
    {"nanquantile", nanquantile_one, {"4"}, -1, 1, REAL_ONLY},
    {"bincount", bincount_one, {"4"}, -1, 1, 0},
    {"unique", unique_values, {"A=2 B=3"}, -1, 1, REAL_ONLY},
    {"unique_consecutive", unique_runs, {"A=2 B=3"}, -1, 1, 0},
    {"take", take_one, {"A=2 B=3"}, -1, 1, 0},
    {"take_along_dim", take_along_dim_one, {"A=2 B=3"}, -1, 1, 0},
    {"take_dims", take_dims_one, {"A=2 B=3 C=2"}, -1, 1, 0},
};
const grad_cases gradcases_select = {"select", "gradcases_select.c", cases, NOMEN_COUNT(cases)};
