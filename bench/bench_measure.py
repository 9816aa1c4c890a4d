"""Runs calls of nomen and of a peer in turns, in one process, and says what each took.

    python bench_measure.py PEER THREADS SECONDS ONLY    (PEER: torch; ONLY: both, peer, nomen)

Reads calls (bench_cases.py) from standard input, a JSON list of some per line, and answers each
line with a list. Needs NumPy, nomen and the peer, nothing of this folder: it runs under other
interpreters.
"""

import gc
import importlib
import json
import os
import statistics
import sys
import time
import warnings

import numpy

ROUNDS_AT_LEAST, MOST_ROUNDS = 3, 9
KEPT_FILLS = 4
LONG = 0.05  # seconds of a call, to which a cold start makes no difference
# So long the threads of a library look for work when there is none, on processors that we want:
# libgomp's, and nomen's (SPIN_NS of src/core/parallel.c, and some for the way to sleep).
LOOKS_FOR_WORK = {"peer": 0.025, "nomen": 0.0005}
TICKS = os.sysconf("SC_CLK_TCK")  # in a second; what the system counts in
now = time.perf_counter
PLAIN = {
    "bool": "?",
    "uint8": "u1",
    "int64": "i8",
    "float32": "f4",
    "float64": "f8",
    "complex64": "c8",
}


class Fills:
    """The same numbers for both; large ones are made once."""

    def __init__(self):
        self.unit, self.kept = numpy.empty(0, "f4"), {}

    def uniform(self, n):
        """From 0.1 to 0.9."""
        if len(self.unit) < n:
            self.unit = 0.1 + 0.8 * numpy.random.default_rng(1).random(n, dtype="f4")
        return self.unit[:n]

    def make(self, spec):
        """The few made last are kept: the other library asks for the same ones."""
        shape = tuple(spec["shape"])
        n, fill, dtype = int(numpy.prod(shape)), spec["fill"], spec["dtype"]
        key = n, fill, dtype
        if key not in self.kept:
            if len(self.kept) == KEPT_FILLS:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = self.values(n, fill, dtype)
        return self.kept[key].reshape(shape)

    def values(self, n, fill, dtype):
        whole = dtype.startswith(("int", "uint"))
        if fill.startswith("below"):
            values = numpy.random.default_rng(2).integers(0, int(fill.split()[1]), n)
        elif fill.startswith("order"):
            values = numpy.random.default_rng(2).permutation(n)
        elif fill == "wide":
            rng = numpy.random.default_rng(2)
            values = rng.integers(-(2**62), 2**62, n) if whole else rng.random(n)
        elif fill == "mask" or dtype == "bool":
            values = self.uniform(n) < 0.5
        elif fill == "few":
            values = 1 + (self.uniform(n) * 4)
        elif fill == "small":
            values = numpy.floor(self.uniform(n) * 100)
        elif fill == "above_one":
            values = 1 + self.uniform(n)
        elif fill == "near_one":
            values = 1 + (self.uniform(n) - 0.5) / 1e4
        else:
            values = self.uniform(n) * (100 if whole else 1)
        if whole and fill in ("near_one", "above_one"):
            values = numpy.ones(n)
        stored = PLAIN.get(dtype, "f4")
        return numpy.ascontiguousarray(values.astype(stored))


FILLS = Fills()


def first_call(text, scope):
    """(what it gives, seconds that it took), without the interpreter's work on the text"""
    code = compile(text, "call", "eval")
    start = now()
    result = eval(code, scope)
    return result, now() - start


