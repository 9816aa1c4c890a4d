"""Every text recorded from PyTorch 1.13.1 against nomen_repr, to the letter."""

import ctypes
import gzip
import json
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPES = [
    "",
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


class Sizes(ctypes.Structure):
    """nomen_sizes"""

    _fields_ = [("count", ctypes.c_int64), ("at", ctypes.POINTER(ctypes.c_int64))]


class Options(ctypes.Structure):
    """nomen_print_options"""

    _fields_ = [
        ("precision", ctypes.c_int),
        ("edgeitems", ctypes.c_int),
        ("linewidth", ctypes.c_int),
        ("sci_mode", ctypes.c_int),
        ("threshold", ctypes.c_int64),
    ]


@pytest.fixture(scope="module")
def library():
    path = os.environ.get("NOMEN_LIBRARY") or ROOT / "build" / "release" / "libnomen.so"
    loaded = ctypes.CDLL(str(path))
    loaded.nomen_from_data.restype = ctypes.c_void_p
    loaded.nomen_from_data.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_char_p,
        Sizes,
        ctypes.c_void_p,
        ctypes.c_void_p,
    ]
    loaded.nomen_dtype_name.restype = ctypes.c_char_p
    loaded.nomen_error_text.restype = ctypes.c_char_p
    loaded.nomen_repr.restype = ctypes.c_size_t
    loaded.nomen_repr.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    loaded.nomen_get_print_options.restype = Options
    loaded.nomen_set_print_options.argtypes = [ctypes.POINTER(Options)]
    for number, name in enumerate(DTYPES[1:], 1):
        assert loaded.nomen_dtype_name(number) == name.encode()
    yield loaded
    loaded.nomen_set_print_options(None)


@pytest.fixture(scope="module")
def cases():
    with gzip.open(ROOT / "tests" / "golden" / "repr.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def text_of(library, case):
    assert library.nomen_set_print_options(None) == 0
    options = library.nomen_get_print_options()
    for key, value in case["options"].items():
        setattr(options, key, value)
    assert library.nomen_set_print_options(ctypes.byref(options)) == 0
    data = bytes.fromhex(case["bytes"])
    memory = (ctypes.c_uint64 * (len(data) // 8 + 1))()
    ctypes.memmove(memory, data, len(data))
    sizes = (ctypes.c_int64 * max(1, len(case["shape"])))(*case["shape"])
    names = " ".join(name or "*" for name in case["names"]) if any(case["names"]) else None
    tensor = ctypes.c_void_p(
        library.nomen_from_data(
            ctypes.addressof(memory),
            DTYPES.index(case["dtype"]),
            names and names.encode(),
            Sizes(len(case["shape"]), sizes),
            None,
            None,
        )
    )
    assert tensor.value, library.nomen_error_text()
    length = library.nomen_repr(tensor, None, 0)
    buffer = ctypes.create_string_buffer(b"\xff" * (length + 8))
    assert library.nomen_repr(tensor, buffer, length + 1) == length
    library.nomen_free(ctypes.byref(tensor))
    assert buffer.raw[length : length + 2] == b"\0\xff"
    return buffer.value.decode()


def ours(text):
    """The recorded text with our module's name, which happens to be as long as theirs."""
    return text.replace("dtype=torch.", "dtype=nomen.")


def test_every_recorded_text(library, cases):
    assert len(cases) > 300
    different = [
        (case, text) for case in cases if (text := text_of(library, case)) != ours(case["text"])
    ]
    for case, text in different[:5]:
        print(case["dtype"], case["shape"], case["names"], case["options"])
        print("expected", ours(case["text"]), "got", text, sep="\n")
    assert not different


def test_the_record_holds_what_it_should(cases):
    """Otherwise the test above proves little."""
    assert {case["dtype"] for case in cases} == set(DTYPES[1:])
    texts = [case["text"] for case in cases]
    parts = ["...", "e+", "e-", "nan", "inf", "-inf", "names=(", "size=(", "dtype=torch.", "None"]
    for part in [*parts, "j", ",)", ",\n       names=", ",\n       dtype="]:
        assert sum(part in text for text in texts) >= 3, part
