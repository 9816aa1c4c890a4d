"""The far end of the pipe that hands out PyTorch's own operator samples, as calls in plain data.

Runs under an interpreter with torch, its testing parts and NumPy. A request is ("list",) or
(position in the list of operators, dtype, forms, options); an answer is a list. Samples are taken
apart by the function that takes them: which function is called with which operands. Where the list
has a function of its own (a lambda), it is run once and what it calls is written down.
"""

import os
import pickle
import struct
import sys
import warnings

import numpy
import torch
from torch.overrides import TorchFunctionMode
from torch.testing._internal.common_methods_invocations import op_db

STORED = {
    "bool": "u1", "uint8": "u1", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
    "float16": "f2", "bfloat16": "u2", "float32": "f4", "float64": "f8", "complex64": "c8",
    "complex128": "c16",
}  # fmt: skip
NAMES = {getattr(torch, name): name for name in STORED}
LARGEST = 300_000  # bytes of operands
SEED = 42
AROUND = ("manual_seed", "_set_grad_enabled", "clone")  # what a lambda does besides its call


class Odd(Exception):
    """A sample that plain data cannot say."""


def walk(name):
    found = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def raw_of(tensor):
    """The elements in row-major order."""
    tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("u2")
    return tensor.numpy().view("u1") if tensor.dtype is torch.bool else tensor.numpy()


def spec_of(tensor):
    """(what it is, the bytes of its memory): a block, and the views that make these strides."""
    if tensor.layout is not torch.strided or tensor.dtype not in NAMES:
        raise Odd
    if tensor.numel() * tensor.element_size() > LARGEST:
        raise Odd
    values, sizes, strides = raw_of(tensor), list(tensor.shape), list(tensor.stride())
    spec = {
        "dtype": NAMES[tensor.dtype],
        "shape": sizes,
        "steps": [],
        "names": None,
        "fill": ["given", 0],
        "grad": bool(tensor.requires_grad),
    }
    if tensor.is_contiguous() or not tensor.numel():
        return spec, values.tobytes()
    whole = [1 if step == 0 else n for n, step in zip(sizes, strides)]
    order = sorted(range(len(sizes)), key=lambda d: (-strides[d] if whole[d] > 1 else 0))
    real = [d for d in order if whole[d] > 1]
    block, steps = dict.fromkeys(range(len(sizes)), 1), []
    above = None
    for d in reversed(real):
        if above is None:
            block[d] = (whole[d] - 1) * strides[d] + 1
            step, unit = strides[d], 1
        else:
            step, unit = 1, strides[d]
            block[above] = max(block[above], unit // below)
            if unit % below or unit // below < extent:
                return spec, values.tobytes()  # such strides need more than these views
            block[d] = whole[d]
        extent, above, below = (whole[d] - 1) * step + 1, d, unit
        if step > 1:
            steps.append((d, step))
    base = numpy.zeros([block[d] for d in order], values.dtype)
    place = [order.index(d) for d in range(len(sizes))]
    view = base.transpose(place)
    index = [slice(0, n) for n in whole]
    for d, step in steps:
        index[d] = slice(0, (whole[d] - 1) * step + 1, step)
    one = tuple(slice(0, 1) if n != m else slice(None) for n, m in zip(whole, sizes))
    view[tuple(index)] = values[one]
    spec["shape"] = list(base.shape)
    if place != sorted(place):
        spec["steps"].append(["permute", place])
    for d, taken in enumerate(index):
        if list(range(*taken.indices(view.shape[d]))) != list(range(view.shape[d])):
            spec["steps"].append(["slice", d, taken.start, taken.stop, taken.step or 1])
    if whole != sizes:
        spec["steps"].append(["expand", sizes])
    return spec, base.tobytes()


class Case:
    """A call in the making."""

    def __init__(self):
        self.tensors, self.data, self.known = [], [], {}

    def plain(self, value):
        if isinstance(value, torch.Tensor):
            if id(value) not in self.known:
                spec, raw = spec_of(value)
                self.known[id(value)] = (len(self.tensors), value)
                self.tensors.append(spec)
                self.data.append(raw)
            return {"t": self.known[id(value)][0]}
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value)
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, tuple):
            return {"tuple": [self.plain(x) for x in value]}
        if isinstance(value, list):
            return [self.plain(x) for x in value]
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, (torch.memory_format, torch.layout)):
            return {"lib": str(value).removeprefix("torch.")}
        if isinstance(value, torch.device):
            return str(value)
        if isinstance(value, torch.Generator):
            return {"generator": value.initial_seed() % (1 << 30)}
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if value is Ellipsis:
            return {"ellipsis": 0}
        raise Odd

    def made(self, op, form, args, kw, mode):
        args = [self.plain(x) for x in args]
        kw = {key: self.plain(x) for key, x in kw.items()}
        case = {"op": op, "form": form, "tensors": self.tensors, "args": args, "kw": kw}
        if sum(map(len, self.data)) > LARGEST:
            raise Odd
        return {**case, "mode": mode, "seed": SEED}, self.data


