"""Differences that are meant: each rule has the number of its section in docs/differences.md.

A rule sees (case, mine, theirs, said): what nomen gave, what the oracle gave, what was found
different. The first that fits counts; a difference that none of them fits is a finding.
"""

import re

import differ_hints as hints
import differ_judge as judge

RULES = []
NEARER = "7.1 numbers nearer to the exact ones than PyTorch's"

# What an error is about.
KINDS = [
    ("dtype", judge.NO_KERNEL.pattern),
    (
        "cast",
        "can't be cast|Found dtype|dtype.*does not match|result dtype|infer output dtype|"
        "tensor dtype .* should match|"
        "dtype of out|same dtype|to have the same|integral|without overflow|scalar.type|"
        "dtype of result|"
        "Boolean|boolean|bool tensor|bool values|complex|to have dtype|dtype argument|output dtype|"
        "for result tensor|negative integer powers|Expected .* for index",
    ),
    ("resize", "Cannot resize named|Name mismatch"),
    ("overlap", "more than one element of the written-to|overlap|share memory"),
    ("names", "[Nn]ame|Misaligned|dims \\[|dim '"),
    ("dim", "Dimension|dim|out of range"),
    ("size", "size|shape|must match|1D|2D|matrix|vector|elements"),
]
WRITING = {"dtype", "cast", "resize", "overlap"}

NAMES_AS_DIMS = (
    "must be .*int.*, not (str|list|tuple)|found element of type (str|NoneType)|"
    "for Dimname but got"
)
# Forms that no overload of PyTorch has, by what it says to them.
FORMS = [
    (
        "4.1 numbers where PyTorch wants a tensor",
        r"must be Tensor, not (int|float|bool|complex)|"
        r"clamp_?\(\) received .*got \((Tensor, )*(float|int|bool|NoneType)(, Tensor)?[,)]|"
        r"lerp_?\(\) received .*got \([^)]*(float|int|bool|complex)|"
        r"invalid combination of arguments - got \((int|float|bool|complex), (Tensor|int|float)\)",
    ),
    ("4.3 out= and in-place forms that PyTorch lacks", "unexpected keyword argument '(out|names)'"),
    ("1.2 names as dims", NAMES_AS_DIMS),
]
# What PyTorch says of dtypes in the words of its loops and of C++.
INTERNAL = re.compile(
    r'^"\w+" not implemented for|Found dtype|expected scalar_type|Expected out tensor|'
    r"Expected object of scalar type|INTERNAL ASSERT|frobenius|desired output dtype|"
    r"Expected floating point type for result|must match dtype of result|should be same as input|"
    r"outputs with complex dtype|expected m1 and m2|expected.*dtype|same dtype|scalar type|"
    r"does not match dtype of out|tensor dtype .* should match|"
    r"Expected .* for index|does not support complex (dtypes|input)|"
    r"^linalg\.vector_norm: Expected a"
)


def kind(told):
    if told[1] == "TypeError":
        return "arguments"
    return next((name for name, pattern in KINDS if re.search(pattern, told[2])), "other")


def deviation(number):
    def put(function):
        RULES.append((number, function))
        return function

    return put


def both_fail(mine, theirs):
    return mine[0] == "error" and theirs[0] == "error"


def only_theirs(mine, theirs):
    return mine[0] != "error" and theirs[0] == "error"


def only_mine(mine, theirs):
    return mine[0] == "error" and theirs[0] != "error"


def without_dims(case):
    """Is the list of dims an empty one?"""
    given = [*case["args"][1:2], case["kw"].get("dim")]
    return any(v in ([], {"tuple": []}) for v in given)


# ---- 1 names, 2 defects -------------------------------------------------------------------------


@deviation("1.1 every operation works with names")
def more_names(case, mine, theirs, said):
    return theirs[0] == "error" and judge.UNSUPPORTED.search(theirs[2])


@deviation("1.4 every dtype that makes sense")
def more_dtypes(case, mine, theirs, said):
    return only_theirs(mine, theirs) and judge.NO_KERNEL.search(theirs[2])


