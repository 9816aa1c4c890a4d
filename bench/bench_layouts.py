"""Operations times layouts beside PyTorch: which calls lose where nobody measures by name.

    PYTHONPATH=build/release/python build/bench-venv/bin/python bench/bench_layouts.py
        [--dtypes float32,uint8] [--below 1.0]

One thread, both libraries in turns in one process, minima of a few turns; a call that seems to lose
is measured twice. About 20 seconds for each dtype.
"""

import argparse
import functools
import platform
import time

import nomen
import torch

TURNS, SECONDS = 6, 0.0012


def tensor(lib, dtype, *shape):
    lib.manual_seed(1)
    values = lib.rand(*shape)
    if dtype == "bool":
        return values > 0.5
    whole = "int" in dtype
    return (values * 100 if whole else values).to(getattr(lib, dtype))


# Of about 30,000 elements: the shape that is made, and what is seen of it.
LAYOUTS = {
    "plain": ((150, 200), lambda t: t),
    "last two turned": ((30, 25, 40), lambda t: t.permute(0, 2, 1)),
    "last in front": ((40, 25, 30), lambda t: t.permute(2, 0, 1)),
    "first two turned": ((40, 30, 25), lambda t: t.permute(1, 0, 2)),
    "channels last": ((8, 15, 16, 16), lambda t: t.permute(0, 3, 1, 2)),
    "channels last, 3": ((4, 50, 50, 3), lambda t: t.permute(0, 3, 1, 2)),
    "channels first, 3": ((4, 3, 50, 50), lambda t: t.permute(0, 2, 3, 1)),
    "every second row": ((300, 200), lambda t: t[::2]),
    "every second column": ((150, 400), lambda t: t[:, ::2]),
    "every third column": ((150, 600), lambda t: t[:, ::3]),
    "part of rows": ((150, 210), lambda t: t[:, 5:205]),
    "8 of 12": ((3750, 12), lambda t: t[:, 2:10]),
    "3 of 4": ((10000, 4), lambda t: t[:, :3]),
    "one row": ((1, 200), lambda t: t.expand(150, 200)),
    "one column": ((150, 1), lambda t: t.expand(150, 200)),
    "one column, short rows": ((1500, 1), lambda t: t.expand(1500, 20)),
    "middle expanded": ((30, 1, 25), lambda t: t.expand(30, 40, 25)),
    "number for a channel": ((1, 48, 1), lambda t: t.expand(25, 48, 25)),
    "rows of 4": ((7500, 4), lambda t: t),
    "4 columns turned": ((4, 7500), lambda t: t.t()),
    "rows of 4 turned": ((7500, 4), lambda t: t.t()),
    "16 columns turned": ((16, 1875), lambda t: t.t()),
}
OF_ONE = {
    "neg": lambda lib, a: -a,
    "exp": lambda lib, a: a.exp(),
    "clone": lambda lib, a: a.clone(),
    "contiguous": lambda lib, a: a.contiguous(),
    "gt": lambda lib, a: a > 0.5,
    "sum": lambda lib, a: a.sum(),
    "sum first": lambda lib, a: a.sum(0),
    "sum last": lambda lib, a: a.sum(-1),
    "amax first": lambda lib, a: a.amax(0),
    "argmax last": lambda lib, a: a.argmax(-1),
    "cumsum first": lambda lib, a: a.cumsum(0),
    "cumsum last": lambda lib, a: a.cumsum(-1),
    "softmax last": lambda lib, a: a.softmax(-1),
    "sort last": lambda lib, a: a.sort(-1),
    "cat first": lambda lib, a: lib.cat([a, a], 0),
    "cat last": lambda lib, a: lib.cat([a, a], -1),
    "stack": lambda lib, a: lib.stack([a, a]),
    "flip last": lambda lib, a: a.flip(-1),
    "roll last": lambda lib, a: a.roll(1, -1),
    "tril": lambda lib, a: a.tril(),
}
OF_TWO = {
    "add": lambda lib, a, b, mask: a + b,
    "mul": lambda lib, a, b, mask: a * b,
    "lt": lambda lib, a, b, mask: a < b,
    "where": lambda lib, a, b, mask: lib.where(mask, a, b),
    "maximum": lambda lib, a, b, mask: lib.maximum(a, b),
}
PAIRS = [
    ("plain", "every second column"),
    ("plain", "one column"),
    ("every second column", "every second column"),
    ("every second column", "one column"),
    ("last two turned", "last two turned"),
    ("channels last", "channels last"),
    ("8 of 12", "8 of 12"),
    ("rows of 4", "4 columns turned"),
    ("middle expanded", "last two turned"),
    ("middle expanded", "first two turned"),
    ("one row", "one column"),
]


def laid_out(lib, dtype, name):
    shape, view = LAYOUTS[name]
    return view(tensor(lib, dtype, *shape))


def calls(dtype):
    """(what it is, a call of each library)"""
    for layout in LAYOUTS:
        for name, of in OF_ONE.items():
            both = [
                functools.partial(of, lib, laid_out(lib, dtype, layout)) for lib in (nomen, torch)
            ]
            yield f"{name}, {layout}, {dtype}", both
    for pair in PAIRS + [(None, layout) for layout in LAYOUTS]:
        for name, of in OF_TWO.items():
            both = []
            for lib in (nomen, torch):
                b = laid_out(lib, dtype, pair[1])
                a = laid_out(lib, dtype, pair[0]) if pair[0] else tensor(lib, dtype, *b.shape)
                both.append(functools.partial(of, lib, a, b, tensor(lib, "bool", *a.shape)))
            yield f"{name}, {pair[0] or 'without holes'} and {pair[1]}, {dtype}", both


def best_of(both):
    """Microseconds of a call of each."""
    best = [float("inf")] * len(both)
    for _ in range(TURNS):
        for side, call in enumerate(both):
            call()
            many, start = 0, time.perf_counter()
            while (took := time.perf_counter() - start) < SECONDS or not many:
                call()
                many += 1
            best[side] = min(best[side], took / many * 1e6)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dtypes", default="float32")
    parser.add_argument("--below", type=float, default=1.0, help="ratios that are shown")
    options = parser.parse_args()
    torch.set_num_threads(1)
    nomen.set_num_threads(1)
    print(f"{platform.machine()}, one thread; nomen us, PyTorch {torch.__version__} us, ratio")
    measured, low = 0, []
    for dtype in options.dtypes.split(","):
        for what, both in calls(dtype):
            try:
                for call in both:
                    call()
            except (RuntimeError, TypeError, ValueError):  # one of them has no such call
                continue
            measured += 1
            mine, theirs = best_of(both)
            if theirs / mine < options.below:
                mine, theirs = map(min, (mine, theirs), best_of(both))
            if theirs / mine < options.below:
                ratio = theirs / mine
                low.append((ratio, f"{mine:9.2f} {theirs:9.2f} {ratio:5.2f}  {what}"))
    for _, line in sorted(low):
        print(line)
    print(f"{len(low)} of {measured} calls below {options.below}")


if __name__ == "__main__":
    main()
