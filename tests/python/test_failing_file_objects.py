"""nomen.save and nomen.load where what they call fails: methods of file objects, and each call of
the system for paths, once each. A clean error, the old file as it was, nothing beside it, no memory
and no descriptor lost, and the next call works."""

import builtins
import contextlib
import errno
import gc
import io
import mmap
import os
import subprocess
import sys
import types

import pytest

import nomen
from nomen import _files

SAVED = {"a": 3.0, "b": 4.0}


class Alien(BaseException):
    """What no code expects."""


ERRORS = [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt(), MemoryError(), Alien()]


def some(value=3.0):
    wide = nomen.full((4, 5), value, names=("N", "C"))
    return {"a": wide, "b": wide.T, "c": nomen.ones(3, dtype=nomen.complex128)}


def same(loaded, value=3.0):
    wanted = some(value)
    assert loaded.keys() == wanted.keys()
    for key, x in wanted.items():
        assert nomen.equal(loaded[key], x) and loaded[key].names == x.names


def in_use():
    """Files of these tests that are open, and memory."""
    gc.collect()
    stats = nomen.memory_stats()
    return open_files(), stats["tensors_live"], stats["buffers_live"], stats["bytes_live"]


def open_files():
    found = []
    for link in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of this listing
            found.append(os.readlink(f"/proc/self/fd/{link}"))
    return [path for path in found if "pytest-of-" in path]


@pytest.fixture
def nothing_is_lost():
    """The first round is for what is made once: caches, modules."""
    file = io.BytesIO()
    nomen.save(some(), file)
    nomen.load(io.BytesIO(file.getvalue()))
    before = in_use()
    yield
    assert in_use() == before


class Faulty(io.BytesIO):
    """The n-th call of a method fails, or (n < 0) none does."""

    def __init__(self, n, error, data=b""):
        super().__init__(data)
        self.n, self.error = n, error

    def counted(self):
        self.n -= 1
        if self.n == -1:
            raise self.error

    def write(self, data):
        self.counted()
        return super().write(data)

    def read(self, *size):
        self.counted()
        return super().read(*size)

    def flush(self):
        self.counted()
        return super().flush()

    def seek(self, *where):
        self.counted()
        return super().seek(*where)

    def tell(self):
        self.counted()
        return super().tell()


# ---- file objects --------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_each_call_of_a_file_object_fails(error, nothing_is_lost):
    tensors = some()
    calls = 0
    for calls in range(100):
        file = Faulty(calls, error)
        if not fails(lambda: nomen.save(tensors, file), error):
            break
    assert calls == 4  # the header and three tensors
    same(tensors)
    data = file.getvalue()
    for calls in range(100):
        if not fails(lambda: nomen.load(Faulty(calls, error, data)), error):
            break
    assert calls == 1
    same(nomen.load(io.BytesIO(data)))


def fails(call, error):
    """Did it fail, and by this error?"""
    try:
        call()
    except BaseException as raised:
        assert raised is error, raised
        raised.__traceback__ = raised.__context__ = None  # which hold on to tensors
        return True
    return False


class Takes:
    """write() takes so many bytes at once, and says something about it."""

    def __init__(self, most, says=lambda done: done):
        self.data, self.most, self.says = b"", most, says

    def write(self, data):
        self.data += bytes(data[: self.most])
        return self.says(min(self.most, len(data)))


@pytest.mark.parametrize("most", [1, 7, 4096])
def test_a_file_object_that_takes_a_part_at_a_time(most, nothing_is_lost):
    file = Takes(most)
    nomen.save(some(), file)
    same(nomen.load(io.BytesIO(file.data)))


@pytest.mark.parametrize(
    "says, kind, text",
    [
        (lambda done: 0, OSError, "took 0 of"),
        (lambda done: -1, OSError, "took -1 of"),
        (lambda done: 1 << 70, OSError, f"took {1 << 70} of"),
        (lambda done: str(done), TypeError, "gave str, not how many bytes it took"),
        (lambda done: float(done), TypeError, "gave float, not how many bytes it took"),
        (lambda done: [], TypeError, "gave list, not how many bytes it took"),
    ],
    ids=["none", "negative", "huge", "str", "float", "list"],
)
def test_a_file_object_that_says_what_cannot_be(says, kind, text, nothing_is_lost):
    with pytest.raises(kind, match=text):
        nomen.save(some(), Takes(5, says))


