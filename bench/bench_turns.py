"""Some calls by turns in builds of nomen and in PyTorch, each in a process of its own.

    build/bench-venv/bin/python bench/bench_turns.py "x=made('float32', [1000], 0)|L.exp(x)" ...
        [--side before=FOLDER] [--side small=build/release/python,NOMEN_ISA=avx2] [--file F]
        [--threads 1] [--seconds 0.5] [--turns 7]

What stands before | makes the operands, L is the library (bench_survey.py says what else there
is: its lines may be given, too, and those of a --file). Sides: `now` is build/release/python;
`peer` is PyTorch; each --side names a folder with another build of the module, and variables of
its environment. One process calls while the others sleep; the least of the turns counts.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve()
RELEASE = HERE.parent.parent / "build/release/python"


def worker(lib, threads):
    """Answers lines of JSON: a call and how long to call it, with microseconds of one."""
    sys.path.insert(0, str(HERE.parent))
    import bench_survey  # of this process: nomen is the one on the path, torch is there in each

    lib = __import__(lib)
    lib.set_num_threads(threads)
    known = {}
    for line in sys.stdin:
        call, seconds = json.loads(line)
        try:
            if call not in known:
                known.clear()
                known[call] = bench_survey.prepared(lib, call, 1)
            side = [known[call]]
            once = bench_survey.least(side, 1, 1)[0]
            times = max(1, int(2000 / max(once, 1)))
            turns = max(1, int(seconds * 1e6 / (times * once)))
            least = bench_survey.least(side, times, turns)[0]
            print(json.dumps(least), flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)


def started(side, threads):
    """The process of a side: NAME=FOLDER,VARIABLE=VALUE,..."""
    name, _, rest = side.partition("=")
    folder, *variables = rest.split(",")
    env = {**os.environ, **dict(v.split("=", 1) for v in variables), "PYTHONPATH": folder}
    lib = "torch" if name == "peer" else "nomen"
    run = [sys.executable, "-W", "ignore", str(HERE), "--worker", lib, "--threads", str(threads)]
    return name, subprocess.Popen(
        run, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def asked(process, call, seconds):
    process.stdin.write(json.dumps([call, seconds]) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def by_turns(sides, call, seconds, turns):
    """Microseconds of each side, or why there are none."""
    least = {}
    for _ in range(turns):
        for name, process in sides:
            took = asked(process, call, seconds / turns)
            if isinstance(took, str):
                least[name] = took
            elif not isinstance(least.get(name), str):
                least[name] = min(took, least.get(name, took))
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("calls", nargs="*")
    parser.add_argument("--side", action="append", default=[])
    parser.add_argument("--file")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one side")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(options.worker, options.threads)
    calls = options.calls
    if options.file:
        calls += pathlib.Path(options.file).read_text().splitlines()
    calls = [re.sub(r"^.*? us {2}", "", call) for call in calls if "|" in call]
    first = f"now={RELEASE}"
    sides = [started(s, options.threads) for s in [first, *options.side, f"peer={RELEASE}"]]
    print("  ".join(f"{name:>8}" for name, _ in sides), " peer / now")
    for call in calls:
        took = by_turns(sides, call, options.seconds, options.turns)
        for name, _ in sides:
            print(f"{took[name]:8.4g}" if not isinstance(took[name], str) else took[name], end="  ")
        if not any(isinstance(t, str) for t in took.values()):
            print(f"{took['peer'] / took['now']:9.2f}", end="")
        print(f"   {call}", flush=True)


if __name__ == "__main__":
    main()
