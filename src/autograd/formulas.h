/* Words of the gradient formulas in ops/: gradients that take more than one call of an operation.
 * All of them are made of operations, so they can be differentiated again. Results belong to the
 * current scope. */
#ifndef NOMEN_SRC_FORMULAS_H
#define NOMEN_SRC_FORMULAS_H

#include "autograd/backward.h"

/* ---- small words ----------------------------------------------------------------------------- */

nomen_tensor *nomen__conj(nomen_tensor *t); /* t itself if it is real */
nomen_tensor *nomen__zero_like(nomen_tensor *t);
nomen_tensor *nomen__g_times(nomen_tensor *t, double factor);
nomen_tensor *nomen__g_power(nomen_tensor *t, int power); /* by multiplication, power >= 1 */
/* g times the conjugate of a number argument, g if it is not given. */
nomen_tensor *nomen__g_scale(nomen_tensor *g, nomen__backward *b, int arg);

/* The gradient by a kernel of that name, which reads count tensors, the gradient of the result
 * first, from the third on numbers, too (one: the operand, of a slope); NULL among the others is an
 * error that was told. false: there is none, or that is for tensors without more to come, of one
 * dtype and size. */
bool nomen__g_at_once(const char *name, nomen_tensor **result, int count, nomen_tensor *const *in);

/* g (y c), g / (y c), g (y + c), g / (y + c), of the conjugates of y. */
nomen_tensor *nomen__g_product(nomen_tensor *g, nomen_tensor *y, double c);
nomen_tensor *nomen__g_over_product(nomen_tensor *g, nomen_tensor *y, double c);
nomen_tensor *nomen__g_sum_product(nomen_tensor *g, nomen_tensor *y, double c);
nomen_tensor *nomen__g_over_sum(nomen_tensor *g, nomen_tensor *y, double c);

/* ---- shapes ---------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_view(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_reshape(nomen__backward *b, nomen_tensor *g, int input);
nomen_tensor *nomen__g_cat(nomen__backward *b, nomen_tensor *g, int input);
nomen_tensor *nomen__g_stack(nomen__backward *b, nomen_tensor *g, int input);
/* A reduced tensor (with or without keepdim) spread over the reduced dims again. */
nomen_tensor *nomen__g_unreduce(nomen__backward *b, nomen_tensor *t);
/* Does any element differ from zero? 1 or 0; -1: there was no memory to find out. */
int nomen__g_any(nomen_tensor *t);

/* ---- pointwise ------------------------------------------------------------------------------- */

