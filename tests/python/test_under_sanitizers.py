"""The tests of the Python module once more, with a module that AddressSanitizer and UBSan watch
(with --sanitized-python)."""

import subprocess

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
    "test_fuzz_short test_hostile_sizes test_mutants test_name_algebra"
).split()


def test_all_others_under_the_sanitizers(root, tmp_path, request):
    if not request.config.getoption("--sanitized-python"):
        pytest.skip("--sanitized-python is not given (.ci/run gives it)")
    if not (sanitized.BUILD / "CMakeCache.txt").exists():
        pytest.skip("the sanitizers' build is not there: tools/setup.sh asan makes it")
    failure = sanitized.build_module()
    assert not failure, failure
    tests = [
        str(file)
        for file in sorted((root / "tests" / "python").glob("test_*.py"))
        if file.stem not in LEFT_OUT
    ]
    run = subprocess.run(
        sanitized.pytest_command("-q", *tests),
        env=sanitized.environment(tmp_path / "report"),
        cwd=root,
        capture_output=True,
        text=True,
    )
    reports = "".join(file.read_text()[:8000] for file in tmp_path.glob("report*"))
    assert not reports, reports
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]
    assert " passed, 0 failed" in run.stdout, run.stdout[-2000:]
