/* Cases of gradients: functions of one element, of two and three tensors. */
#include "gradcheck.h"

#include <math.h>

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
static nomen_tensor *lerp_near(nomen_tensor *const in[]) {
    return nomen_lerp(in[0], in[1], nomen_scalar(0.25));
}
static nomen_tensor *addcmul_value(nomen_tensor *const in[]) {
    return nomen_addcmul(in[0], in[1], in[2], .value = nomen_num(-1.5));
}
static nomen_tensor *addcdiv_value(nomen_tensor *const in[]) {
    return nomen_addcdiv(in[0], in[1], in[2], .value = nomen_num(2));
}

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
    {"angle", NULL, {"N=2 C=3"}, 0.5, 1.5, 0},
    {"atan2", NULL, {"N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"clamp", NULL, {"2 3", "3", "2 1"}, -1, 1, REAL_ONLY},
    {"clamp", clamp_low, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clamp", clamp_high, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clamp", clamp_numbers, {"2 3"}, -1, 1, REAL_ONLY},
    {"clamp_max", NULL, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"clamp_min", NULL, {"2 3", "3"}, -1, 1, REAL_ONLY},
    {"complex", NULL, {"N=2 C=3", "C=3"}, -1.5, 1.5, REAL_ONLY},
    {"conjugate", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"copysign", NULL, {"N=2 C=3", "N=2 C=3"}, -1.5, 1.5, 0},
    {"cos", NULL, {"2 3"}, -1, 1, 0},
    {"div", NULL, {"N=2 C=3", "C=3"}, 0.5, 1.5, 0},
    {"div", NULL, {"3", "2 3"}, -1.5, -0.5, 0},
    {"div", div_floor, {"2 3", "3"}, 0.5, 0.9, REAL_ONLY},
    {"exp", NULL, {"2 3"}, -1, 1, 0},
    {"floor_divide", NULL, {"N=2 C=3", "C=3"}, 1.1, 1.9, 0},
    {"fmod", NULL, {"N=2 C=3", "N=2 C=3"}, 1.1, 1.9, 0},
    {"hypot", NULL, {"N=2 C=3", "N=2 C=3"}, -1.5, 1.5, 0},
    {"logaddexp", NULL, {"N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"logaddexp2", NULL, {"N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"imag", imaginary_part, {"N=2 C=3"}, -1.5, 1.5, 0},
    {"lerp", NULL, {"N=2 C=3", "N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"lerp", lerp_near, {"N=2 C=3", "C=3"}, -1.5, 1.5, 0},
    {"log", NULL, {"2 3"}, 0.2, 2, 0},
    {"logit", NULL, {"2 3"}, 0.2, 0.8, REAL_ONLY},
    {"logit", logit_limited, {"2 4"}, 0.05, 0.95, REAL_ONLY},
    {"maximum", NULL, {"N=2 C=3", "C=3"}, -1, 1, REAL_ONLY},
    {"minimum", NULL, {"N=2 C=3", "C=3"}, -1, 1, REAL_ONLY},
    {"mul", NULL, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"mul", NULL, {"", "2 3"}, -1, 1, 0},
    {"mul", same_twice, {"2 3"}, -1, 1, 0},
    {"nan_to_num", no_infinities, {"2 3"}, -1, 1, REAL_ONLY},
    {"neg", NULL, {"N=2 C=3"}, -1, 1, 0},
    {"polar", NULL, {"N=2 C=3", "C=3"}, 0.5, 1.5, REAL_ONLY},
    {"polygamma", polygamma_two, {"2 3"}, 0.5, 3, REAL_ONLY},
    {"polygamma", polygamma_two, {"2 3"}, -0.7, -0.3, REAL_ONLY},
    {"pow", NULL, {"N=2 C=3", "C=3"}, 0.5, 2, 0},
    {"pow", pow_two, {"2 3"}, -1, 1, 0},
    {"pow", pow_two, {"2 3"}, -1, 1, ONE_ZERO},
    {"pow", pow_zero, {"2 3"}, 0.5, 1, ONE_ZERO | NO_SECOND},
    {"pow", pow_of_zero, {"2 3", "2 3"}, 1.5, 2, NO_SECOND | REAL_ONLY},
    {"real", real_part, {"N=2 C=3"}, -1.5, 1.5, 0},
    {"reciprocal", NULL, {"2 3"}, 0.5, 1.5, 0},
    {"relu", NULL, {"2 3"}, -1, 1, REAL_ONLY},
    {"remainder", NULL, {"N=2 C=3", "N=2 C=3"}, 1.1, 1.9, 0},
    {"remainder", NULL, {"N=2 C=3", "C=3"}, -1.9, -1.1, 0},
    {"round", round_tens, {"2 3"}, -4, 4, REAL_ONLY},
    {"rsqrt", NULL, {"2 3"}, 0.5, 2, 0},
    {"sgn", NULL, {"2 3"}, 0.3, 1, 0},
    {"sigmoid", NULL, {"2 3"}, -1, 1, 0},
    {"sin", NULL, {"2 3"}, -1, 1, 0},
    {"sinc", NULL, {"2 3"}, -0.09, 0.09, 0},
    {"sinc", NULL, {"2 3"}, -2, -0.2, 0},
    {"sqrt", NULL, {"2 3"}, 0.5, 2, 0},
    {"square", NULL, {"2 3"}, -1, 1, 0},
    {"sub", NULL, {"N=2 C=3", "C=3"}, -1, 1, 0},
    {"sub", sub_alpha, {"2 3", "2 1"}, -1, 1, 0},
    {"tanh", NULL, {"2 3"}, -1, 1, 0},
    {"view_as_complex", numbers_of, {"N=3 C=2"}, -1.5, 1.5, REAL_ONLY},
    {"view_as_real", pairs_of, {"N=2 C=3"}, -1.5, 1.5, 0},
    {"where", where_larger, {"N=2 C=3", "C=3", "N=2 C=3"}, -1, 1, 0},
};
const grad_cases gradcases_elementwise = {"elementwise", "gradcases_elementwise.c", cases,
                                          NOMEN_COUNT(cases)};
