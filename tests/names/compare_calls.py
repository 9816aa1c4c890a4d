"""nomen_infer beside calls of every row of the table: it says the names that the results have, or
the error that the call ends with. Names, ranks and dims of the calls of row_calls.py are drawn by
chance; all forms, through the C interface.

usage: compare_calls.py [COUNT [ROW ...]]    COUNT: so many calls of each row (default 3000)
"""

import random
import re
import sys
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "python")]

from c_interface import Interface  # noqa: E402
from row_calls import ROWS, arguments  # noqa: E402

from names.library import KINDS, Library, names_of  # noqa: E402

import nomen  # noqa: E402

FORMS = {"f": "function", "m": "function", "i": "in place", "o": "out="}
SHAPES = ((), (3,), (2, 3), (2, 2, 3), (1, 3), (1, 1, 1))
LETTERS = ("A", "B", "C", "N", "X")
# Rules that take operands of any rank: there the calls are not those of row_calls alone.
ANY_RANK = """keep unify along compared reduce reduce_last none diag diag_embed diagonal squeeze
flatten tile repeat expand select insert append transpose permute move positions unnamed align_to
rename refine resize""".split()
# Of these one dim says what the other is if only one is given.
PAIRS = {"diagonal": (0, 1), "diag_embed": (-2, -1)}
RESULT_SIZE = ("size", "shape")


def usual(sizes, dtype):
    """A tensor of ones, with names that suit others like it."""
    t = nomen.ones(list(sizes), dtype=dtype)
    return t.rename(*"KBNC"[4 - len(sizes) :]) if sizes else t


def with_names(t, names):
    return t.rename(*names) if any(names) else t.rename(None) if any(t.names) else t


def drawn_names(chance, own):
    """Those that suit the call, with a slip now and then; any; or none."""
    rank, kind, found = len(own), chance.random(), own
    if kind < 0.15:
        return (None,) * rank
    if kind < 0.75:
        found = [None if chance.random() < 0.2 else name for name in own]
        if rank and chance.random() < 0.15:
            found[chance.randrange(rank)] = chance.choice(LETTERS)
    elif rank <= len(LETTERS):
        found = chance.sample(LETTERS, rank)
    given = [name for name in found if name]
    return tuple(found) if len(given) == len(set(given)) else (None,) * rank


def drawn_dim(chance, own):
    """By name, by position, negative; out of range, of another tensor, None."""
    named, kind = [name for name in own if name], chance.random()
    if named and kind < 0.45:
        return chance.choice(named)
    if own and kind < 0.85:
        return chance.randrange(-len(own), len(own))
    return chance.choice(("A", "X", "c", None, 0, -1, 1, len(own), -len(own) - 1, 5))


def drawn_dims(chance, own, count):
    """A list, as long as the one that suits the call more often than not."""
    if own and chance.random() < 0.5:
        places = chance.sample(range(len(own)), min(count, len(own)))
        return [own[p] if own[p] and chance.random() < 0.5 else p for p in places]
    return [drawn_dim(chance, own) for _ in range(chance.choice((count, count, 0, 1, 2, 3)))]


# nomen_infer cannot be told that a result without names has no dims (args.ndim = 0: not given).
COMPARED = sorted(set(ROWS) - {"singular_sum"})


