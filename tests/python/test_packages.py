"""The package as others install it. The slow half, which builds it, runs with --packages."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile

import pytest

# What a user does first; in an empty environment, so nothing but Python and nomen is there.
SMOKE = """
import pickle, sys
import nomen
x = nomen.arange(6.0).reshape(2, 3).rename("N", "C").requires_grad_()
(x.softmax("C") * x).sum().backward()
assert x.grad.names == ("N", "C") and x.mT.names == ("C", "N")
try:
    x.sum("time")
except RuntimeError as error:
    assert "Name 'time' not found in Tensor['N', 'C']." in str(error)
assert pickle.loads(pickle.dumps(x)).names == ("N", "C")
assert nomen.from_dlpack(x.detach()).names == ("N", "C")
assert nomen.zeros(2).share_memory_().is_shared()
assert not [m for m in ("numpy", "torch", "multiprocessing.pool") if m in sys.modules]
print(nomen.__version__, nomen.__file__)
"""


def run(*command, **keywords):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **keywords
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def version_of(root):
    (version,) = re.findall(
        r"project\(nomen VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()
    )
    return version


# ---- quick -----------------------------------------------------------------------------------


def test_it_needs_nothing_but_python(root):
    """No site-packages: neither NumPy nor the tools of development."""
    path = f"import sys; sys.path.insert(0, {str(root / 'build' / 'release' / 'python')!r})\n"
    version, file = run(sys.executable, "-I", "-S", "-c", path + SMOKE).split()
    assert version == version_of(root) and file.startswith(str(root))


def test_versions_agree(root):
    header = (root / "include" / "nomen" / "nomen.h").read_text()
    digits = [
        re.search(rf"NOMEN_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")
    ]
    assert ".".join(digits) == version_of(root)


def test_the_description_of_the_package(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())
    assert project["project"]["name"] == "nomen" and "dependencies" not in project["project"]
    for name in ("readme", "license"):
        file = project["project"][name]
        assert (root / (file["file"] if isinstance(file, dict) else file)).is_file()
    build = project["tool"]["scikit-build"]
    for folder in build["wheel"]["packages"]:
        assert (root / folder / "__init__.py").is_file() and (root / folder / "py.typed").is_file()
    # What is left out of the source package is not needed to build it.
    cmake = (root / "CMakeLists.txt").read_text() + "".join(
        path.read_text() for path in (root / "tools" / "cmake").glob("python.cmake")
    )
    for folder in build["sdist"]["exclude"]:
        assert f"/{folder}/" not in cmake.replace("tools/cmake/tests.cmake", "")


# ---- slow ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clone(request, root, tmp_path_factory):
    """The files of the tree that belong to it, without anything that was built."""
    if not request.config.getoption("--packages"):
        pytest.skip("only with --packages: it builds the package twice")
    folder = tmp_path_factory.mktemp("clone") / "nomen"
    listed = run("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((root / name).read_bytes())
    return folder


@pytest.fixture
def python(tmp_path):
    """The Python of an empty environment."""
    venv.create(tmp_path / "empty", with_pip=True)
    return tmp_path / "empty" / "bin" / "python"


def pip(python, *arguments):
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    text = done.stdout + done.stderr
    if done.returncode and re.search(
        "No matching distribution found|Connection|Temporary fail", text
    ):
        pytest.skip("the tools that build a package cannot be had here")
    assert done.returncode == 0, text


def check(python, root, tmp_path):
    """Outside of the tree, so that nothing of it is found by chance."""
    version, file = run(python, "-I", "-c", SMOKE, cwd=tmp_path).split()
    assert version == version_of(root) and str(tmp_path) in file
    installed = {name for name in os.listdir(os.path.dirname(file)) if name != "__pycache__"}
    package = root / "python" / "nomen"
    sources = {path.name for path in package.glob("*.py*")} | {"py.typed"}
    sources |= {path.parent.name for path in package.glob("*/*.py")}
    extension = {name for name in installed if re.fullmatch(r"_C\..*\.so", name)}
    assert len(extension) == 1 and installed - extension == sources


def test_pip_install_of_a_clone(clone, python, root, tmp_path):
    pip(python, "install", clone)
    check(python, root, tmp_path)
    pip(python, "uninstall", "-y", "nomen")
    assert subprocess.run([python, "-I", "-c", "import nomen"], capture_output=True).returncode


def test_source_package_and_wheel(clone, python, root, tmp_path):
    """The wheel is built from the source package, which therefore is complete."""
    pip(python, "install", "build")
    run(python, "-m", "build", "--outdir", tmp_path / "dist", clone)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (source,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "CMakeLists.txt", "ops/gen.py", "src/op/table.gen.c"} <= names
    assert not any(name.startswith(("build/", "tests/", ".venv/")) for name in names)
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert tops == {"nomen", f"nomen-{version_of(root)}.dist-info"}
    second = tmp_path / "second"
    venv.create(second, with_pip=True)
    pip(second / "bin" / "python", "install", "--no-index", wheel)
    check(second / "bin" / "python", root, second)
