/* Rows whose arguments decide which kernel runs: alpha, rounding_mode, bounds. */
#include "op/launch.h"
#include "op/rows.gen.h"

#include <math.h>
#include <string.h>

static nomen_dtype dtype_of(const nomen_number *n) {
    static const nomen_dtype dtypes[] = {
        [NOMEN_NUMBER_BOOL] = NOMEN_BOOL,
        [NOMEN_NUMBER_INT] = NOMEN_I64,
        [NOMEN_NUMBER_FLOAT] = NOMEN_F64,
        [NOMEN_NUMBER_COMPLEX] = NOMEN_C128,
    };
    return dtypes[n->kind];
}

nomen_dtype nomen__number_to(const nomen_number *n, void *value) {
    double parts[2] = {n->re, n->im};
    uint8_t truth = n->i != 0;
    switch (n->kind) {
    case NOMEN_NUMBER_BOOL: memcpy(value, &truth, 1); break;
    case NOMEN_NUMBER_INT: memcpy(value, &n->i, 8); break;
    case NOMEN_NUMBER_FLOAT: memcpy(value, parts, 8); break;
    default: memcpy(value, parts, 16); break;
    }
    return dtype_of(n);
}

nomen_tensor *nomen__wrap_number(const nomen_number *n) {
    nomen_tensor *t = nomen__tensor_empty(dtype_of(n), 0, NULL);
    if (!t) return NULL;
    (void)nomen__number_to(n, t->data);
    t->flags |= NOMEN__WRAPPED;
    return t;
}

/* Its one reference is nobody's, so it stays; a launch may hold on to it as to any other. */
nomen__storage nomen__passing_storage = {.refs = 1, .inlined = 1};

/* All of a header: a launch may hold on to it while it runs, and look at what it has. */
static void pass_number(nomen_tensor *t, nomen_dtype d, void *value) {
    nomen__pass_number(t, d, value);
    atomic_init(&t->refs, 1);
    t->size = t->inline_size;
    t->stride = t->inline_stride;
    t->names = t->inline_names;
    t->grad = NULL;
    t->scope = NULL;
    t->python = NULL;
}

/* The operand lies in the call, unless somebody may keep it. */
nomen_status nomen__add_number(nomen__call *c, const nomen_number *n, nomen_dtype d) {
    _Alignas(16) char value[16];
    const nomen_dtype own = nomen__number_to(n, value);
    const bool half = d == NOMEN_F16 || d == NOMEN_BF16, kept = c->record || nomen__fusing;
    nomen__loop *cast = half || !nomen_can_cast(own, d) ? NULL : nomen__cast_loop(own, d);
    if (!cast) d = own;
    nomen_tensor *t = kept ? nomen__tensor_empty(d, 0, NULL) : &c->passing[c->nin - 1];
    if (!t) return NOMEN_ERROR_MEMORY;
    if (kept)
        nomen__take_temporary(c, t);
    else
        pass_number(t, d, c->passing_value[c->nin - 1]);
    if (cast)
        nomen__cast_one(cast, d, t->data, own, value);
    else
        memcpy(t->data, value, (size_t)nomen__item(d));
    t->flags |= NOMEN__WRAPPED;
    c->in[c->nin++] = t;
    c->in_count = c->nin;
    return NOMEN_OK;
}

bool nomen__is_one(const nomen_number *n) {
    return n->kind == NOMEN_NUMBER_FLOAT     ? n->re == 1
           : n->kind == NOMEN_NUMBER_COMPLEX ? n->re == 1 && n->im == 0
                                             : n->i == 1;
}

static nomen_status no_float_alpha(void) {
    return nomen__fail(
        NOMEN_ERROR_DTYPE,
        "For integral input tensors, argument alpha must not be a floating point number.");
}

