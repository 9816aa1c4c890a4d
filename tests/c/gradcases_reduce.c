/* Cases of gradients: reductions, scans and order. */
#include "gradcheck.h"

#include <math.h>

static nomen_tensor *sum_one(nomen_tensor *const in[]) { return nomen_sum(in[0], "B"); }
static nomen_tensor *sum_two(nomen_tensor *const in[]) { return nomen_sum(in[0], "A C"); }
static nomen_tensor *sum_keep(nomen_tensor *const in[]) {
    return nomen_sum(in[0], "0 -1", .keepdim = true);
}
static nomen_tensor *sum_complex(nomen_tensor *const in[]) {
    return nomen_sum(in[0], .dtype = NOMEN_C128);
}
static nomen_tensor *mean_one(nomen_tensor *const in[]) { return nomen_mean(in[0], "B"); }
static nomen_tensor *mean_keep(nomen_tensor *const in[]) {
    return nomen_mean(in[0], "0 2", .keepdim = true);
}
static nomen_tensor *prod_one(nomen_tensor *const in[]) { return nomen_prod(in[0], "B"); }
static nomen_tensor *prod_two(nomen_tensor *const in[]) {
    return nomen_prod(in[0], "A C", .keepdim = true);
}
static nomen_tensor *var_one(nomen_tensor *const in[]) { return nomen_var(in[0], "B"); }
static nomen_tensor *var_keep(nomen_tensor *const in[]) {
    return nomen_var(in[0], "0 2", .keepdim = true, .correction = nomen_num(0));
}
static nomen_tensor *std_one(nomen_tensor *const in[]) { return nomen_std(in[0], "B"); }
static nomen_tensor *std_keep(nomen_tensor *const in[]) {
    return nomen_std(in[0], "0 2", .keepdim = true, .correction = nomen_num(0.5));
}
static nomen_tensor *max_one(nomen_tensor *const in[]) { return nomen_max(in[0], "B"); }
static nomen_tensor *max_keep(nomen_tensor *const in[]) {
    return nomen_max(in[0], "-1", .keepdim = true);
}
static nomen_tensor *min_one(nomen_tensor *const in[]) { return nomen_min(in[0], "B"); }
static nomen_tensor *min_keep(nomen_tensor *const in[]) {
    return nomen_min(in[0], "0", .keepdim = true);
}
/* Results along dim 1 with weights of their own: a wrong order shows. */
static nomen_tensor *numbered(nomen_tensor *t) {
    return nomen_mul(t, nomen_cumsum(nomen_ones_like(t), "1"));
}
static nomen_tensor *sort_one(nomen_tensor *const in[]) { return numbered(nomen_sort(in[0], "B")); }
static nomen_tensor *sort_down(nomen_tensor *const in[]) {
    return numbered(nomen_sort(in[0], .descending = true));
}
static nomen_tensor *topk_one(nomen_tensor *const in[]) {
    return numbered(nomen_topk(in[0], 2, "B"));
}
static nomen_tensor *topk_smallest(nomen_tensor *const in[]) {
    return numbered(nomen_topk(in[0], 2, .smallest = true));
}
static nomen_tensor *kthvalue_one(nomen_tensor *const in[]) {
    return nomen_kthvalue(in[0], 2, "B");
}
static nomen_tensor *median_one(nomen_tensor *const in[]) { return nomen_median(in[0], "B"); }
static nomen_tensor *median_keep(nomen_tensor *const in[]) {
    return nomen_nanmedian(in[0], "0", .keepdim = true);
}
static nomen_tensor *mode_one(nomen_tensor *const in[]) { return nomen_mode(in[0], "B"); }
static nomen_tensor *lse_one(nomen_tensor *const in[]) { return nomen_logsumexp(in[0], "B"); }
static nomen_tensor *lse_keep(nomen_tensor *const in[]) {
    return nomen_logsumexp(in[0], "0 2", .keepdim = true);
}
static nomen_tensor *second_of(nomen_tensor *first, nomen_tensor *second, bool sum) {
    return sum ? nomen_add(first, nomen_mul(second, second)) : second;
}
static nomen_tensor *var_mean_second(nomen_tensor *const in[]) {
    nomen_tensor *mean = NULL, *var = nomen_var_mean(in[0], "B", .mean = &mean);
    return second_of(var, mean, false);
}
static nomen_tensor *var_mean_both(nomen_tensor *const in[]) {
    nomen_tensor *mean = NULL, *var = nomen_var_mean(in[0], .keepdim = true, .mean = &mean);
    return second_of(var, mean, true);
}
static nomen_tensor *std_mean_both(nomen_tensor *const in[]) {
    nomen_tensor *mean = NULL, *std = nomen_std_mean(in[0], "0 2", .mean = &mean);
    return second_of(std, mean, true);
}
static nomen_tensor *aminmax_both(nomen_tensor *const in[]) {
    nomen_tensor *most = NULL, *least = nomen_aminmax(in[0], "B", .max = &most);
    return second_of(least, most, true);
}
static nomen_tensor *amax_two(nomen_tensor *const in[]) { return nomen_amax(in[0], "A C"); }
static nomen_tensor *amax_equals(nomen_tensor *const in[]) {
    return nomen_amax(nomen_mul(in[0], nomen_scalar(0)), "1");
}
static nomen_tensor *amin_keep(nomen_tensor *const in[]) {
    return nomen_amin(in[0], "0 -1", .keepdim = true);
}
static nomen_tensor *with_nan(nomen_tensor *x) {
    nomen_tensor *gone = nomen_gt(nomen_abs(nomen_detach(x)), nomen_scalar(0.7));
    return nomen_where(gone, nomen_scalar((double)NAN), x);
}
static nomen_tensor *nansum_one(nomen_tensor *const in[]) {
    return nomen_nansum(with_nan(in[0]), "B");
}
static nomen_tensor *nanmean_all(nomen_tensor *const in[]) {
    return nomen_nanmean(with_nan(in[0]));
}
static nomen_tensor *norm_of(nomen_tensor *x, double p) {
    return nomen_norm(x, .p = nomen_num(p), .dim = "-1 0");
}
static nomen_tensor *norm_0(nomen_tensor *const in[]) { return norm_of(in[0], 0); }
static nomen_tensor *norm_1(nomen_tensor *const in[]) { return norm_of(in[0], 1); }
static nomen_tensor *norm_half(nomen_tensor *const in[]) { return norm_of(in[0], 0.5); }
static nomen_tensor *norm_3(nomen_tensor *const in[]) { return norm_of(in[0], 3); }
static nomen_tensor *norm_below(nomen_tensor *const in[]) { return norm_of(in[0], -1.5); }
static nomen_tensor *norm_most(nomen_tensor *const in[]) {
    return norm_of(in[0], (double)INFINITY);
}
static nomen_tensor *norm_least(nomen_tensor *const in[]) {
    return norm_of(in[0], -(double)INFINITY);
}
/* What counts as a constant is none: what that is for can be compared. */
static nomen_tensor *nuclear(nomen_tensor *const in[]) {
    return nomen_nuclear_norm(in[0], "C N", .keepdim = true);
}
static nomen_tensor *dist_3(nomen_tensor *const in[]) {
    return nomen_dist(in[0], in[1], .p = nomen_num(3));
}
static nomen_tensor *diff_twice(nomen_tensor *const in[]) {
    return nomen_diff(in[0], .n = nomen_num(2), .dim = "B", .append = in[1]);
}
static nomen_tensor *cumsum_back(nomen_tensor *const in[]) {
    return nomen_cumsum(in[0], "B", .reverse = true);
}
static nomen_tensor *cumsum_one(nomen_tensor *const in[]) { return nomen_cumsum(in[0], "-1"); }
static nomen_tensor *cumprod_one(nomen_tensor *const in[]) { return nomen_cumprod(in[0], "B"); }
static nomen_tensor *cumprod_back(nomen_tensor *const in[]) {
    return nomen_cumprod(in[0], "0", .reverse = true);
}
static nomen_tensor *cummax_one(nomen_tensor *const in[]) { return nomen_cummax(in[0], "B"); }
static nomen_tensor *cummin_back(nomen_tensor *const in[]) {
    return nomen_cummin(in[0], "0", .reverse = true);
}
static nomen_tensor *lcse_one(nomen_tensor *const in[]) { return nomen_logcumsumexp(in[0], "B"); }
static nomen_tensor *lcse_back(nomen_tensor *const in[]) {
    return nomen_logcumsumexp(in[0], "0", .reverse = true);
}
static nomen_tensor *softmax_named(nomen_tensor *const in[]) { return nomen_softmax(in[0], "B"); }
static nomen_tensor *softmax_last(nomen_tensor *const in[]) { return nomen_softmax(in[0], "-1"); }
static nomen_tensor *log_softmax_named(nomen_tensor *const in[]) {
    return nomen_log_softmax(in[0], "B");
}
static nomen_tensor *softmax_scalar(nomen_tensor *const in[]) { return nomen_softmax(in[0], "0"); }

