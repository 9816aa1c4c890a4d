"""A call of every row of the table: arguments that suit it, in the dtype that is asked for.

Tensors are written as their dims: "N=2 C=3". What a row needs beyond the ordinary stands in OWN.
"""

import json
from pathlib import Path

import nomen

ROWS = {row["name"]: row for row in json.loads(Path("tests/ops.gen.json").read_text())["ops"]}
DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
DTYPES = DTYPES.split()

# By kind, for arguments that must be given.
USUAL = {
    "tensor": "N=2 C=3",
    "tensors": ["N=2 C=3", "N=2 C=3"],
    "number": 2,
    "int": 1,
    "dim": "C",
    "dims": ["C"],
    "sizes": [2, 3],
}


class Values:
    """A tensor of its own dtype: positions, masks."""

    def __init__(self, values, dtype="int64", names=None):
        self.values, self.dtype, self.names = values, dtype, names

    def tensor(self):
        return nomen.tensor(self.values, dtype=getattr(nomen, self.dtype), names=self.names)


MASK = Values([[True, False, True], [False, True, True]], "bool", ("N", "C"))
HALF = Values([[0.5, 0.25, 0.75], [0.125, 0.5, 0.5]], "float32", ("N", "C"))
SQUARE = "B=2 N=2 K=2"

OWN = {
    "as_strided": dict(self="2 3", size=[2, 2], stride=[1, 2]),
    "bincount": dict(self="3"),
    "bucketize": dict(boundaries="N=4"),
    "quantile": dict(q="", dim="C"),
    "nanquantile": dict(q="", dim="C"),
    "scatter_reduce": dict(index=Values([[0, 2, 0], [1, 0, 1]]), reduce="sum"),
    "searchsorted": dict(sorted_sequence="4"),
    "unique": dict(dim="C"),
    "unique_consecutive": dict(dim="C"),
    "view_dtype": dict(self="2 4"),
    "addbmm": dict(self="2 2", batch1=SQUARE, batch2="B=2 K=2 O=2"),
    "addr": dict(self="N=2 C=3", vec1="N=2", vec2="C=3"),
    "addmm": dict(self="N=2 O=4", mat1="N=2 C=3", mat2="C=3 O=4"),
    "addmv": dict(self="N=2", mat="N=2 C=3", vec="C=3"),
    "align_as": dict(other="T=1 C=1 N=1"),
    "align_to": dict(names=("C", "N")),
    "arange": dict(end=2),
    "baddbmm": dict(self=SQUARE, batch1=SQUARE, batch2=SQUARE),
    "bernoulli": dict(self="N=1 C=1"),
    "clamp": dict(min="C=3", max="N=2 C=3"),
    "bmm": dict(self=SQUARE, mat2=SQUARE),
    "cdist": dict(x1="N=2 C=3", x2="M=4 C=3"),
    "chunk": dict(chunks=2, dim="C"),
    "contiguous": dict(self="N=2 C=3"),
    "diff": dict(dim="C"),
    "distances": dict(self="N=2 C=3", other="M=4 C=3"),
    "dot": dict(self="N=3", tensor="N=3"),
    "dropout": dict(p=0.5, train=True),
    "dsplit": dict(self="N=2 C=3 T=4", sections=2),
    "einsum": dict(equation="nc,co->no", operands=["N=2 C=3", "C=3 O=4"]),
    "expand": dict(size=[4, 2, 3]),
    "fill": dict(value="", self="N=2 C=3"),
    "flatten": dict(dims=["N", "C"], out_dim="F"),
    "gather": dict(index=Values([[0, 2], [1, 1]])),
    "geometric": dict(p=0.5),
    "hsplit": dict(self="N=2 C=4", sections=2),
    "index": dict(indices=[Values([1, 0])]),
    "index_add": dict(index=Values([0, 2, 0])),
    "index_copy": dict(index=Values([0, 2, 1])),
    "index_fill": dict(index=Values([0, 2]), value=""),
    "index_put": dict(indices=[Values([1, 0])], values="N=2 C=3"),
    "index_select": dict(index=Values([0, 2])),
    "masked_fill": dict(mask=MASK, value=""),
    "masked_scatter": dict(mask=MASK),
    "masked_select": dict(mask=MASK),
    "matmul": dict(self="N=2 C=3", other="C=3 O=4"),
    "mm": dict(self="N=2 C=3", mat2="C=3 O=4"),
    "movedim": dict(source=["C"], destination=["N"]),
    "multinomial": dict(num_samples=2),
    "mv": dict(self="N=2 C=3", vec="C=3"),
    "narrow": dict(start=1, length=2),
    "narrow_copy": dict(start=1, length=2),
    "normal": dict(mean="N=2 C=3", std=HALF),
    "inner": dict(self="N=2 C=3", other="M=4 C=3"),
    "nuclear_norm": dict(dim=["N", "C"]),
    "outer": dict(self="N=2", vec2="M=3"),
    "permute": dict(dims=["C", "N"]),
    "put": dict(index=Values([5, 0]), source="2"),
    "put_dims": dict(index=Values([2, 0]), source="N=2 C=2", first=1, count=1),
    "randint": dict(low=0, high=9, size=[2, 3]),
    "randint_like": dict(low=0, high=9),
    "random": dict(low=0, high=2),
    "randperm": dict(n=2),
    "refine_names": dict(names=("N", "C")),
    "rename": dict(names=("A", "B")),
    "repeat": dict(repeats=[2, 1]),
    "repeat_interleave": dict(repeats=Values(2), dim="C"),
    "reshape": dict(shape=[6]),
    "resize": dict(self="2 3", size=[3, 2]),
    "resize_as": dict(self="2 3", other="3 2"),
    "roll": dict(shifts=[1], dims=["C"]),
    "scatter": dict(index=Values([[0, 2, 1], [1, 0, 2]])),
    "scatter_add": dict(index=Values([[0, 2, 0], [1, 0, 1]])),
    "slice": dict(dim="C", start=1),
    "sort": dict(dim="C"),
    "split": dict(split_size=2, dim="C"),
    "take": dict(index=Values([5, 0, -1])),
    "take_along_dim": dict(indices=Values([[0, 2], [1, 1]]), dim="C"),
    "take_dims": dict(index=Values([2, 0]), first=1, count=1),
    "tensor_split": dict(sections=2, dim="C"),
    "threshold": dict(threshold=1, value=0),
    "tile": dict(dims=[2, 1]),
    "to_device": dict(device="cpu"),
    "transpose": dict(dim0="N", dim1="C"),
    "unflatten": dict(self="N=2 C=4", dim="C", sizes=[2, 2], names=("A", "B")),
    "unfold": dict(dimension="C", size=2, step=1),
    "unsqueeze": dict(dim=1),
    "view": dict(size=[3, 2], self="2 3"),
    "view_as_complex": dict(self="N=3 C=2"),
    "vsplit": dict(self="N=2 C=3", sections=2),
    "where": dict(condition=MASK),
}


