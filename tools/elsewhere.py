"""Builds the library and its C tests for processors that are not here, and runs them: under qemu,
or as they are where this processor knows the other's instructions.

usage: tools/elsewhere.py [aarch64] [i686] [s390x]     all three unless told

i686 has 32 bits, s390x the other byte order, aarch64 the vectors of NEON. Wants Debian's packages
qemu-user and gcc-ARCH-linux-gnu with libc6-dev-DEBIAN-cross; cmocka of each architecture is fetched
with apt-get and unpacked under build/elsewhere, not installed. Kernels are not tested on i686.
Kernels are compared with long double in one case of ONE_IN: it is slow where it is emulated.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build/elsewhere"
# processor: (Debian's name of it, what runs it, instruction sets, folders of tests)
PROCESSORS = {
    "aarch64": ("arm64", "qemu-aarch64", "scalar;neon", ("c", "kernels")),
    "i686": ("i386", "/usr/i686-linux-gnu/lib/ld-linux.so.2", "scalar", ("c",)),
    "s390x": ("s390x", "qemu-s390x", "scalar", ("c", "kernels")),
}
SECONDS = 3600  # for a program
ONE_IN = 63
# qemu 7.2 itself dies in a process that forks while other threads run.
QEMU_DIED = "qemu_plugin_vcpu_init_hook: assertion failed"


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def fetch_cmocka(debian):
    """The folder with usr/include and usr/lib of cmocka for that architecture."""
    folder = PLACE / f"root-{debian}"
    if list(folder.glob("usr/lib/*/libcmocka.so")):
        return folder
    lists, cache = PLACE / f"apt-{debian}/lists", PLACE / f"apt-{debian}/cache"
    for path in (lists, cache / "archives/partial"):
        path.mkdir(parents=True, exist_ok=True)
    sources = PLACE / f"apt-{debian}/sources.list"
    release = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())[1]
    sources.write_text(f"deb http://deb.debian.org/debian {release} main\n")
    options = [f"-oAPT::Architecture={debian}", f"-oAPT::Architectures={debian}"]
    options += [f"-oDir::State::lists={lists}", f"-oDir::Cache={cache}"]
    options += [f"-oDir::Etc::sourcelist={sources}", "-oDir::Etc::sourceparts=-"]
    run("apt-get", *options, "update")
    run("apt-get", *options, "download", "libcmocka0", "libcmocka-dev", cwd=cache)
    for package in cache.glob("libcmocka*.deb"):
        run("dpkg", "-x", package, folder)
    return folder


def is_emulated(processor):
    return PROCESSORS[processor][1].startswith("qemu")


def loader(processor):
    """For the linker: programs are started by the loader that lies beside the cross compiler."""
    return f"-Wl,--dynamic-linker={PROCESSORS[processor][1]}"


def build(processor):
    debian, _, isas, _ = PROCESSORS[processor]
    root, folder = fetch_cmocka(debian), PLACE / processor
    (library,) = root.glob("usr/lib/*/libcmocka.so")
    run(
        "cmake",
        *("-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DNOMEN_KERNEL_OPT=-O1"),
        *("-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={processor}"),
        *(f"-DCMAKE_C_COMPILER={processor}-linux-gnu-gcc", f"-DNOMEN_ISAS={isas}"),
        f"-DCMAKE_EXE_LINKER_FLAGS={'' if is_emulated(processor) else loader(processor)}",
        *("-DNOMEN_TESTS=ON", "-DNOMEN_DEBUG=ON", "-DNOMEN_WERROR=ON"),
        *(f"-DCMOCKA_INCLUDE={root}/usr/include", f"-DCMOCKA_LIBRARY={library}"),
    )
    run("cmake", "--build", folder, "--parallel", "2", "--target", "nomen_tests")
    return folder, library.parent


def run_program(processor, folder, libraries, program):
    """(tests that passed, what to print, the text of a failure or None)"""
    command, there = [str(folder / "tests" / program)], f"/usr/{processor}-linux-gnu"
    own = {**os.environ, "NOMEN_ONE_IN": str(ONE_IN)}
    if is_emulated(processor):
        given = ["-L", there, "-E", f"LD_LIBRARY_PATH={libraries}"]
        command = [PROCESSORS[processor][1], *given, *command]
        own["NOMEN_EMULATED"] = "1"
    else:
        own["LD_LIBRARY_PATH"] = f"{libraries}:{there}/lib"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=own)
    except subprocess.TimeoutExpired:
        return 0, "not done", f"{program}: not done after {SECONDS} s"
    text = done.stdout + done.stderr
    good = text.count("[       OK ]")
    bad = len(set(re.findall(r"\[  FAILED  \] (\w+)$", text, re.M)))
    said = f"{good} passed, {bad} failed"
    if done.returncode == 0:
        return good, said, None
    if QEMU_DIED in text:
        return good, said + ", qemu died in it", None
    return good, said, f"{program}: {text[-2000:]}"


def test(processor, programs):
    """(tests that passed, texts of what failed)"""
    folder, libraries = build(processor)
    passed, failures = 0, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [
            (program, pool.submit(run_program, processor, folder, libraries, program))
            for program in programs
        ]
        for program, running in runs:
            good, said, failure = running.result()
            print(f"{processor} {program}: {said}", flush=True)
            passed += good
            failures += [failure] if failure else []
    return passed, failures


def main(wanted):
    wanted = wanted or list(PROCESSORS)
    if set(wanted) - set(PROCESSORS):
        sys.exit(__doc__)
    failed = False
    for processor in wanted:
        _, runner, _, folders = PROCESSORS[processor]
        missing = [t for t in (runner, f"{processor}-linux-gnu-gcc") if not shutil.which(t)]
        if missing:
            sys.exit(f"not here: {', '.join(missing)}")
        programs = sorted(
            path.stem for folder in folders for path in (ROOT / "tests" / folder).glob("test_*.c")
        )
        passed, failures = test(processor, programs)
        for text in failures:
            print(f"{processor} {text}")
        failed |= bool(failures)
        print(f"figure: tests that passed on {processor}: {passed}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
