"""Each public header compiles alone and twice over, as strict C11, C17, C23 and C++17, C++20,
with gcc and clang."""

import shutil
import subprocess
from pathlib import Path

import pytest

INCLUDE = Path(__file__).resolve().parent.parent.parent / "include"
HEADERS = sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.glob("nomen/*.h"))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
C = ["-x", "c", "-Wstrict-prototypes"]
LANGUAGES = {
    f"{standard}-{compiler}": [compiler, *options, f"-std={spelling}"]
    for standard, spelling, options, compilers in (
        ("c11", "c11", C, ("gcc", "clang")),
        ("c17", "c17", C, ("gcc", "clang")),
        ("c23", "c2x", C, ("gcc", "clang")),
        ("c++17", "c++17", ["-x", "c++"], ("g++", "clang++")),
        ("c++20", "c++20", ["-x", "c++"], ("g++", "clang++")),
    )
    for compiler in compilers
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("header", HEADERS)
def test_header_alone(header, language):
    command = LANGUAGES[language]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    text = f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n"
    done = subprocess.run(
        [*command, *WARNINGS, f"-I{INCLUDE}", "-"], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_there_are_headers():
    assert "nomen/nomen.h" in HEADERS
