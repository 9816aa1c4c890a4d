#!/usr/bin/env python3
"""Random programs in nomen and in NumPy: views, writes in place, names, gradients.

    python tests/fuzz/fuzz_model.py --programs 1000000 --seed 1

A program works on a few small tensors. NumPy arrays are the model of values and of who shares
memory with whom, lists of names with rules written here the model of names. After each step all
tensors are compared, so that a write shows in all views and nowhere else. What the model refuses,
nomen must refuse, and nothing may change. A part of the programs is linear: there the gradient of
the end by the beginning is known, since the program is run again for each unit vector.
"""

import argparse
import random
import sys

import numpy

import nomen

NAMES = ["N", "C", "H"]
STEPS = 10


class Refused(Exception):
    pass


class Both:
    """A tensor and its model."""

    def __init__(self, tensor, array, names):
        self.t, self.a, self.names = tensor, array, list(names)


# ---- the rules of names ----------------------------------------------------------------------


def unify(a, b):
    """From the right: equal, or one of them none; no name may stand elsewhere in the other list."""
    n = max(len(a), len(b))
    a, b = [None] * (n - len(a)) + a, [None] * (n - len(b)) + b
    result = []
    for x, y in zip(a, b):
        if x and y and x != y:
            raise Refused
        result.append(x or y)
    for own, other in ((a, b), (b, a)):
        for at, name in enumerate(own):
            if name and not other[at] and name in other:
                raise Refused
    if len({x for x in result if x}) != sum(x is not None for x in result):
        raise Refused
    return result


def in_place_names(own, computed):
    if any(own) and own != computed:
        raise Refused
    return computed


# ---- steps: each is (what it does to nomen, what it does to NumPy, names) --------------------


def view_step(r, x):
    """-> (function of a tensor, function of an array, names) of a view."""
    n = x.a.ndim
    kind = r.randrange(8)
    d = r.randrange(n) if n else 0
    by = x.names[d] if n and x.names[d] and r.random() < 0.5 else d
    if kind == 0 and n >= 2:
        e = r.choice([i for i in range(n) if i != d])
        names = list(x.names)
        names[d], names[e] = names[e], names[d]
        return lambda t: t.transpose(d, e), lambda a: a.swapaxes(d, e), names
    if kind == 1 and n and x.a.shape[d]:
        at = r.randrange(-x.a.shape[d], x.a.shape[d])
        names = x.names[:d] + x.names[d + 1 :]
        return lambda t: t.select(by, at), lambda a: part(a, d, at), names
    if kind == 2 and n:
        s = slice(r.randrange(-4, 4), r.randrange(-4, 5), r.choice([1, 1, 2, 3]))
        index = (slice(None),) * d + (s,)
        return lambda t: t[index], lambda a: a[index], x.names
    if kind == 3 and n < 5:
        at = r.randrange(n + 1)
        names = x.names[:at] + [None] + x.names[at:]
        return lambda t: t.unsqueeze(at), lambda a: numpy.expand_dims(a, at), names
    if kind == 4 and n:
        names = x.names if x.a.shape[d] != 1 else x.names[:d] + x.names[d + 1 :]
        squeezed = (lambda a: a.squeeze(d)) if x.a.shape[d] == 1 else (lambda a: a[...])
        return lambda t: t.squeeze(by), squeezed, names
    if kind == 5 and n:
        order = r.sample(range(n), n)
        return (
            lambda t: t.permute(*order),
            lambda a: a.transpose(order),
            [x.names[i] for i in order],
        )
    if kind == 6 and n:
        names = [None if r.random() < 0.3 else name for name in r.sample(NAMES * 2, n)]
        if len({name for name in names if name}) != sum(name is not None for name in names):
            names = None  # a name twice
        wanted = names if names is not None else [NAMES[0]] * max(2, n)
        return lambda t: t.rename(*wanted), lambda a: a[...], names
    if kind == 7 and n:
        length = r.choice([2, 3])
        names = [None, *x.names]
        shape = (length, *x.a.shape)
        return lambda t: t.expand(shape), lambda a: numpy.broadcast_to(a, shape), names
    return lambda t: t.view_as(t), lambda a: a[...], x.names