nomen_status nomen__check_alpha(const nomen_number *alpha, nomen_dtype d) {
    if (alpha->kind == NOMEN_NUMBER_BOOL && d != NOMEN_BOOL)
        return nomen__fail(NOMEN_ERROR_DTYPE, "Boolean alpha only supported for Boolean results.");
    if (alpha->kind == NOMEN_NUMBER_FLOAT && nomen_dtype_is_integral(d) && d != NOMEN_BOOL)
        return no_float_alpha();
    if (alpha->kind == NOMEN_NUMBER_COMPLEX && nomen_dtype_is_integral(d)) return no_float_alpha();
    if (alpha->kind == NOMEN_NUMBER_COMPLEX && !nomen_dtype_is_complex(d))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "For non-complex input tensors, argument alpha must not be a complex number.");
    return NOMEN_OK;
}

/* add, sub: with an alpha other than 1 a kernel of three operands. */
nomen_status nomen__choose_scaled(nomen__call *c) {
    bool subtract = c->op->id == NOMEN__OP_SUB;
    if (NOMEN_UNLIKELY(subtract && c->in[0]->dtype == NOMEN_BOOL && c->in[1]->dtype == NOMEN_BOOL))
        return nomen__fail(
            NOMEN_ERROR_DTYPE,
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use "
            "the `^` or `logical_xor()` operator instead.");
    if (NOMEN_LIKELY(!nomen__given(c, 2))) return NOMEN_OK;
    const nomen_number *alpha = c->arg[2].number;
    nomen_dtype d = nomen__common_dtype(c->in, 2);
    nomen_status s = nomen__check_alpha(alpha, d);
    if (!s && alpha->kind == NOMEN_NUMBER_FLOAT && d == NOMEN_BOOL) s = no_float_alpha();
    if (!s && nomen__is_one(alpha)) return NOMEN_OK;
    const nomen_number truth = {NOMEN_NUMBER_BOOL, alpha->i != 0, 0, 0};
    if (d == NOMEN_BOOL) alpha = &truth;
    if (!s) s = nomen__check_number(alpha, d);
    if (!s) s = nomen__add_number(c, alpha, d);
    if (s) return s;
    c->kernel_name = subtract ? "sub_scaled" : "add_scaled";
    return NOMEN_OK;
}

/* Powers that one instruction or two compute. That of 1/2 is the root, also of -inf and -0. */
const char *nomen__kernel_of_power(const nomen_tensor *exponent) {
    static const struct {
        double power;
        const char *kernel;
    } simple[] = {{2, "square"},      {3, "cube"},     {0.5, "sqrt"},
                  {-1, "reciprocal"}, {-0.5, "rsqrt"}, {-2, "inverse_square"},
                  {1, "copy"},        {0, "one"}};
    if (nomen_dtype_is_complex((nomen_dtype)exponent->dtype)) return NULL;
    double power = nomen_item((nomen_tensor *)(uintptr_t)exponent);
    for (size_t i = 0; i < NOMEN_COUNT(simple); i++)
        if (simple[i].power == power) return simple[i].kernel;
    return NULL;
}

/* Is one of n whole numbers 0? */
static bool has_zero(const void *at, int64_t n, int64_t item) {
    const uint8_t *one = at;
    const uint16_t *two = at;
    const uint32_t *four = at;
    const uint64_t *eight = at;
    bool found = false;
    switch (item) {
    case 1:
        for (int64_t i = 0; i < n; i++) found |= one[i] == 0;
        return found;
    case 2:
        for (int64_t i = 0; i < n; i++) found |= two[i] == 0;
        return found;
    case 4:
        for (int64_t i = 0; i < n; i++) found |= four[i] == 0;
        return found;
    default:
        for (int64_t i = 0; i < n; i++) found |= eight[i] == 0;
        return found;
    }
}

/* 1: none of them is 0, 0: one is, -1: that failed. A few are looked at here, which takes less than
 * the call. */
static int are_whole(nomen_tensor *t) {
    enum { SOME = 256 };
    const int64_t item = nomen__item(t->dtype);
    if (t->numel <= SOME && t->flags & NOMEN__CONTIGUOUS && !(t->flags & NOMEN__AWAY))
        return !has_zero(t->data, t->numel, item);
    return nomen__truth(nomen__apply(NOMEN__OP_ALL, t, NULL));
}

/* Sizes, then whether a divisor among integers is 0. gen.py lets floats past this on the short way:
 * this step looks at nothing else of theirs. */
