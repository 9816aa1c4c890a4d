"""What all the tests together called (measured.py): each row in each form, gradients, the page.

Runs after all others, and only if all others run.
"""

import coverage_page
import pytest
from measured import measured, table


@pytest.fixture(scope="module")
def known(request):
    if request.session.testsfailed:
        pytest.skip("other tests failed: what they call does not count")
    assert (
        measured.watch and measured.callables
    ), "the watch is missing: tools/setup.sh tests builds it"
    return coverage_page.facts(measured.calls)


def test_each_row_in_each_form(known):
    missing = []
    for row in table():
        python, c = coverage_page.forms_of(row)
        fact = known[row["name"]]
        missing += [
            f"{row['name']}: {form} in Python" for form in python if form not in fact["Python"]
        ]
        missing += [f"{row['name']}: {form} in C" for form in c if form not in fact["C"]]
    assert not missing, "called by no test that passed: " + ", ".join(missing)


def test_each_row_with_names(known):
    missing = [name for name, fact in known.items() if fact["names"] != "yes"]
    assert not missing, f"called by no test with names: {missing}"


def test_each_gradient(known):
    missing = [row["name"] for row in table() if row["differentiable"]]
    missing = [name for name in missing if not known[name]["gradient"]]
    assert not missing, f"a gradient that no test compares with differences: {missing}"


def test_the_page(known, request):
    if request.config.option.write_coverage:
        coverage_page.PATH.write_text(coverage_page.page(known))
    stated = coverage_page.read(coverage_page.PATH.read_text())
    found = list(coverage_page.differences(stated, known))
    assert not found, "`make coverage` writes the page anew; it differs:\n" + "\n".join(found[:40])


def test_a_difference_is_seen(known):
    name = "add"
    for what, other in (
        ("dtypes", "bool"),
        ("Python", ["method"]),
        ("C", []),
        ("gradient", ""),
        ("files", {"test_nothing.py"}),
    ):
        stated = {**known, name: {**known[name], what: other}}
        assert any(d.startswith(f"{name}: ") for d in coverage_page.differences(stated, known))
    fewer = {key: fact for key, fact in known.items() if key != name}
    assert list(coverage_page.differences(fewer, known))
    assert list(coverage_page.differences(known, fewer))
