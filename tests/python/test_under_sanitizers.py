"""The tests of the Python module once more, with modules that are watched: by AddressSanitizer and
UBSan (gcc's and clang's), by ThreadSanitizer, by valgrind, by the C library (with
--sanitized-python, for those of --builds)."""

import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import collect_c
import pytest
import sanitized

# Programs of their own, other builds, limits of memory (the sanitizer needs more than is left),
# figures that hold for this process alone, and long lists of cases that go the same few ways
# through the library.
LEFT_OUT = (
    "test_under_sanitizers test_other_compilers test_packages test_examples test_docs test_lint "
    "test_runner test_stubs test_symbols test_outside_programs test_processes test_hostile "
    "test_coverage_page test_docstrings test_golden_infer test_py_golden test_repr_golden "
    "test_random test_py_memory test_instruction_budget test_isas test_trust "
    "test_fuzz_short test_hostile_sizes test_mutants test_name_algebra test_abi"
).split()

# Those that start threads. The interpreter is not watched, but its locks are known.
WITH_THREADS = "test_concurrency test_fuse test_hostile_grad".split()

# valgrind is forty times slower: files that go each way into the library and out of it once.
ONCE = (
    "test_exchange test_py_data test_py_index test_py_names test_py_parser test_py_refusals "
    "test_py_hints test_py_align test_py_view_in_place test_npy_numpy test_safetensors test_fuse"
).split()

# They take longest of all that runs beside, so that half of them go to each of two processors.
PARTS = 2
building = threading.Lock()

BUILDS = {
    "asan": None,
    "clang-asan": None,
    "fortified": None,
    "tsan": WITH_THREADS,
    "memcheck": ONCE,
}


def beside(config, root, build, part):
    """-> what the sanitizer reported, the run."""
    if not config.getoption("--sanitized-python"):
        pytest.skip("--sanitized-python is not given (.ci/run gives it)")
    if build not in config.getoption("--builds").split(","):
        pytest.skip(f"{build} is not among --builds (make sanitize names all)")
    if build == "memcheck" and not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    assert sanitized.is_built(build), f"tools/setup.sh {build} makes it"
    with building:
        failure = sanitized.build_module(build)
    assert not failure, failure
    folder = root / "tests" / "python"
    stems = BUILDS[build] or sorted({f.stem for f in folder.glob("test_*.py")} - set(LEFT_OUT))
    tests = [str(folder / f"{stem}.py") for stem in stems[part::PARTS]]
    with tempfile.TemporaryDirectory(prefix="nomen-sanitized-") as reports:
        report = Path(reports) / "report"
        run = subprocess.run(
            sanitized.pytest_command("-q", *tests, build=build, report=report),
            env=sanitized.environment(report, build) | collect_c.sample_of(build),
            cwd=root,
            capture_output=True,
            text=True,
        )
        return "".join(file.read_text()[:8000] for file in Path(reports).glob("report*")), run


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("build", BUILDS)
def test_all_others_under_the_sanitizers(build, part, beside, record_property):
    reports, run = beside
    assert not reports, reports
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]
    passed = re.search(r"^(\d+) passed, 0 failed", run.stdout, re.M)
    assert passed, run.stdout[-2000:]
    record_property(f"Python tests under {build}", int(passed[1]))


def test_the_c_library_is_asked_about_sizes(root, request):
    if "fortified" not in request.config.getoption("--builds").split(","):
        pytest.skip("fortified is not among --builds (make sanitize names it)")
    (module,) = (root / "build/fortified/python/nomen").glob("_C*.so")
    symbols = subprocess.run(
        ["nm", "-D", "--undefined-only", str(module)], capture_output=True, text=True, check=True
    )
    asked = set(re.findall(r"\b__(\w+)_chk\b", symbols.stdout))
    assert asked & {"memcpy", "memset", "snprintf", "vsnprintf"}, symbols.stdout
