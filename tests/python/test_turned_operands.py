"""Elementwise calls whose operands lie in any order of dims, broadcast or with gaps, give the bits
of the same call on contiguous ones: whichever tiles they are read in, by one thread and by some."""

import random

import pytest

import nomen

pytestmark = pytest.mark.usefixtures("threads_kept")

SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 50, 64, 117, 187]
CALLS = {
    "add": lambda x, y, z: x + y,
    "mul": lambda x, y, z: z * x,
    "addcmul": lambda x, y, z: nomen.addcmul(x, y, z),
    "twice": lambda x, y, z: nomen.addcmul(x, y, y),
    "where": lambda x, y, z: nomen.where(nomen.real(z) > 0, x, y),
    "neg": lambda x, y, z: -x,
}
DTYPES = ["float32", "float64", "bfloat16", "int64", "uint8", "complex64", "complex128"]


def laid_out(draw, shape, dtype):
    """A tensor of this shape: its dims in another order, some of them broadcast, or with gaps."""
    own = [1 if draw.random() < 0.2 else size for size in shape]
    order = list(range(len(own)))
    if draw.random() < 0.7:
        draw.shuffle(order)
    sizes = [own[d] for d in order]
    gap = draw.choice([0, 0, 1, 2])
    last = sizes[-1] * (2 if gap == 2 else 1) + gap
    t = (nomen.randn(*sizes[:-1], last, dtype=nomen.float64) * 9).to(getattr(nomen, dtype))
    t = t[..., : sizes[-1] * 2 : 2] if gap == 2 else t[..., : sizes[-1]]
    return t.permute([order.index(d) for d in range(len(own))]).expand(shape)


def shape_of(draw):
    most = draw.choice([500, 5000, 60000])
    shape = []
    for _ in range(draw.randint(2, 4)):
        size = draw.choice(SIZES)
        shape.append(size if size <= most else 1)
        most //= shape[-1]
    return shape


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_layout(dtype):
    draw = random.Random(dtype)
    nomen.manual_seed(3)
    for _ in range(60):
        shape = shape_of(draw)
        operands = [laid_out(draw, shape, dtype) for _ in range(3)]
        plain = [t.contiguous() for t in operands]
        for name, call in CALLS.items():
            nomen.set_num_threads(1)
            wanted = call(*plain)
            for threads in (1, 3):
                nomen.set_num_threads(threads)
                assert nomen.equal(call(*operands), wanted), (name, [t.stride() for t in operands])
        room = nomen.zeros(*shape, 3, dtype=plain[0].dtype).select(-1, 1)
        room.copy_(operands[0]).add_(operands[1])
        assert nomen.equal(room, plain[0] + plain[1]), (shape, room.stride())


def test_a_broadcast_tile_is_not_taken_for_a_longer_one():
    # parts of a dim along which y does not move, of which the last one is shorter
    x = nomen.randn(16, 1, 16, dtype=nomen.float64)
    y = nomen.randn(16, 117, 16, dtype=nomen.float64).permute(2, 1, 0)
    z = nomen.randn(16, 117, 16, dtype=nomen.float64)
    wanted = nomen.addcmul(x.expand(16, 117, 16).contiguous(), y.contiguous(), z)
    assert nomen.equal(nomen.addcmul(x, y, z), wanted)


@pytest.mark.parametrize("step", [2, 3])
@pytest.mark.parametrize("size", [5, 12, 16, 31, 40])
@pytest.mark.parametrize("dtype", ["bool", "float16", "int32", "float64", "complex128"])
def test_fills_of_rows_with_holes(dtype, size, step):
    whole = nomen.zeros(37, size * step, dtype=getattr(nomen, dtype))
    whole[:, ::step].fill_(1)
    assert whole[:, ::step].eq(1).all()
    for other in range(1, step):
        assert whole[:, other::step].eq(0).all()
    whole[:, ::step].zero_()
    assert whole.eq(0).all()
