"""Which lines and branches of src the tests reach: docs/internals/branches.gen.md.

usage: tools/branches.py            run all tests in build/gcov, then count and write the page
       tools/branches.py --count    count what ran in build/gcov since its counters were cleared
       tools/branches.py --list [PART ...]   what was not taken in files whose path has PART in it
       tools/branches.py --prune      take excuses out that fit no line any more

after tools/setup.sh gcov (`make branches` does it all). A branch is a way out of a condition as gcc
counts them without optimisation: two for each `if` and loop, and two for each operand of && and ||,
one for each case. A function that several files or instances of one text have counts once by name.
What is not taken stands on the page, with its reason where tests/coverage/excused.tsv gives one.
"""

import fnmatch
import json
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/gcov"
EXCUSED = ROOT / "tests/coverage/excused.tsv"
PAGE = ROOT / "docs/internals/branches.gen.md"
JUDGED = ("src/core", "src/op", "src/autograd", "src/io")
FOLDERS = (*JUDGED, "src/kernels")
LEAST = 95.0  # percent of the branches of the judged folders


# ---- counting --------------------------------------------------------------------------------


def gcov(notes):
    """What gcov says of one object file: [(path, [line])], of files of src alone."""
    done = subprocess.run(
        ["gcov", "--json-format", "--branch-probabilities", "--stdout", str(notes)],
        cwd=BUILD,
        capture_output=True,
        text=True,
        check=True,
    )
    found = []
    for document in done.stdout.splitlines():
        for file in json.loads(document)["files"]:
            path = os.path.relpath(os.path.join(BUILD, file["file"]), ROOT)
            if path.startswith("src/"):
                found.append((path, file["lines"]))
    return found


def counted():
    """{path: {(function, line): [times, [times of each branch]]}}"""
    notes = sorted(BUILD.glob("CMakeFiles/nomen_*.dir/src/**/*.gcno"))
    if not notes:
        sys.exit("build/gcov is not there: tools/setup.sh gcov builds it")
    files = defaultdict(dict)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(gcov, notes):
            for path, lines in found:
                add(files[path], lines)
    return dict(sorted(files.items()))


def add(known, lines):
    """A function of a header has branches in each file that includes it: they are the same ones."""
    for line in lines:
        place = line.get("function_name", ""), line["line_number"]
        branches = [branch["count"] for branch in line["branches"]]
        entry = known.setdefault(place, [0, []])
        entry[0] += line["count"]
        longer = max(len(entry[1]), len(branches))
        old, new = (b + [0] * (longer - len(b)) for b in (entry[1], branches))
        entry[1] = [a + b for a, b in zip(old, new)]


def totals(entries):
    """(lines, lines that ran, branches, branches taken)"""
    lines = defaultdict(int)
    branches = taken = 0
    for (_, line), (times, ways) in entries.items():
        lines[line] += times
        branches += len(ways)
        taken += sum(way > 0 for way in ways)
    return len(lines), sum(times > 0 for times in lines.values()), branches, taken


def missed(path, entries):
    """[(function, line, text, ways not taken, ways)]"""
    texts = (ROOT / path).read_text().splitlines()
    return [
        (function, line, texts[line - 1].strip(), ways.count(0), len(ways))
        for (function, line), (_, ways) in sorted(entries.items(), key=lambda item: item[0][1])
        if 0 in ways
    ]


# ---- excuses ---------------------------------------------------------------------------------


def excuses():
    """[(path or pattern of paths, a part of the line, reason)]"""
    lines = EXCUSED.read_text().splitlines() if EXCUSED.exists() else []
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    for row in rows:
        assert len(row) == 3 and all(row), f"{EXCUSED.name}: not three columns: {row}"
    return rows


def reason(path, text, known):
    for pattern, part, words in known:
        if fnmatch.fnmatch(path, pattern) and part in text:
            return words
    return None


def unused(known):
    """Excuses that fit no line of any file."""
    texts = {
        str(path.relative_to(ROOT)): path.read_text().splitlines()
        for folder in JUDGED
        for path in sorted((ROOT / folder).glob("*.[ch]"))
    }
    for pattern, part, _ in known:
        files = fnmatch.filter(texts, pattern)
        if not any(part in line for file in files for line in texts[file]):
            yield f"{pattern}: {part}"


# ---- the page --------------------------------------------------------------------------------

HEAD = """<!-- Generated by `make branches`. Do not edit. -->
# What the tests reach in src

Lines and branches that ran in all tests, C and Python, each request for memory and each call of the
system failing once included, in a build without optimisation and with the kernels of the fallback
alone, and with wider instruction sets where the core has vectors of its own. A branch is one way
out of a condition as gcc counts them: two for each operand of `&&` and `||`, one for each case. The
kernels are listed too, but they have tests of their own (tests/kernels), which are not run for
this: what counts is core, op, autograd and io.
"""


def percent(part, whole):
    """Rounded down: what is nearly all is not all."""
    return f"{int(1000 * part / whole) / 10:.1f}" if whole else "–"


def row(name, numbers):
    lines, ran, branches, taken = numbers
    return (
        f"| {name} | {ran:,} of {lines:,} | {percent(ran, lines)} "
        f"| {taken:,} of {branches:,} | {percent(taken, branches)} |"
    )