class Library:
    def __init__(self, name):
        self.lib = importlib.import_module(name)
        self.has_names = hasattr(self.lib.Tensor, "align_to")

    def tensor(self, spec, named):
        shape, layout = spec["shape"], spec.get("layout", "contiguous")
        stored = dict(spec)
        if layout == "transposed":
            stored["shape"] = shape[::-1]
        elif layout == "broadcast":
            stored["shape"] = [1, *shape[1:]]
        elif layout == "strided":
            stored["shape"] = [*shape[:-1], 2 * shape[-1]]
        t = self.lib.from_numpy(FILLS.make(stored)).to(getattr(self.lib, spec["dtype"])).clone()
        if layout == "transposed":
            t = t.transpose(0, 1)
        elif layout == "broadcast":
            t = t.expand(*shape)
        elif layout == "strided":
            t = t[..., ::2]
        if named and spec.get("names") and self.has_names:
            t = t.rename(*spec["names"])
        return t

    def value(self, item, named):
        if isinstance(item, list):
            return [self.value(x, named) for x in item]
        if not isinstance(item, dict):
            return item
        if "shape" in item:
            return self.tensor(item, named)
        if "dtype is" in item:
            return getattr(self.lib, item["dtype is"])
        return item["dims"] if named else item["places"]

    def prepare(self, case):
        """(a function that times many calls, the first result, what the first call took)"""
        named, style = case.get("named", False), case["style"]
        name = case.get("function", case["op"])
        args = [self.value(x, named) for x in case["args"]]
        keywords = {key: self.value(x, named) for key, x in case["kw"].items()}
        name = name.removesuffix("_") + ("_" if style == "in place" else "")
        function = getattr(self.lib, name, None) if style == "function" else None
        if function is not None:
            shown = ", ".join(f"a{i}" for i in range(len(args)))
            text = f"f({shown}{', ' if args and keywords else ''}"
        else:
            getattr(args[0], name)  # an error that says so, if there is none
            shown = ", ".join(f"a{i}" for i in range(1, len(args)))
            text = f"a0.{name}({shown}{', ' if shown and keywords else ''}"
        text += ", ".join(f"{key}=k{i}" for i, key in enumerate(keywords))
        scope = {"f": function, "now": now}
        scope |= {f"a{i}": value for i, value in enumerate(args)}
        scope |= {f"k{i}": value for i, value in enumerate(keywords.values())}
        if case["form"] == "backward":
            inputs = self.leaves([*args, *keywords.values()])
            text, scope = self.backward(eval(text + ")", scope), inputs)
        result, first = first_call(text + ")", scope)
        if case["form"] == "out=":
            pieces = result if isinstance(result, (tuple, list)) else (result,)
            outs = tuple(self.lib.empty_like(t) for t in pieces)
            scope["out"] = outs if len(outs) > 1 else outs[0]
            text += ", out=out" if not text.endswith("(") else "out=out"
            _, first = first_call(text + ")", scope)
        names = [key for key in scope if not key.startswith("__")]
        source = f"def timed(many, {', '.join(f'{n}={n}' for n in names)}):\n"
        source += f"    start = now()\n    for _ in many: {text})\n    return now() - start\n"
        exec(source, scope)
        return scope["timed"], result, first

    def leaves(self, values):
        """The tensors among them that can have gradients, from now on with them."""
        found = []
        for value in values:
            if isinstance(value, list):
                found += self.leaves(value)
            elif isinstance(value, self.lib.Tensor) and value.dtype.is_floating_point:
                found.append(value.requires_grad_())
        return found

    def backward(self, result, inputs):
        """(text, scope) of a call that takes back what was done, again and again"""
        results = result if isinstance(result, (tuple, list)) else [result]
        results = [r for r in results if r.requires_grad]
        given = [r.detach().clone() for r in results]
        scope = {"f": self.lib.autograd.grad, "now": now, "y": results, "x": inputs, "g": given}
        return "f(y, x, g, retain_graph=True, allow_unused=True", scope


def described(result):
    if isinstance(result, (tuple, list)):
        return [described(x) for x in result]
    if hasattr(result, "shape"):
        return [str(result.dtype).split(".")[-1], *map(int, result.shape)]
    return type(result).__name__


def calls_in(timed, seconds):
    """How often to call for about that time, and what one call costs."""
    timed(range(1))  # the second is the first that finds everything in its place
    many = 1
    while True:
        took = timed(range(many))
        if took >= seconds / 4 or many >= 1 << 20:
            return max(1, min(1 << 20, int(many * seconds / max(took, 1e-9)))), took / many
        many *= 4


