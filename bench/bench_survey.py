"""Calls drawn by chance beside PyTorch: which ones lose where nobody thought of measuring.

    PYTHONPATH=build/release/python build/bench-venv/bin/python bench/bench_survey.py
        [--seed 1] [--seconds 60] [--kinds pointwise,three] [--threads 1] [--below 0.95] [--values]

Operation, shape, dtype, layout and dim are drawn; both libraries call in turns, the least of some
turns counts, and what seems to lose is measured again. Some 200 calls a second. Each line that is
printed is a ratio (the peer's time divided by nomen's), both times, and the call as a program:
what stands before | makes the operands, L is the library. --values: results are compared instead.
"""

import argparse
import os
import platform
import random
import time

os.environ["OMP_WAIT_POLICY"] = "passive"  # else the peer's threads take processors between turns

import nomen  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

FLOATS = ["float32"] * 4 + ["float64"] * 2 + ["bfloat16", "float16"]
COMPLEX = ["complex64", "complex128"]
WHOLE = ["int64", "int32", "uint8", "int8", "int16"]
ANY = FLOATS + COMPLEX + WHOLE + ["bool"]
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000]
SIDES = [1, 2, 3, 4, 5, 8, 13, 16, 17, 31, 32, 33, 50, 64, 65, 100, 127, 128, 200, 256, 300, 500]
ELEMENTS = [100, 1000, 5000, 10000, 30000, 30000, 30000, 100000, 300000]

FUNCTIONS = """neg exp log sqrt rsqrt sin cos tanh sigmoid relu floor round trunc sign reciprocal
square expm1 log1p log2 erf sinh asin atan asinh isnan isfinite frac""".split()
FUNCTIONS_OF_COMPLEX = "abs neg exp log sqrt sin tanh sigmoid reciprocal square isnan".split()
FUNCTIONS_OF_WHOLE = "abs neg sign clone square logical_not".split()
PAIRS = "add sub mul div maximum minimum fmod remainder eq lt ge fmax floor_divide".split()
PAIRS_OF_FLOATS = "atan2 pow hypot copysign logaddexp".split()
PAIRS_OF_COMPLEX = "add sub mul div eq ne".split()
REDUCED = """sum mean prod amax amin max min argmax any all var std norm logsumexp nansum
median count_nonzero var_mean aminmax mode""".split()
REDUCED_OF_COMPLEX = "sum mean prod norm any all count_nonzero".split()
REDUCED_OF_WHOLE = "sum prod amax amin max min any all argmax count_nonzero median mode".split()
ALONG = """cumsum cumprod cummax cummin logcumsumexp softmax log_softmax sort argsort flip diff
topk kthvalue""".split()
ALONG_OF_WHOLE = "cumsum cummax cummin sort argsort flip".split()
INDEXED = {
    "gather": "i=places(n, s)|L.gather(x, d, i)",
    "take_along_dim": "i=places(n, s)|L.take_along_dim(x, i, d)",
    "scatter": "i=places(n, s)|L.scatter(x, d, i, x)",
    "scatter_add": "i=places(n, s)|L.scatter_add(x, d, i, x)",
    "index_select": "i=places(n, [n])|L.index_select(x, d, i)",
    "index_select, few": "i=places(n, [max(1, n // 4)])|L.index_select(x, d, i)",
    "index_add": "i=places(n, [n])|L.index_add(x, d, i, x)",
    "index_fill": "i=places(n, [max(1, n // 3)])|L.index_fill(x, d, i, 1)",
    "x[i]": "i=places(x.shape[0], [x.shape[0]])|x[i]",
    "take": "i=places(x.numel(), s)|L.take(x, i)",
    "masked_fill": "m=mask(s)|x.masked_fill(m, 1)",
    "masked_select": "m=mask(s)|L.masked_select(x, m)",
    "masked_scatter": "m=mask(s)|L.masked_scatter(x, m, x)",
    "nonzero": "m=mask(s)|L.nonzero(m)",
    "where": "m=mask(s)|L.where(m, x, x)",
    "x[m]": "m=mask(s)|x[m]",
    "roll": "|L.roll(x, 3, d)",
    "repeat_interleave": "|x.repeat_interleave(3, d)",
}
COPIED = {
    "cat": "|L.cat([x, x, x], d)",
    "stack": "|L.stack([x, x], d)",
    "contiguous": "|x.contiguous()",
    "flatten": "x=x.transpose(0, -1)|x.flatten()",
    "fill": "|x.fill_(1)",
    "zero": "|x.zero_()",
    "copy": "y=x.transpose(0, -1)|x.copy_(y) if x.shape == y.shape else x.clone()",
    "to": "|x.to(L.{})",
}

