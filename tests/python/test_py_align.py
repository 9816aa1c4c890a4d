"""align_tensors through real tensors against the recorded answers, and what else it promises."""

import gzip
import json
from pathlib import Path

import pytest

import nomen

RECORDED = Path("tests/golden/align_tensors.jsonl.gz")


def made(names):
    return nomen.ones([1] * len(names)).rename(*names) if names else nomen.ones(())


def test_recorded_answers():
    wrong = []
    lines = gzip.open(RECORDED, "rt").read().splitlines()
    for line in lines:
        operands, (kind, *answer) = json.loads(line)
        try:
            results = nomen.align_tensors(*[made(names) for names in operands])
            got = ["ok", [list(t.names) for t in results], [list(t.shape) for t in results]]
        except RuntimeError as error:
            got = ["err", "RuntimeError", str(error)]
        if got != [kind, *answer]:
            wrong.append((operands, got, answer))
    assert len(lines) > 2000 and not wrong, wrong[:3]


def test_views_with_gradients():
    scale = nomen.ones(3, names=("C",), requires_grad=True)
    x = nomen.arange(24.0).reshape(2, 3, 4).refine_names("N", "C", "W")
    a, b = nomen.align_tensors(scale, x)
    assert a.shape == (1, 3, 1) and a.names == b.names == ("N", "C", "W")
    assert b.data_ptr() == x.data_ptr()
    (a * b).sum().backward()
    assert scale.grad.names == ("C",) and scale.grad.tolist() == [60, 92, 124]
    assert nomen.align_tensors([scale, x])[0].shape == (1, 3, 1)
    with pytest.raises(TypeError):
        nomen.align_tensors(scale, 1)


def test_threshold():
    nan = float("nan")
    x = nomen.tensor([-1.0, 0.5, 2.0, nan], names=("N",), requires_grad=True)
    y = nomen.threshold(x, 0.5, -9)
    assert y.names == ("N",) and y.tolist()[:3] == [-9, -9, 2] and y[3].isnan()
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 1]
    i = nomen.tensor([1, 2, 3])
    assert nomen.threshold(i, 1, 7).tolist() == [7, 2, 3] and i.dtype == nomen.int64
