/* Words of the table: random numbers whose distribution is given by tensors (bernoulli, normal,
 * multinomial, poisson), and dropout. */
#include "nomen/ops.gen.h"
#include "op/draw_into.h"
#include "op/launch.h"
#include "op/rows.gen.h"

#include <float.h>
#include <math.h>
#include <string.h>

static nomen_status not_implemented(const nomen__call *c, nomen_dtype d) {
    return nomen__fail(NOMEN_ERROR_DTYPE, "\"%s\" not implemented for '%s': give a floating dtype",
                       c->op->name, nomen_dtype_name(d));
}

/* Is t a number in tensor's clothing? Of a function a tensor without dims is one, too. */
static bool is_number(const nomen__call *c, const nomen_tensor *t) {
    return (t->flags & NOMEN__WRAPPED) || (!c->inplace && t->ndim == 0);
}

/* t with the sizes of the result, as a header of its own; it is known to broadcast. */
static nomen_tensor *spread(const nomen__call *c, const nomen_tensor *t) {
    nomen__map map;
    nomen__map_identity(t, &map);
    int shift = c->ndim - t->ndim;
    map.ndim = c->ndim;
    for (int k = 0; k < c->ndim; k++) {
        int d = k - shift;
        map.source[k] = (int8_t)(d < 0 ? -1 : d);
        map.size[k] = c->size[k];
        map.step[k] = d >= 0 && t->size[d] == c->size[k];
    }
    return nomen__map_apply(t, &map);
}

/* A contiguous copy in double. */
static nomen_tensor *doubles_of(const nomen_tensor *t) {
    return nomen__copied(nomen__tensor_empty(NOMEN_F64, t->ndim, t->size), t);
}

static double *doubles_at(nomen_tensor *t) { return (double *)(void *)t->data; }

/* Are all numbers of t, which is contiguous and floating, from 0 to `most`? */
static nomen_status ask_within(const nomen_tensor *t, double most, bool *all) {
    enum { PIECE = 1 << 16 };
    const nomen_dtype dtype = (nomen_dtype)t->dtype;
    const char *x = t->data;
    nomen_status s = NOMEN_OK;
    *all = true;
    for (int64_t left = t->numel; left > 0 && *all && !s; left -= PIECE) {
        *all = nomen__all_within(dtype, x, left < PIECE ? left : PIECE, most);
        x += PIECE * nomen_dtype_size(dtype);
        if (left > PIECE) s = nomen__ask();
    }
    return s;
}

/* *found: a number of t is below 0, above `most` or none; *wrong is the first of these. */
static nomen_status find_wrong(const nomen_tensor *t, double most, bool *found, double *wrong) {
    bool all = false,
         ready = t->flags & NOMEN__CONTIGUOUS && nomen_dtype_is_floating((nomen_dtype)t->dtype);
    *found = false;
    nomen_status s = ready ? ask_within(t, most, &all) : NOMEN_OK;
    if (s || all) return s;
    nomen_tensor *copy = doubles_of(t);
    if (!copy) return NOMEN_ERROR_MEMORY;
    const double *x = doubles_at(copy);
    s = ready ? NOMEN_OK : ask_within(copy, most, &all);
    if (!s && !all) {
        while (*x >= 0 && *x <= most) x++;
        *found = true;
        *wrong = *x;
    }
    nomen__release(copy);
    return s;
}

/* Fails where there is such a number; what is said ends with it. */
static nomen_status check_each(const nomen_tensor *t, double most, const char *said) {
    bool found = false;
    double wrong = 0;
    nomen_status s = find_wrong(t, most, &found, &wrong);
    return s || !found ? s : nomen__fail(NOMEN_ERROR_STATE, "%s %g", said, wrong);
}

/* ---- bernoulli ------------------------------------------------------------------------------- */

nomen_status nomen__dtype_bernoulli(nomen__call *c) {
    nomen_dtype d = (nomen_dtype)c->in[0]->dtype;
    c->compute = c->writes = c->result[0] = c->target[0] ? (nomen_dtype)c->target[0]->dtype : d;
    if (nomen__given(c, 1)) {
        nomen_dtype p = (nomen_dtype)c->in[1]->dtype;
        return is_number(c, c->in[1]) || nomen_dtype_is_floating(p) ? NOMEN_OK
                                                                    : not_implemented(c, p);
    }
    return c->inplace || nomen_dtype_is_floating(d) ? NOMEN_OK : not_implemented(c, d);
}

