"""Every function that PyTorch's reference listed for named tensors is there, under its name."""

import csv
from pathlib import Path

import pytest

import nomen

APIS = [row["api"] for row in csv.DictReader(Path("tests/golden/coverage.csv").open())]


@pytest.mark.parametrize("api", APIS)
def test_it_is_there(api):
    owner, name = api.split(".", 1)
    thing = {"Tensor": nomen.Tensor, "torch": nomen}[owner]
    for part in name.split("(")[0].split("."):
        thing = getattr(thing, part)


def test_the_list_is_whole():
    assert len(APIS) == len(set(APIS)) == 308
