/* Elementwise kernels: that every ISA has the same table, that every ISA computes what scalar
 * computes in every layout and writes nothing else, and that scalar computes what C computes.
 * Accuracy: test_kernels_math.c. */
#include "elementwise.h"
#include "op/op.h"

#include <complex.h>
#include <sys/mman.h>
#include <unistd.h>
#undef I       /* the integers, below */
#undef complex /* a file of kernels */
#define IMAGINARY _Complex_I

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- the table ------------------------------------------------------------------------------- */

enum { B = 1, I = 2, F = 4, C = 8, REAL = I | F, ALL = B | I | F | C };

static const struct {
    const char *name;
    int kinds;
} expected[] = {
    {"add", ALL},
    {"sub", I | F | C},
    {"mul", ALL},
    {"add_scaled", ALL},
    {"sub_scaled", I | F | C},
    {"div", F | C},
    {"div_floor", REAL},
    {"div_trunc", REAL},
    {"remainder", REAL},
    {"fmod", REAL},
    {"copysign", F},
    {"lerp", F | C},
    {"addcmul", I | F | C},
    {"addcdiv", F | C},
    {"bitwise_and", B | I},
    {"bitwise_or", B | I},
    {"bitwise_xor", B | I},
    {"bitwise_left_shift", I},
    {"bitwise_right_shift", I},
    {"pow", I | F | C},
    {"maximum", B | REAL},
    {"minimum", B | REAL},
    {"fmax", B | REAL},
    {"fmin", B | REAL},
    {"eq", ALL},
    {"ne", ALL},
    {"lt", B | REAL},
    {"le", B | REAL},
    {"gt", B | REAL},
    {"ge", B | REAL},
    {"logical_and", ALL},
    {"logical_or", ALL},
    {"logical_xor", ALL},
    {"atan2", F},
    {"hypot", F},
    {"logaddexp", F},
    {"logaddexp2", F},
    {"clamp", B | REAL},
    {"where", ALL},
    {"neg", I | F | C},
    {"abs", ALL},
    {"sign", B | REAL},
    {"sgn", C},
    {"copy", ALL},
    {"exp", F | C},
    {"log", F | C},
    {"log2", F | C},
    {"sqrt", F | C},
    {"rsqrt", F | C},
    {"tanh", F | C},
    {"sigmoid", F | C},
    {"sin", F | C},
    {"cos", F | C},
    {"reciprocal", F | C},
    {"relu", REAL},
    {"square", I | F | C},
    {"cube", I | F},
    {"inverse_square", F},
    {"one", I | F},
    {"conj", C},
    {"angle", F | C},
    {"real", C},
    {"imag", C},
    {"logical_not", ALL},
    {"expm1", F | C},
    {"exp2", F | C},
    {"log10", F | C},
    {"log1p", F | C},
    {"tan", F | C},
    {"asin", F | C},
    {"acos", F | C},
    {"atan", F | C},
    {"sinh", F | C},
    {"cosh", F | C},
    {"asinh", F | C},
    {"acosh", F | C},
    {"atanh", F | C},
    {"erf", F},
    {"erfc", F},
    {"erfinv", F},
    {"sinc", F | C},
    {"logit", F},
    {"lgamma", F},
    {"digamma", F},
    {"polygamma", F},
    {"logit_limited", F},
    {"frac", F},
    {"deg2rad", F},
    {"rad2deg", F},
    {"round_decimals", F},
    {"round_tens", REAL},
    {"floor", REAL},
    {"ceil", REAL},
    {"round", REAL},
    {"trunc", REAL},
    {"bitwise_not", B | I},
    {"signbit", B | REAL},
    {"isposinf", B | REAL},
    {"isneginf", B | REAL},
    {"isnan", ALL},
    {"isinf", ALL},
    {"isfinite", ALL},
    {"nan_to_num", F | C},
    {"threshold", B | REAL},
    {"relu_gradient", F},
    {"tanh_gradient", F | C},
    {"sigmoid_gradient", F | C},
    {"logit_gradient", F},
    {"product_gradient", F},
    {"over_product_gradient", F},
    {"sum_product_gradient", F},
    {"over_sum_gradient", F},
    {"threshold_gradient", F},
    {"hypot_gradient", F},
    {"norm3_gradient", F},
    {"logit_limited_gradient", F},
    {"acosh_gradient", F},
    {"sinc_slope", F},
};

static int kind_of(nomen_dtype d) {
    return d == NOMEN_BOOL ? B : is_complex(d) ? C : is_float(d) ? F : I;
}

static bool is_expected(const char *name) {
    for (int e = 0; e < COUNT(expected); e++)
        if (!strcmp(expected[e].name, name)) return true;
    return !strcmp(name, "cast");
}

/* Operations added later need no line here: their rows say which dtypes they are for. */
static bool is_of_a_row(const char *name) {
    for (const nomen__op *op = nomen__ops; op->name; op++)
        if (op->kernel && !strcmp(op->kernel, name)) return true;
    return false;
}

/* The loops of points.c gather and scatter, those of turn.c move elements to other places (both:
 * test_kernels_points.c), those of search.c look up in another row, those of ramp.c have no
 * operands, those of rotate.c write to theirs: tests/python/test_select.py, test_counting.py,
 * test_layouts.py and test_nuclear_norm.py have them. */
static bool is_elementwise(int table) {
    return table != TABLE_points && table != TABLE_search && table != TABLE_ramp &&
           table != TABLE_rotate && table != TABLE_turn;
}

/* Rows, as they are, in reverse and of one number: test_kernels_points.c. */
static bool is_of_elements(const nomen__kernel *k) {
    static const char *const of_rows[] = {"reverse", "rows", "fill", NULL};
    return k->loop && !in_list(k->name, of_rows);
}

