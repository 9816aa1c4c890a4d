"""PyTorch's own operator samples, run in nomen: `tools/differential.py --samples`.

torch.testing has, for each operator, operands that its developers thought worth a test
(sample_inputs, reference_inputs), wrong ones (error_inputs), and the dtypes it takes. A process
with torch hands them out as calls in plain data (differ_samples_torch.py), in each form that nomen
has under that name: function, method, in place, second names, out=. From there on they are calls
like those drawn by chance.
"""

import collections
import pathlib

import differ_cases as cases
import differ_hints as hints
import differ_say as say
from differ_worker_pool import Worker

import nomen

SCRIPT = pathlib.Path(__file__).with_name("differ_samples_torch.py")
BATCH = 64
KINDS = ["sample", "reference", "grad", "errors"]


def rows_by_name():
    table = cases.rows()
    known = {name: name for name in table}
    for name, row in table.items():
        known.update(dict.fromkeys(row["aliases"], name))
    return known


def resolve(name):
    found = nomen
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def forms_of(op):
    """[name, form] of all that nomen has of an operator."""
    forms, name = [], op["name"]
    for called in [name, *op["aliases"]]:
        if not called.startswith("__") and callable(resolve(called)):
            forms.append([called, "function"])
        for spelled in (called, called + "_"):
            if callable(getattr(nomen.Tensor, spelled, None)):
                forms.append([spelled, "method"])
        if callable(getattr(nomen.Tensor, called + "_", None)):
            forms.append([called, "inplace"])
    if not forms and hasattr(nomen.Tensor, name):
        forms.append([name, "attribute"])
    return forms


def has(case):
    """Is there such a function or method? A list may call another one than it is named for."""
    return bool(resolve(case["op"])) if case["form"] == "function" else True


def pair(answer):
    """For --errors: what both said."""
    (mine, _), values, named = answer
    texts = [
        f"{t[1]}: {t[2].splitlines()[0] if t[2] else ''}" if t[0] == "error" else "ok"
        for t in (mine, (values or named)[0])
    ]
    return " <> ".join(texts)


class Samples:
    """The calls of each operator, and what came of them."""

    def __init__(self, options, bench, verdict, signature):
        self.options, self.bench, self.verdict = options, bench, verdict
        self.signature = signature
        self.source = Worker(options.values, "torch", 300, SCRIPT)
        self.rows = rows_by_name()
        self.counts = collections.defaultdict(collections.Counter)
        self.shown = collections.Counter()

    def requests(self, op, forms):
        limit, kinds = self.options.limit, self.options.kinds
        random = self.row_of(op["name"]) in hints.RANDOM or "." in op["name"]
        for dtype in op["dtypes"]:
            for kind in ("sample", "reference"):
                if kind in kinds:
                    yield [op["at"], dtype, forms, kind, limit, random]
        if op["gradient"] and "grad" in kinds:
            for dtype in {"float64", "complex128"} & set(op["dtypes"]):
                yield [op["at"], dtype, forms, "grad", limit, random]
        if op["errors"] and "errors" in kinds:
            yield [op["at"], "float32", forms, "errors", limit, random]

    def row_of(self, name):
        last = name.split(".")[-1]
        bare = last.strip("_")
        for known in (last, last.removesuffix("_"), bare, bare.removeprefix("r")):
            if known in self.rows:
                return self.rows[known]
        return last

    def ask(self, request):
        try:
            self.source.send(request)
            return self.source.receive()
        except (EOFError, BrokenPipeError, TimeoutError) as error:
            self.source.stop()
            return "failed", type(error).__name__

    def operator(self, op):
        forms = forms_of(op)
        label = op["name"] + (f" ({op['variant']})" if op["variant"] else "")
        if not forms:
            return label
        counts = self.counts[label]
        for request in self.requests(op, forms):
            told = self.ask(request)
            if told[0] == "failed":
                counts["no samples"] += 1
                continue
            made, counts["odd"] = [c for c in told[0] if has(c[0])], counts["odd"] + told[1]
            for case, _ in made:
                case["row"] = self.row_of(case["op"])
                case["kind"] = request[3]
            for at in range(0, len(made), BATCH):
                self.judge(label, counts, made[at : at + BATCH])
        return None

    def judge(self, label, counts, batch):
        for (case, data), answer in zip(batch, self.bench.answers(batch)):
            state, said = self.verdict(case, data, answer)
            counts[state] += 1
            if state == "deviation":
                counts["meant", said] += 1
            if state == "deviation" and self.options.errors:
                state, said = "finding", "meant: " + pair(answer)
            if state != "finding":
                continue
            kind = (label, self.signature(said))
            self.shown[kind] += 1
            if self.shown[kind] <= self.options.show:
                where = " ".join(filter(None, [case["kind"], case["form"]]))
                line = say.line(case, data)
                line = line if len(line) < 700 else f"{line[:400]} ... {line[-300:]}"
                print(f"\n{label} [{where}]: {said}\n    {line}", flush=True)

    def run(self):
        missing = []
        operators = self.ask(["list"])
        for op in operators:
            if self.options.op and op["name"] not in self.options.op:
                continue
            lacking = self.operator(op)
            if lacking:
                missing.append(lacking)
        self.source.stop()
        return missing


def run(options, bench, verdict, signature):
    samples = Samples(options, bench, verdict, signature)
    missing = samples.run()
    total, meant = collections.Counter(), collections.Counter()
    print()
    for label, counts in samples.counts.items():
        calls = sum(counts[k] for k in ("same", "deviation", "finding", "skipped"))
        line = f"{label:32} {calls:6} calls, {counts['same']:6} the same"
        for key, word in (
            ("deviation", "meant"),
            ("skipped", "without an oracle"),
            ("finding", "findings"),
            ("odd", "samples not run"),
            ("no samples", "without samples"),
        ):
            line += f", {counts[key]} {word}" if counts[key] else ""
        print(line)
        total.update({k: n for k, n in counts.items() if isinstance(k, str)})
        meant.update({k[1]: n for k, n in counts.items() if isinstance(k, tuple)})
    print()
    for (label, kind), n in samples.shown.most_common():
        print(f"{n:8} findings: {label}: {kind}")
    for number, n in sorted(meant.items()):
        print(f"{n:8} meant: {number}")
    print(f"\n{len(missing)} operators that are not here:", ", ".join(missing))
    print(
        f"\n{len(samples.counts)} operators: {total['same']} the same, {total['deviation']} meant, "
        f"{total['skipped']} without an oracle, {total['finding']} findings"
    )
    return 1 if total["finding"] else 0
