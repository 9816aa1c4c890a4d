"""The examples of README, guide and CONTRIBUTING run, with the output that stands below them."""

import doctest
import os
import re
import subprocess
import traceback
from pathlib import Path

import pytest

import nomen

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md"]
PAGES += [f"docs/{page}.md" for page in "guide names mistakes from_torch differences".split()]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(page):
    """(language, text, what the next block says if that is output) of each block of a page."""
    path = ROOT / page
    if not path.exists():
        return []
    found = BLOCK.findall(path.read_text())
    after = found[1:] + [("", "")]
    return [
        (language, text, output if kind == "text" else None)
        for (language, text), (kind, output) in zip(found, after)
    ]


def sessions(page):
    return "\n".join(text for language, text, _ in blocks(page) if language == "python")


# CONTRIBUTING shows an operation that does not exist until the reader adds it.
INTERACTIVE = [p for p in PAGES if p != "CONTRIBUTING.md" and ">>>" in sessions(p)]
C_BLOCKS = [
    pytest.param(text, output, id=f"{page}-{i}")
    for page in PAGES
    if page != "CONTRIBUTING.md"
    for i, (language, text, output) in enumerate(blocks(page))
    if language == "c"
]


@pytest.mark.parametrize("page", INTERACTIVE)
def test_python_session(page):
    """All blocks of a page are one session, as a reader would type them."""
    nomen.manual_seed(0)
    source = "\n".join(t for language, t, _ in blocks(page) if language == "python" and ">>>" in t)
    test = doctest.DocTestParser().get_doctest(source, {"nomen": nomen}, page, page, 0)
    assert len(test.examples) >= 3
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_common_mistakes():
    """Each gets the message that stands below it, and what is advised works."""
    languages = [language for language, _, _ in blocks("docs/mistakes.md")]
    assert languages == ["python"] + ["python", "text", "python"] * (len(languages) // 3)
    (_, prelude, _), *rest = blocks("docs/mistakes.md")
    assert len(rest) >= 3 * 30
    for (_, wrong, message), _, (_, right, _) in zip(rest[::3], rest[1::3], rest[2::3]):
        scope = {}
        exec(prelude, scope)
        with pytest.raises(Exception) as caught:
            exec(wrong, scope)
        text = "".join(traceback.format_exception_only(caught.value))
        assert text == message, wrong
        exec(prelude, scope)
        exec(right, scope)


def test_readme_program(capsys):
    ((text, output),) = [
        (text, output)
        for language, text, output in blocks("README.md")
        if language == "python" and ">>>" not in text
    ]
    exec(compile(text, "README.md", "exec"), {})
    assert capsys.readouterr().out == output


HEAD = "#include <nomen/nomen.h>\n#include <stdio.h>\n"


@pytest.mark.parametrize("text, output", C_BLOCKS)
def test_c_block(text, output, tmp_path):
    """Whole programs as they are, others inside a main, as the guide says."""
    program = text if "int main" in text else f"{HEAD}int main(void) {{\n{text}\nreturn 0;\n}}\n"
    source = tmp_path / "program.c"
    source.write_text(program)
    build = ROOT / "build" / "release"
    done = subprocess.run(
        [
            *"gcc -std=gnu11 -Wall -Werror -pthread -o".split(),
            *(tmp_path / "program", source, f"-I{ROOT}/include", build / "libnomen.a", "-lm"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    ran = subprocess.run(
        [tmp_path / "program"], cwd=tmp_path, env=os.environ, capture_output=True, text=True
    )
    assert ran.returncode == 0
    if output is not None:
        assert ran.stdout == output


def test_every_block_runs():
    """Whoever adds a block of code to a page finds it among the tests, or this one fails."""
    pages = [path for path in (ROOT / "docs").rglob("*.md") if ".gen." not in path.name]
    for path in [ROOT / "README.md", *pages]:
        page = str(path.relative_to(ROOT))
        for language, text, _ in blocks(page):
            if language == "python":
                here = INTERACTIVE if ">>>" in text else ["README.md", "docs/mistakes.md"]
                assert page in here, text
            else:
                assert language in ("text", "mermaid") or (language == "c" and page in PAGES), text
        # a fence without a language, or one that does not end, is none of these
        assert path.read_text().count("\n```") == 2 * len(blocks(page))


def test_there_are_blocks():
    assert len(C_BLOCKS) >= 6 and len(INTERACTIVE) >= 1
