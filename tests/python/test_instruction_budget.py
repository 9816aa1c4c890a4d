"""Small calls take no more instructions than bench/budget.json allows; counts repeat, times do not.

`.venv/bin/python bench/bench_count.py --write` makes what is counted now the budget.
"""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import bench_count  # noqa: E402


def test_small_calls_stay_within_their_budget():
    reason = bench_count.why_not()
    if reason:
        pytest.skip(reason)
    budget = json.loads(bench_count.BUDGET.read_text())
    here = bench_count.made_with()
    if here != budget["made with"]:
        pytest.skip(f"the budget is for {budget['made with']}, this is {here}")
    found = bench_count.counted()
    for side in ("C", "Python"):
        assert found[side].keys() == budget[side].keys()
        over = {
            name: (n, budget[side][name])
            for name, n in found[side].items()
            if n > budget[side][name] * (1 + bench_count.MARGIN)
        }
        assert not over, f"{side}: counted, allowed"
