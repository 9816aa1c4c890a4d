"""The far end of a pipe: runs calls in nomen or in an oracle, and says what came of each.

    python differ_worker.py LIBRARY      (nomen or torch)

Reads pickled lists of (case, bytes of each tensor) from standard input, writes pickled lists of
results. A case is plain data (see differ_cases.py), so that it means the same to each library.
Needs NumPy and the library, nothing of this folder: it runs under other interpreters.
"""

import ctypes
import importlib
import operator
import os
import pickle
import signal
import struct
import sys
import warnings

import numpy

STORED = {
    "bool": "u1",
    "uint8": "u1",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "float16": "f2",
    "bfloat16": "u2",
    "float32": "f4",
    "float64": "f8",
    "complex64": "c8",
    "complex128": "c16",
}


class Unknown(Exception):
    """A result in a dtype that only one of the libraries has."""


class Session:
    """One library, and how tensors get into it and out of it."""

    def __init__(self, library):
        self.lib = importlib.import_module(library)
        self.is_torch = library == "torch"
        self.has_names = hasattr(self.lib.Tensor, "refine_names")
        self.dtypes = {name: getattr(self.lib, name) for name in STORED}
        self.names_of = {dtype: name for name, dtype in self.dtypes.items()}

    def base(self, dtype, shape, data):
        values = numpy.frombuffer(data, STORED[dtype])
        if dtype == "bool":
            values = values.view("?")
        if dtype == "bfloat16" and self.is_torch:  # whose conversion loses the sign of NaN
            bits = self.lib.from_numpy(values.view("i2").reshape(shape).copy())
            return bits.view(self.lib.bfloat16).clone()
        if dtype == "bfloat16":
            values = (values.astype("u4") << 16).view("f4")
        tensor = self.lib.from_numpy(numpy.array(values).reshape(shape))
        # Its own memory: what lies in an array cannot change its size.
        return tensor.to(self.lib.bfloat16) if dtype == "bfloat16" else tensor.clone()

    def view(self, tensor, steps):
        for step in steps:
            if step[0] == "permute":
                tensor = tensor.permute(step[1])
            elif step[0] == "slice":
                index = [slice(None)] * step[1] + [slice(*step[2:])]
                tensor = tensor[tuple(index)]
            elif step[0] == "expand":
                tensor = tensor.expand(step[1])
        return tensor

    def contents(self, tensor):
        """dtype, sizes, names, elements in row-major order."""
        dtype = self.names_of.get(tensor.dtype)
        if dtype is None:
            raise Unknown(str(tensor.dtype))
        names = tuple(tensor.names) if self.has_names else (None,) * tensor.dim()
        plain = tensor.detach()
        if self.has_names and tensor.has_names():
            plain = plain.rename(None)
        if self.is_torch:
            plain = plain.resolve_conj().resolve_neg()
        if dtype == "bfloat16":
            data = (plain.float().numpy().view("u4") >> 16).astype("u2")
        else:
            data = plain.numpy()
        return dtype, tuple(tensor.shape), names, numpy.ascontiguousarray(data).tobytes()

    def value(self, item, tensors):
        """An argument: plain data, or a dict of one entry that says what it stands for."""
        if isinstance(item, dict):
            ((kind, what),) = item.items()
            if kind == "t":
                return tensors[what]
            if kind == "dtype":
                return self.dtypes[what]
            if kind == "tuple":
                return tuple(self.value(x, tensors) for x in what)
            if kind == "slice":
                return slice(*what)
            if kind == "complex":
                return complex(*what)
            if kind == "generator":
                generator = self.lib.Generator()
                generator.manual_seed(what)
                return generator
            if kind == "lib":
                return getattr(self.lib, what)
            if kind == "ellipsis":
                return ...
            return object()
        if isinstance(item, list):
            return [self.value(x, tensors) for x in item]
        return item

    def told(self, result):
        if isinstance(result, self.lib.Tensor):
            return ("tensor", *self.contents(result))
        if isinstance(result, (tuple, list)):
            return ("list", [self.told(x) for x in result])
        if isinstance(result, (bool, int, float, complex, str, type(None))):
            return ("value", type(result).__name__, result)
        if type(result) is type(self.lib.float32):
            return ("value", "dtype", self.names_of.get(result, str(result)))
        return ("value", type(result).__name__, None)

    def make(self, case, data):
        bases, tensors = [], []
        for spec, raw in zip(case["tensors"], data):
            base = self.base(spec["dtype"], spec["shape"], raw)
            tensor = self.view(base, spec["steps"])
            if spec["names"] is not None:
                # Not `names=` in a call: what is tested is the operation, not this.
                tensor = tensor.rename(*spec["names"]) if tensor.dim() else tensor
            if spec.get("grad"):
                tensor = tensor.detach().requires_grad_()
            bases.append(base)
            tensors.append(tensor)
        return bases, tensors

    def call(self, case, tensors):
        name, form = case["op"], case["form"]
        args = [self.value(x, tensors) for x in case["args"]]
        kw = {key: self.value(x, tensors) for key, x in case["kw"].items()}
        if "seed" in case:
            self.lib.manual_seed(case["seed"])
        if form == "function":
            return operator.attrgetter(name)(self.lib)(*args, **kw)
        if form == "operator":
            return getattr(operator, name)(*args)
        if form == "inplace" and case.get("mode") == "grad":
            args[0] = args[0].clone()
        if form == "attribute":
            return getattr(args[0], name)
        method = name + ("_" if form == "inplace" else "")
        if form == "inplace" and not hasattr(args[0], method):  # torch.threshold_, dropout_
            return getattr(self.lib, method)(*args, **kw)
        return getattr(args[0], method)(*args[1:], **kw)

    def backward(self, result, tensors):
        """Gradients of the tensors that ask for one, for a result times a fixed pattern."""
        results = [result] if isinstance(result, self.lib.Tensor) else list(result)
        leaves = [t for t in tensors if t.requires_grad]
        results = [r for r in results if isinstance(r, self.lib.Tensor) and r.requires_grad]
        if not results:
            return [("value", "NoneType", None)] * len(leaves)
        pattern = []
        for r in results:
            n = r.numel()
            g = ((numpy.arange(n) * 7 + 3) % 11 - 5) / 4.0
            if r.is_complex():
                g = g + 1j * ((numpy.arange(n) * 5 + 1) % 7 - 3) / 2.0
            pattern.append(self.lib.from_numpy(g.reshape(tuple(r.shape))).to(r.dtype))
        self.lib.autograd.backward(results, pattern)
        return [self.told(leaf.grad) for leaf in leaves]

    def run(self, case, data):
        bases, tensors = self.make(case, data)
        before = [
            (raw, tuple(t.shape), tuple(t.names) if self.has_names else ())
            for raw, t in zip(data, tensors)
        ]
        try:
            result = self.call(case, tensors)
            told = self.told(result)
            if case.get("mode") == "grad":
                told = ("list", [told, ("list", self.backward(result, tensors))])
        except Exception as error:
            kind = next(c for c in type(error).__mro__ if c.__module__ != "nomen")
            told = ("error", kind.__name__, str(error))
        after = []
        for base, tensor, (raw, shape, names) in zip(bases, tensors, before):
            now = self.contents(base)[3]
            sizes = tuple(tensor.shape)
            given = tuple(tensor.names) if self.has_names else ()
            same = now == raw and sizes == shape and given == names
            after.append(None if same else (sizes, given, now))
        return told, after


def main():
    warnings.simplefilter("ignore")
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a hung call ends with the run
    wire_in, wire_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)
    session = Session(sys.argv[1])
    while True:
        head = wire_in.read(8)
        if len(head) < 8:
            return
        batch = pickle.loads(wire_in.read(struct.unpack("<q", head)[0]))
        results = []
        for case, data in batch:
            try:
                results.append(session.run(case, data))
            except Exception as error:  # making the operands failed
                results.append((("error", "Setup", f"{type(error).__name__}: {error}"), []))
        reply = pickle.dumps(results, protocol=4)
        wire_out.write(struct.pack("<q", len(reply)) + reply)
        wire_out.flush()


if __name__ == "__main__":
    main()