def settle(timed, each, seconds):
    """Calls that are not counted: until the other library's threads have gone to sleep."""
    if each > seconds:
        return time.sleep(seconds)
    until = now() + seconds
    many = range(max(1, int(seconds / 8 / max(each, 1e-9))))
    while True:
        timed(many)
        if now() >= until:
            return


class Call:
    """One call of the bench, made ready in each library."""

    def __init__(self, case, sides, seconds):
        self.answer, self.plans, said = {}, {}, []
        for key, library in sides.items():
            library.lib.manual_seed(1)
            try:
                timed, result, first = library.prepare(case)
                said.append(described(result))
                del result  # its memory serves the next ones
                self.answer[key + "_first"] = first * 1e6
                many, each = calls_in(timed, seconds / 20)
                self.plans[key] = timed, range(many), each, []
            except Exception as error:
                why = f"{type(error).__name__}: {error}".splitlines()[0][:160]
                self.answer[key + "_error"] = why
        if len(said) == 2 and said[0] != said[1]:
            self.answer["note"] = f"results differ in kind: {said[0]} and {said[1]}"[:200]
        slowest = max((many.stop * each for _, many, each, _ in self.plans.values()), default=0)
        self.rounds = max(ROUNDS_AT_LEAST, min(MOST_ROUNDS, int(seconds / 2 / max(slowest, 1e-9))))
        if slowest > 10 * seconds:
            self.rounds = 1
        self.large = case["n"] > 5000

    def turn(self, key, beside):
        """`beside`: others came between, so that the operands have to be fetched again first."""
        timed, many, each, took = self.plans[key]
        if beside and each < LONG:
            timed(range(1))
        took.append(timed(many) / many.stop)

    def told(self):
        for key, (_, _, _, took) in self.plans.items():
            self.answer[key] = statistics.median(took) * 1e6
            self.answer[key + "_best"] = min(took) * 1e6
        return self.answer


def measure(cases, sides, seconds, alone):
    """What the sides take; `seconds` is about what one case may take, for ordinary calls. The cases
    take turns, so that there is one wait for the other library's threads in a round of them all.
    `alone`: there are no such threads."""
    calls = [Call(case, sides, seconds) for case in cases]
    for done in range(max(call.rounds for call in calls)):
        for key in sides:
            here = [call for call in calls if key in call.plans and done < call.rounds]
            waits = [call for call in here if call.large and len(call.plans) > 1]
            if waits and not alone and max(call.rounds for call in waits) > 1:
                timed, _, each, _ = waits[0].plans[key]
                settle(timed, each, LOOKS_FOR_WORK["nomen" if key == "peer" else "peer"])
            for call in here:
                call.turn(key, len(calls) > 1)
    return [call.told() for call in calls]


def foreign():
    """Seconds of processors that others, or other machines on them, have used so far."""
    with open("/proc/stat") as f:
        words = list(map(int, f.readline().split()[1:9]))
    own = os.times()
    return (sum(words) - words[3] - words[4]) / TICKS - own.user - own.system


def main():
    warnings.simplefilter("ignore")
    peer, threads, seconds, only = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    sides = {}
    if only != "peer":
        sides["nomen"] = Library("nomen")
    if only != "nomen":
        sides["peer"] = Library(peer)
    for library in sides.values():
        library.lib.set_num_threads(threads)
    versions = {key: getattr(library.lib, "__version__", "") for key, library in sides.items()}
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    print(json.dumps({"versions": versions}), file=out, flush=True)
    for line in sys.stdin:
        cases = json.loads(line)
        before, start = foreign(), now()
        answers = measure(cases, sides, seconds, threads == 1)
        gc.collect()  # a function and the scope that it is made in hold each other, and operands
        # A tick may be counted at either end.
        others = max(0.0, foreign() - before - 2 / TICKS) / (now() - start)
        answers = [answer | {"others": others} for answer in answers]
        print(json.dumps(answers), file=out, flush=True)


if __name__ == "__main__":
    main()