nomen_status nomen__shape_quotient(nomen__call *c) {
    nomen_status s = nomen__shape_broadcast(c);
    bool empty = c->in[0]->numel == 0; /* then nothing is divided */
    if (s || !nomen_dtype_is_integral(c->compute) || empty) return s;
    int whole = are_whole(c->in[1]); /* which is of whole numbers, as the result is */
    if (whole < 0) return NOMEN_ERROR_MEMORY;
    return whole ? NOMEN_OK
                 : nomen__fail(NOMEN_ERROR_STATE,
                               "ZeroDivisionError: integer division by a zero element of other");
}

nomen_status nomen__choose_rounding(nomen__call *c) {
    if (!nomen__given(c, 2)) return NOMEN_OK;
    const char *mode = c->arg[2].text;
    if (strcmp(mode, "floor") != 0 && strcmp(mode, "trunc") != 0)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%.40s'",
            mode);
    c->kernel_name = *mode == 'f' ? "div_floor" : "div_trunc";
    return NOMEN_OK;
}

static bool is_whole(const nomen_tensor *t) {
    return t->dtype == NOMEN_BOOL || nomen_dtype_is_integral((nomen_dtype)t->dtype);
}

/* addcmul, addcdiv: value is the fourth operand, 1 if it is not given. */
nomen_status nomen__choose_factor(nomen__call *c) {
    static const nomen_number one = {NOMEN_NUMBER_INT, 1, 0, 0};
    const nomen_number *value = nomen__given(c, 3) ? c->arg[3].number : &one;
    nomen_dtype d = nomen__common_dtype(c->in, 3);
    if (c->op->id == NOMEN__OP_ADDCDIV && is_whole(c->in[1]) && is_whole(c->in[2]))
        return nomen__fail(NOMEN_ERROR_DTYPE,
                           "Integer division with addcdiv is no longer supported: convert an "
                           "operand to a floating dtype, or use div with a rounding_mode");
    nomen_status s = nomen__check_number(value, d);
    return s ? s : nomen__add_number(c, value, d);
}

nomen_status nomen__choose_bounds(nomen__call *c) {
    bool low = nomen__given(c, 1), high = nomen__given(c, 2);
    if (!low && !high)
        return nomen__fail(NOMEN_ERROR_STATE,
                           "torch.clamp: At least one of 'min' or 'max' must not be None");
    if (!high) c->kernel_name = "maximum";
    if (!low) c->kernel_name = "minimum";
    return nomen__choose_bound(c);
}

nomen_status nomen__choose_bound(nomen__call *c) {
    return nomen__numbers_fit(c->in + 1, c->nin - 1, nomen__common_dtype(c->in, c->nin));
}

nomen_status nomen__choose_fill(nomen__call *c) {
    if (c->in[1]->ndim == 0) return nomen__numbers_fit(c->in + 1, 1, (nomen_dtype)c->in[0]->dtype);
    return nomen__fail(
        NOMEN_ERROR_SHAPE,
        "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
        c->in[1]->ndim);
}

nomen_status nomen__choose_layout(nomen__call *c) {
    return nomen__given(c, 1) ? nomen__format_find(c->arg[1].text, &c->format) : NOMEN_OK;
}

/* The kernels of sgn and conj are for complex numbers; real ones have simpler ones of the same
 * meaning. */
nomen_status nomen__choose_sgn(nomen__call *c) {
    if (!nomen_dtype_is_complex((nomen_dtype)c->in[0]->dtype)) c->kernel_name = "sign";
    return NOMEN_OK;
}

nomen_status nomen__choose_conj(nomen__call *c) {
    if (!nomen_dtype_is_complex((nomen_dtype)c->in[0]->dtype)) c->kernel_name = "copy";
    return NOMEN_OK;
}

/* Integers are all numbers. */
nomen_status nomen__choose_nansum(nomen__call *c) {
    int i = nomen__arg_of(c->op, NOMEN__DTYPE);
    nomen_dtype d = nomen__given(c, i) ? c->arg[i].dtype
                    : c->target[0]     ? (nomen_dtype)c->target[0]->dtype
                                       : (nomen_dtype)c->in[0]->dtype;
    if (!nomen_dtype_is_floating(d) && !nomen_dtype_is_complex(d)) c->kernel_name = "sum";
    return NOMEN_OK;
}

