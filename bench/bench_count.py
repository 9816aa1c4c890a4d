#!/usr/bin/env python3
"""Instructions of small calls, counted by valgrind, beside the budget in budget.json.

    .venv/bin/python bench/bench_count.py            count, and compare
    .venv/bin/python bench/bench_count.py --write    make what was counted the budget

Counts repeat where times do not; they hold for one compiler and one Python, which the budget names.
tests/python/test_instruction_budget.py fails when a call takes more than MARGIN above its budget.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = ROOT / "bench" / "budget.json"
BUILD = ROOT / "build" / "release"
MARGIN = 0.03
CALLS = 1000


def made_with():
    """What the counts depend on beside our own text."""
    version = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True).stdout
    return {
        "compiler": f"gcc {version.strip()}",
        "python": platform.python_version(),
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
    }


def why_not():
    """Why nothing can be counted here, None if it can."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed"
    if "avx2" not in Path("/proc/cpuinfo").read_text():
        return "the budget is for AVX2, which valgrind knows and this processor does not"
    return None


def totals(folder):
    """Instructions between the cuts, in order."""
    found = []
    for path in folder.glob("out.*"):
        part, total = 0, 0
        with path.open() as f:
            for line in f:
                if match := re.match(r"part: (\d+)", line):
                    part = int(match[1])
                if match := re.match(r"totals: (\d+)", line):
                    total = int(match[1])
        if part:
            found.append((part, total))
    return [total for _, total in sorted(found)]


def count(command):
    """{name: instructions of a call} of a program that names what it calls."""
    with tempfile.TemporaryDirectory() as folder:
        # Tables go by addresses, of what Python holds too: the same ones each time.
        valgrind = ["setarch", "-R", "valgrind"] if shutil.which("setarch") else ["valgrind"]
        valgrind += ["--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        valgrind += ["--dump-before=nomen_set_num_threads", "--compress-strings=no"]
        done = subprocess.run(
            [*valgrind, *command],
            capture_output=True,
            text=True,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": str(BUILD / "python"),
            },
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        parts = totals(Path(folder))
        names = done.stdout.split("\n")[:-1]
        # Before the first cut lies the start, then pairs: what is counted, what is not.
        counted = parts[2::2]
        if len(counted) < len(names):
            raise RuntimeError(f"{len(names)} names, {len(parts)} parts")
        return {name: total / CALLS for name, total in zip(names, counted)}


def counted():
    """All counts, C and Python; of Python without the loop around the call."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "count"
        subprocess.run(
            [
                *"gcc -std=gnu11 -O2 -pthread -o".split(),
                *(program, ROOT / "bench" / "bench_count.c", f"-I{ROOT}/include"),
                *(BUILD / "libnomen.a", "-lm"),
            ],
            check=True,
        )
        in_c = count([program])
    in_python = count([sys.executable, ROOT / "bench" / "bench_count_calls.py"])
    loop = in_python.pop("nothing")
    in_python.pop("nothing, named")
    return {
        "C": {name: round(n) for name, n in in_c.items()},
        "Python": {name: round(n - loop) for name, n in in_python.items()},
    }


def main():
    reason = why_not()
    if reason:
        sys.exit(f"bench: {reason}")
    found = counted()
    if sys.argv[1:] == ["--write"]:
        BUDGET.write_text(json.dumps({"made with": made_with(), **found}, indent=1) + "\n")
    budget = json.loads(BUDGET.read_text())
    for side in ("C", "Python"):
        for name, n in found[side].items():
            allowed = budget[side].get(name)
            change = f"{n / allowed - 1:+8.1%}" if allowed else "     new"
            print(f"{side:7} {name:25} {n:7} {change}")


if __name__ == "__main__":
    main()