static void test_tables(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        int wanted = 0, found = 0;
        for (int e = 0; e < COUNT(expected); e++) {
            for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
                const bool there =
                    find_kernel(&all_isas[i], expected[e].name, d, NOMEN_DTYPE_NONE) != NULL;
                const bool want = (expected[e].kinds & kind_of(d)) != 0;
                wanted += want;
                if (there != want)
                    fail_msg("%s %s %s: in table %d, wanted %d", all_isas[i].name, expected[e].name,
                             dtype_names[d], there, want);
            }
        }
        for (nomen_dtype d = NOMEN_BOOL; d < NOMEN_DTYPE_COUNT; d++) {
            for (nomen_dtype to = NOMEN_BOOL; to < NOMEN_DTYPE_COUNT; to++, wanted++) {
                if (!find_kernel(&all_isas[i], "cast", d, to))
                    fail_msg("%s: no cast from %s to %s", all_isas[i].name, dtype_names[d],
                             dtype_names[to]);
            }
        }
        for (int t = 0; t < TABLES; t++) {
            if (!is_elementwise(t)) continue;
            for (const nomen__kernel *k = all_isas[i].table[t]; k->name; k++) {
                if (!is_of_elements(k)) continue;
                if (k->to != NOMEN_DTYPE_NONE && strcmp(k->name, "cast") != 0)
                    assert_ptr_equal(find_kernel(&all_isas[i], k->name, k->dtype, k->to), k);
                else if (is_expected(k->name))
                    found++;
                else if (!is_of_a_row(k->name))
                    fail_msg("%s: no operation has the kernel %s", all_isas[i].name, k->name);
            }
        }
        assert_int_equal(found, wanted); /* no row twice */
    }
}

/* ---- ISA against scalar ---------------------------------------------------------------------- */

/* Distance in steps between neighbouring numbers of a float dtype; 0 for two NaNs, huge for one. */
static int64_t steps_apart(nomen_dtype d, const char *p, const char *q) {
    int64_t a = 0, b = 0, sign;
    const int size = dtype_size[d];
    const double x = load_double(d, p), y = load_double(d, q);
    if (x != x || y != y) return x != x && y != y ? 0 : INT64_MAX;
    memcpy(&a, p, (size_t)size);
    memcpy(&b, q, (size_t)size);
    sign = size == 8 ? INT64_MIN : (int64_t)1 << (8 * size - 1);
    if (a & sign) a = -(a & ~sign);
    if (b & sign) b = -(b & ~sign);
    return x == y && signbit(x) != signbit(y) ? 1 : a > b ? a - b : b - a;
}

/* How far a kernel may be from scalar: arithmetic not at all, mathematics by twice its documented
 * error. */
static int64_t allowed_steps(const nomen__kernel *k) {
    static const char *const inexact[] = {
        "exp",   "log",   "log2",   "sin",     "cos",           "tanh",      "sigmoid", "pow",
        "expm1", "exp2",  "log10",  "log1p",   "tan",           "asin",      "acos",    "atan",
        "sinh",  "cosh",  "asinh",  "acosh",   "atanh",         "erf",       "erfc",    "erfinv",
        "sinc",  "logit", "lgamma", "digamma", "logit_limited", "polygamma", "atan2",   NULL};
    if (!in_list(k->name, inexact) || !is_float(k->dtype)) return 0;
    return k->dtype == NOMEN_F32 || k->dtype == NOMEN_F64 ? 4 : 1;
}

/* Where a sum may nearly cancel, an error is measured by what was added. */
static bool same_sum(nomen_dtype d, const char *p, const char *q) {
    const double eps = d == NOMEN_F64    ? 0x1p-52
                       : d == NOMEN_F32  ? 0x1p-23
                       : d == NOMEN_BF16 ? 0x1p-7
                                         : 0x1p-10;
    const double x = load_double(d, p), y = load_double(d, q);
    return x == y || (x != x && y != y) || fabs(x - y) <= 4 * eps * (fabs(x) + 1);
}

/* Functions of complex numbers: what differs is measured by the size of the number; powers, whose
 * angle is that of x times y, may be further off. One too large is so in all. */
static bool same_function(const nomen__kernel *k, const char *p, const char *q) {
    const bool single = k->dtype == NOMEN_C64;
    const nomen_dtype part = single ? NOMEN_F32 : NOMEN_F64;
    const double eps = single ? 0x1p-22 : strcmp(k->name, "pow") == 0 ? 0x1p-40 : 0x1p-48;
    const double least = single ? 0x1p-148 : 0x1p-1073;
    const int parts = is_complex(out_dtype(k)) ? 2 : 1;
    double a[2] = {0, 0}, b[2] = {0, 0};
    for (int i = 0; i < parts; i++) {
        a[i] = load_double(part, p + i * dtype_size[part]);
        b[i] = load_double(part, q + i * dtype_size[part]);
    }
    const double size = hypot(a[0], a[1]);
    for (int i = 0; i < parts; i++) {
        if (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])) continue;
        if (!(isfinite(size) && fabs(a[i] - b[i]) <= eps * size + least)) return false;
    }
    return true;
}

static bool same_element(const nomen__kernel *k, const char *p, const char *q) {
    static const char *const functions[] = {"angle", "exp",   "exp2", "expm1", "log",     "log2",
                                            "log10", "log1p", "sin",  "cos",   "tan",     "asin",
                                            "acos",  "atan",  "sinh", "cosh",  "tanh",    "asinh",
                                            "acosh", "atanh", "sinc", "pow",   "sigmoid", NULL};
    static const char *const sums[] = {"logaddexp", "logaddexp2", "digamma", "sinc_slope", NULL};
    static const char *const moves[] = {"copy", "where", "real", "imag", NULL};
    const nomen_dtype d = out_dtype(k);
    const int size = dtype_size[d];
    if (memcmp(p, q, (size_t)size) == 0) return true;
    if (in_list(k->name, sums)) return same_sum(d, p, q);
    if (is_complex(k->dtype) && in_list(k->name, functions)) return same_function(k, p, q);
    if (in_list(k->name, moves) || (!is_float(d) && !is_complex(d))) return false;
    if (!is_complex(d)) return steps_apart(d, p, q) <= allowed_steps(k);
    /* both parts: equal or both NaN; near, of products with a sine and a cosine */
    const nomen_dtype part = d == NOMEN_C64 ? NOMEN_F32 : NOMEN_F64;
    const int64_t most = strcmp(k->name, "polar") == 0 ? 2 : 0;
    return steps_apart(part, p, q) <= most && steps_apart(part, p + size / 2, q + size / 2) <= most;
}

