"""Rows of the table with all instruction sets of this machine and two numbers of threads: a part of
what tests/isas/compare.py does by itself."""

import subprocess
import sys


def test_same_results(root):
    few = "--lengths 0,1,7,130 --long 20011 --every 9 --threads 3"
    done = subprocess.run(
        [sys.executable, "tests/isas/compare.py", *few.split()],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    assert "\n0 findings" in done.stdout


def test_same_results_of_random_shapes(root):
    done = subprocess.run(
        [sys.executable, "tests/isas/compare.py", "--shapes", "400", "--threads", "3"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    assert "\n0 findings" in done.stdout


def test_a_difference_is_found(root):
    """The comparison would notice: a last bit, and an error on one side."""
    text = (
        "import sys; sys.path.insert(0, 'tests/isas'); import compare\n"
        "a = compare.numpy.array([1.0, 2.0], 'float32'); b = a.copy(); b[1] = 2.0000002\n"
        "one, other = [[('float32', (2,), x.tobytes())] for x in (a, b)]\n"
        "print(compare.apart(one, other, 'element'), compare.apart(one, one, 'element'))\n"
        "print(compare.apart(one, 'RuntimeError: no', 'element'))\n"
        "print(compare.allowed('add', 'float32'))\n"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=root, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "0", "inf", "0"], done.stdout + done.stderr


def test_a_side_that_dies_says_where(root, tmp_path):
    """In the middle of an answer, which is no garbled stream then, but a signal after a case."""
    far = tmp_path / "far.py"
    far.write_text(
        "import os, pickle, signal\n"
        "told = [('scalar', 1), (('add', 'float32', 'C', 3), 'an answer'), b'cut' * 9]\n"
        "os.write(1, b''.join(map(pickle.dumps, told))[:-5])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    text = (
        "import sys; sys.path.insert(0, 'tests/isas'); import compare\n"
        f"compare.FAR = {str(far)!r}\n"
        "side = compare.Side('scalar:1', [])\n"
        "print(side.next())\n"
        "side.next()\n"
    )
    done = subprocess.run([sys.executable, "-c", text], cwd=root, capture_output=True, text=True)
    assert "'an answer'" in done.stdout
    assert done.stderr == "scalar:1 ended with -9 after ('add', 'float32', 'C', 3)\n"
