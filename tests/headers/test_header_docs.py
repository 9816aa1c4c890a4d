"""Each function of the public headers says what can go wrong and has an example, which runs.

The functions of the table have theirs in ops.gen.h, made of the rows; tests/python looks at those.
An example is C as it stands in a function; a line that ends without ; { or } is a condition that
holds.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [p for p in sorted((ROOT / "include/nomen").glob("*.h")) if ".gen." not in p.name]
PIECE = re.compile(r"/\*(.*?)\*/|^(NOMEN_API [^;]*;)", re.M | re.S)
MADE = r"nomen_(status|tensor \*|list|generator \*|dl_managed \*|dl_managed_old \*)"
FREE = {"nomen_retain", "nomen_keep", "nomen_gradient"}  # they hand on what is there


def functions():
    """(header, name, declaration, the comment above it or above the group that it stands in)"""
    for header in HEADERS:
        text, comment, end = header.read_text(), "", 0
        for found in PIECE.finditer(text):
            between = text[end : found.start()]
            # a blank line or other code ends a group; a comment in the line of a declaration is not
            # the next one's
            if "\n\n" in between or (found[2] and between.strip()):
                comment = ""
            end = found.end()
            if found[2]:
                name = re.search(r"(\w+)\(", found[2])[1]
                yield header.name, name, " ".join(found[2].split()), comment
            elif "\n" in between or not comment:
                comment = "\n".join(re.sub(r"^ \* ?", "", line) for line in found[1].split("\n"))


FUNCTIONS = list(functions())


def example(comment):
    """The lines of the example of a comment."""
    found = re.search(r"^Example:\n((?:    .*(?:\n|$)|\n)+)", comment, re.M)
    return [line[4:].rstrip() for line in found[1].rstrip().split("\n")] if found else []


def shows(name, lines):
    short = name.removesuffix("_call")
    return any(re.search(rf"\b{short}\(", line) for line in lines)


@pytest.mark.parametrize("header, name, declaration, comment", FUNCTIONS, ids=lambda x: x[:40])
def test_says_all(header, name, declaration, comment):
    assert shows(name, example(comment)), f"{header}: {name} has no example"
    says = re.split(r"^(?:Names|Errors|Example):", comment.lstrip(), flags=re.M)[0]
    assert len(says.strip()) > 15, f"{header}: {name}: what does it do?"
    result = declaration.removeprefix("NOMEN_API ").split(name)[0].strip()
    if re.fullmatch(MADE, result) and name not in FREE:
        named = re.search(r"^Errors: \S|NOMEN_ERROR_\w+|[Ee]rror", comment, re.M)
        assert named, f"{header}: {name}: which errors?"
    if result in ("nomen_tensor *", "nomen_list"):
        assert re.search(r"^Names: \S|with (its|their|the) names|same names", comment, re.M), name


HEAD = """#include "nomen/blas.h"
#include "nomen/nomen.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
static int failed;
static nomen_status halve(void *payload, nomen_tensor *gradient, nomen_tensor **replacement) {
    (void)payload;
    *replacement = nomen_mul(gradient, nomen_scalar(0.5));
    return NOMEN_OK;
}
static nomen_status look_at(void *payload, nomen_tensor *gradient) {
    (void)payload;
    (void)gradient;
    return NOMEN_OK;
}
"""


def program(examples):
    """One function for each example; what does not hold is printed."""
    text, calls = HEAD, []
    for i, (where, lines) in enumerate(examples):
        text += f"static void example_{i}(void) {{\n"
        for line in lines:
            code, _, _ = line.partition("//")
            if code.strip() and not re.search(r"[;{}]\s*$", code):
                shown = (where + ": " + code.strip()).replace("\\", "\\\\").replace('"', '\\"')
                line = f'if (!({code})) failed = 1, puts("{shown}");'
            text += f"    {line}\n"
        text += "}\n"
        calls.append(f"    nomen_clear_error();\n    example_{i}();\n")
    return text + "int main(void) {\n" + "".join(calls) + "    return failed;\n}\n"


def run(examples, tmp_path):
    (tmp_path / "examples.c").write_text(program(examples))
    library = ROOT / "build/release/libnomen.a"
    command = "gcc -std=gnu11 -Wall -Wno-unused-function -Wno-unused-value -Werror -pthread -o"
    done = subprocess.run(
        [*command.split(), tmp_path / "examples", tmp_path / "examples.c", f"-I{ROOT}/include"]
        + [library, "-lm", "-ldl"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return subprocess.run(
        [tmp_path / "examples"], cwd=tmp_path, env=os.environ, capture_output=True, text=True
    )


def test_examples_hold(tmp_path):
    comments = dict.fromkeys((header, comment) for header, _, _, comment in FUNCTIONS)
    done = run([(header, example(comment)) for header, comment in comments], tmp_path)
    assert done.returncode == 0, done.stdout


def test_one_that_does_not_hold_is_seen(tmp_path):
    done = run([("here", ["nomen_dtype_size(NOMEN_F32) == 3 // no"])], tmp_path)
    assert done.returncode == 1 and done.stdout == "here: nomen_dtype_size(NOMEN_F32) == 3\n"


def test_there_are_functions():
    assert len(FUNCTIONS) > 100 and {f[0] for f in FUNCTIONS} >= {"tensor.h", "grad.h", "io.h"}
