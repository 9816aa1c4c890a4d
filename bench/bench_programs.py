"""Steps of small whole programs beside PyTorch: what a user waits for, gradients and all.

    PYTHONPATH=build/release/python build/bench-venv/bin/python bench/bench_programs.py
        [--threads 1] [--turns 9] [--only attention]

Both libraries get the same numbers and take turns; the median of the turns counts. Each line: us of
a step of nomen, of the peer, their ratio, and how far the results of a step are apart.
"""

import argparse
import os
import platform
import statistics
import time

os.environ["OMP_WAIT_POLICY"] = "passive"  # else the peer's threads take processors between turns

import nomen  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402


def maker(lib):
    """The same tensors for both libraries."""
    chance = numpy.random.default_rng(7)

    def made(*size, scale=1.0, grad=False):
        x = lib.from_numpy((chance.standard_normal(size) * scale).astype("float32"))
        return x.requires_grad_() if grad else x

    made.places = lambda n, *size: lib.from_numpy(chance.integers(0, n, size))
    return made


def network(lib, rows, columns, hidden, classes):
    """One step of training a network with a hidden layer, by gradient descent."""
    made = maker(lib)
    w1, b1 = made(columns, hidden, scale=0.05, grad=True), made(hidden, grad=True)
    w2, b2 = made(hidden, classes, scale=0.05, grad=True), made(classes, grad=True)
    x, wanted, weights = made(rows, columns), made.places(classes, rows, 1), [w1, b1, w2, b2]

    def step():
        scores = (x @ w1 + b1).relu() @ w2 + b2
        loss = -lib.log_softmax(scores, 1).gather(1, wanted).mean()
        slopes = lib.autograd.grad(loss, weights)
        with lib.no_grad():
            for w, g in zip(weights, slopes):
                w.sub_(g * 1e-4)
        return loss

    return step


def attention(lib, batch, length, width, heads):
    """Masked attention of several heads, and its gradients."""
    made = maker(lib)
    weights = [made(width, width, scale=0.05, grad=True) for _ in range(4)]
    x, hidden = made(batch, length, width), lib.tril(lib.ones(length, length)) == 0
    size = [batch, length, heads, width // heads]

    def step():
        q, k, v = ((x @ w).reshape(size).transpose(1, 2) for w in weights[:3])
        scores = (q @ k.transpose(-1, -2)) * size[-1] ** -0.5
        shares = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        out = (shares @ v).transpose(1, 2).reshape(batch, length, width) @ weights[3]
        return lib.autograd.grad((out * out).mean(), weights)[0]

    return step


def layer_norm(lib, rows, columns):
    """A normalised layer, written out, and its gradients."""
    made = maker(lib)
    x, w, b = made(rows, columns, grad=True), made(columns, grad=True), made(columns, grad=True)

    def step():
        apart = x - x.mean(-1, keepdim=True)
        y = apart * lib.rsqrt((apart * apart).mean(-1, keepdim=True) + 1e-5) * w + b
        return lib.autograd.grad((y * y).sum(), [x, w, b])[1]

    return step


def recurrent(lib, rows, width, length):
    """A recurrent network over some steps, and its gradients."""
    made = maker(lib)
    own, other = (made(width, width, scale=0.05, grad=True) for _ in "wu")
    b, start = made(width, grad=True), made(rows, width)
    steps = [made(rows, width) for _ in range(length)]

    def step():
        h = start
        for x in steps:
            h = lib.tanh(x @ own + h @ other + b)
        return lib.autograd.grad(h.sum(), [own, other, b])[2]

    return step


def gelu(lib, rows, columns):
    """A chain of nine pointwise operations, and its gradient."""
    x = maker(lib)(rows, columns, grad=True)

    def step():
        y = 0.5 * x * (1 + lib.tanh(0.79788456 * (x + 0.044715 * x * x * x)))
        return lib.autograd.grad(y.sum(), [x])[0]

    return step


def adam(lib, count):
    """One step of Adam, all in place."""
    made = maker(lib)
    w, g, mean, square = made(count), made(count), lib.zeros(count), lib.zeros(count)

    def step():
        mean.mul_(0.9).add_(g, alpha=0.1)
        square.mul_(0.999).addcmul_(g, g, value=0.001)
        return w.addcdiv_(mean, square.sqrt().add_(1e-8), value=-1e-6)

    return step


def boxes(lib, count):
    """Corners of boxes moved about by columns, in place, and some of them dropped."""
    corners = maker(lib)(count, 4)

    def step():
        b = corners.clone()
        b[:, 2:] -= b[:, :2]
        b[:, :2] += b[:, 2:] * 0.5
        b[:, 0::2] *= 3.0
        b[b < 0] = 0
        return b[b[:, 2] * b[:, 3] > 0.5].sum(0)

    return step


def clusters(lib, count, centres, width):
    """One step of k-means."""
    made = maker(lib)
    x, c, ones = made(count, width), made(centres, width), lib.ones(count)

    def step():
        nearest = lib.cdist(x, c).argmin(1)
        sums = lib.zeros(centres, width).index_add_(0, nearest, x)
        sizes = lib.zeros(centres).index_add_(0, nearest, ones)
        return sums / sizes.clamp(min=1).unsqueeze(1)

    return step


PROGRAMS = {
    network: [(32, 64, 128, 10), (256, 784, 512, 10)],
    attention: [(4, 64, 128, 4), (8, 256, 256, 8)],
    layer_norm: [(64, 256), (4096, 512)],
    recurrent: [(16, 32, 20), (64, 128, 50)],
    gelu: [(64, 256), (4096, 1024)],
    adam: [(10_000,), (3_000_000,)],
    boxes: [(1_000,), (100_000,)],
    clusters: [(1_000, 10, 8), (50_000, 32, 16)],
}


def numbers(t):
    return numpy.asarray(t.detach().numpy(), dtype="float64")


def measured(steps, turns):
    """us of a step of each, and the relative distance of their results."""
    mine, peers = (numbers(step()) for step in steps)
    apart = numpy.abs(mine - peers).max() / max(numpy.abs(peers).max(), 1e-30)
    begin = time.perf_counter()
    steps[1]()
    times = max(1, int(0.02 / (time.perf_counter() - begin)))
    took = [[], []]
    for _ in range(turns):
        for k, step in enumerate(steps):
            step()
            begin = time.perf_counter()
            for _ in range(times):
                step()
            took[k].append((time.perf_counter() - begin) / times * 1e6)
    return [statistics.median(t) for t in took], apart


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    options = parser.parse_args()
    for lib in (nomen, torch):
        lib.set_num_threads(options.threads)
    print(f"{platform.processor() or platform.machine()}, torch {torch.__version__},", end=" ")
    print(f"{options.threads} threads, medians of {options.turns} turns: us a step")
    for program, sizes in PROGRAMS.items():
        for size in sizes if options.only in program.__name__ else ():
            steps = [program(lib, *size) for lib in (nomen, torch)]
            (own, peer), apart = measured(steps, options.turns)
            name = f"{program.__name__}{list(size)}"
            print(f"{name:32} nomen {own:10.1f} peer {peer:10.1f} ratio {peer / own:6.2f}", end=" ")
            print(f"apart {apart:.0e}", flush=True)


if __name__ == "__main__":
    main()
