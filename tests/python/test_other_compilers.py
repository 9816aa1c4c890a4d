"""The whole library builds without a warning with clang and for aarch64 (with --compilers)."""

import shutil
import subprocess
import tempfile

import pytest


# clang says all it has to say before it optimises. gcc does not, but it reads the same text where
# it optimises for this processor; for another one that takes three times as long.
COMPILERS = {
    "clang": ["-DCMAKE_C_COMPILER=clang", "-DNOMEN_KERNEL_OPT=-O0"],
    "aarch64-linux-gnu-gcc": [
        "-DCMAKE_TOOLCHAIN_FILE={root}/tools/cmake/aarch64.cmake",
        "-DNOMEN_KERNEL_OPT=-O0",
    ],
}


def beside(config, root, compiler):
    """What the build said, and whether it came to its end."""
    if not config.getoption("--compilers"):
        pytest.skip("--compilers is not given (make check gives it)")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    with tempfile.TemporaryDirectory(prefix="nomen-compiler-") as folder:
        configure = ["cmake", "-S", str(root), "-B", folder, "-DNOMEN_WERROR=ON"]
        # Nobody debugs these builds: without -g they take two thirds of the time.
        configure += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG="]
        configure += [option.format(root=root) for option in COMPILERS[compiler]]
        subprocess.run(configure, check=True, capture_output=True)
        return subprocess.run(
            ["cmake", "--build", folder, "--target", "nomen"], capture_output=True, text=True
        )


@pytest.mark.parametrize("compiler", COMPILERS)
def test_builds_without_warnings(compiler, beside):
    assert beside.returncode == 0, (beside.stdout + beside.stderr)[-8000:]
