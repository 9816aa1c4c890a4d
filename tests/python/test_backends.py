"""Devices from Python, on the mock device, whose memory the CPU cannot touch: a wrong step of the
core ends the process. What it computes is compared with the CPU."""

import copy
import io
import os
import pathlib
import pickle
import random

import pytest
from exactly import raises

import nomen

BACKENDS = pathlib.Path(nomen._C.__file__).resolve().parent.parent.parent / "backends"


@pytest.fixture(autouse=True)
def backends(monkeypatch):
    monkeypatch.setenv("NOMEN_BACKEND_PATH", f"/nowhere:{BACKENDS}")


def sample(*size, names=None, dtype=nomen.float32):
    numbers = nomen.arange(1, 1 + nomen.zeros(size).numel(), dtype=nomen.float64)
    return (numbers * 0.37 - 1).to(dtype).reshape(size).rename(*names or (None,) * len(size))


def same(there, here):
    assert there.device.type == "mock"
    assert there.names == here.names and there.dtype is here.dtype and there.shape == here.shape
    back = there.detach().cpu()
    close = back.is_floating_point() or back.is_complex()
    loose = back.dtype in (nomen.float16, nomen.bfloat16)
    assert (
        nomen.allclose(back, here.detach(), rtol=1e-2 if loose else 1e-5, equal_nan=True)
        if (close)
        else nomen.equal(back, here)
    )


def test_devices_have_names():
    mock, other = nomen.device("mock"), nomen.device("mock", 1)
    assert (
        mock != other
        and other == nomen.device("mock:1")
        and hash(other) == hash(nomen.device("mock:1"))
    )
    assert repr(other) == "device(type='mock', index=1)" and str(mock) == "mock"
    assert pickle.loads(pickle.dumps(other)) == other == copy.deepcopy(other)
    x = nomen.ones(2, names=("N",), device=other)
    assert x.device == other and x.get_device() == 1 and not x.is_cuda
    assert repr(x) == "tensor([1., 1.], device='mock:1', names=('N',))"
    assert x.cpu().device == nomen.device("cpu") and x.cpu().names == ("N",)
    assert x.to("mock:1") is x and x.to(x.cpu()).device.type == "cpu"
    assert x.cpu().to(x, copy=True).device == other


@pytest.mark.parametrize(
    "make",
    [
        lambda **d: nomen.zeros(2, 3, names=("N", "C"), **d),
        lambda **d: nomen.ones(2, dtype=nomen.int8, **d),
        lambda **d: nomen.full((2,), 7.5, **d),
        lambda **d: nomen.arange(5, **d),
        lambda **d: nomen.eye(3, **d) if hasattr(nomen, "eye") else nomen.ones(1, **d),
        lambda **d: nomen.tensor([[1, 2], [3, 4]], names=("N", "C"), **d),
        lambda **d: nomen.as_tensor([1.5], **d),
        lambda **d: nomen.ones_like(nomen.zeros(3, names=("N",)), **d),
        lambda **d: nomen.zeros(3).new_full((2,), 3, **d),
        lambda **d: nomen.zeros(2, requires_grad=True, **d),
        lambda **d: (nomen.manual_seed(5), nomen.randn(20, **d))[1],
        lambda **d: (nomen.manual_seed(5), nomen.rand_like(nomen.zeros(3), **d))[1],
        lambda **d: (nomen.manual_seed(5), nomen.randperm(9, **d))[1],
    ],
)
def test_factories(make):
    there, here = make(device="mock"), make()
    same(there, here)
    assert there.requires_grad == here.requires_grad and there.is_leaf


def test_what_is_like_a_tensor_is_where_it_is():
    x = nomen.ones(2, 3, names=("N", "C"), device="mock:1")
    for t in (
        nomen.zeros_like(x),
        nomen.rand_like(x),
        nomen.full_like(x, 2),
        x.new_zeros(2),
        x.new_tensor([1]),
        x.new_empty((2, 2)),
        x.clone(),
        x.detach(),
        copy.copy(x),
        nomen.tensor(x),
    ):
        assert t.device == nomen.device("mock:1")
    assert nomen.zeros_like(x, device="cpu").device.type == "cpu"
    assert nomen.randn_like(x, device="mock:0").device == nomen.device("mock:0")


