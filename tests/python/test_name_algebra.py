"""The name rules against a model of them that was written from the reference (tests/names), a slice
of all small inputs here, and the laws that names obey.

tests/names/compare_infer.py asks all of them, compare_tensors.py asks tensors.
"""

import itertools
import random

import pytest
from golden_cases import cases as golden
from test_golden_infer import CALLS, compare as differs

from names import compare_infer, compare_tensors, model, questions
from names.answer import ROWS, answer
from names.library import Library
from names.model import Refused

FAMILIES = list(questions.families())
EACH = 400  # questions of each family


def outcome(function, *args):
    try:
        return function(*args)
    except Refused as refused:
        return refused


def said(result):
    return result.text if isinstance(result, Refused) else result


# ---- the model is right --------------------------------------------------------------------------


def as_tuples(value):
    if isinstance(value, list):
        return tuple(map(as_tuples, value))
    return ... if value == "..." else value


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_model_gives_the_recorded_answers(name):
    """What PyTorch 1.13.1 did, but for the differences that are meant."""
    kinds = {"name": -1, "shape": -2, "index": -4}
    wrong = []
    for key, recorded in golden(name):
        op, lists, fields = CALLS[name](*key)
        fields = {k: as_tuples(v) for k, v in fields.items()}
        if "out_dim" in fields:
            fields["out_dim"] = fields["out_dim"][0] or "*"
        try:
            results = answer(op, as_tuples(lists), **fields)
            got = "ok", [list(names) for names in results]
        except Refused as refused:
            got = "err", kinds[refused.kind], refused.text
        problem = differs(recorded, got)
        if problem:
            wrong.append(f"{key}: {problem}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:10])


# ---- nomen does what the model says --------------------------------------------------------------


def test_nomen_infer_is_the_model(record_property):
    counted, wrong = compare_infer.compare(EACH)
    record_property("questions about names, a slice in make test", sum(counted.values()))
    assert not wrong, f"{len(wrong)}\n" + "\n".join(map(str, wrong[:5]))


def test_a_difference_would_be_seen(monkeypatch):
    """A model with a mistake in it is found out."""
    right = model.unify
    monkeypatch.setattr(model, "unify", lambda a, b, action="broadcast": right(b, a, action))
    assert compare_infer.compare(EACH, families=[f for f in FAMILIES if f.op == "add"])[1]


def test_every_rule_of_the_table_is_asked():
    assert {row["rule"] for row in ROWS.values()} <= {f.rule for f in FAMILIES}


# ---- laws, of nomen's own answers ----------------------------------------------------------------


@pytest.fixture(scope="module")
def library():
    return Library()


def unify_of(library):
    def unify(*lists):
        got = library.ask("where" if len(lists) == 3 else "add", lists)
        return Refused(*got) if isinstance(got, tuple) else names(got)

    return unify


def names(text):
    return tuple(None if name == "*" else name for name in text.split())


def fine(result):
    return not isinstance(result, Refused)


def test_no_name_comes_twice(library):
    chance, asked = random.Random(2), 0
    for family in FAMILIES:
        for lists, fields in questions.some(family, EACH, chance):
            got = library.ask(family.op, lists, **fields)
            if isinstance(got, str):
                for result in got.split(";"):
                    given = [name for name in result.split() if name != "*"]
                    assert len(given) == len(set(given)), (family.op, lists, fields)
                asked += 1
    assert asked > len(FAMILIES)


def test_unify_is_commutative(library):
    unify = unify_of(library)
    for a, b in itertools.product(questions.L4, repeat=2):
        one, other = unify(a, b), unify(b, a)
        assert fine(one) == fine(other), (a, b)
        assert one == other or not fine(one)


def test_unify_has_a_neutral_element_and_is_idempotent(library):
    unify = unify_of(library)
    for a in questions.L4:
        assert unify(a, ()) == unify((), a) == unify(a, a) == a
        unnamed = (None,) * len(a)
        assert unify(a, unnamed) == unify(unnamed, a) == a


def test_unify_is_associative(library):
    """If one way fails the other one does, too."""
    unify = unify_of(library)
    pairs = {(a, b): unify(a, b) for a, b in itertools.product(questions.L3, repeat=2)}
    fit = 0
    for a, b, c in itertools.product(questions.L3, repeat=3):
        left, right = pairs[a, b], pairs[b, c]
        left = pairs[left, c] if fine(left) else left
        right = pairs[a, right] if fine(right) else right
        assert fine(left) == fine(right), (a, b, c)
        assert left == right or not fine(left), (a, b, c)
        fit += fine(left)
    assert fit


def test_a_fold_is_unify_step_by_step(library):
    unify = unify_of(library)
    pairs = {(a, b): unify(a, b) for a, b in itertools.product(questions.L3, repeat=2)}
    for a, b, c in itertools.product(questions.L2, questions.L3, questions.L2):
        first = pairs[a, b]
        assert said(unify(a, b, c)) == said(pairs[first, c] if fine(first) else first)


def test_unify_only_adds_names(library):
    """Each operand, laid at the right end, has the name of the result or none."""
    unify = unify_of(library)
    for a, b in itertools.product(questions.L4, repeat=2):
        result = unify(a, b)
        if fine(result):
            assert len(result) == max(len(a), len(b))
            for own in (a, b):
                tail = result[len(result) - len(own) :]
                assert all(x in (None, y) for x, y in zip(own, tail))


def test_rename_and_refine_say_what_they_were_told(library):
    for own, want in itertools.product(questions.L4, repeat=2):
        if len(own) != len(want):
            continue
        once = names(library.ask("rename", [own], names=want))
        assert once == want == names(library.ask("rename", [once], names=want))
        refined = library.ask("refine_names", [own], names=want)
        if isinstance(refined, str):
            assert names(library.ask("refine_names", [names(refined)], names=want)) == want


def test_align_to_has_an_inverse(library):
    """Where no dim is new."""
    turned = 0
    for own, want in itertools.product(questions.L4, repeat=2):
        there = library.ask("align_to", [own], names=want)
        if isinstance(there, str) and len(own) == len(want):
            assert names(library.ask("align_to", [names(there)], names=own)) == own
            turned += 1
    assert turned > 10


def test_transpose_is_its_own_inverse(library):
    for own in questions.L4:
        for i, j in itertools.product(range(len(own)), repeat=2):
            there = names(library.ask("transpose", [own], dim=(i, j)))
            assert names(library.ask("transpose", [there], dim=(i, j))) == own


def test_sizes_play_no_part():
    """A question to nomen_infer has sizes for squeeze and out= only; operations have them all."""
    counted, wrong = compare_tensors.compare(25)
    assert sum(counted.values()) > 500
    assert not wrong, "\n".join(map(str, wrong[:5]))
