#!/usr/bin/env python3
"""Every operation of the table beside PyTorch: measures, and writes build/bench/results.csv.

    make bench                    all of it: about three quarters of an hour
    make bench BENCH=--quick      ends in minutes
    make bench BENCH="--op sum --op exp --size 1000000"
    make bench BENCH="--isa avx2"     both libraries held to AVX2; or to scalar code

Lines of calls that are not asked for stay in the file, as long as machine, threads and versions are
the same; each line says of which commit it is. So a long run can be made in parts, and goes on
(--missing) where it was ended.

The peer lives in an environment of its own, build/bench-venv, which is made at need (--peer PYTHON:
another interpreter with a torch of the version that is asked for). Both libraries are imported into
one process and called in turns. What crashes or hangs there is written down, and the next call goes
on in a new process.
"""

import argparse
import csv
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import bench_cases

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("NOMEN_BENCH_FOLDER", ROOT / "build" / "bench"))
TORCH = "2.13.0"
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"  # those of the ordinary index bring CUDA along
ENVIRONMENT = [f"torch=={TORCH}+cpu", "numpy", "matplotlib"]
# glibc gives large blocks back at once and clears them anew; with these it keeps them.
KEEP_BLOCKS = {"MALLOC_MMAP_THRESHOLD_": str(1 << 40), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
HANGS_AFTER = 180
CALLS_AT_ONCE, ELEMENTS_AT_ONCE = 24, 24_000_000  # that take turns: some GiB of operands
QUIET = 0.05  # processors that others may use while a call is measured
DISTURBED = 0.1  # that they may not have used in a line that is kept
COLUMNS = (
    "op family form variant dtype n layout nomen_us peer_us ratio nomen_best_us peer_best_us"
    " nomen_first_us peer_first_us peer_kept_us others commit note"
).split()
CALL = "op form variant dtype n layout".split()  # what tells a call from all others


# ---- the environment of the peer ----------------------------------------------------------------


def version(python):
    """Of torch in that interpreter, None if there is none."""
    done = subprocess.run(
        [python, "-c", "import torch, numpy; print(torch.__version__)"],
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() or None


def environment():
    """The interpreter with the peer and matplotlib."""
    folder = ROOT / "build" / "bench-venv"
    python, stamp = folder / "bin" / "python", folder / "made-of"
    wanted = " ".join(ENVIRONMENT)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"bench: {wanted} into build/bench-venv", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--extra-index-url", CPU_WHEELS]
        subprocess.run([*pip, *ENVIRONMENT], check=True)
        stamp.write_text(wanted)
    return str(python)


# ---- the far process ----------------------------------------------------------------------------


class Measurer:
    """A process that measures; started again when it dies or hangs."""

    def __init__(self, python, options, only="both", variables=None):
        self.command = [python, str(ROOT / "bench" / "bench_measure.py"), "torch"]
        self.command += [str(options.threads), str(options.seconds), only]
        self.environment = os.environ | (variables or {})
        self.environment["PYTHONPATH"] = str(ROOT / "build" / "release" / "python")
        # Debian's build uses AVX2 and no more unless asked.
        self.environment.setdefault("ATEN_CPU_CAPABILITY", widest())
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process, self.lines), daemon=True).start()
        hello = self.next(120)
        if hello is None:
            raise RuntimeError(f"{' '.join(self.command)} does not start")
        self.versions = hello["versions"]

    @staticmethod
    def read(process, lines):
        for line in process.stdout:
            lines.put(json.loads(line))
        lines.put(None)

    def next(self, seconds):
        try:
            return self.lines.get(timeout=seconds)
        except queue.Empty:
            return None

    def ask(self, cases):
        """An answer for each; cases that end the process are asked one by one."""
        try:
            self.process.stdin.write(json.dumps(cases) + "\n")
            self.process.stdin.flush()
            answers = self.next(HANGS_AFTER)
        except BrokenPipeError:
            answers = None
        if answers is not None:
            return answers
        self.stop()
        code = self.process.returncode
        self.start()
        if len(cases) > 1:
            return [answer for case in cases for answer in self.ask([case])]
        why = "hangs" if code == -9 else f"ends the process ({code})"
        return [{"error": f"this call {why}"}]

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def widest():
    flags = Path("/proc/cpuinfo").read_text()
    return "avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else "default"


