"""The promises of docs/internals/threads.md that Python programs see: many threads with one tensor,
and signals that end long operations."""

import os
import resource
import signal
import sys
import tempfile
import threading
import time

import pytest

import nomen

THREADS = 4


class Stop(Exception):
    pass


def in_threads(work):
    """Runs work(number) in several threads at once; raises what one of them raised."""
    wrong = []
    gate = threading.Barrier(THREADS)

    def run(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def test_shared_tensors():
    x = nomen.arange(60_000.0, dtype=nomen.float64).reshape(200, 300).refine_names("N", "C")
    total, text = x.sum().item(), repr(x)

    def work(number):
        for _ in range(15):
            assert (x + x).sum().item() == 2 * total
            assert x.T.select("N", number).names == ("C",)
            assert repr(x) == text
            views = [x[i] for i in range(50)]
            del views[number::2]

    in_threads(work)


def test_gradients_meet_in_leaves():
    leaf = nomen.ones(40_000, requires_grad=True)
    heard = []
    leaf.register_hook(lambda g: heard.append(threading.get_ident()))

    def work(number):
        for _ in range(10):
            (leaf * 2 + leaf).sum().backward()

    in_threads(work)
    assert leaf.grad.eq(3 * 10 * THREADS).all() and len(heard) == 10 * THREADS


def test_a_generator_for_all():
    g = nomen.Generator()
    g.manual_seed(3)
    drawn = [[] for _ in range(THREADS)]

    def work(number):
        for _ in range(20):
            drawn[number] += nomen.rand(640, generator=g).tolist()

    in_threads(work)
    g.manual_seed(3)
    alone = [v for _ in range(20 * THREADS) for v in nomen.rand(640, generator=g).tolist()]
    assert sorted(sum(drawn, [])) == sorted(alone)


def test_settings_of_a_thread():
    leaf = nomen.ones(3, requires_grad=True)

    def work(number):
        with nomen.set_grad_enabled(number % 2 == 0):
            for i in range(200):
                assert (leaf * 2).requires_grad == (number % 2 == 0)
                assert nomen.ones(1, names=(f"name_{number}_{i}",)).names == (f"name_{number}_{i}",)

    in_threads(work)


@pytest.fixture
def turns():
    """How often another thread had the interpreter, which nobody takes away from who has it."""
    count, over = [0], threading.Event()

    def other():
        while not over.is_set():
            count[0] += 1
            time.sleep(0)

    before = sys.getswitchinterval()
    thread = threading.Thread(target=other)
    thread.start()
    sys.setswitchinterval(1000)
    yield count
    sys.setswitchinterval(before)
    over.set()
    thread.join()


def test_others_have_the_interpreter_while_there_is_work(turns):
    x = nomen.ones(1500, 2000, names=("N", "C"))
    y, z = nomen.empty(2000, 1500, names=("C", "N")), nomen.empty(3_000_000)
    work = [
        lambda: x.exp(),
        lambda: y.copy_(x.align_to("C", "N")),
        lambda: x.sum(),
        lambda: z.uniform_(),
        lambda: x.cumsum("N"),
        lambda: nomen.sort(z),
        lambda: nomen.randperm(500_000),
        lambda: nomen.arange(3_000_000),
    ]
    for f in work:
        for _ in range(100):
            before = turns[0]
            f()
            if turns[0] > before:
                break
        else:
            raise AssertionError("others waited")


def test_views_of_large_tensors_are_no_work(turns):
    x = nomen.ones(1500, 2000, names=("N", "C"))
    z = nomen.ones(3_000_000)
    before = turns[0]
    for _ in range(200):
        views = (
            x.T,
            x.select("N", 3),
            x.align_to("C", "N"),
            x[4:9],
            x.unflatten("N", (("A", 3), ("B", 500))),
        )
        views += z.view(1000, 3000), z.reshape(-1, 10), z.contiguous(), z.to(nomen.float32)
        views += (z.expand(2, -1), z.squeeze(), z.detach(), *z.chunk(3))
    assert turns[0] == before
    assert len(views) == 15


# ---- signals ---------------------------------------------------------------------------------

ONES = 3_000_000
square = nomen.ones(2000, 2000)
vector = nomen.ones(ONES, dtype=nomen.float64)
rows = nomen.rand(1000, 1500)
places = nomen.randint(0, 1500, (1000, 1500))
leaf = nomen.ones(ONES, requires_grad=True)


def products():
    return nomen.einsum("ij,jk,kl,lm,mn->in", *[square] * 5)


def deep():
    y = leaf
    for _ in range(40):
        y = y * leaf
    return y.sum().backward()


def write_and_read():
    with tempfile.TemporaryDirectory() as folder:
        for save, load in ((nomen.save, nomen.load), (nomen.save_npy, nomen.load_npy)):
            for _ in range(20):
                save(vector, f"{folder}/a")
                assert load(f"{folder}/a").shape == vector.shape
                assert os.listdir(folder) == ["a"]


LONG = {
    "matmul": products,
    "elementwise": lambda: [vector.lgamma() for _ in range(100)],
    "broadcast": lambda: [(vector[:3000, None] * vector[:3000]).sum() for _ in range(50)],
    "in place": lambda: [vector.clone().pow_(0.7) for _ in range(200)],
    "sort": lambda: [rows.sort(1) for _ in range(200)],
    "cdist": lambda: nomen.cdist(square, square),
    "nuclear norm": lambda: rows[:500].norm("nuc"),
    "nuclear norm of float64": lambda: rows[:500].double().norm("nuc"),
    "gradient of a nuclear norm": lambda: rows[:500].clone().requires_grad_().norm("nuc"),
    "backward": lambda: [deep() for _ in range(50)],
    "random numbers": lambda: nomen.randperm(30_000_000),
    "multinomial": lambda: nomen.multinomial(vector, 2_000_000),
    "one long row": lambda: [vector.logcumsumexp(0) for _ in range(50)],
    "copies": lambda: [square.T.contiguous() for _ in range(200)],
    "indices": lambda: [rows.gather(1, places) for _ in range(400)],
    "files": write_and_read,
    "tolist": lambda: [vector.tolist() for _ in range(50)],
}


def user_time():
    """Seconds that this thread has computed."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_utime


@pytest.fixture
def alarm():
    """The handler of a signal raises Stop a moment from now; the list says when."""
    rang = []

    def ring(*_):
        rang.append(time.monotonic())
        raise Stop

    before = signal.signal(signal.SIGALRM, ring)
    yield rang
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", LONG)
def test_a_signal_ends_what_takes_long(name, threads, alarm):
    before = nomen.get_num_threads()
    nomen.set_num_threads(threads)
    try:
        with pytest.raises(Stop) as stopped:
            start = user_time()
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            for _ in range(100):
                LONG[name]()
        # Of the processor's time, since the machine may have other things to do, without what the
        # system takes to find memory: more than a second, where it is in pieces. Kernels under the
        # sanitizers are some twenty times slower, and so are their pieces.
        sanitized = hasattr(nomen._C, "_fail_allocation")
        assert user_time() - start < (60 if sanitized else 1.5)
        assert stopped.type is Stop and len(alarm) == 1
        assert nomen.ones(300_000).sum().item() == 300_000  # the pool and the module are as ever
        with pytest.raises(RuntimeError, match="not found"):
            nomen.ones(1).sum("nowhere")
    finally:
        nomen.set_num_threads(before)


def test_a_handler_that_computes(alarm):
    """It may use the module itself; what it interrupted goes on."""
    made = []

    def compute(*_):
        made.append(nomen.ones(200_000, names=("N",)).sum().item())
        made.append(nomen.ones(2, 2, requires_grad=True).sum().requires_grad)

    signal.signal(signal.SIGALRM, compute)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        assert (vector + vector).sum().item() == 2 * ONES
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert made and set(made) == {200_000, True}


def test_other_threads_go_on(alarm):
    """Handlers run in the main thread; the operations of others do not end early."""
    sums = []

    def work():
        for _ in range(10):
            sums.append((vector.exp() - vector.exp()).sum().item())

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(Stop):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        while True:
            vector.lgamma()
    thread.join()
    assert sums == [0] * 10


def test_what_was_written_in_part():
    """An in-place operation that a signal ends leaves old and new elements, and says so to those
    who have saved the tensor."""

    class Ring:
        def __call__(self, *_):
            raise Stop

    before = signal.signal(signal.SIGALRM, Ring())
    x = nomen.ones(ONES, requires_grad=True)
    try:
        for _ in range(20):
            y = nomen.ones(ONES)
            saved = x * y
            version = y._version
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            try:
                while True:
                    y.lgamma_()  # 0 of 1, infinity of 0, infinity
                    version = y._version
            except Stop:
                pass
            assert y.shape == (ONES,) and y.is_contiguous()
            assert ((y == 0) | (y == 1) | (y == float("inf"))).all()
            if y._version != version:  # the signal came in the middle
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    saved.sum().backward()
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