nomen_status nomen__shape_bernoulli(nomen__call *c) {
    nomen_status s = nomen__shape_same(c);
    if (s || !nomen__given(c, 1)) return s;
    return nomen__expands(c->in[1], c->ndim, c->size);
}

nomen_status nomen__launch_bernoulli(nomen__call *c) {
    nomen__drawing d = {.kind = NOMEN__DRAW_BERNOULLI, .g = nomen__generator_given(c), .a = 0.5};
    nomen_tensor *p = nomen__given(c, 1) ? c->in[1] : c->inplace ? NULL : c->in[0];
    if (!p || (nomen__given(c, 1) && is_number(c, p))) {
        nomen_number n = p ? nomen_item_number(p) : nomen_number_float(0.5);
        if (n.kind == NOMEN_NUMBER_COMPLEX)
            return nomen__fail(NOMEN_ERROR_TYPE, "bernoulli(): p must be a real number");
        d.a = nomen__real_of(&n);
        if (!(d.a >= 0 && d.a <= 1))
            return nomen__fail(NOMEN_ERROR_STATE,
                               "bernoulli_ expects p to be in [0, 1], but got p=%g", d.a);
        return nomen__draw_into(c->out[0], c->compute, &d);
    }
    nomen_status s = check_each(
        p, 1, "Expected p_in >= 0 && p_in <= 1 to be true, but got false: a probability is");
    if (s) return s;
    nomen_tensor *each = spread(c, p);
    if (!each) return NOMEN_ERROR_MEMORY;
    d.kind = NOMEN__DRAW_BERNOULLI_EACH;
    d.p = each;
    s = nomen__draw_into(c->out[0], c->compute, &d);
    nomen__release(each);
    return s;
}

/* ---- normal ---------------------------------------------------------------------------------- */

static bool of_numbers(const nomen__call *c) {
    for (int i = 0; i < c->nin; i++)
        if (!(c->in[i]->flags & NOMEN__WRAPPED)) return false;
    return true;
}

nomen_status nomen__names_normal(nomen__call *c) {
    bool numbers = of_numbers(c);
    for (int i = 2; i < 5; i++)
        if (!numbers && nomen__given(c, i))
            return nomen__fail(NOMEN_ERROR_TYPE,
                               "normal(): argument '%s' is for mean and std that are numbers: "
                               "tensors bring their own",
                               c->op->args[i].name);
    if (!numbers) return nomen__names_unify(c);
    if (!nomen__given(c, 2))
        return nomen__fail(NOMEN_ERROR_TYPE,
                           "normal() received an invalid combination of arguments: of two numbers "
                           "it needs a size");
    return nomen__names_given(c);
}

nomen_status nomen__dtype_normal(nomen__call *c) {
    const nomen_tensor *mean = c->in[0], *std = nomen__given(c, 1) ? c->in[1] : NULL;
    if (std && nomen_dtype_is_complex((nomen_dtype)std->dtype))
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "normal expects standard deviation to be non-complex");
    if (of_numbers(c)) return nomen__dtype_given(c);
    nomen_dtype d = (nomen_dtype)(mean->flags & NOMEN__WRAPPED ? std : mean)->dtype;
    /* As in PyTorch numbers are drawn in the dtype of an out= of real numbers, which decides how
     * many bits of the generator each takes. */
    if (c->target[0] && nomen_dtype_is_floating((nomen_dtype)c->target[0]->dtype) &&
        !nomen_dtype_is_complex(d))
        d = (nomen_dtype)c->target[0]->dtype;
    c->compute = c->writes = c->result[0] = d;
    return NOMEN_OK;
}

nomen_status nomen__shape_normal(nomen__call *c) {
    return of_numbers(c) ? nomen__shape_given(c) : nomen__shape_broadcast(c);
}

