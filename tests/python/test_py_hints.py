"""What an error advises beside its message: the right advice, and advice that works."""

import pytest

import nomen


def notes(call):
    with pytest.raises((RuntimeError, IndexError)) as caught:
        call()
    return caught.value.__notes__


def hint(call):
    found = [n for n in notes(call) if n.startswith("hint: ")]
    assert len(found) == 1
    return found[0][len("hint: ") :]


X = nomen.ones(2, 3, names=("N", "C"))
Z = nomen.ones(2, 3, names=("batch", "channel"))


@pytest.mark.parametrize(
    "asked, meant",
    [("chanel", "channel"), ("cahnnel", "channel"), ("Batch", "batch"), ("BATHC", "batch")],
)
def test_did_you_mean(asked, meant):
    for call in (
        lambda: Z.sum(asked),
        lambda: Z.rename(**{asked: "x"}),
        lambda: Z.transpose(asked, 0),
        lambda: Z.size(asked),
    ):
        assert hint(call) == f"did you mean '{meant}'?"


def test_no_guess_at_random():
    assert hint(lambda: X.sum("Q")) == "the dims are ['N', 'C']"
    assert hint(lambda: X.sum("c")) == "did you mean 'C'?"
    assert hint(lambda: nomen.ones(2).sum("N")).startswith("the tensor has no names")
    assert hint(lambda: Z.sum("b" * 200)) == "the dims are ['batch', 'channel']"


def test_align_as_is_advised_where_it_works():
    y = nomen.ones(3, 2, names=("C", "N"))
    assert "align_as" in hint(lambda: X + y)
    assert (X + y.align_as(X)).names == ("N", "C")
    row = nomen.ones(2, names=("N",))
    assert "adds those that are missing" in hint(lambda: X + row)
    assert (X + row.align_as(X)).names == ("N", "C")
    with pytest.raises(RuntimeError):
        X.rename("C", None).align_as(nomen.ones(3, names=("C",)))
    assert "align_as" not in hint(lambda: X.rename("C", None) + nomen.ones(3, names=("C",)))


def test_moving_is_advised_for_a_name_at_another_place():
    y = nomen.ones(5, 2, names=("time", "N"))
    assert "move 'N'" in hint(lambda: X + y)
    same_place = nomen.ones(2, 4, names=("N", "D"))
    assert "move" not in hint(lambda: X + same_place)


def test_rename_is_advised_for_other_names():
    assert "rename" in hint(lambda: X + Z)
    assert (X + Z.rename(batch="N", channel="C")).names == ("N", "C")


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda: X.align_to("C"), "'...'"),
        (lambda: X.sum(7), "2 dims: ['N', 'C']"),
        (lambda: X.sum((0, "N")), "give each once"),
        (lambda: nomen.ones(2, 3, names=("N", "N")), "another name"),
        (lambda: nomen.ones(2, 3, names=("N",)), "one name per dim"),
        (lambda: X.refine_names("A", "B"), "rename changes names"),
        (lambda: X.rename(None) + nomen.ones(5), "equal or 1"),
        (lambda: X @ X, "transpose"),
    ],
)
def test_advice(call, word):
    assert word in hint(call)
    assert any(n.startswith("in ") for n in notes(call))


def test_the_message_stays_as_it_is():
    with pytest.raises(RuntimeError) as caught:
        X.sum("Q")
    assert str(caught.value) == "Name 'Q' not found in Tensor['N', 'C']."