# What may be done again and again to what it has made of x: y is 0 or 1, as the operation has it.
WRITTEN = """neg abs sin tanh sigmoid relu floor round sign reciprocal sqrt square trunc
clamp logical_not""".split()
WRITTEN_OF_COMPLEX = "neg sgn conj_physical".split()
WRITTEN_OF_WHOLE = "neg abs sign clamp square logical_not".split()
KEPT_BY_ZEROS, KEPT_BY_ONES = "add sub logical_or".split(), "mul div logical_and".split()
WRITTEN_AT = {
    "masked_fill_": "m=mask(s)|x.masked_fill_(m, 1)",
    "x[m] = 1": "m=mask(s)|x.__setitem__(m, 1)",
    "index_fill_": "i=places(n, [max(1, n // 3)])|x.index_fill_(d, i, 1)",
    "index_copy_": "i=places(n, [n]);y=x.clone()|x.index_copy_(d, i, y)",
    "scatter_": "i=places(n, s);y=x.clone()|x.scatter_(d, i, y)",
    "scatter_ of a number": "i=places(n, s)|x.scatter_(d, i, 1)",
    "x[..., 1:] = y": "y=x[..., 1:].clone();k=(..., slice(1, None))|x.__setitem__(k, y)",
    "x[0] = 1": "|x.__setitem__(0, 1)",
    "copy_": "y=x.clone()|x.copy_(y)",
    "copy_ of another dtype": "y=x.to(L.float32)|x.copy_(y)",
    "masked_scatter_": "m=mask(s);y=x.clone()|x.masked_scatter_(m, y)",
    "cumsum_": "x=x.to(L.float32).zero_()|x.cumsum_(d)",
}
SLOPES = """neg exp log sqrt rsqrt sin cos tanh sigmoid relu abs reciprocal square expm1 log1p erf
atan asinh sinh tan""".split()
SLOPES_OF_PAIRS = "add sub mul div maximum minimum atan2 pow hypot".split()
SLOPES_OF_COMPLEX = "neg exp log sqrt sin tanh square abs".split()
SLOPES_OF_DIMS = """sum mean prod amax amin var std logsumexp cumsum cumprod softmax log_softmax
flip cummax sort median norm max""".split()
SLOPES_OF_DIMS_OF_COMPLEX = "sum mean prod cumsum flip".split()
SLOPES_AT = {
    "gather": "i=places(n, s)|L.gather(x, d, i)",
    "index_select": "i=places(n, [n])|L.index_select(x, d, i)",
    "x[i]": "i=places(x.shape[0], [x.shape[0]])|x[i]",
    "take": "i=places(x.numel(), s)|L.take(x, i)",
    "masked_fill": "m=mask(s)|x.masked_fill(m, 1)",
    "masked_select": "m=mask(s)|L.masked_select(x, m)",
    "where": "m=mask(s)|L.where(m, x, 0)",
    "cat": "|L.cat([x, x], d)",
    "stack": "|L.stack([x, x], d)",
    "x[..., 1:]": "|x[..., 1:]",
    "select": "|x.select(d, n // 2)",
    "transpose": "|x.transpose(0, -1)",
    "reshape": "|x.transpose(0, -1).reshape(-1)",
    "contiguous": "|x.transpose(0, -1).contiguous()",
    "expand": "|x.unsqueeze(0).expand(3, *s)",
    "roll": "|L.roll(x, 3, d)",
    "diff": "|L.diff(x, 1, d)",
    "to": "|x.to(L.float64)",
    "repeat": "|x.unsqueeze(0).repeat(3, *[1 for _ in s])",
    "clamp": "|x.clamp(0.2, 0.8)",
    "addcmul": "y=x.detach()|L.addcmul(x, x, y)",
    "lerp": "y=x.detach()|L.lerp(x, y, 0.3)",
    "norm": "|L.norm(x)",
    "sum": "|x.sum()",
    "mean": "|x.mean()",
}

