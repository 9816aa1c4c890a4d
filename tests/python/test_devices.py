"""Machine queries without a GPU, devices, default dtypes, new_* methods, inference mode."""

import copy
import pickle

import pytest
from exactly import raises

import nomen

x = nomen.ones(2, 3, names=("N", "C"), dtype=nomen.float64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: x.cuda(),
        lambda: x.cuda(0),
        lambda: x.cuda("cuda:1"),
        lambda: x.to("cuda"),
        lambda: x.cuda(nomen.device("cuda")),
        lambda: x.to(nomen.device("cuda", 0)),
        lambda: x.to(0),
        lambda: nomen.zeros(2, device="cuda"),
        lambda: nomen.tensor([1], device="cuda"),
        lambda: x.new_zeros(2, device=nomen.device("cuda")),
        nomen.cuda.current_device,
        nomen.cuda.init,
        nomen.cuda.synchronize,
    ],
)
def test_cuda_is_a_clear_error(call):
    with pytest.raises(nomen.DeviceError, match="not compiled with CUDA enabled") as info:
        call()
    # PyTorch raises the second, programs look for the first
    assert isinstance(info.value, RuntimeError) and isinstance(info.value, AssertionError)


def test_other_devices():
    with pytest.raises(nomen.DeviceError, match="no device 'meta'"):
        x.to("meta")
    with raises(RuntimeError, "Invalid device, must be cuda device"):
        x.cuda("cpu")
    with pytest.raises(RuntimeError, match="at start of device string: nowhere"):
        nomen.zeros(2, device="nowhere")
    with pytest.raises(TypeError, match=r"cuda\(\): argument 'device'"):
        x.cuda(1.5)
    for call in (
        x.pin_memory,
        lambda: nomen.zeros(2, pin_memory=True),
        lambda: nomen.tensor(1, pin_memory=True),
        lambda: x.new_zeros(2, pin_memory=True),
    ):
        with pytest.raises(RuntimeError, match="Pinned memory requires CUDA"):
            call()


def test_answers():
    assert not nomen.cuda.is_available() and not nomen.cuda.is_initialized()
    assert nomen.cuda.device_count() == 0
    nomen.cuda.manual_seed(1)
    nomen.cuda.manual_seed_all(1)
    nomen.cuda.empty_cache()
    assert x.get_device() == nomen.get_device(x) == -1
    assert x.is_cuda is x.is_sparse is x.is_sparse_csr is x.is_meta is x.is_quantized is False
    assert x.is_pinned() is x.is_shared() is x.is_inference() is False
    with raises(TypeError, "get_device(): argument 'input' (position 1) must be Tensor, not int"):
        nomen.get_device(2)


def test_device_objects():
    one, two = nomen.device("cuda", 1), nomen.device("cuda:1")
    assert one == two and hash(one) == hash(two) and one.index == 1 and one.type == "cuda"
    assert str(one) == "cuda:1" and repr(one) == "device(type='cuda', index=1)"
    cpu = nomen.device("cpu")
    assert cpu == x.device and cpu != one and cpu != nomen.device("cpu", 0) and cpu.index is None
    assert cpu != "cpu" and nomen.device(cpu) is cpu and nomen.device(1) == one
    assert nomen.zeros(2, device=nomen.device("cpu:0")).device == cpu
    for device in (one, cpu):
        assert pickle.loads(pickle.dumps(device)) == device == copy.deepcopy(device)
    for wrong in ("cuda:", "cuda:x", "cuda:01", "cuda:-1", "cpu:99999"):
        with raises(RuntimeError, f"Invalid device string: '{wrong}'"):
            nomen.device(wrong)
    with pytest.raises(RuntimeError, match="Device index must be 0 to"):
        nomen.device("cuda", -2)
    with pytest.raises(RuntimeError, match="must not include an index"):
        nomen.device("cuda:1", 1)
    with pytest.raises(TypeError):
        nomen.device(1.5)


# ---- new_* -----------------------------------------------------------------------------------


