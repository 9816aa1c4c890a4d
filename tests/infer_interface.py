"""The structs of nomen_infer and of its errors, for all who call it through ctypes."""

import ctypes


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
        ("strict", ctypes.c_bool),
        ("equation", ctypes.c_char_p),
    ]


class Error(ctypes.Structure):
    """nomen_error"""

    _fields_ = [("code", ctypes.c_int)] + [
        (field, ctypes.c_char_p) for field in ("op", "message", "operands", "hint")
    ]