def test_an_object_that_says_nothing_has_taken_all():
    file = Takes(1 << 20, lambda done: None)
    nomen.save(some(), file)
    same(nomen.load(io.BytesIO(file.data)))


def test_files_that_do_not_wait(nothing_is_lost):
    """A pipe that is full, and one that is empty."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    with open(reader, "rb", buffering=0) as source, open(writer, "wb", buffering=0) as sink:
        with pytest.raises(BlockingIOError, match="nothing to read now"):
            nomen.load(source)
        with pytest.raises(BlockingIOError, match="takes nothing now"):
            nomen.save(nomen.zeros(1 << 20), sink)


@pytest.mark.parametrize("given", [None, "text", 5, [1], object()], ids=lambda v: type(v).__name__)
def test_read_gives_what_are_no_bytes(given, nothing_is_lost):
    class File:
        def read(self):
            return given

    with pytest.raises(TypeError, match="read\\(\\) of the file object must give bytes, not"):
        nomen.load(File())


def test_read_gives_bytes_of_any_kind_or_too_few(nothing_is_lost):
    file = io.BytesIO()
    nomen.save(some(), file)
    whole = file.getvalue()

    class File:
        def __init__(self, data):
            self.data = data

        def read(self):
            return self.data

    for kind in (bytes, bytearray, memoryview):
        same(nomen.load(File(kind(whole))))
    for length in range(len(whole)):
        with pytest.raises(ValueError, match="not a usable safetensors file"):
            nomen.load(File(whole[:length]))
    with pytest.raises(TypeError):
        nomen.save(some(), io.StringIO())
    with pytest.raises(TypeError):
        nomen.load(io.StringIO("text"))
    for closed in (io.BytesIO(), open(os.devnull, "rb")):
        closed.close()
        with pytest.raises(ValueError, match="closed file"):
            nomen.load(closed)
    with open(os.devnull, "rb") as reader, pytest.raises(io.UnsupportedOperation):
        nomen.save(some(), reader)
    with open(os.devnull, "wb") as writer, pytest.raises(io.UnsupportedOperation):
        nomen.load(writer)


def test_file_objects_that_use_nomen_themselves():
    tensors = {"a": nomen.ones(8), "b": nomen.ones(8)}

    class Nested(io.BytesIO):
        def write(self, data):
            inner = io.BytesIO()
            nomen.save(tensors, inner)
            assert nomen.load(io.BytesIO(inner.getvalue())).keys() == tensors.keys()
            return super().write(data)

    class Meddling(io.BytesIO):
        def write(self, data):
            tensors["b"].resize_(1 << 16)
            return super().write(data)

    file = Nested()
    nomen.save(tensors, file)
    assert nomen.load(io.BytesIO(file.getvalue()))["b"].tolist() == [1.0] * 8
    with pytest.raises(RuntimeError, match="got another size while it was written"):
        nomen.save(tensors, Meddling())


# ---- paths ---------------------------------------------------------------------------------------


class System:
    """Stands for os, mmap and open: the n-th call fails, before or after it was made."""

    NOT_COUNTED = {"unlink", "fsdecode", "fsencode", "getpid"}  # to tidy up; no calls of the system

    def __init__(self, n, error, after):
        self.n, self.error, self.after, self.calls = n, error, after, []

    def counted(self, name, function):
        def call(*args, **keywords):
            self.calls.append(name)
            fails = len(self.calls) - 1 == self.n
            if fails and not self.after:
                if name == "close":
                    function()  # the system lets go of a file even where it says that it failed
                raise self.error
            result = function(*args, **keywords)
            if fails:
                if function is os.open:
                    os.close(result)  # between the system and Python nobody can catch it
                raise self.error
            return result

        return call

    def __getattr__(self, name):  # of os
        found = getattr(os, name)
        plain = not callable(found) or name in self.NOT_COUNTED or isinstance(found, type)
        return found if plain else self.counted(name, found)

    def open_file(self, *args, **keywords):
        return File(self.counted("open", builtins.open)(*args, **keywords), self)


class File:
    def __init__(self, file, system):
        self.file, self.system = file, system

    def __getattr__(self, name):
        return self.system.counted(name, getattr(self.file, name))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Interrupt(KeyboardInterrupt):
    """After a call that the system has made."""


def injected(monkeypatch, n, error):
    system = System(n, error, isinstance(error, Interrupt))
    monkeypatch.setattr(_files, "os", system)
    monkeypatch.setattr(_files, "open", system.open_file, raising=False)
    mapping = types.SimpleNamespace(
        mmap=system.counted("mmap", mmap.mmap), ACCESS_COPY=mmap.ACCESS_COPY
    )
    monkeypatch.setattr(_files, "_mmap", mapping)
    return system


@pytest.mark.parametrize("error", [*ERRORS, Interrupt()], ids=lambda e: type(e).__name__)
def test_each_call_fails_while_a_file_is_written(error, tmp_path, monkeypatch, nothing_is_lost):
    path, finished = tmp_path / "old", False
    nomen.save(some(), path)
    for n in range(100):
        with monkeypatch.context() as patch:
            system = injected(patch, n, error)
            failed = fails(lambda: nomen.save(some(4.0), path), error)
        assert os.listdir(tmp_path) == ["old"], system.calls
        if not failed:
            finished = True
            break
        made = "replace" in system.calls[: -1 if not isinstance(error, Interrupt) else None]
        same(nomen.load(path), 4.0 if made else 3.0)
        nomen.save(some(), path)
    assert finished and n == len(system.calls)
    assert {"open", "write", "close", "fchmod", "replace", "stat"} <= set(system.calls)
    same(nomen.load(path), 4.0)


@pytest.mark.parametrize("mapped", [False, True], ids=["read", "mapped"])
@pytest.mark.parametrize("error", [*ERRORS, Interrupt()], ids=lambda e: type(e).__name__)
def test_each_call_fails_while_a_file_is_read(
    error, mapped, tmp_path, monkeypatch, nothing_is_lost
):
    path = tmp_path / "file"
    nomen.save(some(), path)
    for n in range(100):
        with monkeypatch.context() as patch:
            system = injected(patch, n, error)
            result = []
            if not fails(lambda: result.append(nomen.load(path, mmap=mapped)), error):
                break
        same(nomen.load(path, mmap=mapped))
    same(result.pop())
    assert n == len(system.calls)
    assert {"open", "fstat", "read", "close", "fileno"} <= set(system.calls)
    assert ("mmap" if mapped else "readinto") in system.calls


def test_a_file_that_shrinks_while_it_is_read(tmp_path, monkeypatch, nothing_is_lost):
    path = tmp_path / "file"
    nomen.save(some(), path)
    fstat = os.fstat

    def shrinking(file):
        status = fstat(file)
        os.truncate(path, status.st_size - 1)
        return status

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", shrinking)
        with pytest.raises(ValueError, match="ends too early"):
            nomen.load(path)


FULL = """
import errno, os, resource, sys
import nomen
folder, name = sys.argv[1:]
path = os.path.join(folder, "old")
save, load = (nomen.save_npy, nomen.load_npy) if name == "npy" else (nomen.save, nomen.load)
small, large = nomen.ones(100), nomen.zeros(1 << 20)
save(small, path)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.RLIM_INFINITY))
try:
    save(large, path)
except (OSError, RuntimeError) as error:
    assert getattr(error, "errno", None) == errno.EFBIG or "File too large" in str(error), error
else:
    raise AssertionError
assert os.listdir(folder) == ["old"] and nomen.equal(load(path), small)
save(small * 2, path)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
save(large, path)
assert nomen.equal(load(path), large)
"""


@pytest.mark.parametrize("name", ["safetensors", "npy"])
def test_a_disk_that_takes_no_more(name, tmp_path):
    subprocess.run([sys.executable, "-c", FULL, str(tmp_path), name], check=True, timeout=60)


def test_npy_takes_paths_only():
    for call in (lambda: nomen.save_npy(nomen.ones(2), io.BytesIO()), lambda: nomen.load_npy(5)):
        with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object"):
            call()
