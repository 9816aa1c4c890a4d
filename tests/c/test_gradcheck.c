/* Every gradient formula of the table against differences: first and second derivatives, real and
 * complex, in place, in place on a view. A row with a formula and no case here fails. */
#include "core/core.h"
#include "nomen/grad.h"
#include "nomen/memory.h"
#include "nomen/ops.gen.h"
#include "nomen/scope.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

/* ---- calls with more than operands ----------------------------------------------------------- */

static nomen_tensor *add_alpha(nomen_tensor *const in[]) {
    return nomen_add(in[0], in[1], .alpha = nomen_num(2.5));
}
static nomen_tensor *add_int_alpha(nomen_tensor *const in[]) {
    return nomen_add(in[0], in[1], .alpha = nomen_num(3));
}
static nomen_tensor *add_complex_alpha(nomen_tensor *const in[]) {
    bool complex = nomen_dtype_is_complex(nomen_dtype_of(in[0]));
    return nomen_add(in[0], in[1],
                     .alpha = complex ? nomen_number_complex(1, 2) : nomen_number_float(2));
}
static nomen_tensor *sub_alpha(nomen_tensor *const in[]) {
    return nomen_sub(in[0], in[1], .alpha = nomen_num(-0.5));
}
static nomen_tensor *same_twice(nomen_tensor *const in[]) { return nomen_mul(in[0], in[0]); }
static nomen_tensor *div_floor(nomen_tensor *const in[]) {
    return nomen_div(in[0], in[1], .rounding_mode = "floor");
}
static nomen_tensor *pow_two(nomen_tensor *const in[]) { return nomen_pow(in[0], nomen_scalar(2)); }
static nomen_tensor *pow_zero(nomen_tensor *const in[]) {
    return nomen_pow(in[0], nomen_scalar(0));
}
static nomen_tensor *pow_of_zero(nomen_tensor *const in[]) {
    return nomen_pow(nomen_mul(in[0], nomen_scalar(0)), in[1]);
}
static nomen_tensor *real_part(nomen_tensor *const in[]) {
    return nomen_real(nomen_cast(in[0], NOMEN_C128));
}
static nomen_tensor *imaginary_part(nomen_tensor *const in[]) {
    nomen_tensor *z = nomen_cast(in[0], NOMEN_C128);
    return nomen_imag(nomen_mul(z, nomen_scalar_call(nomen_number_complex(0.5, 2))));
}
static nomen_tensor *pairs_of(nomen_tensor *const in[]) {
    return nomen_view_as_real(nomen_square(nomen_cast(in[0], NOMEN_C128)));
}
static nomen_tensor *numbers_of(nomen_tensor *const in[]) {
    return nomen_square(nomen_view_as_complex(in[0]));
}
static nomen_tensor *where_larger(nomen_tensor *const in[]) {
    return nomen_where(nomen_gt(nomen_abs(nomen_detach(in[2])), nomen_scalar(0.6)), in[0], in[1]);
}
static nomen_tensor *clamp_low(nomen_tensor *const in[]) {
    return nomen_clamp(in[0], .min = in[1]);
}
static nomen_tensor *clamp_high(nomen_tensor *const in[]) {
    return nomen_clamp(in[0], .max = in[1]);
}
static nomen_tensor *clamp_numbers(nomen_tensor *const in[]) {
    return nomen_clamp(in[0], .min = nomen_scalar(-0.5), .max = nomen_scalar(0.5));
}
static nomen_tensor *cast_complex(nomen_tensor *const in[]) {
    return nomen_cast(in[0], NOMEN_C128);
}
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

/* ---- random numbers: the same ones each time ------------------------------------------------- */

static nomen_tensor *seeded(nomen_tensor *x) {
    nomen_manual_seed(3);
    return nomen_clone(x);
}
static nomen_tensor *uniform_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_uniform_(seeded(in[0])), in[0]);
}
static nomen_tensor *normal_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_normal_(seeded(in[0])), in[0]);
}
static nomen_tensor *random_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_random_(seeded(in[0]), nomen_num(4)), in[0]);
}
static nomen_tensor *cauchy_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_cauchy_(seeded(in[0])), in[0]);
}
static nomen_tensor *exponential_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_exponential_(seeded(in[0])), in[0]);
}
static nomen_tensor *log_normal_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_log_normal_(seeded(in[0])), in[0]);
}
static nomen_tensor *geometric_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_geometric_(seeded(in[0]), nomen_num(0.5)), in[0]);
}
static nomen_tensor *bernoulli_of(nomen_tensor *const in[]) {
    return nomen_mul(nomen_bernoulli(seeded(in[0])), in[0]);
}
static nomen_tensor *bernoulli_clone(nomen_tensor *const in[]) {
    return nomen_add(nomen_bernoulli_(seeded(in[0]), in[1]), nomen_mul(in[0], in[1]));
}
static nomen_tensor *poisson_of(nomen_tensor *const in[]) {
    return nomen_add(nomen_poisson(seeded(in[0])), in[0]);
}
/* Drawn numbers move with their mean and std, but by definition have no gradient: they are not
 * picked. */