# Arguments that are seldom given: m is the operand as a matrix, {p} and the like are drawn.
SELDOM = {
    "pow": "|x ** {e}",
    "a number to the power": "|L.pow({q}, x)",
    "polygamma": "|L.polygamma({k}, x)",
    "norm": "|L.norm(x, {p}, d)",
    "norm of all": "|L.norm(x, {p})",
    "nuclear norm": "m=m[:200, :300]|L.norm(m, 'nuc')",
    "dist": "y=x.detach() * 0.5|L.dist(x, y, {p})",
    "cdist": "m=m[:300, :500];y=m.detach()[:50]|L.cdist(m, y, {p})",
    "pdist": "m=m[:150, :500]|L.pdist(m, {p})",
    "quantile": "|L.quantile(x, {q}, d)",
    "nanquantile": "|L.nanquantile(x, {q}, d)",
    "std of two dims": "|L.std(x, dim=(0, -1))",
    "logsumexp of two dims": "|L.logsumexp(x, dim=(0, -1))",
    "sum of two dims": "|x.sum(dim=(0, -1))",
    "amax of two dims": "|x.amax(dim=(0, -1))",
    "unique": "w=(x.detach() * 9).round()|L.unique(w)",
    "unique, counted": "w=(x.detach() * 9).round()|L.unique(w, True, True, True)",
    "unique along": "w=m.detach().round()|L.unique(w, dim=0)",
    "unique_consecutive": "w=x.detach().round()|L.unique_consecutive(w)",
    "histc": "|L.histc(x, 50)",
    "bincount": "i=places(n, [x.numel()])|L.bincount(i)",
    "searchsorted": "w=x.detach().flatten().sort()[0]|L.searchsorted(w, x)",
    "bucketize": "w=L.linspace(0, 1, 100).to(x.dtype)|L.bucketize(x, w)",
    "multinomial, again": "w=m.detach().abs()|L.multinomial(w, 30, True)",
    "multinomial": "w=m.detach().abs()|L.multinomial(w, min(w.shape[1], 10))",
    "windows": "|x.unfold(d, min(n, {k} + 1), {k} + 1).sum(-1)",
    "overlapping windows": "|x.unfold(d, min(n, {k} + 2), 1).sum(-1)",
    "einsum, rows": "|L.einsum('ij,ij->i', m, m)",
    "einsum, columns": "|L.einsum('ij,ij->j', m, m)",
    "einsum, products": "y=m[:100]|L.einsum('ij,kj->ik', y, y)",
    "scatter_reduce": "i=places(n, s)|x.scatter_reduce(d, i, x, '{r}')",
    "index_put": "i=places(s[0], s[:1])|x.index_put((i,), x, accumulate=True)",
    "put": "i=places(x.numel(), s)|x.put(i, x)",
    "tril": "|m.tril({k})",
    "triu": "|m.triu({k})",
    "diag_embed": "y=m[:50, :100]|L.diag_embed(y)",
    "roll of two dims": "|L.roll(x, (3, -1), (0, -1))",
    "repeat": "|m.repeat(2, 3)",
    "repeat_interleave": "i=places(3, [n])|x.repeat_interleave(i, d)",
    "diff": "|L.diff(x, 2, d)",
    "logit": "|L.logit(x, 0.1)",
    "nan_to_num": "|L.nan_to_num(x, 0.5)",
    "polar": "|L.polar(x, x)",
    "median of all": "|x.median()",
    "topk, unsorted": "|x.topk(max(1, n // 4), d, sorted=False)[0]",
    "sort, descending": "|x.sort(d, True)[0]",
}
DRAWN = {
    "e": [0, 1, 2, 3, 4, -1, -2, 0.5, -0.5, 1.7],
    "k": [0, 1, 2, 3],
    "p": [0.0, 1.0, 2.0, 3.0, 0.5, -1.0, "float('inf')"],
    "q": [0.1, 0.5, 0.9],
    "r": ["sum", "prod", "mean", "amax", "amin"],
}