def test_new_tensors_have_the_dtype():
    for t in (
        x.new_zeros(2, 3),
        x.new_zeros((2, 3)),
        x.new_zeros(size=(2, 3)),
        x.new_ones([2, 3]),
        x.new_empty(nomen.Size([2, 3])),
        x.new(2, 3),
        x.new_full((2, 3), 7),
        x.new_empty_strided((2, 3), (1, 2)),
        x.new_tensor([[1, 2, 3], [4, 5, 6]]),
        x.new([[1, 2, 3], [4, 5, 6]]),
    ):
        assert t.shape == (2, 3) and t.dtype is nomen.float64 and t.names == (None, None)
    assert x.new_full((2,), 7).tolist() == [7.0, 7.0] and x.new_ones(1).item() == 1.0
    assert x.new_zeros(2, dtype=nomen.int8, names=("K",)).names == ("K",)
    w = x.new_zeros(2, requires_grad=True, device="cpu", layout=nomen.strided, pin_memory=False)
    assert w.requires_grad and w.is_leaf and not x.new_zeros(()).ndim
    assert x.new_tensor(x).names == ("N", "C") and x.new_tensor(1, dtype=int).dtype is nomen.int64
    assert x.new().shape == (0,) and x.new(x.shape).shape == (2, 3)
    with raises(TypeError, 'new_zeros() missing 1 required positional arguments: "size"'):
        x.new_zeros()
    integers = nomen.ones(2, dtype=nomen.int32)
    assert integers.new_full((2,), 2.5).tolist() == [2, 2]
    with pytest.raises(RuntimeError):
        x.new_full((2,), 1j)


def test_empty_strided():
    t = nomen.empty_strided((2, 3), (1, 2), dtype=nomen.int16, names=("N", "C"))
    assert t.stride() == (1, 2) and t.untyped_storage().nbytes() == 12 and t.names == ("N", "C")
    assert t.zero_().tolist() == [[0] * 3] * 2
    assert nomen.empty_strided((2, 3), (0, 0)).untyped_storage().nbytes() == 4
    assert (
        nomen.empty_strided((0, 3), (5, 1)).numel() == 0 and nomen.empty_strided((), ()).ndim == 0
    )
    for size, stride in (((2,), (1, 1)), ((2,), (-1,)), ((-2,), (1,)), ((2**62,), (2**62,))):
        with pytest.raises(RuntimeError):
            nomen.empty_strided(size, stride)


# ---- the default dtype -----------------------------------------------------------------------


@pytest.fixture
def default():
    yield nomen.set_default_dtype
    nomen.set_default_dtype(nomen.float32)


@pytest.mark.parametrize("name", ["float64", "float16", "bfloat16", "float32"])
def test_default_dtype(default, name):
    dtype = getattr(nomen, name)
    default(dtype)
    assert nomen.get_default_dtype() is dtype
    integers = nomen.ones(2, dtype=nomen.int64)
    for t in (
        nomen.zeros(2),
        nomen.tensor([1.5]),
        nomen.tensor([]),
        nomen.full((2,), 1.5),
        nomen.arange(2.0),
        nomen.Tensor([1, 2]),
        integers * 1.5,
        integers / 2,
        integers.exp(),
        nomen.empty(0),
    ):
        assert t.dtype is dtype
    wide = nomen.complex128 if name == "float64" else nomen.complex64
    assert nomen.tensor([1j]).dtype is wide and (integers * 1j).dtype is wide
    assert "dtype" not in repr(nomen.zeros(2)) and "dtype" not in repr(nomen.tensor([1j]))
    other = nomen.float64 if name != "float64" else nomen.float32
    assert f"dtype={other}" in repr(nomen.zeros(2, dtype=other))
    assert nomen.ones(2, dtype=other).mul(1.5).dtype is other


def test_wrong_default_dtypes(default):
    for dtype in (nomen.int32, nomen.complex64, nomen.bool):
        with raises(TypeError, "only floating-point types are supported as the default type"):
            default(dtype)
    with pytest.raises(TypeError, match="invalid dtype object"):
        default(float)
    assert nomen.get_default_dtype() is nomen.float32


def test_inference_mode():
    w = nomen.ones(2, requires_grad=True)

    @nomen.inference_mode()
    def inside():
        assert nomen.is_inference_mode_enabled() and not nomen.is_grad_enabled()
        return w * 2

    @nomen.inference_mode
    def bare():
        return w * 2

    assert not inside().requires_grad and not bare().requires_grad
    with nomen.inference_mode():
        with nomen.inference_mode(False):
            assert (w * 2).requires_grad and not nomen.is_inference_mode_enabled()
        assert not (w * 2).requires_grad
    assert not nomen.is_inference_mode_enabled() and (w * 2).requires_grad