static const nomen__kernel *kernel_of(const char *name, nomen_tensor *a, nomen_tensor *b) {
    return nomen__kernel_find(name, nomen__common_dtype((nomen_tensor *[]){a, b}, 2));
}

/* t = t op other, as the operation in place does it, but for the names. */
static nomen_status combine(const char *name, nomen_tensor *t, nomen_tensor *other) {
    const nomen__kernel *k = kernel_of(name, t, other);
    nomen_tensor *in[] = {t, other};
    nomen__iter it;
    nomen__iter_make(&it, k->loop, t, in, 2, t->ndim, t->size, k->dtype, k->dtype);
    return nomen__iter_run_asking(&it);
}

static double real_of(const nomen_tensor *t) {
    nomen_number n = nomen_item_number(t);
    return n.kind == NOMEN_NUMBER_INT || n.kind == NOMEN_NUMBER_BOOL ? (double)n.i : n.re;
}

/* The numbers are drawn for the layout of out, but only moved into it once they are complete. */
nomen_status nomen__launch_normal(nomen__call *c) {
    nomen_status s = nomen__operands_on_host(c);
    if (s) return s;
    nomen_tensor *mean = c->in[0], *std = nomen__given(c, 1) ? c->in[1] : NULL;
    bool number_mean = mean->flags & NOMEN__WRAPPED,
         number_std = !std || (std->flags & NOMEN__WRAPPED);
    nomen__drawing d = {.kind = NOMEN__DRAW_NORMAL, .g = nomen__generator_given(c), .b = 1};
    if (number_std && std) d.b = real_of(std);
    s = number_std
            ? nomen__check_std(d.b)
            : check_each(std, INFINITY, "normal expects all elements of std >= 0.0, but one is");
    if (s) return s;
    if (number_mean && nomen_item_number(mean).kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE,
                           "normal(): argument 'mean' must be float, not complex");
    if (number_mean && number_std) {
        d.a = real_of(mean);
        return nomen__draw_into(c->out[0], c->compute, &d);
    }
    nomen_tensor *out = c->out[0];
    bool apart = c->target[0] && !c->fresh[0];
    nomen_tensor *t = apart ? nomen__like_in_memory(out) : nomen__retain(out);
    if (!t) return NOMEN_ERROR_MEMORY;
    d.singly = !(out->flags & NOMEN__CONTIGUOUS);
    s = nomen__draw_into(t, c->compute, &d);
    if (!s && !number_std) s = combine("mul", t, std);
    if (!s) s = combine("add", t, mean);
    if (!s && t != out) s = nomen__copy_values(out, t);
    nomen__release(t);
    return s;
}

/* ---- multinomial ----------------------------------------------------------------------------- */

enum { MOST_CATEGORIES = 1 << 24 };

nomen_status nomen__dtype_multinomial(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    nomen_dtype d = (nomen_dtype)t->dtype;
    if (t->ndim < 1 || t->ndim > 2)
        return nomen__fail(NOMEN_ERROR_SHAPE, "prob_dist must be 1 or 2 dim");
    if (c->target[0] && c->target[0]->dtype != NOMEN_I64)
        return nomen__fail(NOMEN_ERROR_DTYPE, "multinomial expects Long tensor out, got: %s",
                           nomen_dtype_name((nomen_dtype)c->target[0]->dtype));
    if (!nomen_dtype_is_floating(d))
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "multinomial only supports floating-point dtypes for input, got: %s",
                           nomen_dtype_name(d));
    return nomen__dtype_index(c);
}

nomen_status nomen__shape_multinomial(nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    int64_t count = c->arg[1].integer;
    bool again = nomen__given(c, 2) && c->arg[2].flag;
    if (count <= 0) return nomen__fail(NOMEN_ERROR_STATE, "cannot sample n_sample <= 0 samples");
    int64_t categories = t->size[t->ndim - 1];
    if (!again && count > categories)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    if (categories > MOST_CATEGORIES)
        return nomen__fail(NOMEN_ERROR_SHAPE, "number of categories cannot exceed 2^24");
    c->ndim = t->ndim;
    c->size[0] = t->size[0];
    c->size[c->ndim - 1] = count;
    return NOMEN_OK;
}

