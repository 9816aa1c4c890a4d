"""What the generator of calls has to know about single operations, beyond their rows.

Everything here is a hint: an operation without any is drawn from its list of arguments alone.
"""

from differ_data import ALL, INTS, REALS

# Results are nobody's business: only dtype, sizes and names count.
UNDEFINED = {"empty", "empty_like", "new_empty", "new_empty_strided", "empty_strided"}

# Numbers by chance: the same seed is set before each call.
RANDOM = {
    "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm", "normal",
    "bernoulli", "uniform", "random", "cauchy", "exponential", "log_normal", "geometric",
    "dropout", "normal_", "multinomial", "poisson",
}  # fmt: skip

# Fillings of operands, the first ones oftener. The others get the general list.
GENERAL = ["normal", "small", "special", "large", "bits", "wide", "halves", "positive"]
FILLS = {
    "acosh": ["positive", "special", "wide", "large"],
    "log": ["positive", "special", "wide", "normal"],
    "log2": ["positive", "special", "wide", "normal"],
    "log10": ["positive", "special", "wide", "normal"],
    "log1p": ["positive", "unit", "special", "wide"],
    "sqrt": ["positive", "special", "wide", "normal"],
    "rsqrt": ["positive", "special", "wide", "normal"],
    "digamma": ["positive", "normal", "special", "halves"],
    "lgamma": ["positive", "normal", "special", "halves"],
    "acos": ["unit", "special", "normal"],
    "asin": ["unit", "special", "normal"],
    "atanh": ["unit", "special", "normal"],
    "erfinv": ["unit", "special", "normal"],
    "round": ["halves", "normal", "special", "wide", "large"],
    "floor": ["halves", "normal", "special", "wide", "large"],
    "ceil": ["halves", "normal", "special", "wide", "large"],
    "trunc": ["halves", "normal", "special", "wide", "large"],
    "frac": ["halves", "normal", "special", "wide", "large"],
    "bernoulli": ["zero_one", "zero_one", "zero_one", "special"],
    "kthvalue": ["small", "special", "normal", "distinct"],
    "topk": ["distinct", "normal", "distinct", "small"],
    "sort": ["small", "special", "normal", "distinct"],
    "argsort": ["distinct"],
    "median": ["small", "special", "normal", "distinct"],
    "nanmedian": ["small", "special", "normal", "distinct"],
    "mode": ["small", "zero_one", "small", "special"],
    "prod": ["normal", "small", "unit", "special", "zero_one"],
    "cumprod": ["normal", "small", "unit", "special", "zero_one"],
}
PRODUCTS = {
    "mm", "mv", "bmm", "dot", "matmul", "addmm", "addmv", "addbmm", "baddbmm", "addr", "cdist",
    "outer", "inner", "vdot", "linear", "tensordot",
}  # fmt: skip
SUMS = {"sum", "mean", "std", "var", "std_mean", "var_mean", "cumsum", "nansum", "logcumsumexp"}
for name in PRODUCTS | SUMS:
    FILLS[name] = ["normal", "small", "large", "positive", "special", "wide", "normal", "small"]

# dtypes drawn oftener for the first operand.
DTYPES = {
    "bitwise_not": INTS + ("bool",),
    "bitwise_and": INTS + ("bool",),
    "bitwise_or": INTS + ("bool",),
    "bitwise_xor": INTS + ("bool",),
    "bitwise_left_shift": INTS,
    "bitwise_right_shift": INTS,
    "bernoulli": REALS,
}
OPERAND_DTYPES = {  # of further operands
    ("where", "condition"): ("bool",) * 9 + ("uint8",),
    ("masked_fill", "mask"): ("bool",) * 9 + ("uint8",),
    ("masked_select", "mask"): ("bool",) * 9 + ("uint8",),
    ("masked_scatter", "mask"): ("bool",) * 9 + ("uint8",),
}

# Words that arguments of kind text may have.
TEXTS = {
    "rounding_mode": [None, "trunc", "floor", "floor", "trunc", "up"],
    "reduce": ["sum", "prod", "mean", "amax", "amin"],
}

# Arguments that are never given: they are nomen's own, or have no meaning between libraries.
LEFT_OUT = {
    ("rename", "map"),
    ("slice", "dim"),
    ("flatten", "start_dim"),
    ("flatten", "end_dim"),
    ("split", "sizes"),
    ("cumsum", "reverse"),
    ("cumprod", "reverse"),
    ("cummax", "reverse"),
    ("cummin", "reverse"),
    ("logcumsumexp", "reverse"),
}

# How many arguments after self are sometimes given by position; all unless said otherwise, since
# PyTorch's order is the row's. Third positional arguments of std are `unbiased` and not `keepdim`.
POSITIONAL = {"std": 1, "var": 1, "std_mean": 1, "var_mean": 1, "norm": 1, "clone": 0}

# Rows that Python does not show under their own name, or that only nomen has.
HIDDEN = {"cast", "slice", "index", "nonzero_tuple", "put_dims", "take_dims", "index_put"}

# What the fallible half of the result is compared with, in units of the last place of the result:
# (float32 and below, float64). Not listed: EXACT for moves and single roundings, otherwise LOOSE.
EXACT = {
    "abs", "add", "all", "any", "align_as", "align_to", "arange", "argmax", "argmin", "bitwise_not",
    "cast", "cat", "ceil", "chunk", "clamp", "clone", "conj", "contiguous", "copy", "diagonal",
    "div", "eq", "expand", "fill", "flatten", "flip", "floor", "frac", "full", "full_like",
    "gather",
    "ge", "gt", "imag", "index_fill", "index_select", "isfinite", "isinf", "isnan", "kthvalue",
    "le", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "masked_fill",
    "masked_scatter", "masked_select", "max", "maximum", "median", "min", "minimum", "mode",
    "movedim", "mul", "nanmedian", "narrow", "ne", "neg", "nextafter", "ones", "ones_like",
    "permute", "positive", "real", "reciprocal", "refine_names", "relu", "rename", "reshape",
    "roll", "scatter", "select", "sgn", "sign", "signbit", "slice", "sort", "split", "sqrt",
    "square", "squeeze", "stack", "sub", "take", "threshold", "to", "topk", "transpose", "tril",
    "triu", "trunc", "unbind", "unflatten", "unsqueeze", "where", "zero", "zeros", "zeros_like",
    "cummax", "cummin", "remainder", "fmod", "floor_divide", "rsub", "amax", "amin", "aminmax",
    "getitem", "setitem", "floordiv", "mod", "truediv", "dropout", "rand", "rand_like", "randint",
    "randperm", "random", "uniform", "bernoulli", "geometric", "resize", "repeat", "argsort",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
    "scatter_add", "index_copy", "one_hot", "tile", "diag", "unfold", "swapdims", "t", "msort",
}  # fmt: skip
LOOSE = (4, 4)
ULP = {
    "digamma": (16, 64),
    "lgamma": (8, 16),
    "erfinv": (4, 8),
    "pow": (4, 4),
    "polygamma": (64, 256),
}

# Sums of products and the like: an error is measured by the size of what was added up.
CANCEL = PRODUCTS | SUMS | {
    "prod", "cumprod", "softmax", "log_softmax", "logsumexp", "addcmul", "addcdiv", "lerp", "norm",
    "scatter_add", "index_add", "dist", "trace", "std", "var",
}  # fmt: skip

DRAWN_DTYPES = ALL