# Two dtypes at once, and what no other table has: y has another dtype than x, {t} is a third one.
MIXED = {
    "pair": "|L.{pair}(x, y)",
    "pair, column": "y=y[..., :1]|L.{pair}(x, y)",
    "pair, row": "y=y[:1]|L.{pair}(x, y)",
    "pair, line": "y=y.reshape(-1)[:s[-1]]|L.{pair}(x, y)",
    "pair, number": "|L.{pair}(x, {number})",
    "pair, out": "z=L.{pair}(x, y)|L.{pair}(x, y, out=z)",
    "pair, out elsewhere": "z=L.{pair}(x, y).to(L.{t})|L.{pair}(x, y, out=z)",
    "one": "|L.{one}(x)",
    "add_": "z=x.clone();y=y * 0|z.add_(y)",
    "mul_": "z=x.clone();y=y * 0 + 1|z.mul_(y)",
    "alpha": "|L.add(x, y, alpha=2)",
    "sum as": "|x.sum(d, dtype=L.{t})",
    "mean as": "|x.mean(d, dtype=L.{t})",
    "prod as": "|x.prod(d, dtype=L.{t})",
    "cumsum as": "|x.cumsum(d, dtype=L.{t})",
    "softmax as": "|L.softmax(x, d, dtype=L.{t})",
    "to": "|x.to(L.{t})",
    "copy_": "z=L.empty(s, dtype=L.{t})|z.copy_(x)",
    "cat": "|L.cat([x, y], d)",
    "stack": "|L.stack([x, y], d)",
    "chunks": "|L.cat(x.chunk(3, d)[::-1], d)",
    "where, number": "m=mask(s)|L.where(m, x, 0)",
    "where, two": "m=mask(s)|L.where(m, x, y)",
    "where, row": "m=mask(s[-1:])|L.where(m, x, y)",
    "where, column": "m=mask([*s[:-1], 1])|L.where(m, x, y)",
    "masked_fill, row": "m=mask(s[-1:])|x.masked_fill(m, 1)",
    "masked_fill, column": "m=mask([*s[:-1], 1])|x.masked_fill(m, 1)",
    "x[rows]": "m=mask(s[:1])|x[m]",
    "x[..., columns]": "m=mask(s[-1:])|x[..., m]",
    "x[..., i]": "i=places(s[-1], s[-1:])|x[..., i]",
    "x[i, ..., j]": "i=places(s[0], [50]);j=places(s[-1], [50])|x[i, ..., j]",
    "x[i] = y": "i=places(s[0], [20]);z=x.clone();v=z[i].clone()|z.__setitem__(i, v)",
    "x[..., i] = 1": "i=places(s[-1], [5]);z=x.clone()|z.__setitem__((..., i), 1)",
    "x[::2] = y": "z=x.clone();v=z[::2].clone()|z.__setitem__(slice(None, None, 2), v)",
    "isclose": "y=y.to(x.dtype)|L.isclose(x, y)",
    "allclose": "y=x.clone()|L.allclose(x, y)",
    "equal": "y=x.clone()|L.equal(x, y)",
    "std_mean": "|L.std_mean(x, d)",
    "nanmean": "|L.nanmean(x, d)",
    "nanmedian": "|L.nanmedian(x, d)",
    "argmin": "|L.argmin(x, d)",
    "argmin of all": "|L.argmin(x)",
    "max of all": "|L.max(x)",
    "any of all": "|L.any(x)",
    "count_nonzero": "|L.count_nonzero(x)",
    "var of all": "|L.var(x)",
    "cumsum of all": "|x.flatten().cumsum(0)",
    "argwhere": "|L.argwhere(x)",
    "diagonal": "|x.diagonal(0, 0, -1).sum()",
    "movedim": "|x.movedim(0, -1).contiguous()",
    "hstack": "|L.hstack([x, x])",
    "dstack": "|L.dstack([x, x])",
    "full": "|L.full(s, 3, dtype=L.{t})",
    "arange": "|L.arange(x.numel(), dtype=L.{t})",
    "linspace": "|L.linspace(0, 1, x.numel(), dtype=L.{t})",
    "zeros_like": "|L.zeros_like(x)",
    "rand": "|L.rand(s, dtype=L.{t})",
    "randn": "|L.randn(s, dtype=L.{t})",
    "randint": "|L.randint(0, 100, s, dtype=L.{t})",
    "bernoulli": "p=L.rand(s, dtype=L.{t})|L.bernoulli(p)",
    "normal": "|L.normal(x, 1.0)",
    "dropout": "|L.dropout(x, 0.3, True)",
    "mv": "m=x.reshape(-1, s[-1]);v=x.reshape(-1)[:s[-1]]|m @ v",
    "vm": "m=x.reshape(-1, s[-1]);v=x.reshape(-1)[:m.shape[0]]|v @ m",
    "dot": "v=x.reshape(-1)|L.dot(v, v)",
    "outer": "v=x.reshape(-1)[:300]|L.outer(v, v)",
    "inner": "m=x.reshape(-1, s[-1])[:100]|L.inner(m, m)",
    "addmm": "m=x.reshape(-1, s[-1])[:100];b=m[:, :1]|L.addmm(b, m, m.t())",
    "addr": "m=x.reshape(-1, s[-1]);a=m[:, 0];b=m[0]|L.addr(m, a, b)",
}
MIXED_PAIRS = """add sub mul div maximum eq lt ne logical_and logical_xor fmod remainder atan2 pow
bitwise_and bitwise_or floor_divide""".split()
MIXED_ONES = """acos acosh atanh ceil cosh deg2rad digamma erfc erfinv exp2 isinf isposinf isreal
lgamma log10 rad2deg real imag angle signbit sgn positive abs bitwise_not logical_not""".split()


