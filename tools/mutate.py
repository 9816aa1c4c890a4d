"""Mutation testing of the name rules: small mistakes put into src/op/infer*.c, one at a time. Does
a test notice each of them?

All mutants of a file are compiled together, each as a function beside the right one; a number says
which one is called. tests/mutants/ask_all.c asks questions with the answers of the model
(tests/names), for each mutant in a process of its own with a time limit; what that cannot tell
apart goes through tests/c/test_infer.c. A mutant that no test can see stands in
tests/mutants/equivalent.tsv with the reason, and an entry that fits no survivor is an error.

usage: tools/mutate.py [--each N] [--some N] [--seed N] [FILE ...]
    --each N   questions of each family of tests/names/questions.py (default 1500)
    --some N   so many mutants of each file, drawn by chance; the list of equivalents is then not
               checked for entries that fit none
    --only F   those of one function
    --folder   where to build (default build/mutants)
"""

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/mutants")]

import mutants_of  # noqa: E402
from names import questions  # noqa: E402
from names.compare_infer import expected  # noqa: E402
from names.rule_questions import positions  # noqa: E402

LIBRARY = ROOT / "build/release/libnomen.a"
EQUIVALENT = ROOT / "tests/mutants/equivalent.tsv"
CODES = {"name": -1, "shape": -2, "index": -4, "type": -5}
SWITCH = """#include <stdlib.h>
#include <sys/time.h>
int nomen__mutant;
unsigned char nomen__reached[256];
extern const unsigned char nomen__function_of[];
const unsigned char nomen__function_of[] = {%s};
__attribute__((constructor)) static void chosen(void) {
    const char *text = getenv("NOMEN_MUTANT");
    if (!text) return;
    nomen__mutant = atoi(text);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 0}, {1, 0}}, NULL);
}
"""


def flags():
    include = [f"-I{ROOT / part}" for part in ("include", "src", "build/release/generated")]
    # What reads or writes behind the end of an array dies of it, and so is noticed.
    bounds = ["-fsanitize=bounds-strict,shift", "-fsanitize-undefined-trap-on-error"]
    return ["-std=gnu11", "-O0", "-ffp-contract=off", *bounds, *include]


# ---- questions -----------------------------------------------------------------------------------


def listed(items):
    if items is None:
        return "~"
    return " ".join("*" if x is None else "..." if x is ... else str(x) for x in items)


def line_of(op, lists, fields, answer):
    """A question and its answer, as ask_all.c reads it."""
    sizes = [listed(fields.get(key)) for key in ("size", "out_size", "result_size")]
    if isinstance(answer, tuple):
        kind, message, hint = answer
        answer = [str(CODES[kind]), message, hint, ", ".join(f"[{listed(n)}]" for n in lists)]
    else:
        answer = ["0", answer, "", ""]
    return "\t".join(
        [
            op,
            "".join(listed(names) + ";" for names in lists) or "~",
            listed(fields.get("dim")),
            listed(fields.get("names")),
            fields.get("out_dim") or "~",
            str(int(fields.get("keepdim", False))),
            str(fields.get("ndim", 0)),
            listed(fields.get("out")),
            *sizes,
            str(int(fields.get("strict", False))),
            fields.get("equation", "~"),
            *answer,
        ]
    )


def write_questions(folder, each, seed):
    chance, lines = random.Random(seed), []
    for family in questions.families():
        for lists, fields in questions.some(family, each, chance):
            lines.append(line_of(family.op, lists, fields, expected(family.op, lists, fields)))
    for op, lists, fields, answer in positions(each, chance):
        lines.append(line_of(op, lists, fields, answer))
    chance.shuffle(lines)
    path = folder / "questions.txt"
    path.write_text("\n".join(lines) + "\n")
    return path, len(lines)


# ---- a file with all its mutants -----------------------------------------------------------------


def with_mutants(text, mutants, numbers):
    """mutants: {number: Mutant}. Each is a function of its own, which the right one's name calls.
    numbers: of the functions themselves."""
    by_function = defaultdict(list)
    for number, mutant in mutants.items():
        by_function[mutant.function].append((number, mutant.text))
    out, end = ["extern int nomen__mutant;\nextern unsigned char nomen__reached[];\n"], 0
    for function in mutants_of.functions_of(text):
        out.append(text[end : function.start])
        end = function.end
        mine = [(0, function.body), *by_function[function.name]]
        for number, body in mine:
            head = re.sub(
                rf"\b{function.name}\(", f"{function.name}__{number}(", function.head, count=1
            )
            head = head if head.startswith("static") else "static " + head
            out.append(f'\n#line 1 "mutant {number}"\n{head} {body}\n')
        call = "(" + ", ".join(function.arguments) + ");"
        out.append(f'\n#line 1 "chosen"\n{function.head} {{\n')
        out.append(f"    nomen__reached[{numbers[function.name]}] = 1;\n")
        out.append("    switch (nomen__mutant) {\n")
        for number, _ in mine[1:] + mine[:1]:
            case = f"case {number}:" if number else "default:"
            leave = " break;" if function.is_void else ""
            what = "" if function.is_void else "return "
            out.append(f"    {case} {what}{function.name}__{number}{call}{leave}\n")
        out.append("    }\n}\n")
    return "".join(out) + text[end:]


