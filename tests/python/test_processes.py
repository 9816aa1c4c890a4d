"""Tensors in other processes: sent by multiprocessing, shared by share_memory_."""

import contextlib
import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys

import pytest

import nomen

CONTEXTS = ["fork", "spawn"]


def double(t):
    return t * 2, t.names, t.is_shared()


def wants_gradient(t):
    return t.requires_grad and t.is_leaf and t.is_shared()


def write(tensors, queue):
    for t in tensors:
        t.add_(10)
    tensors[0][0] = -5
    queue.put([t.tolist() for t in tensors])


def answer(queue, results):
    while (t := queue.get()) is not None:
        t.mul_(2)
        results.put((t.tolist(), t.names, t.is_shared(), t.requires_grad))


@pytest.mark.parametrize("method", CONTEXTS)
def test_a_child_writes_and_the_parent_sees_it(method):
    context = multiprocessing.get_context(method)
    t = nomen.zeros(4, names=("N",)).share_memory_()
    part, own = t[1:3], nomen.zeros(2)
    assert t.is_shared() and part.is_shared() and not own.is_shared()
    queue = context.Queue()
    child = context.Process(target=write, args=([t, part, own], queue))
    child.start()
    there = queue.get()
    child.join()
    assert child.exitcode == 0
    # part is a view of t in the child, too; own was a copy
    assert there == [[-5.0, 20.0, 20.0, 10.0], [20.0, 20.0], [10.0, 10.0]]
    assert t.tolist() == there[0] and part.tolist() == there[1] and own.tolist() == [0.0, 0.0]


def test_queues_and_pools():
    context = multiprocessing.get_context("fork")
    queue, results = context.Queue(), context.Queue()
    child = context.Process(target=answer, args=(queue, results))
    child.start()
    shared = nomen.ones(3, names=("N",)).share_memory_()
    queue.put(shared)
    assert results.get() == ([2.0, 2.0, 2.0], ("N",), True, False)
    assert shared.tolist() == [2.0, 2.0, 2.0]
    queue.put(shared[1:])
    assert results.get()[0] == [4.0, 4.0] and shared.tolist() == [2.0, 4.0, 4.0]
    own = nomen.ones(3, 2, names=("N", "C"))
    queue.put(own.T)
    assert results.get() == ([[2.0] * 3] * 2, ("C", "N"), False, False)
    assert own.sum().item() == 6
    queue.put(None)
    child.join()
    with context.Pool(2) as pool:
        for result, names, is_shared in pool.map(double, [shared, own]):
            assert result.names == names
        assert pool.apply(double, (shared,))[2] is True
        assert pool.apply(double, (own,))[2] is False


def test_requires_grad_is_kept():
    context = multiprocessing.get_context("fork")
    w = nomen.ones(2, requires_grad=True)
    assert w.share_memory_() is w and w.requires_grad and w.is_leaf
    (w * 2).sum().backward()
    assert w.grad.tolist() == [2.0, 2.0]
    with context.Pool(1) as pool:
        assert pool.apply(wants_gradient, (w,))


def test_a_fork_shares_without_sending():
    t = nomen.zeros(2).share_memory_()
    child = os.fork()
    if not child:
        t[0] = 3
        os._exit(0)
    os.waitpid(child, 0)
    assert t.tolist() == [3.0, 0.0]


def test_moving_into_shared_memory():
    t = nomen.arange(6.0).reshape(2, 3)  # a view of a tensor that nobody holds
    version = t._version
    assert t.share_memory_() is t and t.is_shared() and t.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert t._version == version and t.share_memory_() is t
    base = nomen.arange(4.0)
    view = base[1:]
    view.share_memory_()  # of the base that is known
    base[1] = 9
    assert base.is_shared() and view[0].item() == 9
    assert nomen.empty(0).share_memory_().is_shared()
    big = nomen.ones(1 << 20).share_memory_()
    assert big.add(1).sum().item() == 2 << 20 and not big.add(1).is_shared()
    x = nomen.ones(3)
    first, second = x[1:], x[:1]
    for one in (x, first, second):
        with pytest.raises(RuntimeError, match="other tensor"):
            one.share_memory_()
        assert not one.is_shared()
    exported = x.numpy()
    with pytest.raises(RuntimeError, match="other tensors or arrays"):
        x.share_memory_()
    assert exported.tolist() == [1, 1, 1]


def test_copies_are_not_shared():
    t = nomen.ones(3, names=("N",)).share_memory_()
    for twin in (t.clone(), copy.deepcopy(t), pickle.loads(pickle.dumps(t))):
        assert not twin.is_shared() and twin.names == ("N",)
        twin.zero_()
        assert t.tolist() == [1.0] * 3
    assert copy.copy(t).is_shared() and t.detach().is_shared() and t.data.is_shared()
    assert t.storage().is_shared() and t.untyped_storage().is_shared()


def descriptors():
    """Those of shared memory: the C tests, which run beside these, open others."""
    count = 0
    for link in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of this listing, and others that are gone
            count += os.readlink(f"/proc/self/fd/{link}").startswith("/memfd:nomen")
    return count


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
def test_nothing_is_left():
    nomen.ones(3).share_memory_()
    gc.collect()
    before, stats = descriptors(), nomen.memory_stats()
    for _ in range(50):
        t = nomen.ones(1000).share_memory_()
        assert descriptors() == before + 1
        view = t[3:]
        del t
        assert view.sum().item() == 997
        del view
    assert descriptors() == before
    after = nomen.memory_stats()
    assert all(
        after[key] == stats[key] for key in ("buffers_live", "tensors_live", "metadata_live")
    )


def test_descriptors_of_others():
    reader, writer = os.pipe()
    with open(os.devnull) as file:
        for wrong in (reader, file.fileno(), 9999):
            with pytest.raises(ValueError, match="is not one of nomen_shared_file"):
                nomen._C._storage_from_file(wrong)
    os.close(reader)
    os.close(writer)
    with pytest.raises(ValueError):
        nomen._C._storage_from_file(-1)


FORKING = """
import os, signal, threading, nomen

leaf = nomen.ones(300, 300, requires_grad=True)
going = True

def work():
    while going:
        (leaf * leaf).sum().backward()
        nomen.manual_seed(1)
        nomen.rand(40, names=("N",))

threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
bad = 0
for k in range(150):
    child = os.fork()
    if not child:
        signal.alarm(30)
        own = nomen.ones(3, requires_grad=True)
        (own * nomen.rand(3)).sum().backward()
        os._exit(own.grad is None)
    bad += os.waitpid(child, 0)[1] != 0
going = False
for t in threads:
    t.join()
print(bad)
"""


def test_forks_while_other_threads_hold_locks():
    """Neither the parent, which takes all locks to fork, nor a child, which gives them back, waits
    for ever."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKING], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["0"], done.stderr
