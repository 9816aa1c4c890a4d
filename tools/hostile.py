#!/usr/bin/env python3
"""Calls everything that the module has with whatever may be passed, and watches it not crash.

    .venv/bin/python tools/hostile.py --calls 60000 --seed 1
    .venv/bin/python tools/hostile.py --sizes        every row with sizes that nobody can mean
    .venv/bin/python tools/hostile.py --starved      every row with too little memory
    .venv/bin/python tools/hostile.py --large        indices beyond 2**31; 10 GiB of memory

Functions, methods and special methods get tensors of all kinds, absurd numbers, texts, lists that
change while they are read, and classes that lie. Every call must give a result or one of the
exceptions that Python people know. --log keeps the last call, for when the process dies of it.
"""

import argparse
import collections
import faulthandler
import inspect
import math
import os
import random
import sys
import tempfile

import nomen

DTYPES = [d for d in vars(nomen).values() if isinstance(d, nomen.dtype)]
KNOWN = (
    RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError,
    ArithmeticError, MemoryError, BufferError, StopIteration, LookupError,
)  # fmt: skip
LEFT_ALONE = {  # files, and what would change the run itself
    "save", "load", "save_npy", "load_npy", "set_blas", "set_num_threads", "set_default_dtype",
    "set_printoptions", "manual_seed", "seed", "set_rng_state", "set_memory_limit", "__class__",
    "__init__", "__new__", "__dir__", "__init_subclass__", "__subclasshook__", "__reduce__",
    "__reduce_ex__", "__getattribute__", "__setattr__", "__delattr__",
    "set_strict_contraction",
}  # fmt: skip
KEYWORDS = (
    "dim out keepdim names dtype other alpha axis generator requires_grad size value index device "
    "memory_format copy p correction unbiased descending stable reduce sorted largest min max name "
    "rounding_mode decimals"
).split()


class RaisesInIndex:
    def __index__(self):
        raise ZeroDivisionError("index")


class LiesAboutLength:
    def __len__(self):
        return -1

    def __getitem__(self, at):
        raise KeyError(at)


class NeverEmpty(list):
    def __bool__(self):
        return True


class GrowsWhenRead(list):
    def __iter__(self):
        self.append(1)
        return super().__iter__()


class Int(int):
    pass


class Text(str):
    pass


def clears_itself():
    """A list that is empty once its second item was read."""
    items = [1, 2, 3]

    class Clears:
        def __index__(self):
            items.clear()
            return 1

    items.extend([Clears(), Clears(), 4])
    return items


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def tensor(self):
        r = self.r
        shape = [r.choice([0, 1, 2, 3, 5]) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4]))]
        if r.random() < 0.03:
            shape = [1] * 64
        t = nomen.rand(shape) if r.random() < 0.5 else nomen.ones(shape)
        if r.random() < 0.6:
            t = t.to(r.choice(DTYPES))
        if r.random() < 0.4 and len(shape) <= 6:
            t = t.rename(*r.sample(["N", "C", "H", "W", "T", "D"], len(shape)))
        if r.random() < 0.2 and t.dim() >= 2:
            t = t.transpose(0, 1)
        if r.random() < 0.15 and t.is_floating_point():
            t = t.detach().requires_grad_()
        if r.random() < 0.1 and 0 < t.dim() < 64:
            t = t.expand([4, *t.shape])
        return t

    def thing(self, depth=0):
        r = self.r
        kind = r.randrange(30)
        if kind < 12:
            return self.tensor()
        if kind < 15 and depth < 3:
            items = [self.thing(depth + 1) for _ in range(r.randrange(4))]
            return items if r.random() < 0.5 else tuple(items)
        if kind == 15 and depth < 3:
            return slice(*[self.thing(3) for _ in range(3)])
        if kind == 16:
            endless = []
            endless.append(endless)
            return endless
        return r.choice(
            [
                lambda: r.choice([0, 1, -1, 2, 3, 5, -3]),
                lambda: r.choice([2**31, 2**63, 2**64, -(2**63), 10**30, 2**62, 2**40]),
                lambda: r.choice([0.5, math.nan, math.inf, -math.inf, 1e300, -0.0]),
                lambda: complex(r.random(), math.nan),
                lambda: r.choice(["N", "C", "", "*", "...", "x" * 10000, "N\0C", "é", "\ud800"]),
                lambda: r.choice(["sum", "floor", "mean", "1"]),
                lambda: r.choice([True, False, None, ...]),
                lambda: r.choice(DTYPES),
                lambda: r.choice([RaisesInIndex(), LiesAboutLength(), object(), clears_itself()]),
                lambda: r.choice([Int(2), Text("N"), GrowsWhenRead([1, 2]), NeverEmpty()]),
                lambda: r.choice([b"N", bytearray(8), memoryview(bytearray(16)), range(3)]),
                lambda: {"N": 1, "C": Text("W")},
                lambda: nomen.Generator(),
                lambda: [r.choice([0, 1, 2, -1]) for _ in range(r.randrange(5))],
            ]
        )()

    def call(self, callables):
        r = self.r
        method, name, function = r.choice(callables)
        args = [self.thing() for _ in range(r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]))]
        if method:
            args.insert(0, self.tensor())
        elif args and r.random() < 0.6:
            args[0] = self.tensor()
        kwargs = {r.choice(KEYWORDS): self.thing() for _ in range(r.choice([0, 0, 0, 1, 1, 2]))}
        return name, function, args, kwargs


