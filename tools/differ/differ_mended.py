"""Of two mistakes in a call each library tells one: are there two?

If one of them is a dtype that is refused, the same call with fine dtypes has the other one only,
and both libraries tell that.
"""

import differ_deviations as deviations
import differ_hints as hints
import differ_judge as judge
from differ_cases import TWO, data_of

DTYPES = ("float32", "int64", "complex64")
MASKS = {"where": 0, "masked_fill": 1, "masked_select": 1, "masked_scatter": 1}


def outs_of(case):
    out = case["kw"].get("out")
    given = out.get("tuple", [out]) if isinstance(out, dict) else []
    return [x["t"] for x in given if isinstance(x, dict) and "t" in x]


def number(value):
    return 1.5 if isinstance(value, dict) and "complex" in value else value


def with_dtype(case, dtype, out):
    """The call with operands of this dtype, and of out= what fits; or without out=."""
    made, outs = dict(case), outs_of(case)
    made["tensors"] = []
    for k, spec in enumerate(case["tensors"]):
        own = dtype
        if isinstance(spec["fill"][0], (list, tuple)):
            own = "int64"
        elif MASKS.get(case["row"]) == k:
            own = "bool"
        elif k in outs:
            own = hints.RESULTS.get(case["row"], dtype)
            own = "int64" if case["row"] in TWO and outs.index(k) else own
        made["tensors"].append(dict(spec, dtype=own, grad=spec["grad"] and own != "int64"))
    made["args"] = [number(v) for v in case["args"]]
    left_out = {"dtype"} if out else {"dtype", "out"}
    made["kw"] = {k: number(v) for k, v in case["kw"].items() if k not in left_out}
    truths = [k for k in ("alpha", "beta") if isinstance(made["kw"].get(k), bool)]
    made["kw"] |= dict.fromkeys(truths, 1)  # refused by some dtypes
    return made


def ask(worker, case):
    return worker.ask([(case, data_of(case))])[0][0] if worker and case else None


def other_mistake(told):
    return told is not None and told[0] == "error" and deviations.kind(told) not in AFTER_DTYPES


AFTER_DTYPES = ("dtype", "cast", "arguments")


def two_mistakes(bench, case):
    """Is there a mistake besides the dtypes, which both sides tell?"""
    for dtype in DTYPES:
        for out in (True, False) if outs_of(case) else (True,):
            made = with_dtype(case, dtype, out)
            mine = ask(bench.nomen, made)
            if not other_mistake(mine):
                continue
            for worker, form in ((bench.named, made), (bench.values, judge.without_names(made))):
                theirs = ask(worker, form)
                if other_mistake(theirs) and deviations.kind(theirs) == deviations.kind(mine):
                    return True
    return False
