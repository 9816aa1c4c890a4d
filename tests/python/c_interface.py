"""Calls of the C interface with what Python would give: argument structs made with ctypes.

The library is the shared one, which knows nothing of the module's tensors: they go in and come out
as dtype, sizes, names and bytes.
"""

import ctypes
import os

from infer_interface import Error
from row_calls import DTYPES, ROWS

import nomen

POINTER = ctypes.c_void_p


class Number(ctypes.Structure):
    """nomen_number"""

    _fields_ = [
        ("kind", ctypes.c_int),
        ("i", ctypes.c_int64),
        ("re", ctypes.c_double),
        ("im", ctypes.c_double),
    ]


class Several(ctypes.Structure):
    """nomen_list, nomen_sizes"""

    _fields_ = [("count", ctypes.c_int64), ("at", POINTER)]


class Mark(ctypes.Structure):
    """nomen_scope_mark"""

    _fields_ = [("depth", ctypes.c_int64), ("live", ctypes.c_int)]


TYPES = dict.fromkeys(("dim", "dims", "names", "name", "text"), ctypes.c_char_p)
TYPES |= dict(tensor=POINTER, tensors=Several, sizes=Several, number=Number, generator=POINTER)
TYPES |= dict(int=ctypes.c_int64, flag=ctypes.c_bool, dtype=ctypes.c_int)


def struct_of(row):
    """The row's argument struct, as include/nomen/ops.gen.h declares it."""
    fields = [(arg["name"], TYPES[arg["kind"]]) for arg in row["args"]]
    fields += [(f"more {name}", POINTER) for name in row["more"]]
    return type(f"nomen_{row['name']}_args", (ctypes.Structure,), {"_fields_": fields})


def text(items):
    items = [items] if items is None or isinstance(items, (str, int)) else items
    return " ".join("*" if item is None else str(item) for item in items).encode()


def contents(t):
    """What a tensor of the module is: the answer that one of the library is compared with."""
    flat = t.contiguous()
    size = flat.numel() * flat.element_size()
    raw = ctypes.string_at(flat.data_ptr(), size) if size else b""
    return str(t.dtype).removeprefix("nomen."), list(t.shape), list(t.names), raw


class Interface:
    def __init__(self):
        self.c = ctypes.CDLL(os.environ.get("NOMEN_LIBRARY", "build/release/libnomen.so"))
        for name in ("nomen_zeros_call", "nomen_data", "nomen_shape", "nomen_contiguous_call"):
            getattr(self.c, name).restype = POINTER
        self.c.nomen_data.argtypes = self.c.nomen_shape.argtypes = [POINTER]
        self.c.nomen_dtype_of.argtypes = self.c.nomen_ndim.argtypes = [POINTER]
        self.c.nomen_name_of.argtypes = [POINTER, ctypes.c_int]
        self.c.nomen_name_of.restype = ctypes.c_char_p
        self.c.nomen_scope_open.restype = Mark
        self.c.nomen_last_error.restype = ctypes.POINTER(Error)
        self.c.nomen_manual_seed.argtypes = [ctypes.c_uint64]

    # ---- tensors ---------------------------------------------------------------------------

    def tensor(self, t):
        dtype, shape, names, raw = contents(t)
        args = struct_of(ROWS["zeros"])()
        keep = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        args.size = Several(len(shape), ctypes.addressof(keep))
        args.dtype = DTYPES.index(dtype) + 1
        args.names = text(names) if any(names) else None
        result = self.c.nomen_zeros_call(ctypes.byref(args))
        assert result, self.message()
        if raw:
            ctypes.memmove(self.c.nomen_data(result), raw, len(raw))
        return result

    def contents(self, pointer):
        args = struct_of(ROWS["contiguous"])()
        args.self = pointer
        flat = self.c.nomen_contiguous_call(ctypes.byref(args))
        ndim = self.c.nomen_ndim(flat)
        shape = ctypes.cast(self.c.nomen_shape(flat), ctypes.POINTER(ctypes.c_int64))[:ndim]
        names = [self.c.nomen_name_of(pointer, i) for i in range(ndim)]
        dtype = DTYPES[self.c.nomen_dtype_of(flat) - 1]
        size = getattr(nomen, dtype).itemsize
        for n in shape:
            size *= n
        raw = ctypes.string_at(self.c.nomen_data(flat), size) if size else b""
        return dtype, shape, [name and name.decode() for name in names], raw

    # ---- calls -----------------------------------------------------------------------------

    def value(self, arg, given, keep):
        kind = arg["kind"]
        if kind == "tensor":
            return self.tensor(given)
        if kind in ("tensors", "sizes"):
            type_ = POINTER if kind == "tensors" else ctypes.c_int64
            items = [self.tensor(t) for t in given] if kind == "tensors" else given
            keep.append((type_ * max(1, len(items)))(*items))
            return Several(len(items), ctypes.addressof(keep[-1]))
        if kind == "number":
            z = complex(given)
            whole = isinstance(given, int)
            return Number(2 if whole else 3, given if whole else 0, z.real, z.imag)
        if kind == "dtype":
            return DTYPES.index(str(given).removeprefix("nomen.")) + 1
        if kind in TYPES and TYPES[kind] is ctypes.c_char_p:
            return text(given)
        return given

    def message(self):
        """Of the error since the last look, None if there is none."""
        error = self.c.nomen_last_error()
        if not error:
            return None
        self.code, self.hint = error.contents.code, (error.contents.hint or b"").decode()
        return error.contents.message.decode()

    def call(self, name, given, form="function", out=None):
        """("ok", [contents of each result]) or ("error", message)"""
        row = ROWS[name]
        mark = self.c.nomen_scope_open()
        try:
            return self.called(row, given, form, out)
        finally:
            self.c.nomen_scope_close(ctypes.byref(mark))

    def called(self, row, given, form, out):
        args, keep = struct_of(row)(), []
        for arg in row["args"]:
            if arg["name"] in given:
                value = given[arg["name"]]
                if "c_name" in arg:  # true by default in Python: in C its opposite
                    value = not value
                setattr(args, arg["name"], self.value(arg, value, keep))
        second = POINTER()
        if "second" in row["more"]:
            setattr(args, "more second", ctypes.addressof(second))
        target = None if out is None else self.tensor(out)
        if target:
            setattr(args, "more out", target)
        entry = row["name"].removesuffix("_") + "_in_place" * (form == "in place")
        function = getattr(self.c, f"nomen_{entry}_call")
        function.restype = {"list": Several, "parts": Several, "bool": ctypes.c_bool}.get(
            row["returns"], POINTER
        )
        self.c.nomen_clear_error()
        result = function(ctypes.byref(args))
        message = self.message()
        if message is not None:
            return "error", message
        if row["returns"] == "bool":
            return "ok", result
        if row["returns"] in ("list", "parts"):
            at = ctypes.cast(result.at, ctypes.POINTER(POINTER))
            return "ok", [self.contents(at[i]) for i in range(result.count)]
        assert target in (None, result)
        return "ok", [self.contents(t) for t in (result, second.value) if t]
