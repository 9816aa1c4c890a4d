"""The recorded cases of golden/*.jsonl.gz, and those of them that nomen answers otherwise.

golden/exceptions.tsv lists the latter one by one: file and line, number in docs/differences.md,
nomen's answer. The models below say what each written rule makes of a recorded case; run as a
program, this file writes the list anew from them.
"""

import functools
import gzip
import json
import pathlib

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


@functools.cache
def read(name):
    """[(key, recorded answer)]"""
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def read_exceptions():
    """{(file, line): (number, nomen's answer)}"""
    found = {}
    for line in (GOLDEN / "exceptions.tsv").read_text().splitlines():
        case, number, answer = line.split("\t")
        name, at = case.split(":")
        found[name, int(at)] = number, json.loads(answer)
    return found


EXCEPTIONS = read_exceptions()


def cases(name):
    """(key, expected answer) of each case of a file."""
    for line, (key, recorded) in enumerate(read(name), 1):
        yield key, EXCEPTIONS[name, line][1] if (name, line) in EXCEPTIONS else recorded


# ---- what the rules make of a case: None if nothing else, or the number and the answer ---------


def listed(names):
    return "[" + ", ".join("None" if name is None else f"'{name}'" for name in names) + "]"


def from_right(names, k):
    return names[-k] if k <= len(names) else None


def model_unify(a, b):
    """Names matched from the right, or the text of the error."""
    result = []
    for k in range(1, max(len(a), len(b)) + 1):
        x, y = from_right(a, k), from_right(b, k)
        if x is not None and y is not None and x != y:
            return (
                f"Error when attempting to broadcast dims {listed(a)} and dims {listed(b)}: "
                f"dim '{x}' and dim '{y}' are at the same position from the right but do not "
                "match."
            )
        for name, other, own, against in ((x, y, a, b), (y, x, b, a)):
            if name is not None and other is None and name in against:
                return (
                    f"Misaligned dims when attempting to broadcast dims {listed(own)} and dims "
                    f"{listed(against)}: dim '{name}' appears in a different position from the "
                    "right across both lists."
                )
        result.insert(0, y if x is None else x)
    return result


def model_align(own, wants, recorded):
    if recorded[0] == "ok" or "Cannot find dim" not in recorded[2]:
        return None
    missing = next(name for name in own if name not in wants)
    return "2.8", [
        "err",
        "RuntimeError",
        f"align_to: Cannot find dim '{missing}' from Tensor{listed(own)} in desired alignment "
        f"{listed(wants)}.",
    ]


def model_matmul(a, b, recorded):
    given = [name for name in recorded[1] if name is not None] if recorded[0] == "ok" else []
    if len(given) == len(set(given)):
        return None
    return "2.3", [
        "err",
        "RuntimeError",
        f"Matrix multiplying Tensor{listed(a)} with Tensor{listed(b)} would produce output tensor "
        f"with duplicate names {listed(recorded[1])}. Please rename the input tensors with "
        "`Tensor.rename` to prevent this.",
    ]


def model_masked_fill_inplace(own, mask, recorded):
    names = model_unify(own, mask)
    if isinstance(names, str):
        expected = ["err", "RuntimeError", names]
    elif any(own) and names != own:
        expected = [
            "err",
            "RuntimeError",
            f"Name mismatch: specified out tensor with names {listed(own)} are not the "
            f"same as the computed output names {listed(names)}. Please rename the out "
            "tensor's dims with `Tensor.rename`.",
        ]
    else:
        expected = ["ok", names]
    if expected[:2] == recorded[:2] and (expected[0] == "ok" or expected[2] == recorded[2]):
        return None
    return "2.4", expected


MODELS = {
    "align_as": model_align,
    "align_to": model_align,
    "bmm": model_matmul,
    "masked_fill_inplace": model_masked_fill_inplace,
    "matmul": model_matmul,
    "mm": model_matmul,
}


def deviations(name):
    """{line: (number, answer)} of a file, by the models."""
    if name not in MODELS:
        return {}
    found = {i: MODELS[name](*key, answer) for i, (key, answer) in enumerate(read(name), 1)}
    return {line: exception for line, exception in found.items() if exception}


if __name__ == "__main__":
    lines = [
        f"{name}:{line}\t{number}\t{json.dumps(answer, separators=(',', ':'))}\n"
        for name in sorted(MODELS)
        for line, (number, answer) in deviations(name).items()
    ]
    (GOLDEN / "exceptions.tsv").write_text("".join(lines))