class Calls:
    """Calls of one row."""

    def __init__(self, name, dtype):
        self.name, self.row, self.dtype = name, ROWS[name], getattr(nomen, dtype)
        self.args = {arg["name"]: arg for arg in self.row["args"]}
        self.base = arguments(name, dtype)
        self.forms = sorted({FORMS[f] for f in self.row["forms"]}) or ["function"]
        if self.row["returns"] != "tensor" or "second" in self.row["more"]:
            self.forms = [form for form in self.forms if form != "out="]
        tensors = [t for t in self.base.values() if isinstance(t, nomen.Tensor)]
        self.any_rank = self.row["rule"] in ANY_RANK and all(
            tuple(t.shape) == (2, 3) and t.dtype == self.dtype for t in tensors
        )

    def operands(self, given):
        """In the order of the arguments, lists spread out."""
        found = []
        for key, arg in self.args.items():
            if key in given and arg["kind"] in ("tensor", "tensors"):
                found += given[key] if arg["kind"] == "tensors" else [given[key]]
        return [t for t in found if isinstance(t, nomen.Tensor)]

    def draw(self, chance):
        """{argument: value}"""
        given = dict(self.base)
        joins = [k for k, a in self.args.items() if a["kind"] == "tensors"]
        shape = chance.choice(SHAPES)
        if self.any_rank and chance.random() < 0.5:
            for key, value in given.items():
                if isinstance(value, nomen.Tensor):
                    cut = chance.randrange(len(shape) + 1) if chance.random() < 0.3 else 0
                    given[key] = usual(shape[cut:], self.dtype)
        if self.row["rule"] in ("cat", "stack", "pile", "align_tensors") and chance.random() < 0.5:
            given[joins[0]] = [
                usual(shape[chance.random() < 0.2 :], self.dtype)
                for _ in range(chance.randint(1, 3))
            ]
        for key, value in given.items():
            if isinstance(value, nomen.Tensor):
                given[key] = with_names(value, drawn_names(chance, value.names))
            elif key in joins:
                given[key] = [with_names(t, drawn_names(chance, t.names)) for t in value]
        self.draw_others(chance, given)
        return given

    def draw_others(self, chance, given):
        operands = self.operands(given)
        own = operands[0].names if operands else ()
        for key, arg in self.args.items():
            kind = arg["kind"]
            if kind not in ("dim", "dims", "names", "name") and key != "keepdim":
                continue
            if arg["optional"] and chance.random() < (0.15 if key in given else 0.3):
                given.pop(key, None)
            elif kind == "dim" and chance.random() < 0.85:
                given[key] = drawn_dim(chance, own)
            elif kind == "dims" and chance.random() < 0.85:
                given[key] = drawn_dims(chance, own, len(given.get(key, [0])))
            elif kind == "name":
                given[key] = chance.choice(LETTERS)
            elif kind == "names":
                rank = len(given.get(key) or given.get("size") or own or (0,))
                rank = rank if chance.random() < 0.8 else chance.randrange(4)
                given[key] = [chance.choice((*LETTERS, *LETTERS, None)) for _ in range(rank)]
            elif key == "keepdim":
                given[key] = chance.random() < 0.5
        if self.name == "movedim":  # as a question both lists are one
            least = min(len(given["source"]), len(given["destination"]))
            given["source"], given["destination"] = (
                given[key][:least] for key in ("source", "destination")
            )

    def question(self, given):
        """The operands and the fields of nomen_infer that mean the call."""
        operands, fields, dims = self.operands(given), {}, []
        for key, arg in self.args.items():
            value, kind = given.get(key), arg["kind"]
            if key not in given:
                continue
            if kind in ("dim", "dims"):
                fields["dim"] = dims = [*dims, *(value if kind == "dims" else [value])]
            elif kind in ("names", "name"):
                fields["names" if kind == "names" else "out_dim"] = value
            elif kind == "sizes" and key not in ("stride", "shifts", "indices"):
                fields["ndim"] = len(value)
            elif key in ("keepdim", "equation"):
                fields[key] = value
        rule = self.row["rule"]
        if rule == "flatten" and "dims" not in given and dims:
            fields["dim"] = [given.get("start_dim", 0), ..., given.get("end_dim", -1)]
        if self.name in PAIRS and dims:
            fields["dim"] = [given.get(f"dim{i + 1}", PAIRS[self.name][i]) for i in (0, 1)]
        if rule in ("squeeze", "reshape", "resize"):
            fields["size"] = tuple(operands[0].shape)
        if rule in ("reshape", "resize"):
            fields["result_size"] = next(tuple(given[k]) for k in RESULT_SIZE if k in given)
        if self.name == "take_dims":
            fields["dim"] = list(range(given["first"], given["first"] + given["count"]))
        elif rule in ("index", "index_put"):
            fields["dim"] = list(range(len(given["indices"])))
        elif rule == "given":
            fields["ndim"] = 2 if self.name == "eye" else fields.get("ndim", 1)
        elif self.name in ("distances", "orthogonal_basis"):
            fields["ndim"] = operands[0].dim()
        return [t.names for t in operands], fields


