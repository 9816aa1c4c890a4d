"""nomen.save and nomen.load: dicts of tensors in safetensors files; and single ones in .npy files.

Such a file is 8 bytes that say how long the header is, the header in JSON, and the elements. Names
stand in the header's map of texts, under NAMES, where other readers pass over them. What the format
has no dtype for, complex128, is written as float64 with a last dim of two, and noted under COMPLEX.
"""

import contextlib
import io
import json
import math
import mmap as _mmap
import os
import stat
import struct
import sys

from nomen import _C

Tensor = _C.Tensor

METADATA = "__metadata__"
NAMES, COMPLEX, SINGLE = "nomen.names", "nomen.complex128", "nomen.single"
OWN_KEYS = (NAMES, COMPLEX, SINGLE)
SINGLE_KEY = "tensor"

# Readers of the reference implementation refuse longer headers, too.
LONGEST_HEADER = 100_000_000
MAX_DIMS = 64
# Bytes that are read or written at once, so that a signal is heard between two pieces.
PIECE = 1 << 26

_CODES = {
    _C.bool: "BOOL",
    _C.uint8: "U8",
    _C.int8: "I8",
    _C.int16: "I16",
    _C.int32: "I32",
    _C.int64: "I64",
    _C.float16: "F16",
    _C.bfloat16: "BF16",
    _C.float32: "F32",
    _C.float64: "F64",
    _C.complex64: "C64",
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}


def _contiguous(x):
    return x.detach().contiguous() if x.requires_grad else x.contiguous()


def _bytes_of(x):
    """The elements of a contiguous tensor, as bytes without a copy."""
    start = x.storage_offset() * x.itemsize
    return memoryview(x.untyped_storage())[start : start + x.nbytes]


# ---- writing ---------------------------------------------------------------------------------


def _check_texts(tensors, metadata):
    for key, value in tensors.items():
        if not isinstance(key, str):
            raise TypeError(f"save(): the keys must be str, not {type(key).__name__}")
        if key == METADATA:
            raise ValueError(f"save(): '{METADATA}' is no name for a tensor in this format")
        if not isinstance(value, Tensor):
            raise TypeError(f"save(): '{key}' must be a Tensor, not {type(value).__name__}")
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError("save(): metadata must be a dict of str to str")
        if key in OWN_KEYS:
            raise ValueError(f"save(): '{key}' in metadata is what nomen writes itself")


def _header(tensors, metadata):
    """The bytes up to the elements, and the tensors in the order of the file."""
    header, order, at = {}, [], 0
    names = {key: list(x.names) for key, x in tensors.items() if x.has_names()}
    wide = [key for key, x in tensors.items() if x.dtype is _C.complex128]
    notes = dict(metadata)
    if names:
        notes[NAMES] = json.dumps(names)
    if wide:
        notes[COMPLEX] = json.dumps(wide)
    if notes:
        header[METADATA] = notes
    # Wide elements first: then all of them are aligned.
    places = {}
    for key in sorted(tensors, key=lambda key: -tensors[key].itemsize):
        places[key] = [at, at + tensors[key].nbytes]
        order.append(tensors[key])
        at = places[key][1]
    for key, x in tensors.items():
        shape, code = list(x.shape), _CODES.get(x.dtype)
        if code is None:
            shape, code = [*shape, 2], "F64"
        header[key] = {"dtype": code, "shape": shape, "data_offsets": places[key]}
    try:
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise ValueError("save(): a key or a text of metadata is not valid Unicode") from None
    text += b" " * (-len(text) % 8)
    if len(text) > LONGEST_HEADER:
        raise ValueError(
            f"save(): a header of {len(text)} bytes is longer than readers accept, "
            f"{LONGEST_HEADER}"
        )
    return struct.pack("<Q", len(text)) + text, order


@contextlib.contextmanager
def _replacing(path):
    """A new file beside path, which takes its place at the end if nothing failed."""
    target = os.path.realpath(os.fsdecode(path))
    mode = None
    if os.path.exists(target):
        status = os.stat(target)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"'{target}' cannot be written: it is there and not a regular file")
        mode = stat.S_IMODE(status.st_mode)
    beside = None
    try:
        for attempt in range(100):
            beside = f"{target}.{os.getpid()}-{attempt}.tmp"
            try:
                file = open(beside, "xb")
                break
            except OSError as error:
                beside = None  # that of another, if it is there
                if not isinstance(error, FileExistsError):
                    raise
        else:
            raise FileExistsError(f"'{target}' cannot be written: old files lie beside it")
        with file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            yield file
        os.replace(beside, target)
    except BaseException:
        if beside is not None:
            with contextlib.suppress(OSError):
                os.unlink(beside)
        raise


