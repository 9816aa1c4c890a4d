"""The tests of the Python module once more, with a module that AddressSanitizer and UBSan watch
(with --sanitized-python). The interpreter is not built for them, so their libraries come first."""

import os
import subprocess
import sys
import sysconfig

import pytest

# Programs of their own, other builds, figures that hold for this process alone, and long lists of
# cases that go the same few ways through the library.
LEFT_OUT = (
    "test_under_sanitizers test_other_compilers test_packages test_examples test_docs test_lint "
    "test_runner test_stubs test_symbols test_outside_programs test_processes test_hostile "
    "test_coverage_page test_docstrings test_golden_infer test_py_golden test_repr_golden "
    "test_random test_py_memory test_instruction_budget"
).split()

START = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import nomen
assert nomen.__file__.startswith(sys.argv[1]), nomen.__file__
import pytest
sys.exit(pytest.main(sys.argv[3:]))
"""


def test_all_others_under_the_sanitizers(root, tmp_path, request):
    if not request.config.getoption("--sanitized-python"):
        pytest.skip("--sanitized-python is not given (.ci/run gives it)")
    build = root / "build" / "asan"
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("the sanitizers' build is not there: tools/setup.sh asan makes it")
    made = subprocess.run(
        ["cmake", "--build", str(build), "--target", "nomen_python", "--parallel", "2"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, (made.stdout + made.stderr)[-8000:]
    libraries = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    env = {
        **os.environ,
        "LD_PRELOAD": ":".join(libraries),
        # Python keeps what it has to the end; a size that cannot be had is an error, not the end.
        "ASAN_OPTIONS": f"detect_leaks=0:allocator_may_return_null=1:log_path={tmp_path}/report",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={tmp_path}/report",
        "PYTHONMALLOC": "malloc",
    }
    tests = [
        str(file)
        for file in sorted((root / "tests" / "python").glob("test_*.py"))
        if file.stem not in LEFT_OUT
    ]
    run = subprocess.run(
        # without site packages: the module of the ordinary build is among them
        [sys.executable, "-S", "-c", START, str(build / "python"), sysconfig.get_path("purelib")]
        + ["-q", "-p", "no:cacheprovider", *tests],
        env=env,
        cwd=root,
        capture_output=True,
        text=True,
    )
    reports = "".join(file.read_text()[:8000] for file in tmp_path.glob("report*"))
    assert not reports, reports
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]
    assert " passed, 0 failed" in run.stdout, run.stdout[-2000:]
