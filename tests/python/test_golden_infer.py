"""Every name inference recorded from PyTorch 1.13.1 (tests/golden) against nomen_infer.

Where nomen differs on purpose, the case stands in golden/exceptions.tsv, with the number that it
has in docs/differences.md and with nomen's answer. All other answers are the recorded ones, to the
letter.
"""

import ctypes
import os
import pathlib
import re

import pytest
from golden_cases import EXCEPTIONS, cases, deviations, read
from infer_interface import Args, Error

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATUS = {"RuntimeError": {-1, -2}, "IndexError": {-4}}  # nomen_status: names and shapes, indices


def library_path():
    given = os.environ.get("NOMEN_LIBRARY")
    builds = [ROOT / "build" / "libnomen.so", ROOT / "build" / "release" / "libnomen.so"]
    places = [pathlib.Path(given)] if given else builds
    return next((path for path in places if path.exists()), None)


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
        sizes = {
            key: (ctypes.c_int64 * max(1, len(fields[key])))(*fields[key])
            for key in ("size", "out_size", "result_size")
            if key in fields
        }
        plain = {
            key: text(value) if isinstance(value, (list, tuple)) else value
            for key, value in fields.items()
            if key not in sizes
        }
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

TOTAL = 68398


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
    wrong = []
    for key, expected in cases(name):
        op, lists, fields = CALLS[name](*key)
        problem = compare(expected, library.infer(op, lists, **fields))
        if problem:
            wrong.append(f"{key}: {problem}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:10])


def test_nothing_is_missing():
    assert sum(len(read(name)) for name in CALLS) == TOTAL


def test_each_exception_is_one_and_follows_its_rule():
    """The list is what the written rules make of the recorded cases, and nothing else differs."""
    listed = {}
    for (name, line), exception in EXCEPTIONS.items():
        listed.setdefault(name, {})[line] = exception
        recorded = read(name)[line - 1][1]
        assert recorded[:2] != exception[1][:2] or recorded[2:] != exception[1][2:]
    assert listed == {name: found for name in CALLS if (found := deviations(name))}


def test_each_exception_has_a_place_on_the_page():
    page = (ROOT / "docs" / "differences.md").read_text()
    sections = set(re.findall(r"^- \*\*(\d+\.\d+)\*\*", page, re.M))
    assert {number for number, _ in EXCEPTIONS.values()} <= sections