def part(a, d, at):
    """One position of a dim; a view, of no dims too."""
    at = at % a.shape[d]
    return a[(slice(None),) * d + (slice(at, at + 1),)].squeeze(d)


def fresh_step(r, x, y, linear):
    kind = r.randrange(6)
    if kind < 2:
        alpha = r.choice([1, 2, -1])
        return (
            lambda t, u: t.add(u, alpha=alpha),
            lambda a, b: a + alpha * b,
            unify(x.names, y.names),
        )
    if kind == 2 and x.a.ndim:
        d = r.randrange(x.a.ndim)
        return lambda t, u: t.sum(d), lambda a, b: a.sum(d), x.names[:d] + x.names[d + 1 :]
    if kind == 3 and x.a.ndim:
        d = r.randrange(x.a.ndim)
        return lambda t, u: t.cumsum(d), lambda a, b: a.cumsum(d), x.names
    if kind == 4 and x.a.ndim:
        d = r.randrange(x.a.ndim)
        return lambda t, u: t.flip(d), lambda a, b: numpy.flip(a, d).copy(), x.names
    if not linear:
        return (
            lambda t, u: nomen.maximum(t, u),
            lambda a, b: numpy.maximum(a, b),
            unify(x.names, y.names),
        )
    return lambda t, u: t.neg(), lambda a, b: -a, x.names


def write_step(r, x, y, linear):
    """-> (function that writes to a tensor, to an array, names of what was written to)"""
    kind, k = r.randrange(5), r.choice([2, -1, 3])

    def times(a, b):
        a *= k

    def add(a, b):
        a += b

    def fill(a, b):
        a[...] = k

    def copy(a, b):
        a[...] = b

    if kind == 0:
        return lambda t, u: t.mul_(k), times, x.names
    if kind == 1:
        return lambda t, u: t.fill_(k), fill, x.names
    if kind == 2:
        return lambda t, u: t.copy_(u), copy, in_place_names(x.names, unify(x.names, y.names))
    if kind == 3 and not linear:
        return lambda t, u: t.zero_(), lambda a, b: a.fill(0), x.names
    return lambda t, u: t.add_(u), add, in_place_names(x.names, unify(x.names, y.names))


# ---- programs --------------------------------------------------------------------------------


def start(r, linear):
    """Some tensors; of a linear program the first is what the gradient is by."""
    dtype = numpy.float64 if linear else numpy.int64
    made = []
    for _ in range(3):
        sizes = [0, 1, 2, 3] if r.random() < 0.2 else [1, 2, 3]
        shape = [r.choice(sizes) for _ in range(r.randrange(4))]
        names = [name if r.random() < 0.6 else None for name in r.sample(NAMES, len(shape))]
        values = numpy.array([r.randrange(-9, 10) for _ in range(int(numpy.prod(shape)))], dtype)
        made.append((values.reshape(shape), names))
    return made


def tensor_of(array, names):
    t = nomen.tensor(array.ravel().tolist(), dtype=getattr(nomen, str(array.dtype)))
    t = t.reshape(array.shape)
    return t.rename(*names) if any(names) else t


def compare(pool, what):
    for at, x in enumerate(pool):
        assert list(x.t.names) == x.names, f"{what}: names of {at}: {x.t.names}, {x.names}"
        assert tuple(x.t.shape) == x.a.shape, f"{what}: sizes of {at}: {x.t.shape}, {x.a.shape}"
        assert x.t.detach().tolist() == x.a.tolist(), f"{what}: values of {at}"