def shape_of(draw, elements):
    dims, shape = draw.choice([1, 2, 2, 2, 3, 3, 4]), []
    for _ in range(dims - 1):
        shape.append(min(draw.choice(LENGTHS), max(1, elements)))
        elements //= shape[-1]
    shape.append(max(1, elements))
    draw.shuffle(shape)
    return shape


def operand(draw, name, shape, dtype, positive=True):
    """A program that makes an operand of this shape, in some layout."""
    order, kind = list(range(len(shape))), draw.random()
    if kind < 0.5 or not shape:
        return f"{name}=made('{dtype}', {shape}, {positive})"
    if kind < 0.75:
        draw.shuffle(order)
        turned = [shape[d] for d in order]
        back = [order.index(d) for d in range(len(order))]
        return f"{name}=made('{dtype}', {turned}, {positive}).permute({back})"
    if kind < 0.85:
        twice = [*shape[:-1], 2 * shape[-1]]
        return f"{name}=made('{dtype}', {twice}, {positive})[..., ::2]"
    if kind < 0.92:
        more = [*shape[:-1], shape[-1] + 3]
        return f"{name}=made('{dtype}', {more}, {positive})[..., 1:{shape[-1] + 1}]"
    some = [1 if draw.random() < 0.4 else size for size in shape]
    return f"{name}=made('{dtype}', {some}, {positive}).expand({shape})"


def named(draw, floats, complexes, whole):
    """A dtype, and an operation that has it."""
    dtype = draw.choice([*FLOATS, *COMPLEX, *WHOLE])
    return dtype, draw.choice(
        floats if dtype in FLOATS else complexes if dtype in COMPLEX else whole
    )


def pointwise(draw):
    shape = shape_of(draw, draw.choice(ELEMENTS))
    if draw.random() < 0.5:
        dtype, op = named(draw, FUNCTIONS, FUNCTIONS_OF_COMPLEX, FUNCTIONS_OF_WHOLE)
        return f"{operand(draw, 'x', shape, dtype)}|L.{op}(x)"
    dtype, op = named(draw, PAIRS + PAIRS_OF_FLOATS, PAIRS_OF_COMPLEX, PAIRS)
    x, y = (operand(draw, name, shape, dtype) for name in "xy")
    return f"{x};{y}|L.{op}(x, y)"


