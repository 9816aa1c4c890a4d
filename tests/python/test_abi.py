"""What compiled programs rely on is written down, and a change of it does not pass unseen."""

import re
import shutil
import struct
import subprocess

import pytest


@pytest.fixture(scope="module")
def abi(tool):
    module = tool("abi")
    if module.missing():
        pytest.skip(f"not installed: {', '.join(module.missing())} (tools/setup.sh extras)")
    if struct.calcsize("P") != 8:
        pytest.skip("the description is of processors of 64 bits")
    return module


@pytest.fixture(scope="module")
def library(root):
    return root / "build/release/libnomen.so"


@pytest.fixture(scope="module")
def now(abi, root, library):
    return abi.described(root / "include", library)


def test_the_description_is_that_of_the_library(abi, now):
    assert abi.read(abi.DESCRIPTION.read_text()) == now, "tools/abi.py --write [--accept]"
    assert abi.DESCRIPTION.read_text() == abi.written(now)


def test_it_has_every_exported_function(abi, now, library):
    functions = {name.split()[1] for name in now if name.startswith("function ")}
    assert functions == abi.exported(library)
    assert "exported, not declared" not in now.values()


CHANGES = {
    "a struct in another order": (
        "tensor.h",
        r"(int64_t count;)(.*?)(const int64_t \*at;)",
        r"\3\2\1",
        ["changed: struct nomen_sizes"],
    ),
    "a struct that grew": (
        "memory.h",
        r"int64_t metadata_live;",
        r"int64_t metadata_live; int64_t more;",
        ["changed: struct nomen_memory_stats"],
    ),
    "a parameter of another type": (
        "memory.h",
        r"nomen_set_cache_limit\(size_t bytes\)",
        "nomen_set_cache_limit(int bytes)",
        ["changed: function nomen_set_cache_limit"],
    ),
    "a result of another type": (
        "memory.h",
        r"int nomen_get_num_threads\(void\)",
        "long nomen_get_num_threads(void)",
        ["changed: function nomen_get_num_threads"],
    ),
    "a parameter less": (
        "names.h",
        r"(nomen_name_intern\(const char \*\w+), size_t \w+,",
        r"\1,",
        ["changed: function nomen_name_intern"],
    ),
    "a constant of another value": (
        "enums.gen.h",
        r"NOMEN_OK\s*=\s*0",
        "NOMEN_OK = 100",
        ["changed: constant NOMEN_OK"],
    ),
    "another type under a name": (
        "names.h",
        r"typedef uint32_t nomen_name;",
        "typedef uint64_t nomen_name;",
        [
            "changed: function nomen_name_intern",
            "changed: function nomen_name_text",
            "changed: type nomen_name",
        ],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_header_is_noticed(abi, now, root, library, tmp_path, change):
    file, pattern, by, wanted = CHANGES[change]
    shutil.copytree(root / "include", tmp_path / "include")
    found = [
        path
        for path in (tmp_path / "include/nomen").glob("*.h")
        if len(re.findall(pattern, path.read_text(), re.S)) == 1 and path.name == file
    ]
    assert found, f"{file} has another text: {pattern}"
    found[0].write_text(re.sub(pattern, by, found[0].read_text(), flags=re.S))
    broken, added = abi.compared(now, abi.described(tmp_path / "include", library))
    assert [text.split("\n")[0] for text in broken] == wanted
    assert not added


def test_a_function_that_is_gone_is_noticed(abi, now, root, library, monkeypatch):
    left = abi.exported(library) - {"nomen_sum_call"}
    monkeypatch.setattr(abi, "exported", lambda library: left)
    without = abi.described(root / "include", library)
    assert abi.compared(now, without) == (["gone: function nomen_sum_call"], [])
    assert abi.compared(without, now) == ([], ["new: function nomen_sum_call"])


def test_what_breaks_programs_is_not_written_by_the_way(abi, now, monkeypatch, tmp_path, capsys):
    page = tmp_path / "abi.txt"
    monkeypatch.setattr(abi, "DESCRIPTION", page)
    monkeypatch.setattr(abi, "described", lambda include, library: now)
    assert abi.main(["--write"]) == 0 and abi.read(page.read_text()) == now
    less = {name: how for name, how in now.items() if name != "function nomen_sum_call"}
    monkeypatch.setattr(abi, "described", lambda include, library: less)
    assert abi.main(["--described"]) == 1
    assert "gone: function nomen_sum_call" in capsys.readouterr().out
    assert abi.main(["--write"]) == 1 and abi.read(page.read_text()) == now
    assert abi.main(["--write", "--accept"]) == 0 and abi.read(page.read_text()) == less
    monkeypatch.setattr(abi, "described", lambda include, library: now)
    assert abi.main(["--write"]) == 0 and abi.read(page.read_text()) == now


@pytest.mark.parametrize(
    "source, breaks, said",
    [
        ("int one(int x) { return x; }\n", False, ""),
        ("int one(int x) { return x; } int two(void) { return 2; }\n", False, "1 Added"),
        ("int two(void) { return 2; }\n", True, "1 Removed"),
    ],
)
def test_two_libraries(abi, tmp_path, source, breaks, said):
    """What `make abi ABI=REV` asks of libabigail."""
    built = []
    for name, text in (("old", "int one(int x) { return x; }\n"), ("new", source)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.c").write_text(text)
        library = folder / "liba.so"
        command = ["gcc", "-g", "-shared", "-fPIC", "-o", library, folder / "a.c"]
        subprocess.run(command, check=True)
        built += [library, folder]
    told, broke = abi.differences(*built)
    assert said in told and broke == breaks