# ---- which calls, and what came of them ---------------------------------------------------------


class Forecast:
    """Calls whose time at a smaller size says that they would take too long. Small sizes foretell
    nothing: they measure what a call costs by itself."""

    def __init__(self, limit, lines):
        self.limit, self.known = limit, {}
        for line in lines:
            best = max(float(line[side + "_best_us"] or 0) for side in ("nomen", "peer"))
            self.learn(line | {"n": int(line["n"])}, best)

    def key(self, case):
        return tuple(case[k] for k in ("op", "form", "variant", "dtype"))

    def too_long(self, case):
        usual = self.key(case | {"dtype": bench_cases.natural(case["op"])})
        known = self.known.get(self.key(case)) or self.known.get(usual, [])
        power = 1.5 if case["family"] == "product" or case["op"] == "addmm" else 1.0
        return any(
            n <= case["n"] and took * (case["n"] / n) ** power > self.limit for n, took in known
        )

    def learn(self, case, best_us):
        if best_us and case["n"] >= 10_000:
            self.known.setdefault(self.key(case), []).append((case["n"], best_us / 1e6))


def commit():
    """Of what is measured, with a plus where files differ from it."""
    git = ["git", "-C", ROOT, "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"]
    return subprocess.run(git, capture_output=True, text=True).stdout.strip() or "unknown"


def call_of(line):
    return tuple(str(line[key]) for key in CALL)


def line_of(case, answer, kept):
    note = "; ".join(
        f"{side}: {answer[side + '_error']}"
        for side in ("nomen", "peer")
        if side + "_error" in answer
    )
    note = "; ".join(x for x in (answer.get("error"), note, answer.get("note")) if x)
    line = {key: case[key] for key in ("op", "family", "form", "variant", "dtype", "n", "layout")}
    line["note"] = note
    for side in ("nomen", "peer"):
        for what in ("", "_best", "_first"):
            if side + what in answer:
                line[f"{side}{what}_us"] = f"{answer[side + what]:.4g}"
    if "nomen" in answer and "peer" in answer and "note" not in answer:
        line["ratio"] = f"{answer['peer'] / answer['nomen']:.3g}"
    if kept and "peer" in kept:
        line["peer_kept_us"] = f"{kept['peer']:.4g}"
    line["others"] = f"{answer.get('others', 0):.2f}"
    return line


class Progress:
    def __init__(self, what):
        self.what, self.started, self.shown = what, time.time(), 0.0

    def tell(self, done, of):
        if time.time() - self.shown > 15:
            self.shown = time.time()
            took = self.shown - self.started
            print(f"bench: {done} of {of} {self.what}, {took:.0f} s", flush=True)


def asked(cases, measurer, keeper):
    """[(answer, answer with memory kept or None)]"""
    answers = measurer.ask(cases)
    wanted = [
        k
        for k, case in enumerate(cases)
        if keeper and case["n"] >= 30_000 and case["form"] != "out=" and "peer" in answers[k]
    ]
    kept = dict(zip(wanted, keeper.ask([cases[k] for k in wanted]))) if wanted else {}
    return [(answer, kept.get(k)) for k, answer in enumerate(answers)]


def groups(cases):
    """Cases that take turns, some at a time: as many as fit into ELEMENTS_AT_ONCE."""
    group = []
    for case in cases:
        if group and (len(group) + 1) * case["n"] > ELEMENTS_AT_ONCE or len(group) >= CALLS_AT_ONCE:
            yield group
            group = []
        group.append(case)
    if group:
        yield group