static nomen_status no_weight(void) {
    return nomen__fail(NOMEN_ERROR_STATE,
                       "invalid multinomial distribution (sum of probabilities <= 0)");
}

static nomen_status check_weights(const nomen_tensor *t, bool again) {
    bool found = false;
    double wrong = 0;
    const double most = t->dtype == NOMEN_F64 ? DBL_MAX : (double)FLT_MAX; /* that is finite */
    nomen_status s = find_wrong(t, most, &found, &wrong);
    if (s || !found) return s;
    return nomen__fail(NOMEN_ERROR_STATE, "%s",
                       !again ? "probability tensor contains either `inf`, `nan` or element < 0"
                       : wrong == (double)INFINITY
                           ? "invalid multinomial distribution (encountering probability entry "
                             "= infinity or NaN)"
                           : "invalid multinomial distribution (encountering probability entry "
                             "< 0)");
}

/* Has each row a weight above 0? */
static nomen_status check_rows(nomen_tensor *t) {
    nomen_status s = NOMEN_OK;
    nomen_scope() {
        nomen_tensor *most = nomen_amax(t, .dim = "-1"), *least = nomen_amin(most);
        if (!least)
            s = nomen__error_code();
        else if (!(nomen_item(least) > 0))
            s = no_weight();
    }
    return s;
}

/* In each row, largest first. */
static nomen_status places_of_largest(nomen_tensor *t, int64_t count, int64_t *places) {
    nomen_status s = NOMEN_OK;
    nomen_scope() {
        nomen_tensor *found = NULL;
        if (nomen_topk(t, count, .dim = "-1", .indices = &found)) found = nomen_contiguous(found);
        if (found)
            memcpy(places, found->data, (size_t)found->numel * sizeof *places);
        else
            s = nomen__error_code();
    }
    return s;
}

/* Without replacement: each weight is divided by an exponential number, and the largest are taken.
 */
static nomen_status sample_once(const nomen__call *c, int64_t *places) {
    nomen_tensor *t = c->in[0], *race = NULL;
    nomen__drawing d = {
        .kind = NOMEN__DRAW_OTHERS + NOMEN__EXPONENTIAL, .g = nomen__generator_given(c), .a = 1};
    race = nomen__like_in_memory(t);
    if (!race) return NOMEN_ERROR_MEMORY;
    nomen_status s = nomen__draw_into(race, (nomen_dtype)t->dtype, &d);
    if (!s) {
        nomen_tensor *in[] = {t, race};
        const nomen__kernel *k = kernel_of("div", t, race);
        nomen__iter it;
        nomen__iter_make(&it, k->loop, race, in, 2, race->ndim, race->size, k->dtype, k->dtype);
        s = nomen__iter_run_asking(&it);
        if (!s) s = places_of_largest(race, c->arg[1].integer, places);
    }
    nomen__release(race);
    return s;
}

/* Running sums of the weights of each row, in double or in float; over the last of them they are
 * the parts that random numbers are looked up among. */
typedef struct sampling {
    const char *weights; /* may be where the sums go */
    char *sums;
    double *u;
    int64_t *places;
    int64_t categories, count;
    bool single, none;   /* none: some row has no weight */
    nomen__loop *divide; /* NULL: the sums are divided where they are looked at */
} sampling;

static double sum_double(double *to, const double *from, int64_t n) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++) to[k] = sum += from[k];
    return sum;
}

static double sum_float(float *to, const float *from, int64_t n) {
    float sum = 0;
    for (int64_t k = 0; k < n; k++) to[k] = sum += from[k];
    return (double)sum;
}

static void sum_rows(void *context, int64_t begin, int64_t end) {
    sampling *s = context;
    const int64_t n = s->categories, item = s->single ? sizeof(float) : sizeof(double);
    for (int64_t r = begin; r < end; r++) {
        char *row = s->sums + r * n * item, whole[sizeof(double)];
        const void *from = s->weights + r * n * item;
        const double sum = s->single ? sum_float((float *)(void *)row, from, n)
                                     : sum_double((double *)(void *)row, from, n);
        if (!(sum > 0)) __atomic_store_n(&s->none, true, __ATOMIC_RELAXED);
        if (!s->divide) continue;
        memcpy(whole, row + (n - 1) * item, (size_t)item);
        s->divide((char *const[3]){row, row, whole}, (const int64_t[3]){item, item, 0}, n);
    }
}

