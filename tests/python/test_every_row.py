"""Every row of the table, in every form, with every dtype: from Python and from C.

All forms agree with each other to the bit, the C interface with the Python module; what one dtype
is refused for is refused by all forms with the same words, and nothing was written before.
"""

import pytest
from c_interface import Interface, contents
from measured import measured
from row_calls import DTYPES, ROWS, arguments

import nomen

FILE = "tests/python/test_every_row.py"
WORDS = {"f": "function", "m": "method", "i": "in place", "o": "out="}
# An in-place form may refuse what the function gives: another dtype, other sizes, a sum in bools.
OWN_REFUSALS = ("result type", "output with shape", "value cannot be converted", '"cum')
# In place these do something else: draw with the probability of a number, into any dtype.
APART = {"bernoulli"}


@pytest.fixture(scope="module")
def interface():
    return Interface()


def bare(row, results):
    """What empty memory holds is nobody's affair."""
    return [r[:3] for r in results] if row["name"].startswith("empty") else results


def parts(row, result):
    if isinstance(result, bool):
        return result
    return bare(row, [contents(t) for t in (result if isinstance(result, tuple) else (result,))])


def fresh(given):
    """The same arguments in memory of their own."""
    copied = {}
    for name, value in given.items():
        if isinstance(value, list) and value and isinstance(value[0], nomen.Tensor):
            value = [t.clone() for t in value]
        elif isinstance(value, nomen.Tensor):
            value = value.clone()
        copied[name] = value
    return copied


def spread(row, given):
    """Positional arguments as far as they go without a gap, the rest by keyword."""
    positional, given = [], dict(given)
    for arg in row["args"]:
        if arg["keyword"] or arg["name"] not in given:
            break
        value = given.pop(arg["name"])
        positional += value if arg.get("variadic") else [value]
    return positional, given


def python(row, form, given, out=None):
    name = row["name"]
    args, keywords = spread(row, fresh(given))
    operands = [t for t in (*args, *keywords.values()) if isinstance(t, nomen.Tensor)]
    before = [contents(t) for t in operands]
    if out is not None:
        keywords["out"] = out
    owner = nomen if form == "function" else args.pop(0)
    function = getattr(owner, name.removesuffix("_") + "_" if form == "in place" else name)
    nomen.manual_seed(5)
    try:
        result = function(*args, **keywords)
    except RuntimeError as error:
        assert [contents(t) for t in operands] == before
        return "error", str(error)
    if form == "in place":
        assert result is owner
    if out is not None and not isinstance(out, tuple):
        assert result is out
    return "ok", parts(row, result)


def c_side(interface, row, form, given, out=None):
    interface.c.nomen_manual_seed(5)
    told, results = interface.call(row["name"], given, form, out)
    return told, bare(row, results) if isinstance(results, list) else results


def cast(answer, dtype):
    """The answer as it is when it was written into a tensor of that dtype."""
    old, shape, names, raw = answer[1][0]
    if old == dtype:
        return answer
    flat = nomen.frombuffer(bytearray(raw), dtype=getattr(nomen, old)).reshape(shape)
    return "ok", [contents(flat.to(getattr(nomen, dtype)).rename(*names))]


def empty_like(result):
    return nomen.empty(0, dtype=getattr(nomen, result[0]))


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_form_and_dtype(interface, name):
    row = ROWS[name]
    forms = [WORDS[f] for f in row["forms"] if f != "o"]
    accepted = set()
    for dtype in DTYPES:
        given = arguments(name, dtype)
        answers = {form: python(row, form, given) for form in forms}
        in_c = "in place" if name.endswith("_") else "function"
        answers["C"] = first = c_side(interface, row, in_c, given)
        if first[0] == "ok":
            accepted.add(dtype)
            measured.add(name, "C", in_c, dtype, True, FILE)
        if "i" in row["forms"] and in_c == "function":
            in_place = answers["C in place"] = c_side(interface, row, "in place", given)
            if in_place[0] == "ok":
                measured.add(name, "C", "in place", dtype, True, FILE)
        for form, answer in answers.items():
            expected = first
            if "in place" in form and first[0] == "ok":
                if answer[0] == "error" and answer[1].startswith(OWN_REFUSALS):
                    continue
                expected = cast(first, dtype)
            if name not in APART or "in place" not in form:
                assert answer == expected, (dtype, form)
    if name in APART:
        assert answers["in place"][0] == answers["C in place"][0] == "ok"
    assert accepted


OUT = sorted(name for name in ROWS if "o" in ROWS[name]["forms"])


@pytest.mark.parametrize("name", OUT)
def test_out(interface, name):
    """A tensor of no elements takes what the function gives; of two results, two tensors do."""
    row = ROWS[name]
    accepted = 0
    for dtype in DTYPES:
        given = arguments(name, dtype)
        given.pop("dtype", None)
        expected = python(row, "function", given)
        if expected[0] == "error":
            continue
        accepted += 1
        outs = tuple(map(empty_like, expected[1]))
        assert python(row, "function", given, outs if len(outs) > 1 else outs[0]) == expected
        first = c_side(interface, row, "function", given, empty_like(expected[1][0]))
        assert first[0] == "ok" and first[1][0] == expected[1][0]
        measured.add(name, "C", "out=", dtype, True, FILE)
    assert accepted