class Compared:
    def __init__(self):
        self.interface, self.library = Interface(), Library()

    def call(self, name, given, form, out=None):
        """[names of each result], or (kind, message, hint)"""
        told, result = self.interface.call(name, given, form, out)
        if told == "error":
            code = self.interface.code
            return KINDS.get(code, code), result, self.interface.hint
        return [] if isinstance(result, bool) else result

    def calls_of(self, name):
        """In the first dtype that the row takes."""
        form = "in place" if name.endswith("_") else "function"
        for dtype in ("float32", "int64", "bool", "complex64"):
            calls = Calls(name, dtype)
            if not isinstance(self.call(name, calls.base, form), tuple):
                return calls
        raise AssertionError(f"{name} takes no call of row_calls.py")

    def once(self, calls, chance):
        """What went wrong, if anything, and the case."""
        name, given, form = calls.name, calls.draw(chance), chance.choice(calls.forms)
        operands, fields = calls.question(given)
        asked, out = name + "_" * (form == "in place" and not name.endswith("_")), None
        if form == "out=":
            first = self.call(name, given, "function")
            if isinstance(first, list):
                dtype, shape, names, _ = first[0]
                out = nomen.zeros(shape, dtype=getattr(nomen, dtype))
                out = with_names(out, drawn_names(chance, names))
                fields |= dict(out=out.names, out_size=tuple(shape), result_size=tuple(shape))
        inferred = self.library.ask(asked, operands, **fields)
        called = self.call(name, given, "in place" if form == "in place" else "function", out)
        if isinstance(called, list):
            called = [tuple(names) for _, _, names, _ in called]
        return difference(called, inferred), (name, form, given, fields, called, inferred)


def about_names(error):
    return error[0] == "name" or error[1].startswith("Dimension out of range")


def difference(called, inferred):
    """A call may fail for what nomen_infer does not know: sizes, ranks, values."""
    if isinstance(inferred, str):
        if isinstance(called, tuple):
            return "refused by the call alone" if about_names(called) else None
        said = [names_of(line) for line in inferred.split(";")]
        said = said[:1] * len(called) if len(said) == 1 else said  # of a list or of pieces
        return None if called in ([], said) else "other names"
    if isinstance(called, list):
        return "refused by nomen_infer alone"
    if called == inferred:
        return None
    if about_names(called):
        return "another error"
    # as names and sizes alike are wrong, either may be told; but of one mistake one thing is said
    has_sizes = re.search(r"\[-?\d+(, -?\d+)*\]|size", called[1])
    return "another error" if called[0] == inferred[0] and not has_sizes else None


def compare(count=3000, seed=1, rows=None):
    """Counts of calls by what the call did, and what differs: [(what, case)]."""
    compared, chance = Compared(), random.Random(seed)
    counted, wrong = Counter(), []
    for name in rows or COMPARED:
        calls = compared.calls_of(name)
        for _ in range(count):
            what, case = compared.once(calls, chance)
            kind = "result" if isinstance(case[4], list) else case[4][0]
            counted[kind] += 1
            if what:
                wrong.append((what, case))
    return counted, wrong


def shown(value):
    if isinstance(value, nomen.Tensor):
        return f"{tuple(value.shape)} {value.names}"
    return [shown(v) for v in value] if isinstance(value, list) else value


def text_of(what, case):
    name, form, given, fields, called, inferred = case
    call = ", ".join(f"{key}={shown(value)}" for key, value in given.items())
    return f"{what}: {name} {form}: {call}; {fields}\n    call  {called}\n    infer {inferred}"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    counted, wrong = compare(count, rows=sys.argv[2:])
    told = Counter()
    for what, case in wrong:
        told[case[0]] += 1
        if told[case[0]] <= 3:
            print(text_of(what, case))
    for what, number in counted.items():
        print(f"{what:12}{number:10}")
    print(f"figure: calls of tensors whose names nomen_infer said: {sum(counted.values())}")
    print(f"figure: calls of which it said something else: {len(wrong)}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
