"""The runner itself: nothing that a C test program does wrong is lost on its way to the end."""

import os
import shutil
import subprocess
import sys

import pytest

import collect_c

PROGRAM = """
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
static void good(void **state) { (void)state; assert_int_equal(1, 1); }
static void bad(void **state) { (void)state; assert_int_equal(1, 2); }
static void absent(void **state) { (void)state; skip(); }
static int again(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(absent), cmocka_unit_test(good)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(good), cmocka_unit_test(bad)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + again();
}
"""


BESIDE = """
import pytest
def beside(config, root, kind):
    if kind == "absent":
        pytest.skip("not here")
    assert kind != "broken"
    return kind, root == config.rootpath
@pytest.mark.parametrize("kind", ["good", "absent", "broken"])
def test_kinds(kind, beside):
    assert beside == (kind, True)
def test_no_other(request):
    assert "beside" not in request.fixturenames
"""


def script(folder, text):
    path = folder / "program"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def report(*cases):
    case = '<testcase name="{}" time="0.5">{}</testcase>'
    body = "".join(case.format(name, inner) for name, inner in cases)
    text = f"<testsuites><testsuite>{body}</testsuite></testsuites>"
    return f'cat >"$(dirname "$CMOCKA_XML_FILE")/g.xml" <<\'END\'\n{text}\nEND\n'


def test_results_are_read(tmp_path):
    failure = "<failure><![CDATA[1 != 2]]></failure>"
    text = report(("a", ""), ("b", failure), ("c", "<skipped/>")) + "exit 1\n"
    assert collect_c.run(script(tmp_path, text)) == (
        [("a", "passed", "", 0.5), ("b", "failed", "1 != 2", 0.5), ("c", "skipped", "", 0.5)],
        "",
    )


@pytest.mark.parametrize(
    "text, wrong",
    [
        (report(("a", "")) + "echo 'ERROR: LeakSanitizer'; exit 1", "exit status 1 with 0 failed"),
        (report(("a", "<failure>no</failure>")) + "exit 0", "exit status 0 with 1 failed"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        ("echo nothing", "no test ran"),
        ("echo '<testsuites>' >\"$CMOCKA_XML_FILE\"", "cannot be read"),
        ("sleep 5", "no end after"),
    ],
)
def test_what_goes_wrong_is_told(text, wrong, tmp_path):
    assert wrong in collect_c.run(script(tmp_path, text), time_limit=1)[1]


def test_a_program_that_is_not_built_is_told(tmp_path):
    assert "is not built" in collect_c.run(tmp_path / "program")[1]


def test_a_real_program_counts_in_the_closing_line(tmp_path, root):
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    source = tmp_path / "tests" / "c" / "test_sample.c"
    program = tmp_path / "build" / "release" / "tests" / "test_sample"
    for path in (source, program):
        path.parent.mkdir(parents=True)
    source.write_text(PROGRAM)
    (tmp_path / "tests" / "test_beside.py").write_text(BESIDE)
    subprocess.run(["gcc", str(source), "-lcmocka", "-o", str(program)], check=True)
    for name in ("beside.py", "conftest.py", "collect_c.py", "measured.py"):
        shutil.copy(root / "tests" / name, tmp_path / "tests" / name)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), str(tmp_path / "tests")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "4 passed, 2 failed, 2 skipped"