@deviation("2.1 squeeze(dim) keeps the names of a dim that stays")
def squeeze_keeps(case, mine, theirs, said):
    return case["row"] == "squeeze" and theirs[0] == "tensor" and not any(theirs[3])


@deviation("2.2 flatten of one dim, and of negative, descending or far dims with a name")
def flatten_is_safe(case, mine, theirs, said):
    return case["row"] == "flatten" and len(case["args"]) >= 3 and theirs[0] == "error"


@deviation("2.6 matmul(out=) follows the rule of out=")
def matmul_out(case, mine, theirs, said):
    return (
        case["row"] == "matmul"
        and "out" in case["kw"]
        and mine[0] == "error"
        and re.search("Cannot resize named", mine[2])
    )


# ---- 4 forms of calls ---------------------------------------------------------------------------


def form_of(theirs):
    return next((number for number, pattern in FORMS if re.search(pattern, theirs[2])), None)


for number, pattern in FORMS:

    @deviation(number)
    def more_forms(case, mine, theirs, said, pattern=pattern):
        return theirs[0] == "error" and theirs[1] == "TypeError" and re.search(pattern, theirs[2])


OVERLOADS = set(hints.REDUCTIONS) | {
    "argmax", "argmin", "count_nonzero", "logsumexp", "max", "mean", "median", "min", "nanmedian",
    "prod", "std", "std_mean", "var", "var_mean",
}  # fmt: skip


@deviation("4.2 arguments that no overload of PyTorch puts together")
def more_overloads(case, mine, theirs, said):
    words = 'invalid combination of arg|at most 2 dim|be a 2-tuple|missing 1 required .*"dim"'
    if case.get("wild"):  # the dim was left away
        words = (
            r"got \((Tensor, )?((out=)?(tuple|list)|out=Tensor|keepdim=bool|dtype=[\w.]+|, )+\)|"
        )
        words += 'missing 1 required .*"dim"'
        words += "|at most 2 dim|be a 2-tuple" * (case["row"] == "norm")
    own = case["row"] in OVERLOADS and only_theirs(mine, theirs)
    return own and re.search(words, theirs[2])


@deviation("4.1 a number for a mask or an index")
def number_of_places(case, mine, theirs, said):
    own = case["row"] in ("masked_fill", "index_fill") and only_theirs(mine, theirs)
    return own and re.search(r"got \((Tensor, )?(int, int|bool), ", theirs[2])


@deviation("4.2 names= and out= of factories")
def named_out(case, mine, theirs, said):
    both = case["form"] == "function" and {"names", "out"} <= case["kw"].keys()
    return both and only_theirs(mine, theirs) and "invalid combination of arg" in theirs[2]


@deviation("4.10 randint takes its size as a number, and bounds that are bools")
def bounds_of_randint(case, mine, theirs, said):
    if theirs[0] != "error" or "received an invalid combination" not in theirs[2]:
        return False
    truth = any(isinstance(v, bool) for v in case["args"])
    return case["row"] == "randint" or truth and case["row"] in ("randint_like", "random")


@deviation("4.13 alpha and value come after the operands")
def alpha_first(case, mine, theirs, said):
    old = case["row"] in ("add", "sub") and len(case["args"]) + ("other" in case["kw"]) == 3
    old |= case["row"] in ("addcmul", "addcdiv") and "tensor1" in case["kw"]
    return old and only_mine(mine, theirs) and mine[1] == "TypeError"


@deviation("4.12 sizes are no bools")
def sizes_are_ints(case, mine, theirs, said):
    return only_mine(mine, theirs) and "found element of type bool" in mine[2]


@deviation("5.3 diag says the same with out=")
def diag_of_number(case, mine, theirs, said):
    both = case["row"] == "diag" and both_fail(mine, theirs)
    return both and theirs[2].startswith("Supports 1D or 2D tensors")


@deviation("4.11 linspace between complex numbers makes no real result")
def linspace_to_real(case, mine, theirs, said):
    return case["row"] == "linspace" and only_mine(mine, theirs) and "safely cast" in mine[2]


@deviation("4.9 out= is a tensor")
def out_is_a_tensor(case, mine, theirs, said):
    return only_mine(mine, theirs) and "argument 'out' must be Tensor" in mine[2]