static void check_run(const nomen__kernel *k, const isa_tables *isa, operands *o, const char *want,
                      char *got, enum layout layout) {
    const int64_t start = o->ptr[0] - o->memory[0];
    run_kernel(k, o, got);
    if (!strcmp(isa->name, "avx2") && upper_halves()) /* where it was seen to hold */
        fail_msg(
            "%s %s %s->%s: leaves the upper halves of vectors in use, %lld elements, layout %u",
            isa->name, k->name, dtype_names[k->dtype], dtype_names[out_dtype(k)], (long long)o->n,
            layout);
    /* the outputs, and then, with those put right, everything around and between them */
    for (int64_t j = 0; j < o->n; j++) {
        const int64_t at = start + j * o->step[0];
        if (!same_element(k, want + at, got + at))
            fail_msg("%s %s %s->%s: element %lld of %lld differs from scalar, layout %u", isa->name,
                     k->name, dtype_names[k->dtype], dtype_names[out_dtype(k)], (long long)j,
                     (long long)o->n, layout);
        memcpy(got + at, o->memory[0] + at, (size_t)o->out_size);
    }
    if (memcmp(got, o->memory[0], (size_t)o->room) != 0)
        fail_msg("%s %s %s: wrote beside its %lld outputs, layout %u", isa->name, k->name,
                 dtype_names[k->dtype], (long long)o->n, layout);
}

/* The same operands through scalar and through every other ISA (with none at hand scalar against
 * itself: guards). */
static void compare_isas(const nomen__kernel *k, enum layout layout, int64_t n, operands *o,
                         char *want, char *got) {
    const int count = arity(k->name);
    if (layout != CONTIGUOUS && layout != ALL_CONSTANT && count == 1 && layout < STRIDED) return;
    if (layout == REST_CONSTANT && count == 2) return;
    if (!operands_set(o, k, layout, n)) return;
    run_kernel(k, o, want);
    check_run(k, &all_isas[0], o, want, got, layout);
    for (int i = 1; i < ISAS; i++) {
        if (isa_runs(i))
            check_run(find_kernel(&all_isas[i], k->name, k->dtype, k->to), &all_isas[i], o, want,
                      got, layout);
    }
}

/* The same bits, but for the kinds of NaN. */
static bool same_number(nomen_dtype d, const char *p, const char *q) {
    const nomen_dtype part = d == NOMEN_C64 ? NOMEN_F32 : d == NOMEN_C128 ? NOMEN_F64 : d;
    const int size = dtype_size[part];
    for (int at = 0; at < dtype_size[d]; at += size) {
        if (memcmp(p + at, q + at, (size_t)size) == 0) continue;
        if (!is_float(part)) return false;
        if (!isnan(load_double(part, p + at)) || !isnan(load_double(part, q + at))) return false;
    }
    return true;
}

/* What a number becomes depends neither on its neighbours nor on where in a vector it stands: the
 * elements of a run, and each by itself, have the same bits. */
static void check_alone(const nomen__kernel *k, const isa_tables *isa, const operands *o,
                        char *got) {
    const nomen_dtype d = out_dtype(k);
    operands run = *o;
    run_kernel(k, &run, got);
    for (int64_t j = 0; j < o->n; j++) {
        char alone[16];
        char *ptr[OPERANDS] = {alone};
        for (int i = 1; i <= arity(k->name); i++) ptr[i] = o->ptr[i] + j * o->step[i];
        k->loop(ptr, (const int64_t[]){o->out_size, 0, 0, 0, 0}, 1);
        const char *there = got + (o->ptr[0] - o->memory[0]) + j * o->step[0];
        if (same_number(d, there, alone)) continue;
        fail_msg("%s %s %s: element %lld of %lld is another one by itself", isa->name, k->name,
                 dtype_names[k->dtype], (long long)j, (long long)o->n);
    }
}

/* Lengths of two and more turns of every loop, and a rest. */
static void compare_alone(const nomen__kernel *k, operands *o, char *got) {
    static const enum layout layouts[] = {CONTIGUOUS, LAST_CONSTANT, STRIDED, BACKWARDS};
    for (int l = 0; l < COUNT(layouts); l++)
        for (int64_t n = 67; n < 400; n += 210)
            for (int i = 0; i < ISAS; i++)
                if (isa_runs(i) && operands_set(o, k, layouts[l], n))
                    check_alone(find_kernel(&all_isas[i], k->name, k->dtype, k->to), &all_isas[i],
                                o, got);
}

static void compare_table(int table) {
    operands o;
    operands_new(&o);
    char *want = malloc(ROOM), *got = malloc(ROOM);
    assert_non_null(want);
    assert_non_null(got);
    for (const nomen__kernel *k = all_isas[0].table[table]; k->name; k++) {
        if (!is_of_elements(k)) continue;
        for (enum layout layout = 0; layout < LAYOUTS; layout++) {
            const bool every = layout == CONTIGUOUS || layout == IN_PLACE;
            for (int64_t n = 0; n < 68; n += every || n < 4 ? 1 : 5)
                compare_isas(k, layout, n, &o, want, got);
            compare_isas(k, layout, 129, &o, want, got);
            compare_isas(k, layout, MAX_N, &o, want, got);
        }
        compare_alone(k, &o, got);
    }
    free(want);
    free(got);
    operands_free(&o);
}

static void test_isas(void **state) {
    (void)state;
    for (int t = 0; t < TABLES; t++)
        if (is_elementwise(t)) compare_table(t);
}

/* Elements with gaps between them, the last one at the end of memory: what lies beyond is not read
 * (nor, for the first one, what lies before). */