def one_step(r, pool, linear, done):
    """Draws a step and does it to both; what was done to the arrays is noted in done."""
    x, y = r.choice(pool), r.choice(pool)
    i, j, kind = pool.index(x), pool.index(y), r.randrange(3)
    wrong, to_array = False, None
    try:
        if kind == 0:
            of_tensor, to_array, names = view_step(r, x)
            call, wrong = (lambda: of_tensor(x.t)), names is None
        else:
            draw = fresh_step if kind == 1 else write_step
            of_tensor, to_array, names = draw(r, x, y, linear)
            call = lambda: of_tensor(x.t, y.t)  # noqa: E731
            if kind == 2 and numpy.broadcast_shapes(x.a.shape, y.a.shape) != x.a.shape:
                raise Refused
            if kind == 1:
                numpy.broadcast_shapes(x.a.shape, y.a.shape)
    except (Refused, ValueError):
        return "refused by the model"  # the arguments of the call are not known then
    if kind == 2 and not x.a.flags.writeable:
        return "elements on each other"
    if kind == 2 and numpy.shares_memory(x.a, y.a):
        return "an operand that overlaps what is written"
    try:
        result = call()
    except (RuntimeError, IndexError) as error:
        assert wrong, f"refused: {error}"
        return "refused"
    assert not wrong, "this should have been refused"
    done.append((kind, i, j, to_array))
    changed = apply_array(pool_arrays(pool), done[-1])
    if kind == 2:
        x.names = list(names)
    elif changed.size <= 200:
        pool.append(Both(result, changed, names))
    else:
        done.pop()
    return "done"


def pool_arrays(pool):
    return [x.a for x in pool]


def apply_array(arrays, step):
    kind, i, j, function = step
    if kind == 1:  # an array, where NumPy would make a number
        return numpy.array(function(arrays[i], arrays[j]))
    return function(arrays[i]) if kind == 0 else function(arrays[i], arrays[j])


def run_again(made, done, unit):
    """The linear program on arrays alone, with 1 added to one element of the first tensor."""
    arrays = [a.copy() for a, _ in made]
    arrays[0].ravel()[unit] += 1
    for step in done:
        result = apply_array(arrays, step)
        if step[0] != 2:
            arrays.append(result)
    return sum(float((a * weights(a)).sum()) for a in arrays)


def weights(a):
    return numpy.arange(1, a.size + 1, dtype=a.dtype).reshape(a.shape)


def check_gradient(made, pool, done, leaf):
    end = [x for x in pool if x.t.requires_grad and x.a.size]
    if not end or not made[0][0].size:
        return False
    arrays = pool_arrays(pool)
    base = sum(float((a * weights(a)).sum()) for a in arrays)
    total = sum((x.t.rename(None) * tensor_of(weights(x.a), [])).sum() for x in end)
    total.backward()
    wanted = [run_again(made, done, unit) - base for unit in range(made[0][0].size)]
    found = [] if leaf.grad is None else leaf.grad.rename(None).reshape(-1).tolist()
    assert (found or [0.0] * len(wanted)) == wanted, f"gradient {found}, and {wanted} is right"
    assert leaf.grad is None or leaf.grad.names == leaf.names
    return True


def program(seed, steps=STEPS):
    r = random.Random(seed)
    linear = r.random() < 0.4
    made = start(r, linear)
    pool = [Both(tensor_of(a, names), a.copy(), names) for a, names in made]
    leaf = pool[0].t
    if linear:
        leaf.requires_grad_()
        pool[0].t = leaf.clone()
    done, counts = [], 0
    for at in range(steps):
        before = len(done)
        said = one_step(r, pool, linear, done)
        compare(pool, f"after step {at} ({said})")
        counts += len(done) > before
    return counts, linear and check_gradient(made, pool, done, leaf)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    steps = gradients = 0
    for at in range(options.programs):
        seed = options.seed * 10**9 + at
        try:
            counts, gradient = program(seed)
        except Exception:
            print(f"program({seed})", flush=True)
            raise
        steps += counts
        gradients += gradient
    print(f"figure: programs in nomen and in NumPy: {options.programs}")
    print(f"figure: of them with a gradient: {gradients}")
    print(f"figure: steps of programs compared: {steps}")


if __name__ == "__main__":
    sys.exit(main())
