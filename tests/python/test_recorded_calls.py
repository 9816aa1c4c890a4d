"""Calls drawn by chance in which nomen and PyTorch agreed (golden/calls.jsonl.gz), made again.

tools/differential.py --record wrote them; no oracle is needed here. What is compared: names, sizes,
dtype, values (bits, or ULP where functions may differ between instruction sets), the class and the
first words of errors, and that a failed call left its operands as they were.
"""

import pathlib
import sys
from collections import defaultdict

import pytest

pytest.importorskip("numpy")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/differ"))

import differ_cases  # noqa: E402
import differ_record  # noqa: E402
from differ_worker import Session  # noqa: E402

CALLS = defaultdict(list)
for call, kept in differ_record.read(ROOT / "tests/golden/calls.jsonl.gz"):
    CALLS[call["row"]].append((call, kept))


def differences(session, calls):
    found = []
    for call, kept in calls:
        told, after = session.run(call, differ_cases.data_of(call))
        said = differ_record.difference(told, kept, call, differ_record.allowed(call))
        if not said and told[0] == "error" and any(after):
            said = "the failed call changed an operand"
        if said:
            found.append(f"{said}\n    {call}")
    return found


@pytest.mark.parametrize("row", sorted(CALLS))
def test_recorded_calls(row):
    found = differences(Session("nomen"), CALLS[row])
    assert not found, f"{len(found)} of {len(CALLS[row])} differ, first: {found[0]}"


def test_a_difference_is_seen():
    """Of a value, a name, a size and an error, each changed in the record."""
    session = Session("nomen")
    call, kept = next(
        pair for pair in CALLS["neg"] if pair[1][0] == "t" and pair[1][1] == "float32"
    )
    assert not differences(session, [(call, kept)])
    for at, other in ((1, "float64"), (2, [99]), (3, ["Q"]), (5, "x" + kept[5])):
        changed = list(kept)
        changed[at] = other
        assert differences(session, [(call, changed)])
    assert differences(session, [(call, ["e", "RuntimeError", []])])