class Listener(TorchFunctionMode):
    """Writes down the calls made by a function, outermost ones only."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.calls.append((function, args, kwargs or {}))
        return function(*args, **(kwargs or {}))


def heard(op, sample):
    """(name, form, args, kw) of the one call that op.op makes of this sample."""
    copies = {}

    def copied(value):
        if isinstance(value, torch.Tensor):
            if id(value) not in copies:
                copies[id(value)] = value.detach().clone().requires_grad_(value.requires_grad)
            return copies[id(value)]
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(copied(x) for x in value)
        return value

    listener = Listener()
    args = [copied(x) for x in (sample.input, *sample.args)]
    kw = {key: copied(x) for key, x in sample.kwargs.items()}
    back = {id(copy): value for value in walk_tensors(sample) for copy in [copies.get(id(value))]}
    try:
        with torch.no_grad(), listener:
            op.op(*args, **kw)
    except Exception:
        if not listener.calls:
            raise Odd from None
    calls = [c for c in listener.calls if getattr(c[0], "__name__", "") not in AROUND]
    calls = [c for c in calls if c[0].__name__ != "__get__"] or calls
    if len(calls) != 1:
        raise Odd
    function, args, kw = calls[0]

    def original(value):
        if isinstance(value, torch.Tensor):
            return back.get(id(value), value)
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(original(x) for x in value)
        return value

    args = [original(x) for x in args]
    kw = {key: original(x) for key, x in kw.items()}
    name = getattr(function, "__name__", "")
    if name == "__get__":
        return function.__self__.__name__, "attribute", args[:1], {}
    if getattr(torch.Tensor, name, None) is function:
        return name, "method", args, kw
    if getattr(torch, name, None) is function or walk(op.name) is function:
        return (name if getattr(torch, name, None) is function else op.name), "function", args, kw
    raise Odd


def walk_tensors(sample):
    def inside(value):
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            for x in value:
                yield from inside(x)

    yield from inside([sample.input, *sample.args, *sample.kwargs.values()])


def calls(op, sample, forms, mode, random):
    """Each form's call of a sample."""
    args, kw = [sample.input, *sample.args], sample.kwargs
    if walk(op.name) is op.op or op.name.startswith("__"):
        wanted = []
        if op.name.startswith("__"):
            wanted.append((op.name, "method"))
        else:
            wanted.append((op.name, "function"))
        name = op.name
    else:
        name, form, args, kw = heard(op, sample)
        wanted = [(name, form)]
        name = op.name if form != "attribute" else None
        if name and (name, form) != wanted[0]:
            name = name if wanted[0][0] == name else None
    if name and "." not in name and not name.startswith("__"):
        if op.method_variant and (name, "method") not in wanted:
            wanted.append((name, "method"))
        if op.inplace_variant:
            wanted.append((name, "inplace"))
        for alias in op.aliases:
            wanted.append((alias.name, "function"))
            wanted.append((alias.name, "method"))
    for called, form in wanted:
        if [called, form] not in forms and (called, form) != wanted[0]:
            continue
        if form != "function" and not isinstance(args[0], torch.Tensor):
            continue
        if mode == "grad" and form == "inplace" and not op.supports_inplace_autograd:
            continue
        try:
            case, data = Case().made(called, form, args, kw, mode)
        except Odd:
            continue
        if not random:
            del case["seed"]
        yield case, data


def with_out(op, case, data, sample):
    """The call with out=: of the right dtype and sizes, and of no size at all."""
    try:
        with torch.no_grad():
            result = op.op(sample.input, *sample.args, **sample.kwargs)
    except Exception:
        return
    results = [result] if isinstance(result, torch.Tensor) else list(result)
    if not all(isinstance(r, torch.Tensor) for r in results):
        return
    for empty in (False, True):
        made = {**case, "tensors": list(case["tensors"]), "kw": dict(case["kw"])}
        bits, places = list(data), []
        for r in results:
            spec, raw = spec_of(torch.zeros(0 if empty else r.shape, dtype=r.dtype))
            places.append({"t": len(made["tensors"])})
            made["tensors"].append(spec)
            bits.append(raw)
        single = isinstance(result, torch.Tensor)
        made["kw"]["out"] = places[0] if single else {"tuple": places}
        yield made, bits


def documents_out(op):
    return op.supports_out and not op.name.startswith("nn.functional.")


def answers(request):
    position, dtype, forms, kind, limit, random = request
    op, made, odd = op_db[position], [], 0
    dtype = getattr(torch, dtype)
    grad = kind == "grad"
    torch.manual_seed(SEED)
    if kind == "errors":
        samples = (e.sample_input for e in op.error_inputs("cpu"))
    elif kind == "reference":
        samples = op.reference_inputs("cpu", dtype)
    else:
        samples = op.sample_inputs("cpu", dtype, requires_grad=grad)
    taken = 0
    samples = iter(samples)
    while taken < limit:
        try:
            sample = next(samples)
        except StopIteration:
            break
        except Exception:
            break  # some lists make what their own dtype does not have
        try:
            new = list(calls(op, sample, forms, "grad" if grad else "", random))
        except Odd:
            odd += 1
            continue
        if kind == "sample" and documents_out(op) and new and taken < 12:
            first = [c for c in new if c[0]["form"] == "function"][:1]
            for case, data in first:
                try:
                    new += with_out(op, case, data, sample)
                except Odd:
                    pass
        made += new
        taken += bool(new)
    return made, odd


def listing():
    told = []
    for at, op in enumerate(op_db):
        told.append(
            {
                "at": at,
                "name": op.name,
                "variant": op.variant_test_name,
                "aliases": [a.name for a in op.aliases],
                "dtypes": [n for d, n in NAMES.items() if op.supports_dtype(d, "cpu")],
                "gradient": bool(op.supports_autograd),
                "errors": op.error_inputs_func is not None,
            }
        )
    return told


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    wire_in, wire_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)
    while True:
        head = wire_in.read(8)
        if len(head) < 8:
            return
        request = pickle.loads(wire_in.read(struct.unpack("<q", head)[0]))
        try:
            told = listing() if request[0] == "list" else answers(request)
        except Exception as error:
            told = ("failed", f"{type(error).__name__}: {error}")
        reply = pickle.dumps(told, protocol=4)
        wire_out.write(struct.pack("<q", len(reply)) + reply)
        wire_out.flush()


if __name__ == "__main__":
    main()
