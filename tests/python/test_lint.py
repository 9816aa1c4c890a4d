"""tools/lint.py: the tree is clean, and each rule finds the mistake that it is there for."""

import subprocess
import sys

import pytest

sys.path.insert(0, "tools")
import lint  # noqa: E402

HEAD = "/* What lives here. */\n"
LONG_BODY = "    x++;\n" * 120

# rule: (path, a text that breaks it, a text that does not)
SAMPLES = {
    "file-length": ("src/core/a.c", HEAD + "int x;\n" * 1500, HEAD + "int x;\n" * 1499),
    "function-length": (
        "src/core/a.c",
        HEAD + "static int f(int x) {\n" + LONG_BODY + "}\n",
        HEAD + "static int f(int x) {\n" + LONG_BODY[: -9 * 3] + "}\n",
    ),
    "macro-length": (
        "src/core/a.c",
        HEAD + "#define A \\\n" + "    1 + \\\n" * 5 + "    1\n",
        HEAD + "#define A \\\n" + "    1 + \\\n" * 4 + "    1\n",
    ),
    "macro-loop": (
        "src/core/a.c",
        HEAD + "#define A(n) for (int i = 0; i < n; i++) f(i)\n",
        HEAD + "#define A(n) do { f(n); } while (0) /* for n */\n",
    ),
    "columns": (
        "src/core/a.c",
        HEAD + "/* " + "x" * 95 + " */\n",
        HEAD + "/* " + "x" * 94 + " */\n",
    ),
    "banned-function": (
        "src/core/a.c",
        HEAD + "void f(char *p) {\n    free(p);\n}\n",
        HEAD + 'void f(hook *h) {\n    h->free(1); /* free(p) */ g("free(p)");\n}\n',
    ),
    "include-direction": (
        "src/core/a.c",
        HEAD + '#include "op/infer.h"\n',
        HEAD + "#include <stdio.h>\n",
    ),
    "unique-name": ("src/op/b.c", None, None),
    "readme": ("src/core/README.md", "line\n" * 61, "line\n" * 60),
    "unfinished": ("docs/a.md", "a TODO is left\n", "todos are a noun\n"),
    "banner": ("src/core/a.c", "int x;\n", HEAD + "int x;\n"),
    "documented": (
        "include/nomen/a.h",
        HEAD + "\nNOMEN_API int nomen_f(int x);\n",
        HEAD + "\n/* Doubles x. */\nNOMEN_API int nomen_f(int x);\n",
    ),
    "format": ("src/core/a.c", HEAD + "int   x ;\n", HEAD + "int x;\n"),
}


def findings(folder, path, text, rule):
    full = folder / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text)
    (folder / ".clang-format").write_text(
        (lint.Path(lint.__file__).parent.parent / ".clang-format").read_text()
    )
    return lint.lint(folder, {rule})


def test_every_rule_has_a_sample():
    assert set(SAMPLES) == set(lint.RULES)


@pytest.mark.parametrize("rule", sorted(set(SAMPLES) - {"unique-name"}))
def test_rule(rule, tmp_path):
    path, bad, good = SAMPLES[rule]
    if rule == "format" and not lint.clang_format():
        pytest.skip("clang-format is not installed in this environment")
    found = findings(tmp_path, path, bad, rule)
    assert [(f.path, f.rule) for f in found] == [(path, rule)]
    assert findings(tmp_path, path, good, rule) == []


def test_unique_name(tmp_path):
    assert findings(tmp_path, "src/core/same.c", HEAD, "unique-name") == []
    assert [f.path for f in findings(tmp_path, "src/op/same.c", HEAD, "unique-name")] == [
        "src/op/same.c"
    ]
    assert len(findings(tmp_path, "src/op/README.md", "", "unique-name")) == 1


def test_a_folder_without_readme_is_found(tmp_path):
    assert [f.path for f in findings(tmp_path, "src/kernels/loops/x.h", HEAD, "readme")] == [
        "src/kernels/loops/x.h"
    ]
    assert findings(tmp_path, "src/kernels/loops/README.md", "loops\n", "readme") == []


@pytest.mark.parametrize(
    "header, target, allowed",
    [
        ("src/kernels/a.c", "kernels/kernel.h", True),
        ("src/kernels/a.c", "core/core.h", False),
        ("src/kernels/a.c", "nomen/tensor.h", False),
        ("src/op/a.c", "kernels/kernel.h", True),
        ("src/op/a.c", "autograd/tape.h", False),
        ("src/autograd/a.c", "op/op.h", True),
        ("src/io/a.c", "autograd/tape.h", False),
        ("backends/mock/a.c", "nomen/backend.h", True),
        ("backends/mock/a.c", "nomen/tensor.h", False),
        ("include/nomen/a.h", "core/core.h", False),
        ("examples/a.c", "core/core.h", False),
    ],
)
def test_include_direction(header, target, allowed, tmp_path):
    at = tmp_path / ("include" if target.startswith("nomen/") else "src") / target
    at.parent.mkdir(parents=True)
    at.write_text(HEAD)
    found = findings(tmp_path, header, HEAD + f'#include "{target}"\n', "include-direction")
    assert bool(found) != allowed


@pytest.mark.parametrize(
    "call",
    [
        "printf(x)",
        "abort()",
        "exit(1)",
        "assert(x)",
        "strcpy(a, b)",
        "atoi(s)",
        "(void)malloc(3)",
        "sprintf(a, b)",
        "strtok(a, b)",
        "gets(a)",
    ],
)
def test_banned_functions(call, tmp_path):
    text = HEAD + "void f(void) {\n    " + call + ";\n}\n"
    assert [f.line for f in findings(tmp_path, "src/op/a.c", text, "banned-function")] == [3]
    assert findings(tmp_path, "examples/a.c", text, "banned-function")[1:] == []


def test_function_lengths_are_those_of_the_text(tmp_path):
    text = HEAD + (
        'extern "C" {\n'
        "struct s {\n    int x;\n};\n"
        "static const int table[] = {1, 2};\n"
        "int g(void);\n\n"
        "/* } */\nstatic int\nf(int x)\n{\n    if (x) {\n        return '}';\n    }\n"
        "    return 0;\n}\n"
        "}\n"
    )
    (tmp_path / "a.c").write_text(text)
    (file,) = lint.Tree(tmp_path).c_files
    assert lint.c_functions(file) == [(10, "f", 8)]


def test_the_tree_is_clean(root):
    found = lint.lint(root)
    assert not found, "\n".join(f"{f.path}:{f.line}: {f.rule}: {f.message}" for f in found)


WRITERS = [
    "ops/gen.py",
    "src/core/random_libm_tables.py",
    "src/kernels/simd/vmath_coefficients.py",
]


@pytest.mark.parametrize("writer", WRITERS)
def test_generated_files_are_up_to_date(root, writer):
    done = subprocess.run(
        [sys.executable, writer, "--check"], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_generated_header_of_the_library_has_a_writer(root):
    heads = [p.read_text().splitlines()[0] for p in root.glob("src/**/*.gen.*")]
    assert len(heads) > 3
    for head in heads:
        assert any(name.rpartition("/")[2] in head for name in WRITERS), head
