#!/usr/bin/env python3
"""Does cost grow with the work? Every operation at sizes that double, nomen alone.

    python bench/bench_growth.py [--op OP ...] [--threads N] [--most 4194304]

Prints the steps that cost more than 2.2 times the half, slowest first, those near the size of a
cache after the others: there the limit becomes another one, and who shares a cache leaves less of
it than it says. Needs NumPy and the release build in PYTHONPATH. Products are left out, and what is
made of them or of all pairs (FASTER): their work grows faster than their elements.
"""

import argparse
import math
import os
import statistics
from pathlib import Path

import bench_cases
from bench_measure import Library, calls_in, described

STEP = 2.2
FASTER = {"addmm", "nuclear_norm", "pdist"}
LEAST = 64
SECONDS, BATCHES, TRIES = 0.001, 7, 3


def add_sizes(most):
    """Grids and cubes of powers of two: rows and columns double in turns."""
    n, k = LEAST, LEAST.bit_length() - 1
    while n <= most:
        half, third = k // 2, k // 3
        bench_cases.GRIDS[n] = (1 << (k - half), 1 << half)
        bench_cases.CUBES[n] = (1 << (k - 2 * third), 1 << third, 1 << third)
        yield n
        n, k = 2 * n, k + 1


def caches(threads):
    """Bytes of one processor's caches, and of those that each of the threads has to itself
    together, smallest first."""
    found = set()
    for folder in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        if (folder / "type").read_text().strip() == "Instruction":
            continue
        size = int((folder / "size").read_text().strip()[:-1]) << 10
        shared = (folder / "shared_cpu_list").read_text().strip()
        found |= {size} if shared != "0" else {size, size * threads}
    return sorted(found)


SIZES = {"bool": 1, "uint8": 1, "int8": 1, "int16": 2, "float16": 2, "bfloat16": 2}
SIZES |= {"int64": 8, "float64": 8, "complex64": 8, "complex128": 16}


def bytes_of(dtype, shape):
    return math.prod(shape) * SIZES.get(dtype, 4)


def bytes_given(case):
    """Of the tensors that a call is given."""
    total, pending = 0, [*case["args"], *case["kw"].values()]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict) and "shape" in item:
            total += bytes_of(item["dtype"], item["shape"])
    return total


def bytes_made(said):
    """Of what described() says of a result."""
    if not isinstance(said, list):
        return 0
    if said and isinstance(said[0], str):
        return bytes_of(said[0], said[1:])
    return sum(map(bytes_made, said))


def cost(library, case):
    """Microseconds of a call, or None where there is none; the case notes what it touches."""
    try:
        timed, result, _ = library.prepare(case)
    except Exception:
        return None
    case["bytes"] = bytes_given(case) + bytes_made(described(result))
    many, _ = calls_in(timed, SECONDS)
    return 1e6 * statistics.median(timed(range(many)) / many for _ in range(BATCHES))


def steps(library, cases):
    """(ratio, case, before, after) of the steps that are too large each time they are looked at."""
    known = {}
    for before, after in zip(cases, cases[1:]):
        tries = []
        for _ in range(TRIES):
            if not tries and before["n"] in known:
                a = known[before["n"]]
            else:
                a = cost(library, before)
            b = cost(library, after)
            if a is None or b is None:
                break
            known[after["n"]] = b
            tries.append((b / a, a, b))
            if tries[-1][0] <= STEP:
                break
        if tries:
            ratio, a, b = min(tries)
            yield ratio, after, a, b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--op", action="append", help="these operations only")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--most", type=int, default=1 << 22, help="elements")
    options = parser.parse_args()
    sizes = list(add_sizes(options.most))
    library = Library("nomen")
    library.lib.set_num_threads(options.threads)
    edges, found, looked = caches(options.threads), [], 0
    series = {}
    for n in sizes:
        for name in bench_cases.chosen(options.op):
            if bench_cases.ROWS[name]["family"] in ("product", "view") or name in FASTER:
                continue
            for case in bench_cases.of_row(name, n, False):
                key = tuple(case[k] for k in ("op", "form", "variant", "dtype", "layout"))
                series.setdefault(key, []).append(case)
    for cases in series.values():
        for ratio, case, before, after in steps(library, cases):
            looked += 1
            if ratio > STEP:
                past = [edge for edge in edges if case["bytes"] / 4 <= edge < 2 * case["bytes"]]
                found.append((ratio, case, before, after, past))
    print(f"{looked} steps of {len(series)} calls, {options.threads} threads;", end=" ")
    print(f"{len(found)} cost more than {STEP} times the half")
    print(f"{sum(not x[-1] for x in found)} of them far from the size of any cache")
    for ratio, case, before, after, past in sorted(found, key=lambda x: (bool(x[-1]), -x[0])):
        what = " ".join(case[k] for k in ("op", "form", "variant", "dtype", "layout") if case[k])
        edge = f", near a cache of {past[-1] >> 10} KiB" if past else ""
        print(f"{ratio:.2f}  {what}: {case['n']} elements, {before:.3g} -> {after:.3g} us{edge}")


if __name__ == "__main__":
    main()
