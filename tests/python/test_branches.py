"""tools/branches.py: what it counts, what it excuses, and what its page says."""

import pytest


@pytest.fixture(scope="module")
def branches(tool):
    return tool("branches")


def line(function, number, times, *ways):
    branches = [{"count": way, "fallthrough": False, "throw": False} for way in ways]
    return dict(function_name=function, line_number=number, count=times, branches=branches)


def test_a_function_of_a_header_counts_once(branches):
    known = {}
    branches.add(known, [line("f", 3, 2, 2, 0), line("g", 3, 0, 0, 0), line("g", 4, 0)])
    branches.add(known, [line("f", 3, 1, 0, 1)])
    assert known[("f", 3)] == [3, [2, 1]]
    assert branches.totals(known) == (2, 1, 4, 2)


def test_what_was_not_taken_is_on_the_page_with_its_reason(branches, root):
    path = "src/core/names.c"
    text = (root / path).read_text().splitlines()
    first = next(i for i, words in enumerate(text, 1) if words.strip().startswith("if ("))
    second = next(i for i, words in enumerate(text, 1) if i > first and "if (" in words)
    files = {path: {}}
    branches.add(files[path], [line("f", first, 1, 1, 0), line("g", second, 4, 2, 2)])
    assert branches.missed(path, files[path]) == [("f", first, text[first - 1].strip(), 1, 2)]
    bare = branches.page(files, [])
    assert "Without a reason\n\n- `src/core/names.c`, f, 1 of 2: `` if (" in bare
    assert branches.stated(bare) == 75.0
    page = branches.page(files, [("src/core/*", text[first - 1].strip(), "because of the moon")])
    assert "### because of the moon\n\n- `src/core/names.c`, f, 1 of 2" in page
    assert "### Without a reason\n\nNone." in page and branches.stated(page) == 75.0


def test_percentages_are_not_rounded_up(branches):
    assert branches.percent(9999, 10000) == "99.9" and branches.percent(0, 0) == "–"


def test_each_excuse_fits_a_line(branches):
    known = branches.excuses()
    gone = list(branches.unused(known))
    assert not gone, "tools/branches.py --prune takes these out of tests/coverage/excused.tsv"
    assert list(branches.unused([("src/core/names.c", "no such line", "why")]))
    assert list(branches.unused([("src/core/nothing.c", "if (", "why")]))


def test_the_page_says_enough(branches):
    text = branches.PAGE.read_text()
    assert branches.stated(text) >= branches.LEAST
    assert text.endswith("### Without a reason\n\nNone.\n"), "reasons go to excused.tsv"
