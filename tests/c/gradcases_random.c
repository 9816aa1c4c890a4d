/* Cases of gradients: random numbers: the same ones each time. */
#include "gradcheck.h"

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

static const grad_case cases[] = {
    {"bernoulli", bernoulli_of, {"N=2 C=3"}, 0.1, 0.9, REAL_ONLY},
    {"bernoulli", bernoulli_clone, {"2 3", "3"}, 0.1, 0.9, REAL_ONLY},
    {"cauchy", cauchy_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"dropout", dropped, {"2 3"}, -1, 1, REAL_ONLY},
    {"exponential", exponential_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"geometric", geometric_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"log_normal", log_normal_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"normal", normal_of, {"2 3", "3"}, 0.1, 1, REAL_ONLY},
    {"normal_", normal_clone, {"2 3"}, -1, 1, 0},
    {"poisson", poisson_of, {"2 3"}, 0.1, 9, REAL_ONLY},
    {"random", random_clone, {"2 3"}, -1, 1, REAL_ONLY},
    {"uniform", uniform_clone, {"2 3"}, -1, 1, 0},
};
const grad_cases gradcases_random = {"random", "gradcases_random.c", cases, NOMEN_COUNT(cases)};
