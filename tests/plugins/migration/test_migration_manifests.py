"""Libraries in the files that say what a project needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.scan import scan_text


def found(name: str, text: str) -> list[str]:
    result = scan_text(text, Path(name))
    return [
        f"{f.location.line} {f.rule} {f.facts['old']}"
        for f in result.findings
        if f.category == "library"
    ]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml",
         '[project]\nname = "mine"\ndependencies = [\n  "flash-attn>=2.5",  # fast\n'
         '  "numpy", "Flash_Attn",\n  "bitsandbytes[test] == 0.43",\n]\n',
         ["4 library-manual flash-attn", "6 library-manual bitsandbytes"]),
        ("pyproject.toml", '[tool.poetry.dependencies]\nxformers = "^0.0.27"\ntorch = "*"\n',
         ["2 library-manual xformers"]),
        ("Pipfile", '[packages]\npynvml = "*"\ncupy-cuda12x = {version = "13"}\n',
         ["2 library-manual pynvml", "3 library-unsupported cupy-cuda12x"]),
        ("Pipfile.lock", '{"default": {"flash-attn": {"version": "==2"}}}',
         ["1 library-manual flash-attn"]),
        ("poetry.lock", '[[package]]\nname = "nvidia-cublas-cu12"\nversion = "1"\n',
         ["2 cuda-package nvidia-cublas-cu12"]),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    flash-attn>=2 ; extra\n",
         ["4 library-manual flash-attn"]),
        ("setup.py", "from setuptools import setup\nsetup(\n    name='x',\n"
         "    install_requires=['torch', 'flash-attn>=2'],\n"
         "    extras_require={'gpu': ['xformers']},\n)\n",
         ["4 library-manual 'flash-attn>=2'", "5 library-manual 'xformers'"]),
        ("setup.py", "install_requires = ['flash-attn']\n", ["1 library-manual 'flash-attn'"]),
        # names that are no requirements
        ("pyproject.toml", '[project]\nname = "mine"\ndescription = "needs flash-attn"\n', []),
        ("setup.py", "from setuptools import setup\nsetup(name='flash-attn')\n", []),
        ("a.toml", 'x = ["flash-attn"]\n', []),
    ],
)  # fmt: skip
def test_what_a_project_needs(name: str, text: str, expected: list[str]) -> None:
    assert found(name, text) == expected


def test_settings_in_a_manifest_are_settings() -> None:
    text = '[tool.train]\ndevice = "cuda:0"\n'
    (finding,) = scan_text(text, Path("pyproject.toml")).findings
    assert finding.rule == "config-value"


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("CMakeLists.txt", "find_package(CUDA REQUIRED)\n", "shell-mention"),
        ("Makefile", "all:\n\tnvcc -o a a.cu\n", "shell-tool"),
        ("job.pbs", "module load cuda/12\n", "shell-mention"),
    ],
)
def test_other_files_that_build_or_start(name: str, text: str, rule: str) -> None:
    assert [f.rule for f in scan_text(text, Path(name)).findings] == [rule]
