"""What the tests call of each row of the table: with which form, dtypes and names, in which file.

A part of the runner (conftest.py). Python's callables are watched by watch_calls.c, C programs
count by themselves (count_calls.c). A call counts if it succeeded, in a test that passed.
"""

import glob
import importlib.util
import json
import os
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
DTYPES = DTYPES.split()


def table():
    path = ROOT / "tests/ops.gen.json"
    return json.loads(path.read_text())["ops"] if path.exists() else []


class Measured:
    """(row, "Python" or "C", form) -> {(dtype, named): {test files}}"""

    def __init__(self):
        self.calls = defaultdict(lambda: defaultdict(set))
        self.watch = None
        self.folder = tempfile.TemporaryDirectory(prefix="nomen-measured-")
        self.rows = {}
        for row in table():
            for name in (row["name"], *row["aliases"]):
                self.rows[name] = row["name"]

    def add(self, row, language, form, dtype, named, file):
        file = Path(file)
        file = file.relative_to(ROOT) if file.is_absolute() else file
        self.calls[row, language, form][dtype, bool(named)].add(str(file))

    # ---- Python ----------------------------------------------------------------------------

    def start(self):
        """Puts the watch in its place, where there is a module to watch."""
        found = glob.glob(str(ROOT / "build/release/tests/watch_calls.*.so"))
        if not found:
            return
        import nomen

        spec = importlib.util.spec_from_file_location("watch_calls", found[0])
        self.watch = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.watch)
        self.callables = []
        kinds = (nomen._C, "function", nomen.add), (nomen.Tensor, "method", nomen.Tensor.add)
        for owner, form, example in kinds:
            for name, thing in sorted(vars(owner).items()):
                if type(thing) is not type(example):
                    continue
                row = self.rows.get(name) or self.rows[name.removesuffix("_")]
                self.callables.append((thing, row, "in place" if name.endswith("_") else form))
        dtypes = tuple(getattr(nomen, name) for name in DTYPES)
        self.watch.watch(nomen.Tensor, dtypes, tuple(c[0] for c in self.callables))

    def forget(self):
        if self.watch:
            self.watch.take()

    def keep(self, file):
        """What was called since the last time belongs to a test of this file."""
        for place, out, bits, named in self.watch.take() if self.watch else ():
            _, row, form = self.callables[place]
            for i, dtype in enumerate(DTYPES):
                if bits >> i & 1:
                    self.add(row, "Python", "out=" if out else form, dtype, named, file)

    # ---- C ---------------------------------------------------------------------------------

    def environment(self, program):
        return {"NOMEN_MEASURED": str(Path(self.folder.name) / program.stem)}

    def keep_program(self, program, file):
        path = Path(self.folder.name) / program.stem
        for line in path.read_text().splitlines() if path.exists() else ():
            row, form, named, *dtypes = line.split()
            where = file.parent / dtypes.pop(0) if form in ("gradient", "second") else file
            form = {"out": "out=", "in_place": "in place"}.get(form, form)
            for dtype in dtypes:
                self.add(row, "C", form, dtype, int(named), where)


measured = Measured()