@deviation("4.4 out= of another dtype takes the result, cast, wherever the cast loses no kind")
def casting_out(case, mine, theirs, said):
    return "out" in case["kw"] and (
        only_theirs(mine, theirs)
        and re.search(
            "Found dtype|does not match dtype of out|expected scalar_type|scalar type|"
            "Long tensor out|does not match input dtype|"
            "self and mat2 must have the same dtype|dynamic_casting|Expected out type|"
            "must match dtype of result|should be same as input|Cannot resize named|"
            "output tensor's dtype is wrong|hist tensor should have the same dtype",
            theirs[2],
        )
        or both_fail(mine, theirs)
        and "desired output type" in mine[2]
        and "output values must be of same type" in theirs[2]
    )


# ---- 5 words, 6 order ---------------------------------------------------------------------------


@deviation("5.1 refused dtypes: PyTorch's words name its loop or a type of C++")
def other_words(case, mine, theirs, said):
    return (
        both_fail(mine, theirs)
        and {kind(mine), kind(theirs)} <= {"dtype", "cast"}
        and INTERNAL.search(theirs[2])
    )


@deviation("6.1 a result that cannot be written, for more than one reason")
def writing_order(case, mine, theirs, said):
    writes = "out" in case["kw"] or case["form"] == "inplace"
    return writes and both_fail(mine, theirs) and {kind(mine), kind(theirs)} <= WRITING


@deviation("8.24 addbmm_ does not change the sizes of self")
def addbmm_in_place(case, mine, theirs, said):
    in_place = case["row"] == "addbmm" and case["form"] == "inplace"
    return in_place and mine[0] == "error" and mine[2].startswith("Bad in-place call")


# Before 6.2, which asks for two mistakes: of these one is none here.
@deviation("6.7 norm over more than two dims, and another mistake")
def norm_of_three(case, mine, theirs, said):
    both = case["row"] == "norm" and both_fail(mine, theirs)
    return both and re.search("at most 2 dimensions|dim must be a 2-tuple", theirs[2])


@deviation("8.13 normal gives out= the sizes of its operands")
def normal_out(case, mine, theirs, said):
    # an expanded out= of other sizes gets new memory, or a dtype that does not fit is the mistake
    words = "sizes|The size|oracle says: .*more than one element of the written-to"
    return case["row"] == "normal" and "out" in case["kw"] and re.search(words, said)


@deviation("6.3 norm with a dtype= that 1.13 does not take, and another mistake")
def norms_of_dtypes(case, mine, theirs, said):
    lacks = "dtype argument is not supported in frobenius norm"
    return case["row"] == "norm" and both_fail(mine, theirs) and theirs[2] == lacks


INDEX_WORDS = re.compile("Expected a long tensor for index|int64 for index")


@deviation("6.2 a dtype and something else are wrong")
def dtypes_first(case, mine, theirs, said):
    if not both_fail(mine, theirs) or INDEX_WORDS.search(theirs[2]):
        return False  # that is 8.1
    kinds = {kind(mine), kind(theirs)}
    others = {"dim", "size", "names", "resize", "overlap"}
    return bool(kinds & {"dtype", "cast"} and kinds & others)


@deviation("6.2 a number and a dtype or a name")
def zero_divisors(case, mine, theirs, said):
    return both_fail(mine, theirs) and (
        "ZeroDivisionError" in mine[2]
        and kind(theirs) in ("resize", "cast")
        or "multinomial expects Long tensor out" in mine[2]
        and "only supports floating-point" in theirs[2]
    )


@deviation("8.4 addmv to a number: PyTorch's words come from a step on the way")
def addmv_number(case, mine, theirs, said):
    both = both_fail(mine, theirs) and case["row"] == "addmv"
    return both and theirs[2].startswith("Dimension specified as 0")


@deviation("6.9 dtypes that are not the same, and a number that does not fit all of them")
def numbers_last(case, mine, theirs, said):
    number = "value cannot be converted to type"
    asked = both_fail(mine, theirs) and kind(mine) in ("dtype", "cast")
    return asked and theirs[2].startswith(number)


