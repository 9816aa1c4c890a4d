"""What the generator of calls has to know about single operations, beyond their rows.

Everything here is a hint: an operation without any is drawn from its list of arguments alone.
"""

from differ_data import ALL, INTS

# Results are nobody's business: only dtype, sizes and names count.
UNDEFINED = {"empty", "empty_like", "new_empty", "new_empty_strided", "empty_strided"}
RESIZING = {"resize"}  # what is new is nobody's business

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
    "polygamma": ["positive", "normal", "special", "halves"],  # PyTorch's counts up from -2**52
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
    "poisson": ["positive", "zero_one"],
    "prod": ["normal", "small", "unit", "special", "zero_one"],
    "cumprod": ["normal", "small", "unit", "special", "zero_one"],
}
PRODUCTS = {
    "mm", "mv", "bmm", "dot", "matmul", "addmm", "addmv", "addbmm", "baddbmm", "addr", "cdist",
    "outer", "inner", "vdot", "linear", "tensordot",
}  # fmt: skip
ADDED = {"lerp", "addcmul", "addcdiv", "einsum"}
SUMS = {
    "sum",
    "nanmean",
    "mean",
    "std",
    "var",
    "std_mean",
    "var_mean",
    "cumsum",
    "nansum",
    "logcumsumexp",
}
for name in PRODUCTS | SUMS:
    FILLS[name] = ["normal", "small", "large", "positive", "special", "wide", "normal", "small"]

ADDED_UP = {"sum", "nansum", "mean", "nanmean", "cumsum"}
FOLDS = {"sum", "nansum", "mean", "nanmean", "cumsum", "prod", "cumprod"}

# Numbers added up in places, in the dtype of self.
PLACES = {"index_add", "scatter_add", "scatter_reduce", "scatter", "put", "index_put"}

# What the first operand may be made of, where the kernel's list says too much.
FLOATS = ("float16", "bfloat16", "float32", "float64")
NUMERIC = ALL[1:]
DTYPES = {
    "bernoulli": FLOATS,
    "multinomial": ("float32", "float64"),
    "threshold": INTS + FLOATS,
    "poisson": FLOATS,
    "complex": ("float32", "float64"),
    "polar": ("float32", "float64"),
    "imag": ("complex64", "complex128"),
    "view_as_real": ("complex64", "complex128"),
    "view_as_complex": ("float32", "float64"),
    "uniform": FLOATS,
    "normal": FLOATS,
    "normal_": FLOATS,
    "rand": FLOATS,
    "rand_like": FLOATS,
    "randn": FLOATS,
    "randn_like": FLOATS,
    "dropout": FLOATS,
    "cdist": ("float32", "float64"),
    "dist": FLOATS + ("complex64", "complex128"),
    "addmm": NUMERIC,
    "addmv": NUMERIC,
    "baddbmm": NUMERIC,
    "bmm": NUMERIC,
    "kthvalue": INTS + FLOATS,
    "mode": ALL[:10],
    "randint": INTS + FLOATS,
    "randint_like": INTS + FLOATS,
}
FLOATS_ONLY = {
    "addcdiv", "lerp", "complex", "polar", "mean", "nanmean", "std", "var", "std_mean", "var_mean",
    "norm", "atanh_", "logsumexp", "softmax", "frac",
}  # fmt: skip
SAME_DTYPES = {"lerp", "complex", "polar", "addcdiv", "addcmul", "stack", "cat"}
OPERAND_DTYPES = {  # of further operands
    ("where", "condition"): ("bool",) * 19 + ("uint8",),
    ("masked_fill", "mask"): ("bool",) * 29 + ("uint8",),
    ("masked_select", "mask"): ("bool",) * 29 + ("uint8",),
    ("masked_scatter", "mask"): ("bool",) * 29 + ("uint8",),
}

# Ranks of the first operand; 0 to 9 is any.
RANKS = {
    "diag": (1, 2), "fliplr": (2, 9), "flipud": (1, 9), "tril": (2, 9), "triu": (2, 9),
    "select": (1, 9), "unbind": (1, 9), "msort": (1, 9), "view_as_complex": (0, 4),
    "diag_embed": (1, 4),
}  # fmt: skip

# Numbers that an argument may be, where others are errors or mean nothing.
NUMBERS = {
    ("std", "correction"): [0, 1, 1, 2, 5],
    ("var", "correction"): [0, 1, 1, 2, 5],
    ("std_mean", "correction"): [0, 1, 1, 2, 5],
    ("var_mean", "correction"): [0, 1, 1, 2, 5],
    ("norm", "p"): [0.0, 0.5, 1.0, 2, 2, 3, 1, float("inf"), float("-inf")],
    ("dist", "p"): [0.0, 0.5, 1.0, 2, 2, 3, 1, float("inf")],
    ("cdist", "p"): [0.0, 0.5, 1.0, 2, 2, 3, 1, float("inf")],
    ("logit", "eps"): [1e-6, 0.1, 0.25, 0.0],
    ("allclose", "rtol"): [1e-5, 0.1, 0.0],
    ("allclose", "atol"): [1e-8, 0.1, 10.0],
    ("isclose", "rtol"): [1e-5, 0.1, 0.0],
    ("isclose", "atol"): [1e-8, 0.1, 10.0],
}