@pytest.mark.parametrize("dtype", [nomen.float32, nomen.complex64])
def test_normal_numbers_have_their_mean_and_std_anywhere(dtype):
    mean, std = sample(2, 3, names=("N", "C"), dtype=dtype), sample(3).abs()
    for given in [(mean,), (mean, 2.0), (mean, std), (1.5, std)]:
        there = [t.to("mock") if isinstance(t, nomen.Tensor) else t for t in given]
        nomen.manual_seed(3)
        here = nomen.normal(*given)
        nomen.manual_seed(3)
        same(nomen.normal(*there), here)
        with pytest.raises(RuntimeError, match="the same device"):
            nomen.normal(*there, out=nomen.empty(2, 3, dtype=dtype))
    there, other = mean.to("mock"), mean.to("mock:1")
    for given in [(there, std), (mean, std.to("mock")), (other, std.to("mock"))]:
        with pytest.raises(RuntimeError, match="the same device"):
            nomen.normal(*given)


DTYPES = [
    nomen.bool, nomen.uint8, nomen.int8, nomen.int16, nomen.int32, nomen.int64, nomen.float16,
    nomen.bfloat16, nomen.float32, nomen.float64, nomen.complex64, nomen.complex128,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_values_come_back(dtype):
    numbers = nomen.tensor([0, 1, 2, 100, 1000.5, -3.75, 1e-7, 6e4, 1e30]).to(dtype)
    there = numbers.to("mock")
    same(there, numbers)
    for other in DTYPES:
        if (
            other is dtype
            or (numbers.is_floating_point() or numbers.is_complex())
            and not (other.is_floating_point or other.is_complex)
        ):
            continue  # what does not fit into integers is nobody's
        back = there.to(other).cpu()
        assert back.tolist() == numbers.to(other).tolist()


LAYOUTS = [
    lambda t: t,
    lambda t: t.t() if t.ndim == 2 else t,
    lambda t: t[..., ::2],
    lambda t: t[1:],
    lambda t: t.flip(0),
    lambda t: t[:0],
]

CALLS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "alpha": lambda a, b: a.add(b, alpha=3),
    "number": lambda a, b: 2 * a + 1,
    "row": lambda a, b: a + b[:1],
    "column": lambda a, b: a * b[:, :1] if b.ndim == 2 else a * b,
    "lone": lambda a, b: a * nomen.tensor(3),
    "neg": lambda a, b: -a,
    "compare": lambda a, b: a < b,
    "equal": lambda a, b: a == a,
    "where": lambda a, b: nomen.where(a < b, a, b),
    "maximum": lambda a, b: nomen.maximum(a, b),
    "relu": lambda a, b: a.relu(),
    "exp": lambda a, b: a.exp(),
    "sum": lambda a, b: a.sum(0),
    "sum all": lambda a, b: b.sum(),
    "kept": lambda a, b: a.sum(-1, keepdim=True),
    "mean": lambda a, b: a.mean((0, -1)),
    "any": lambda a, b: a.any(0),
    "softmax": lambda a, b: a.softmax(-1),
    "log_softmax": lambda a, b: a.log_softmax(0),
    "matmul": lambda a, b: a @ b.transpose(0, 1),
    "vector": lambda a, b: a @ b[0] if len(b) else a,
    "cat": lambda a, b: nomen.cat([a, b, a], 0),
    "stack": lambda a, b: nomen.stack([a, b], 1),
    "reshape": lambda a, b: a.t().reshape(-1),
    "flatten": lambda a, b: a.rename("N", "C").flatten(["N", "C"], "K"),
    "cast": lambda a, b: a.to(nomen.float64) + b,
    "mixed": lambda a, b: a + b.to(nomen.float64),
    "align": lambda a, b: a.rename("N", "C").align_to("C", "N", "K"),
}