@deviation("6.3 a form that PyTorch does not know, and another mistake")
def unknown_form(case, mine, theirs, said):
    both = both_fail(mine, theirs) and theirs[1] == "TypeError" != mine[1]
    known = "expects p to be in|nothing has no median"
    return both and (kind(mine) != "other" or re.search(known, mine[2]))


@deviation("5.2 a TypeError says which argument is wrong")
def wrong_argument(case, mine, theirs, said):
    if not both_fail(mine, theirs) or mine[1] != "TypeError":
        return False
    return bool(case.get("wild")) or "value cannot be converted to type" in theirs[2]


# ---- 7 numbers ----------------------------------------------------------------------------------


@deviation("7.11 the sign of zero depends on PyTorch's loop, vector or scalar")
def loops_disagree(case, mine, theirs, said):
    rows = ("relu", "aminmax", "maximum", "minimum", "max", "min", "amax", "amin", "clamp")
    return case["row"] in rows and re.search(r"\(-?0\.0\), not \S*\(-?0\.0\)", said)


@deviation("7.10 a float beyond the range of an integer dtype: the cast is undefined in C")
def undefined_cast(case, mine, theirs, said):
    into = re.search(r"np\.u?int\d+\(", said)
    return into and any(isinstance(v, float) and abs(v) > 2**7 for v in numbers(case))


def numbers(case):
    """The numbers of a call, those of floating operands included."""
    yield from (v for v in [*case["args"], *case["kw"].values()] if isinstance(v, float))
    if any(t["dtype"].startswith(("float", "bfloat", "complex")) for t in case["tensors"]):
        yield 1e300


@deviation("7.12 PyTorch's own gradient fails inside")
def torch_asserts(case, mine, theirs, said):
    if case.get("mode") != "grad":
        return False
    if theirs[0] != "error":
        return re.search(": a tensor, not a value$", said)
    inside = (
        "view size is not compatible|INTERNAL ASSERT|ZeroTensor|Expected isFloatingType|"
        "but got None|"
        "Autograd not support dtype|returned an invalid gradient|outer: Expected 1-D"
    )
    if case["row"] == "clamp":  # bounds of more dims than self
        inside += "|doesn't match the broadcast shape"
    in_place = re.search("functions with out=", theirs[2])
    # nothing to compute, and refused here (7.13): there its gradient is what fails
    refused = only_theirs(mine, theirs) or no_elements(case) and kind(mine) == "dtype"
    return in_place or refused and re.search(inside, theirs[2])


SLOPPY = re.compile(r"element \d+: (\S+), not (\S+?)(, \d+ ULP apart)?($| \|)")
SLOPPY_ROWS = ("digamma", "polygamma", "sinc", "logit")
INVERSES = ("pow", "acos", "asin", "atan", "acosh", "asinh", "atanh")


@deviation("7.2 PyTorch's error in float64")
def torch_is_off(case, mine, theirs, said):
    """Its error is at most a part of 1e-8 of the result, or of 1e-9 of numbers near 1."""
    inverse = "complex128" in said and case["row"] in INVERSES
    inverse |= case["row"] == "acosh" and case.get("mode") == "grad"
    sloppy = case["row"] in SLOPPY_ROWS
    sloppy |= case["row"] == "lgamma" and case.get("mode") == "grad"  # which is digamma
    wide = any(t["dtype"] in ("float64", "complex128") for t in case["tensors"])
    if not (sloppy and wide or inverse):
        return False
    pair = SLOPPY.search(said)
    if not pair:
        return False
    a, b = (complex(re.sub(r"^np\.\w+\((.*)\)$", r"\1", x)) for x in pair.groups()[:2])
    return abs(a - b) <= (1e-12 * abs(b) if case["row"] == "pow" else max(1e-8 * abs(b), 1e-9))


@deviation("7.9 cosh and sinh near the end of their range")
def cosh_far(case, mine, theirs, said):
    return case["row"] in ("cosh", "sinh") and re.search(
        r": -?\d\S*e\+(38|30[78]), not -?inf", said
    )


