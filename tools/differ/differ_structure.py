"""Differences that are meant in rows that move, index, order or multiply: section 8 of
docs/differences.md."""

import re

from differ_data import COMPLEX, HALVES, INTS, REALS
from differ_deviations import both_fail, deviation, only_mine, only_theirs, told_numbers

OUT_OF_RANGE = re.compile("out of (range|bounds|DATA bounds)|dim should be positive")
INTERNAL = re.compile(
    r"static_cast|unflatten got an unexpected error|^expand\(torch\.|"
    r"numel: integer multiplication overflow|The expanded size of the tensor|"
    r"Trying to create tensor with negative dimension|^Incompatible matrix sizes for bmm|"
    r"^permute\(sparse_coo\)|^expand\(CPU|_cpu_template\(\)"
)


@deviation("8.1 an index may be of every integer dtype")
def integer_index(case, mine, theirs, said):
    """Also where something else is wrong too, and told."""
    return (
        theirs[0] == "error"
        and re.search("Expected a long tensor for index|should be Long|int64 for index", theirs[2])
        and any(t["dtype"] in INTS and t["dtype"] != "int64" for t in case["tensors"][1:])
    )


@deviation("8.2 None is an argument that is not given")
def none_is_nothing(case, mine, theirs, said):
    nothing = theirs[0] == "error" and (
        "got: name = None" in theirs[2]
        or theirs[1] == "TypeError"
        and re.search(r"NoneType|unflatten\(\) takes \d positional", theirs[2])
    )
    return nothing and mine[1] != "TypeError"


@deviation("8.3 an index out of range: its error depends on PyTorch's loop")
def out_of_range(case, mine, theirs, said):
    return (
        both_fail(mine, theirs)
        and OUT_OF_RANGE.search(mine[2])
        and OUT_OF_RANGE.search(theirs[2])
        and {mine[1], theirs[1]} == {"IndexError", "RuntimeError"}
    )


@deviation("8.3 an index out of range: PyTorch looks at it in some loops only")
def unseen_range(case, mine, theirs, said):
    nothing = case["row"] == "index_fill" and theirs[0] == "tensor" and 0 in theirs[2]
    indexed = nothing or case["row"] in ("take_along_dim", "gather")
    return indexed and only_mine(mine, theirs) and OUT_OF_RANGE.search(mine[2])


@deviation("5.3 one mistake has one text: an index of a tensor without dims")
def index_of_a_number(case, mine, theirs, said):
    told = both_fail(mine, theirs) and mine[2].startswith("invalid index of a 0-dim tensor")
    return told and "out of bounds for dimension 0 with size 0" in theirs[2]


@deviation("8.4 words that name PyTorch's types and functions of C++")
def internal_words(case, mine, theirs, said):
    return both_fail(mine, theirs) and INTERNAL.search(theirs[2])


@deviation("8.5 the mode of nothing keeps its names")
def empty_mode(case, mine, theirs, said):
    return case["row"] == "mode" and said.startswith("result 0: names")


@deviation("8.6 the median of nothing is an error in dtypes without NaN")
def empty_median(case, mine, theirs, said):
    return only_mine(mine, theirs) and "nothing has no median" in mine[2]


@deviation("8.4 index_add of a source without dims")
def index_add_scalar(case, mine, theirs, said):
    without = "Dimension specified as 0 but tensor has no dimensions"
    return case["row"] == "index_add" and both_fail(mine, theirs) and without in theirs[2]


@deviation("8.8 PyTorch's gradient of index_fill does not know negative indices")
def index_fill_gradient(case, mine, theirs, said):
    return case["row"] == "index_fill" and case.get("mode") and only_theirs(mine, theirs)


@deviation("8.9 out= of sort, median and kthvalue may have another dtype")
def casting_values(case, mine, theirs, said):
    return (
        "out" in case["kw"]
        and only_theirs(mine, theirs)
        and re.search("same type as|same dtype as input", theirs[2])
    )


@deviation("8.10 cdist, complex and polar promote their operands")
def promoting(case, mine, theirs, said):
    rows = ("cdist", "complex", "polar")
    return case["row"] in rows and only_theirs(mine, theirs) and "scalar type" in theirs[2]


@deviation("8.11 addmv of a matrix without elements has the sizes of a product")
def empty_addmv(case, mine, theirs, said):
    nothing = any(0 in t["shape"] for t in case["tensors"][1:3])
    nothing |= mine[0] == "tensor" and 0 in mine[2]  # a view that has none
    return case["row"] == "addmv" and nothing and re.search("sizes|size mismatch|got 1, 2, 0", said)


@deviation("2.2 flatten of one dim, and of negative, descending or far dims with a name")
def flatten_names(case, mine, theirs, said):
    return case["row"] == "flatten" and len(case["args"]) > 3 and said.startswith("names")


