"""Runs pytest with the module of build/asan, which AddressSanitizer and UBSan watch.

usage: .venv/bin/python tests/sanitized.py [PYTEST ARGUMENTS]     after tools/setup.sh asan

The interpreter is not built for the sanitizers, so their libraries come first.
"""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build" / "asan"

START = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import nomen
assert nomen.__file__.startswith(sys.argv[1]), nomen.__file__
import pytest
sys.exit(pytest.main(sys.argv[3:]))
"""


def build_module():
    """None, or what went wrong."""
    made = subprocess.run(
        ["cmake", "--build", str(BUILD), "--target", "nomen_python", "--parallel", "2"],
        capture_output=True,
        text=True,
    )
    return None if made.returncode == 0 else (made.stdout + made.stderr)[-8000:]


def pytest_command(*arguments):
    # without site packages: the module of the ordinary build is among them
    command = [sys.executable, "-S", "-c", START, str(BUILD / "python")]
    return [*command, sysconfig.get_path("purelib"), "-p", "no:cacheprovider", *arguments]


def environment(report=None):
    """report: where the sanitizers write (a prefix of file names), instead of to stderr."""
    libraries = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    log = f":log_path={report}" if report else ""
    cache = (BUILD / "CMakeCache.txt").read_text()
    isas = re.search(r"^NOMEN_ISAS:\w+=(.*)$", cache, re.M)[1].split(";")
    return {
        **os.environ,
        "LD_PRELOAD": ":".join(libraries),
        # Python keeps what it has to the end; a size that cannot be had is an error, not the end.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1" + log,
        "UBSAN_OPTIONS": "print_stacktrace=1" + log,
        "PYTHONMALLOC": "malloc",
        # The library of the release, which some tests call from C beside the module, has more.
        "NOMEN_ISA": isas[-1],
    }


if __name__ == "__main__":
    failure = build_module()
    if failure:
        sys.exit(failure)
    sys.exit(subprocess.run(pytest_command(*sys.argv[1:]), env=environment()).returncode)