class Results:
    """The file of results, which always holds the newest line of every call that was measured."""

    def __init__(self, path, every):
        self.path, self.commit = path, commit()
        self.order = {call_of(case): k for k, case in enumerate(every)}
        self.lines = {}
        if path.exists():
            with path.open(newline="") as f:
                self.lines = {call_of(line): line for line in csv.DictReader(f)}
        self.lines = {call: line for call, line in self.lines.items() if call in self.order}

    def __contains__(self, case):
        """Is there a line of it, and did others leave it in peace?"""
        line = self.lines.get(call_of(case))
        return line is not None and float(line["others"] or 0) <= DISTURBED

    def put(self, case, answer):
        self.lines[call_of(case)] = line_of(case, *answer) | {"commit": self.commit}

    def write(self):
        """To a file beside it first: whoever is ended here leaves the old one."""
        new = self.path.with_suffix(".new")
        with new.open("w", newline="") as f:
            writer = csv.DictWriter(f, COLUMNS)
            writer.writeheader()
            for call in sorted(self.lines, key=self.order.get):
                writer.writerow(self.lines[call])
        new.replace(self.path)


def measured_again(answers, measurer, keeper):
    """Those that others disturbed, in place; how many they were. The quieter time is kept."""
    disturbed = [k for k, (_, answer, _) in enumerate(answers) if answer.get("others", 0) > QUIET]
    progress, done = Progress("disturbed calls again"), 0
    for group in groups([answers[k][0] for k in disturbed]):
        for case, *anew in zip(group, *zip(*asked(group, measurer, keeper))):
            k = disturbed[done]
            if anew[0].get("others", 1e9) < answers[k][1]["others"]:
                answers[k] = case, *anew
            done += 1
        progress.tell(done, len(disturbed))
    return len(disturbed)


def measured(cases, measurer, keeper, longest, results):
    """[(case, answer, answer with memory kept)]; each goes to the results as it comes."""
    forecast, progress, answers = Forecast(longest, results.lines.values()), Progress("calls"), []
    for group in groups(cases):
        short = [case for case in group if not forecast.too_long(case)]
        found = iter(asked(short, measurer, keeper) if short else ())
        for case in group:
            if case in short:
                answer = next(found)
                best = max(answer[0].get(side + "_best", 0) for side in ("nomen", "peer"))
                forecast.learn(case, best)
            else:
                answer = {"error": "left out: it would take too long"}, None
            answers.append((case, *answer))
            results.put(case, answer)
        results.write()
        progress.tell(len(answers), len(cases))
    return answers


def run(cases, measurer, keeper, options, results):
    """Measures the calls and writes them to the file as they come; the disturbed ones again."""
    started = time.time()
    if options.missing:
        cases = [case for case in cases if case not in results]
    answers = measured(cases, measurer, keeper, options.longest, results)
    for _ in range(options.again):
        if measured_again(answers, measurer, keeper) == 0:
            break
    for case, *answer in answers:
        results.put(case, answer)
    results.write()
    print(f"bench: {len(cases)} calls, {time.time() - started:.0f} s: {results.path}", flush=True)


def triad(threads):
    """The measured limit of the memory."""
    program = FOLDER / "triad"
    flags = ["-O3", "-march=native", "-pthread", "-o", program]
    subprocess.run(["cc", *flags, ROOT / "bench" / "bench_triad.c"], check=True)
    done = subprocess.run([program, str(threads)], capture_output=True, text=True, check=True)
    (FOLDER / "triad.json").write_text(done.stdout)


def machine():
    """Its processor, with the vectors that it has."""
    lines = [x.partition(":") for x in Path("/proc/cpuinfo").read_text().splitlines()]
    said = {key.strip(): value.strip() for key, _, value in lines}
    wide = "avx2 avx512f avx512_bf16 amx_bf16".split()
    has = ", ".join(w for w in wide if w in said.get("flags", "").split())
    return f"{said.get('model name', 'unknown processor')} ({has})"


def forget_others(common):
    """What the last run wrote of itself. Lines of another machine, another peer or other threads do
    not stay beside new ones."""
    path = FOLDER / "about.json"
    about = json.loads(path.read_text()) if path.exists() else {}
    if any(about.get(key) != value for key, value in common.items()):
        for name in ("results.csv", "named.csv"):
            (FOLDER / name).unlink(missing_ok=True)
        about = {}
    return about