@deviation("8.12 a mask may have more dims than what it fills")
def larger_mask(case, mine, theirs, said):
    return only_theirs(mine, theirs) and "masked_fill_: attempted to broadcast" in theirs[2]


@deviation("8.14 fill_ of an expanded tensor takes a value in a tensor too")
def filling_expanded(case, mine, theirs, said):
    return case["row"] == "fill" and only_theirs(mine, theirs) and "more than one" in theirs[2]


@deviation("8.15 max and min of nothing are errors with out=, too")
def empty_extremum(case, mine, theirs, said):
    nothing = mine[0] == "error" and "Expected reduction dim to be specified" in mine[2]
    return nothing and case["row"] in ("max", "min") and "out" in case["kw"]


@deviation("8.16 the gradient of narrow_copy knows negative starts")
def narrow_copy_gradient(case, mine, theirs, said):
    start = case["args"][2:3]
    return (
        case["row"] == "narrow_copy"
        and case.get("mode") == "grad"
        and mine[0] != "error"
        and start
        and isinstance(start[0], int)
        and start[0] < 0
    )


@deviation("8.26 nuclear_norm is that of matrices, with names and dtype=, of NaN too")
def nuclear(case, mine, theirs, said):
    if case["row"] != "nuclear_norm" or "error" not in (mine[0], theirs[0]):
        return False
    if only_theirs(mine, theirs):
        return theirs[1] == "_LinAlgError" or "received an invalid combination" in theirs[2]
    return re.search("dim must be a 2-tuple|Dimension out of range", mine[2])


@deviation("4.14 sizes that may be one number")
def one_size(case, mine, theirs, said):
    if case["row"] == "movedim" and only_theirs(mine, theirs):
        return re.search(r"got \(Tensor, (int, (list|tuple)|(list|tuple), int)\)", theirs[2])
    alone = case["row"] in ("as_strided", "flip") and only_theirs(mine, theirs)
    return alone and re.search(r"argument '(size|stride|dims)' .*must be tuple", theirs[2])


@deviation("8.4 matmul: sizes are those of its operands, not of a step on the way")
def product_of_nothing(case, mine, theirs, said):
    both = case["row"] == "matmul" and both_fail(mine, theirs)
    step = ("size mismatch, got", "Expected size for first two dimensions of batch2")
    return both and "inner sizes" in mine[2] and theirs[2].startswith(step)


@deviation("8.4 addbmm of something else than batches")
def batches_first(case, mine, theirs, said):
    told = both_fail(mine, theirs) and "must be a 3D tensor" in mine[2]
    rows = ("addbmm", "baddbmm")
    return told and case["row"] in rows and theirs[2].startswith("Dimension out of range")


@deviation("8.4 all dims are found before one of them is looked at")
def dims_first(case, mine, theirs, said):
    told = both_fail(mine, theirs) and mine[2].startswith("Dimension out of range")
    return told and case["row"] in ("amin", "amax") and "non-zero size" in theirs[2]


@deviation("8.4 scatter of a source of other dims")
def scattered_source(case, mine, theirs, said):
    other = both_fail(mine, theirs) and "same number of dimensions as src" in mine[2]
    return other and "Dimension out of range" in theirs[2]


# What PyTorch says, in which row.
SPREAD = re.compile(
    r'(missing 1 required .*"(size|shape|dims|repeats)"|view\(\) received .* got \(\))'
)
BORROWED = {
    "scatter_add": re.compile(r"^scatter\(\)"),
    "narrow_copy": re.compile(r"^start|^Dimension out of range"),
    "randperm": re.compile("^n must be non-negative"),
    "roll": re.compile("^Dimension specified as"),
    "randint": re.compile("^check_random_bounds handles only"),
    "randint_like": re.compile("^check_random_bounds handles only"),
}


@deviation("5.3 one mistake has one text")
def borrowed_words(case, mine, theirs, said):
    pattern = BORROWED.get(case["row"])
    return pattern and both_fail(mine, theirs) and pattern.search(theirs[2])


@deviation("7.17 remainders of a quotient too large to hold are exact")
def far_remainder(case, mine, theirs, said):
    return case["row"] == "remainder" and re.search(r"\d\), not \S*\(nan\)$", said)


@deviation("7.18 powers of complex numbers that are not NaN")
def far_power(case, mine, theirs, said):
    numbers = any(t["dtype"] in COMPLEX for t in case["tensors"])
    return case["row"] == "pow" and numbers and re.search(r"complex\w*\([^n]*, not \S*nan", said)


@deviation("8.17 take_along_dim without a dim takes tensors of all strides")
def flat_take(case, mine, theirs, said):
    views = case["row"] == "take_along_dim" and only_theirs(mine, theirs)
    return views and "view size is not compatible" in theirs[2]


