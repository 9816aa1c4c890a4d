"""Calls on every small shape of a grid beside PyTorch: which ones lose where rows fill no vector.

    PYTHONPATH=build/release/python build/bench-venv/bin/python bench/bench_grid.py
        [--dtypes float32,uint8] [--calls sum,sort] [--layouts whole,holes] [--threads 1]
        [--below 0.85] [--worst 3] [--elements 30000]

Shapes have three dims, the last two of a few elements each; calls along a dim are made along each
of the three. A line says how many of a dtype's calls lose, and the worst of them as bench_survey.py
has them, whose lines bench_turns.py takes. Some 150 shapes a second.
"""

import argparse
import itertools

import bench_survey  # before torch, which it tells how to wait
import nomen
import torch

MIDDLE = [2, 3, 5, 10, 24, 60]
LAST = [1, 2, 3, 5, 7, 8, 12, 15, 17, 24, 31, 33, 64]
LAYOUTS = {
    "whole": "x=made('{dtype}', [{m}, {n}, {k}], False)",
    "holes": "x=made('{dtype}', [{m}, {n}, {k} + 3], False)[..., 1:-2]",
    "turned": "x=made('{dtype}', [{k}, {n}, {m}], False).permute([2, 1, 0])",
    "across": "x=made('{dtype}', [{n}, {m}, {k}], False).transpose(0, 1)",
}
ALONG = {
    **{name: f"L.{name}(x, {{d}})" for name in
       """sum mean prod amax max argmin var any all logsumexp cumsum cumprod cummax logcumsumexp
softmax log_softmax sort median""".split()},
    "norm": "L.norm(x, 2, {d})",
    "topk": "x.topk(min(2, x.shape[{d}]), {d})",
    "flip": "L.flip(x, [{d}])",
    "roll": "L.roll(x, 1, {d})",
    "diff": "L.diff(x, dim={d})",
    "cat": "L.cat([x, x], {d})",
    "stack": "L.stack([x, x], {d})",
    "transposed": "x.transpose(1, {d}).contiguous()",
    "windows": "x.unfold({d}, 2, 1).sum(-1) if x.shape[{d}] > 1 else x",
    "repeat_interleave": "x.repeat_interleave(2, {d})",
    "index_select": "x.index_select({d}, i)",
    "gather": "x.gather({d}, j)",
    "scatter_add": "x.scatter_add({d}, j, x)",
}
OF_ALL = {
    "clone": "x.clone()",
    "abs": "x.abs()",
    "exp": "x.exp()",
    "add a row": "x + x[:1]",
    "add a middle row": "x + x[:, :1]",
    "times a column": "x * x[..., :1]",
    "greater": "x > x[:, :1]",
    "where": "L.where(x == x[:, :1], x, x[:1])",
    "tril": "L.tril(x)",
    "bmm": "x @ x.transpose(1, 2)",
    "cdist": "L.cdist(x, x)",
    "sum of first and last": "x.sum((0, 2))",
    "amax of first and last": "x.amax((0, 2))",
    "var of first and last": "x.var((0, 2))",
    "sum of both last": "x.sum((1, 2))",
}
PLACES = {"index_select": "i=places(x.shape[{d}], [x.shape[{d}]])"}
PLACES["gather"] = PLACES["scatter_add"] = "j=places(x.shape[{d}], list(x.shape))"


def calls(name, dtype, layout, elements):
    """The call of that name on each shape, as a program."""
    dims = range(3) if name in ALONG else [1]
    for n, k, d in itertools.product(MIDDLE, LAST, dims):
        made = LAYOUTS[layout].format(dtype=dtype, m=max(1, elements // (n * k)), n=n, k=k)
        more = PLACES.get(name, "pass").format(d=d)
        yield f"{made};{more}|{(ALONG.get(name) or OF_ALL[name]).format(d=d)}"


def ratio(call, below):
    """(ratio, both times), or None: it does not lose, or is not made by both."""
    try:
        sides = [bench_survey.prepared(lib, call, 1) for lib in (nomen, torch)]
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return None
    both = bench_survey.slower(sides, below)
    return both and (both[1] / both[0], *both)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dtypes", default="float32")
    parser.add_argument("--calls", default=",".join([*ALONG, *OF_ALL]))
    parser.add_argument("--layouts", default="whole")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--below", type=float, default=0.85)
    parser.add_argument("--worst", type=int, default=3)
    parser.add_argument("--elements", type=int, default=30000)
    options = parser.parse_args()
    for lib in (nomen, torch):
        lib.set_num_threads(options.threads)
    asked = (part.split(",") for part in (options.dtypes, options.layouts, options.calls))
    made = lost = 0
    for dtype, layout, name in itertools.product(*asked):
        found = []
        for call in calls(name, dtype, layout, options.elements):
            made += 1
            losing = ratio(call, options.below)
            if losing:
                found.append((*losing, call))
        lost += len(found)
        if found:
            print(f"{dtype} {layout} {name}: {len(found)}", flush=True)
        for times, own, peer, call in sorted(found)[: options.worst]:
            print(f"  {times:.2f} nomen {own:.4g} peer {peer:.4g} us  {call}", flush=True)
    print(f"torch {torch.__version__}, {options.threads} threads: {lost} of {made} calls lose")


if __name__ == "__main__":
    main()