static void test_ends_of_memory(void **state) {
    enum { MOST = 70, STEPS = 4 };
    static const nomen_dtype dtypes[] = {NOMEN_U8, NOMEN_I16, NOMEN_I32, NOMEN_I64, NOMEN_C128};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 room = 2 * page; /* with 4 KiB: MOST * 64 fits */
    char *pages = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char got[MOST * 16];
    (void)state;
    assert_true(pages != MAP_FAILED && !mprotect(pages + page, room, PROT_READ | PROT_WRITE));
    for (size_t i = 0; i < room; i++) pages[page + i] = (char)(i * 7 + i / 256);
    for (int i = 0; i < ISAS; i++)
        for (int d = 0; isa_runs(i) && d < COUNT(dtypes); d++) {
            const nomen__kernel *k = find_kernel(&all_isas[i], "cast", dtypes[d], dtypes[d]);
            const int64_t size = dtype_size[dtypes[d]];
            for (int64_t n = 1; n <= MOST; n++)
                for (int64_t step = -STEPS * size; step <= STEPS * size; step += size) {
                    char *last = pages + page + room - size, *first = pages + page;
                    char *from = step > 0 ? last - (n - 1) * step : first - (n - 1) * step;
                    if (step == 0) from = last;
                    k->loop((char *[]){got, from}, (const int64_t[]){size, step}, n);
                    for (int64_t j = 0; j < n; j++)
                        assert_memory_equal(got + j * size, from + j * step, (size_t)size);
                }
        }
    munmap(pages, room + 2 * page);
}

/* ---- scalar against C ------------------------------------------------------------------------ */