/* The first place whose part is not below u; the last one has 1. No branch depends on u, so that
 * searches overlap. */
static inline __attribute__((always_inline)) int64_t place_among(const void *row, int64_t n,
                                                                 double u, const bool single,
                                                                 const bool divided) {
    const int64_t item = single ? sizeof(float) : sizeof(double);
    const char *from = row, *const last = from + (n - 1) * item;
    for (int64_t half; n > 1; n -= half) {
        half = n / 2;
        const void *const at = from + (half - 1) * item, *const whole = last;
        double part;
        if (single)
            part =
                (double)(divided ? *(const float *)at : *(const float *)at / *(const float *)whole);
        else
            part = divided ? *(const double *)at : *(const double *)at / *(const double *)whole;
        from += item * (half & -(int64_t)(part < u));
    }
    return (from - (const char *)row) / item;
}

static inline __attribute__((always_inline)) void
find_all(const sampling *s, int64_t i, int64_t end, const bool single, const bool divided) {
    const int64_t n = s->categories, count = s->count,
                  item = single ? sizeof(float) : sizeof(double);
    for (int64_t row = i / count; i < end; row++) {
        const int64_t last = (row + 1) * count < end ? (row + 1) * count : end;
        const char *const parts = s->sums + row * n * item;
        for (; i < last; i++) s->places[i] = place_among(parts, n, s->u[i], single, divided);
    }
}

static void find_places(void *context, int64_t begin, int64_t end) {
    const sampling *s = context;
    if (s->single && s->divide)
        find_all(s, begin, end, true, true);
    else if (s->single)
        find_all(s, begin, end, true, false);
    else if (s->divide)
        find_all(s, begin, end, false, true);
    else
        find_all(s, begin, end, false, false);
}

/* Is dividing a few sums, one after the other, less than dividing all of them by vectors? The
 * quotients are the same. */
static bool looks_at_few(int64_t categories, int64_t count) {
    enum { TIMES = 8 };
    int64_t looks = 1;
    for (int64_t n = categories; n > 1; n -= n / 2) looks++;
    return count < categories / TIMES / looks;
}

/* Dense weights of the dtype that they are added up in; NULL: no memory. */
static nomen_tensor *weights_of(nomen_tensor *t) {
    const nomen_dtype kept = t->dtype == NOMEN_F64 ? NOMEN_F64 : NOMEN_F32;
    if (t->flags & NOMEN__CONTIGUOUS && t->dtype == kept) return nomen__retain(t);
    return nomen__copied(nomen__tensor_empty(kept, t->ndim, t->size), t);
}

static nomen_status sample_again(const nomen__call *c, int64_t *places) {
    nomen_tensor *t = c->in[0], *weights = weights_of(t), *sums = NULL, *u = NULL;
    const int64_t categories = t->size[t->ndim - 1];
    nomen_status s = NOMEN_ERROR_MEMORY;
    if (weights) sums = weights == t ? nomen__like_in_memory(t) : nomen__retain(weights);
    if (sums) u = nomen__tensor_empty(NOMEN_F64, c->ndim, c->size);
    if (u) {
        sampling job = {.weights = weights->data,
                        .sums = sums->data,
                        .u = doubles_at(u),
                        .places = places,
                        .categories = categories,
                        .count = c->arg[1].integer,
                        .single = weights->dtype == NOMEN_F32};
        if (!looks_at_few(categories, job.count))
            job.divide = nomen__kernel_find("div", (nomen_dtype)weights->dtype)->loop;
        s = nomen__parallel_asking(weights->numel / categories, NOMEN__GRAIN / categories + 1,
                                   sum_rows, &job);
        if (!s && job.none) s = no_weight();
        if (!s) s = nomen__random_uniform(nomen__generator_given(c), NOMEN_F64, u->data, u->numel);
        if (!s) s = nomen__parallel_asking(u->numel, NOMEN__GRAIN / 16, find_places, &job);
    }
    nomen__release(u);
    nomen__release(sums);
    nomen__release(weights);
    return s;
}