def _write_all(file, data):
    while data:  # raw files may take less at once
        piece = data[:PIECE]
        done = file.write(piece)
        if done is None:
            if isinstance(file, io.RawIOBase):
                raise BlockingIOError("save(): the file takes nothing now, and does not wait")
            done = len(piece)  # of an object that only looks like a file: all was taken
        if not isinstance(done, int):
            raise TypeError(
                f"save(): write() of the file object gave {type(done).__name__}, not how many "
                "bytes it took"
            )
        if not 0 < done <= len(piece):  # none, again and again, would be for ever
            raise OSError(f"save(): the file object took {done} of {len(piece)} bytes")
        data = data[done:]


def _write(file, head, tensors):
    sizes = [x.nbytes for x in tensors]
    _write_all(file, memoryview(head))
    for x, size in zip(tensors, sizes):
        if x.nbytes != size:  # by what write() of the file object did
            raise RuntimeError("save(): a tensor got another size while it was written")
        _write_all(file, _bytes_of(_contiguous(x)))


def save(tensors, path, metadata=None):
    """Writes a dict of tensors, or one tensor, to a safetensors file, with their names. The file
    at path is replaced as a whole: if anything fails, the old one is still there. path may be a
    file object too. metadata is a dict of texts for the header.

    Errors: keys or metadata that are no texts, values that are no tensors, and the system's where
    it cannot write.

    Example:
        >>> nomen.save({'w': nomen.ones(2, names=('N',))}, 'weights.safetensors')
        >>> nomen.load('weights.safetensors')['w'].names
        ('N',)
    """
    if sys.byteorder != "little":
        raise NotImplementedError("save(): safetensors files are written on little-endian machines")
    metadata = dict(metadata or {})
    single = isinstance(tensors, Tensor)
    tensors = {SINGLE_KEY: tensors} if single else dict(tensors)
    _check_texts(tensors, metadata)
    if single:
        metadata[SINGLE] = SINGLE_KEY
    head, order = _header(tensors, metadata)
    if hasattr(path, "write"):
        _write(path, head, order)
        return
    with _replacing(path) as file:
        _write(file, head, order)


# ---- reading the header ----------------------------------------------------------------------


class _Bad(Exception):
    pass


def _no_constant(text):
    raise _Bad(f"its header has {text}")