def compile_mutants(folder, path, mutants, numbers):
    """The object, without those that the compiler refuses with the warnings of the house."""
    source = folder / path.name
    object_file = source.with_suffix(".o")
    warnings = "-Wall -Wextra -Wconversion -Wshadow -Werror -fmax-errors=0".split()
    fine, text = dict(mutants), path.read_text()
    while True:
        source.write_text(with_mutants(text, fine, numbers))
        command = ["cc", *flags(), *warnings, "-fsyntax-only", str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        refused = {int(n) for n in re.findall(r"^mutant (\d+):\d+:\d+: error", done.stderr, re.M)}
        if done.returncode == 0:
            break
        if not refused & set(fine):
            raise SystemExit(f"{shlex.join(command)}\n{done.stderr[:3000]}")
        fine = {number: mutant for number, mutant in fine.items() if number not in refused}
    command = ["cc", *flags(), "-w", "-c", str(source), "-o", str(object_file)]
    subprocess.run(command, check=True)
    return object_file, fine


def link(folder, objects, function_of):
    switch = folder / "switch.c"
    switch.write_text(SWITCH % ", ".join(map(str, function_of)))
    programs = []
    for source, libraries in ((ROOT / "tests/mutants/ask_all.c", []),
                              (ROOT / "tests/c/test_infer.c", ["-lcmocka"])):  # fmt: skip
        program = folder / source.stem
        command = ["cc", *flags(), str(source), str(switch), *map(str, objects), str(LIBRARY)]
        command += [*libraries, "-lm", "-pthread", "-o", str(program)]
        subprocess.run(command, check=True)
        programs.append(program)
    return programs


# ---- which of them are noticed -------------------------------------------------------------------


def ask(program, path, last):
    """{mutant: "alive", "wrong" or "died"}"""
    jobs = len(os.sched_getaffinity(0))
    running = [
        subprocess.Popen(
            [program, str(path), str(first), str(jobs), str(last)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in range(1, jobs + 1)
    ]
    found = {}
    for process in running:
        for line in process.communicate()[0].splitlines():
            number, outcome = line.split()
            found[int(number)] = outcome
        if process.returncode:
            raise SystemExit(f"{program} ended with {process.returncode}")
    return found


def passes(program, number):
    """Does tests/c/test_infer.c notice nothing?"""
    environment = {**os.environ, "NOMEN_MUTANT": str(number), "CMOCKA_MESSAGE_OUTPUT": "stdout"}
    try:
        done = subprocess.run(program, env=environment, capture_output=True, timeout=100)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def read_equivalent():
    """{(file, function, line before, line after): reason}"""
    found = {}
    for line in EQUIVALENT.read_text().splitlines():
        if line and not line.startswith("#"):
            file, function, old, new, reason = line.split("\t")
            found[file, function, old, new] = reason
    return found


def key_of(mutant):
    return mutant.file, mutant.function, mutant.old, mutant.new


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--each", type=int, default=1500)
    parser.add_argument("--some", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants")
    options = parser.parse_args()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    files = [f.resolve() for f in options.files] or sorted((ROOT / "src/op").glob("infer*.c"))
    path, asked = write_questions(folder, options.each, options.seed)
    chance, number = random.Random(options.seed), 0
    made, jobs, function_of, known = Counter(), [], [0], 0
    for file in files:
        functions = mutants_of.functions_of(file.read_text())
        numbers = {function.name: known + i for i, function in enumerate(functions)}
        known += len(functions)
        mutants = mutants_of.mutants_of(f"src/op/{file.name}", file.read_text())
        if options.only:
            mutants = [mutant for mutant in mutants if mutant.function == options.only]
        if options.some is not None:
            mutants = chance.sample(mutants, min(options.some, len(mutants)))
        jobs.append((folder, file, dict(enumerate(mutants, number + 1)), numbers))
        function_of += [numbers[mutant.function] for mutant in mutants]
        number += len(mutants)
    with ThreadPoolExecutor(2 * len(os.sched_getaffinity(0))) as pool:
        compiled = list(pool.map(lambda job: compile_mutants(*job), jobs))
    objects = [object_file for object_file, _ in compiled]
    all_of_them = {n: mutant for _, fine in compiled for n, mutant in fine.items()}
    made["refused by the compiler"] = number - len(all_of_them)
    asker, tests = link(folder, objects, function_of)
    outcome = ask(asker, path, number)
    if not passes(tests, 0):
        raise SystemExit("test_infer.c fails without a mutant")
    alive = [n for n in sorted(all_of_them) if outcome[n] == "alive"]
    with ThreadPoolExecutor(2 * len(os.sched_getaffinity(0))) as pool:
        unseen = [n for n, ok in zip(alive, pool.map(lambda n: passes(tests, n), alive)) if ok]
    survivors = [all_of_them[n] for n in unseen]
    made.update(outcome[n] for n in all_of_them if outcome[n] != "alive")
    made["by test_infer.c"] = len(alive) - len(unseen)
    equivalent = read_equivalent()
    seen = {key_of(mutant) for mutant in survivors}
    unexpected = [mutant for mutant in survivors if key_of(mutant) not in equivalent]
    whole = options.some is None and not options.files
    stale = [key for key in equivalent if key not in seen] if whole else []
    for m in unexpected:
        print(f"{m.file}:{m.line}: {m.function}\n    - {m.old}\n    + {m.new}")
    for key in stale:
        print(f"{EQUIVALENT.name}: no survivor is {' | '.join(key)}")
    print(f"figure: mutants of the name rules: {len(all_of_them)}")
    print(f"figure: mutants that a test noticed: {len(all_of_them) - len(survivors)}")
    print(
        f"figure: mutants that change nothing, with the reason: {len(survivors) - len(unexpected)}"
    )
    print(f"figure: mutants that nothing noticed: {len(unexpected)}")
    print(f"{asked} questions; {dict(made)}")
    return bool(unexpected or stale)


if __name__ == "__main__":
    sys.exit(main())