nomen_status nomen__launch_multinomial(nomen__call *c) {
    nomen_tensor *t = c->in[0], *out = c->out[0];
    const bool again = nomen__given(c, 2) && c->arg[2].flag;
    const bool direct = out->flags & NOMEN__CONTIGUOUS;
    if (out->numel == 0) return NOMEN_OK;
    nomen_tensor *places = NULL;
    nomen_status s = check_weights(t, again);
    if (!s && !again) s = check_rows(t);
    if (!s) places = direct ? nomen__retain(out) : nomen__tensor_empty(NOMEN_I64, c->ndim, c->size);
    if (!s && !places) s = NOMEN_ERROR_MEMORY;
    int64_t *at = s ? NULL : (int64_t *)(void *)places->data;
    if (!s) s = again ? sample_again(c, at) : sample_once(c, at);
    if (!s && !direct) s = nomen__copy_values(out, places);
    nomen__release(places);
    return s;
}

/* ---- poisson --------------------------------------------------------------------------------- */

nomen_status nomen__launch_poisson(nomen__call *c) {
    nomen_tensor *rates = doubles_of(c->in[0]);
    if (!rates) return NOMEN_ERROR_MEMORY;
    nomen_status s =
        check_each(rates, DBL_MAX, "invalid Poisson rate, expected rate to be non-negative: it is");
    if (!s) s = nomen__random_poisson(nomen__generator_given(c), doubles_at(rates), rates->numel);
    if (!s) s = nomen__copy_values(c->out[0], rates);
    nomen__release(rates);
    return s;
}

/* ---- dropout --------------------------------------------------------------------------------- */

/* What the elements are multiplied with: 0, or 1 over the probability to stay. */
static nomen_tensor *dropout_factors(nomen_tensor *t, double p) {
    nomen_tensor *factors = nomen__tensor_empty((nomen_dtype)t->dtype, t->ndim, t->size);
    if (!factors) return NULL;
    nomen__drawing d = {.kind = NOMEN__DRAW_BERNOULLI, .a = 1 - p};
    nomen_number stays = nomen_number_float(1 - p);
    nomen_tensor *number = nomen__wrap_number(&stays);
    if (!number || nomen__draw_into(factors, (nomen_dtype)t->dtype, &d)) {
        nomen__release(factors);
        factors = NULL;
    } else if (combine("div", factors, number)) {
        nomen__release(factors);
        factors = NULL;
    }
    nomen__release(number);
    return factors;
}

nomen_status nomen__compose_dropout(nomen__call *c) {
    nomen_tensor *t = c->in[0];
    double p;
    nomen_status s = nomen__real_given(c, 1, 0, &p);
    if (s) return s;
    if (!(p >= 0 && p <= 1))
        return nomen__fail(NOMEN_ERROR_STATE,
                           "dropout probability has to be between 0 and 1, but got %g", p);
    if (p == 0 || !c->arg[2].flag || t->numel == 0) {
        c->out[0] = nomen__retain(t);
        return NOMEN_OK;
    }
    if (!nomen_dtype_is_floating((nomen_dtype)t->dtype) &&
        !nomen_dtype_is_complex((nomen_dtype)t->dtype))
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "result type Float can't be cast to the desired output type %s",
                           nomen_dtype_name((nomen_dtype)t->dtype));
    const nomen_number zero = nomen_number_float(0);
    nomen_tensor *factors = p == 1 ? nomen__wrap_number(&zero) : dropout_factors(t, p);
    if (!factors) return NOMEN_ERROR_MEMORY;
    nomen__call mul;
    nomen__call_begin(&mul, &nomen__ops[NOMEN__OP_MUL]);
    mul.arg[0].tensor = t;
    mul.arg[1].tensor = factors;
    mul.given = 3;
    mul.inplace = c->inplace;
    s = nomen__invoke(&mul);
    nomen__release(factors);
    c->out[0] = mul.out[0];
    return s;
}