static const grad_case cases[] = {
    {"amax", amax_two, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"amax", amax_equals, {"2 3"}, -1, 1, REAL_ONLY | NO_SECOND},
    {"amin", amin_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"aminmax", aminmax_both, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"cummax", cummax_one, {"A=2 B=7"}, -1, 1, REAL_ONLY},
    {"cummin", cummin_back, {"5 2"}, -1, 1, REAL_ONLY},
    {"cumprod", cumprod_one, {"A=2 B=5 C=2"}, 0.5, 1.5, 0},
    {"cumprod", cumprod_one, {"A=2 B=5 C=2"}, 0.5, 1.5, ONE_ZERO},
    {"cumprod", cumprod_one, {"B=6"}, 0.5, 1.5, TWO_ZEROS},
    {"cumprod", cumprod_back, {"5"}, 0.5, 1.5, 0},
    {"cumprod", cumprod_back, {"5 2"}, 0.5, 1.5, TWO_ZEROS},
    {"cumsum", cumsum_back, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"cumsum", cumsum_one, {"2 4"}, -1, 1, 0},
    {"cumsum", cumsum_one, {""}, -1, 1, 0},
    {"diff", diff_twice, {"A=2 B=4", "A=2 B=1"}, -1, 1, 0},
    {"dist", dist_3, {"2 3", "3"}, 0.2, 1, 0},
    {"kthvalue", kthvalue_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"log_softmax", log_softmax_named, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"logcumsumexp", lcse_one, {"A=2 B=6 C=2"}, -1, 1, 0},
    {"logcumsumexp", lcse_back, {"5 2"}, -3, 3, 0},
    {"logsumexp", lse_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"logsumexp", lse_keep, {"2 3 2"}, -1, 1, 0},
    {"max", NULL, {"N=2 C=3"}, -1, 1, REAL_ONLY},
    {"max", max_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"max", max_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"mean", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"mean", mean_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"mean", mean_keep, {"2 3 2"}, -1, 1, 0},
    {"median", median_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"median", NULL, {"3 3"}, -1, 1, REAL_ONLY},
    {"median", median_one, {"A=2 B=4 C=2"}, -1, 1, REAL_ONLY},
    {"min", NULL, {"N=2 C=3"}, -1, 1, REAL_ONLY},
    {"min", min_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"min", min_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"mode", mode_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"nanmean", nanmean_all, {"N=2 C=3"}, -1, 1, REAL_ONLY},
    {"nanmedian", median_keep, {"3 2"}, -1, 1, REAL_ONLY},
    {"nanmedian", NULL, {"2 3"}, -1, 1, REAL_ONLY},
    {"nansum", nansum_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"norm", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"norm", norm_0, {"2 3"}, 0.2, 1, 0},
    {"norm", norm_1, {"2 3"}, 0.2, 1, 0},
    {"norm", norm_half, {"2 3 2"}, 0.2, 1, 0},
    {"norm", norm_3, {"2 3 2"}, -1, -0.2, 0},
    {"norm", norm_below, {"2 3 2"}, 0.2, 1, 0},
    {"norm", norm_most, {"2 3 2"}, 0.2, 1, 0},
    {"norm", norm_least, {"2 3 2"}, 0.2, 1, 0},
    {"times_slope", nuclear, {"N=2 B=2 C=3"}, -1, 1, NO_SECOND},
    {"nuclear_norm", nuclear, {"C=3 N=2"}, -1, 1, NO_SECOND},
    {"prod", NULL, {"N=2 C=3"}, 0.5, 1.5, 0},
    {"prod", prod_one, {"A=2 B=3 C=2"}, 0.5, 1.5, 0},
    {"prod", prod_two, {"A=2 B=3 C=2"}, 0.5, 1.5, 0},
    {"prod", NULL, {"N=2 C=3"}, 0.5, 1.5, ONE_ZERO},
    {"prod", prod_one, {"A=2 B=3 C=2"}, 0.5, 1.5, ONE_ZERO},
    {"prod", prod_two, {"A=2 B=3 C=2"}, 0.5, 1.5, TWO_ZEROS},
    {"prod", NULL, {"5"}, 0.5, 1.5, TWO_ZEROS},
    {"prod", NULL, {""}, 0.5, 1.5, ONE_ZERO},
    {"softmax", softmax_named, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"softmax", softmax_last, {"2 3"}, -1, 1, REAL_ONLY},
    {"softmax", softmax_scalar, {""}, -1, 1, REAL_ONLY},
    {"sort", sort_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"sort", sort_down, {"2 4"}, -1, 1, REAL_ONLY},
    {"sort", sort_down, {"A=2 B=4 C=2"}, -1, 1, REAL_ONLY},
    {"std", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"std", std_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"std", std_keep, {"2 3 2"}, -1, 1, 0},
    {"std_mean", std_mean_both, {"2 3 2"}, -1, 1, 0},
    {"sum", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"sum", NULL, {""}, -1, 1, 0},
    {"sum", sum_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"sum", sum_two, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"sum", sum_keep, {"2 3 2"}, -1, 1, 0},
    {"sum", sum_complex, {"2 3"}, -1, 1, REAL_ONLY},
    {"topk", topk_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"topk", topk_smallest, {"2 4"}, -1, 1, REAL_ONLY},
    {"var", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"var", var_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"var", var_keep, {"2 3 2"}, -1, 1, 0},
    {"var_mean", var_mean_second, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"var_mean", var_mean_both, {"N=2 C=3"}, -1, 1, 0},
};
const grad_cases gradcases_reduce = {"reduce", "gradcases_reduce.c", cases, NOMEN_COUNT(cases)};
