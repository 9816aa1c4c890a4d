#!/usr/bin/env python3
"""The reader of safetensors files under libFuzzer, which sees what of the reader an input reaches.

    python tests/fuzz/guided_safetensors.py --inputs 1000000 --seed 1

Atheris brings libFuzzer to Python (tools/setup.sh extras installs it). Inputs are what
fuzz_safetensors.py makes of files of nomen.save, and what libFuzzer makes of these; what is
promised of them stands there. An input that breaks a promise stays in build/fuzz/guided/found.
"""

import argparse
import random
import shutil
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["nomen._files", "json"]):
    import fuzz_safetensors as files

PLACE = Path(__file__).resolve().parents[2] / "build/fuzz/guided"


def mutate(data, most, seed):
    """Half of the inputs keep the form of a file, half are changed as bytes."""
    r = random.Random(seed)
    if len(data) < 9:
        data = files.some_file(r)
    elif r.random() < 0.5:
        return atheris.Mutate(data, most)
    return files.changed(r, data)[:most]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    r, seen, read = random.Random(options.seed), 0, 0
    shutil.rmtree(PLACE, ignore_errors=True)
    for folder in "corpus", "found":
        (PLACE / folder).mkdir(parents=True)
    for at in range(300):
        (PLACE / "corpus" / str(at)).write_bytes(files.some_file(r))

    def examine(data):
        nonlocal seen, read
        seen += 1
        read += files.examine(data, PLACE, read % 16 == 15)
        if seen == options.inputs:  # libFuzzer ends the process by itself
            print(f"figure: inputs of the safetensors reader under libFuzzer: {seen}")
            print(f"figure: of these files that could be read: {read}", flush=True)

    files.limit_memory()
    given = [f"-atheris_runs={options.inputs}", f"-seed={options.seed}", "-max_len=4096"]
    given += ["-timeout=20", "-verbosity=0", f"-artifact_prefix={PLACE}/found/", PLACE / "corpus"]
    atheris.Setup([sys.argv[0], *map(str, given)], examine, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
