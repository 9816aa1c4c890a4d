"""Runs pytest with the module of a build that is watched: asan unless told.

usage: .venv/bin/python tests/sanitized.py [--build BUILD] [PYTEST ARGUMENTS]

after tools/setup.sh BUILD: asan or clang-asan (addresses, undefined behaviour), tsan (threads),
memcheck (valgrind: addresses, reads of what nobody wrote), fortified (the C library's own checks).
The interpreter is not built for sanitizers, so their libraries come first.
"""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

BUILDS = Path(__file__).resolve().parent.parent / "build"

# build: (what knows where the libraries are, those that come before all others)
LIBRARIES = {
    "asan": ("gcc", ["libasan.so", "libubsan.so"]),
    "clang-asan": ("clang", [f"libclang_rt.asan-{os.uname().machine}.so"]),
    "tsan": ("gcc", ["libtsan.so"]),
    "memcheck": ("gcc", []),
    "fortified": ("gcc", []),
}
VALGRIND = ["valgrind", "-q", "--error-exitcode=99", "--num-callers=25"]
VALGRIND += [f"--suppressions={Path(__file__).resolve().parent}/valgrind.supp"]

START = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import nomen
assert nomen.__file__.startswith(sys.argv[1]), nomen.__file__
import pytest
sys.exit(pytest.main(sys.argv[3:]))
"""


def is_built(build):
    return (BUILDS / build / "CMakeCache.txt").exists()


def build_module(build="asan"):
    """None, or what went wrong."""
    made = subprocess.run(
        ["cmake", "--build", str(BUILDS / build), "--target", "nomen_python", "--parallel", "2"],
        capture_output=True,
        text=True,
    )
    return None if made.returncode == 0 else (made.stdout + made.stderr)[-8000:]


def pytest_command(*arguments, build="asan", report=None):
    # without site packages: the module of the ordinary build is among them
    command = [sys.executable, "-S", "-c", START, str(BUILDS / build / "python")]
    if build == "memcheck":
        log = [f"--log-file={report}.%p"] if report else []
        command = [*VALGRIND, *log, *command]
    return [*command, sysconfig.get_path("purelib"), "-p", "no:cacheprovider", *arguments]


def environment(report=None, build="asan"):
    """report: where what was found is written (a prefix of file names), instead of to stderr."""
    compiler, libraries = LIBRARIES[build]
    paths = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in libraries
    ]
    log = f":log_path={report}" if report else ""
    cache = (BUILDS / build / "CMakeCache.txt").read_text()
    isas = re.search(r"^NOMEN_ISAS:\w+=(.*)$", cache, re.M)[1].split(";")
    return {
        **os.environ,
        **({"LD_PRELOAD": ":".join(paths)} if paths else {}),
        # Python keeps what it has to the end; a size that cannot be had is an error, not the end.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1" + log,
        "UBSAN_OPTIONS": "print_stacktrace=1" + log,
        "TSAN_OPTIONS": "second_deadlock_stack=1:allocator_may_return_null=1" + log,
        "PYTHONMALLOC": "malloc",
        # The library of the release, which some tests call from C beside the module, has more.
        "NOMEN_ISA": isas[-1],
    }


if __name__ == "__main__":
    arguments, build = sys.argv[1:], "asan"
    if arguments[:1] == ["--build"]:
        build, arguments = arguments[1], arguments[2:]
    failure = build_module(build)
    if failure:
        sys.exit(failure)
    command = pytest_command(*arguments, build=build)
    sys.exit(subprocess.run(command, env=environment(build=build)).returncode)