def three(draw):
    shape, dtype = shape_of(draw, draw.choice(ELEMENTS)), draw.choice([*FLOATS, "complex64"])
    op = draw.choice(["addcmul", "addcdiv", "lerp", "clamp", "where"])
    if op != "where" and dtype == "complex64":
        op = "addcmul"
    made = ";".join(operand(draw, name, shape, dtype) for name in "xyz")
    if op == "where":
        return f"{made};m=mask({shape})|L.where(m, y, z)"
    return f"{made}|L.{op}(x, y, z)"


def reduced(draw):
    shape = shape_of(draw, draw.choice(ELEMENTS))
    dtype, op = named(draw, REDUCED, REDUCED_OF_COMPLEX, REDUCED_OF_WHOLE)
    made, dim = operand(draw, "x", shape, dtype, False), draw.randrange(len(shape))
    if op in ("sum", "mean", "amax", "amin") and draw.random() < 0.3:
        dims = sorted(draw.sample(range(len(shape)), draw.randint(1, len(shape))))
        return f"{made}|L.{op}(x, {dims})"
    if op == "norm":
        return f"{made}|L.norm(x, {draw.choice([1, 2, 2, 3, 0.5])}, {dim})"
    return f"{made}|L.{op}(x, dim={dim})"


def along(draw):
    shape = shape_of(draw, draw.choice(ELEMENTS))
    dtype, op = named(draw, ALONG, ["cumsum", "cumprod", "flip"], ALONG_OF_WHOLE)
    made, dim = operand(draw, "x", shape, dtype, False), draw.randrange(len(shape))
    if op in ("topk", "kthvalue"):
        return f"{made}|L.{op}(x, {max(1, shape[dim] // draw.choice([2, 5, 10]))}, {dim})"
    if op == "diff":
        return f"{made}|L.diff(x, 1, {dim})"
    return f"{made}|L.{op}(x, {[dim] if op == 'flip' else dim})"


def from_table(draw, table):
    shape, dtype = shape_of(draw, draw.choice(ELEMENTS)), draw.choice(ANY)
    setup, call = table[draw.choice(sorted(table))].split("|")
    dim = draw.randrange(len(shape))
    call = call.format(draw.choice(["float32", "float64", "bfloat16", "int64", "uint8", "bool"]))
    known = f"s={shape};d={dim};n={shape[dim]}"
    return f"{operand(draw, 'x', shape, dtype)};{known};{setup or 'pass'}|{call}"


def product(draw):
    dtype = draw.choice([*FLOATS, "complex64", "int64"])
    while True:
        b, (m, k, n) = draw.choice([1, 1, 1, 2, 5, 20, 100]), draw.choices(SIDES, k=3)
        if b * m * k * n < 3e7 and b * (m * k + k * n + m * n) < 1e6:
            break
    batch = [b] if b > 1 else []
    sides = []
    for name, rows, columns in (("x", m, k), ("y", k, n)):
        if draw.random() < 0.4:
            lies = f"made('{dtype}', {[*batch, columns, rows]}, False).transpose(-1, -2)"
        else:
            lies = f"made('{dtype}', {[*batch, rows, columns]}, False)"
        sides.append(f"{name}={lies}")
    return f"{';'.join(sides)}|x @ y"


def own(draw, name, shape, dtype):
    """The same, and no element is there twice."""
    made = operand(draw, name, shape, dtype)
    return made + (".clone()" if ".expand(" in made else "")


def written(draw):
    shape = shape_of(draw, draw.choice(ELEMENTS))
    if draw.random() < 0.4:
        setup, call = WRITTEN_AT[draw.choice(sorted(WRITTEN_AT))].split("|")
        dim, x = draw.randrange(len(shape)), own(draw, "x", shape, draw.choice(ANY))
        return f"{x};s={shape};d={dim};n={shape[dim]};{setup or 'pass'}|{call}"
    dtype, op = named(draw, WRITTEN, WRITTEN_OF_COMPLEX, WRITTEN_OF_WHOLE)
    x = own(draw, "x", shape, dtype)
    if draw.random() < 0.4:
        return f"{x}|x.{op}_({'1, 9' if op == 'clamp' else ''})"
    op, y = draw.choice(KEPT_BY_ZEROS + KEPT_BY_ONES), operand(draw, "y", shape, dtype)
    filled = f"{y};y=L.zeros_like(y)+{op in KEPT_BY_ONES:d}"
    return f"{x};{filled if draw.random() < 0.7 else f'y={op in KEPT_BY_ONES:d}'}|x.{op}_(y)"


