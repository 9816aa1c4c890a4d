"""nomen_infer, which has names alone, and the operations themselves say the same of every row of
the table: names of results, errors. tests/names/compare_calls.py does it at length."""

import random
from collections import Counter

import pytest
from row_calls import ROWS

from names import compare_calls
from names.compare_calls import COMPARED, Compared, difference, text_of

EACH = 45  # calls of each row


@pytest.fixture(scope="module")
def compared():
    return Compared()


def test_nomen_infer_says_what_calls_do(compared):
    """Each row gives results often enough, each outcome is there, and none differs."""
    chance, outcomes, wrong = random.Random(8), Counter(), []
    for name in COMPARED:
        calls, results = compared.calls_of(name), 0
        for _ in range(EACH):
            what, case = compared.once(calls, chance)
            called = case[4]
            results += isinstance(called, list)
            outcomes["result" if isinstance(called, list) else called[0]] += 1
            if what:
                wrong.append(text_of(what, case))
        assert results, name
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:5])
    assert min(outcomes[kind] for kind in ("result", "name", "index", "shape")) > len(ROWS) // 3


def test_a_difference_would_be_seen(compared, monkeypatch):
    """Of a nomen_infer that loses a name, or forgets that a dim must be there."""
    ask = compared.library.ask

    def wrong_of(name, other):
        monkeypatch.setattr(compared.library, "ask", other)
        chance, calls = random.Random(8), compared.calls_of(name)
        return {compared.once(calls, chance)[0] for _ in range(EACH)} - {None}

    def loses(op, lists, **fields):
        said = ask(op, lists, **fields)
        return said.replace("C", "*") if isinstance(said, str) else said

    def forgets(op, lists, **fields):
        return ask(op, lists, **{k: v for k, v in fields.items() if k != "dim"})

    assert "other names" in wrong_of("add", loses)
    assert "refused by the call alone" in wrong_of("cumsum", forgets)
    assert "refused by nomen_infer alone" in wrong_of("select", forgets)


def test_errors_are_one_mistake_told_once():
    sizes = ("shape", "Sizes of tensors must match: got [2] and [3]", "")
    ranks = ("shape", "the ranks differ", "")
    name = ("name", "Name 'A' not found in Tensor['N'].", "")
    assert difference(sizes, ranks) is None
    assert difference(ranks, sizes) == "another error"
    assert difference(name, ranks) == "another error"
    assert difference(ranks, name) is None
    assert compare_calls.about_names(name) and not compare_calls.about_names(ranks)
