"""What the library weighs: bytes of the library and of its objects, lines by folder.

usage: tools/size.py [BUILD]      BUILD is build/release unless told otherwise
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = "include src ops python backends examples tests tools bench docs".split()
SUFFIXES = {".c", ".h", ".py", ".pyi", ".def", ".toml", ".sh", ".cmake", ".md"}


def sizes(path):
    """[(text, data, bss, name)] as `size` tells; several for an archive."""
    out = subprocess.run(["size", str(path)], check=True, capture_output=True, text=True).stdout
    rows = [line.split(None, 5) for line in out.splitlines()[1:]]
    return [(int(text), int(data), int(bss), name) for text, data, bss, _, _, name in rows]


def isa_of(objects):
    for isa in ("scalar", "avx2", "avx512", "neon"):
        if f"kernels_{isa}" in objects:
            return isa
    return "core"


def code_by_part(build):
    """Bytes of code by instruction set and source file."""
    parts = Counter()
    for path in build.glob("CMakeFiles/nomen_*.dir/src/**/*.o"):
        for text, _, _, _ in sizes(path):
            parts[isa_of(str(path)), path.parent.name + "/" + path.stem] += text
    return parts


def lines_by_folder():
    written, generated = Counter(), Counter()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SUFFIXES and path.is_file():
                key = path.parent.relative_to(ROOT).as_posix()
                counter = generated if ".gen." in path.name else written
                counter[key] += len(path.read_text(errors="replace").splitlines())
    return written, generated


def main(arguments):
    build = Path(arguments[0]) if arguments else ROOT / "build" / "release"
    for name in ("libnomen.so", "libnomen.a"):
        total = [sum(column) for column in list(zip(*sizes(build / name)))[:3]]
        print(f"{name}: text {total[0]:,}  data {total[1]:,}  bss {total[2]:,}")
    parts = code_by_part(build)
    by_isa = Counter()
    for (isa, _), count in parts.items():
        by_isa[isa] += count
    print("\ncode by instruction set")
    for isa, count in by_isa.most_common():
        print(f"  {count:>10,}  {isa}")
    print("\nthe ten largest objects")
    for (isa, name), count in parts.most_common(10):
        print(f"  {count:>10,}  {name} ({isa})")
    written, generated = lines_by_folder()
    print("\nlines (written, generated)")
    for folder in sorted(set(written) | set(generated)):
        print(f"  {written[folder]:>7,} {generated[folder]:>7,}  {folder}")
    print(f"  {sum(written.values()):>7,} {sum(generated.values()):>7,}  in all")


if __name__ == "__main__":
    main(sys.argv[1:])
