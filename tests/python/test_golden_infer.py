"""Every name inference recorded from PyTorch 1.13.1 (tests/golden) against nomen_infer.

Where nomen differs on purpose, the expected answer comes from a small model of the written rule,
and the number of cases that each such difference covers is asserted. All other answers must be the
recorded ones, to the letter.
"""

import collections
import ctypes
import gzip
import json
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
STATUS = {"RuntimeError": {-1, -2}, "IndexError": {-4}}  # nomen_status: names and shapes, indices


def library_path():
    given = os.environ.get("NOMEN_LIBRARY")
    builds = [ROOT / "build" / "libnomen.so", ROOT / "build" / "release" / "libnomen.so"]
    places = [pathlib.Path(given)] if given else builds
    return next((path for path in places if path.exists()), None)


class Args(ctypes.Structure):
    """nomen_infer_args"""

    _fields_ = [
        ("op", ctypes.c_char_p),
        ("operands", ctypes.POINTER(ctypes.c_char_p)),
        ("count", ctypes.c_int),
        ("dim", ctypes.c_char_p),
        ("names", ctypes.c_char_p),
        ("out_dim", ctypes.c_char_p),
        ("keepdim", ctypes.c_bool),
        ("ndim", ctypes.c_int),
        ("out", ctypes.c_char_p),
        ("size", ctypes.POINTER(ctypes.c_int64)),
        ("out_size", ctypes.POINTER(ctypes.c_int64)),
        ("result_size", ctypes.POINTER(ctypes.c_int64)),
    ]