@pytest.mark.parametrize("dtype", [nomen.float32, nomen.int32, nomen.float16, nomen.complex64],
                         ids=str)  # fmt: skip
@pytest.mark.parametrize("name", CALLS)
def test_calls(name, dtype):
    call = CALLS[name]
    for layout in LAYOUTS:
        a, b = layout(sample(4, 6, dtype=dtype)), layout(sample(4, 6, dtype=dtype) * 2)
        c, d = layout(sample(4, 6, dtype=dtype).to("mock")), layout(
            (sample(4, 6, dtype=dtype) * 2).to("mock")
        )
        try:
            here = call(a, b)
        except Exception as error:
            with pytest.raises(type(error)):
                call(c, d)
            continue
        if name in ("softmax", "log_softmax") and dtype is nomen.complex64:
            continue
        try:
            same(call(c, d), here)
        except NotImplementedError as error:
            assert "not implemented on 'mock:0' for" in str(error)
            assert dtype is nomen.complex64 or name == "mean"


def test_a_training_step():
    losses = {}
    for device in ("cpu", "mock"):
        nomen.manual_seed(1)
        x = nomen.randn(8, 3, names=("N", "in"), device=device)
        w = nomen.randn(3, 4, names=("in", "out"), device=device, requires_grad=True)
        b = nomen.zeros(4, names=("out",), device=device, requires_grad=True)
        losses[device] = []
        for _ in range(3):
            loss = ((x @ w + b).relu().log_softmax("out") * 0.5).exp().mean(("N", "out"))
            loss.backward()
            with nomen.no_grad():
                for t in (w, b):
                    assert t.grad.device == t.device and t.grad.names == t.names
                    t -= t.grad
                    t.grad = None
            losses[device].append(loss.item())
    assert losses["mock"] == pytest.approx(losses["cpu"], rel=1e-5)


def test_gradients_cross_devices_and_twice():
    x = nomen.tensor([1.0, 2.0, 3.0], names=("N",), requires_grad=True)
    y = x.to("mock")
    (first,) = nomen.autograd.grad((y * y * y).sum(), x, create_graph=True)
    assert first.device.type == "cpu" and first.names == ("N",)
    (second,) = nomen.autograd.grad(first.sum(), x)
    assert second.tolist() == [6.0, 12.0, 18.0]
    v = nomen.ones(3, names=("N",), device="mock")
    v[1:] = x[:2].to("mock") * 2
    v.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 0.0]


def test_gradients_stay_with_their_tensor():
    x = nomen.ones(2, names=("N",), device="mock", requires_grad=True)
    with raises(
        RuntimeError,
        "assigned grad has data located on a different device: cpu, not mock:0",
    ):
        x.grad = nomen.ones(2)
    with pytest.raises(RuntimeError, match="at least two devices, mock:0 and cpu!"):
        (x * 2).backward(nomen.ones(2))
    x.data = x.data.to("mock:1")
    (x * 3).backward(nomen.ones(2, device="mock:1"))
    assert x.grad.device == x.device == nomen.device("mock:1") and x.grad.tolist() == [3.0, 3.0]
    kept = x.grad
    (x * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0] and kept.tolist() == [3.0, 3.0]


def test_in_place_and_out():
    x, y = sample(3, 4, names=("N", "C")), sample(3, 4, names=("N", "C")).to("mock")
    for t in (x, y):
        t[1] = 0
        t[:, 2] += 5
        t.mul_(2).add_(t)
        t.select("C", 0).fill_(9)
        t.t().zero_() if t.numel() == 0 else t
    same(y, x)
    out = nomen.empty(0, device="mock")
    assert nomen.add(y, y, out=out) is out
    same(out, x + x)
    y.copy_(nomen.ones(4, names=("C",)))
    assert y.sum().item() == 12
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        y.rename_(None).add_(nomen.ones(2, 3, 4, device="mock"))