@deviation("7.12 the gradient of addcdiv wraps in PyTorch where tensor1 is of integers")
def wrapping_gradient(case, mine, theirs, said):
    whole = any(not t["grad"] and "int" in t["dtype"] for t in case["tensors"][1:2])
    return (
        case["row"] == "addcdiv" and case.get("mode") == "grad" and whole and "value" in case["kw"]
    )


@deviation("7.17 fmod of a quotient that is too large to be held")
def far_remainder(case, mine, theirs, said):
    return case["row"] == "fmod" and re.search(r"element \d+: \S*?\(?-?\d\S*, not \S*nan", said)


@deviation("7.19 fmin and fmax beside a NaN whose quiet bit is off")
def signalling(case, mine, theirs, said):
    bits = any(t["fill"][0] == "bits" for t in case["tensors"])
    return case["row"] in ("fmin", "fmax") and bits and re.search(r", not \S*nan", said)


NUMBER = r"(?:np\.\w+\()?(\([^()]*\)|[^\s,()]+)\)?"
PAIR = re.compile(rf"element \d+: {NUMBER}, not {NUMBER}")


def told_numbers(said):
    """The two numbers of a difference that is told, None if there are none."""
    pair = PAIR.search(said)
    return tuple(map(complex, pair.groups())) if pair else None


@deviation("7.3 sinc of whole numbers is 0")
def sinc_of_whole(case, mine, theirs, said):
    if case["row"] != "sinc":
        return False
    pair = told_numbers(said)
    if not pair or theirs[0] != "tensor":
        return False
    x, y = pair
    operand = case["tensors"][0]
    if x == x and y != y:  # pi x of the largest numbers is infinite there
        return operand["fill"][0] in ("special", "wide", "bits")
    # it is computed in the dtype of the operand, whatever out= has
    grain = 1e-14 if operand["dtype"] in ("float64", "complex128") else 1e-6
    # far from 0 the error of a float32 pi x turns a complex result, whose size stays
    turned = operand["dtype"] == "complex64" and abs(abs(x) - abs(y)) <= 1e-2 * abs(y)
    return turned or abs(x - y) <= grain * (1 + 100 * abs(y))


@deviation("7.2 lgamma of float64 next to its zeros below 0")
def small_lgamma(case, mine, theirs, said):
    pair = told_numbers(said)
    wide = case["row"] == "lgamma" and case["tensors"][0]["dtype"] == "float64"
    return wide and pair and abs(pair[0] - pair[1]) <= 2e-16 and abs(pair[1]) < 0.1


@deviation("7.4 polygamma at its poles is infinite")
def poles(case, mine, theirs, said):
    trigamma = case["row"] == "digamma" and case.get("mode") == "grad"
    return (trigamma or case["row"] == "polygamma") and re.search(
        r": (-?inf|nan|-?0\.0), not (nan|-?[\di])", said
    )


@deviation("7.5 the mean beside a variance is that of mean()")
def mean_beside(case, mine, theirs, said):
    second = re.search("^result 1: element|result 1: result 1", said)
    return second and case["row"] in ("var_mean", "std_mean")


@deviation("7.6 an empty list of dims is all dims, in gradients too")
def no_dims(case, mine, theirs, said):
    rows = ("var", "std", "var_mean", "std_mean", "logsumexp", "all", "any")
    return case["row"] in rows and without_dims(case)


@deviation("7.7 polar of a negative radius has a gradient")
def polar_gradient(case, mine, theirs, said):
    """PyTorch's has the other sign, or is 0 where the radius is."""
    if case["row"] != "polar" or case.get("mode") != "grad":
        return False
    pair = re.search(r"^result 1: result 0: element \d+: ([^,]+), not ([^, ]+)", said)
    if not pair:
        return False
    a, b = map(float, pair.groups())
    return b == 0 or abs(a + b) <= 1e-3 * abs(b)


@deviation("7.13 PyTorch asks for no dtype where there is nothing or one element to compute")
def nothing_to_do(case, mine, theirs, said):
    asked = (
        "not implemented for|Dimension out of range|expected m1 and m2|dtype int64 for index|"
        "weights should be 1-d|value cannot be converted"
    )
    return (
        only_mine(mine, theirs) and re.search(asked, mine[2]) and (few(theirs) or no_elements(case))
    )