static double floor_divide(double x, double y) {
    const double r = fmod(x, y);
    double q = (x - r) / y;
    if (y == 0) return x / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    return q == 0 ? copysign(0, x / y) : floor(q) + (q - floor(q) > 0.5);
}
static double python_remainder(double x, double y) {
    const double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* The exact or correctly rounded result in double. Of f32 and narrower operands, rounding a double
 * sum, product, quotient or root once more is what rounding once gives (53 >= 2 * 24 + 2). false:
 * not a kernel of this check. */
static bool expected_float(const char *name, double x, double y, double z, double *r) {
    if (strcmp(name, "add") == 0)
        *r = x + y;
    else if (strcmp(name, "sub") == 0)
        *r = x - y;
    else if (strcmp(name, "mul") == 0)
        *r = x * y;
    else if (strcmp(name, "div") == 0)
        *r = x / y;
    else if (strcmp(name, "remainder") == 0)
        *r = python_remainder(x, y);
    else if (strcmp(name, "fmod") == 0)
        *r = fmod(x, y);
    else if (strcmp(name, "copysign") == 0)
        *r = copysign(x, y);
    else if (strcmp(name, "maximum") == 0)
        *r = x != x ? x : y != y ? y : x >= y ? x : y;
    else if (strcmp(name, "minimum") == 0)
        *r = x != x ? x : y != y ? y : x <= y ? x : y;
    else if (strcmp(name, "fmax") == 0)
        *r = y != y || x >= y ? x : y;
    else if (strcmp(name, "fmin") == 0)
        *r = y != y || x <= y ? x : y;
    else if (strcmp(name, "eq") == 0)
        *r = x == y;
    else if (strcmp(name, "ne") == 0)
        *r = x != y;
    else if (strcmp(name, "lt") == 0)
        *r = x < y;
    else if (strcmp(name, "le") == 0)
        *r = x <= y;
    else if (strcmp(name, "gt") == 0)
        *r = x > y;
    else if (strcmp(name, "ge") == 0)
        *r = x >= y;
    else if (strcmp(name, "logical_and") == 0)
        *r = x != 0 && y != 0;
    else if (strcmp(name, "logical_or") == 0)
        *r = x != 0 || y != 0;
    else if (strcmp(name, "logical_xor") == 0)
        *r = (x != 0) != (y != 0);
    else if (strcmp(name, "logical_not") == 0)
        *r = x == 0;
    else if (strcmp(name, "isnan") == 0)
        *r = x != x;
    else if (strcmp(name, "neg") == 0)
        *r = -x;
    else if (strcmp(name, "abs") == 0)
        *r = fabs(x);
    else if (strcmp(name, "sign") == 0)
        *r = (x > 0) - (x < 0);
    else if (strcmp(name, "relu") == 0)
        *r = x != x ? x : x > 0 ? x : 0;
    else if (strcmp(name, "square") == 0)
        *r = x * x;
    else if (strcmp(name, "one") == 0)
        *r = 1;
    else if (strcmp(name, "reciprocal") == 0)
        *r = 1 / x;
    else if (strcmp(name, "sqrt") == 0)
        *r = sqrt(x);
    else if (strcmp(name, "floor") == 0)
        *r = floor(x);
    else if (strcmp(name, "ceil") == 0)
        *r = ceil(x);
    else if (strcmp(name, "trunc") == 0)
        *r = trunc(x);
    else if (strcmp(name, "round") == 0)
        *r = rint(x);
    else if (strcmp(name, "frac") == 0)
        *r = x - trunc(x);
    else if (strcmp(name, "isinf") == 0)
        *r = isinf(x) != 0;
    else if (strcmp(name, "isfinite") == 0)
        *r = isfinite(x) != 0;
    else if (strcmp(name, "isposinf") == 0)
        *r = x == (double)INFINITY;
    else if (strcmp(name, "isneginf") == 0)
        *r = x == -(double)INFINITY;
    else if (strcmp(name, "clamp") == 0)
        *r = x != x || y != y || z != z ? (double)NAN : fmin(fmax(x, y), z);
    else
        return false;
    return true;
}

/* Signed zeros count, apart from where C's fmax is free to choose; NaN equals NaN. */
static bool same_double(const char *name, double want, double got) {
    if (want != want || got != got) return want != want && got != got;
    return want == got && (strcmp(name, "clamp") == 0 || signbit(want) == signbit(got));
}

static void test_scalar_floats(void **state) {
    (void)state;
    int checked = 0;
    operands o;
    operands_new(&o);
    char *got = malloc(ROOM);
    assert_non_null(got);
    for (int t = 0; t < TABLES; t++) {
        if (!is_elementwise(t)) continue;
        for (const nomen__kernel *k = all_isas[0].table[t]; k->name; k++) {
            if (!is_of_elements(k) || (k->dtype != NOMEN_F32 && k->dtype != NOMEN_F64)) continue;
            for (int round = 0; round < 20; round++) {
                operands_set(&o, k, CONTIGUOUS, MAX_N);
                run_kernel(k, &o, got);
                const int64_t start = o.ptr[0] - o.memory[0], size = dtype_size[k->dtype];
                for (int64_t j = 0; j < o.n; j++) {
                    const double x = load_double(k->dtype, o.ptr[1] + j * size);
                    const double y =
                        arity(k->name) > 1 ? load_double(k->dtype, o.ptr[2] + j * size) : 0;
                    const double z =
                        arity(k->name) > 2 ? load_double(k->dtype, o.ptr[3] + j * size) : 0;
                    const double r = load_double(out_dtype(k), got + start + j * o.out_size);
                    double want;
                    if (!expected_float(k->name, x, y, z, &want)) break;
                    if (k->dtype == NOMEN_F32) want = (double)(float)want;
                    if (!same_double(k->name, want, r))
                        fail_msg("%s %s (%a, %a, %a): %a, wanted %a", k->name,
                                 dtype_names[k->dtype], x, y, z, r, want);
                    checked++;
                }
            }
        }
    }
    assert_true(checked > 1000000);
    free(got);
    operands_free(&o);
}

/* Quotients in f32 that C has no function for: against the rule in double where every step is
 * exact. */
static void test_floor_division(void **state) {
    (void)state;
    const nomen__kernel *floor32 = find_kernel(&all_isas[0], "div_floor", NOMEN_F32, 0);
    const nomen__kernel *trunc32 = find_kernel(&all_isas[0], "div_trunc", NOMEN_F32, 0);
    for (int i = 0; i < 100000; i++) {
        float x = (float)((int64_t)(random_bits() % 20001) - 10000) / 8, r;
        float y = (float)((int64_t)(random_bits() % 201) - 100) / 4;
        char *ptr[3] = {(char *)&r, (char *)&x, (char *)&y};
        floor32->loop(ptr, (const int64_t[]){4, 4, 4}, 1);
        if (!same_double("", floor_divide((double)x, (double)y), (double)r))
            fail_msg("%a // %a = %a", (double)x, (double)y, (double)r);
        trunc32->loop(ptr, (const int64_t[]){4, 4, 4}, 1);
        if (!same_double("", (double)truncf(x / y), (double)r))
            fail_msg("trunc(%a / %a) = %a", (double)x, (double)y, (double)r);
    }
    static const double cases[][3] = {{-1, 3, -1},
                                      {-0.0, 3, -0.0},
                                      {1, (double)INFINITY, 0},
                                      {7.5, -2, -4},
                                      {-1, (double)INFINITY, -1},
                                      {1, 0, (double)INFINITY}};
    const nomen__kernel *floor64 = find_kernel(&all_isas[0], "div_floor", NOMEN_F64, 0);
    for (int i = 0; i < COUNT(cases); i++) {
        double x = cases[i][0], y = cases[i][1], r = 0;
        char *ptr[3] = {(char *)&r, (char *)&x, (char *)&y};
        floor64->loop(ptr, (const int64_t[]){8, 8, 8}, 1);
        assert_true(same_double("", cases[i][2], r));
    }
}

#ifdef __SIZEOF_INT128__
typedef __int128 wide_int;
#else
typedef int64_t wide_int; /* too narrow to run these tests, but they compile */
#endif
static wide_int floor_int(wide_int x, wide_int y) {
    return x / y - (x % y != 0 && (x % y < 0) != (y < 0));
}

static int64_t pow_int(int64_t x, int64_t y) {
    uint64_t r = 1;
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    for (uint64_t bit = (uint64_t)1 << 62; bit; bit >>= 1)
        r = r * r * ((uint64_t)y & bit ? (uint64_t)x : 1);
    return (int64_t)r;
}

/* Integers without bounds, cut to 64 bits. */
static bool expected_int(const char *name, int64_t a, int64_t b, int64_t c, uint64_t *r) {
    const wide_int x = a, y = b, z = c;
    if (strcmp(name, "add") == 0)
        *r = (uint64_t)(x + y);
    else if (strcmp(name, "sub") == 0)
        *r = (uint64_t)(x - y);
    else if (strcmp(name, "mul") == 0)
        *r = (uint64_t)(x * y);
    else if (strcmp(name, "add_scaled") == 0)
        *r = (uint64_t)x + (uint64_t)(y * z);
    else if (strcmp(name, "sub_scaled") == 0)
        *r = (uint64_t)x - (uint64_t)(y * z);
    else if (strcmp(name, "div_trunc") == 0)
        *r = y == 0 ? 0 : (uint64_t)(x / y);
    else if (strcmp(name, "div_floor") == 0)
        *r = y == 0 ? 0 : (uint64_t)floor_int(x, y);
    else if (strcmp(name, "remainder") == 0)
        *r = y == 0 ? 0 : (uint64_t)(x - y * floor_int(x, y));
    else if (strcmp(name, "fmod") == 0)
        *r = y == 0 ? 0 : (uint64_t)(x % y);
    else if (strcmp(name, "bitwise_and") == 0)
        *r = (uint64_t)(a & b);
    else if (strcmp(name, "bitwise_or") == 0)
        *r = (uint64_t)(a | b);
    else if (strcmp(name, "bitwise_xor") == 0)
        *r = (uint64_t)(a ^ b);
    else if (strcmp(name, "pow") == 0)
        *r = (uint64_t)pow_int(a, b);
    else if (strcmp(name, "maximum") == 0 || strcmp(name, "fmax") == 0)
        *r = (uint64_t)(x > y ? x : y);
    else if (strcmp(name, "minimum") == 0 || strcmp(name, "fmin") == 0)
        *r = (uint64_t)(x < y ? x : y);
    else if (strcmp(name, "clamp") == 0)
        *r = (uint64_t)((x > y ? x : y) < z ? (x > y ? x : y) : z);
    else if (strcmp(name, "eq") == 0)
        *r = x == y;
    else if (strcmp(name, "ne") == 0)
        *r = x != y;
    else if (strcmp(name, "lt") == 0)
        *r = x < y;
    else if (strcmp(name, "le") == 0)
        *r = x <= y;
    else if (strcmp(name, "gt") == 0)
        *r = x > y;
    else if (strcmp(name, "ge") == 0)
        *r = x >= y;
    else if (strcmp(name, "logical_and") == 0)
        *r = x != 0 && y != 0;
    else if (strcmp(name, "logical_or") == 0)
        *r = x != 0 || y != 0;
    else if (strcmp(name, "logical_xor") == 0)
        *r = (x != 0) != (y != 0);
    else if (strcmp(name, "logical_not") == 0)
        *r = x == 0;
    else if (strcmp(name, "neg") == 0)
        *r = (uint64_t)-x;
    else if (strcmp(name, "abs") == 0)
        *r = (uint64_t)(x < 0 ? -x : x);
    else if (strcmp(name, "sign") == 0)
        *r = (uint64_t)((x > 0) - (x < 0));
    else if (strcmp(name, "relu") == 0)
        *r = (uint64_t)(x > 0 ? x : 0);
    else if (strcmp(name, "square") == 0)
        *r = (uint64_t)x * (uint64_t)x;
    else if (strcmp(name, "cube") == 0)
        *r = (uint64_t)x * (uint64_t)x * (uint64_t)x;
    else if (strcmp(name, "one") == 0)
        *r = 1;
    else if (in_list(name, (const char *const[]){"copy", "floor", "ceil", "trunc", "round", NULL}))
        *r = (uint64_t)x;
    else if (strcmp(name, "bitwise_not") == 0)
        *r = ~(uint64_t)x;
    else if (strcmp(name, "signbit") == 0)
        *r = x < 0;
    else if (in_list(name, (const char *const[]){"isnan", "isinf", "isposinf", "isneginf", NULL}))
        *r = 0;
    else if (strcmp(name, "isfinite") == 0)
        *r = 1;
    else
        return false;
    return true;
}

static int64_t load_int(nomen_dtype d, const char *p) {
    switch (d) {
    case NOMEN_BOOL: return *(const uint8_t *)p != 0;
    case NOMEN_U8: return *(const uint8_t *)p;
    case NOMEN_I8: return *(const int8_t *)p;
    case NOMEN_I16: return *(const int16_t *)p;
    case NOMEN_I32: return *(const int32_t *)p;
    default: return *(const int64_t *)p;
    }
}

static void test_scalar_ints(void **state) {
    (void)state;
    int checked = 0;
    operands o;
    operands_new(&o);
    char *got = malloc(ROOM);
    assert_non_null(got);
    for (int t = 0; t < TABLES; t++) {
        if (!is_elementwise(t)) continue;
        for (const nomen__kernel *k = all_isas[0].table[t]; k->name; k++) {
            if (!is_of_elements(k) || kind_of(k->dtype) != I || strcmp(k->name, "where") == 0)
                continue;
            for (int round = 0; round < 10; round++) {
                operands_set(&o, k, CONTIGUOUS, MAX_N);
                run_kernel(k, &o, got);
                const int64_t start = o.ptr[0] - o.memory[0], size = dtype_size[k->dtype];
                for (int64_t j = 0; j < o.n; j++) {
                    const int64_t x = load_int(k->dtype, o.ptr[1] + j * size);
                    const int64_t y =
                        arity(k->name) > 1 ? load_int(in_dtype(k, 1), o.ptr[2] + j * size) : 0;
                    const int64_t z =
                        arity(k->name) > 2 ? load_int(k->dtype, o.ptr[3] + j * size) : 0;
                    uint64_t want;
                    if (!expected_int(k->name, x, y, z, &want)) break;
                    char cut[8];
                    store_int(cut, (int64_t)want, o.out_size);
                    if (memcmp(got + start + j * o.out_size, cut, (size_t)o.out_size) != 0)
                        fail_msg("%s %s (%lld, %lld, %lld)", k->name, dtype_names[k->dtype],
                                 (long long)x, (long long)y, (long long)z);
                    checked++;
                }
            }
        }
    }
    assert_true(checked > 1000000);
    free(got);
    operands_free(&o);
}

/* Bool tables are small enough to write down: x, y in 00, 01, 10, 11. */
static void test_bools(void **state) {
    (void)state;
    static const struct {
        const char *name, *want;
    } rows[] = {{"add", "0111"},         {"mul", "0001"},        {"maximum", "0111"},
                {"minimum", "0001"},     {"fmax", "0111"},       {"fmin", "0001"},
                {"eq", "1001"},          {"ne", "0110"},         {"lt", "0100"},
                {"le", "1101"},          {"gt", "0010"},         {"ge", "1011"},
                {"logical_and", "0001"}, {"logical_or", "0111"}, {"logical_xor", "0110"},
                {"bitwise_and", "0001"}, {"bitwise_or", "0111"}, {"bitwise_xor", "0110"}};
    for (int i = 0; i < COUNT(rows); i++) {
        uint8_t x[4] = {0, 0, 1, 1}, y[4] = {0, 1, 0, 1}, r[4];
        char *ptr[3] = {(char *)r, (char *)x, (char *)y};
        find_kernel(&all_isas[0], rows[i].name, NOMEN_BOOL, 0)
            ->loop(ptr, (const int64_t[]){1, 1, 1}, 4);
        for (int j = 0; j < 4; j++) assert_int_equal(r[j], rows[i].want[j] - '0');
    }
    uint8_t x[8] = {0, 0, 0, 0, 1, 1, 1, 1}, y[8] = {0, 0, 1, 1, 0, 0, 1, 1},
            a[8] = {0, 1, 0, 1, 0, 1, 0, 1}, r[8];
    char *ptr[4] = {(char *)r, (char *)x, (char *)y, (char *)a};
    find_kernel(&all_isas[0], "add_scaled", NOMEN_BOOL, 0)
        ->loop(ptr, (const int64_t[]){1, 1, 1, 1}, 8);
    for (int j = 0; j < 8; j++) assert_int_equal(r[j], x[j] || (y[j] && a[j]));
}

/* ---- complex numbers ------------------------------------------------------------------------- */

static bool near_complex(double _Complex want, double re, double im, double tolerance) {
    const double scale = cabs(want) + 1e-300;
    return fabs(creal(want) - re) <= tolerance * scale &&
           fabs(cimag(want) - im) <= tolerance * scale;
}

static bool expected_complex(const char *name, double _Complex x, double _Complex y,
                             double _Complex *r) {
    if (strcmp(name, "add") == 0)
        *r = x + y;
    else if (strcmp(name, "sub") == 0)
        *r = x - y;
    else if (strcmp(name, "mul") == 0)
        *r = x * y;
    else if (strcmp(name, "div") == 0)
        *r = x / y;
    else if (strcmp(name, "pow") == 0)
        *r = cpow(x, y);
    else if (strcmp(name, "neg") == 0)
        *r = -x;
    else if (strcmp(name, "conj") == 0)
        *r = conj(x);
    else if (strcmp(name, "square") == 0)
        *r = x * x;
    else if (strcmp(name, "sgn") == 0)
        *r = x / cabs(x);
    else if (strcmp(name, "reciprocal") == 0)
        *r = 1 / x;
    else if (strcmp(name, "exp") == 0)
        *r = cexp(x);
    else if (strcmp(name, "log") == 0)
        *r = clog(x);
    else if (strcmp(name, "log2") == 0)
        *r = clog(x) / log(2);
    else if (strcmp(name, "sqrt") == 0)
        *r = csqrt(x);
    else if (strcmp(name, "rsqrt") == 0)
        *r = 1 / csqrt(x);
    else if (strcmp(name, "sin") == 0)
        *r = csin(x);
    else if (strcmp(name, "cos") == 0)
        *r = ccos(x);
    else if (strcmp(name, "tanh") == 0)
        *r = ctanh(x);
    else if (strcmp(name, "tan") == 0)
        *r = ctan(x);
    else if (strcmp(name, "asin") == 0)
        *r = casin(x);
    else if (strcmp(name, "acos") == 0)
        *r = cacos(x);
    else if (strcmp(name, "atan") == 0)
        *r = catan(x);
    else if (strcmp(name, "sinh") == 0)
        *r = csinh(x);
    else if (strcmp(name, "cosh") == 0)
        *r = ccosh(x);
    else if (strcmp(name, "asinh") == 0)
        *r = casinh(x);
    else if (strcmp(name, "acosh") == 0)
        *r = cacosh(x);
    else if (strcmp(name, "atanh") == 0)
        *r = catanh(x);
    else if (strcmp(name, "exp2") == 0)
        *r = (double _Complex)cexpl(x * logl(2));
    else if (strcmp(name, "expm1") == 0)
        *r = (double _Complex)(cexpl(x) - 1);
    else if (strcmp(name, "log10") == 0)
        *r = clog(x) / log(10);
    else if (strcmp(name, "log1p") == 0)
        *r = (double _Complex)clogl(1 + (long double _Complex)x);
    else if (strcmp(name, "angle") == 0)
        *r = carg(x);
    else if (strcmp(name, "sigmoid") == 0)
        *r = 1 / (1 + cexp(-x));
    else if (strcmp(name, "abs") == 0)
        *r = cabs(x);
    else if (strcmp(name, "real") == 0)
        *r = creal(x);
    else if (strcmp(name, "imag") == 0)
        *r = cimag(x);
    else if (strcmp(name, "eq") == 0)
        *r = x == y;
    else if (strcmp(name, "ne") == 0)
        *r = x != y;
    else
        return false;
    return true;
}

static int check_complex_table(int isa, int table) {
    int kernels = 0;
    for (const nomen__kernel *k = all_isas[isa].table[table]; k->name; k++) {
        if (!is_complex(k->dtype)) continue;
        const bool single = k->dtype == NOMEN_C64;
        double _Complex want;
        if (!expected_complex(k->name, 1, 1, &want)) continue;
        kernels++;
        for (int i = 0; i < 2000; i++) {
            double x[2], y[2], r[2] = {0, 0};
            float x32[2], y32[2], r32[2] = {0, 0};
            for (int j = 0; j < 2; j++) {
                x[j] = (double)(x32[j] = (float)(random_unit() * 6 - 3));
                y[j] = (double)(y32[j] = (float)(random_unit() * 6 - 3));
                if (i % 7 == 0) y[j] = x[j], y32[j] = x32[j]; /* so that eq finds something */
            }
            char *ptr[3] = {single ? (char *)r32 : (char *)r, single ? (char *)x32 : (char *)x,
                            single ? (char *)y32 : (char *)y};
            k->loop(ptr, (const int64_t[]){16, 16, 16}, 1);
            expected_complex(k->name, x[0] + x[1] * IMAGINARY, y[0] + y[1] * IMAGINARY, &want);
            if (out_dtype(k) == NOMEN_BOOL) {
                assert_int_equal(*(uint8_t *)ptr[0], creal(want) != 0);
            } else {
                const double re = single ? (double)r32[0] : r[0],
                             im = single ? (double)r32[1] : r[1];
                if (!near_complex(want, re, im, single ? 2e-7 : 4e-15))
                    fail_msg("%s %s %s (%a + %a i, %a + %a i)", all_isas[isa].name, k->name,
                             dtype_names[k->dtype], x[0], x[1], y[0], y[1]);
            }
        }
    }
    return kernels;
}

static void test_complex(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        assert_int_equal(check_complex_table(i, TABLE_complex), 2 * 14);
        assert_int_equal(check_complex_table(i, TABLE_complex_math), 2 * 24);
    }
    /* a quotient whose |y|^2 overflows */
    double x[2] = {1e300, 1e300}, y[2] = {1e300, -1e300}, r[2];
    char *ptr[3] = {(char *)r, (char *)x, (char *)y};
    find_kernel(&all_isas[0], "div", NOMEN_C128, 0)->loop(ptr, (const int64_t[]){16, 16, 16}, 1);
    assert_true(near_complex(IMAGINARY, r[0], r[1], 1e-15));
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* The nearest half number, ties to even, by arithmetic on doubles. */
static double round_to_half(float x, int mantissa_bits, int least_exponent, double overflow) {
    int e;
    if (x != x || x == 0 || isinf(x)) return (double)x;
    (void)frexp((double)x, &e);
    e = e - 1 < least_exponent ? least_exponent : e - 1;
    const double r = ldexp(rint(ldexp((double)x, mantissa_bits - e)), e - mantissa_bits);
    return copysign(fabs(r) >= overflow ? (double)INFINITY : r, (double)x);
}

static void check_to_half(nomen_dtype half, int i, const nomen__kernel *k, uint32_t bits) {
    float x;
    uint16_t h;
    memcpy(&x, &bits, 4);
    char *ptr[2] = {(char *)&h, (char *)&x};
    k->loop(ptr, (const int64_t[]){2, 4}, 1);
    const double want =
        half == NOMEN_F16 ? round_to_half(x, 10, -14, 65536) : round_to_half(x, 7, -126, 0x1p128);
    const double got = load_double(half, &h);
    if (!same_double("", want, got))
        fail_msg("%s: %a to %s: %a, wanted %a", all_isas[i].name, (double)x, dtype_names[half], got,
                 want);
}

static void test_half_conversions(void **state) {
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        if (!isa_runs(i)) continue;
        for (nomen_dtype half = NOMEN_F16; half <= NOMEN_BF16; half++) {
            const nomen__kernel *up = find_kernel(&all_isas[i], "cast", half, NOMEN_F32);
            const nomen__kernel *down = find_kernel(&all_isas[i], "cast", NOMEN_F32, half);
            for (uint32_t h = 0; h < 65536; h++) {
                uint16_t in = (uint16_t)h, back;
                float x;
                char *ptr[2] = {(char *)&x, (char *)&in}, *again[2] = {(char *)&back, (char *)&x};
                up->loop(ptr, (const int64_t[]){4, 2}, 1);
                assert_true(same_double("", load_double(half, &in), (double)x));
                down->loop(again, (const int64_t[]){2, 4}, 1);
                assert_true(back == in || x != x);
                /* around every half number: the tie above it and its neighbours */
                uint32_t bits;
                memcpy(&bits, &x, 4);
                const uint32_t tie = bits + (half == NOMEN_F16 ? 1u << 12 : 1u << 15);
                for (uint32_t near = tie - 1; near != tie + 2; near++)
                    check_to_half(half, i, down, near);
            }
            for (int r = 0; r < 200000; r++) check_to_half(half, i, down, (uint32_t)random_bits());
        }
    }
}

