#!/usr/bin/env python3
"""Runs every fuzzing target for a million inputs, or what is asked for. Prints its figures.

    tools/setup.sh fuzz && python tests/fuzz/fuzz.py
    python tests/fuzz/fuzz.py --inputs 20000 names program     some of them, for a while
    python tests/fuzz/fuzz.py --keep                           also adds to the corpora what is new

What libFuzzer comes upon stays in build/fuzz/found and is where the next run begins. A finding
ends the run: its input is kept there too, and build/fuzz/fuzz/fuzz_TARGET INPUT shows it again.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
FOUND = ROOT / "build/fuzz/found"
LARGEST_CORPUS = 40_000  # bytes of text
TARGETS = {
    "names": "texts of names and dims",
    "npy": "npy files",
    "dlpack": "DLPack structs",
    "index": "indexing",
    "program": "programs of operations",
}
DRIVERS = {
    "safetensors": ["fuzz_safetensors.py", "--inputs"],
    "safetensors-guided": ["guided_safetensors.py", "--inputs"],
    "model": ["fuzz_model.py", "--programs"],
}
OPTIONS = "-max_len=200 -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1".split()


def corpus(target):
    """The inputs of the tree, as files."""
    folder = FOUND / target
    folder.mkdir(parents=True, exist_ok=True)
    for at, line in enumerate((CORPUS / f"{target}.hex").read_text().split()):
        (folder / f"corpus-{at:04}").write_bytes(bytes.fromhex(line))
    return folder


def libfuzzer(target, inputs, seed):
    folder = corpus(target)
    program = ROOT / f"build/fuzz/fuzz/fuzz_{target}"
    if not program.exists():
        sys.exit(f"{program} is not built: tools/setup.sh fuzz builds it")
    command = [program, f"-runs={inputs}", f"-seed={seed}", *OPTIONS]
    command += [f"-artifact_prefix={FOUND}/{target}-", folder]
    environment = {**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stdout)
    if done.returncode or not runs:
        sys.exit(f"{done.stdout[-6000:]}\nfuzz_{target}: a finding (exit status {done.returncode})")
    print(f"figure: inputs, {TARGETS[target]}: {runs[1]}", flush=True)


def driver(target, inputs, seed):
    script, option = DRIVERS[target]
    command = [sys.executable, ROOT / "tests/fuzz" / script, option, str(inputs), "--seed", seed]
    if subprocess.run(command).returncode:
        sys.exit(f"{script}: a finding")


def keep(target):
    """The smallest inputs that together reach everything that has been reached."""
    folder, least = FOUND / target, FOUND / f"{target}-least"
    least.mkdir(exist_ok=True)
    for old in least.iterdir():
        old.unlink()
    program = ROOT / f"build/fuzz/fuzz/fuzz_{target}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([program, "-merge=1", "-max_len=200", least, folder], check=True, **quiet)
    lines = sorted((path.read_bytes().hex() for path in least.iterdir()), key=lambda s: (len(s), s))
    text, kept = "", 0
    for line in filter(None, lines):
        if len(text) + len(line) + 1 > LARGEST_CORPUS:
            break
        text, kept = f"{text}{line}\n", kept + 1
    (CORPUS / f"{target}.hex").write_text(text)
    print(f"{target}: {kept} of {len(lines)} inputs, {len(text)} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, *DRIVERS, []])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    for target in options.targets or [*TARGETS, *DRIVERS]:
        if target in DRIVERS:
            driver(target, options.inputs, options.seed)
            continue
        libfuzzer(target, options.inputs, options.seed)
        if options.keep:
            keep(target)


if __name__ == "__main__":
    main()
