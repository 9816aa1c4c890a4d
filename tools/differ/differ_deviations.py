"""Differences that are meant: each rule has the number of the written deviation it stands for.

A rule sees (case, mine, theirs, said): what nomen gave, what the oracle gave, what was found
different. The first that fits counts. Numbers are sections of the page of deviations; the words
after them say which sentence. Letters are of this file: F, a form of a call; O, the order of
checks; W, words; P, properties of PyTorch's own kernels that differ from kernel to kernel.
"""

import re

import differ_judge as judge

RULES = []

# What an error is about. Two errors of one kind must have the same words, but for those kinds
# whose words name PyTorch's internals.
KINDS = [
    ("dtype", judge.NO_KERNEL.pattern),
    (
        "cast",
        "can't be cast|Expected out tensor to have dtype|Found dtype|dtype.*does not match|"
        "result dtype|infer output dtype|dtype of out|same dtype|to have the same|integral|"
        "without overflow|"
        "Boolean|boolean|bool tensor|bool values|complex",
    ),
    ("resize", "Cannot resize named|Name mismatch"),
    ("overlap", "more than one element of the written-to|overlap|share memory"),
    ("names", "[Nn]ame|Misaligned|dims \\[|dim '"),
    ("dim", "Dimension|dim|out of range"),
    ("size", "size|shape|must match|1D|2D|matrix|vector|elements"),
]


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


@deviation("1 every dtype that makes sense")
def more_dtypes(case, mine, theirs, said):
    return only_theirs(mine, theirs) and judge.NO_KERNEL.search(theirs[2])


@deviation("1 every operation works with names")
def more_names(case, mine, theirs, said):
    return theirs[0] == "error" and judge.UNSUPPORTED.search(theirs[2])


@deviation(
    "F forms of calls that no overload of PyTorch has: keepdim without dim, names as dims, "
    "numbers as tensors, out= everywhere"
)
def more_forms(case, mine, theirs, said):
    return only_theirs(mine, theirs) and theirs[1] == "TypeError" and not case.get("wild")


@deviation("W refused dtypes: PyTorch's words name its internal function or C++ type")
def other_words(case, mine, theirs, said):
    return (
        both_fail(mine, theirs) and kind(mine) == kind(theirs) and kind(mine) in ("dtype", "cast")
    )


@deviation("O several things are wrong: which is told first")
def other_order(case, mine, theirs, said):
    return both_fail(mine, theirs) and kind(mine) != kind(theirs)


@deviation("F out= of another dtype takes the result, cast, wherever the cast loses no kind")
def casting_out(case, mine, theirs, said):
    return (
        "out" in case["kw"]
        and only_theirs(mine, theirs)
        and re.search(
            "Found dtype|does not match dtype of out|expected scalar_type|scalar type|"
            "Long tensor out|does not match input dtype|dynamic_casting|Expected out type",
            theirs[2],
        )
    )


@deviation("P the sign of zero and the last bit in PyTorch depend on its loop, vector or scalar")
def loops_disagree(case, mine, theirs, said):
    return case["row"] == "relu" and re.search(r"\(-?0\.0\), not \S*\(-?0\.0\)", said)


@deviation("P a float beyond the range of an integer dtype: the cast is undefined in C")
def undefined_cast(case, mine, theirs, said):
    into = re.search(r"np\.u?int\d+\(", said)
    return into and any(isinstance(v, float) and abs(v) > 2**7 for v in numbers(case))


def numbers(case):
    """The numbers of a call, those of floating operands included."""
    yield from (v for v in [*case["args"], *case["kw"].values()] if isinstance(v, float))
    if any(t["dtype"].startswith(("float", "bfloat", "complex")) for t in case["tensors"]):
        yield 1e300


@deviation("2 squeeze(dim) keeps the names of a dim that stays")
def squeeze_keeps(case, mine, theirs, said):
    return case["row"] == "squeeze" and theirs[0] == "tensor" and not any(theirs[3])


@deviation("2 flatten of one dim, and of negative, descending or far dims with a name")
def flatten_is_safe(case, mine, theirs, said):
    return case["row"] == "flatten" and len(case["args"]) >= 3 and theirs[0] == "error"


@deviation("2 matmul(out=) follows the rule of out=")
def matmul_out(case, mine, theirs, said):
    return (
        case["row"] == "matmul"
        and "out" in case["kw"]
        and mine[0] == "error"
        and judge.re.search("Cannot resize named", mine[2])
    )


@deviation("P PyTorch's own gradient fails inside")
def torch_asserts(case, mine, theirs, said):
    return (
        only_theirs(mine, theirs)
        and case.get("mode") == "grad"
        and re.search("INTERNAL ASSERT|ZeroTensor|Expected isFloatingType", theirs[2])
    )


def of(case, mine, theirs, said):
    for number, function in RULES:
        if function(case, mine, theirs, said):
            return number
    return None
