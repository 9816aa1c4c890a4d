"""The tool that puts mistakes into the name rules works: it finds those that tests notice, reports
what nothing notices, and knows an entry of its list that fits nothing. All mutants: make mutants.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/mutants"))

import mutants_of  # noqa: E402

RULES = """
static int both(int a, int b) {
    if (a > 0 && b > 0) return a + b;
    for (int i = 0; i < a; i++) b += i;
    return least(a, b) ? 1 : b;
}

static void nothing(char *text) { text[0] = 'x'; }

static const int table[] = {1, 2};
"""


def test_mistakes_of_every_kind():
    found = mutants_of.mutants_of("rules.c", RULES)
    changes = {mutant.new for mutant in found if mutant.function == "both"}
    for line in (
        "if (a >= 0 && b > 0) return a + b;",  # a bound
        "if (a > 0 || b > 0) return a + b;",
        "if (!(a > 0 && b > 0)) return a + b;",
        "if (0 && (a > 0 && b > 0)) return a + b;",  # a check that is gone
        "if (a > 1 && b > 0) return a + b;",  # a constant
        "if (b > 0 && b > 0) return a + b;",  # the other variable
        "if (a > 0 && b > 0) return a - b;",
        "for (int i = 0; i < a; i++) ;",  # a statement that is gone
        "return least(b, a) ? 1 : b;",  # arguments
        "return !(least(a, b)) ? 1 : b;",
    ):
        assert line in changes, line
    assert {mutant.new for mutant in found if mutant.function == "nothing"} >= {
        "{ text[0] = '~'; }",
        "{ ; }",
    }
    assert {mutant.function for mutant in found} == {"both", "nothing"}
    assert all(mutant.old != mutant.new for mutant in found)


def mutate(*arguments):
    command = [sys.executable, str(ROOT / "tools/mutate.py"), "--each", "60", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=ROOT)


def test_mutants_are_noticed_and_survivors_told(tmp_path):
    if not (ROOT / "build/release/libnomen.a").exists():
        pytest.fail("the release build is missing")
    done = mutate("--some", "60", "src/op/infer_unify.c", "--folder", str(tmp_path))
    noticed = int(done.stdout.split("figure: mutants that a test noticed: ")[1].split()[0])
    assert noticed > 20, done.stdout + done.stderr


def test_a_mistake_that_nothing_notices_is_told(tmp_path):
    """A file whose functions nobody calls with those arguments."""
    text = (ROOT / "src/op/infer_unify.c").read_text()
    head = "int nomen__nobody_asks(int a, int b)"
    extra = f"\n{head};\n{head} {{ return a < b; }}\n"
    file = tmp_path / "infer_unify.c"
    file.write_text(text + extra)
    done = mutate(
        "--some",
        "100000",
        "--only",
        "nomen__nobody_asks",
        str(file),
        "--folder",
        str(tmp_path / "f"),
    )
    assert done.returncode == 1 and "+ { return a <= b; }" in done.stdout, done.stdout + done.stderr