/* Over all dims there is no position to keep. */
nomen_status nomen__choose_extremum(nomen__call *c) {
    if (!nomen__given(c, 1)) c->kernel_name = c->op->id == NOMEN__OP_MAX ? "amax" : "amin";
    return NOMEN_OK;
}

/* |self| ** p, which the kernel adds up; half types in float32. */
static nomen_tensor *powers(const nomen__call *c, double p) {
    const nomen_number exponent = {NOMEN_NUMBER_FLOAT, 0, p, 0};
    int i = nomen__arg_of(c->op, NOMEN__DTYPE);
    nomen_tensor *self = c->in[0], *size = NULL, *wide = NULL, *power = NULL;
    if (nomen__given(c, i)) self = nomen__launch_input(self, c->arg[i].dtype);
    nomen_tensor *number = nomen__wrap_number(&exponent);
    if (self && number) size = nomen__apply(NOMEN__OP_ABS, self, NULL);
    if (size) wide = nomen__launch_input(size, size->dtype == NOMEN_F64 ? NOMEN_F64 : NOMEN_F32);
    if (wide) power = nomen__apply(NOMEN__OP_POW, wide, number);
    if (power && (c->in[0]->flags & NOMEN__NAMED)) nomen__set_names(power, c->in[0]->names);
    nomen__launch_done(size, wide);
    nomen__release(number);
    nomen__launch_done(c->in[0], self);
    nomen__release(size);
    return power;
}

/* From here on the root of a sum of powers is the largest of the numbers (of negative powers the
 * smallest) to the last bit: n equal ones give n ** (1 / p) of it, which rounds to 1 for every n
 * that memory has room for. The powers themselves would overflow. */
#define LIKE_INFINITY 0x1p60

/* Is there one element along the dims that are reduced? */
static bool is_alone(const nomen__call *c) {
    const nomen_tensor *t = c->in[0];
    bool alone = true;
    for (int d = 0; d < t->ndim; d++) alone &= t->size[d] == 1 || !(c->mask >> d & 1);
    return alone;
}

nomen_status nomen__choose_norm(nomen__call *c) {
    static const struct {
        double p;
        const char *kernel;
    } known[] = {{0, "norm_0"},
                 {1, "norm_1"},
                 {2, "norm_2"},
                 {(double)INFINITY, "norm_max"},
                 {-(double)INFINITY, "norm_min"}};
    if (!nomen__given(c, 1)) return NOMEN_OK;
    const nomen_number *n = c->arg[1].number;
    if (n->kind == NOMEN_NUMBER_COMPLEX)
        return nomen__fail(NOMEN_ERROR_TYPE, "norm(): p must be a real number, not complex");
    double p = nomen__real_of(n);
    if (fabs(p) >= LIKE_INFINITY && c->in[0]->numel) p = copysign((double)INFINITY, p);
    for (size_t i = 0; i < NOMEN_COUNT(known); i++)
        if (p == known[i].p) {
            c->kernel_name = known[i].kernel;
            return NOMEN_OK;
        }
    int i = nomen__arg_of(c->op, NOMEN__DTYPE);
    nomen_dtype d = nomen__given(c, i) ? c->arg[i].dtype : (nomen_dtype)c->in[0]->dtype;
    if (!nomen_dtype_is_floating(d) && !nomen_dtype_is_complex(d))
        return NOMEN_OK; /* the dtype step says so */
    nomen_status s = nomen__resolve_dims(c);
    if (s) return s;
    if (p == p && is_alone(c)) { /* the root of the power of one number */
        c->kernel_name = "norm_max";
        return NOMEN_OK;
    }
    bool recording = nomen__grad_enabled;
    nomen__grad_enabled = false;
    nomen_tensor *t = powers(c, p);
    nomen__grad_enabled = recording;
    if (!t) return NOMEN_ERROR_MEMORY;
    nomen__take_temporary(c, t);
    c->in[0] = t;
    c->kernel_name = "norm_root";
    c->reduce_correction = p;
    return NOMEN_OK;
}
