"""Operands between two pages that must not be touched: who reads beyond one ends with a signal.

Sanitizers watch plain code; this is for the loads and stores of all instruction sets.
"""

import ctypes
import mmap

import numpy
from numpy.lib import stride_tricks

import nomen

libc = ctypes.CDLL(None, use_errno=True)
PROT_NONE = 0
KINDS = {"bfloat16": "int16"}  # which numpy has not


def walled(count, at_end):
    """So many bytes behind a page that must not be touched, or before one."""
    page = mmap.PAGESIZE
    pages = max(-(-count // page), 1)
    area = mmap.mmap(-1, (pages + 2) * page)
    first = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for wall in (first, first + (pages + 1) * page):
        if libc.mprotect(ctypes.c_void_p(wall), page, PROT_NONE):
            raise OSError(ctypes.get_errno(), "mprotect")
    start = page + (pages * page - count if at_end else 0)
    return numpy.frombuffer(area, "uint8")[start : start + count]


def between(t, at_end, backwards):
    """A tensor with the numbers of t and its strides, those of some dims negative, that ends at a
    wall, or begins at one."""
    sizes, strides = list(t.shape), t.stride()
    spans = [(size - 1) * step for size, step in zip(sizes, strides)]
    reach, first = 1 + sum(map(abs, spans)), -sum(min(span, 0) for span in spans)
    name = str(t.dtype).split(".")[-1]
    raw = walled(reach * t.element_size(), at_end).view(KINDS.get(name, name))
    whole = nomen.from_numpy(raw)
    whole = whole.view(t.dtype) if name in KINDS else whole
    whole.copy_(t.as_strided([reach], [1], t.storage_offset() - first))
    made = stride_tricks.as_strided(raw[first:], sizes, [step * raw.itemsize for step in strides])
    made = nomen.from_numpy(numpy.flip(made, backwards))
    return made.view(t.dtype) if name in KINDS else made
