"""Each operation says all that one wants to know of it: in Python, in the C header, on the page."""

import inspect
import json
import re
from pathlib import Path

import pytest

import nomen

ROWS = json.loads(Path("tests/ops.gen.json").read_text())["ops"]
SECTIONS = ("Names", "Shapes", "Dtypes", "Gradient", "Errors", "Example")
ANGLES = "sin cos tan asin acos atan atan2 angle polar deg2rad rad2deg".split()
HEADER = Path("include/nomen/ops.gen.h").read_text()


def callables():
    """(row, where it is found, name) of each callable that is made of a row."""
    for row in ROWS:
        for name in (row["name"], *row["aliases"]):
            for owner in (nomen, nomen.Tensor):
                for called in {name, name.removesuffix("_") + "_"}:
                    thing = vars(owner).get(called)
                    if type(thing) in (type(nomen.add), type(nomen.Tensor.add)):
                        yield row, owner, called


CALLABLES = [pytest.param(*c, id=f"{c[1].__name__}.{c[2]}") for c in callables()]


def lacks(text):
    """Which sections are missing, empty, or say nothing."""
    for section in SECTIONS:
        begin = ":\n *" if section == "Example" else ": "
        found = re.search(rf"^{section}{begin}(\S.*)$", text, re.M)
        if not found or re.fullmatch(r"(see above.*|any\.?)", found[1].strip(". ")):
            yield section


@pytest.mark.parametrize("row, owner, name", CALLABLES)
def test_docstring(row, owner, name):
    text = inspect.getdoc(getattr(owner, name))
    first, empty, says, *_ = text.splitlines()
    prefix = "Tensor." if owner is nomen.Tensor else ""
    assert not empty and len(says) > 5
    given = str(inspect.signature(getattr(owner, name)))[1:-1]
    given = given.replace(", /", "").removeprefix("/, ")
    given = re.sub(r"^self(, |$)", "", given) if prefix else given
    assert first == f"{prefix}{name}({given})"
    assert not list(lacks(text))
    if row["name"] in ANGLES:
        assert "radians" in says


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_header_and_page(row):
    symbol = row["name"] + "in_place" * row["name"].endswith("_")
    comment = HEADER.split(f"typedef struct nomen_{symbol}_args")[0].rsplit("/*", 1)[1]
    text = "\n".join(line.removeprefix(" * ").removeprefix(" *") for line in comment.split("\n"))
    assert not list(lacks(text))
    page = Path("docs/operations.gen.md").read_text()
    part = page.split(f"\n## {row['name']}\n")[1].split("\n## ")[0]
    assert not list(lacks(part)) and f"`{row['name']}(" in part


def test_what_is_missing_is_seen():
    whole = "".join(f"{section}: something.\n" for section in SECTIONS[:-1])
    whole += "Example:\n    >>> 1\n"
    assert not list(lacks(whole))
    for section in SECTIONS:
        assert list(lacks(whole.replace(section, "Other"))) == [section]
    for said in ("", " ", " see above.", " any."):
        assert list(lacks(whole.replace("Dtypes: something.", "Dtypes:" + said))) == ["Dtypes"]