static nomen_tensor *normal_of(nomen_tensor *const in[]) {
    nomen_tensor *drawn = nomen_normal(seeded(in[0]), in[1]);
    return nomen_where(nomen_gt(nomen_detach(drawn), nomen_scalar(100)), drawn, in[0]);
}
static nomen_tensor *dropped(nomen_tensor *const in[]) {
    return nomen_dropout(seeded(in[0]), nomen_num(0.5), true);
}

/* ---- functions of one element ---------------------------------------------------------------- */

static nomen_tensor *round_tens(nomen_tensor *const in[]) {
    return nomen_round(in[0], .decimals = -1);
}
static nomen_tensor *logit_limited(nomen_tensor *const in[]) {
    return nomen_logit(in[0], nomen_num(0.25));
}
static nomen_tensor *polygamma_two(nomen_tensor *const in[]) { return nomen_polygamma(in[0], 2); }
static nomen_tensor *no_infinities(nomen_tensor *const in[]) {
    nomen_tensor *x = nomen_where(nomen_gt(nomen_detach(in[0]), nomen_scalar(0)), in[0],
                                  nomen_scalar((double)INFINITY));
    return nomen_nan_to_num(x, .posinf = nomen_num(3));
}

/* ---- functions of two and three tensors ------------------------------------------------------ */

static nomen_tensor *lerp_near(nomen_tensor *const in[]) {
    return nomen_lerp(in[0], in[1], nomen_scalar(0.25));
}
static nomen_tensor *addcmul_value(nomen_tensor *const in[]) {
    return nomen_addcmul(in[0], in[1], in[2], .value = nomen_num(-1.5));
}
static nomen_tensor *addcdiv_value(nomen_tensor *const in[]) {
    return nomen_addcdiv(in[0], in[1], in[2], .value = nomen_num(2));
}
static nomen_tensor *addmv_beta(nomen_tensor *const in[]) {
    return nomen_addmv(in[0], in[1], in[2], .beta = nomen_num(0.5), .alpha = nomen_num(3));
}
static nomen_tensor *baddbmm_beta(nomen_tensor *const in[]) {
    return nomen_baddbmm(in[0], in[1], in[2], .beta = nomen_num(2), .alpha = nomen_num(-1));
}

/* ---- masks and indices ----------------------------------------------------------------------- */

/* A 1-d int64 tensor. */
static nomen_tensor *list_of(int64_t count, const int64_t *at) {
    nomen_tensor *t = nomen_zeros(NULL, (nomen_sizes){1, &count}, .dtype = NOMEN_I64);
    memcpy(nomen_data(t), at, sizeof *at * (size_t)count);
    return t;
}
#define LIST_OF(...) list_of(NOMEN_SIZES(__VA_ARGS__).count, NOMEN_SIZES(__VA_ARGS__).at)
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
static nomen_tensor *take_along_dim_one(nomen_tensor *const in[]) {
    return nomen_take_along_dim(in[0], nomen_reshape(LIST_OF(2, 0), NOMEN_SIZES(1, 2)), "1");
}

/* ---- reductions ------------------------------------------------------------------------------ */

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

/* ---- views ----------------------------------------------------------------------------------- */

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
static nomen_tensor *addmm(nomen_tensor *const in[]) {
    return nomen_addmm(in[0], in[1], in[2], .beta = nomen_num(0.5), .alpha = nomen_num(2.0));
}

/* ---- the table ------------------------------------------------------------------------------- */

