# SPDX-License-Identifier: Apache-2.0
"""Reads C by its surface: comments, includes, calls, functions. No preprocessor, no types."""
import re
from dataclasses import dataclass

_NOISE = re.compile(
    r"(?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))"
    r"|(?P<literal>\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)",
    re.S,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([\"<])([^\">]+)[\">]", re.M)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_CALLBACK = re.compile(r"\b\w+_fn\s+\*?(\w+)\s*[,;)=]")
_DECLARED = re.compile(
    r"\b(?!(?:return|else|case)\b)\w+(?:\s+|\s*\*+\s*)(\w+)\s*[;,=)[:]"  # int *name;
    r"|\(\*(\w+)\)\s*\("  # int (*name)(
)
_MACRO_ARGUMENTS = re.compile(r"\b[A-Z][A-Z0-9_]+\(([^()]*)")
_INCLUDE_LINE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.M)
_COMPUTED_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+([A-Za-z_]\w*)", re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")
_GNU_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
_ATTRIBUTES = re.compile(r"(?:\s+[A-Z][A-Z0-9_]*(?:\s*\((?:[^()]|\([^()]*\))*\))?)+\s*$")
_BLOCK = re.compile(r"(?:\)|\belse|\bdo)\s*$")
_ASSERTION = re.compile(r"\b\w*assert\w*\s*\(")
_NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "do", "else"}


def _blank(match):
    """As many lines and columns as before, without the text."""
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(text):
    return _NOISE.sub(lambda m: _blank(m) if m.group("comment") else m.group(), text)


def without_literals(text):
    """Without comments and without the inside of strings; lines and columns stay."""

    def replace(match):
        if match.group("comment"):
            return _blank(match)
        inside = match.group()
        return inside[0] + " " * (len(inside) - 2) + inside[0] if len(inside) > 1 else inside

    return _NOISE.sub(replace, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def includes(text):
    """Yields (line, name, is_quoted) for each include."""
    code = without_comments(text)
    for match in _INCLUDE.finditer(code):
        yield line_of(code, match.start(1)), match.group(2), match.group(1) == '"'


def computed_includes(text):
    """Yields (line, name) of each include whose file a macro names."""
    code = without_comments(text)
    for match in _COMPUTED_INCLUDE.finditer(code):
        yield line_of(code, match.start(1)), match.group(1)


def calls(code):
    """Yields (line, name) of what looks like a call; members of a struct are not calls of ours."""
    for number, line in enumerate(_GNU_ATTRIBUTE.sub(_blank, code).split("\n"), 1):
        for match in _CALL.finditer(line):
            if not line[: match.start()].rstrip().endswith(("->", ".")):
                yield number, match.group(1)


def callbacks(code):
    """Names of variables of function types (write_fn write): calling them is no call of libc."""
    return set(_CALLBACK.findall(code))


def declared(code):
    """Names that the file gives to variables, parameters and fields of its own."""
    return {plain or pointer for plain, pointer in _DECLARED.findall(code)}


def macro_arguments(code):
    """(line, word) of words that stand in the arguments of a macro."""
    return {
        (number, word)
        for number, line in enumerate(code.split("\n"), 1)
        for match in _MACRO_ARGUMENTS.finditer(line)
        for word in _WORD.findall(match.group(1))
    }


def mentions(code):
    """Yields (line, word) of words that are no members of a struct, attributes or includes."""
    bare = _INCLUDE_LINE.sub(_blank, _GNU_ATTRIBUTE.sub(_blank, code))
    for number, line in enumerate(bare.split("\n"), 1):
        for match in _WORD.finditer(line):
            if not line[: match.start()].rstrip().endswith(("->", ".")):
                yield number, match.group()


def words(code):
    """Yields (line, word)."""
    for number, line in enumerate(code.split("\n"), 1):
        for match in _WORD.finditer(line):
            yield number, match.group()


@dataclass(frozen=True)
class Function:
    """A function definition, measured."""

    name: str
    line: int
    lines: int  # from the line with its name to its closing brace
    parameters: int
    nesting: int  # blocks inside each other; 0 for straight code
    assertions: int
    is_static: bool


def _split_head(head):
    """(position of the name, name, parameters) of a definition's head, or None."""
    bare = _ATTRIBUTES.sub("", head)
    if not bare.endswith(")"):
        return None
    depth = 0
    for i in range(len(bare) - 1, -1, -1):
        depth += (bare[i] == ")") - (bare[i] == "(")
        if depth == 0:
            break
    name = re.search(r"([A-Za-z_]\w*)\s*$", bare[:i])
    if name is None or name.group(1) in _NOT_FUNCTIONS or "=" in bare[:i]:
        return None
    return name.start(1), name.group(1), bare[i + 1 : -1]


def _count_parameters(parameters):
    if parameters.strip() in ("", "void"):
        return 0
    flat = re.sub(r"\([^()]*\)", "", parameters)
    return flat.count(",") + 1


def _nesting(body):
    deepest, open_blocks = 0, []
    for brace in re.finditer(r"[{}]", body):
        if brace.group() == "{":
            open_blocks.append(bool(_BLOCK.search(body[: brace.start()][-200:])))
            deepest = max(deepest, sum(open_blocks))
        elif open_blocks:
            open_blocks.pop()
    return deepest


def _measure(code, head_start, brace, end):
    """The function whose body is code[brace:end], or None when it is not one."""
    head = code[head_start:brace].lstrip()
    head_start = brace - len(head)
    head = head.rstrip()
    split = _split_head(head)
    if split is None:
        return None
    offset, name, parameters = split
    line = line_of(code, head_start + offset)
    body = code[brace + 1 : end]
    return Function(
        name=name,
        line=line,
        lines=line_of(code, end) - line + 1,
        parameters=_count_parameters(parameters),
        nesting=_nesting(body),
        assertions=len(_ASSERTION.findall(body)),
        is_static=re.search(r"\bstatic\b", head[:offset]) is not None,
    )


def functions(text):
    """Yields each function definition; what macros make is not seen."""
    code = _DIRECTIVE.sub(_blank, without_literals(text))
    # The braces of extern "C" hold definitions, they are not a body.
    code = re.sub(r'extern\s+" *"\s*\{', _blank, code)
    depth, head_start, brace = 0, 0, 0
    for match in re.finditer(r"[{};]", code):
        mark = match.group()
        if mark == "{":
            if depth == 0:
                brace = match.start()
            depth += 1
        elif mark == "}":
            depth = max(0, depth - 1)
        if depth > 0 or mark == "{":
            continue
        if mark == "}":
            function = _measure(code, head_start, brace, match.start())
            if function is not None:
                yield function
        head_start = match.end()
