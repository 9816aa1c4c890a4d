#!/usr/bin/env python3
"""docs/accuracy.gen.md: the largest error of each float32 function, over all 2^32 inputs.

    make ulp                     all inputs, an hour and more
    make ulp ULP=64              every 64th of them

Each function's line is kept in build/ulp until a source of it, the compiler or the machine changes,
so that a run may be broken off.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build" / "release" / "bench_ulp"
PAGE = ROOT / "docs" / "accuracy.gen.md"
KERNELS = ROOT / "src" / "kernels"
SOURCES = ["math*.c", "unary.c", "simd/*.h", "loops/unary.h", "loops/floats.h", "loops/loops.h"]
HEAD = """# Accuracy of float32

The largest error of each function, in units in the last place, over {numbers}
(lgamma and digamma: those above 0), and where it is met. 0.5 is the best there can be. `make ulp`
measures it and writes this page. The last column says how far our float64, which looks for the
worst, was from the C library, in the same units.
"""


def told(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout


def digest():
    """Of all that the errors depend on."""
    found = hashlib.sha256(told("gcc", "--version").encode())
    found.update((ROOT / "bench" / "bench_ulp.c").read_bytes())
    cpu = Path("/proc/cpuinfo").read_text().splitlines()
    found.update(
        next((line for line in cpu if line.startswith(("flags", "Features"))), "").encode()
    )
    for pattern in SOURCES:
        for path in sorted(KERNELS.glob(pattern)):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def main(stride=1):
    isas, functions = map(str.split, told(PROGRAM).splitlines())
    folder = ROOT / "build" / "ulp" / f"{digest()}-{stride}"
    folder.mkdir(parents=True, exist_ok=True)
    lines, inputs = [], 0
    for function in functions:
        kept = folder / function
        if not kept.exists():
            kept.with_suffix(".part").write_text(told(PROGRAM, stride, function))
            kept.with_suffix(".part").rename(kept)
        line, figure = kept.read_text().splitlines()
        print(f"{line}\n{figure}", flush=True)
        lines.append(line)
        inputs += int(figure.split()[-1])
    numbers = "all 2^32 numbers" if stride == 1 else f"every {stride}th of the 2^32 numbers"
    head = ["function", *isas, "float64"]
    table = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *lines]
    PAGE.write_text(HEAD.format(numbers=numbers) + "\n" + "\n".join(table) + "\n")
    print(f"{PAGE.relative_to(ROOT)}: {inputs:,} inputs")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