static int64_t expected_cast_to_int(double x) {
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

static void check_cast(const nomen__kernel *k, const char *in, const char *out) {
    const nomen_dtype to = k->to;
    const int kind = kind_of(k->dtype);
    const double re = load_double(k->dtype, in);
    const double im = kind == C ? load_double(k->dtype, in + dtype_size[k->dtype] / 2) : 0;
    bool good;
    if (to == NOMEN_BOOL) {
        good = *(const uint8_t *)out == (re != 0 || im != 0);
    } else if (kind_of(to) == I) {
        const int64_t want =
            kind == I || kind == B ? load_int(k->dtype, in) : expected_cast_to_int(re);
        good = is_int(out, want, dtype_size[to]);
    } else if (to == NOMEN_F64 || to == NOMEN_C128) {
        good = same_double("", re, load_double(to, out)) &&
               (to == NOMEN_F64 || same_double("", im, load_double(to, out + 8)));
    } else {
        const float x = kind == I || kind == B ? (float)load_int(k->dtype, in) : (float)re;
        const double want = to == NOMEN_F16    ? round_to_half(x, 10, -14, 65536)
                            : to == NOMEN_BF16 ? round_to_half(x, 7, -126, 0x1p128)
                                               : (double)x;
        good = same_double("", want, load_double(to, out)) &&
               (to != NOMEN_C64 || same_double("", (double)(float)im, load_double(to, out + 4)));
    }
    if (!good) fail_msg("cast %s to %s of %a, %a", dtype_names[k->dtype], dtype_names[to], re, im);
}

static void test_casts(void **state) {
    (void)state;
    operands o;
    operands_new(&o);
    char *got = malloc(ROOM);
    assert_non_null(got);
    for (nomen_dtype from = NOMEN_BOOL; from < NOMEN_DTYPE_COUNT; from++) {
        for (nomen_dtype to = NOMEN_BOOL; to < NOMEN_DTYPE_COUNT; to++) {
            const nomen__kernel *k = find_kernel(&all_isas[0], "cast", from, to);
            for (int round = 0; round < 5; round++) {
                operands_set(&o, k, CONTIGUOUS, MAX_N);
                run_kernel(k, &o, got);
                for (int64_t j = 0; j < o.n; j++) {
                    check_cast(k, o.ptr[1] + j * dtype_size[from],
                               got + (o.ptr[0] - o.memory[0]) + j * dtype_size[to]);
                }
            }
        }
    }
    free(got);
    operands_free(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_isas),
        cmocka_unit_test(test_ends_of_memory),
        cmocka_unit_test(test_scalar_floats),
        cmocka_unit_test(test_floor_division),
        cmocka_unit_test(test_scalar_ints),
        cmocka_unit_test(test_bools),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_half_conversions),
        cmocka_unit_test(test_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
