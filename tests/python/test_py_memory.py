"""References, identity, leaks, threads, and the errors of the library as Python exceptions."""

import copy
import gc
import importlib
import io
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest
from exactly import raises

import nomen

x = nomen.ones(4, 4, names=("N", "C"))


@pytest.fixture(autouse=True, scope="module")
def collect_only_what_is_new():
    """Other tests keep much, and these collect garbage thousands of times."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


# ---- exceptions ------------------------------------------------------------------------------


def test_classes_and_notes():
    with pytest.raises(RuntimeError) as info:
        nomen.add(x, nomen.ones(3, names=("C",)))
    assert type(info.value) is RuntimeError and len(info.value.args) == 1
    where, advice = info.value.__notes__
    assert where == "in add(self=Tensor[N=4, C=4], other=Tensor[C=3])"
    assert advice.startswith("hint: sizes are matched from the right")
    for kind, call in ((IndexError, lambda: x.sum(2)), (RuntimeError, lambda: x.sum("Q")),
                       (RuntimeError, lambda: nomen.ones(2, dtype=nomen.int64).sin_()),
                       (TypeError, lambda: x.var(correction=1j))):
        with pytest.raises(kind) as info:
            call()
        assert type(info.value) is kind and info.value.__notes__[0].startswith("in ")
    assert issubclass(nomen.OutOfMemoryError, RuntimeError)
    assert issubclass(nomen.OutOfMemoryError, MemoryError)
    with pytest.raises(nomen.OutOfMemoryError):
        nomen.empty(2**46)


def test_out_of_memory():
    t = nomen.ones(1000)
    before = counts()
    nomen.set_memory_limit(before[2] + 100_000)
    try:
        for call in (lambda: nomen.zeros(10**6), lambda: t.expand(1000, 1000) + 1,
                     lambda: nomen.tensor([0.5] * 10**5), lambda: t.expand(1000, 1000).clone()):
            with pytest.raises(nomen.OutOfMemoryError) as info:
                call()
            assert str(info.value) and len(info.value.args) == 1
            assert counts() == before
        assert (t + 1).sum().item() == 2000
    finally:
        nomen.set_memory_limit(0)
    assert nomen.zeros(10**6).numel() == 10**6
    with pytest.raises(OverflowError):
        nomen.set_memory_limit(-1)


def test_an_error_does_not_stick():
    for _ in range(3):
        with pytest.raises(IndexError):
            x.sum(7)
        with raises(RuntimeError, "Name 'Q' not found in Tensor['N', 'C']."):
            x.sum("Q")
        assert x.sum().item() == 16


def test_integer_division_by_zero():
    with pytest.raises(RuntimeError):
        nomen.ones(2, dtype=nomen.int64) // 0


# ---- identity and lifetime -------------------------------------------------------------------


def test_the_same_header_is_the_same_object():
    t = nomen.ones(3)
    assert t.add_(1) is t and t.rename_("N") is t and nomen.add(t, 1, out=t) is t
    assert t.requires_grad_() is t and t.to(nomen.float32) is t and t.contiguous() is t
    (t * 2).sum().backward()
    assert t.grad is t.grad
    held = t.grad
    assert t.grad is held


def test_weak_references():
    t = nomen.ones(3)
    seen = []
    reference = weakref.ref(t, lambda _: seen.append(True))
    assert reference() is t
    del t
    assert reference() is None and seen == [True]


_file = io.BytesIO()
nomen.save({"x": x, "flags": x > 0}, _file)
FILE = _file.getvalue()

whole = nomen.ones(128, 128, dtype=nomen.int64)
again = nomen.ones(1, 4, names=("N", "C")).expand(300, 4)  # lines that repeat

CALLS = [
    lambda: whole @ whole,
    lambda: x + x, lambda: x * 2.5, lambda: 2 - x, lambda: x.sum("N"), lambda: x.max("C"),
    lambda: x.max(), lambda: x[0], lambda: x[:, 1:3], lambda: x[{"C": 1}], lambda: list(x),
    lambda: x.split(2, "N"), lambda: x.split([1] * 4), lambda: nomen.cat([x] * 20, "N"),
    lambda: nomen.stack([x, x]), lambda: x.rename("A", "B"), lambda: x.rename(N="A"),
    lambda: x.unflatten("C", [("A", 2), ("B", 2)]), lambda: x.flatten(["N", "C"], "f"),
    lambda: x.var("C", False), lambda: nomen.max(x, x), lambda: x.to(nomen.int32),
    lambda: nomen.tensor([[1, 2], [3, 4]]), lambda: nomen.tensor(x), lambda: x.tolist(),
    lambda: nomen.tensor([1, 2, 3]), lambda: nomen.tensor([0.5, 1.5]),
    lambda: nomen.zeros(2, 3, names=("N", "C")), lambda: x.numpy(), lambda: x.names,
    lambda: nomen.from_numpy(x.numpy()), lambda: repr(x), lambda: x.clone().add_(x),
    lambda: x.clone().__setitem__(0, 5), lambda: nomen.add(x, x, out=nomen.empty(0)),
    lambda: nomen.max(x, 0, out=(nomen.empty(0), nomen.empty(0, dtype=nomen.int64))),
    lambda: nomen.zeros(2, requires_grad=True), lambda: 1.0 in x, lambda: nomen.equal(x, x),
    lambda: nomen.rand(3, generator=nomen.Generator()), lambda: x.detach(), lambda: x.data,
    lambda: x.untyped_storage(), lambda: x.storage()[1], lambda: x.untyped_storage().clone(),
    lambda: x.__dlpack__(), lambda: x.__dlpack__(max_version=(1, 0), copy=True),
    lambda: nomen.from_dlpack(x), lambda: nomen.from_dlpack(x.__dlpack__()), lambda: memoryview(x),
    lambda: nomen.frombuffer(bytearray(8), dtype=nomen.int32, names=("i",)),
    lambda: nomen.zeros(2).share_memory_(), lambda: copy.deepcopy([x, x[1]]), lambda: copy.copy(x),
    lambda: pickle.loads(pickle.dumps([x, x[1]], 5)), lambda: pickle.dumps(x, 2),
    lambda: x.new_zeros(2), lambda: nomen.empty_strided((2, 2), (1, 2)), lambda: x.device,
    lambda: nomen.device("cuda:1"), lambda: nomen.load(io.BytesIO(FILE)),
    lambda: nomen.save({"x": x}, io.BytesIO()),
    lambda: x @ x.T.rename("C", "M"), lambda: x.softmax("C"), lambda: x.unbind("N"),
    lambda: again.sum(1), lambda: again.max(1), lambda: again.softmax(1), lambda: again.cumsum(1),
    lambda: again.sort(1), lambda: again.argsort(1), lambda: again.argmax(1),
    # and those that fail
    lambda: x + "s", lambda: x + nomen.ones(3), lambda: x.add(1, alpha="s"), lambda: x.sum("Q"),
    lambda: nomen.cat([x, 1]), lambda: nomen.cat([x] * 20 + [1]), lambda: x[9], lambda: x[0, 0, 0],
    lambda: x[0:2, "s"], lambda: x.rename(Q="R"), lambda: x.rename(N="not a name"),
    lambda: nomen.tensor([[1], [2, 3]]), lambda: x.split([1] * 99), lambda: nomen.add(2, "s"),
    lambda: x.unflatten("C", [("A", 2), ("B", 3)]), lambda: x.clone().__setitem__(9, 5),
    lambda: nomen.zeros(2, names=("N", 1)), lambda: x[{"N": 0, "Q": 0}],
    lambda: x.__setitem__(0, {}),
    lambda: nomen.zeros(2, dtype=nomen.int32, requires_grad=True), lambda: nomen.tensor([None]),
    lambda: nomen.from_numpy(b"123456789012"), lambda: x.cuda(), lambda: nomen.device("no"),
    lambda: nomen.frombuffer(b"123", dtype=nomen.int32), lambda: nomen.from_dlpack(3),
    lambda: nomen.ones(2, requires_grad=True).__dlpack__(), lambda: x.__dlpack__(stream=3),
    lambda: (x[0], x.share_memory_()), lambda: nomen.load(io.BytesIO(FILE[:50])),
    lambda: nomen.from_dlpack(x, names=("N",)), lambda: nomen.from_numpy(x, names=("N",)),
 lambda: nomen.clamp(x, 1, "s"),
]


def run(call):
    try:
        call()
    except (TypeError, RuntimeError, ValueError, IndexError, BufferError):
        pass


def counts():
    gc.collect()
    stats = nomen.memory_stats()
    return stats["tensors_live"], stats["buffers_live"], stats["bytes_live"], stats["metadata_live"]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_nothing_leaks(call):
    singles = [None, True, False, NotImplemented, nomen.float32, nomen.Tensor, "N", "C", x]
    for _ in range(3):
        run(call)
    before = counts()
    grown = []
    for _ in range(4):  # Python's own caches may grow once, a leak grows each time
        references, blocks = [sys.getrefcount(o) for o in singles], sys.getallocatedblocks()
        for _ in range(200):
            run(call)
        assert counts() == before
        more = [sys.getrefcount(o) - n for o, n in zip(singles, references)]
        more.append(sys.getallocatedblocks() - blocks)
        if max(more) < 100:
            return
        grown.append(more)
    pytest.fail(f"references of {singles} and blocks grew by {grown}")


def test_a_training_loop_does_not_leak():
    w = nomen.randn(4, 3, names=("C", "K"), requires_grad=True)

    def turn():
        loss = ((x @ w).tanh() ** 2).mean()
        handle = w.register_hook(lambda g: g * 2)
        loss.backward()
        handle.remove()
        with nomen.no_grad():
            w.sub_(w.grad, alpha=0.1)
        w.grad = None

    for _ in range(5):
        turn()
    before, blocks = counts(), sys.getallocatedblocks()
    for _ in range(100):
        turn()
    assert counts() == before and sys.getallocatedblocks() - blocks < 100


def fail_each_allocation():
    testcapi = importlib.import_module("_testcapi")
    for call in CALLS:
        run(call)
        before = counts()
        for n in range(1, 40):
            testcapi.set_nomemory(n, n + 1)
            try:
                call()
            except Exception:
                pass
            finally:
                testcapi.remove_mem_hooks()
        assert counts()[:3] == before[:3]


def test_python_without_memory():
    """Each of Python's own allocations fails in turn: an exception, and nothing is lost. In a
    process of its own: it is the next allocation of any thread that fails, and the threads of what
    runs beside the tests (tests/beside.py) are not to be hit."""
    pytest.importorskip("_testcapi")
    done = subprocess.run(
        [sys.executable, "-c", "import test_py_memory as t; t.fail_each_allocation()"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


# ---- threads ---------------------------------------------------------------------------------


def test_threads():
    """Large operations let other threads run; errors and grad mode belong to their thread."""
    big = nomen.ones(200_000)
    failures = []

    def work(number):
        try:
            with nomen.set_grad_enabled(number % 2 == 0):
                for i in range(20):
                    assert (big + i).sum().item() == 200_000 * (1 + i)
                    with pytest.raises(IndexError, match=f"but got {number + 5}"):
                        big.sum(number + 5)
                    assert nomen.is_grad_enabled() == (number % 2 == 0)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and nomen.is_grad_enabled()


def test_tensors_may_die_in_another_thread():
    before = counts()
    for _ in range(20):
        box = [nomen.ones(1000) for _ in range(50)]
        thread = threading.Thread(target=box.clear)
        thread.start()
        thread.join()
    assert counts()[:3] == before[:3]


def test_settings():
    threads = nomen.get_num_threads()
    nomen.set_num_threads(1)
    assert nomen.get_num_threads() == 1
    nomen.set_num_threads(threads)
    with pytest.raises((ValueError, RuntimeError)):
        nomen.set_num_threads(0)
    nomen.empty_cache()
    assert nomen.memory_stats()["bytes_cached"] >= 0
    assert nomen.__version__ in nomen.show_config()
