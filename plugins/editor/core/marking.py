"""The headings and keys of texts that are not programs: Markdown, YAML, JSON, TOML, shell."""

from __future__ import annotations

import re

Found = tuple[str, str, int, int, int]

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
_FUNCTION = re.compile(r"(?:function[ \t]+)?([\w-]+)[ \t]*\(\)")
_TABLE = re.compile(r"\[+([^\]\n]+)\]+")
_YAML_KEY = re.compile(
    r"([ ]*)((?:-[ ]+)*)(?:\"([^\"]+)\"|'([^']+)'|([\w][^:#\n]*?))[ ]*:(?:[ ]|$)"
)
_BLOCK_TEXT = re.compile(r":[ ]*[|>][-+\d]*[ ]*(?:#.*)?$")
_JSON_TOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"([ \t\r\n]*:)?|[{}\[\]\n]')
_JSON_DEPTH = 6


def of_markdown(text: str) -> list[Found]:
    """The headings, by their level; not what stands in fenced code."""
    found: list[Found] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        if fenced := _FENCE.match(line):
            fence = "" if fence == fenced[1] else fence or fenced[1]
        elif not fence and (heading := _HEADING.match(line)):
            found.append((heading[2], "heading", number, len(heading[1]) - 1, 0))
    return found


def of_shell(text: str) -> list[Found]:
    """The functions."""
    lines = enumerate(text.split("\n"), 1)
    return [(m[1], "function", n, 0, 0) for n, line in lines if (m := _FUNCTION.match(line))]


def of_toml(text: str) -> list[Found]:
    """The tables."""
    lines = enumerate(text.split("\n"), 1)
    return [(m[1].strip(), "table", n, 0, 0) for n, line in lines if (m := _TABLE.match(line))]


def of_yaml(text: str) -> list[Found]:
    """The keys, by indentation; not what stands in block texts."""
    found: list[Found] = []
    above: list[int] = []
    literal = -1
    for number, line in enumerate(text.split("\n"), 1):
        indent = len(line) - len(line.lstrip(" "))
        if literal >= 0 and (not line.strip() or indent > literal):
            continue
        literal = -1
        key = _YAML_KEY.match(line.rstrip("\r"))
        if key is None:
            continue
        column = len(key[1]) + len(key[2])
        while above and above[-1] >= column:
            above.pop()
        found.append((key[3] or key[4] or key[5], "key", number, len(above), 0))
        above.append(column)
        if _BLOCK_TEXT.search(line):
            literal = indent
    return found


def of_json(text: str) -> list[Found]:
    """The keys, by nesting, down to a depth that an outline can show."""
    found: list[Found] = []
    line = 1
    depth = -1
    for token in _JSON_TOKEN.finditer(text):
        sign = token[0]
        if sign == "\n":
            line += 1
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
        else:
            if token[2] and depth < _JSON_DEPTH:
                found.append((token[1], "key", line, max(depth, 0), 0))
            line += token[0].count("\n")
    return found
