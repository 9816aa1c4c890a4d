"""What is no row of the table says all that one wants to know of it too, and its example runs."""

import ast
import builtins
import doctest
import inspect
import re
import types
from pathlib import Path

import pytest

import nomen
from nomen.nn import functional

FOLDER = Path(nomen.__file__).resolve().parent
ROWS = type(nomen.add), type(nomen.Tensor.add)
CLASSES = {
    "Tensor": nomen.Tensor,
    "Size": nomen.Size,
    "dtype": nomen.dtype,
    "device": nomen.device,
    "Generator": nomen.Generator,
    "UntypedStorage": nomen.UntypedStorage,
    "TypedStorage": nomen.TypedStorage,
    "finfo": nomen.finfo,
    "iinfo": nomen.iinfo,
    "autograd.Node": nomen.autograd.Node,
    "autograd.RemovableHandle": nomen.autograd.RemovableHandle,
}
MODULES = {
    "": nomen,
    "autograd": nomen.autograd,
    "random": nomen.random,
    "cuda": nomen.cuda,
    "return_types": nomen.return_types,
    "nn.functional": functional,
}
# Whose stub says Any, because the kind of the result hangs on the arguments.
MIXED = {"atleast_1d", "atleast_2d", "atleast_3d", "load", "Tensor.type"}
SECTIONS = ("Names", "Shapes", "Dtypes", "Gradient", "Errors", "Example")


def members():
    """{path: object}: of modules what they export, of classes what they have of their own."""
    found = {}
    for prefix, module in MODULES.items():
        names = dir(module) if not prefix else module.__all__
        for name in names:
            thing = getattr(module, name)
            path = f"{prefix}.{name}".lstrip(".")
            if name.startswith("_") or isinstance(thing, (types.ModuleType, *ROWS)):
                continue
            if callable(thing):
                found.setdefault(path, thing)
    for prefix, owner in CLASSES.items():
        for name, thing in vars(owner).items():
            if not name.startswith("_") and not isinstance(thing, ROWS):
                found[f"{prefix}.{name}"] = thing
    return found


MEMBERS = members()


def stubs(file, prefix):
    """{path: (names of parameters, what it returns)} of the functions and methods of a stub."""
    found = {}

    def look(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                look(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                a = node.args
                given = [*a.posonlyargs, *a.args, *filter(None, [a.vararg]), *a.kwonlyargs]
                given = [arg.arg for arg in given if arg.arg != "self"]
                found[prefix + node.name] = given, ast.unparse(node.returns)

    look(ast.parse((FOLDER / file).read_text()).body, prefix)
    return found


STUBS = {**stubs("__init__.pyi", ""), **stubs("autograd.pyi", "autograd.")}
STUBS |= {**stubs("random.pyi", "random."), **stubs("cuda.pyi", "cuda.")}
# What modules hand on from each other is declared in one of them.
STUBS |= {f"random.{name}": STUBS[name] for name in nomen.random.__all__ if name in STUBS}
for _name in nomen.autograd.__all__:
    if f"autograd.{_name}" in STUBS:
        STUBS[_name] = STUBS[f"autograd.{_name}"]


def gives_tensors(path, thing):
    if path.startswith("nn.functional.") or path in MIXED:
        return True
    returns = STUBS.get(path, ((), ""))[1]
    return bool(re.search(r"\bTensor\b", returns)) or (path[:7] == "Tensor." and returns == "Self")


def wanted(path, thing):
    """The sections that the text needs: all of them, if tensors come out."""
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return SECTIONS if gives_tensors(path, thing) else SECTIONS[-2:]
    return SECTIONS[-1:]


def lacks(text, sections):
    for section in sections:
        begin = ":\n *" if section == "Example" else ": "
        found = re.search(rf"^{section}{begin}(\S.*)$", text, re.M)
        if not found or re.fullmatch(r"(see above.*|any\.?)", found[1].strip(". ")):
            yield section


def text_of(path, thing):
    text = inspect.getdoc(thing)
    assert text and text != inspect.getdoc(type(thing)), f"{path} says nothing"
    assert text != inspect.getdoc(tuple)
    return text


@pytest.mark.parametrize("path", MEMBERS)
def test_says_all(path):
    thing = MEMBERS[path]
    text = text_of(path, thing)
    assert len(text) > 30
    assert not list(lacks(text, wanted(path, thing)))


@pytest.mark.parametrize("path", [p for p in MEMBERS if inspect.isroutine(MEMBERS[p])])
def test_signature(path):
    signature = inspect.signature(MEMBERS[path])
    given = [name for name in signature.parameters if name not in ("self", "options")]
    stub = STUBS.get(path)
    if stub and "options" not in signature.parameters:
        assert given == stub[0]
    assert stub or path.startswith("nn.functional.")


@pytest.mark.parametrize("path", MEMBERS)
def test_example(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nomen.manual_seed(0)
    scope = {"nomen": nomen, "F": functional}
    test = doctest.DocTestParser().get_doctest(text_of(path, MEMBERS[path]), scope, path, path, 0)
    assert test.examples
    last = path.rpartition(".")[2]
    shown = any(re.search(rf"\b{last}\b", example.source) for example in test.examples)
    assert shown or inspect.isclass(MEMBERS[path])
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
    assert nomen.get_default_dtype() is nomen.float32


def test_what_is_missing_is_seen():
    whole = (
        "".join(f"{section}: something.\n" for section in SECTIONS[:-1]) + "Example:\n    >>> 1\n"
    )
    assert not list(lacks(whole, SECTIONS))
    for section in SECTIONS:
        assert list(lacks(whole.replace(section, "Other"), SECTIONS)) == [section]


def test_nothing_is_passed_over():
    assert len(MEMBERS) > 200 and "Tensor.T" in MEMBERS and "nn.functional.gelu" in MEMBERS
    assert not [name for name in vars(builtins) if name in MEMBERS and name[0].isupper()]