def gradient_of(setup, call, wanted):
    """Of the call's first result, whose graph is kept."""
    setup += f";r={call};r=r if hasattr(r, 'detach') else r[0];g=r.detach().clone()"
    return f"{setup}|L.autograd.grad([r], {wanted}, [g], retain_graph=True)"


def slopes(draw):
    """The gradient of one call, of a graph that is kept."""
    shape, dtype = shape_of(draw, draw.choice(ELEMENTS)), draw.choice([*FLOATS, *COMPLEX])
    dim, is_complex, kind = draw.randrange(len(shape)), dtype in COMPLEX, draw.random()
    setup = f"{operand(draw, 'x', shape, dtype)};x=x.detach().requires_grad_()"
    wanted = "[x]"
    if kind < 0.35:
        call = f"L.{draw.choice(SLOPES_OF_COMPLEX if is_complex else SLOPES)}(x)"
    elif kind < 0.5:
        op = draw.choice(["add", "sub", "mul", "div"] if is_complex else SLOPES_OF_PAIRS)
        setup += f";{operand(draw, 'y', shape, dtype)};y=y.detach().requires_grad_()"
        call, wanted = f"L.{op}(x, y)", "[x, y]"
    elif kind < 0.75:
        op = draw.choice(SLOPES_OF_DIMS_OF_COMPLEX if is_complex else SLOPES_OF_DIMS)
        call = f"L.{op}(x, {', '.join([*(['2'] if op == 'norm' else []), f'dim={dim}'])})"
        call = call.replace("flip(x, dim=", "flip(x, dims=")
        call = f"L.flip(x, [{dim}])" if op == "flip" else call
    else:
        more, call = SLOPES_AT[draw.choice(sorted(SLOPES_AT))].split("|")
        setup += f";s={shape};d={dim};n={shape[dim]};{more or 'pass'}"
    return gradient_of(setup, call, wanted)


def seldom(draw):
    shape, dtype = shape_of(draw, draw.choice(ELEMENTS)), draw.choice(FLOATS)
    given = {name: draw.choice(values) for name, values in DRAWN.items()}
    more, call = SELDOM[draw.choice(sorted(SELDOM))].format(**given).split("|")
    dim, sloped = draw.randrange(len(shape)), draw.random() < 0.4
    setup = f"{operand(draw, 'x', shape, dtype, draw.random() < 0.5)}"
    setup += ";x=x.detach().requires_grad_()" if sloped else ""
    setup += f";s={shape};d={dim};n={shape[dim]};m=x.reshape(-1, s[-1]);{more or 'pass'}"
    if not sloped:
        return f"{setup}|{call}"
    return gradient_of(setup, call, "[x]")


def mixed(draw):
    shape, (x, y, t) = shape_of(draw, draw.choice(ELEMENTS)), draw.sample(sorted(set(ANY)), 3)
    setup, call = MIXED[draw.choice(sorted(MIXED))].format(
        pair=draw.choice(MIXED_PAIRS),
        one=draw.choice(MIXED_ONES),
        number=draw.choice([3, 0.5]),
        t=t,
    ).split("|")
    known = f"s={shape};d={draw.randrange(len(shape))}"
    made = f"{operand(draw, 'x', shape, x)};{operand(draw, 'y', shape, y)}"
    return f"{made};{known};{setup or 'pass'}|{call}"


KINDS = {
    "pointwise": pointwise,
    "three": three,
    "reduced": reduced,
    "along": along,
    "indexed": lambda draw: from_table(draw, INDEXED),
    "copied": lambda draw: from_table(draw, COPIED),
    "product": product,
    "written": written,
    "slopes": slopes,
    "seldom": seldom,
    "mixed": mixed,
}


