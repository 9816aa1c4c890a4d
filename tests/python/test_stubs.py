"""The types that checkers see: complete, of nothing that is not there, and they hold."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nomen
import nomen.autograd
import nomen.cuda

FOLDER = Path(nomen.__file__).resolve().parent

# What every class or object has, and what programs are not meant to touch.
COMMON = set(dir(object)) | {
    "__module__",
    "__weaklistoffset__",
    "__weakref__",
    "__array_priority__",
    "__dict__",
    "__delitem__",  # comes with __setitem__ and only raises
}


def declared(body):
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            # `as` says that a name is handed on, not only used
            names |= {alias.asname for alias in node.names if alias.asname}
    return names


def stub(name):
    return ast.parse((FOLDER / name).read_text()).body


def public(names):
    return {name for name in names if not name.startswith("_")}


def of_class(body, name):
    (node,) = (n for n in body if isinstance(n, ast.ClassDef) and n.name == name)
    return declared(node.body)


def test_the_module():
    functions = {n.name for n in stub("_ops.pyi") if isinstance(n, ast.FunctionDef)}
    there = declared(stub("__init__.pyi")) | functions
    assert public(dir(nomen)) - there == set()
    assert public(there) - set(dir(nomen)) == set()
    assert "__version__" in there


@pytest.mark.parametrize("name", ["autograd", "cuda", "random", "return_types"])
def test_the_other_modules(name):
    module = getattr(nomen, name)
    assert set(module.__all__) - declared(stub(f"{name}.pyi")) == set()
    assert public(declared(stub(f"{name}.pyi"))) - set(dir(module)) == set()


@pytest.mark.parametrize(
    "name",
    [
        "Tensor",
        "device",
        "dtype",
        "Size",
        "Generator",
        "finfo",
        "iinfo",
        "UntypedStorage",
        "TypedStorage",
    ],
)
def test_the_classes(name):
    there = of_class(stub("__init__.pyi"), name)
    if name == "Tensor":
        there |= of_class(stub("_ops.pyi"), "TensorOps")
    has = set(dir(getattr(nomen, name)))
    inherited = set(dir(tuple)) if name == "Size" else set()
    private = {n for n in has if n.startswith("_") and not n.startswith("__")}
    if name not in ("finfo", "iinfo"):
        assert has - COMMON - inherited - private - there == set()
        # __buffer__ is seen from Python 3.12 on; attributes of TypedStorage are set by __init__
        unseen = {"__init__", "__buffer__"} | ({"dtype"} if name == "TypedStorage" else set())
        assert there - has - unseen == set()
    else:
        made = getattr(nomen, name)(nomen.float32 if name == "finfo" else nomen.int8)
        assert public(vars(made)) == public(there)


PROGRAM = """
import nomen

x: nomen.Tensor = nomen.randn(32, 8, names=("N", "in"))
w = nomen.randn(8, 3, names=("in", "out"), requires_grad=True)
p = (x @ w).softmax("out")
p.log().mean(("N", "out")).neg().backward()
sizes: nomen.Size = p.shape
first: int = p.shape[0]
values, indices = p.max("out")
with nomen.no_grad():
    y: nomen.Tensor = w.add_(1, alpha=2).to(nomen.float64)
z: nomen.Tensor = 2 * x[{"N": 0}] + x[0:1] % 2
device: nomen.device = z.device
nomen.save({"x": x}, "file", {"made": "here"})
new = x.new_zeros(2, 3, names=("A", None), dtype=nomen.int8)
twin = nomen.from_dlpack(x, names=("N", "C"))
storage: nomen.UntypedStorage = x.untyped_storage()

@nomen.no_grad()
def evaluate(t: nomen.Tensor) -> float:
    return float(t.sum().item())

@nomen.fuse
def scaled(t: nomen.Tensor) -> nomen.Tensor:
    return t * 2 + 1

with nomen.fuse():
    fused: nomen.Tensor = scaled(x) + 1
total: float = evaluate(x) + evaluate(new)
"""

WRONG = {
    "nomen.zeros(2).nothing": "attr-defined",
    "nomen.zeros(2, dtype='float32')": "arg-type",
    "nomen.zeros(2).sum(1.5)": "arg-type",
    "nomen.save([1], 'file')": "arg-type",
    "x: int = nomen.zeros(2).shape": "assignment",
    "nomen.nothing(2)": "attr-defined",
}


def check(*arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", "build/mypy", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_stubs_hold():
    modules = [
        "nomen",
        *(f"nomen.{name}" for name in ("autograd", "cuda", "random", "return_types")),
    ]
    done = check("--strict", *(word for name in modules for word in ("-m", name)))
    assert done.returncode == 0, done.stdout + done.stderr


def test_programs(tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(PROGRAM)
    wrong.write_text("import nomen\n" + "".join(line + "\n" for line in WRONG))
    done = check("--strict", str(right))
    assert done.returncode == 0, done.stdout + done.stderr
    done = check("--strict", str(wrong))
    for number, (line, code) in enumerate(WRONG.items(), 2):
        assert any(
            f"wrong.py:{number}: error" in text and f"[{code}]" in text
            for text in done.stdout.splitlines()
        ), (line + "\n" + done.stdout)
