"""Which language a file is written in, by its name: lexer, keywords, comment sign. No Qt."""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Language:
    """How to colour and edit one language. `lexer` is Lexilla's name, "" for plain text."""

    title: str
    lexer: str = ""
    patterns: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    comment: str = ""
    """What begins a comment up to the end of the line."""
    indent_after: str = ""
    tabs: bool = False
    around: tuple[str, str] | None = None
    """What stands before and behind a comment, in languages that have no other."""
    quotes: str = "\"'"
    """Each of these stands before and behind what it quotes."""


PLAIN = Language("Plain text")

_CPP = (
    "alignas alignof asm auto bool break case catch char class const consteval constexpr constinit "
    "const_cast continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false final float for friend goto if inline int int8_t int16_t int32_t int64_t long "
    "mutable namespace new noexcept nullptr operator override private protected public register "
    "reinterpret_cast return short signed size_t sizeof static static_assert static_cast struct "
    "switch template this thread_local throw true try typedef typeid typename uint8_t uint16_t "
    "uint32_t uint64_t union unsigned using virtual void volatile while __global__ __device__ "
    "__host__ __shared__ __constant__ __restrict__ __launch_bounds__ __aicore__ __gm__"
)
_SHELL = (
    "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for "
    "function if in let local popd pushd read readonly return select set shift source then time "
    "trap type ulimit umask unset until wait while"
)
_DOCKER = (
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL USER VOLUME WORKDIR"
)
_CMAKE = (
    "add_executable add_library add_subdirectory cmake_minimum_required else elseif endforeach "
    "endfunction endif endmacro endwhile find_package foreach function if include install macro "
    "message option project return set target_compile_definitions target_compile_options "
    "target_include_directories target_link_libraries while"
)
_MARKUP = ("<!--", "-->")
_JSON = "true false null NaN Infinity"


@cache
def languages() -> tuple[Language, ...]:
    """Every language known by name, the first match wins."""
    python = " ".join(keyword.kwlist)
    types = " ".join(
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and name not in ("type", "filter", "map", "object", "property")
    )
    return (
        Language("Python", "python", ("*.py", "*.pyi", "*.pyw", "SConstruct", "wscript"),
                 (python, f"self cls match case type {types}"), "#", ":"),
        Language("CUDA C++", "cpp", ("*.cu", "*.cuh"), (_CPP,), "//", "{"),
        Language("C++", "cpp", ("*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp", "*.asc"),
                 (_CPP,), "//", "{"),
        Language("Shell", "bash", ("*.sh", "*.bash", "*.zsh", ".bashrc", ".profile", "*.env"),
                 (_SHELL,), "#"),
        Language("YAML", "yaml", ("*.yaml", "*.yml"), ("true false yes no null on off",), "#", ":"),
        Language("JSON with comments", "json", ("*.jsonc", "*.json5", "tsconfig*.json"), (_JSON,),
                 "//", "{["),
        Language("JSON", "json", ("*.json", "*.jsonl", "*.ipynb"), (_JSON,), "", "{["),
        Language("TOML", "toml", ("*.toml", "uv.lock", "poetry.lock"), ("true false",), "#"),
        Language("INI", "props", ("*.ini", "*.cfg", "*.conf", "*.properties"), (), "#"),
        Language("Requirements", "props", ("requirements*.txt", "constraints*.txt"), (), "#"),
        Language("Markdown", "markdown", ("*.md", "*.markdown"), around=_MARKUP,
                 quotes="\"'`"),
        Language("Diff", "diff", ("*.diff", "*.patch"), ()),
        Language("Dockerfile", "bash", ("Dockerfile*", "*.dockerfile"), (_DOCKER,), "#"),
        Language("CMake", "cmake", ("CMakeLists.txt", "*.cmake"), (_CMAKE,), "#", "("),
        Language("Makefile", "makefile", ("Makefile*", "makefile", "*.mk"), (), "#", "", True),
        Language("XML", "xml", ("*.xml", "*.svg", "*.ui", "*.qrc"), around=_MARKUP),
        Language("HTML", "hypertext", ("*.html", "*.htm"), around=_MARKUP),
        PLAIN,
    )  # fmt: skip


def language_of(path: str | Path) -> Language:
    """Choose the language for a file name, plain text when none fits."""
    name = Path(path).name
    for language in languages():
        if any(fnmatchcase(name, pattern) for pattern in language.patterns):
            return language
    return PLAIN


def language_by_title(title: str) -> Language:
    """Find a language by the title shown to users; plain text when there is none."""
    return next((known for known in languages() if known.title == title), PLAIN)
