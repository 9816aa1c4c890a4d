"""docs/internals/trust.md says what tests/trust says, and the tool that writes it adds up right."""

import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def trust(tool):
    return tool("trust")


def test_the_page_is_what_the_tool_writes(root):
    made = subprocess.run([sys.executable, "tools/trust.py", "--check"], cwd=root)
    assert made.returncode == 0, "tools/trust.py writes docs/internals/trust.md anew"


def test_figures_are_added_up_and_a_failure_keeps_nothing(trust):
    kept = trust.run(r"printf 'figure: cases tried: 3\nfigure: cases tried: 4\nno figure: 1\n'")
    assert kept["figures"] == {"cases tried": 7}
    assert trust.run("echo 'figure: cases tried: 3'; false") is None


def test_what_needs_a_missing_peer_is_left_out(trust, monkeypatch):
    monkeypatch.delenv("NOMEN_BENCH_PYTHON", raising=False)
    assert trust.spelled("{torch} -c 'figure: a: 1'") is None
    monkeypatch.setenv("NOMEN_BENCH_PYTHON", "/bin/sh")
    assert trust.spelled("{torch} x") == "/bin/sh x"