nomen_tensor *nomen__g_abs(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_sgn(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_relu(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_tanh(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_sigmoid(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_tan(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_acosh(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_erf(nomen__backward *b, nomen_tensor *g, double sign);
nomen_tensor *nomen__g_sinc(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_logit(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_threshold(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_polygamma(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_div_self(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_div_other(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_pow_self(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_pow_exponent(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_clamp(nomen__backward *b, nomen_tensor *g, int input);
/* g where x > y, half of it where they are equal. */
nomen_tensor *nomen__g_larger(nomen__backward *b, nomen_tensor *g, nomen_tensor *x,
                              nomen_tensor *y);
nomen_tensor *nomen__g_taken(nomen__backward *b, nomen_tensor *g, nomen_tensor *wins, int input);

nomen_tensor *nomen__g_atan2(nomen_tensor *g, nomen_tensor *y, nomen_tensor *x, int input);
nomen_tensor *nomen__g_logaddexp2(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y);
nomen_tensor *nomen__g_hypot(nomen__backward *b, nomen_tensor *g, nomen_tensor *leg);
nomen_tensor *nomen__g_copysign(nomen__backward *b, nomen_tensor *g);
/* mode: the first letter of the rounding_mode that the quotient has. */
nomen_tensor *nomen__g_remainder(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y, char mode);
nomen_tensor *nomen__g_lerp(nomen_tensor *g, nomen_tensor *weight, bool end);
nomen_tensor *nomen__g_imag(nomen_tensor *g);
nomen_tensor *nomen__g_angle(nomen_tensor *g, nomen_tensor *z);
nomen_tensor *nomen__g_polar(nomen__backward *b, nomen_tensor *g, int input);
/* The gradient of y in x / y. */
nomen_tensor *nomen__g_quotient(nomen_tensor *g, nomen_tensor *x, nomen_tensor *y);

/* ---- reductions ------------------------------------------------------------------------------ */

nomen_tensor *nomen__g_mean(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_prod(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_var(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_std(nomen__backward *b, nomen_tensor *g);
/* Evenly to all that are equal to the result, over any dims. */
nomen_tensor *nomen__g_shared_extremum(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_logsumexp(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_nansum(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_nanmean(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_norm(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_slope(nomen__backward *b, nomen_tensor *g);
/* The p of a norm, an argument: 2 if it is not given. */
double nomen__order_of_norm(const nomen__backward *b, int arg);
/* The gradient of a p-norm over x, for p that is not infinite: norm and spread, the gradient of the
 * norm, broadcast to x. */
nomen_tensor *nomen__slope_of_norm(nomen_tensor *x, nomen_tensor *norm, nomen_tensor *spread,
                                   double p);
/* Which elements have the size of the largest one. */
nomen_tensor *nomen__largest_of(nomen_tensor *x, nomen_tensor *norm);
/* For the points of one side; which: 0 what is subtracted from, 1 what is subtracted. */
nomen_tensor *nomen__g_distances(nomen__backward *b, nomen_tensor *g, int which);
nomen_tensor *nomen__g_softmax(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_log_softmax(nomen__backward *b, nomen_tensor *g);

/* ---- scans (formulas_scan.c) ----------------------------------------------------------------- */

nomen_tensor *nomen__g_cumsum(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_cumprod(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_logcumsumexp(nomen__backward *b, nomen_tensor *g);

/* ---- order statistics (formulas_order.c) ----------------------------------------------------- */

/* To the elements of the input that the result consists of: positions along the dim of the call,
 * each of them once in its line. */
nomen_tensor *nomen__g_selected(nomen__backward *b, nomen_tensor *g, nomen_tensor *positions);
/* The same of positions that come again, as those of a running maximum do. */
nomen_tensor *nomen__g_running(nomen__backward *b, nomen_tensor *g, nomen_tensor *positions);
/* As selected; without positions evenly to all that are equal to the result. */
nomen_tensor *nomen__g_chosen(nomen__backward *b, nomen_tensor *g, nomen_tensor *positions);

/* ---- products: other is the operand that the gradient does not belong to --------------------- */

nomen_tensor *nomen__g_mul(nomen__backward *b, nomen_tensor *g, nomen_tensor *other);
nomen_tensor *nomen__g_matmul_left(nomen__backward *b, nomen_tensor *g, nomen_tensor *other);
nomen_tensor *nomen__g_matmul_right(nomen__backward *b, nomen_tensor *g, nomen_tensor *other);

/* ---- masks and indices (formulas_index.c) ---------------------------------------------------- */

nomen_tensor *nomen__g_masked_select(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_masked_scatter(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_index_select(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_index_fill(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_index_fill_value(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_index_add(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_gather(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_scatter(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_scatter_src(nomen__backward *b, nomen_tensor *g);
/* Of a source of which only the near corner was used: zeros around it. */
nomen_tensor *nomen__g_of_corner(nomen__backward *b, nomen_tensor *taken);
nomen_tensor *nomen__g_take(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_put(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_put_source(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_take_dims(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_put_dims(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_put_dims_source(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_flip(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_diagonal(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_unfold(nomen__backward *b, nomen_tensor *g);

/* ---- scatter_reduce, as_strided (formulas_scatter.c) ----------------------------------------- */

nomen_tensor *nomen__g_reduced(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_reduced_src(nomen__backward *b, nomen_tensor *g);
nomen_tensor *nomen__g_as_strided(nomen__backward *b, nomen_tensor *g);

/* ---- for the engine -------------------------------------------------------------------------- */

/* t summed over the dims that were broadcast, so that it has these sizes. */
nomen_tensor *nomen__sum_to(nomen_tensor *t, int ndim, const int64_t *size);

#endif