# What holds both libraries to fewer vectors than the processor has; the scalar code of nomen stands
# beside the least that the peer can do.
NARROWER = {
    "avx2": {
        "NOMEN_ISA": "avx2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
    "scalar": {
        "NOMEN_ISA": "scalar",
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    },
}


def hold_to(isa):
    """Results of these have a folder of their own, and a page."""
    global FOLDER
    FOLDER /= isa
    os.environ.update(NARROWER[isa], NOMEN_BENCH_FOLDER=str(FOLDER))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds")
    parser.add_argument("--peer", help=f"an interpreter with torch {TORCH} and NumPy")
    parser.add_argument("--named", default="/usr/bin/python3", help="one with torch 1.13, or ''")
    parser.add_argument("--op", action="append", help="these operations only")
    parser.add_argument("--form", action="append", help="these forms only (backward)")
    parser.add_argument("--size", type=int, action="append", help="these sizes only")
    parser.add_argument("--isa", choices=NARROWER, help="no wider vectors, for both libraries")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, help="about what an ordinary call may take")
    parser.add_argument("--longest", type=float, help="leave out what takes longer, in seconds")
    parser.add_argument("--again", type=int, default=2, help="turns for calls that were disturbed")
    again = "only calls without a line, or a disturbed one"
    parser.add_argument("--missing", action="store_true", help=again)
    parser.add_argument("--no-report", action="store_true", help="only the CSV files")
    options = parser.parse_args()
    chosen = options.op or options.form or options.size or options.missing
    options.part = bool(chosen or options.quick)
    sizes = (16, 30_000, 1_000_000) if options.quick else bench_cases.SIZES
    options.size = options.size or sizes
    options.seconds = options.seconds or (0.03 if options.quick else 0.05)
    options.longest = options.longest or (0.5 if options.quick else 5)
    return options


def main():
    options = arguments()
    if options.isa:
        hold_to(options.isa)
    FOLDER.mkdir(parents=True, exist_ok=True)
    peer = options.peer or os.environ.get("NOMEN_BENCH_PYTHON") or environment()
    found = version(peer)
    if not (found or "").startswith(TORCH):
        sys.exit(f"bench: {peer} has torch {found}, {TORCH} is wanted")
    triad(options.threads)
    measurer = Measurer(peer, options)
    keeper = None if options.quick else Measurer(peer, options, "peer", KEEP_BLOCKS)
    held = {"isa": options.isa, "held": NARROWER[options.isa]} if options.isa else {}
    common = {"machine": machine(), "threads": options.threads, **held, **measurer.versions}
    about = forget_others(common) | common
    command = " ".join(["bench/bench_all.py", *sys.argv[1:]])
    earlier = about.get("commands", []) if options.part else []
    about["commands"] = [*(x for x in earlier if x != command), command]
    (FOLDER / "about.json").write_text(json.dumps(about, indent=1))
    results = Results(FOLDER / "results.csv", bench_cases.cases(bench_cases.SIZES, True))
    cases = list(bench_cases.cases(options.size, not options.quick, options.op))
    cases = [case for case in cases if not options.form or case["form"] in options.form]
    run(cases, measurer, keeper, options, results)
    named = version(options.named) if options.named and not options.form else None
    if (named or "").startswith("1.13"):
        results = Results(FOLDER / "named.csv", bench_cases.named_cases(bench_cases.SIZES))
        sizes = [n for n in options.size if n <= 1000]
        cases = list(bench_cases.named_cases(sizes, options.op))
        measurer.stop()
        measurer = Measurer(options.named, options)
        about["named"] = measurer.versions["peer"]
        (FOLDER / "about.json").write_text(json.dumps(about, indent=1))
        run(cases, measurer, None, options, results)
    elif not options.form:
        print("bench: no torch 1.13, so names are not measured", flush=True)
    measurer.stop()
    if keeper:
        keeper.stop()
    if not options.no_report:
        subprocess.run([peer, ROOT / "bench" / "bench_report.py"], check=True)


if __name__ == "__main__":
    main()
