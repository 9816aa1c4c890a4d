"""The runner's own part: options, C test programs as test items, the closing line."""

import importlib.util
import os
import sys
import zlib
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import beside  # noqa: E402
import collect_c  # noqa: E402
from measured import measured  # noqa: E402

PAGE_TEST = "test_coverage_page.py"
LONG_LIST = 8
ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser):
    parser.addoption(
        "--builds",
        default="release",
        help="the builds whose C test programs run, e.g. release,asan",
    )
    parser.addoption(
        "--compilers",
        action="store_true",
        help="also build the whole library with the other compilers",
    )
    parser.addoption(
        "--sanitized-python",
        action="store_true",
        help="also run the tests of the Python module under the sanitizers (after setup.sh asan)",
    )
    parser.addoption(
        "--packages",
        action="store_true",
        help="also build the Python package, and install it into empty environments",
    )
    parser.addoption(
        "--write-coverage",
        action="store_true",
        help="write docs/coverage.gen.md from what all tests call",
    )
    parser.addoption(
        "--figures",
        action="store_true",
        help="print what tests counted (record_property), for tools/trust.py",
    )


def pytest_configure(config):
    os.chdir(ROOT)
    os.environ.setdefault("NOMEN_LIBRARY", str(ROOT / "build" / "release" / "libnomen.so"))


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".c" and file_path.parent.name in ("c", "kernels"):
        if file_path.name.startswith("test_"):
            return collect_c.CFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if isinstance(item, collect_c.CProgram):
        collect_c.run_and_report(item)
        return True
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """What the tests cover is known when all have run: not at all in a part of them."""
    pages = [item for item in items if item.path.name == PAGE_TEST]
    rest = [item for item in items if item.path.name != PAGE_TEST]
    files = {item.path for item in items}
    chosen = config.option.keyword or config.option.markexpr or any("::" in a for a in config.args)
    folders = (ROOT / "tests/python", ROOT / "tests/c")
    if chosen or not all(files.issuperset(folder.glob("test_*.[cp]*")) for folder in folders):
        config.hook.pytest_deselected(items=pages)
        pages = []
    rest = sampled(rest, int(os.environ.get("NOMEN_ONE_IN", "1")), config.hook.pytest_deselected)
    # What runs beside the others is asked for its results after them.
    rest.sort(key=lambda item: beside.work_of(item) is not None)
    items[:] = rest + pages


def sampled(items, one_in, deselect):
    """Of the long lists of cases one in so many, the same ones in every run, as the C programs do
    (tests/measure/sample.h), in no step with the parameters."""
    cases = Counter((item.path, getattr(item, "originalname", None)) for item in items)
    left, chosen = [], []
    for item in items:
        long = cases[item.path, getattr(item, "originalname", None)] >= LONG_LIST
        leave = one_in > 1 and long and zlib.crc32(item.nodeid.encode()) % one_in != 0
        (left if leave else chosen).append(item)
    if left:
        deselect(items=left)
    return chosen


def pytest_collection_finish(session):
    if not session.config.option.collectonly:
        measured.start()
        beside.start_all(session.items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and report.passed:
        measured.keep(item.path)
    else:
        measured.forget()
    return report


def pytest_terminal_summary(terminalreporter, config):
    if not config.option.figures:
        return
    counted = Counter()
    for report in terminalreporter.stats.get("passed", ()):
        counted.update(dict(report.user_properties))
    for words, number in counted.items():
        terminalreporter.write_line(f"figure: {words}: {number}")


def pytest_sessionfinish(session):
    beside.stop_all()


def pytest_unconfigure(config):
    """One plain line at the very end, for people and for scripts."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return
    count = {key: len(reports) for key, reports in reporter.stats.items()}
    passed = count.get("passed", 0)
    failed = count.get("failed", 0) + count.get("error", 0)
    skipped = count.get("skipped", 0) + count.get("xfailed", 0)
    sys.stdout.flush()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(name="beside")
def found_beside(request):
    """What beside() of the test's module found out while other tests ran."""
    return beside.result(request.node)


@pytest.fixture
def threads_kept():
    """For tests that set the number of threads: it is as before when one is done."""
    import nomen

    before = nomen.get_num_threads()
    yield
    nomen.set_num_threads(before)


@pytest.fixture(scope="session")
def tool():
    """tool("trust"): the module of tools/trust.py, which is a program."""

    def load(name):
        spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
