"""nomen serves a C program outside the tree: CMake package, pkg-config, subproject."""

import os
import shutil
import subprocess

import pytest


def call(*command, **keywords):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **keywords
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check_output(text):
    assert text.startswith("float32 3 N Name 'H' not found in ")


@pytest.fixture(scope="module")
def prefix(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    call("cmake", "--install", root / "build" / "release", "--prefix", folder / "first")
    # Moved, so that no path of the installation can be baked in.
    return (folder / "first").rename(folder / "prefix")


def test_what_is_installed(prefix, root):
    files = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*")}
    headers = {f"include/nomen/{path.name}" for path in (root / "include" / "nomen").glob("*.h")}
    assert headers <= files
    names = {path.rsplit("/", 1)[-1] for path in files}
    assert {
        "libnomen.so",
        "libnomen.so.0",
        "libnomen.so.0.1.0",
        "libnomen.a",
        "nomen.pc",
        "nomenConfig.cmake",
        "nomenConfigVersion.cmake",
        "nomenTargets.cmake",
    } <= names


def test_cmake_package(prefix, root, tmp_path):
    call("cmake", "-S", root / "tests" / "outside", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", tmp_path)
    check_output(call(tmp_path / "outside_shared"))
    check_output(call(tmp_path / "outside_static"))
    environment = os.environ | {"NOMEN_BACKEND_PATH": str(tmp_path)}
    assert call(tmp_path / "outside_device", env=environment) == "mock:0 3 N\n"
    assert "libnomen.so.0" in call("ldd", tmp_path / "outside_shared")
    assert "libnomen" not in call("ldd", tmp_path / "outside_static")


@pytest.mark.parametrize("link", ["shared", "static"])
def test_pkg_config(prefix, root, tmp_path, link):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    (file,) = prefix.rglob("nomen.pc")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(file.parent)}
    query = [
        "pkg-config",
        "--cflags",
        "--libs",
        *(["--static"] if link == "static" else []),
        "nomen",
    ]
    flags = call(*query, env=environment).split()
    if link == "static":
        flags = ["-l:libnomen.a" if flag == "-lnomen" else flag for flag in flags]
    program = tmp_path / "outside"
    call(
        "gcc",
        "-std=c11",
        "-Wall",
        "-Werror",
        root / "tests" / "outside" / "outside.c",
        *flags,
        "-o",
        program,
    )
    check_output(call(program, env={**os.environ, "LD_LIBRARY_PATH": str(file.parent.parent)}))
    assert call("pkg-config", "--modversion", "nomen", env=environment).strip() == "0.1.0"


def test_subproject_configures_quietly(root, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(outer LANGUAGES C)\n"
        f"add_subdirectory({root} nomen)\n"
        "if(NOT TARGET nomen::nomen OR NOT TARGET nomen::nomen_static)\n"
        '    message(FATAL_ERROR "targets are missing")\nendif()\n'
        "if(TARGET nomen_tests OR TARGET nomen_python)\n"
        '    message(FATAL_ERROR "more than the library")\nendif()\n'
    )
    call("cmake", "-S", tmp_path, "-B", tmp_path / "build")
