"""nomen.save and nomen.load: what comes back, files that lie, what is left when writing fails."""

import io
import json
import os
import random
import stat
import struct

import numpy
import pytest
from exactly import raises

import nomen

ALL = [
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


@pytest.fixture
def path(tmp_path):
    yield tmp_path / "file.safetensors"
    assert {p.name for p in tmp_path.iterdir()} <= {"file.safetensors", "link"}  # nothing beside it


def parts(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def put(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def samples():
    for name in ALL:
        t = nomen.tensor([[0, 1, 2], [1, 0, 3]], names=("N", "C")).to(getattr(nomen, name))
        yield from (
            (f"{name} {i}", x)
            for i, x in enumerate(
                (
                    t,
                    t.T,
                    t[:, ::2],
                    t[0, 0],
                    t[:, 1:1],
                    t.rename(None),
                    t.rename("N", None),
                    t[0].expand(4, 3),
                )
            )
        )


@pytest.mark.parametrize("mmap", [False, True])
def test_there_and_back(path, mmap):
    tensors = dict(samples())
    nomen.save(tensors, path)
    twins = nomen.load(path, mmap=mmap)
    assert list(twins) == list(tensors)
    for key, x in tensors.items():
        assert twins[key].dtype is x.dtype and nomen.equal(twins[key], x), key
        assert twins[key].is_contiguous()
    header, data = parts(path)
    del header["__metadata__"]
    for entry in header.values():  # wide elements first: all are aligned
        item = {"BOOL": 1, "BF16": 2}.get(entry["dtype"]) or int(entry["dtype"][1:]) // 8
        assert entry["data_offsets"][0] % (item // (1 + (entry["dtype"] == "C64"))) == 0
    assert (len(path.read_bytes()) - len(data)) % 8 == 0


def test_special_numbers_and_metadata(path):
    x = nomen.tensor([0.0, -0.0, float("inf"), float("nan"), 5e-324], dtype=nomen.float64)
    nomen.save({"": x, 'ключ "\\\n': x}, str(path), {"made by": "a test", "": "ü"})
    twins, metadata = nomen.load(str(path), with_metadata=True)
    assert metadata == {"made by": "a test", "": "ü"} and list(twins) == ["", 'ключ "\\\n']
    for twin in twins.values():
        assert twin.numpy().tobytes() == x.numpy().tobytes()
    nomen.save({}, path)
    assert nomen.load(path) == {} and nomen.load(path, mmap=True) == {}


def test_one_tensor(path):
    x = nomen.ones(2, names=("N",), dtype=nomen.bfloat16)
    nomen.save(x, path, {"note": "one"})
    twin, metadata = nomen.load(path, with_metadata=True)
    assert nomen.equal(twin, x) and metadata == {"note": "one"}


def test_file_objects(path):
    file = io.BytesIO()
    x = nomen.arange(5.0, names=("N",))
    nomen.save({"x": x.requires_grad_()}, file)
    file.seek(0)
    twin = nomen.load(file)["x"]
    assert nomen.equal(twin, x) and not twin.requires_grad
    with open(path, "wb") as out:
        nomen.save({"x": x}, out)
    with open(path, "rb") as there:
        assert nomen.equal(nomen.load(there)["x"], x)
    with pytest.raises(ValueError, match="ends within"):
        nomen.load(io.BytesIO(file.getvalue()[:20]))


def test_mapped_files(path):
    nomen.save({"x": nomen.ones(1000), "flags": nomen.tensor([True, False])}, path)
    before = path.read_bytes()
    twins = nomen.load(path, mmap=True)
    x = twins["x"]
    x.mul_(3)
    assert x.sum().item() == 3000 and path.read_bytes() == before
    nomen.save({"x": nomen.zeros(3)}, path)  # the mapping keeps the old file
    assert x.sum().item() == 3000 and nomen.load(path)["x"].tolist() == [0.0] * 3
    del twins
    assert x[999].item() == 3


def test_files_of_others(path):
    """Not aligned, holes of spaces in the header, bytes of bools that are none."""
    data = numpy.arange(3, dtype="<f4").tobytes()
    for spaces in range(4):
        put(path, b'{"x":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}' + b" " * spaces, data)
        for mmap in (False, True):
            assert nomen.load(path, mmap=mmap)["x"].add_(1).tolist() == [1.0, 2.0, 3.0]
    put(path, {"b": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}}, b"\0\2\xff")
    for mmap in (False, True):
        flags = nomen.load(path, mmap=mmap)["b"]
        assert flags.tolist() == [False, True, True] and bytes(flags) == b"\0\1\1"


ONE = {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}
TWO = {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}


def named(note, text, entry=ONE):
    return {"x": entry, "__metadata__": {note: text}}


@pytest.mark.parametrize(
    "header, data, text",
    [
        (b"", b"", "does not begin like one"),
        (b"[]", b"", "does not begin like one"),
        (b"{", b"", "not JSON"),
        (b'{"x":NaN}', b"", "has NaN"),
        (b'{"a":"\xff"}', b"", "not JSON"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b"", "not JSON"),
        (b'{"a":' + b"1" * 5000 + b"}", b"", "not JSON"),
        (b"{} {}", b"", "not JSON"),
        (
            b'{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},'
            b'"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}',
            bytes(4),
            "the same key twice",
        ),
        (b'{"x":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}}', bytes(4), "twice"),
        ({"x": 3}, b"", "does not consist of"),
        ({"x": {}}, b"", "does not consist of"),
        ({"x": {**ONE, "more": 1}}, bytes(4), "does not consist of"),
        ({"x": {**ONE, "dtype": "U16"}}, bytes(8), "'U16', which nomen does not have"),
        ({"x": {**ONE, "dtype": "F8_E4M3"}}, bytes(4), "which nomen does not have"),
        ({"x": {**ONE, "dtype": 3}}, bytes(4), "which nomen does not have"),
        ({"x": {**ONE, "dtype": []}}, bytes(4), "which nomen does not have"),
        ({"x": {**ONE, "shape": 4}}, bytes(4), "not a list of sizes"),
        ({"x": {**ONE, "shape": [-4]}}, bytes(4), "not a list of sizes"),
        ({"x": {**ONE, "shape": [4.0]}}, bytes(4), "not a list of sizes"),
        ({"x": {**ONE, "shape": [True, 4]}}, bytes(4), "not a list of sizes"),
        ({"x": {**ONE, "shape": [2**63, 0]}}, bytes(4), "not a list of sizes"),
        ({"x": {**ONE, "shape": [1] * 65}}, bytes(4), "more than 64 dims"),
        ({"x": {**ONE, "shape": [5]}}, bytes(4), "4 bytes, and its shape and dtype want 5"),
        ({"x": {**ONE, "shape": [2**40, 2**40]}}, bytes(4), "want"),
        ({"x": {**ONE, "data_offsets": [0]}}, bytes(4), "not two sizes"),
        ({"x": {**ONE, "data_offsets": [0, "4"]}}, bytes(4), "not two sizes"),
        ({"x": {**ONE, "data_offsets": [4, 0]}}, bytes(4), "has -4 bytes"),
        ({"x": {**ONE, "data_offsets": [-4, 0]}}, bytes(4), "not two sizes"),
        ({"x": ONE}, bytes(5), "4 bytes, and 5 are there"),
        ({"x": ONE}, bytes(3), "and 3 are there"),
        ({"x": TWO}, bytes(8), "a hole before 'x'"),
        ({"x": ONE, "y": ONE}, bytes(4), "overlap"),
        ({"x": ONE, "y": {**TWO, "data_offsets": [3, 7]}}, bytes(8), "overlap"),
        ({"x": ONE, "__metadata__": []}, bytes(4), "not a map of texts"),
        ({"x": ONE, "__metadata__": {"a": 1}}, bytes(4), "not a map of texts"),
        (named("nomen.names", "["), bytes(4), "nomen.names is not JSON"),
        (named("nomen.names", "[]"), bytes(4), "nomen.names is wrong"),
        (named("nomen.names", '{"y":["N"]}'), bytes(4), "nomen.names is wrong"),
        (named("nomen.names", '{"x":["N"],"x":["N"]}'), bytes(4), "twice"),
        (named("nomen.names", '{"x":["N","C"]}'), bytes(4), "the names of 'x'"),
        (named("nomen.names", '{"x":[3]}'), bytes(4), "the names of 'x'"),
        (named("nomen.names", '{"x":["no name"]}'), bytes(4), "the names of 'x'"),
        (named("nomen.names", '{"x":["N\\u0000"]}'), bytes(4), "the names of 'x'"),
        (
            named("nomen.names", '{"x":["N","N"]}', {**ONE, "shape": [2, 2]}),
            bytes(4),
            "names of 'x'",
        ),
        (named("nomen.complex128", '["x"]'), bytes(4), "noted as complex128"),
        (named("nomen.complex128", '["x","x"]'), bytes(4), "nomen.complex128 is wrong"),
        (named("nomen.complex128", '[["x"]]'), bytes(4), "nomen.complex128 is wrong"),
        (named("nomen.single", "y"), bytes(4), "nomen.single is wrong"),
    ],
)
def test_files_that_lie(path, header, data, text):
    put(path, header, data)
    for way in (
        lambda: nomen.load(path),
        lambda: nomen.load(path, mmap=True),
        lambda: nomen.load(io.BytesIO(path.read_bytes())),
    ):
        with pytest.raises(ValueError, match="is not a usable safetensors file") as info:
            way()
        assert text in str(info.value)


def test_lengths_that_lie(path):
    for length in (2**64 - 1, 2**63, 100_000_001, 3):
        path.write_bytes(struct.pack("<Q", length) + b"{}")
        with pytest.raises(ValueError, match="is not a usable safetensors file"):
            nomen.load(path)
    for data in (b"", b"1234567"):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="too short"):
            nomen.load(path)
    with pytest.raises(ValueError, match="not a regular file"):
        nomen.load("/dev/null")
    with pytest.raises(FileNotFoundError):
        nomen.load(path.with_name("nowhere"))
    with pytest.raises(OSError):
        nomen.load(path.parent)


def test_broken_at_random(path):
    """Whatever a byte becomes: tensors or a ValueError, and never more memory than the file has."""
    nomen.save({"x": nomen.ones(3, names=("N",)), "z": nomen.ones(2, dtype=nomen.complex128)}, path)
    good = path.read_bytes()
    chance = random.Random(1)
    failed = 0
    for _ in range(600):
        data = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        try:
            nomen.load(io.BytesIO(data))
        except ValueError:
            failed += 1
    assert failed > 300


def test_what_cannot_be_saved(path):
    x = nomen.ones(2)
    for tensors, kind in (
        ({3: x}, TypeError),
        ({"x": 3}, TypeError),
        ({"__metadata__": x}, ValueError),
        ({"\ud800": x}, ValueError),
        ([x], (TypeError, ValueError)),
    ):
        with pytest.raises(kind):
            nomen.save(tensors, path)
    for metadata, kind in (
        ({"a": 1}, TypeError),
        ({1: "a"}, TypeError),
        ({"nomen.names": "{}"}, ValueError),
        ({"a": "\ud800"}, ValueError),
    ):
        with pytest.raises(kind):
            nomen.save({"x": x}, path, metadata)
    assert not path.exists()


def test_replacing(path, tmp_path):
    nomen.save({"x": nomen.ones(2)}, path)
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    nomen.save({"x": nomen.zeros(2)}, link)
    assert link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert nomen.load(path)["x"].tolist() == [0.0, 0.0]
    with pytest.raises(OSError, match="not a regular file"):
        nomen.save({"x": nomen.ones(2)}, "/dev/null")
    with pytest.raises(FileNotFoundError):
        nomen.save({"x": nomen.ones(2)}, tmp_path / "nowhere" / "file")


def test_a_full_disk_leaves_the_old_file(path, monkeypatch):
    nomen.save({"x": nomen.ones(2)}, path)
    from nomen import _files

    def full(file, head, tensors):
        file.write(head)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_files, "_write", full)
    with pytest.raises(OSError):
        nomen.save({"x": nomen.zeros(2)}, path)
    assert nomen.load(path)["x"].tolist() == [1.0, 1.0]


def test_npy_from_python(tmp_path):
    path = tmp_path / "a.npy"
    x = nomen.arange(6.0).reshape(2, 3).rename("N", "C")
    nomen.save_npy(x.T, path)
    assert nomen.equal(nomen.load_npy(path), x.T) and numpy.load(path).tolist() == x.T.tolist()
    with pytest.raises(TypeError):
        nomen.save_npy([1], path)
    with pytest.raises(NotImplementedError, match="bfloat16"):
        nomen.save_npy(x.bfloat16(), path)
    with pytest.raises(RuntimeError, match="cannot be opened"):
        nomen.load_npy(tmp_path / "nowhere")
    with pytest.raises(ValueError):
        nomen.load_npy("a\0b")
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="not a usable .npy file"):
        nomen.load_npy(os.fsencode(path))


def test_texts_of_errors(path):
    put(path, {"x": {**ONE, "dtype": "U32"}}, bytes(4))
    with raises(
        ValueError,
        f"'{path}' is not a usable safetensors file: 'x' holds elements of the "
        "dtype 'U32', which nomen does not have; convert it where it was made",
    ):
        nomen.load(path)
