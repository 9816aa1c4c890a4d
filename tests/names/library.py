"""nomen_infer of the built library, called from Python as often as it takes."""

import ctypes
import functools
import os
from pathlib import Path

from infer_interface import Args, Error
from names.model import ALL

ROOT = Path(__file__).resolve().parents[2]
KINDS = {-1: "name", -2: "shape", -3: "dtype", -4: "index", -5: "type"}


@functools.cache
def text(items):
    """A list of names, positions, None and `...` as the C interface reads it."""
    if items is ALL:
        return None
    shown = ("*" if x is None else "..." if x is ... else str(x) for x in items)
    return " ".join(shown).encode()


@functools.cache
def operands_of(lists):
    return (ctypes.c_char_p * max(1, len(lists)))(*map(text, lists))


@functools.cache
def sizes(numbers):
    return (ctypes.c_int64 * max(1, len(numbers)))(*numbers)


def names_of(line):
    return tuple(None if name == "*" else name for name in line.split())


class Library:
    def __init__(self, path=None):
        path = path or os.environ.get("NOMEN_LIBRARY", ROOT / "build/release/libnomen.so")
        self.c = ctypes.CDLL(str(path))
        self.c.nomen_infer.argtypes = [ctypes.POINTER(Args), ctypes.c_char_p, ctypes.c_size_t]
        self.c.nomen_last_error.restype = ctypes.POINTER(Error)
        self.room = ctypes.create_string_buffer(8192)

    def ask(self, op, lists, **fields):
        """The names of each result as text, or (kind, message, hint)."""
        args = Args(op=op.encode(), operands=operands_of(tuple(lists)), count=len(lists))
        for key, value in fields.items():
            if value is None and key != "out_dim":
                continue
            if key in ("dim", "names", "out"):
                setattr(args, key, text(tuple(value)))
            elif key == "out_dim":
                args.out_dim = value.encode() if value else None
            elif key in ("size", "out_size", "result_size"):
                setattr(args, key, sizes(tuple(value)))
            else:
                setattr(args, key, value.encode() if key == "equation" else value)
        status = self.c.nomen_infer(ctypes.byref(args), self.room, len(self.room))
        if not status:
            return self.room.value.decode()
        error = self.c.nomen_last_error().contents
        assert error.code == status
        return KINDS.get(status, status), error.message.decode(), error.hint.decode()
