"""Records repr.jsonl.gz: how PyTorch prints tensors. Run with an interpreter that has torch 1.13:
/usr/bin/python3 tests/golden/record_repr.py (Debian's python3-torch). Nothing else in the tree needs it.
"""

import gzip
import json
import random
import sys
import warnings
from pathlib import Path

import torch

SEED = 20
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
SHAPES = [(), (1,), (2,), (3,), (7,), (12,), (30,), (1, 1), (2, 3), (5, 4), (3, 1), (1, 9), (2, 2, 2), (3, 1, 4),
          (1, 1, 1, 1), (2, 1, 2, 3), (4, 25)]
LARGE = [(1001,), (40, 30), (7, 150), (2, 600), (11, 10, 10), (3, 7, 8, 7), (1, 1, 1002)]
EMPTY = [(0,), (2, 0), (0, 3), (1, 0, 4), (0, 0)]
NAMES = ["N", "C", "H", "W", "batch", "features_of_the_last_layer", None]
INF, NAN = float("inf"), float("nan")
# What the elements of a floating tensor are drawn from.
MAGNITUDES = {
    "unit": lambda: random.uniform(-1, 1),
    "normal": lambda: random.gauss(0, 1),
    "whole": lambda: float(random.randrange(-20, 20)),
    "whole and far apart": lambda: float(random.choice([1, 2, 1000, 5000])),
    "whole and large": lambda: float(random.randrange(10**7, 3 * 10**8)),
    "zeros": lambda: random.choice([0.0, -0.0]),
    "tiny": lambda: random.uniform(1e-7, 1e-4),
    "huge": lambda: random.uniform(-1, 1) * 10.0 ** random.randrange(25),
    "spread": lambda: random.gauss(0, 1) * 10.0 ** random.randrange(-6, 6),
    "limits": lambda: random.choice([1000.0, 1.0, 1e8, 1e-4, 0.5, 9999.5]),
    "special": lambda: random.choice([INF, -INF, NAN, 0.0, -0.0, 1.5, -2.0]),
    "special whole": lambda: random.choice([INF, NAN, 3.0, -0.0]),
    "only special": lambda: random.choice([INF, -INF, NAN, 0.0]),
    "halves": lambda: random.randrange(-9, 9) / 2 + 0.00005,
}
OPTIONS = [
    {"precision": 0}, {"precision": 2}, {"precision": 9}, {"precision": 20}, {"linewidth": 40}, {"linewidth": 9},
    {"linewidth": 200}, {"sci_mode": 1}, {"sci_mode": 0}, {"sci_mode": 0, "precision": 1}, {"threshold": 0},
    {"threshold": 5, "edgeitems": 1}, {"threshold": 10, "edgeitems": 2, "linewidth": 30}, {"edgeitems": 5, "threshold": 20},
    {"sci_mode": 1, "precision": 7, "linewidth": 50},
]
DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": -1}


def names_for(shape):
    names, left = [], NAMES[:]
    for _ in shape:
        name = random.choice(left)
        if name:
            left.remove(name)
        names.append(name)
    return names


def tensor(dtype, shape, magnitude):
    torch_dtype = getattr(torch, dtype)
    count = 1
    for size in shape:
        count *= size
    if dtype == "bool":
        values = [random.random() < 0.5 for _ in range(count)]
    elif dtype in INTEGERS:
        info = torch.iinfo(torch_dtype)
        top = random.choice([3, 100, info.max])
        values = [random.randrange(max(-top, info.min), min(top, info.max) + 1) for _ in range(count)]
    elif dtype in COMPLEX:
        values = [complex(MAGNITUDES[magnitude](), MAGNITUDES[magnitude]()) for _ in range(count)]
    else:
        values = [MAGNITUDES[magnitude]() for _ in range(count)]
    return torch.tensor(values, dtype=torch_dtype).reshape(shape)


def case(dtype, shape, magnitude="unit", names=None, options=None):
    t = tensor(dtype, shape, magnitude)
    flat = torch.view_as_real(t) if t.dtype.is_complex else t
    data = bytes(flat.reshape(-1).view(torch.uint8).tolist()).hex() if t.numel() else ""
    chosen = {**DEFAULTS, **(options or {})}
    torch.set_printoptions(**{**chosen, "sci_mode": {-1: None, 0: False, 1: True}[chosen["sci_mode"]]})
    text = repr(t.refine_names(*names) if names else t)
    return {"dtype": dtype, "shape": shape, "names": names or [None] * len(shape), "options": options or {},
            "bytes": data, "text": text}


def cases():
    for magnitude in MAGNITUDES:
        for dtype in FLOATS + COMPLEX:
            if "huge" in magnitude and "16" in dtype:
                continue
            shape = random.choice(SHAPES)
            yield case(dtype, shape, magnitude, names_for(shape) if random.random() < 0.4 else None)
        yield case("float32", (), magnitude)
        yield case("complex64", (3,), magnitude)
        yield case("float32", (6, 5), magnitude)
    for dtype in INTEGERS + ["bool"] + FLOATS + COMPLEX:
        for shape in random.sample(SHAPES, 4) + random.sample(EMPTY, 2) + random.sample(LARGE, 1):
            yield case(dtype, shape, "normal", names_for(shape) if random.random() < 0.5 else None)
    for shape in LARGE:
        yield case("float32", shape, "spread", names_for(shape))
    for options in OPTIONS:
        for dtype in ("float32", "int64", "complex64", "bool"):
            magnitude = random.choice(["normal", "spread", "whole", "special"])
            shape = random.choice(SHAPES)
            yield case(dtype, shape, magnitude, names_for(shape), options)
        yield case("float64", (6, 2, 9), random.choice(list(MAGNITUDES)), None, options)
    for columns in range(60, 81): # the breaks before suffixes, column by column
        yield case("int16", (8,), names=["N"], options={"linewidth": columns})
    yield case("float64", (1,) * 12, "unit")
    yield case("float32", (1,) * 64, "whole")


def main():
    warnings.simplefilter("ignore")
    assert torch.__version__.startswith("1.13"), torch.__version__
    random.seed(SEED)
    path = Path(__file__).parent / "repr.jsonl.gz"
    lines = [json.dumps(one) for one in cases()]
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
        file.write("".join(line + "\n" for line in lines).encode())
    print(f"{path.name}: {len(lines)} cases, {path.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