def _pairs(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Bad("its header has the same key twice")
    return result


def _parse(text):
    try:
        header = json.loads(text.decode(), object_pairs_hook=_pairs, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _Bad(f"its header is not JSON in UTF-8 ({error})") from None
    if not isinstance(header, dict):
        raise _Bad("its header is not a map")
    notes = header.get(METADATA)
    for word in (*header, *(notes.items() if isinstance(notes, dict) else ())):
        try:  # JSON has escapes for halves of characters, which nobody could write again
            "".join(word).encode()
        except UnicodeEncodeError:
            raise _Bad("a text of its header is not valid Unicode") from None
        except TypeError:
            pass  # a note that is no text: told apart later
    return header


def _is_size(value):
    return type(value) is int and 0 <= value < 2**63


class _Entry:
    """Where a tensor lies and what it is; everything of it has been checked."""

    def __init__(self, key, value):
        if not isinstance(value, dict) or set(value) != {"dtype", "shape", "data_offsets"}:
            raise _Bad(f"the entry '{key}' does not consist of dtype, shape and data_offsets")
        code, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
        if not isinstance(code, str) or code not in _DTYPES:
            raise _Bad(
                f"'{key}' holds elements of the dtype {str(code)[:32]!r}, which nomen does "
                "not have; convert it where it was made"
            )
        if not isinstance(shape, list) or not all(map(_is_size, shape)):
            raise _Bad(f"the shape of '{key}' is not a list of sizes")
        if len(shape) > MAX_DIMS:
            raise _Bad(f"'{key}' has more than {MAX_DIMS} dims")
        if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
            raise _Bad(f"the data_offsets of '{key}' are not two sizes")
        self.key, self.dtype, self.shape = key, _DTYPES[code], shape
        self.begin, self.end = offsets
        self.names = None
        wanted = math.prod(shape) * self.dtype.itemsize
        if self.end - self.begin != wanted:
            raise _Bad(
                f"'{key}' has {self.end - self.begin} bytes, and its shape and dtype want "
                f"{wanted}"
            )
        if math.prod(size or 1 for size in shape) * self.dtype.itemsize >= 2**63:
            raise _Bad(f"the shape of '{key}' is larger than any memory")

    def read_names(self, names):
        valid = isinstance(names, list) and len(names) == len(self.shape)
        if not valid or not all(n is None or isinstance(n, str) for n in names):
            raise _Bad(f"the names of '{self.key}' are not a list with one for each dim")
        try:  # the library knows what a name is
            _C.empty((0,) * len(names), names=names)
        except MemoryError:
            raise
        except RuntimeError as error:
            raise _Bad(f"the names of '{self.key}': {error}") from None
        self.names = names

    def widen(self):
        if self.dtype is not _C.float64 or not self.shape or self.shape[-1] != 2:
            raise _Bad(f"'{self.key}' is noted as complex128, but is no such pairs of float64")
        self.dtype = _C.complex128
        self.shape = self.shape[:-1]


def _read_notes(metadata, entries):
    """What nomen itself has written; metadata keeps the rest."""
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise _Bad(f"its {METADATA} is not a map of texts")
    by_key = {entry.key: entry for entry in entries}
    wide = _parse_note(metadata, COMPLEX, list, by_key)
    for key in wide:
        by_key[key].widen()
    names = _parse_note(metadata, NAMES, dict, by_key)
    for key in names:
        by_key[key].read_names(names[key])
    single = metadata.pop(SINGLE, None)
    if single is not None and (len(entries) != 1 or entries[0].key != single):
        raise _Bad(f"its note {SINGLE} is wrong")
    return single


def _parse_note(metadata, note, kind, by_key):
    text = metadata.pop(note, None)
    if text is None:
        return kind()
    try:
        found = json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _Bad(f"its note {note} is not JSON ({error})") from None
    if not isinstance(found, kind) or not all(isinstance(k, str) and k in by_key for k in found):
        raise _Bad(f"its note {note} is wrong")
    if kind is list and len(set(found)) != len(found):
        raise _Bad(f"its note {note} is wrong")
    return found


def _check_layout(entries, room):
    """The tensors lie one behind the other and fill the file."""
    at = 0
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        if entry.begin != at:
            what = "a hole" if entry.begin > at else "two tensors that overlap"
            raise _Bad(f"there is {what} before '{entry.key}'")
        at = entry.end
    if at != room:
        raise _Bad(f"its tensors have {at} bytes, and {room} are there")


def _read_header(read, size):
    """(entries, metadata, the key if it is one tensor, where the elements begin)"""
    if size < 8:
        raise _Bad("it is too short")
    (length,) = struct.unpack("<Q", read(8))
    if length > LONGEST_HEADER:
        raise _Bad(f"its header claims {length} bytes")
    if length > size - 8:
        raise _Bad("it ends within its header")
    text = read(length)
    if not text.startswith(b"{"):
        raise _Bad("its header does not begin like one")
    header = _parse(text)
    metadata = header.pop(METADATA, {})
    entries = [_Entry(key, value) for key, value in header.items()]
    _check_layout(entries, size - 8 - length)
    single = _read_notes(metadata, entries)
    return entries, metadata, single, 8 + length


# ---- reading the elements --------------------------------------------------------------------


def _settle(x):
    """A byte of a bool is 0 or 1, whatever stood in the file."""
    raw = _C._view_storage(x.untyped_storage(), _C.uint8, x.storage_offset(), (x.numel(),), (1,))
    if (raw > 1).any():
        raw.copy_(raw != 0)


def _finish(entry, x):
    if entry.dtype is _C.bool and x.numel():
        _settle(x)
    if entry.names is not None:
        x.names = entry.names
    return x


def _read_one(entry, readinto):
    x = _C.empty(tuple(entry.shape), dtype=entry.dtype)
    view = _bytes_of(x)
    while view:
        done = readinto(view[:PIECE])
        if not done:
            raise _Bad("it ends too early")
        view = view[done:]
    return _finish(entry, x)


def _map_all(entries, file, start):
    """Tensors on private pages of the file: read when touched, copied when written to."""
    mapped = _mmap.mmap(file.fileno(), 0, access=_mmap.ACCESS_COPY)
    storage = _C._storage_on(mapped)
    for entry in entries:
        at, item = start + entry.begin, entry.dtype.itemsize
        strides = [math.prod(entry.shape[i + 1 :]) for i in range(len(entry.shape))]
        if at % item == 0:
            x = _C._view_storage(
                storage, entry.dtype, at // item, tuple(entry.shape), tuple(strides)
            )
        else:  # a file of another writer that does not align
            x = _C.empty(tuple(entry.shape), dtype=entry.dtype)
            _bytes_of(x)[:] = memoryview(mapped)[at : start + entry.end]
        yield entry.key, _finish(entry, x)


def _load_file(file, size, mmap):
    # One read of the header, so that what was checked is what is used.
    entries, metadata, single, start = _read_header(lambda n: _exactly(file, n), size)
    tensors = dict.fromkeys(entry.key for entry in entries)  # the order of the header
    if mmap and size > start:
        tensors.update(_map_all(entries, file, start))
    else:
        for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
            tensors[entry.key] = _read_one(entry, file.readinto)
    return (tensors if single is None else tensors[single]), metadata


def _all_of(file):
    """What an object that is read like a file holds from here on."""
    data = file.read()
    if data is None and isinstance(file, io.RawIOBase):
        raise BlockingIOError("load(): the file has nothing to read now, and does not wait")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"load(): read() of the file object must give bytes, not {type(data).__name__}"
        )
    return bytes(data)


def _without_waiting(path, flags):
    """For the other end, should it be a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def _exactly(file, n):
    parts = []
    while n:
        part = file.read(n)
        if not part:
            raise _Bad("it ends too early")
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def load(path, *, mmap=False, with_metadata=False):
    """What save wrote, or any safetensors file: a dict of tensors, or one tensor. path may be a
    file object too. mmap=True maps the file instead of reading it: elements are read when they
    are used, and writing to a tensor does not change the file, which must then not be shortened
    by others. with_metadata=True gives a pair, with the texts of the header in second place.

    Names: those that were saved; none in files of others.
    Shapes: those that were saved.
    Dtypes: those that were saved.
    Gradient: none: the tensors are leaves.
    Errors: ValueError says what is wrong with a file; everything in its header is checked against
    it before memory is asked for.

    Example:
        >>> nomen.save(nomen.ones(2, names=('N',)), 'one.safetensors', {'by': 'me'})
        >>> nomen.load('one.safetensors', with_metadata=True)
        (tensor([1., 1.], names=('N',)), {'by': 'me'})
    """
    if sys.byteorder != "little":
        raise NotImplementedError("load(): safetensors files are read on little-endian machines")
    if hasattr(path, "read"):
        data = _all_of(path)
        name, opened, size = getattr(path, "name", "the file object"), io.BytesIO(data), len(data)
        mmap = False
    else:
        name, opened, size = os.fsdecode(path), open(path, "rb", opener=_without_waiting), None
    with opened:
        try:
            if size is None:
                status = os.fstat(opened.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise _Bad("it is not a regular file")
                size = status.st_size
            result, metadata = _load_file(opened, size, mmap)
        except _Bad as error:
            raise ValueError(f"'{name}' is not a usable safetensors file: {error}") from None
    return (result, metadata) if with_metadata else result


# ---- .npy files ------------------------------------------------------------------------------


def save_npy(tensor, path):
    """Writes a .npy file, which NumPy reads, as a whole or not at all. Names stand in a comment of
    its header.

    Errors: what is no tensor, bfloat16, which the format does not have, and the system's where it
    cannot write.

    Example:
        >>> nomen.save_npy(nomen.ones(2, names=('N',)), 'one.npy')
        >>> nomen.load_npy('one.npy')
        tensor([1., 1.], names=('N',))
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"save_npy(): argument 'tensor' (position 1) must be Tensor, not "
            f"{type(tensor).__name__}"
        )
    _C._save_npy(tensor, os.fsencode(path))


def load_npy(path):
    """Reads a .npy file of NumPy or of save_npy.

    Names: those that save_npy wrote; none in files of NumPy.
    Shapes: those of the file; column-major arrays keep their order.
    Dtypes: that of the file.
    Gradient: none: the result is a leaf.
    Errors: what is no such file or shorter than its header says, dtypes that nomen does not have.

    Example:
        >>> import numpy
        >>> numpy.save('one.npy', numpy.arange(2))
        >>> nomen.load_npy('one.npy')
        tensor([0, 1])
    """
    return _C._load_npy(os.fsencode(path))


functions = {"save": save, "load": load, "save_npy": save_npy, "load_npy": load_npy}
