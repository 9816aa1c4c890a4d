"""A call as a line of Python that one can paste, and a smaller call that shows the same."""

import copy
import math

import differ_data


def literal(value):
    if isinstance(value, dict):
        ((kind, what),) = value.items()
        if kind == "t":
            return "abcdefgh"[what] if what < 8 else f"t{what}"
        if kind in ("dtype", "lib"):
            return f"nomen.{what}"
        if kind == "tuple":
            inner = ", ".join(map(literal, what))
            return f"({inner},)" if len(what) == 1 else f"({inner})"
        if kind == "slice":
            return "slice({}, {}, {})".format(*what)
        if kind == "complex":
            return f"complex({what[0]}, {what[1]})"
        if kind == "generator":
            return f"nomen.Generator().manual_seed({what})"
        return "..." if kind == "ellipsis" else "object()"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def tensor(spec, raw):
    values = differ_data.widen(spec["dtype"], raw).tolist()
    text = ", ".join(literal(v) if isinstance(v, float) else repr(v) for v in values[:64])
    if len(values) > 64:
        text = f"*filled({spec['dtype']!r}, {len(values)}, {spec['fill']})"
    text = text.replace("nan", "float('nan')") if "(nan" in text or "nanj" in text else text
    made = f"nomen.tensor([{text}], dtype=nomen.{spec['dtype']})"
    if len(spec["shape"]) != 1:
        made += f".reshape({tuple(spec['shape'])})"
    for step in spec["steps"]:
        if step[0] == "slice":
            made += "[" + ":, " * step[1] + "{}:{}:{}]".format(*step[2:])
        else:
            made += f".{step[0]}({tuple(step[1])})"
    if spec["names"]:
        made += f".rename({', '.join(map(repr, spec['names']))})"
    return made + (".detach().requires_grad_()" if spec.get("grad") else "")


def line(case, data):
    """`a = ...; b = ...; nomen.add(a, b)`"""
    parts = ["import nomen"]
    for k, (spec, raw) in enumerate(zip(case["tensors"], data)):
        parts.append(f"{literal({'t': k})} = {tensor(spec, raw)}")
    if "seed" in case:
        parts.append(f"nomen.manual_seed({case['seed']})")
    args = [literal(x) for x in case["args"]]
    kw = [f"{key}={literal(x)}" for key, x in case["kw"].items()]
    name, form = case["op"], case["form"]
    if form == "operator":
        call = f"__import__('operator').{name}({', '.join(args)})"
    elif form == "function":
        call = f"nomen.{name}({', '.join(args + kw)})"
    else:
        call = f"{args[0]}.{name}{'_' if form == 'inplace' else ''}({', '.join(args[1:] + kw)})"
    if case.get("mode") == "grad":
        call = f"nomen.autograd.backward({call}, pattern)"
    return "; ".join([*parts, call])


def smaller(case):
    """Calls that are a bit simpler than this one, the boldest first."""
    for k, spec in enumerate(case["tensors"]):
        for key, value in (("names", None), ("steps", [])):
            if spec[key]:
                made = copy.deepcopy(case)
                if key == "steps":
                    made["tensors"][k]["shape"] = final_shape(spec)
                made["tensors"][k][key] = value
                yield made
        for kind in ("small", "positive", "normal"):
            if spec["fill"][0] != kind and not isinstance(spec["fill"][0], list):
                made = copy.deepcopy(case)
                made["tensors"][k]["fill"][0] = kind
                yield made
    for key in case["kw"]:
        made = copy.deepcopy(case)
        del made["kw"][key]
        yield made
    if len(case["args"]) > 1:
        made = copy.deepcopy(case)
        made["args"].pop()
        yield made
    plain = all(not spec["steps"] for spec in case["tensors"])
    sizes = {n for spec in case["tensors"] for n in spec["shape"]} if plain else ()
    for size in sorted(sizes, reverse=True):
        for new in (1, 2, size // 2, size - 1):
            if 0 < new < size:
                made = copy.deepcopy(case)
                for spec in made["tensors"]:
                    spec["shape"] = [new if n == size else n for n in spec["shape"]]
                made["args"] = [made["args"][0] if made["args"] else None, *made["args"][1:]]
                yield made
    ranks = {len(spec["shape"]) for spec in case["tensors"]}
    if plain and len(ranks) == 1 and ranks != {0}:
        made = copy.deepcopy(case)
        for spec in made["tensors"]:
            spec["shape"] = spec["shape"][1:]
            spec["names"] = spec["names"][1:] if spec["names"] else None
        yield made
    for k, spec in enumerate(case["tensors"]):
        for dtype in ("float32", "int64"):
            if spec["dtype"] != dtype and not isinstance(spec["fill"][0], list):
                made = copy.deepcopy(case)
                made["tensors"][k]["dtype"] = dtype
                yield made


def final_shape(spec):
    shape = list(spec["shape"])
    for step in spec["steps"]:
        if step[0] == "permute":
            shape = [shape[k] for k in step[1]]
        elif step[0] == "expand":
            shape = list(step[1])
        else:
            shape[step[1]] = len(range(*slice(*step[2:]).indices(shape[step[1]])))
    return shape