def room(lib, seed):
    """What programs use, the same numbers for both libraries."""
    chance = numpy.random.default_rng(seed)

    def made(dtype, shape, positive):
        if dtype == "bool":
            return lib.from_numpy(chance.random(shape) < 0.5)
        if dtype in WHOLE:
            return lib.from_numpy(chance.integers(1, 100, shape).astype(dtype))
        if dtype in COMPLEX:
            parts = chance.random(shape) + 0.1 + 1j * chance.random(shape)
            return lib.from_numpy(parts.astype(dtype))
        x = chance.random(shape) + 0.05 if positive else chance.standard_normal(shape)
        return lib.from_numpy(x).to(getattr(lib, dtype))

    return {
        "L": lib,
        "made": made,
        "places": lambda n, shape: lib.from_numpy(chance.integers(0, n, shape)),
        "mask": lambda shape: lib.from_numpy(chance.random(shape) < 0.5),
    }


def prepared(lib, call, seed):
    space = room(lib, seed)
    setup, text = call.rsplit("|", 1)
    exec(setup, space)
    exec(f"def many(times):\n for _ in range(times): {text}\ndef one(): return {text}", space)
    space["many"](1)
    return space


def least(sides, times, turns):
    took = [1e9, 1e9]
    for _ in range(turns):
        for k, side in enumerate(sides):
            begin = time.perf_counter()
            side["many"](times)
            took[k] = min(took[k], (time.perf_counter() - begin) / times * 1e6)
    return took


def slower(sides, below):
    """Both times, nomen's first, or None where it does not lose."""
    first = least(sides, 1, 1)[1]
    times = max(1, min(2000, int(1000 / max(first, 0.3))))
    for turns in (3, 15):
        own, peer = least(sides, times, turns)
        if peer >= below * own:
            return None
    return own, peer


def numbers(result):
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in numbers(part)]
    if not hasattr(result, "dtype"):  # nothing, or a number
        return [] if result is None else [numpy.asarray(result)]
    if "float16" in str(result.dtype):
        result = result.float()
    return [numpy.asarray(result.numpy())]


def differs(sides, call):
    """Largest distance of results that are not alike; positions of equal numbers may differ."""
    loose = 2e-2 if "float16" in call else 1e-4
    for x, y in zip(*(numbers(side["one"]()) for side in sides)):
        if x.shape != y.shape:
            return f"shapes {x.shape} and {y.shape}"
        alike = numpy.allclose(x, y, rtol=loose, atol=10 * loose, equal_nan=True)
        if not alike:
            return f"{numpy.nanmax(numpy.abs(x.astype(complex) - y.astype(complex))):.3g} apart"
    return None


def told(call, seed, peer, options):
    """What there is to say of a call that the peer has made; None: nothing."""
    try:
        sides = prepared(nomen, call, seed), peer
    except Exception as error:
        return f"refused: {type(error).__name__}: {str(error).splitlines()[0]}"
    if options.values:
        return differs(sides, call)
    both = slower(sides, options.below)
    return both and f"{both[1] / both[0]:.2f} nomen {both[0]:.4g} peer {both[1]:.4g} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--below", type=float, default=0.95)
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--elements", help="of a shape: some numbers to draw from, with commas")
    options = parser.parse_args()
    if options.elements:
        ELEMENTS[:] = map(int, options.elements.split(","))
    draw, kinds = random.Random(options.seed), options.kinds.split(",")
    for lib in (nomen, torch):
        lib.set_num_threads(options.threads)
    until, done, found = time.time() + options.seconds, 0, 0
    while time.time() < until:
        call, seed = KINDS[draw.choice(kinds)](draw), draw.randrange(1 << 30)
        try:
            peer = prepared(torch, call, seed)
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
            continue  # the peer has no such call
        done += 1
        said = told(call, seed, peer, options)
        if said:
            found += 1
            print(f"{said}  {call}", flush=True)
    print(f"{platform.processor() or platform.machine()}, torch {torch.__version__},", end=" ")
    print(f"seed {options.seed}, {options.threads} threads: {done} calls, {found} of them told")


if __name__ == "__main__":
    main()
