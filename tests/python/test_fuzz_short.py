"""A short run of every fuzzing target: its corpus, and some thousand inputs made of that."""

import io
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import nomen

TARGETS = "names npy dlpack index program".split()
MORE = {"release": 3000, "asan": 300, "tsan": 100, "gcov": 3000}
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def pytest_generate_tests(metafunc):
    if "build" in metafunc.fixturenames:
        metafunc.parametrize("build", metafunc.config.getoption("--builds").split(","))


@pytest.mark.parametrize("target", TARGETS)
def test_corpus_and_changed_inputs(root, build, target, tmp_path):
    program = root / f"build/{build}/fuzz/fuzz_{target}"
    corpus = root / f"tests/fuzz/corpus/{target}.hex"
    assert program.exists(), f"{program} is not built: tools/setup.sh tests asan builds it"
    run = subprocess.run(
        [program, "--random", str(MORE.get(build, 100)), "1", corpus],
        env={**os.environ, **SANITIZERS, "NOMEN_FUZZ_KEEP": str(tmp_path / "input")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=300,
    )
    last = (tmp_path / "input").read_bytes().hex()
    assert run.returncode == 0, f"{run.stdout[-4000:]}\nthe input, in hexadecimal digits: {last}"
    assert f"{MORE.get(build, 100)} others" in run.stdout


def test_a_broken_promise_ends_a_target(root, tmp_path):
    """What must hold is looked at: a struct whose deleter was called too early is a finding."""
    text = (root / "tests/fuzz/fuzz_dlpack.c").read_text()
    assert text.count("EXPECT(o.deleted == taken)") == 1
    changed = text.replace("EXPECT(o.deleted == taken)", "EXPECT(o.deleted == taken + 1)")
    source = tmp_path / "fuzz_wrong.c"
    source.write_text(changed)
    program = tmp_path / "fuzz_wrong"
    folder = root / "tests/fuzz"
    flags = ["-std=gnu11", f"-I{root}/include", f"-I{root}/src", f"-I{folder}"]
    subprocess.run(
        ["gcc", *flags, f"-I{root}/build/release/generated", source, folder / "checks.c"]
        + [folder / "replay.c", root / "build/release/libnomen.a", "-lm", "-pthread"]
        + ["-o", program],
        check=True,
    )
    run = subprocess.run(
        [program, folder / "corpus/dlpack.hex"], stderr=subprocess.PIPE, text=True, timeout=60
    )
    assert run.returncode < 0 and "does not hold: o.deleted" in run.stderr


def drive(root, script, *options):
    """By way of a shell: the largest size of a process, which libFuzzer limits, begins with that of
    the process that starts it, and this one may have held gigabytes."""
    shell = ["sh", "-c", '"$0" "$@"; exit $?', sys.executable]
    run = subprocess.run(
        [*shell, root / "tests/fuzz" / script, *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-4000:]
    return run.stdout


def test_changed_safetensors_files(root):
    told = drive(root, "fuzz_safetensors.py", "--inputs", "3000")
    read = int(told.rpartition(" ")[2])
    assert 100 < read < 2900  # both kinds are there


def test_safetensors_files_under_libfuzzer(root):
    pytest.importorskip("atheris", reason="atheris is not installed (tools/setup.sh extras)")
    seen, read = (
        int(line.rpartition(" ")[2])
        for line in drive(root, "guided_safetensors.py", "--inputs", "3000").splitlines()
        if line.startswith("figure: ")
    )
    assert seen == 3000 and 20 < read < 2900


def test_programs_beside_numpy(root):
    told = drive(root, "fuzz_model.py", "--programs", "1500").splitlines()
    programs, gradients, steps = (int(line.rpartition(" ")[2]) for line in told)
    assert programs == 1500 and gradients > 300 and steps > 5000


def test_the_model_tells_when_it_is_another_one(root):
    """A model in which one kind of step is wrong disagrees."""
    text = (root / "tests/fuzz/fuzz_model.py").read_text()
    for right, wrong in (
        ("a.cumsum(d)", "a.cumsum(d) * 2"),
        ("names[d], names[e] = names[e], names[d]", "names[d], names[e] = names[d], names[e]"),
        ("lambda a: a[index]", "lambda a: a[index].copy()"),
    ):
        assert text.count(right) == 1
        scope = {"__name__": "changed"}
        exec(compile(text.replace(right, wrong), "changed", "exec"), scope)
        with pytest.raises(AssertionError):
            for seed in range(2000):
                scope["program"](seed)


@pytest.mark.parametrize(
    "header, words",
    [
        (
            '{"t": {"dtype": "F16", "shape": [5, 9223372036854775807, 0], "data_offsets": [0, 0]}}',
            "larger than any memory",
        ),
        ('{"\\ud800": {"dtype": "F16", "shape": [0], "data_offsets": [0, 0]}}', "Unicode"),
        ('{"__metadata__": {"by": "\\udfff"}}', "Unicode"),
        ('{"__metadata__": {"by": 3}}', "not a map of texts"),
    ],
)
def test_headers_that_were_found(header, words):
    data = struct.pack("<Q", len(header)) + header.encode()
    with pytest.raises(ValueError, match=words):
        nomen.load(io.BytesIO(data))


def test_the_corpora_are_small(root):
    folder = Path(root / "tests/fuzz/corpus")
    assert {path.stem for path in folder.iterdir()} == set(TARGETS)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 200_000
