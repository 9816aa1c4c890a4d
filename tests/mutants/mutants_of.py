"""Small mistakes put into the functions of a C file, one at a time.

The functions are found by the formatting that the house has: a definition begins in the first
column and its body ends with the brace that closes it.
"""

import re
from collections import namedtuple

# name: of the function; line: of the mistake; old, new: its line before and after; text: the whole
# function with it.
Mutant = namedtuple("Mutant", "file function line old new text")
Token = namedtuple("Token", "kind text start end")
Function = namedtuple("Function", "name start end head body arguments is_void")

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*) | (?P<string>"(?:\\.|[^"\\])*")
      | (?P<char>'(?:\\.|[^'\\])+')
      | (?P<number>\d\w*) | (?P<word>[A-Za-z_]\w*) | (?P<space>\s+)
      | (?P<op><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S,
)

INSTEAD = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",), "++": ("--",), "--": ("++",),
    "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "<<": (">>",), ">>": ("<<",),
}  # fmt: skip
BINARY = {"+": ("-",), "-": ("+",), "&": ("|",), "|": ("&",), "*": ("+",), "/": ("*",), "%": ("*",)}
# Variables that stand for things of one kind, and are easily taken for each other.
PAIRS = (
    "a b|x y|i j|na nb|first last|own other|m1 m2|v1 v2|start end|old fresh|from to|out computed"
)
PAIRS += "|self mask|first second|named other|longer shorter|one two|n m|i k|mine other|rest_n n"
OTHER = {}
for pair in PAIRS.split("|"):
    left, right = pair.split()
    OTHER.setdefault(left, []).append(right)
    OTHER.setdefault(right, []).append(left)
SUCCESS = ("return NOMEN_OK;", "return false;", "return true;", "return NULL;")
KINDS = ("NAME", "SHAPE", "INDEX", "TYPE", "VALUE")


def tokens_of(text, start=0, end=None):
    found = []
    for match in TOKEN.finditer(text, start, len(text) if end is None else end):
        if match.lastgroup not in ("comment", "space"):
            found.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
    return found


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].kind == "op":
            depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}")
            if not depth:
                return i
    raise ValueError(f"no end of {tokens[at]}")


def functions_of(text):
    """All definitions of functions, in order."""
    found = []
    for match in re.finditer(r"^[A-Za-z_][^;{}#=]*\{", text, re.M):
        head = match.group()[:-1].rstrip()
        named = re.search(r"(\w+)\(([^()]*)\)$", head)
        if not named or re.match(r"(typedef|enum|struct)\b", head):
            continue
        tokens = tokens_of(text, match.end() - 1)
        end = tokens[closing(tokens, 0)].end
        listed = named.group(2).strip()
        names = [] if listed in ("", "void") else [
            re.search(r"(\w+)(\[[^\]]*\])?$", part.strip()).group(1) for part in listed.split(",")
        ]  # fmt: skip
        is_void = re.search(r"\bvoid$", head[: named.start()].strip()) is not None
        found.append(
            Function(
                named.group(1),
                match.start(),
                end,
                head,
                text[match.end() - 1 : end],
                names,
                is_void,
            )
        )
    return found


def edits_of(body, known):
    """[(start, end, text instead)] within a body; known: the names of the arguments."""
    tokens = tokens_of(body)
    edits = set()
    frozen = declared(body, tokens)
    words = known | {token.text for token in tokens}
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        edits.update(
            (token.start, token.end, text)
            for text in instead_of(token, before, i in frozen or negative(tokens, i))
            if text in words or text not in OTHER
        )
        if token.text in ("if", "while") and token.kind == "word":
            close = closing(tokens, i + 1)
            edits.update(conditions(body, tokens[i + 1].start, tokens[close].end, token.text))
        if token.text == "?":
            edits.add(turned(body, tokens, i))
        same = before and before.text in ("strcmp", "memcmp")  # either way round
        if token.text == "(" and before and before.kind == "word" and not same:
            edits.update(swapped(body, tokens, i))
    edits.update(dropped(body, tokens))
    return sorted(edit for edit in edits if edit)


def instead_of(token, before, frozen):
    kind, text = token.kind, token.text
    operand = before and (before.kind in ("word", "number", "char") or before.text in ")]")
    if kind == "op":
        yield from INSTEAD.get(text, ())
        if operand and before.text not in ("return", "case"):
            yield from BINARY.get(text, ())
        elif text in "!-":
            yield " "
    elif kind == "number" and not frozen and re.fullmatch(r"\d+", text):
        yield str(int(text) + 1)
        if int(text):
            yield str(int(text) - 1)
    elif kind == "string":
        yield '"~' + text[1:]
    elif kind == "char" and len(text) == 3:
        yield "'~'"
    elif text in ("true", "false"):
        yield "false" if text == "true" else "true"
    elif text in ("INT64_MAX", "NOMEN_MAX_DIMS") and not frozen:
        yield f"({text} - 1)"
    elif re.fullmatch("NOMEN_ERROR_(" + "|".join(KINDS) + ")", text):
        yield "NOMEN_ERROR_VALUE" if not text.endswith("VALUE") else "NOMEN_ERROR_NAME"
    elif kind == "word" and not (before and before.text in (".", "->")):
        yield from OTHER.get(text, ())


