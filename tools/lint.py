"""The rules of the house that a compiler does not know.

Prints `file:line: rule: message`, exits 1 on a finding.

usage: tools/lint.py            all rules over the tree
       tools/lint.py --format   rewrite the C files with clang-format instead
       tools/lint.py --rules    the rules, a line each

A rule is a function marked @rule: it gets the tree and yields findings. Standard library only.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict, namedtuple
from functools import cached_property
from pathlib import Path

Finding = namedtuple("Finding", "path line rule message")
RULES = {}

FILE_LINES, FUNCTION_LINES, MACRO_LINES, README_LINES, COLUMNS = 1500, 120, 6, 60, 100
SKIPPED_FOLDERS = {".git", "build", ".venv", "__pycache__", "dist", ".pytest_cache", "golden"}
SKIPPED_SUFFIXES = {".pyc", ".so", ".o", ".a"}
TEXT_SUFFIXES = {".c", ".h", ".py", ".pyi", ".md", ".toml", ".def", ".sh", ".cmake", ".in", ".txt"}

# A macro that is a loop because C has no other way to write a block with an end; with the reason.
LOOPS_ALLOWED = {
    ("include/nomen/fuse.h", "nomen_fuse"): "the block form of fusing needs `for`",
    ("include/nomen/scope.h", "nomen_scope"): "the block form of a scope needs `for`",
    ("include/nomen/grad.h", "NOMEN_GRAD_MODE"): "the block form of a gradient mode needs `for`",
}


def rule(function):
    RULES[function.__name__.replace("_", "-")] = function
    return function


class Source:
    """One file of the tree, with what the rules want to know about it."""

    def __init__(self, root, path):
        self.full = root / path
        self.path = path.as_posix()
        self.name, self.suffix, self.folder = path.name, path.suffix, path.parent.as_posix()

    @cached_property
    def text(self):
        return self.full.read_text(encoding="utf-8", errors="replace")

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @property
    def is_c(self):
        return self.suffix in (".c", ".h")

    @property
    def is_generated(self):
        return ".gen." in self.name

    @cached_property
    def code(self):
        """C text with comments, strings and character literals blanked, lines kept."""
        return blank(self.text)

    @cached_property
    def body(self):
        """`code` without preprocessor lines."""
        return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", spaces, self.code, flags=re.M)

    @cached_property
    def macros(self):
        """[(line, name, lines, text)]"""
        found = []
        for match in re.finditer(
            r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\\n|\\.)*)", self.code, re.M
        ):
            line = self.code.count("\n", 0, match.start()) + 1
            found.append((line, match[1], match[0].count("\n") + 1, match[2]))
        return found


def spaces(match):
    return re.sub(r"[^\n]", " ", match[0])


def blank(text):
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
    return re.sub(pattern, spaces, text, flags=re.S)


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        self.files = []
        for path in sorted(self.root.rglob("*")):
            relative = path.relative_to(self.root)
            skipped = (
                SKIPPED_FOLDERS & set(relative.parts[:-1]) or relative.suffix in SKIPPED_SUFFIXES
            )
            if path.is_file() and not path.is_symlink() and not skipped:
                self.files.append(Source(self.root, relative))

    @property
    def c_files(self):
        return [file for file in self.files if file.is_c]

    @property
    def text_files(self):
        return [file for file in self.files if file.suffix in TEXT_SUFFIXES]

    @property
    def written(self):
        """C and Python files that people write."""
        return [
            file
            for file in self.files
            if (file.is_c or file.suffix == ".py") and not file.is_generated
        ]


def c_functions(source):
    """[(line, name, lines)] of the function definitions of a C file."""
    found, depth, header_start = [], 0, 0
    text = re.sub(r"\bextern\s*\{", spaces, source.body)
    for match in re.finditer(r"[{};]", text):
        if match[0] == "{":
            if depth == 0:
                header = text[header_start : match.start()]
                name = re.search(r"(\w+)\s*\(", header)
                is_function = header.rstrip().endswith(")") and "=" not in header and name
                begin = header_start + len(header) - len(header.lstrip())
            depth += 1
        elif match[0] == "}":
            depth = max(depth - 1, 0)
            if depth == 0 and is_function:
                first = text.count("\n", 0, begin) + 1
                found.append((first, name[1], text.count("\n", 0, match.end()) + 1 - first + 1))
        if depth == 0:
            header_start = match.end()
            is_function = False
    return found


def py_functions(source):
    try:
        nodes = list(ast.walk(ast.parse(source.text)))
    except SyntaxError:
        return []
    return [
        (node.lineno, node.name, node.end_lineno - node.lineno + 1)
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


# ---- sizes --------------------------------------------------------------------------------------


@rule
def file_length(tree):
    """No file has more than 1,500 lines (generated files excepted)."""
    for file in tree.text_files:
        if not file.is_generated and len(file.lines) > FILE_LINES:
            text = f"{len(file.lines)} lines, at most {FILE_LINES}: split it by topic"
            yield file, FILE_LINES + 1, text


@rule
def function_length(tree):
    """No function has more than 120 lines (generated files excepted)."""
    for file in tree.written:
        for line, name, length in c_functions(file) if file.is_c else py_functions(file):
            if length > FUNCTION_LINES:
                text = f"{name} has {length} lines, at most {FUNCTION_LINES}: name its steps"
                yield file, line, text


@rule
def macro_length(tree):
    """No macro has more than 6 lines."""
    for file in tree.written:
        for line, name, length, _ in file.macros if file.is_c else ():
            if length > MACRO_LINES:
                text = f"macro {name} has {length} lines, at most {MACRO_LINES}: make it code"
                yield file, line, text


@rule
def macro_loop(tree):
    """No macro contains a loop (`do ... while (0)` is none)."""
    for file in tree.c_files:
        for line, name, _, text in file.macros:
            text = re.sub(r"\bdo\b(.*)\bwhile\s*\(\s*0\s*\)", r"\1", text, flags=re.S)
            loop = re.search(r"\b(for|while|do)\b", text)
            if loop and (file.path, name) not in LOOPS_ALLOWED:
                yield file, line, f"macro {name} contains `{loop[1]}`: loops are code"


@rule
def columns(tree):
    """No line of C or Python is longer than 100 columns."""
    for file in tree.written:
        for number, line in enumerate(file.lines, 1):
            if len(line) > COLUMNS:
                yield file, number, f"{len(line)} columns, at most {COLUMNS}"


# ---- what the library may call ------------------------------------------------------------------

MEMORY = {
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "strdup",
}
BANNED = {
    "printf": "the library does not print",
    "fprintf": "the library does not print",
    "vprintf": "the library does not print",
    "vfprintf": "the library does not print",
    "puts": "the library does not print",
    "fputs": "the library does not print",
    "putchar": "the library does not print",
    "perror": "the library does not print",
    "abort": "the library reports with nomen__fail",
    "exit": "the library reports with nomen__fail",
    "_exit": "the library reports with nomen__fail",
    "assert": "the library reports with nomen__fail",
    "strcpy": "use memcpy with a checked length",
    "strcat": "use nomen__text_add",
    "sprintf": "use snprintf or nomen__text_add",
    "vsprintf": "use vsnprintf",
    "gets": "unsafe",
    "strtok": "keeps state between threads",
    "atoi": "use strtol, which reports errors",
}


@rule
def banned_function(tree):
    """src/ and python/src/ do not print, abort or parse unsafely; only core/alloc.c allocates."""
    for file in tree.c_files:
        if not file.path.startswith(("src/", "python/src/")):
            continue
        for match in re.finditer(r"(?<![\w.>])(\w+)\s*\(", file.code):
            name = match[1]
            reason = BANNED.get(name)
            if name in MEMORY and file.path != "src/core/alloc.c":
                reason = "memory comes from src/core/alloc.c"
            if reason:
                yield file, file.code.count("\n", 0, match.start()) + 1, f"{name}: {reason}"


# ---- who may see whom ---------------------------------------------------------------------------

# room -> what its files may include, as path prefixes.
SEES = {
    "include/nomen/": ["include/nomen/"],
    "src/core/": ["src/core/", "include/nomen/", "ops/"],
    "src/op/": [
        "src/core/",
        "src/op/",
        "include/nomen/",
        "ops/",
        "src/kernels/kernel.h",
        "kernel_tables.h",
    ],
    "src/autograd/": ["src/core/", "src/op/", "src/autograd/", "include/nomen/", "ops/"],
    "src/io/": ["src/core/", "src/op/", "src/io/", "include/nomen/", "ops/"],
    "src/kernels/": [
        "src/kernels/",
        "include/nomen/dtype.h",
        "include/nomen/enums.gen.h",
        "ops/dtypes.def",
    ],
    "python/src/": [
        "python/src/",
        "src/core/",
        "src/op/",
        "src/autograd/",
        "src/io/",
        "include/nomen/",
        "ops/",
    ],
    "backends/": ["backends/", "include/nomen/backend.h"],
    "examples/": ["examples/", "include/nomen/"],
}


def resolve(tree, file, target):
    for folder in (file.full.parent, tree.root / "include", tree.root / "src", tree.root):
        if (folder / target).exists():
            return (folder / target).resolve().relative_to(tree.root.resolve()).as_posix()
    return target


@rule
def include_direction(tree):
    """core <- op <- autograd <- python; kernels see kernel.h, nomen/dtype.h; backends backend.h."""
    for file in tree.c_files:
        room = next((room for room in SEES if file.path.startswith(room)), None)
        if not room:
            continue
        for number, line in enumerate(file.lines, 1):
            match = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<(nomen/[^>]+)>)', line)
            if match:
                target = resolve(tree, file, match[1] or match[2])
                if not target.startswith(tuple(SEES[room])):
                    yield file, number, f"{room} may not see {target}"


# ---- order in the tree --------------------------------------------------------------------------

NOT_UNIQUE = {"README.md", "__init__.py", "CMakeLists.txt"}


@rule
def unique_name(tree):
    """Every file name occurs once (README.md, __init__.py and CMakeLists.txt excepted)."""
    by_name = defaultdict(list)
    for file in tree.files:
        by_name[file.name].append(file)
    for name, files in by_name.items():
        for file in files[1:] if name not in NOT_UNIQUE else ():
            yield file, 1, f"{files[0].path} has the same name"


@rule
def readme(tree):
    """Each source folder has a README.md of at most 60 lines."""
    readmes = {file.folder: file for file in tree.files if file.name == "README.md"}
    for file in readmes.values():
        if (
            file.folder != "."
            and not file.folder.startswith("docs")
            and len(file.lines) > README_LINES
        ):
            yield file, README_LINES + 1, f"{len(file.lines)} lines, at most {README_LINES}"
    wants = {}
    for file in tree.files:
        top = file.path.split("/")[0]
        deep = top in ("src", "include", "python", "backends")
        flat = top in ("ops", "tools", "tests", "bench", "examples")
        if file.suffix in (".c", ".h", ".py", ".def", ".cu") and (deep or flat):
            wants.setdefault(file.folder if deep else top, file)
    for folder, file in wants.items():
        if folder not in readmes:
            yield file, 1, f"{folder}/ has no README.md: what lives there, what does not"


@rule
def unfinished(tree):
    """No mark of unfinished work."""
    for file in tree.text_files:
        if file.path in ("tools/lint.py", "tests/python/test_lint.py"):
            continue  # they must say the words
        for number, line in enumerate(file.lines, 1):
            mark = re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line)
            if mark:
                yield file, number, f"{mark[1]}: do it now or write it down as an issue"


@rule
def banner(tree):
    """C files begin with a comment: what lives there; generated ones say `Generated by`."""
    for file in tree.c_files:
        start = "\n".join(file.lines[:3])
        if file.is_generated and "Generated by" not in start:
            yield file, 1, "a generated file begins with `Generated by`"
        elif not start.lstrip().startswith(("/*", "//")):
            yield file, 1, "the file begins with a comment: what lives here and what does not"


@rule
def documented(tree):
    """Each public function has a comment above or beside it, with no blank line between."""
    for file in tree.c_files:
        if not file.path.startswith("include/nomen/"):
            continue
        has_comment = False
        for number, line in enumerate(file.lines, 1):
            has_comment = bool(line.strip()) and (has_comment or "/*" in line or "*/" in line)
            if line.startswith("NOMEN_API") and not has_comment:
                name = re.search(r"(\w+)\s*\(", line)
                yield file, number, f"{name[1] if name else line} has no comment above or beside it"


# ---- clang-format -------------------------------------------------------------------------------


def clang_format():
    """clang-format next to this Python (the pinned one), or None."""
    path = Path(sys.executable).parent / "clang-format"
    return str(path) if path.exists() else None


@rule
def format(tree):
    """C files are as .clang-format says (checked where the pinned clang-format is installed)."""
    files = {str(file.full): file for file in tree.c_files if not file.is_generated}
    if not clang_format() or not files or not (tree.root / ".clang-format").exists():
        return
    style = f"--style=file:{tree.root / '.clang-format'}"
    done = subprocess.run(
        [clang_format(), style, "--dry-run", "--ferror-limit=1", *files],
        capture_output=True,
        text=True,
    )
    for path, line in re.findall(r"^(.*?):(\d+):\d+: warning", done.stderr, re.M):
        yield files[path], int(line), "not formatted: make format"


def lint(root, rules=None):
    tree = Tree(root)
    findings = []
    for name, function in RULES.items():
        if rules is None or name in rules:
            findings += [
                Finding(file.path, line, name, text) for file, line, text in function(tree)
            ]
    return sorted(findings)


def rewrite(root):
    files = [str(file.full) for file in Tree(root).c_files if not file.is_generated]
    if not clang_format():
        sys.exit("clang-format is not installed next to this Python: use .venv/bin/python")
    for path in map(Path, files):
        text = path.read_text(encoding="utf-8")
        ruled = re.sub(r"^/\* ---- (.*?) -+ \*/$", ruler, text, flags=re.M)
        if ruled != text:
            path.write_text(ruled, encoding="utf-8")
    subprocess.run([clang_format(), "-i", *files], check=True)


def ruler(match):
    return f"/* ---- {match[1]} ".ljust(COLUMNS - 3, "-") + " */"


def main(arguments):
    root = Path(__file__).resolve().parent.parent
    if arguments == ["--format"]:
        return rewrite(root)
    if arguments == ["--rules"]:
        for name, function in RULES.items():
            print(f"{name}: {function.__doc__}")
        return None
    if arguments:
        sys.exit(__doc__)
    findings = lint(root)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.message}")
    if findings:
        sys.exit(1)
    print(f"lint: {len(Tree(root).files)} files, {len(RULES)} rules, nothing found")
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
