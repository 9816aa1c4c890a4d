#!/usr/bin/env python3
"""Every operation of the table beside PyTorch: measures, and writes build/bench/results.csv.

    make bench                    all of it: about an hour
    make bench BENCH=--quick      ends in minutes
    make bench BENCH="--op sum --op exp --size 1000000"

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
QUIET = 0.05  # processors that others may use while a call is measured
COLUMNS = (
    "op family form variant dtype n layout nomen_us peer_us ratio nomen_best_us peer_best_us"
    " nomen_first_us peer_first_us peer_kept_us others note"
).split()


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

    def ask(self, case):
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
            answer = self.next(HANGS_AFTER)
        except BrokenPipeError:
            answer = None
        if answer is not None:
            return answer
        self.stop()
        code = self.process.returncode
        self.start()
        why = "hangs" if code == -9 else f"ends the process ({code})"
        return {"error": f"this call {why}"}

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def widest():
    flags = Path("/proc/cpuinfo").read_text()
    return "avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else "default"


# ---- which calls, and what came of them ---------------------------------------------------------


class Forecast:
    """Calls whose time at a smaller size says that they would take too long."""

    def __init__(self, limit):
        self.limit, self.known = limit, {}

    def key(self, case):
        return tuple(case[k] for k in ("op", "form", "variant"))

    def too_long(self, case):
        """Small sizes foretell nothing: they measure what a call costs by itself."""
        n, took = self.known.get(self.key(case), (case["n"], 0.0))
        power = 1.5 if case["family"] == "product" or case["op"] == "addmm" else 1.0
        return took * (case["n"] / n) ** power > self.limit

    def learn(self, case, answer):
        best = max(answer.get("nomen_best", 0), answer.get("peer_best", 0)) / 1e6
        if best and case["n"] >= 10_000 and case["dtype"] == bench_cases.natural(case["op"]):
            self.known[self.key(case)] = case["n"], best


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


def asked(case, measurer, keeper):
    answer = measurer.ask(case)
    wanted = keeper and case["n"] >= 30_000 and case["form"] != "out=" and "peer" in answer
    return answer, keeper.ask(case) if wanted else None


def write(path, cases, answers):
    """A line for each answer, as they come."""
    with path.open("w", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS)
        writer.writeheader()
        for case, answer in zip(cases, answers):
            writer.writerow(line_of(case, *answer))
            f.flush()


def measured_again(cases, answers, measurer, keeper):
    """Those that others disturbed, in place; how many they were. The quieter time is kept."""
    disturbed = [k for k, (answer, _) in enumerate(answers) if answer.get("others", 0) > QUIET]
    progress = Progress("disturbed calls again")
    for done, k in enumerate(disturbed):
        anew = asked(cases[k], measurer, keeper)
        if anew[0].get("others", 1e9) < answers[k][0]["others"]:
            answers[k] = anew
        progress.tell(done + 1, len(disturbed))
    return len(disturbed)


def measured(cases, measurer, keeper, longest, answers):
    """The answers one after another, which are put into the list as well."""
    forecast, progress = Forecast(longest), Progress("calls")
    for k, case in enumerate(cases):
        if forecast.too_long(case):
            answer = {"error": "left out: it would take too long"}, None
        else:
            answer = asked(case, measurer, keeper)
        forecast.learn(case, answer[0])
        answers.append(answer)
        yield answer
        progress.tell(k + 1, len(cases))


def run(cases, measurer, keeper, options, path):
    """Measures the calls and writes them to the file as they come; the disturbed ones again."""
    started, answers = time.time(), []
    write(path, cases, measured(cases, measurer, keeper, options.longest, answers))
    for _ in range(options.again):
        if measured_again(cases, answers, measurer, keeper) == 0:
            break
        write(path, cases, answers)
    print(f"bench: {len(cases)} calls, {time.time() - started:.0f} s: {path}", flush=True)


def triad(threads):
    """The measured limit of the memory."""
    program = FOLDER / "triad"
    flags = ["-O3", "-march=native", "-pthread", "-o", program]
    subprocess.run(["cc", *flags, ROOT / "bench" / "bench_triad.c"], check=True)
    done = subprocess.run([program, str(threads)], capture_output=True, text=True, check=True)
    (FOLDER / "triad.json").write_text(done.stdout)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds")
    parser.add_argument("--peer", help=f"an interpreter with torch {TORCH} and NumPy")
    parser.add_argument("--named", default="/usr/bin/python3", help="one with torch 1.13, or ''")
    parser.add_argument("--op", action="append", help="these operations only")
    parser.add_argument("--size", type=int, action="append", help="these sizes only")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, help="about what an ordinary call may take")
    parser.add_argument("--longest", type=float, help="leave out what takes longer, in seconds")
    parser.add_argument("--again", type=int, default=2, help="turns for calls that were disturbed")
    parser.add_argument("--no-report", action="store_true", help="only the CSV files")
    options = parser.parse_args()
    sizes = (16, 30_000, 1_000_000) if options.quick else bench_cases.SIZES
    options.size = options.size or sizes
    options.seconds = options.seconds or (0.03 if options.quick else 0.2)
    options.longest = options.longest or (0.5 if options.quick else 5)
    return options


def main():
    options = arguments()
    FOLDER.mkdir(parents=True, exist_ok=True)
    peer = options.peer or os.environ.get("NOMEN_BENCH_PYTHON") or environment()
    found = version(peer)
    if not (found or "").startswith(TORCH):
        sys.exit(f"bench: {peer} has torch {found}, {TORCH} is wanted")
    triad(options.threads)
    cases = list(bench_cases.cases(options.size, not options.quick, options.op))
    measurer = Measurer(peer, options)
    keeper = None if options.quick else Measurer(peer, options, "peer", KEEP_BLOCKS)
    about = {"command": " ".join(sys.argv), "threads": options.threads, **measurer.versions}
    run(cases, measurer, keeper, options, FOLDER / "results.csv")
    named = version(options.named) if options.named else None
    if (named or "").startswith("1.13"):
        sizes = [n for n in options.size if n <= 1000]
        cases = list(bench_cases.named_cases(sizes, options.op))
        measurer.stop()
        measurer = Measurer(options.named, options)
        about["named"] = measurer.versions["peer"]
        run(cases, measurer, None, options, FOLDER / "named.csv")
    else:
        print("bench: no torch 1.13, so names are not measured", flush=True)
    (FOLDER / "about.json").write_text(json.dumps(about, indent=1))
    measurer.stop()
    if keeper:
        keeper.stop()
    if not options.no_report:
        subprocess.run([peer, ROOT / "bench" / "bench_report.py"], check=True)


if __name__ == "__main__":
    main()
