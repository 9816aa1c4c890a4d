#!/usr/bin/env python3
"""docs/benchmarks.md and its pictures, from the CSV files that bench_all.py writes to build/bench;
of other vectors than AVX-512 (--isa there, or a machine without them) docs/benchmarks_avx2.md and
docs/benchmarks_scalar.md, so that one page does not replace the other.

Runs in build/bench-venv, which has matplotlib; without it there are no pictures.
"""

import collections
import csv
import json
import math
import os
import statistics
from pathlib import Path

import bench_goals

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("NOMEN_BENCH_FOLDER", ROOT / "build" / "bench"))
ABOUT = FOLDER / "about.json"
ISA = json.loads(ABOUT.read_text()).get("isa") or ("avx512" not in ABOUT.read_text() and "avx2")
KIND = f"_{ISA}" if ISA else ""
PAGE = ROOT / "docs" / f"benchmarks{KIND}.md"
PICTURES = ROOT / "docs" / "benchmarks"
LOSES = 0.95
# Bytes that an operation of an element has to move: what it reads and what it writes.
STREAMS = {"abs": 2, "neg": 2, "add": 3, "mul": 3, "exp": 2, "tanh": 2, "clone": 2, "sum": 1}
STREAMS |= {"max": 1, "var": 1, "cumsum": 2, "softmax": 2, "fill": 1, "where": 3, "lerp": 4}


def rows(name):
    path = FOLDER / name
    if not path.exists():
        return []
    with path.open(newline="") as f:
        found = list(csv.DictReader(f))
    for row in found:
        row["n"] = int(row["n"])
        for key, value in row.items():
            if key.endswith(("_us", "ratio", "others")):
                row[key] = float(value) if value else None
    return found


def label(row):
    extra = [row["variant"], row["dtype"] if row["dtype"] != "float32" else "", row["layout"]]
    extra = [x for x in extra if x and x != "contiguous"]
    form = "" if row["form"] == "allocating" else f" {row['form']}"
    return f"{row['op']}{form}" + (f" ({', '.join(extra)})" if extra else "")


def short(n):
    for step, letter in ((10**6, "M"), (10**3, "k")):
        if n >= step:
            return f"{n / step:g}{letter}"
    return str(n)


def number(value, digits=3):
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def table(head, lines):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|"
    for line in lines:
        yield "| " + " | ".join(line) + " |"


# ---- the parts of the page ----------------------------------------------------------------------


def held_back(about):
    """What held the libraries to fewer vectors, if the machine has more than these."""
    held = ", ".join(f"`{key}={value}`" for key, value in about["held"].items())
    if about["isa"] == "avx2" and "avx512f" not in about["machine"]:
        yield f"- The machine has no wider vectors than these: {held} change nothing."
        return
    yield f"- **Both libraries are held to fewer vectors than the machine has**: {held}."
    if "Intel" not in about["machine"]:
        yield "  MKL, which the peer has for products and for functions of float32 and float64,"
        yield "  heeds that on processors of Intel only: there it uses all vectors here."


def head(found, about, triad):
    busy = statistics.median([r["others"] or 0 for r in found])
    ratios = [r["ratio"] for r in found if r["ratio"]]
    lost = sum(x < LOSES for x in ratios)
    yield "# Beside PyTorch"
    yield ""
    yield "Written by `make bench` (`bench/README.md` says how it measures)."
    yield ""
    others = sorted(PAGE.parent.glob("benchmarks*.md"))
    others = [f"[{x.stem}]({x.name})" for x in others if x != PAGE]
    if others:
        yield "With other instructions: " + ", ".join(others) + "."
        yield ""
    yield f"- Machine: {about['machine']}; {about['threads']} threads for both libraries."
    commands = ", ".join(f"`{x}`" for x in about["commands"])
    vectors = "" if about.get("isa") else ", with its widest vectors"
    yield f"- Commands: {commands}; PyTorch {about['peer']}{vectors}."
    if about.get("isa"):
        yield from held_back(about)
    commits = collections.Counter(r["commit"] for r in found).most_common()
    yield "- Measured at " + ", ".join(f"{c} ({n} calls)" for c, n in commits) + "."
    yield f"- Memory (a triad in C): {triad['one']} GB/s by one thread, {triad['all']} by all."
    yield f"- Other programs took {busy:.2f} processors meanwhile (median)."
    if busy > 0.1:
        yield "  **That is too much for these figures to be trusted**: on a busy machine"
        yield "  whoever waits for all its threads loses more."
    yield f"- {len(found)} calls, {len(ratios)} of which both libraries know; nomen takes longer in"
    yield f"  {lost} ({lost / max(1, len(ratios)):.1%}), counting from {LOSES} of the peer's speed."
    yield ""
    yield "Ratios are the peer's time divided by nomen's, of medians: above 1 nomen is faster."
    yield ""