def negative(tokens, i):
    """-1 says that there is none; so would any other negative number."""
    before = tokens[i - 2] if i > 1 else None
    return i > 1 and tokens[i - 1].text == "-" and (before.kind == "op" and before.text not in ")]")


def declared(body, tokens):
    """Numbers that say how large a buffer is: another size is no mistake of a rule."""
    found = set()
    for i, token in enumerate(tokens):
        if token.text == "NOMEN__TEXT":
            found.update(range(i, closing(tokens, i + 1)))
        if token.text == "[" and i >= 2 and tokens[i - 1].kind == tokens[i - 2].kind == "word":
            found.update(range(i, closing(tokens, i)))
        if token.text == "[" and tokens[i - 1].text in ("]", "items", "order") and i >= 2:
            found.update(range(i, closing(tokens, i)) if declares(tokens, i) else ())
    return found


def declares(tokens, i):
    """Is the list of declarators that ends here one of int x, y[...]?"""
    while i and tokens[i].text not in (";", "{", "}"):
        i -= 1
    return tokens[i + 1].text in ("int", "char", "nomen__dimref") and tokens[i + 2].kind == "word"


def conditions(body, start, end, word):
    inside = body[start:end]
    yield start, end, f"(!{inside})"
    yield start, end, f"(0 && {inside})"
    if word == "if":
        yield start, end, f"(1 || {inside})"


def turned(body, tokens, at):
    """a ? b : c the other way round."""
    depth, i = 0, at - 1
    while i >= 0:
        text = tokens[i].text
        depth += (text in ")]") - (text in "([")
        if depth < 0 or (not depth and text in ("return", "=", ",", ";", "?", ":", "{", "+=")):
            break
        i -= 1
    start, end = tokens[i + 1].start, tokens[at - 1].end
    return (start, end, f"!({body[start:end]})") if start < end else None


def swapped(body, tokens, at):
    """Arguments beside each other change places."""
    close = closing(tokens, at)
    depth, starts = 0, [tokens[at].end]
    commas = []
    for token in tokens[at + 1 : close]:
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "op" else 0
        if token.text == "," and token.kind == "op" and not depth:
            commas.append(token)
            starts.append(token.end)
    ends = [comma.start for comma in commas] + [tokens[close].start]
    parts = [body[s:e].strip() for s, e in zip(starts, ends)]
    for k in range(len(parts) - 1):
        if parts[k] != parts[k + 1] and not parts[k].startswith('"'):
            yield starts[k], ends[k + 1], f"{parts[k + 1]}, {parts[k]}"


def dropped(body, tokens):
    """Statements that are left out, and results that become a success."""
    depth = 0
    fresh = False
    for i, token in enumerate(tokens):
        if token.kind == "op" and token.text in "([":
            depth += 1
        elif token.kind == "op" and token.text in ")]":
            depth -= 1
            fresh = not depth and heads(tokens, i)
            continue
        if fresh and not depth and token.text not in ("{", "}", ";"):
            end = statement_end(tokens, i)
            if end is not None:
                yield from left_out(body, tokens, i, end)
        label = token.text == ":" and {"case", "default"} & {t.text for t in tokens[i - 3 : i]}
        fresh = not depth and (token.text in ("{", "}", ";", "else") or bool(label))


def heads(tokens, close):
    """Does this bracket close the head of an if, for or while?"""
    depth = 0
    for i in range(close, -1, -1):
        depth += (tokens[i].text == ")") - (tokens[i].text == "(")
        if not depth:
            return i > 0 and tokens[i - 1].text in ("if", "for", "while", "switch")
    return False


def statement_end(tokens, at):
    if tokens[at].text in ("if", "for", "while", "switch", "case", "default", "else", "do"):
        return None
    if tokens[at].text in ("const", "static", "struct", "char", "int", "bool", "size_t"):
        return None
    if tokens[at].kind == "word" and tokens[at].text != "return" and tokens[at + 1].kind == "word":
        return None
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].kind == "op":
            depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}")
            if tokens[i].text == ";" and depth == 0:
                return i
            if depth < 0:
                return None
    return None


def left_out(body, tokens, at, end):
    start, stop = tokens[at].start, tokens[end].end
    if tokens[at].text == "return":
        if body[start:stop] not in SUCCESS:
            yield start, stop, "return NOMEN_OK;"
    else:
        yield start, stop, ";"


def mutants_of(path, text):
    found = []
    for function in functions_of(text):
        offset = function.end - len(function.body)
        for start, end, instead in edits_of(function.body, set(function.arguments)):
            if function.body[start:end] == instead:
                continue
            body = function.body[:start] + instead + function.body[end:]
            line = text.count("\n", 0, offset + start) + 1
            old, new = short(function.body, start, end, function.body[start:end]), short(
                function.body, start, end, instead
            )
            found.append(Mutant(path, function.name, line, old, new, body))
    return found


def short(body, start, end, instead):
    """The line, or lines, around a change with the change in it."""
    first, last = body.rfind("\n", 0, start) + 1, body.find("\n", end)
    last = len(body) if last < 0 else last
    return " ".join((body[first:start] + instead + body[end:last]).split())
