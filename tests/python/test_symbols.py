"""The shared library exports exactly what the public headers declare."""

import json
import re
import shlex
import subprocess

import pytest


@pytest.fixture(scope="module")
def library(root):
    return root / "build" / "release" / "libnomen.so"


@pytest.fixture(scope="module")
def exported(library):
    text = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1] for line in text.splitlines()}


@pytest.fixture(scope="module")
def declared(root):
    names = set()
    for header in sorted((root / "include" / "nomen").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read_text(), flags=re.S)
        text = re.sub(r"^\s*#(?:[^\n\\]|\\\n|\\.)*", " ", text, flags=re.M)
        names |= set(re.findall(r"\bNOMEN_API\b[^;{]*?\b(\w+)\s*\(", text))
    return names


def test_every_exported_symbol_is_declared_in_a_public_header(exported, declared):
    assert exported - declared == set()


def test_every_declared_function_is_exported(exported, declared):
    assert declared - exported == set()


def test_public_names_begin_with_nomen(exported):
    assert exported
    assert {name for name in exported if not re.match(r"nomen_[a-z0-9]", name)} == set()


def test_soname(library):
    text = subprocess.run(
        ["readelf", "-d", str(library)], check=True, capture_output=True, text=True
    ).stdout
    assert re.search(r"SONAME.*\[libnomen\.so\.0\]", text)


def test_the_library_wants_only_the_c_library(library):
    text = subprocess.run(
        ["readelf", "-d", str(library)], check=True, capture_output=True, text=True
    ).stdout
    needed = set(re.findall(r"NEEDED.*\[([^\]]+?)\.so", text))
    assert needed <= {"libc", "libm", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}


def test_the_python_module_exports_its_init_function_only(root):
    (module,) = (root / "build" / "release" / "python" / "nomen").glob("_C.*.so")
    text = subprocess.run(
        ["nm", "-D", "--defined-only", str(module)], check=True, capture_output=True, text=True
    ).stdout
    assert {line.split()[-1] for line in text.splitlines()} == {"PyInit__C"}


def test_kernels_move_memory_themselves_where_a_distribution_has_sizes_checked(root, tmp_path):
    """A vector's load would be a call then, several times as slow; in what is around kernels the
    checks stay."""
    commands = json.loads((root / "build/release/compile_commands.json").read_text())

    def checks(source):
        entry = next(x for x in commands if x["file"].endswith(source))
        compiler, *flags = shlex.split(entry["command"])
        flags[flags.index("-o") + 1] = made = str(tmp_path / "made.o")
        command = [compiler, "-D_FORTIFY_SOURCE=3", *flags]
        subprocess.run(command, check=True, cwd=entry["directory"])
        undefined = ["nm", "--undefined-only", made]
        said = subprocess.run(undefined, check=True, capture_output=True, text=True).stdout
        return "_chk" in said

    if not checks("src/op/compose_quantile.c"):
        pytest.skip("this compiler and C library check no sizes")
    assert not checks("src/kernels/bits.c")
    assert not checks("src/kernels/reduce_count.c")
