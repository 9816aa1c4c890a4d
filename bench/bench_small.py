"""Cost of one small operation from Python: the best of many batches, in ns.

After `make build`, from the root of the project: .venv/bin/python bench/bench_small.py
"""

import time

import nomen

CALLS, BATCHES = 2000, 300


def best(call):
    took = []
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        call()
        took.append((time.perf_counter_ns() - start) / CALLS)
    return min(took)


def add(a, b):
    def call():
        for _ in range(CALLS):
            a + b

    return best(call)


def empty():
    for _ in range(CALLS):
        pass


with open("/proc/cpuinfo") as info:
    print(next((line.strip() for line in info if line.startswith("model name")), "?"))
loop = best(empty)
plain = add(nomen.ones(16), nomen.ones(16)) - loop
named = add(nomen.ones(16, names=("N",)), nomen.ones(16, names=("N",))) - loop
print(f"x + y of 16 float32: {plain:.1f} ns, with names {named:.1f} ns")