def family_of(line):
    return "gradients" if line["form"] == "backward" else line["family"]


def families(found):
    yield "## By family and size"
    yield ""
    sizes = sorted({r["n"] for r in found})
    names = sorted({family_of(r) for r in found})
    lines = []
    for family in names:
        line = [family]
        for n in sizes:
            ratios = [
                r["ratio"]
                for r in found
                if family_of(r) == family and r["n"] == n and r["ratio"] and r["form"] != "out="
            ]
            middle = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None
            worst = min(ratios, default=None)
            line.append(f"{number(middle, 2)} ({number(worst, 2)})" if ratios else "")
        lines.append(line)
    yield "Geometric mean of the ratios, and the worst of them."
    yield ""
    yield from table(["family"] + [short(n) for n in sizes], lines)
    yield ""


def goals(found, named, triad):
    """What was to be reached, by how many calls it is, and by which it is not."""
    limits = bench_goals.Limits(found, named, triad)
    yield "## Goals"
    yield ""
    yield "What each family is to reach at least, and what would be good; how many calls there are,"
    yield "their median and lowest ratio, how many reach the one and the other, and how many cannot"
    yield "reach the least on this machine: where the peer's time divided by it is less than"
    yield f"{limits.call:.3f} us, the shortest call from Python that was measured, or than what the"
    yield f"bytes of 30M elements take at {limits.bytes_a_us / 1e3:.1f} GB/s, the most there is,"
    if limits.near_bytes_a_us:
        yield f"or those of 4 MB and more in caches at {limits.near_bytes_a_us / 1e3:.0f} GB/s, the"
        yield "rate of a sum that does nothing but read."
    yield "Where no size stands: from 30k on, contiguous, over any dims."
    yield ""
    lines, below = [], []
    for family, least, aim, here, reached, aimed, short_of, cannot in bench_goals.goal_lines(
        found, named, limits
    ):
        ratios = [line["ratio"] for line in here]
        line = [family, f"{least:g} / {aim:g}", str(len(here)), number(statistics.median(ratios))]
        lines.append([*line, number(ratios[0]), str(reached), str(aimed), str(cannot or "")])
        for line in short_of if least > LOSES else ():
            if not limits.forbid(line, least):
                below.append([line["ratio"] / least, line, least])
    head = ["family", "least / aim", "calls", "median", "lowest", "reach least", "reach aim"]
    head.append("cannot")
    yield from table(head, lines)
    yield ""
    yield "### Below what they are to reach at least"
    yield ""
    yield "Without those that cannot."
    yield ""
    lines = [
        [label(r), short(r["n"]), number(r["nomen_us"]), number(r["peer_us"]), number(r["ratio"])]
        + [f"{least:g}"]
        for _, r, least in sorted(below, key=lambda x: x[0])
    ]
    yield from table(["call", "elements", "nomen us", "peer us", "ratio", "least"], lines)
    yield ""


def losing(found):
    lost = sorted((r for r in found if r["ratio"] and r["ratio"] < LOSES), key=lambda r: r["ratio"])
    yield f"## Slower than {LOSES} of the peer"
    yield ""
    if not lost:
        yield "None."
    else:
        lines = [
            [
                label(r),
                short(r["n"]),
                number(r["nomen_us"]),
                number(r["peer_us"]),
                number(r["ratio"]),
                f"{r['others'] or 0:.2f}",
            ]
            for r in lost
        ]
        yield from table(["call", "elements", "nomen us", "peer us", "ratio", "others"], lines)
    yield ""


