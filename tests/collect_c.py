"""C test programs under pytest: each runs once, each of its tests becomes a result.

The programs use cmocka, which writes an XML file per group of tests. What cannot be read from it (a
crash, a sanitizer's report at exit, a missing program) becomes the result `program` of that file.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import beside
import pytest
from _pytest.reports import TestReport
from measured import measured

TIME_LIMIT_S = 900  # under a sanitizer, on a busy machine
# Programs of these builds run under another program, which finds what they do wrong and is slow.
WRAPPERS = {
    "memcheck": "valgrind -q --error-exitcode=99 --num-callers=25 --leak-check=full "
    "--show-leak-kinds=definite --errors-for-leak-kinds=definite",
}
SLOWER = 10
# Builds that say whether results are right take all cases, those that watch how they come about one
# in three or nine of the long lists (tests/measure/sample.h; conftest.py for those of pytest).
ALL_CASES = "release", "gcov", "fortified"
ONE_IN, ONE_IN_WRAPPED = 3, 9
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=0:second_deadlock_stack=1",
    "MSAN_OPTIONS": "allocator_may_return_null=1",
}


class CFile(pytest.File):
    def collect(self):
        for build in self.config.getoption("--builds").split(","):
            program = self.config.rootpath / "build" / build / "tests" / self.path.stem
            yield CProgram.from_parent(self, name=build, program=program)


class CProgram(pytest.Item):
    def __init__(self, *, program, **keywords):
        super().__init__(**keywords)
        self.program = program

    def run_beside(self):
        return run(self.program)

    def runtest(self):
        raise AssertionError("run_and_report runs these")

    def reportinfo(self):
        return self.path, 0, f"{self.path.stem} ({self.name})"


def sample_of(build):
    """What is added to the environment of the tests of a build."""
    if build in ALL_CASES:
        return {}
    return {"NOMEN_ONE_IN": str(ONE_IN_WRAPPED if build in WRAPPERS else ONE_IN)}


def run(program, time_limit=TIME_LIMIT_S):
    """-> [(test, outcome, text, seconds)], what is wrong with the program ('' if nothing)."""
    build = program.parent.parent.name
    if not program.exists():
        return [], f"{program} is not built: tools/setup.sh tests {build} builds it"
    library = program.parent.parent / "libnomen.a"
    if library.exists() and library.stat().st_mtime > program.stat().st_mtime:
        return [], f"{program} is older than the library: tools/setup.sh tests {build} builds it"
    wrapper = WRAPPERS.get(build, "").split()
    if wrapper:
        time_limit *= SLOWER
        if not shutil.which(wrapper[0]):
            return [], f"{program} wants {wrapper[0]}: tools/setup.sh extras installs it"
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            **SANITIZER_OPTIONS,
            **measured.environment(program),
            **sample_of(build),
            "CMOCKA_MESSAGE_OUTPUT": "xml",
            "CMOCKA_XML_FILE": str(Path(folder) / "%g.xml"),
        }
        try:
            done = subprocess.run(
                [*wrapper, str(program)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=time_limit,
            )
            code, output = done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as expired:
            code, output = None, (expired.stdout or b"").decode(errors="replace")
        results, broken = [], ""
        for path in sorted(Path(folder).glob("*.xml")):
            try:
                results += read_group(path)
            except ElementTree.ParseError as error:
                broken = f"cmocka's report {path.name} cannot be read: {error}"
    return results, verdict(code, results, time_limit, broken, output)


def read_group(path):
    # Groups of the same name are appended to one file: several documents in a row.
    text = re.sub(r"<\?xml.*?\?>", "", path.read_text(errors="replace"))
    results = []
    for case in ElementTree.fromstring(f"<file>{text}</file>").iter("testcase"):
        failure = case.find("failure")
        if failure is None:
            failure = case.find("error")
        outcome = "skipped" if case.find("skipped") is not None else "passed"
        text = ""
        if failure is not None:
            outcome, text = "failed", (failure.text or "").strip() or "no message"
        results.append((case.get("name"), outcome, text, float(case.get("time") or 0)))
    return results


def verdict(code, results, time_limit, broken, output):
    """What is wrong beyond the failures that the tests themselves report."""
    failed = sum(outcome == "failed" for _, outcome, _, _ in results)
    tail = output[-6000:]
    if code is None:
        return f"no end after {time_limit} s\n{tail}"
    if code < 0:
        return f"killed by {signal.Signals(-code).name}\n{tail}"
    if broken:
        return f"{broken}\n{tail}"
    if not results:
        return f"exit status {code}, and no test ran\n{tail}"
    if (code != 0) != (failed != 0):
        return f"exit status {code} with {failed} failed tests\n{tail}"
    return ""


def run_and_report(item):
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    start = time.time()
    results, wrong = beside.result(item)
    if wrong:
        results.append(("program", "failed", wrong, 0.0))
    if all(outcome != "failed" for _, outcome, _, _ in results):
        measured.keep_program(item.program, item.path)
    counted = [(f"C programs under {item.name}", 1)]
    for test, outcome, text, seconds in results:
        detail = text or None
        if outcome == "skipped":
            detail = (str(item.path), 0, f"Skipped: {item.path.stem}::{test} skipped itself")
        hook.pytest_runtest_logreport(
            report=TestReport(
                nodeid=f"{item.nodeid}::{test}",
                location=(item.location[0], None, f"{item.name}::{test}"),
                keywords={},
                outcome=outcome,
                longrepr=detail,
                when="call",
                duration=seconds,
                start=start,
                stop=start + seconds,
                user_properties=[*counted, (f"C tests under {item.name}", 1)],
            )
        )
        counted = []
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