static const grad_case cases[] = {
    {"abs", NULL, {"N=2 C=3"}, 0.2, 1, 0},
    {"abs", NULL, {"N=2 C=3"}, -1, -0.2, 0},
    {"acosh", NULL, {"N=2 C=3"}, 1.5, 3, 0},
    {"add", NULL, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"add", NULL, {"C=3", "N=2 C=1"}, -1, 1, 0},
    {"add", add_alpha, {"2 3", "1"}, -1, 1, 0},
    {"add", add_int_alpha, {"", "2 3"}, -1, 1, 0},
    {"add", add_complex_alpha, {"2 3", "2 3"}, -1, 1, 0},
    {"addcdiv", NULL, {"N=2 C=3", "N=2 C=3", "C=3"}, 0.5, 1.5, 0},
    {"addcdiv", addcdiv_value, {"N=2 C=3", "N=2 C=3", "N=2 C=3"}, 0.5, 1.5, 0},
    {"addcmul", NULL, {"N=2 C=3", "C=3", "N=2 C=3"}, -1.5, 1.5, 0},
    {"addcmul", addcmul_value, {"N=2 C=3", "C=3", "N=2 C=3"}, -1.5, 1.5, 0},
    {"addmm", addmm, {"3", "2 4", "4 3"}, -1, 1, 0},
    {"addmv", NULL, {"N=2", "N=2 D=3", "D=3"}, -1.5, 1.5, 0},
    {"addmv", addmv_beta, {"", "N=2 D=3", "D=3"}, -1.5, 1.5, 0},
    {"align_as", align_as, {"A=2 C=3", "C=1 B=1 A=1"}, -1, 1, 0},
    {"align_to", align_to, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"amax", amax_two, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"amax", amax_equals, {"2 3"}, -1, 1, REAL_ONLY | NO_SECOND},
    {"amin", amin_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"aminmax", aminmax_both, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"atan2", NULL, {"N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"baddbmm", baddbmm_beta, {"C=2", "B=2 N=2 D=3", "B=2 D=3 C=2"}, -1.5, 1.5, 0},
    {"bernoulli", bernoulli_of, {"N=2 C=3"}, 0.1, 0.9, REAL_ONLY},
    {"bernoulli", bernoulli_clone, {"2 3", "3"}, 0.1, 0.9, REAL_ONLY},
    {"bmm", NULL, {"B=2 M=2 K=3", "B=2 K=3 N=2"}, -1, 1, 0},
    {"cast", cast_complex, {"2 3"}, -1, 1, 0},
    {"cast", cast_real, {"2 3"}, -1, 1, 0},
    {"cat", cat_three, {"A=2 B=3", "A=2 B=1"}, -1, 1, 0},
    {"cat", cat_empty, {"2 3", "0"}, -1, 1, 0},
    {"cauchy", cauchy_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"clamp", NULL, {"2 3", "3", "2 1"}, -1, 1, REAL_ONLY},
    {"clamp", clamp_low, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clamp", clamp_high, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clamp", clamp_numbers, {"2 3"}, -1, 1, REAL_ONLY},
    {"clamp_min", NULL, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clamp_max", NULL, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clone", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"conj", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"copy", copy_clone, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"copy", copy_mixed, {"2 3", "3"}, -1, 1, 0},
    {"copysign", NULL, {"N=2 C=3", "N=2 C=3"}, -1.5, 1.5, 0},
    {"cos", NULL, {"2 3"}, -1, 1, 0},
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
    {"div", NULL, {"N=2 C=3", "C=3"}, 0.5, 1.5, 0},
    {"div", NULL, {"3", "2 3"}, -1.5, -0.5, 0},
    {"div", div_floor, {"2 3", "3"}, 0.5, 0.9, REAL_ONLY},
    {"dot", NULL, {"N=4", "N=4"}, -1, 1, 0},
    {"dropout", dropped, {"2 3"}, -1, 1, REAL_ONLY},
    {"exp", NULL, {"2 3"}, -1, 1, 0},
    {"expand", expand, {"3 1"}, -1, 1, 0},
    {"exponential", exponential_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"fill", fill_clone, {"N=2 C=3", ""}, -1, 1, 0},
    {"flatten", flatten, {"A=2 B=2 C=3"}, -1, 1, 0},
    {"flatten", flatten_copied, {"A=2 B=2 C=3"}, -1, 1, 0},
    {"floor_divide", NULL, {"N=2 C=3", "C=3"}, 1.1, 1.9, 0},
    {"fmod", NULL, {"N=2 C=3", "N=2 C=3"}, 1.1, 1.9, 0},
    {"gather", gather_one, {"A=2 B=3"}, -1, 1, 0},
    {"geometric", geometric_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"hypot", NULL, {"N=2 C=3", "N=2 C=3"}, -1.5, 1.5, 0},
    {"index", index_apart, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"index", index_masked, {"A=2 B=3 C=2", "A=2 B=3"}, -1, 1, 0},
    {"index_add", index_add_one, {"A=2 B=3 C=2", "A=2 B=4 C=2"}, -1, 1, 0},
    {"index_copy", index_copy_one, {"A=2 B=3 C=2", "A=2 B=2 C=2"}, -1, 1, 0},
    {"index_fill", index_fill_one, {"A=2 B=3 C=2", ""}, -1, 1, 0},
    {"index_put", index_put_apart, {"A=2 B=3 C=2", "2 3"}, -1, 1, 0},
    {"index_put", index_put_adding, {"A=2 B=3 C=2", "3 1"}, -1, 1, 0},
    {"index_select", index_select_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"kthvalue", kthvalue_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"lerp", NULL, {"N=2 C=3", "N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"lerp", lerp_near, {"N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"log", NULL, {"2 3"}, 0.2, 2, 0},
    {"log_normal", log_normal_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"log_softmax", log_softmax_named, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"logcumsumexp", lcse_one, {"A=2 B=6 C=2"}, -1, 1, 0},
    {"logcumsumexp", lcse_back, {"5 2"}, -3, 3, 0},
    {"logit", NULL, {"2 3"}, 0.2, 0.8, REAL_ONLY},
    {"logit", logit_limited, {"2 4"}, 0.05, 0.95, REAL_ONLY},
    {"logsumexp", lse_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"logsumexp", lse_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"masked_fill", masked_fill_one, {"N=2 C=3", "", "N=2 C=3"}, -1, 1, 0},
    {"masked_fill", masked_fill_in_place, {"N=2 C=3", "", "C=3"}, -1, 1, 0},
    {"masked_fill", masked_fill_view, {"2 3", "", "3"}, -1, 1, 0},
    {"masked_fill", masked_fill_one, {"3", "", "2 3"}, -1, 1, 0},
    {"masked_scatter", masked_scatter_one, {"N=2 C=3", "7", "C=3"}, -1, 1, 0},
    {"masked_select", masked_select_one, {"N=2 C=3", "N=2 C=3"}, -1, 1, 0},
    {"masked_select", masked_select_one, {"2 1", "3"}, -1, 1, 0},
    {"matmul", NULL, {"K=3", "K=3"}, -1, 1, 0},
    {"matmul", NULL, {"M=2 K=3", "K=3"}, -1, 1, 0},
    {"matmul", NULL, {"K=3", "K=3 N=2"}, -1, 1, 0},
    {"matmul", NULL, {"M=2 K=3", "K=3 N=4"}, -1, 1, 0},
    {"matmul", NULL, {"B=2 M=2 K=3", "K=3 N=2"}, -1, 1, 0},
    {"matmul", NULL, {"2 3", "4 3 2"}, -1, 1, 0},
    {"matmul", NULL, {"2 2 3", "2 3 2"}, -1, 1, 0},
    {"matmul", NULL, {"2 1 2 3", "3 3 2"}, -1, 1, 0},
    {"matmul", NULL, {"2 2 3", "3"}, -1, 1, 0},
    {"matmul", NULL, {"3", "2 3 2"}, -1, 1, 0},
    {"max", NULL, {"N=2 C=3"}, -1, 1, REAL_ONLY},
    {"max", max_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"max", max_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"maximum", NULL, {"N=2 C=3", "C=3"}, -1, 1, REAL_ONLY},
    {"mean", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"mean", mean_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"mean", mean_keep, {"2 3 2"}, -1, 1, 0},
    {"median", median_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"median", NULL, {"3 3"}, -1, 1, REAL_ONLY},
    {"median", median_one, {"A=2 B=4 C=2"}, -1, 1, REAL_ONLY},
    {"min", NULL, {"N=2 C=3"}, -1, 1, REAL_ONLY},
    {"min", min_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"min", min_keep, {"2 3 2"}, -1, 1, REAL_ONLY},
    {"minimum", NULL, {"N=2 C=3", "C=3"}, -1, 1, REAL_ONLY},
    {"mm", NULL, {"M=2 K=3", "K=3 N=2"}, -1, 1, 0},
    {"mode", mode_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"mul", NULL, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"mul", NULL, {"", "2 3"}, -1, 1, 0},
    {"mul", same_twice, {"2 3"}, -1, 1, 0},
    {"mv", NULL, {"M=2 K=3", "K=3"}, -1, 1, 0},
    {"nan_to_num", no_infinities, {"2 3"}, -1, 1, REAL_ONLY},
    {"nanmean", nanmean_all, {"N=2 C=3"}, -1, 1, REAL_ONLY},
    {"nanmedian", median_keep, {"3 2"}, -1, 1, REAL_ONLY},
    {"nanmedian", NULL, {"2 3"}, -1, 1, REAL_ONLY},
    {"nansum", nansum_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"narrow", narrow, {"A=2 B=4 C=2"}, -1, 1, 0},
    {"neg", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"norm", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"norm", norm_0, {"2 3"}, 0.2, 1, 0},
    {"norm", norm_1, {"2 3"}, 0.2, 1, 0},
    {"norm", norm_half, {"2 3 2"}, 0.2, 1, 0},
    {"norm", norm_3, {"2 3 2"}, -1, -0.2, 0},
    {"norm", norm_below, {"2 3 2"}, 0.2, 1, 0},
    {"norm", norm_most, {"2 3 2"}, 0.2, 1, 0},
    {"norm", norm_least, {"2 3 2"}, 0.2, 1, 0},
    {"normal", normal_of, {"2 3", "3"}, 0.1, 1, REAL_ONLY},
    {"normal_", normal_clone, {"2 3"}, -1, 1, 0},
    {"permute", permute, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"poisson", poisson_of, {"2 3"}, 0.1, 9, REAL_ONLY},
    {"polygamma", polygamma_two, {"2 3"}, 0.5, 3, REAL_ONLY},
    {"polygamma", polygamma_two, {"2 3"}, -0.7, -0.3, REAL_ONLY},
    {"pow", NULL, {"N=2 C=3", "C=3"}, 0.5, 2, 0},
    {"pow", pow_two, {"2 3"}, -1, 1, 0},
    {"pow", pow_two, {"2 3"}, -1, 1, ONE_ZERO},
    {"pow", pow_zero, {"2 3"}, 0.5, 1, ONE_ZERO | NO_SECOND},
    {"pow", pow_of_zero, {"2 3", "2 3"}, 1.5, 2, NO_SECOND | REAL_ONLY},
    {"prod", NULL, {"N=2 C=3"}, 0.5, 1.5, 0},
    {"prod", prod_one, {"A=2 B=3 C=2"}, 0.5, 1.5, 0},
    {"prod", prod_two, {"A=2 B=3 C=2"}, 0.5, 1.5, 0},
    {"prod", NULL, {"N=2 C=3"}, 0.5, 1.5, ONE_ZERO},
    {"prod", prod_one, {"A=2 B=3 C=2"}, 0.5, 1.5, ONE_ZERO},
    {"prod", prod_two, {"A=2 B=3 C=2"}, 0.5, 1.5, TWO_ZEROS},
    {"prod", NULL, {"5"}, 0.5, 1.5, TWO_ZEROS},
    {"prod", NULL, {""}, 0.5, 1.5, ONE_ZERO},
    {"put", put_one, {"A=2 B=3", "4"}, -1, 1, 0},
    {"put", put_adding, {"A=2 B=3", "2 2"}, -1, 1, 0},
    {"put_dims", put_dims_one, {"A=2 B=3 C=2", "2"}, -1, 1, 0},
    {"random", random_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"reciprocal", NULL, {"2 3"}, 0.5, 1.5, 0},
    {"refine_names", refine, {"2 3"}, -1, 1, 0},
    {"relu", NULL, {"2 3"}, -1, 1, REAL_ONLY},
    {"remainder", NULL, {"N=2 C=3", "N=2 C=3"}, 1.1, 1.9, 0},
    {"remainder", NULL, {"N=2 C=3", "C=3"}, -1.9, -1.1, 0},
    {"rename", rename_dims, {"A=2 B=3"}, -1, 1, 0},
    {"reshape", reshape, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"reshape", reshape_copied, {"2 3"}, -1, 1, 0},
    {"round", round_tens, {"2 3"}, -4, 4, REAL_ONLY},
    {"rsqrt", NULL, {"2 3"}, 0.5, 2, 0},
    {"scatter", scatter_one, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter", scatter_one, {"A=2 B=3", "3 4"}, -1, 1, 0},
    {"scatter", scatter_number, {"A=2 B=3"}, -1, 1, 0},
    {"scatter", scatter_adding, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"scatter_add", scatter_add_one, {"A=2 B=3", "A=2 B=2"}, -1, 1, 0},
    {"select", select, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"sgn", NULL, {"2 3"}, 0.3, 1, 0},
    {"sigmoid", NULL, {"2 3"}, -1, 1, 0},
    {"sin", NULL, {"2 3"}, -1, 1, 0},
    {"sinc", NULL, {"2 3"}, -0.09, 0.09, 0},
    {"sinc", NULL, {"2 3"}, -2, -0.2, 0},
    {"slice", slice, {"A=2 B=4 C=2"}, -1, 1, 0},
    {"slice", slice_empty, {"A=2 B=3"}, -1, 1, 0},
    {"softmax", softmax_named, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"softmax", softmax_last, {"2 3"}, -1, 1, REAL_ONLY},
    {"softmax", softmax_scalar, {""}, -1, 1, REAL_ONLY},
    {"sort", sort_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"sort", sort_down, {"2 4"}, -1, 1, REAL_ONLY},
    {"sort", sort_down, {"A=2 B=4 C=2"}, -1, 1, REAL_ONLY},
    {"split", split_up, {"A=2 B=3"}, -1, 1, 0},
    {"sqrt", NULL, {"2 3"}, 0.5, 2, 0},
    {"square", NULL, {"2 3"}, -1, 1, 0},
    {"squeeze", squeeze, {"A=1 B=3 C=1"}, -1, 1, 0},
    {"stack", stack_two, {"A=2 B=3", "A=2 B=3"}, -1, 1, 0},
    {"std", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"std", std_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"std", std_keep, {"2 3 2"}, -1, 1, 0},
    {"std_mean", std_mean_both, {"2 3 2"}, -1, 1, 0},
    {"sub", NULL, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"sub", sub_alpha, {"2 3", "2 1"}, -1, 1, 0},
    {"sum", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"sum", NULL, {""}, -1, 1, 0},
    {"sum", sum_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"sum", sum_two, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"sum", sum_keep, {"2 3 2"}, -1, 1, 0},
    {"sum", sum_complex, {"2 3"}, -1, 1, REAL_ONLY},
    {"take", take_one, {"A=2 B=3"}, -1, 1, 0},
    {"take_along_dim", take_along_dim_one, {"A=2 B=3"}, -1, 1, 0},
    {"take_dims", take_dims_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"tanh", NULL, {"2 3"}, -1, 1, 0},
    {"topk", topk_one, {"A=2 B=3 C=2"}, -1, 1, REAL_ONLY},
    {"topk", topk_smallest, {"2 4"}, -1, 1, REAL_ONLY},
    {"transpose", transpose, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"unbind", unbind_up, {"A=2 B=3"}, -1, 1, 0},
    {"unflatten", unflatten, {"A=2 B=4"}, -1, 1, 0},
    {"uniform", uniform_clone, {"2 3"}, -1, 1, 0},
    {"unsqueeze", unsqueeze, {"A=2 B=3"}, -1, 1, 0},
    {"var", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"var", var_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"var", var_keep, {"2 3 2"}, -1, 1, 0},
    {"var_mean", var_mean_second, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"var_mean", var_mean_both, {"N=2 C=3"}, -1, 1, 0},
    {"complex", NULL, {"N=2 C=3", "C=3"}, -1.5, 1.5, REAL_ONLY},
    {"polar", NULL, {"N=2 C=3", "C=3"}, 0.5, 1.5, REAL_ONLY},
    {"angle", NULL, {"N=2 C=3"}, 0.5, 1.5, 0},
    {"real", real_part, {"N=2 C=3"}, -1.5, 1.5, 0},
    {"imag", imaginary_part, {"N=2 C=3"}, -1.5, 1.5, 0},
    {"view_as_real", pairs_of, {"N=2 C=3"}, -1.5, 1.5, 0},
    {"view_as_complex", numbers_of, {"N=3 C=2"}, -1.5, 1.5, REAL_ONLY},
    {"where", where_larger, {"N=2 C=3", "C=3", "N=2 C=3"}, -1, 1, 0},
    {"movedim", movedim_two, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"moveaxis", moveaxis_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"swapaxes", swapaxes_one, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"swapdims", swapdims_in_place, {"A=2 B=3"}, -1, 1, 0},
    {"diagonal", diagonal_above, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"diagonal", diagonal_turned, {"A=2 B=3 C=4"}, -1, 1, 0},
    {"unfold", unfold_overlapping, {"A=2 B=4 C=2"}, -1, 1, 0},
    {"view", view_of, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"flip", flip_two, {"A=2 B=3 C=2"}, -1, 1, 0},
    {"fliplr", NULL, {"A=2 B=3"}, -1, 1, 0},
    {"flipud", NULL, {"A=2 B=3"}, -1, 1, 0},
    {"tril", tril_below, {"A=2 B=3 C=3"}, -1, 1, 0},
    {"tril", NULL, {"A=3 B=2"}, -1, 1, 0},
    {"triu", triu_above, {"A=2 B=3 C=3"}, -1, 1, 0},
    {"roll", roll_two, {"A=2 B=3"}, -1, 1, 0},
    {"diag", diag_matrix, {"N=3"}, -1, 1, 0},
    {"diag", diag_matrix, {"A=2 B=3"}, -1, 1, 0},
    {"diag_embed", diag_embed_one, {"A=2 B=3"}, -1, 1, 0},
    {"repeat", repeat_some, {"A=2 B=3"}, -1, 1, 0},
    {"repeat_interleave", repeat_interleave_some, {"A=2 B=3"}, -1, 1, 0},
    {"zero", zero_clone, {"N=2 C=3"}, -1, 1, 0},
};

/* ---- inputs ---------------------------------------------------------------------------------- */

static uint64_t seed;

static double uniform(double low, double high) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(seed >> 11) * 0x1p-53);
}

static bool is_complex(const nomen_tensor *t) { return nomen_dtype_is_complex(nomen_dtype_of(t)); }

/* "N=2 C=3" or "2 3" */
static nomen_tensor *make_input(const char *text, nomen_dtype dtype) {
    char names[64] = "";
    int64_t size[MOST_DIMS] = {0};
    int n = 0;
    bool named = strchr(text, '=') != NULL;
    for (const char *p = text; *p; p++) {
        if (p[0] == ' ' || p[0] == '=') continue;
        if (*p >= '0' && *p <= '9')
            size[n++] = *p - '0';
        else {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%c", used ? " " : "", *p);
        }
    }
    return nomen_zeros(named ? names : NULL, (nomen_sizes){n, size}, .dtype = dtype);
}

/* Parts of the elements in memory order: the real and, if there are any, the imaginary ones. */
static double *parts_of(const nomen_tensor *t, int64_t *count) {
    *count = nomen_numel(t) * (is_complex(t) ? 2 : 1);
    return nomen_data(t);
}

static void fill_input(nomen_tensor *t, const grad_case *k) {
    int64_t count;
    double *at = parts_of(t, &count);
    for (int64_t i = 0; i < count; i++) at[i] = uniform(k->low, k->high);
    int64_t step = is_complex(t) ? 2 : 1;
    int64_t zeros = k->flags & TWO_ZEROS ? 2 : k->flags & ONE_ZERO ? 1 : 0;
    for (int64_t i = 0; i < zeros * step && i < count; i++) at[i] = 0;
}

/* ---- calling --------------------------------------------------------------------------------- */

typedef enum form { PLAIN, IN_PLACE, ON_VIEW } form;

typedef struct setting {
    const grad_case *k;
    const nomen__op *op;
    form form;
    int nin;
    nomen_tensor *in[MOST_INPUTS];
} setting;

static nomen_tensor *call_row(const nomen__op *op, nomen_tensor *const *in, int nin,
                              bool in_place) {
    nomen__call c;
    nomen__call_begin(&c, op);
    for (int i = 0; i < nin; i++) c.arg[i].tensor = in[i];
    c.given = (1u << nin) - 1;
    c.inplace = in_place;
    c.skip[1] = true;
    return nomen__invoke(&c) ? NULL : nomen__scoped(c.out[0]);
}

static nomen_tensor *evaluate(const setting *s) {
    if (s->form == PLAIN && s->k->call) return s->k->call(s->in);
    if (s->form == PLAIN) return call_row(s->op, s->in, s->nin, false);
    nomen_tensor *operands[MOST_INPUTS];
    memcpy(operands, s->in, sizeof operands);
    if (s->form == IN_PLACE) {
        operands[0] = nomen_clone(s->in[0]);
        return call_row(s->op, operands, s->nin, true);
    }
    /* Into the second of three parts, each of which is half of what lies there. */
    nomen_tensor *base = nomen_stack(NOMEN_LIST(s->in[0], s->in[0], s->in[0]), "0");
    base = nomen_add(base, base);
    operands[0] = nomen_mul_(nomen_select(base, "0", 1), nomen_scalar(0.5));
    return call_row(s->op, operands, s->nin, true) ? base : NULL;
}

/* Weights of the elements of y, so that the sum of the products is one real number: the same for
 * every y of that size. */
static nomen_tensor *weights_for(const nomen_tensor *y) {
    nomen_tensor *w =
        nomen_zeros(NULL, (nomen_sizes){nomen_ndim(y), nomen_shape(y)}, .dtype = nomen_dtype_of(y));
    int64_t count;
    double *at = parts_of(w, &count);
    for (int64_t i = 0; i < count; i++) at[i] = 0.5 + 0.1 * (double)(i * 7 % 11) * (i % 2 ? -1 : 1);
    return w;
}

/* The sum over all elements of Re(conj(w) y). */
static double weighted(const nomen_tensor *y) {
    nomen_tensor *w = weights_for(y);
    nomen_tensor *plain = nomen_clone(nomen_detach((nomen_tensor *)(uintptr_t)y));
    plain = nomen_copy_(nomen_zeros_like(w), nomen_set_names(plain, NULL) ? NULL : plain);
    int64_t count;
    double *a = parts_of(w, &count), *b = parts_of(plain, &count), sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static nomen_list gradients(const setting *s, bool create_graph) {
    nomen_tensor *y = evaluate(s);
    if (!y) return (nomen_list){0, NULL};
    nomen_tensor *w = weights_for(y);
    return nomen_grad(NOMEN_LIST(y), (nomen_list){s->nin, s->in}, NOMEN_LIST(w),
                      .create_graph = create_graph, .allow_unused = true);
}

/* What is differentiated: the value, or the weighted sum of its gradients. */
static double value(const setting *s, bool second) {
    double sum = 0;
    nomen_scope() {
        if (!second) {
            nomen_no_grad() sum = weighted(evaluate(s));
        } else {
            nomen_list g = gradients(s, false);
            for (int i = 0; i < s->nin && g.count; i++)
                if (g.at[i]) sum += weighted(g.at[i]);
        }
    }
    return sum;
}

static nomen_list slopes(const setting *s, bool second) {
    if (!second) return gradients(s, false);
    nomen_list g = gradients(s, true);
    nomen_tensor *roots[MOST_INPUTS], *weights[MOST_INPUTS];
    int64_t n = 0;
    for (int i = 0; i < s->nin && g.count; i++) {
        if (!g.at[i] || !nomen_requires_grad(g.at[i])) continue;
        roots[n] = g.at[i];
        weights[n++] = weights_for(g.at[i]);
    }
    /* Nothing depends on the inputs any more: the second derivative is zero. */
    if (!n) return (nomen_list){0, NULL};
    return nomen_grad((nomen_list){n, roots}, (nomen_list){s->nin, s->in}, (nomen_list){n, weights},
                      .allow_unused = true);
}

/* The first deviation is printed. */
static bool agrees(const setting *s, bool second) {
    nomen_list g = slopes(s, second);
    if (nomen_last_error()) {
        print_error("%s (form %d): %s\n", s->k->op, (int)s->form, nomen_error_text());
        nomen_clear_error();
        return false;
    }
    for (int i = 0; i < s->nin; i++) {
        nomen_tensor *x = s->in[i], *slope = g.count ? g.at[i] : NULL;
        int64_t count, count_slope = 0;
        double *at = parts_of(x, &count), *analytic = NULL;
        if (slope) {
            assert_int_equal(nomen_dtype_of(slope), nomen_dtype_of(x));
            assert_int_equal(nomen_ndim(slope), nomen_ndim(x));
            for (int d = 0; d < nomen_ndim(x); d++) {
                const char *a = nomen_name_of(x, d), *b = nomen_name_of(slope, d);
                assert_true(a == b);
                assert_int_equal(nomen_shape(x)[d], nomen_shape(slope)[d]);
            }
            slope = nomen_contiguous(slope);
            analytic = parts_of(slope, &count_slope);
            assert_int_equal(count, count_slope);
        }
        for (int64_t e = 0; e < count; e++) {
            const double h = 1e-5, was = at[e];
            at[e] = was + h;
            double above = value(s, second);
            at[e] = was - h;
            double below = value(s, second);
            at[e] = was;
            double numeric = (above - below) / (2 * h), mine = analytic ? analytic[e] : 0;
            if (fabs(mine - numeric) <= 2e-6 * (1 + fabs(numeric))) continue;
            print_error("%s (form %d, %s, derivative %d), input %d part %d: formula %.10g, "
                        "difference %.10g\n",
                        s->k->op, (int)s->form, nomen_dtype_name(nomen_dtype_of(x)), second ? 2 : 1,
                        i, (int)e, mine, numeric);
            return false;
        }
    }
    return true;
}

static bool check_case(const grad_case *k, nomen_dtype dtype, form how) {
    setting s = {.k = k, .op = nomen__op_find(k->op), .form = how};
    seed = 7;
    bool right = true;
    nomen_scope() {
        for (int i = 0; i < MOST_INPUTS && k->inputs[i]; i++) {
            nomen_tensor *x = make_input(k->inputs[i], dtype);
            assert_non_null(x);
            fill_input(x, k);
            assert_int_equal(nomen_set_requires_grad(x, true), NOMEN_OK);
            s.in[s.nin++] = x;
        }
        right = agrees(&s, false);
        if (!(k->flags & NO_SECOND)) right = agrees(&s, true) && right;
    }
    return right;
}

/* In place the result has the dtype and sizes of self: not where self is broadcast, or abs is real.
 */
static bool has_in_place(const grad_case *k, nomen_dtype dtype) {
    const nomen__op *op = nomen__op_find(k->op);
    if (!(op->forms & NOMEN__INPLACE) || k->call) return false;
    if (dtype == NOMEN_C128 && !strcmp(k->op, "abs")) return false;
    for (int i = 1; i < MOST_INPUTS && k->inputs[i]; i++)
        if (strlen(k->inputs[i]) > strlen(k->inputs[0])) return false;
    return strcmp(k->inputs[0], "C=3") != 0;
}

static int64_t before;

static int start(void **state) {
    (void)state;
    nomen_clear_error();
    before = nomen_get_memory_stats().tensors_live;
    return 0;
}

static int finish(void **state) {
    (void)state;
    nomen_thread_end();
    return nomen_get_memory_stats().tensors_live == before ? 0 : -1;
}

static bool has_case(const nomen__op *op) {
    for (size_t k = 0; k < NOMEN_COUNT(cases); k++)
        if (!strcmp(cases[k].op, op->name)) return true;
    return false;
}

/* Rows of one or two tensors and nothing that must be given beside them make do without a case of
 * their own: they are checked on numbers between 0.2 and 0.9. */
static bool plain_case(const nomen__op *op, grad_case *k) {
    if (!op->grad || !op->quick || has_case(op)) return false;
    *k = (grad_case){op->name, NULL, {"N=2 C=3", op->lead == 2 ? "N=2 C=3" : NULL}, 0.2, 0.9, 0};
    return true;
}

static int check_plain_cases(nomen_dtype dtype) {
    int wrong = 0;
    for (int i = 0; i < nomen__op_count; i++) {
        grad_case k;
        if (plain_case(&nomen__ops[i], &k) && nomen__ops[i].dtypes >> dtype & 1)
            wrong += !check_case(&k, dtype, PLAIN);
    }
    return wrong;
}

static void real(void **state) {
    (void)state;
    int wrong = check_plain_cases(NOMEN_F64);
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++)
        wrong += !check_case(&cases[i], NOMEN_F64, PLAIN);
    assert_int_equal(wrong, 0);
}

static void complex(void **state) {
    (void)state;
    int count = 0, wrong = check_plain_cases(NOMEN_C128);
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        const grad_case *k = &cases[i];
        const nomen__op *op = nomen__op_find(k->op);
        if (k->flags & REAL_ONLY) continue;
        if (op->primitive && op->kernel && !(op->dtypes >> NOMEN_C128 & 1)) continue;
        wrong += !check_case(k, NOMEN_C128, PLAIN);
        count++;
    }
    assert_int_equal(wrong, 0);
    assert_true(count > 50);
}

static void in_place(void **state) {
    (void)state;
    int count = 0, wrong = 0;
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        if (!has_in_place(&cases[i], NOMEN_F64)) continue;
        wrong += !check_case(&cases[i], NOMEN_F64, IN_PLACE);
        count++;
    }
    assert_int_equal(wrong, 0);
    assert_true(count > 15);
}

static void in_place_on_a_view(void **state) {
    (void)state;
    int count = 0, wrong = 0;
    for (size_t i = 0; i < NOMEN_COUNT(cases); i++) {
        if (!has_in_place(&cases[i], NOMEN_F64)) continue;
        wrong += !check_case(&cases[i], NOMEN_F64, ON_VIEW);
        count++;
    }
    assert_int_equal(wrong, 0);
    assert_true(count > 15);
}

static void every_formula_has_a_case(void **state) {
    (void)state;
    for (int i = 0; i < nomen__op_count; i++) {
        grad_case k;
        if (!nomen__ops[i].grad || has_case(&nomen__ops[i]) || plain_case(&nomen__ops[i], &k))
            continue;
        fail_msg("%s has a gradient formula and no case here", nomen__ops[i].name);
    }
    for (size_t k = 0; k < NOMEN_COUNT(cases); k++) assert_non_null(nomen__op_find(cases[k].op));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_formula_has_a_case), TEST(real), TEST(complex),
                                       TEST(in_place), TEST(in_place_on_a_view)};
    return cmocka_run_group_tests_name("gradcheck", tests, NULL, NULL);
}