def every(found):
    """One line for each operation: its plain call, at each size."""
    yield "## Every operation"
    yield ""
    yield "Ratio for the plain call (results allocated, contiguous, over all dims where a dim may"
    yield "be left out), in brackets with `out=`; microseconds of nomen at the largest size."
    yield ""
    sizes = sorted({r["n"] for r in found})
    plain, out, dtypes, reasons = {}, {}, {}, {}
    for r in found:
        if r["variant"] or r["layout"] != "contiguous" or r["form"] == "backward":
            continue
        first = dtypes.setdefault(r["op"], r["dtype"])
        if r["dtype"] == first:
            (out if r["form"] == "out=" else plain)[r["op"], r["n"]] = r
            if r["note"] and not r["ratio"]:
                reasons.setdefault(r["op"], r["note"])
    lines = []
    for op in sorted(dtypes):
        line = [op, dtypes[op]]
        last = ""
        for n in sizes:
            here, other = plain.get((op, n)), out.get((op, n))
            text = number(here["ratio"]) if here else ""
            if other and other["ratio"]:
                text += f" ({number(other['ratio'])})"
            line.append(text)
            if here and here["nomen_us"]:
                last = f"{number(here['nomen_us'])} at {short(n)}"
        lines.append([*line, last])
    yield from table(["operation", "dtype"] + [short(n) for n in sizes] + ["nomen us"], lines)
    yield ""
    none = {
        op: why
        for op, why in reasons.items()
        if not any(plain.get((op, n), {}).get("ratio") for n in sizes)
    }
    if none:
        yield "Without a ratio at any size:"
        yield ""
        for op, why in sorted(none.items()):
            yield f"- `{op}`: {why.replace('|', '/')}"
        yield ""


def kept(found):
    """What is left when the peer keeps its memory."""
    both = [r for r in found if r["peer_kept_us"] and r["ratio"]]
    if not both:
        return
    yield "## With a peer that keeps its memory"
    yield ""
    yield "PyTorch takes memory from glibc, which gives large blocks back at once and has them"
    yield "cleared anew. With `MALLOC_MMAP_THRESHOLD_` and `MALLOC_TRIM_THRESHOLD_` raised, in a"
    yield "process of its own, it does not:"
    yield ""
    lines = []
    for n in sorted({r["n"] for r in both}):
        here = [r for r in both if r["n"] == n]
        gm = [
            math.exp(statistics.fmean(math.log(x) for x in xs))
            for xs in (
                [r["ratio"] for r in here],
                [r["peer_kept_us"] / r["nomen_us"] for r in here],
            )
        ]
        lines.append([short(n), str(len(here)), number(gm[0]), number(gm[1])])
    yield from table(["elements", "calls", "ratio", "ratio, memory kept"], lines)
    yield ""


def names(found, about):
    both = [r for r in found if r["ratio"]]
    if not both:
        return
    yield "## With names"
    yield ""
    yield f"PyTorch {about['named']} is the last that has names. The same calls, with names:"
    yield ""
    lines = []
    for n in sorted({r["n"] for r in both}):
        here = sorted((r for r in both if r["n"] == n), key=lambda r: r["ratio"])
        middle = statistics.median([r["ratio"] for r in here])
        worst = ", ".join(f"{r['op']} {number(r['ratio'])}" for r in here[:5])
        lines.append([short(n), str(len(here)), number(middle), worst])
    yield from table(["elements", "calls", "median ratio", "the lowest"], lines)
    yield ""