def callables():
    return [
        (owner is nomen.Tensor, name, getattr(owner, name))
        for owner in (nomen, nomen.Tensor)
        for name in sorted(dir(owner))
        if name not in LEFT_ALONE
        and callable(getattr(owner, name))
        and not inspect.isclass(getattr(owner, name))
    ]


def use(result, r):
    """What people do with results."""
    if not isinstance(result, nomen.Tensor) or result.numel() > 1000:
        return
    repr(result)
    if result.requires_grad and not result.is_complex() and r.random() < 0.5:
        result.sum().backward()


def told(value):
    """As text, even if the value lies or has no end."""
    if isinstance(value, nomen.Tensor):
        return f"<{value.dtype} {tuple(value.shape)} {value.names}>"
    try:
        return repr(value)[:300]
    except Exception:
        return f"<{type(value).__name__}>"


def run_sizes(options):
    import hostile_sizes

    log = open(options.log, "w", errors="replace") if options.log else None

    def tell(text):
        if log:
            log.seek(0)
            log.truncate()
            log.write(text + "\n")
            log.flush()

    if options.sizes:
        hostile_sizes.sizes(tell)
    if options.starved:
        hostile_sizes.starved(tell)
    if options.large:
        hostile_sizes.large(tell, options.elements)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--log", help="a file for the call that is running")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--starved", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--elements", type=int, default=3 * 2**30, help="with --large")
    options = parser.parse_args()
    faulthandler.enable()
    if options.sizes or options.starved or options.large:
        return run_sizes(options)
    nomen.set_memory_limit(2**32)
    draw, known, counts, odd = Draw(options.seed), callables(), collections.Counter(), 0
    log = open(options.log, "w", errors="replace") if options.log else None
    scratch = tempfile.TemporaryDirectory()  # a name that is passed may be taken for a file's
    os.chdir(scratch.name)
    for at in range(options.calls):
        name, function, args, kwargs = draw.call(known)
        if log:
            log.seek(0)
            log.truncate()
            log.write(f"{at} {name} {list(map(told, args))} {list(map(told, kwargs.items()))}\n")
            log.flush()
        try:
            use(function(*args, **kwargs), draw.r)
            counts["results"] += 1
        except KNOWN as error:
            counts["errors"] += 1
            odd += "INTERNAL ASSERT" in str(error)
        except Exception as error:
            odd += 1
            print(f"{at} {name}: {type(error).__name__}: {error}\n    {list(map(told, args))}")
    print(
        f"{options.calls} calls of {len(known)} functions: {counts['results']} results, "
        f"{counts['errors']} errors, {odd} odd ones"
    )
    return odd > 0


if __name__ == "__main__":
    sys.exit(main())
