"""The examples, run as readers run them: what they reach, if both languages agree, what they show.

The C programs are those of the build tree that NOMEN_LIBRARY points into.
"""

import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "build" / "digits_wrong.png"
LANGUAGES = ["python", "c"]


def command(name, language):
    if language == "python":
        return [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    program = Path(os.environ["NOMEN_LIBRARY"]).parent / "examples" / name
    if not program.exists():
        pytest.skip(f"{program} is not built (CMake option NOMEN_EXAMPLES)")
    return [str(program)]


def run(name, language, *arguments):
    done = subprocess.run(
        [*command(name, language), *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def shown():
    """shown(name, language): the lines of one run, which all tests of this file share."""
    known = {}

    def lines(name, language):
        key = name, language
        if key not in known:
            if key == ("digits", "python"):
                PICTURE.unlink(missing_ok=True)
            known[key] = run(name, language).splitlines()
        return known[key]

    return lines


def losses(lines):
    return [line for line in lines if re.fullmatch(r"epoch [ \d]\d of \d+: loss \d\.\d{9}", line)]


def accuracy(lines):
    return float(re.fullmatch(r"held-out accuracy: (\d+\.\d) %", lines[-1])[1])


def png_rows(path):
    """The rows of a PNG of 8-bit RGB without filters; every checksum must be right."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (check,) = struct.unpack_from(">I", data, at + 8 + length)
        assert check == zlib.crc32(kind + body)
        chunks.append((kind, body))
        at += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert rest == [8, 2, 0, 0, 0]
    pixels = zlib.decompress(chunks[1][1])
    stride = 1 + 3 * width
    assert len(pixels) == height * stride
    rows = [pixels[i : i + stride] for i in range(0, len(pixels), stride)]
    assert all(row[0] == 0 for row in rows)
    return [row[1:] for row in rows]


# ---- digits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_digits_reach_97_percent(shown, language):
    lines = shown("digits", language)
    assert len(losses(lines)) == 30
    assert accuracy(lines) >= 97


def test_digits_are_the_same_in_both_languages(shown):
    c, python = shown("digits", "c"), shown("digits", "python")
    assert losses(c) == losses(python)
    assert c[-1] == python[-1]


def test_another_seed_gives_other_numbers_and_the_languages_still_agree(shown):
    c, python = (run("digits", language, "7").splitlines() for language in ("c", "python"))
    assert losses(c) == losses(python) and len(losses(c)) == 30
    assert losses(c) != losses(shown("digits", "c"))
    assert c[-1] == python[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_digits_show_a_wrong_program_and_its_error(shown, language):
    text = "\n".join(shown("digits", language))
    after = text.partition("a wrong program")[2]
    assert "dim 'hidden' and dim 'pixel' are at the same position" in after
    assert "self=Tensor[batch=360, hidden=64], other=Tensor[pixel=64]" in after


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_progress_line_of_a_terminal_updates_in_place(language):
    program = command("digits", language)
    ours, theirs = os.openpty()
    with subprocess.Popen(program, stdout=theirs, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                piece = b""
            if not piece:
                break
            text += piece
    os.close(ours)
    assert process.returncode == 0
    first = text.partition(b"\n")[0]
    assert first.count(b"\repoch ") == first.count(b"epoch ") == 30


def confusion(lines):
    at = next(i for i, line in enumerate(lines) if line.startswith("what it is (rows)"))
    rows = [line.replace(".", "0").split() for line in lines[at + 2 : at + 12]]
    assert [row[0] for row in rows] == list("0123456789")
    return [[int(count) for count in row[1:]] for row in rows]


def test_the_confusion_matrix_counts_every_digit_once(shown):
    lines = shown("digits", "python")
    table = confusion(lines)
    total, right = sum(map(sum, table)), sum(table[i][i] for i in range(10))
    assert total == 360
    assert accuracy(lines) == round(100 * right / total, 1)


def test_the_picture_has_a_tile_for_each_wrong_digit(shown):
    lines = shown("digits", "python")
    table = confusion(lines)
    wrong = sum(map(sum, table)) - sum(table[i][i] for i in range(10))
    assert f"the {wrong} it got wrong" in lines[-2] and "digits_wrong.png" in lines[-2]
    rows = png_rows(PICTURE)
    colours = [{bytes(row[i : i + 3]) for i in range(0, len(row), 3)} for row in rows]
    green, red = bytes((0, 130, 60)), bytes((200, 30, 30))
    assert any(green in row for row in colours) and any(red in row for row in colours)
    # A tile is 76 pixels wide and 100 high, there are six in a line, and 12 pixels around all.
    assert len(rows[0]) // 3 == 6 * 76 + 12
    assert len(rows) == -(-wrong // 6) * 100 + 12


# ---- attention -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_attention_agrees_with_its_plain_loop(shown, language):
    (line,) = [line for line in shown("attention", language) if "plain loop" in line]
    loss, gradient = re.search(r"loss within (\S+), gradients within (\S+)", line).groups()
    assert float(loss) < 1e-12 and float(gradient) < 1e-7


def test_attention_is_the_same_in_both_languages(shown):
    c, python = shown("attention", "c"), shown("attention", "python")
    assert re.fullmatch(r"loss: \d\.\d{12}", c[0])
    assert c[:2] == python[:2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_attention_shows_a_wrong_program_and_its_error(shown, language):
    after = "\n".join(shown("attention", language)).partition("a wrong program")[2]
    assert "Expected 'query'" in after and "to match 'head'" in after
    assert "self=Tensor[batch=2, query=4, head=4, depth=3]" in after