def first_calls(found):
    both = [r for r in found if r["nomen_first_us"] and r["peer_first_us"]]
    if not both:
        return
    yield "## First calls"
    yield ""
    yield "The first call of a case, on tensors just made, finds nothing in caches (medians):"
    yield ""
    lines = []
    for n in sorted({r["n"] for r in both}):
        here = [r for r in both if r["n"] == n and r["form"] != "out="]
        mine = statistics.median([r["nomen_first_us"] for r in here])
        theirs = statistics.median([r["peer_first_us"] for r in here])
        lines.append([short(n), number(mine), number(theirs), number(theirs / mine)])
    yield from table(["elements", "nomen us", "peer us", "ratio"], lines)
    yield ""


# ---- pictures -----------------------------------------------------------------------------------


def pictures(found, triad):
    """Names of the pictures with their titles; none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("svg")
    # Text stays text: a picture is then small, and the same data give the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "nomen", "font.size": 8})
    PICTURES.mkdir(exist_ok=True)
    made = [ratio_picture(found), bandwidth_picture(found, triad), cost_picture(found)]
    return [m for m in made if m]


def save(figure, what):
    """The name of its file."""
    name = f"{what}{KIND}.svg"
    figure.tight_layout()
    figure.savefig(PICTURES / name, metadata={"Date": None})
    return name


def plain_rows(found):
    return [
        r
        for r in found
        if not r["variant"]
        and r["layout"] == "contiguous"
        and r["form"] not in ("out=", "backward")
    ]


def ratio_picture(found):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    for n in sorted({r["n"] for r in found}):
        ratios = sorted(r["ratio"] for r in plain_rows(found) if r["n"] == n and r["ratio"])
        if ratios:
            xs = [100 * i / max(1, len(ratios) - 1) for i in range(len(ratios))]
            axes.plot(xs, ratios, label=f"{short(n)} elements", linewidth=1)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(yscale="log", xlabel="operations, from the worst to the best (%)", ylabel="ratio")
    axes.legend()
    return save(figure, "ratio"), "Ratio of each operation, one line per size, sorted"


def bandwidth_picture(found, triad):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    chosen = [r for r in plain_rows(found) if r["op"] in STREAMS and r["nomen_us"]]
    chosen = [r for r in chosen if r["dtype"] == "float32"]
    for op in STREAMS:
        points = sorted((r["n"], r["nomen_us"]) for r in chosen if r["op"] == op)
        if len(points) > 1:
            speeds = [4e-3 * STREAMS[op] * n / us for n, us in points]
            axes.plot([n for n, _ in points], speeds, marker=".", linewidth=1, label=op)
    axes.axhline(triad["all"], color="black", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="elements (float32)", ylabel="GB/s")
    axes.legend(ncol=2)
    title = "Bytes per second that nomen reaches; the black line is the triad"
    return save(figure, "bandwidth"), title


def cost_picture(found):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    for i, op in enumerate(("add", "exp", "sum", "softmax", "sort", "cumsum")):
        for side, style in (("nomen", "-"), ("peer", ":")):
            points = sorted(
                (r["n"], r[side + "_us"])
                for r in found
                if r["op"] == op
                and r["form"] == "allocating"
                and r["dtype"] == "float32"
                and r["layout"] == "contiguous"
                and r["variant"] == ""
                and r[side + "_us"]
            )
            text = f"{op}, {side}"
            xs, ys = [n for n, _ in points], [us for _, us in points]
            axes.plot(xs, ys, style, color=f"C{i}", linewidth=1, label=text)
    axes.set(xscale="log", yscale="log", xlabel="elements (float32)", ylabel="microseconds")
    axes.legend(ncol=3)
    return save(figure, "cost"), "Cost against size; dotted: the peer"


def main():
    found, about = rows("results.csv"), json.loads(ABOUT.read_text())
    triad = json.loads((FOLDER / "triad.json").read_text())
    parts = list(head(found, about, triad))
    for file, title in pictures(found, triad):
        parts += [f"![{title}](benchmarks/{file})", ""]
    named = rows("named.csv")
    for part in (families(found), goals(found, named, triad), losing(found), kept(found)):
        parts += part
    parts += [*first_calls(found), *names(named, about)]
    parts += every(found)
    PAGE.write_text("\n".join(parts).rstrip() + "\n")
    print(f"bench: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
