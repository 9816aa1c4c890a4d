"""The whole library builds without a warning with clang and for aarch64 (with --compilers)."""

import shutil
import subprocess

import pytest


@pytest.mark.parametrize(
    "compiler, options",
    [
        ("clang", ["-DCMAKE_C_COMPILER=clang"]),
        ("aarch64-linux-gnu-gcc", ["-DCMAKE_TOOLCHAIN_FILE=tools/cmake/aarch64.cmake"]),
    ],
)
def test_builds_without_warnings(compiler, options, root, tmp_path, request):
    if not request.config.getoption("--compilers"):
        pytest.skip("--compilers is not given (make check gives it)")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    options = [word.replace("=tools/", f"={root}/tools/") for word in options]
    configure = [
        "cmake",
        "-S",
        str(root),
        "-B",
        str(tmp_path),
        "-DNOMEN_WERROR=ON",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DNOMEN_KERNEL_OPT=-O1",
        *options,
    ]
    subprocess.run(configure, check=True, capture_output=True)
    done = subprocess.run(
        ["cmake", "--build", str(tmp_path), "--target", "nomen", "--parallel", "2"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
