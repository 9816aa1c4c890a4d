"""The programs of bench/ that are built when they are wanted still fit the headers."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "bench").rglob("*.c"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_benches_compile(program):
    folders = ["include", "src", "build/release/generated"]
    flags = "-std=gnu11 -fsyntax-only -Wall -Wextra -Wno-unused-function -Werror".split()
    command = ["cc", *flags, *(f"-I{ROOT / f}" for f in folders), program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