@deviation("8.19 histc counts beyond what a half type can count by ones")
def counted_in_halves(case, mine, theirs, said):
    return case["row"] == "histc" and mine[1] in HALVES and re.search(r"element \d+: ", said)


@deviation("4.15 dims are given once")
def dims_twice(case, mine, theirs, said):
    twice = case["row"] in ("flip", "count_nonzero") and len(case["args"]) > 2
    return twice and only_mine(mine, theirs) and re.search("takes . positional argument", mine[2])


@deviation("4.8 a list that is spread may be empty")
def spread_nothing(case, mine, theirs, said):
    alone = case["form"] in ("method", "inplace") and len(case["args"]) == 1 and not case["kw"]
    return alone and only_theirs(mine, theirs) and SPREAD.search(theirs[2])


@deviation("4.7 to takes a dtype, a device or a tensor, no number")
def to_number(case, mine, theirs, said):
    wild = case["row"] == "to" and case.get("wild") and mine[0] == "error"
    return wild and mine[1] == "TypeError" and isinstance(case["args"][1], (int, float))


@deviation("1.4 a bool may be subtracted from a number")
def subtracting_truth(case, mine, theirs, said):
    own = case["row"] in ("sub", "rsub") and both_fail(mine, theirs)
    return own and "Subtraction, the" in theirs[2]


@deviation("4.2 unbiased beside out= and keepdim=")
def unbiased_first(case, mine, theirs, said):
    rows = ("var", "std", "var_mean", "std_mean")
    first = case["row"] in rows and len(case["args"]) > 1 and isinstance(case["args"][1], bool)
    return first and only_theirs(mine, theirs) and "invalid combination" in theirs[2]


@deviation("4.4 out= of searchsorted takes the result, cast, or says why not")
def searched_out(case, mine, theirs, said):
    return both_fail(mine, theirs) and "output tensor's dtype is wrong" in theirs[2]


@deviation("8.18 unique is in order, also of NaN, and takes return_inverse by position")
def in_order(case, mine, theirs, said):
    if case["row"] == "unique_consecutive":
        return True in case["args"][1:]
    if case["row"] != "unique" or theirs[0] == "error":
        return False
    first = case["tensors"][0]
    return first["dtype"] in REALS and first["fill"][0] in ("special", "bits")


@deviation("8.20 quantile takes half types")
def half_quantile(case, mine, theirs, said):
    halves = case["row"] in ("quantile", "nanquantile") and case["tensors"][0]["dtype"] in HALVES
    return halves and theirs[0] == "error" and "either float or double" in theirs[2]


@deviation("8.20 quantile of nothing else than rows that have elements")
def empty_quantile(case, mine, theirs, said):
    rows = case["row"] in ("quantile", "nanquantile") and theirs[0] == "error"
    return rows and "must be non-empty" in theirs[2] and "dim" in case["kw"]


@deviation("8.19 bincount adds complex weights up, histc takes every bound")
def counted_otherwise(case, mine, theirs, said):
    if case["row"] == "bincount":
        return mine[0] == "tensor" and mine[1].startswith("complex")
    fits = case["row"] == "histc" and only_theirs(mine, theirs)
    return fits and re.search("value cannot be converted|max must be larger", theirs[2])


@deviation("8.20 einsum of integers has their dtype")
def einsum_of_integers(case, mine, theirs, said):
    """PyTorch's is int64 where a dim of one operand alone is added up first."""
    whole = case["row"] == "einsum" and mine[0] == theirs[0] == "tensor"
    return whole and said.startswith("dtype") and theirs[1] == "int64" and mine[1] in INTS


@deviation("5.5 nomen, not Torch, has no CUDA")
def no_cuda(case, mine, theirs, said):
    words = "not compiled with CUDA"
    return both_fail(mine, theirs) and words in mine[2] and words in theirs[2]


@deviation("5.4 a tensor of several elements is no number")
def no_number(case, mine, theirs, said):
    several = both_fail(mine, theirs) and "integer tensors of a single element" in mine[2]
    return several and "must be an 0-dim integral Tensor" in theirs[2]


@deviation("7.21 the gradient of hardsigmoid in float64 is a sixth in float64")
def sixth(case, mine, theirs, said):
    pair = told_numbers(said) if case["row"] == "hardsigmoid" else None
    return pair and case.get("mode") == "grad" and abs(pair[0] - pair[1]) <= 1e-7 * abs(pair[1])


@deviation("8.25 a dim may be padded to nothing, as in current PyTorch")
def padded_to_nothing(case, mine, theirs, said):
    nothing = case["row"] == "pad" and only_theirs(mine, theirs)
    return nothing and "resulted in a negative output size" in theirs[2]
