"""Sizes that nobody can mean, sizes that are no sizes, and too little memory: errors, and the next
call works. tools/hostile.py does it for every row; here are the cases that have a name."""

import math
import os
import pathlib
import subprocess
import sys

import pytest

import nomen

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "hostile.py"
TOO_LARGE = (RuntimeError, MemoryError)


def run_tool(*options):
    run = subprocess.run(
        [sys.executable, str(TOOL), *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    return {
        line.rpartition(": ")[0]: int(line.rpartition(": ")[2])
        for line in run.stdout.splitlines()
        if line.startswith("figure: ")
    }


def test_every_row_with_hostile_sizes():
    counts = list(run_tool("--sizes").values())
    assert counts[0] > 5000 and counts[1] > 2000


def test_every_row_with_too_little_memory():
    assert list(run_tool("--starved").values())[0] > 100


def test_the_checks_of_large_tensors_hold_for_small_ones():
    """What --large does with 3 GiB; there only the sizes are others."""
    figures = run_tool("--large", "--elements", "300001")
    assert list(figures.values()) == [300001, 8]


@pytest.mark.parametrize(
    "sizes",
    [(2**32, 2**32), (2**62, 4), (2**63 - 1,), (2**31, 2**31, 2**31), (0, 2**62, 2**62), (2**61,)],
)
@pytest.mark.parametrize("dtype", ["uint8", "float64", "complex128"])
def test_products_that_overflow(sizes, dtype):
    for make in (nomen.zeros, nomen.empty, nomen.ones):
        if math.prod(s or 1 for s in sizes) < 2**47:
            continue
        with pytest.raises(TOO_LARGE, match="too large|allocate"):
            make(sizes, dtype=getattr(nomen, dtype))
    with pytest.raises(TOO_LARGE):
        nomen.ones(1).expand(2**33, 2**33)
    assert nomen.ones(2).sum().item() == 2


def test_the_largest_rank():
    x = nomen.ones([1] * 64)
    assert x.dim() == 64 and x.sum().item() == 1 and (x + x).dim() == 64
    assert nomen.zeros([1] * 63 + [0]).sum().item() == 0
    for call in (
        lambda: nomen.ones([1] * 65),
        lambda: x.unsqueeze(0),
        lambda: nomen.stack([x, x]),
        lambda: x.reshape([1] * 65),
        lambda: x.expand([1] * 65),
        lambda: x.unfold(0, 1, 1),
        lambda: x.unflatten(0, [1, 1]),
        lambda: x[None],
        lambda: nomen.ones(2).as_strided([1] * 65, [1] * 65),
    ):
        with pytest.raises(RuntimeError, match="64"):
            call()


def test_no_elements_of_endless_sizes():
    x = nomen.empty(0, 2**40)
    assert x.numel() == 0 and x.t().shape == (2**40, 0) and x.sum().item() == 0
    assert (x + 1).shape == x.shape and x.clone().shape == x.shape
    # one round of nothing for each of the first dim would take for ever
    y = nomen.empty(2**40, 0)
    assert nomen.cat([y, y], 1).shape == (2**40, 0) and nomen.hstack([y, y]).shape == (2**40, 0)
    assert nomen.stack([y, y], 1).shape == (2**40, 2, 0)
    with pytest.raises(TOO_LARGE):
        y.sum(1)


def test_strides_that_lead_nowhere():
    x = nomen.ones(4)
    for size, stride in (((2,), (2**62,)), ((3,), (2**62,)), ((2, 2), (2**62, 2**62))):
        with pytest.raises(RuntimeError):
            x.as_strided(size, stride)
    with pytest.raises(RuntimeError):
        x.as_strided((2,), (-1,))
    for offset in (4, 2**62, -1, 2**63 - 1):
        with pytest.raises(RuntimeError):
            x.as_strided((1,), (1,), offset)
    assert x.as_strided((1,), (2**62,)).tolist() == [1]


@pytest.mark.parametrize("size", [math.nan, math.inf, -math.inf, 1e300, 2.0, "3", None, 2j, [2]])
def test_what_is_no_size(size):
    x = nomen.ones(6)
    for call in (nomen.zeros, x.reshape, x.repeat, nomen.ones(1).expand, nomen.randn):
        with pytest.raises((TypeError, RuntimeError, ValueError)):
            call((size,))
    with pytest.raises((TypeError, RuntimeError, ValueError)):
        x.narrow(0, 0, size)


def test_numbers_that_no_integer_holds():
    x = nomen.ones(6)
    for huge in (2**63, 2**64, -(2**64), 10**30):
        for call in (
            lambda: nomen.zeros(huge),
            lambda: x.reshape(huge),
            lambda: x.narrow(0, huge, 1),
            lambda: x[huge],
            lambda: x.sum(huge),
            lambda: x.roll(huge),
            lambda: x.roll([1, huge], [0, 0]),
        ):
            with pytest.raises((RuntimeError, IndexError, OverflowError, TypeError)):
                call()
    for bad in (-1, -(2**31), -(2**63)):
        with pytest.raises(RuntimeError):
            nomen.zeros(bad)
        with pytest.raises((RuntimeError, IndexError)):
            x.narrow(0, 0, bad)