def few(told):
    """Not more than one element."""
    if told[0] == "list":
        return all(map(few, told[1]))
    return told[0] != "tensor" or len(told[4]) <= 16


@deviation("7.9 sigmoid of very negative numbers is 0 or what fits")
def sigmoid_far(case, mine, theirs, said):
    small = (
        r"complex128\(\S+, not \S*nan|: -?\d\S*e-3\d\d, not -?0\.0|e-\d\d\d\S*j\), not \S*\(-?0j"
    )
    return case["row"] in ("sigmoid", "silu") and re.search(small, said)


@deviation("7.9 sigmoid near its poles")
def near_poles(case, mine, theirs, said):
    if case["row"] not in ("sigmoid", "silu") or "complex128(" not in said:
        return False
    pair = told_numbers(said)
    if not pair:
        return False
    x, y = pair
    return abs(y) > 10 and abs(x - y) <= 1e-14 * abs(y) ** 2


@deviation("7.20 the distance from NaN is NaN")
def far_from_nan(case, mine, theirs, said):
    return case["row"] == "cdist" and ": nan, not" in said


@deviation("7.23 the size of a complex number with an infinite part is infinite")
def infinite_part(case, mine, theirs, said):
    numbers = any(t["dtype"] in judge.COMPLEX for t in case["tensors"])
    return (
        numbers and case["row"] in ("dist", "norm") and re.search(r": \S*inf\)?, not \S*nan", said)
    )


@deviation("7.24 quotients of complex numbers whose reciprocal is too large")
def small_divisor(case, mine, theirs, said):
    return case["row"] in ("div", "addcdiv", "reciprocal") and re.search(
        r"complex\d+\([^)]*\)?, not \S*nan", said
    )


@deviation("7.25 the norm of an exponent from 2 ** 60 is the largest number")
def endless_exponent(case, mine, theirs, said):
    given = [v for v in [*case["args"], *case["kw"].values()] if isinstance(v, (int, float))]
    far = any(abs(v) >= 2.0**60 for v in given)
    return case["row"] == "norm" and far and re.search("element|ULP|: inf", said)


@deviation("8.13 normal draws real numbers into a complex out=")
def drawn_into_complex(case, mine, theirs, said):
    wide = mine[0] == theirs[0] == "tensor" and mine[1].startswith("complex")
    real = not any(t["dtype"].startswith("complex") for t in judge.operands(case))
    return case["row"] == "normal" and "out" in case["kw"] and wide and real


@deviation("8.21 clamp of bools between bools")
def clamped_truth(case, mine, theirs, said):
    told = only_mine(mine, theirs) and mine[2].startswith("\"clamp\" not implemented for 'bool'")
    return case["row"] == "clamp" and told


@deviation("8.22 uint8 is no mask")
def byte_mask(case, mine, theirs, said):
    words = "only supports boolean masks|expected BoolTensor for mask, but got .* uint8"
    return only_mine(mine, theirs) and re.search(words, mine[2])


@deviation("8.23 an internal error of PyTorch")
def internal_error(case, mine, theirs, said):
    if theirs[0] != "error" or "INTERNAL ASSERT FAILED" not in theirs[2]:
        return False
    return mine[0] != "error" or re.search("can't be cast|Cannot resize named", mine[2])


@deviation("8.27 an index has one ellipsis")
def one_ellipsis(case, mine, theirs, said):
    return only_mine(mine, theirs) and "can only have a single ellipsis" in mine[2]


@deviation("8.28 dropout of integers is refused")
def dropout_of_integers(case, mine, theirs, said):
    told = case["row"] == "dropout" and only_mine(mine, theirs)
    return told and "result type Float can't be cast" in mine[2]


@deviation("8.3 an index into a dim without elements")
def index_of_nothing(case, mine, theirs, said):
    told = both_fail(mine, theirs) and theirs[2] == "ZeroDivisionError"
    return told and re.search("out of bounds for dimension .* with size 0", mine[2])


@deviation("6.6 an index that is none, and more than there are dims")
def indices_first(case, mine, theirs, said):
    both = both_fail(mine, theirs) and "are valid indices" in mine[2]
    return both and theirs[2].startswith("too many indices")


