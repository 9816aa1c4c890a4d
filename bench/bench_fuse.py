"""Pointwise chains: at once and fused, beside PyTorch where the interpreter has it; in ms.

After `make build`, from the root of the project: .venv/bin/python bench/bench_fuse.py
or, for the peer, an interpreter of the same version that has torch:
    PYTHONPATH=build/release/python build/bench-venv/bin/python bench/bench_fuse.py

usage: bench_fuse.py [--size N] [--rounds R] [--threads T]

The three take turns, round by round; the table has medians. `peer / fused` is the gain over the
peer, `eager / fused` that over nomen itself.
"""

import argparse
import gc
import statistics
import sys
import time

import nomen

try:
    import torch
except ImportError:
    torch = None

CHAINS = {
    "5 cheap: (((x * 2 + y).abs() - x) * y)": lambda x, y, r: ((x * 2 + y).abs() - x) * y,
    "5 with sqrt: ((x + y).sqrt() * x - y) * 3": lambda x, y, r: ((x + y).sqrt() * x - y) * 3,
    "5 with exp, tanh: ((x * y).exp() + 1).tanh() - x": lambda x, y, r: ((x * y).exp() + 1).tanh()
    - x,
    "2: x * y + x": lambda x, y, r: x * y + x,
    "1: x + y": lambda x, y, r: x + y,
    "10: ten of x * 0.5 + y": None,
    "5 with a row: ((x + r) * r - x) * y + r": lambda x, y, r: ((x + r) * r - x) * y + r,
    "5 and a sum": lambda x, y, r: (((x * 2 + y).abs() - x) * y).sum(),
    "5 and a mean of rows": lambda x, y, r: (((x * 2 + y).abs() - x) * y).mean(-1),
}


def ten(x, y, r):
    for _ in range(5):
        x = x * 0.5 + y
    return x


CHAINS["10: ten of x * 0.5 + y"] = ten


def measure(ways, rounds):
    """Medians in ms; the ways take turns."""
    took = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name, way in ways.items():
            start = time.perf_counter()
            result = way()
            if turn:
                took[name].append((time.perf_counter() - start) * 1e3)
            del result
            time.sleep(0.02)  # threads of the one that was on go to sleep
    return {name: statistics.median(times) for name, times in took.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=30_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    columns = 1000
    rows = max(options.size // columns, 1)
    if options.threads:
        nomen.set_num_threads(options.threads)
    if torch:
        torch.set_num_threads(nomen.get_num_threads())
    with open("/proc/cpuinfo") as info:
        machine = next((line.split(":")[1].strip() for line in info if "model name" in line), "?")
    print("command: bench/bench_fuse.py", *sys.argv[1:])
    print(f"machine: {machine}, {nomen.get_num_threads()} threads")
    print(f"peer: torch {torch.__version__}" if torch else "peer: none")
    print(f"float32, {rows} x {columns}\n")
    operands = [nomen.rand(rows, columns), nomen.rand(rows, columns), nomen.rand(columns)]
    others = [torch.from_numpy(t.numpy()) for t in operands] if torch else []
    print(f"{'chain':52} {'peer':>8} {'eager':>8} {'fused':>8}  peer/fused  eager/fused")
    for name, chain in CHAINS.items():
        fused = nomen.fuse(chain)
        ways = {"eager": lambda: chain(*operands), "fused": lambda: fused(*operands)}
        if torch:
            ways["peer"] = lambda: chain(*others)
        gc.collect()
        took = measure(ways, options.rounds)
        peer = took.get("peer", float("nan"))
        print(
            f"{name:52} {peer:8.2f} {took['eager']:8.2f} {took['fused']:8.2f}"
            f" {peer / took['fused']:11.2f} {took['eager'] / took['fused']:12.2f}",
            flush=True,
        )


main()