class Error(ctypes.Structure):
    """nomen_error"""

    _fields_ = [
        ("code", ctypes.c_int),
        ("op", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("operands", ctypes.c_char_p),
    ]


def text(items):
    """A list of names, integers, None and '...' as the C interface reads it."""
    return " ".join("*" if item is None else str(item) for item in items).encode()


def names_of(line):
    return [None if name == "*" else name for name in line.split()]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.nomen_infer.argtypes = [ctypes.POINTER(Args), ctypes.c_char_p, ctypes.c_size_t]
        self.c.nomen_infer.restype = ctypes.c_int
        self.c.nomen_last_error.restype = ctypes.POINTER(Error)

    def infer(self, op, operands, **fields):
        """("ok", [names, ...]) or ("err", status, message)"""
        array = (ctypes.c_char_p * len(operands))(*[text(names) for names in operands])
        sizes = {key: (ctypes.c_int64 * max(1, len(fields[key])))(*fields[key])
                 for key in ("size", "out_size", "result_size") if key in fields}
        plain = {key: text(value) if isinstance(value, (list, tuple)) else value
                 for key, value in fields.items() if key not in sizes}
        args = Args(op=op.encode(), operands=array, count=len(operands), **plain)
        for key, value in sizes.items():
            setattr(args, key, value)
        room = ctypes.create_string_buffer(1024)
        self.c.nomen_clear_error()
        status = self.c.nomen_infer(ctypes.byref(args), room, len(room))
        if status == 0:
            return ("ok", [names_of(part) for part in room.value.decode().split(";")])
        error = self.c.nomen_last_error().contents
        assert error.code == status
        return ("err", status, error.message.decode())


@pytest.fixture(scope="module")
def library():
    path = library_path()
    if path is None:
        pytest.fail("libnomen.so is missing: build it or set NOMEN_LIBRARY")
    return Library(path)


# ---- how a key of a file becomes a call ----------------------------------------------------


def operands(op):
    return lambda *lists: (op, list(lists), {})


def wanted(op):
    return lambda own, names: (op, [own], {"names": names})


def ellipsis(op):
    return lambda own, names, at: (op, [own], {"names": names[:at] + ["..."] + names[at:]})


def add_out(a, b, out):
    rank = max(len(a), len(b))
    return "add", [a, b], {"out": out, "out_size": [1] * len(out), "result_size": [1] * rank}


CALLS = {
    "add": operands("add"),
    "add_inplace": operands("add_"),
    "add_out": add_out,
    "addcmul": operands("addcmul"),
    "addmm": operands("addmm"),
    "addmv": operands("addmv"),
    "align_as": operands("align_as"),
    "align_tensors": operands("align_tensors"),
    "align_to": wanted("align_to"),
    "align_to_ellipsis": ellipsis("align_to"),
    "bmm": operands("bmm"),
    "cat": operands("cat"),
    "cdist": operands("cdist"),
    "copy_inplace": operands("copy_"),
    "dot": operands("dot"),
    "expand": lambda own, lead: ("expand", [own], {"ndim": len(own) + lead}),
    "flatten_list": lambda own, dims, out: ("flatten", [own], {"dim": dims, "out_dim": [out]}),
    "masked_fill": operands("masked_fill"),
    "masked_fill_inplace": operands("masked_fill_"),
    "masked_select": operands("masked_select"),
    "matmul": operands("matmul"),
    "max_dim": lambda own, dim, keep: ("max", [own], {"dim": [dim], "keepdim": keep}),
    "mm": operands("mm"),
    "mv": operands("mv"),
    "refine_ellipsis": ellipsis("refine_names"),
    "refine_names": wanted("refine_names"),
    "rename": wanted("rename"),
    "rename_ellipsis": ellipsis("rename"),
    "select_dim": lambda own, dim: ("select", [own], {"dim": [dim]}),
    "squeeze_dim": lambda own, dim: ("squeeze", [own], {"dim": [dim], "size": [1] * len(own)}),
    "sum_keep": lambda own, dims, keep: ("sum", [own], {"dim": dims, "keepdim": keep}),
    "transpose": lambda own, first, second: ("transpose", [own], {"dim": [first, second]}),
    "unflatten": lambda own, dim, names: ("unflatten", [own], {"dim": [dim], "names": names}),
}

# ---- models of what nomen does differently: None, or the reason and the expected answer -----

OWN_NAMES = "E15 prints the tensor's own names after 'from Tensor', not the wanted ones"
WHOLE_RESULT = "matmul refuses duplicate names in the whole result, not only in the last two dims"
MASK_RANK = "masked_fill_ follows masked_fill: a mask of lower rank works, or fails for its names"
MASK_ROLES = "masked_fill_ follows masked_fill: the error lists self before mask"


def listed(names):
    return "[" + ", ".join("None" if name is None else f"'{name}'" for name in names) + "]"


def from_right(names, k):
    return names[-k] if k <= len(names) else None


def model_unify(a, b):
    """Names matched from the right, or the text of the error."""
    result = []
    for k in range(1, max(len(a), len(b)) + 1):
        x, y = from_right(a, k), from_right(b, k)
        if x is not None and y is not None and x != y:
            return (f"Error when attempting to broadcast dims {listed(a)} and dims {listed(b)}: "
                    f"dim '{x}' and dim '{y}' are at the same position from the right but do not "
                    "match.")
        for name, other, own, against in ((x, y, a, b), (y, x, b, a)):
            if name is not None and other is None and name in against:
                return (f"Misaligned dims when attempting to broadcast dims {listed(own)} and dims "
                        f"{listed(against)}: dim '{name}' appears in a different position from the "
                        "right across both lists.")
        result.insert(0, y if x is None else x)
    return result


def model_align(own, wants, recorded):
    if recorded[0] == "ok" or "Cannot find dim" not in recorded[2]:
        return None
    missing = next(name for name in own if name not in wants)
    return OWN_NAMES, [
        "err", "RuntimeError",
        f"align_to: Cannot find dim '{missing}' from Tensor{listed(own)} in desired alignment "
        f"{listed(wants)}."]


def model_matmul(a, b, recorded):
    given = [name for name in recorded[1] if name is not None] if recorded[0] == "ok" else []
    if len(given) == len(set(given)):
        return None
    return WHOLE_RESULT, [
        "err", "RuntimeError",
        f"Matrix multiplying Tensor{listed(a)} with Tensor{listed(b)} would produce output tensor "
        f"with duplicate names {listed(recorded[1])}. Please rename the input tensors with "
        "`Tensor.rename` to prevent this."]


def model_masked_fill_inplace(own, mask, recorded):
    names = model_unify(own, mask)
    if isinstance(names, str):
        expected = ["err", "RuntimeError", names]
    elif any(own) and names != own:
        expected = ["err", "RuntimeError",
                    f"Name mismatch: specified out tensor with names {listed(own)} are not the "
                    f"same as the computed output names {listed(names)}. Please rename the out "
                    "tensor's dims with `Tensor.rename`."]
    else:
        expected = ["ok", names]
    if expected[:2] == recorded[:2] and (expected[0] == "ok" or expected[2] == recorded[2]):
        return None
    return MASK_RANK if len(mask) < len(own) else MASK_ROLES, expected


MODELS = {
    "align_as": model_align,
    "align_to": model_align,
    "bmm": model_matmul,
    "masked_fill_inplace": model_masked_fill_inplace,
    "matmul": model_matmul,
    "mm": model_matmul,
}

# Recorded answers that nomen does not share. Every other one is the same to the letter.
DIFFERENT = {
    ("align_as", OWN_NAMES): 1092,
    ("align_to", OWN_NAMES): 1092,
    ("masked_fill_inplace", MASK_RANK): 675,
    ("masked_fill_inplace", MASK_ROLES): 546,
    ("matmul", WHOLE_RESULT): 126,
}

TOTAL = 68398


def read(name):
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def compare(expected, got):
    """None if they agree, else what is wrong."""
    if expected[0] == "ok":
        names = expected[1]
        lists = names if names and isinstance(names[0], list) else [names]
        return None if got == ("ok", lists) else f"expected {lists}, got {got}"
    if got[0] == "err" and got[2] == expected[2] and got[1] in STATUS[expected[1]]:
        return None
    return f"expected {expected}, got {got}"


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden(library, name):
    vectors = read(name)
    model = MODELS.get(name, lambda *_: None)
    different = collections.Counter()
    wrong = []
    for key, recorded in vectors:
        expected = recorded
        exception = model(*key, recorded)
        if exception:
            reason, expected = exception
            different[name, reason] += 1
        op, lists, fields = CALLS[name](*key)
        problem = compare(expected, library.infer(op, lists, **fields))
        if problem:
            wrong.append(f"{key}: {problem}")
    assert not wrong, f"{len(wrong)} of {len(vectors)}\n" + "\n".join(wrong[:10])
    assert different == {at: count for at, count in DIFFERENT.items() if at[0] == name}


def test_nothing_is_missing():
    assert sum(len(read(name)) for name in CALLS) == TOTAL