def make(text, dtype):
    """A tensor of small whole numbers from 1 on, with the dims of the text."""
    dims = [part.partition("=") for part in text.split()]
    sizes = [int(size or name) for name, _, size in dims]
    names = [name if size else None for name, _, size in dims]
    count = 1
    for size in sizes:
        count *= size
    values = [float(i % 5 + 1) for i in range(count)]
    t = nomen.tensor(values, dtype=nomen.float32).to(getattr(nomen, dtype)).reshape(sizes)
    return t.rename(*names) if any(names) else t


def built(value, kind, dtype):
    if isinstance(value, Values):
        return value.tensor()
    if kind == "tensor":
        return make(value, dtype)
    if kind == "tensors":
        return [v.tensor() if isinstance(v, Values) else make(v, dtype) for v in value]
    return value


def arguments(name, dtype):
    """{argument: value} of a call of the row, without those that are left out."""
    given = {}
    own = OWN.get(name, {})
    row = ROWS[name]
    for arg in row["args"]:
        key, kind = arg["name"], arg["kind"]
        if key in own:
            given[key] = built(own[key], kind, dtype)
        elif kind == "dtype" and (not arg["optional"] or row["family"] == "factory"):
            given[key] = getattr(nomen, dtype)
        elif not arg["optional"] and kind != "flag":
            given[key] = built(USUAL[kind], kind, dtype)
    return given