@deviation("6.8 a rounding_mode that there is not, and an output that overlaps")
def rounded_overlap(case, mine, theirs, said):
    both = case["row"] == "div" and both_fail(mine, theirs) and kind(mine) == "overlap"
    return both and theirs[2].startswith("div expected rounding_mode")


@deviation("4.4 a dtype= that narrows, or takes the real part")
def narrowing_dtype(case, mine, theirs, said):
    asked = "dtype" in case["kw"] and only_theirs(mine, theirs)
    words = r"convertible without narrowing|dtype_out\(\): input types can't be cast"
    return asked and re.search(words, theirs[2])


@deviation("6.5 masked_select into a named out= of another size")
def named_selection(case, mine, theirs, said):
    resized = mine[0] == "error" and "Cannot resize named tensor" in mine[2]
    return case["row"] == "masked_select" and "out" in case["kw"] and resized


@deviation("8.11 addmv of a matrix without elements")
def empty_addmv(case, mine, theirs, said):
    named = only_theirs(mine, theirs) and "Name mismatch: specified out" in theirs[2]
    return case["row"] == "addmv" and named and no_elements(case)


@deviation("4.5 there is no complex32")
def no_half_complex(case, mine, theirs, said):
    return case["row"] == "view_as_complex" and case["tensors"][0]["dtype"] == "float16"


@deviation("4.6 a complex number is complex, even with an imaginary part of 0")
def complex_numbers(case, mine, theirs, said):
    given = [v for v in [*case["args"], *case["kw"].values()] if isinstance(v, dict)]
    real = any(v.get("complex", (0, 1))[1] == 0 for v in given)
    return real and only_mine(mine, theirs) and "complex" in mine[2]


@deviation("7.8 dtype= does not make real numbers complex, nor gradients")
def real_norms(case, mine, theirs, said):
    asked = case["kw"].get("dtype")
    if not isinstance(asked, dict) or "dtype" not in asked:
        return False
    own = bool(case["tensors"]) and case["tensors"][0]["dtype"].startswith("complex")
    real_of_complex = own and case.get("mode") == "grad" and "complex" not in asked["dtype"]
    refused = theirs[0] == "error" and "dtype should be complex" in theirs[2]
    half = case["row"] == "norm" and own and asked["dtype"] in ("float16", "bfloat16")
    return (
        real_of_complex
        or case["row"] == "norm"
        and (refused or "complex" in asked["dtype"] and not own)
        or half
        and theirs[0] == "tensor"  # 1.13 counts and adds up in the half type
    )


@deviation("6.4 diff of a dim without elements with out=")
def empty_diff(case, mine, theirs, said):
    refused = only_theirs(mine, theirs) and re.search("out of range", theirs[2])
    return case["row"] == "diff" and "out" in case["kw"] and refused and no_elements(case)


def no_elements(case):
    return any(0 in t["shape"] for t in case["tensors"])


@deviation("6.4 diff: a negative n is an error with names, too")
def negative_order(case, mine, theirs, said):
    told = mine[0] == "error" and re.search("order must be|Dimension out of range", mine[2])
    return told and case["row"] == "diff"


@deviation("7.15 variances that overflow or have no degree of freedom")
def endless_variance(case, mine, theirs, said):
    if case["row"] not in ("var", "std", "var_mean", "std_mean"):
        return False
    if case.get("mode") == "grad" and "correction" in case["kw"]:
        return re.search(r": -?(inf|nan), not|, not -?(inf|nan)\b", said)
    return re.search(": inf, not nan", said)


@deviation("7.16 round(decimals) does not overflow")
def round_far(case, mine, theirs, said):
    return case["row"] == "round" and re.search("e[+]\\d+, not -?inf", said)


@deviation("7.14 a tensor that overlaps itself is never written to")
def overlapping(case, mine, theirs, said):
    return only_mine(mine, theirs) and "more than one element of the written-to" in mine[2]


def of(case, mine, theirs, said):
    for number, function in RULES:
        if function(case, mine, theirs, said):
            return number
    return None