# Operands that PyTorch wants as tensors.
TENSORS_ONLY = {
    ("addcdiv", "tensor1"), ("addcdiv", "tensor2"), ("addcmul", "tensor1"), ("addcmul", "tensor2"),
    ("lerp", "end"), ("hypot", "other"), ("atan2", "other"), ("maximum", "other"),
    ("minimum", "other"), ("logical_and", "other"), ("logical_or", "other"),
    ("logical_xor", "other"), ("complex", "imag"), ("polar", "angle"), ("copy", "src"),
    ("isclose", "other"), ("allclose", "other"), ("where", "condition"),
}  # fmt: skip

# Optional arguments that are always given; with out=.
REDUCTIONS = ("sum", "mean", "nansum", "nanmean", "prod", "all", "any", "norm", "amax", "amin")
NEEDED = (
    set(),
    {(name, "dim") for name in REDUCTIONS + ("median", "nanmedian", "var", "std")},
)

# PyTorch's median reads behind the end of an expanded tensor.
# So do its gradients of aligned tensors.
NEVER_EXPANDED = {"median", "nanmedian", "align_as", "align_to"}

# A matrix of a large vector takes all memory.
NEVER_LARGE = {"diag", "diag_embed"}

# Arguments that have another name in PyTorch.
BY_POSITION = {("copy", "src"), ("einsum", "operands"), ("searchsorted", "self")}

# Forms that look wrong but are more than PyTorch has: nothing is spoiled further.
UNSPOILED = {
    "normal",
    "sort",
    "expand",
    "tile",
    "repeat",
    "permute",
    "reshape",
    "view",
    "hsplit",
    "vsplit",
    "dsplit",
}

# Rows whose dims are one dim, and whose dims are always a list.
ONE_DIM = {"prod", "all", "any"}
LISTS_OF_DIMS = {"flip"}

# Forms that PyTorch has, where it has fewer.
FORMS = {
    "argsort": "fm",
    "bernoulli": "fmio",
    "conj": "fm",
    "relu": "fmi",
    "threshold": "fi",
    "resolve_conj": "fm",
    "copysign": "fmio",
}

# What dtype= may be.
RESULT_DTYPES = {name: FLOATS for name in ("mean", "nanmean", "norm")}

# dtypes of results, for out=.
COMPARED = {
    "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not",
    "isnan", "isinf", "isneginf", "isposinf", "signbit", "all", "any", "isclose",
}  # fmt: skip
RESULTS = {name: "bool" for name in COMPARED}
RESULTS |= {name: "int64" for name in ("argmax", "argmin", "argsort", "nonzero", "randperm")}
SUMS_OF_INTS = {"sum", "prod", "cumsum", "cumprod", "nansum", "trace"}
FLOAT_RESULTS = {"div", "true_divide"}

# Composites with a gradient of their own parts.
SMOOTH = {
    "addmm", "addmv", "baddbmm", "cdist", "diag", "diag_embed", "diff", "dist", "repeat", "tile",
    "repeat_interleave", "roll", "split", "chunk", "tensor_split", "hsplit", "vsplit", "dsplit",
    "unbind", "narrow_copy", "msort", "take_along_dim", "to", "contiguous", "threshold",
}  # fmt: skip

# Words that arguments of kind text may have.
TEXTS = {
    "rounding_mode": [None, "trunc", "floor", "floor", "trunc", "up"],
    "reduce": ["sum", "prod", "mean", "amax", "amin"],
}

# Arguments that are never given: they are nomen's own, or have no meaning between libraries.
LEFT_OUT = {
    ("randn_like", "generator"),
    ("rand_like", "generator"),
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
HIDDEN = {
    "cast",
    "slice",
    "index",
    "nonzero_tuple",
    "put_dims",
    "distances",
    "take_dims",
    "index_put",
    "orthogonal_basis",
}

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
    "nuclear_norm": (16, 16),
    "pdist": (16, 32),
    "erfinv": (4, 8),
    "pow": (4, 4),
    "polygamma": (64, 256),
}

# Sums of products and the like: an error is measured by the size of what was added up.
CANCEL = PRODUCTS | SUMS | {
    "prod", "cumprod", "softmax", "log_softmax", "logsumexp", "addcmul", "addcdiv", "lerp", "norm",
    "logaddexp", "logaddexp2", "scatter_add", "index_add", "dist", "trace", "std", "var",
    "linspace", "quantile", "nanquantile", "einsum", "cosine_similarity", "gelu", "silu",
    "scaled_dot_product_attention", "batch_norm",
    "tanhshrink",
}  # fmt: skip