def test_what_is_refused():
    x = nomen.ones(2, names=("N",), device="mock")
    here = nomen.ones(2, names=("N",))
    two = "Expected all tensors to be on the same device, but found at least two devices"
    for call in (
        lambda: x + here,
        lambda: here + x,
        lambda: here.add_(x),
        lambda: here @ x,
        lambda: nomen.cat([here, x]),
        lambda: nomen.where(here > 0, x, x),
        lambda: x + nomen.ones(2, names=("N",), device="mock:1"),
        lambda: nomen.add(here, here, out=x),
    ):
        with pytest.raises(RuntimeError, match=two):
            call()
    for call in (
        lambda: x.sin(),
        lambda: x.sort("N"),
        lambda: x.normal_(),
        lambda: x[x > 0],
        lambda: x.nonzero(),
        lambda: x.var("N"),
        lambda: here.repeat_interleave(nomen.tensor([1, 2], device="mock")),
    ):
        with pytest.raises(NotImplementedError, match="'mock:0'") as info:
            call()
        assert any("x.cpu()" in note for note in info.value.__notes__)
    with pytest.raises((TypeError, BufferError), match="can't convert mock:0 device type tensor"):
        memoryview(x)
    with pytest.raises((RuntimeError, BufferError)):
        x.__dlpack__()
    for call in (x.untyped_storage, lambda: pickle.dumps(x), x.share_memory_):
        with pytest.raises(RuntimeError, match="mock:0"):
            call()
    with pytest.raises(nomen.DeviceError, match="the backend has 2 devices"):
        nomen.zeros(1, device="mock:2")
    with pytest.raises(RuntimeError, match="at start of device string: mocks"):
        nomen.device("mocks")
    with pytest.raises(nomen.DeviceError, match="libnomen_backend_cuda.so was found"):
        x.to("cuda")


def test_reading_elements():
    x = sample(2, 3).to("mock")
    assert x.tolist() == sample(2, 3).tolist() and x[1, 2].item() == sample(2, 3)[1, 2].item()
    assert float(x.sum()) == float(sample(2, 3).sum()) and bool(x[0, 2] > 0)
    assert nomen.equal(x, x.clone()) and str(x[0, 0]) == "tensor(-0.6300, device='mock:0')"


def test_random_programs():
    """Programs of random steps, on both devices."""
    steps = [
        lambda t: t * 2, lambda t: t + t, lambda t: t.t(), lambda t: t[::2], lambda t: t.relu(),
        lambda t: t - t.sum(0, keepdim=True), lambda t: t.flip(1), lambda t: nomen.cat([t, t], 1),
        lambda t: t.contiguous(), lambda t: t.softmax(1), lambda t: t[:, 1:], lambda t: t.tanh(),
        lambda t: t.reshape(-1, 1).expand(-1, 2), lambda t: nomen.where(t > 0, t, t * t),
    ]  # fmt: skip
    for seed in range(40):
        rng = random.Random(seed)
        program = [rng.choice(steps) for _ in range(8)]
        results = []
        for device in ("cpu", "mock"):
            leaf = sample(4, 4).to(device).requires_grad_()
            t = leaf * 1
            for step in program:
                t = step(t) if t.numel() < 2000 and t.shape[1] > 1 else t
            t.sum().backward()
            results.append((t, leaf.grad))
        (here, here_grad), (there, there_grad) = results
        same(there, here)
        assert nomen.allclose(there_grad.cpu(), here_grad, rtol=1e-4, atol=1e-4)


def test_waiting_and_counting():
    assert nomen.device_count("mock") == 2 and nomen.device_count("cpu") == 1
    assert nomen.device_count("cuda") == 0 == nomen.device_count("nowhere")
    nomen.synchronize()
    nomen.synchronize("mock")
    nomen.synchronize(nomen.device("mock:1"))
    with pytest.raises(nomen.DeviceError, match="not compiled with CUDA"):
        nomen.synchronize("cuda")


def test_whose_products():
    before = nomen.get_blas()
    assert before in ("own", "auto", "openblas")
    nomen.set_blas("own")
    assert nomen.get_blas() == "own"
    with raises(ValueError, "nomen_set_blas: 'mkl' is none of 'own', 'openblas', 'auto'"):
        nomen.set_blas("mkl")
    nomen.set_blas(before)