def added(several):
    return tuple(map(sum, zip(*several))) or (0, 0, 0, 0)


def page(files, known):
    by_folder = {f: {p: totals(e) for p, e in files.items() if p.startswith(f)} for f in FOLDERS}
    sums = {folder: added(found.values()) for folder, found in by_folder.items()}
    table = ["| | lines | % | branches | % |", "|---|---|---|---|---|"]
    out = [HEAD, *table]
    out += [row(f"`{folder}`", sums[folder]) for folder in FOLDERS]
    out.append(row("core, op, autograd and io", added(sums[f] for f in JUDGED)))
    out += ["", "## Files", "", *table]
    out += [row(f"`{path}`", n) for f in JUDGED for path, n in by_folder[f].items()]
    out += ["", "## What was not taken", ""]
    reasons, rest = defaultdict(list), []
    for path in (p for f in JUDGED for p in by_folder[f]):
        for function, _, text, zero, ways in missed(path, files[path]):
            words = reason(path, text, known)
            item = f"- `{path}`, {function}, {zero} of {ways}: `` {text} ``"
            (rest if words is None else reasons[words]).append(item)
    for words, items in sorted(reasons.items(), key=lambda item: -len(item[1])):
        out += [f"### {words}", "", *items, ""]
    out += ["### Without a reason", "", *(rest or ["None."])]
    return "\n".join(out) + "\n"


def stated(text):
    """The percentage of the judged folders that a page states."""
    line = next(line for line in text.splitlines() if line.startswith("| core, op, autograd"))
    return float(line.split("|")[5])


def count():
    files = counted()
    PAGE.write_text(page(files, excuses()))
    judged = added(totals(e) for p, e in files.items() if p.startswith(JUDGED))
    lines, ran, branches, taken = judged
    print(f"figure: lines of core, op, autograd and io: {lines}")
    print(f"figure: lines that ran: {ran}")
    print(f"figure: branches of core, op, autograd and io: {branches}")
    print(f"figure: branches taken: {taken}")
    print(f"figure: branches taken, in percent: {percent(taken, branches)}")
    return 0 if 100 * taken / branches >= LEAST else f"fewer than {LEAST} percent"


def prune():
    gone = set(unused(excuses()))
    lines = EXCUSED.read_text().splitlines(keepends=True)
    kept = [x for x in lines if x.startswith("#") or ": ".join(x.split("\t")[:2]) not in gone]
    EXCUSED.write_text("".join(kept))


def listed(parts):
    known = excuses()
    for path, entries in counted().items():
        if not path.startswith(JUDGED) or (parts and not any(part in path for part in parts)):
            continue
        for function, line, text, zero, ways in missed(path, entries):
            mark = "" if reason(path, text, known) is None else "  (excused)"
            print(f"{path}:{line}: {function}: {zero}/{ways}: {text}{mark}")


# ---- running ---------------------------------------------------------------------------------

# Python tests that call no library, that of another build, or programs of their own that do.
LEFT_OUT = (
    "test_under_sanitizers test_other_compilers test_packages test_examples test_lint test_runner "
    "test_stubs test_symbols test_outside_programs test_coverage_page test_instruction_budget "
    "test_isas test_trust test_mutants test_branches test_bench_programs"
).split()
# What has vectors of its own in core, once more with them, as wide as the machine has them.
ISAS = ("avx2", "avx512", "avx512_bf16", "amx")
VECTORS = (
    *("tests/c/test_random.c", "tests/c/test_random_rows.c", "tests/c/test_core_parallel.c"),
    "tests/python/test_random.py",
)


def run_all():
    """All tests, with the programs, the module and the shared library of this build."""
    for data in BUILD.glob("CMakeFiles/**/*.gcda"):
        data.unlink()
    environment = {
        **os.environ,
        "NOMEN_LIBRARY": str(BUILD / "libnomen.so"),
        "PYTHONPATH": str(BUILD / "python"),
    }
    ask = [sys.executable, "-c", "import nomen; print(nomen._C.__file__)"]
    module = subprocess.run(ask, env=environment, capture_output=True, text=True).stdout
    if not module.startswith(str(BUILD)):
        sys.exit("the module of build/gcov is not there: tools/setup.sh gcov builds it")
    tests = [p for p in (ROOT / "tests/python").glob("test_*.py") if p.stem not in LEFT_OUT]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--builds", "gcov"]
    scalar = {**environment, "NOMEN_ISA": "scalar"}
    long = {**scalar, "NOMEN_RANDOM_CALLS": "120"}
    runs = [([*pytest, "tests/c", *map(str, sorted(tests))], long)]
    runs += [([*pytest, *VECTORS], {**environment, "NOMEN_ISA": isa}) for isa in ISAS]
    for command, variables in runs:
        status = subprocess.run(command, cwd=ROOT, env=variables).returncode
        if status:
            sys.exit(f"tests failed in build/gcov ({status}): what they reach does not count")


def main(arguments):
    if arguments[:1] == ["--list"]:
        return listed(arguments[1:])
    if arguments == ["--prune"]:
        return prune()
    if arguments not in ([], ["--count"]):
        return __doc__
    if not arguments:
        run_all()
    return count()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
