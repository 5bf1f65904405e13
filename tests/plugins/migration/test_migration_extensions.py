"""Extensions of a project: builds, sources, registrations, and the places that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from plugins.migration.core.assessment.facts import Assessment
from plugins.migration.core.assessment.sections import sections
from plugins.migration.core.builds import builds_in_cmake, builds_in_python
from plugins.migration.core.registrations import registered, without_comments
from plugins.migration.core.scan import scan_project

if TYPE_CHECKING:
    from pathlib import Path

BIND = """#include <torch/extension.h>
// m.def("told_in_a_comment", &f);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("gelu_forward", &forward, "a text with a {brace");
  m.def("gelu_backward", &backward);
}
TORCH_LIBRARY(mine, lib) { lib.def("add(Tensor a, Tensor b) -> Tensor"); }
TORCH_LIBRARY_IMPL(mine, CUDA, lib) { lib.impl("mine::add", &add); other.def("not_this"); }
"""
SETUP = """import os
from glob import glob
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
sources = ["src/bind.cpp"]
sources += [os.path.join("src", "gelu.cu")]
setup(ext_modules=[
    CUDAExtension("pkg._C", sources),
    CUDAExtension(name="fused_ops", sources=glob("fused/*.cu")),
])
"""
USER = """import torch
from . import _C
import fused_ops as fo
from fused_ops import twice as tw

class Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = _C.gelu_forward(x)
        fo.twice(y)
        tw(y)
        return torch.ops.mine.add(x, y) + torch.ops.other.sub(x)

def use(model, x):
    return model.forward(x) + model.gelu_forward(x) + model.twice(x)
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    kernel = "__global__ void twice(float *a) {}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { "
    return write(
        tmp_path,
        {
            "setup.py": SETUP,
            "src/bind.cpp": BIND,
            "src/gelu.cu": "__global__ void gelu_kernel(float* a) {}\n",
            "fused/twice.cu": kernel + 'm.def("twice", &twice); }\n',
            "pkg/__init__.py": USER,
        },
    )


def uses(root: Path) -> list[tuple[str, int, str]]:
    report = scan_project(root)
    return [
        (report.relative(f.location.path), f.location.line or 0, str(f.facts["name"]))
        for f in report.findings
        if f.rule == "custom-operator-use"
    ]


def test_calls_are_found_where_they_are_made(project: Path) -> None:
    assert uses(project) == [
        ("pkg/__init__.py", 9, "_C.gelu_forward"),
        ("pkg/__init__.py", 10, "fused_ops.twice"),
        ("pkg/__init__.py", 11, "fused_ops.twice"),
        ("pkg/__init__.py", 12, "torch.ops.mine.add"),
    ]


def test_what_other_libraries_register_stays_with_them(project: Path) -> None:
    found = [f for f in scan_project(project).findings if f.rule == "custom-operator-lookup"]
    assert [f.facts["name"] for f in found] == ["torch.ops.other.sub"]


def test_an_extension_is_told_from_its_sources_to_its_calls(project: Path) -> None:
    told: Any = scan_project(project).to_json()
    first, second = told["custom_operators"]
    assert first["name"] == "pkg._C"
    assert first["built"] == "setup.py:8"
    assert first["sources"] == ["src/bind.cpp", "src/gelu.cu"]
    assert first["kernels"] == ["gelu_kernel"]
    assert first["operators"] == ["gelu_forward", "gelu_backward", "mine::add"]
    assert first["calls"] == ["pkg/__init__.py:9", "pkg/__init__.py:12"]
    assert (first["status"], first["effort"]) == ("manual", "days")
    assert "Ascend C" in first["way"]
    assert second["name"] == "fused_ops"
    assert second["calls"] == ["pkg/__init__.py:10", "pkg/__init__.py:11"]


def test_the_report_shows_extensions(project: Path) -> None:
    parts = sections(Assessment(scan_project(project)))
    (part,) = [one for one in parts if one.title == "Extensions of the project"]
    assert [row[:2] for row in part.rows] == [
        ("pkg._C", "setup.py:8"),
        ("fused_ops", "setup.py:9"),
    ]
    assert "pkg/__init__.py:12" in part.rows[0][4]


def test_imports_say_what_is_to_be_built(project: Path) -> None:
    found = [f for f in scan_project(project).findings if f.rule == "custom-operator-import"]
    assert [f.location.line for f in found] == [2, 3, 4]
    assert "src/bind.cpp, src/gelu.cu" in found[0].why
    assert all(f.facts["status"] == "info" for f in found)


def test_a_module_built_by_cmake(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "CMakeLists.txt": "project(x LANGUAGES CXX CUDA)\n"
            "set(SOURCES lib.cu) # add_library(not_this x.cu)\n"
            "list(APPEND SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/other.cpp)\n"
            "pybind11_add_module(plain ${SOURCES})\n",
            "lib.cu": '__global__ void go() {}\nPYBIND11_MODULE(plain, m) { m.def("go", &go); }\n',
            "other.cpp": "int x;\n",
            "run.py": "import plain\nplain.go()\nimport plainly\nplainly.go()\n",
        },
    )
    assert uses(tmp_path) == [("run.py", 2, "plain.go")]
    targets = [f for f in scan_project(tmp_path).findings if f.rule == "custom-operator-target"]
    assert [(f.location.line, f.facts["name"]) for f in targets] == [(4, "plain")]
    assert "lib.cu, other.cpp" in targets[0].why


def test_an_extension_loaded_elsewhere(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "ops.py": "from torch.utils import cpp_extension\n"
            "fast = cpp_extension.load(name='fast', sources=['csrc/fast.cu'])\n"
            "y = fast.run(1)\n",
            "csrc/fast.cu": "__global__ void run_kernel() {}\n"
            'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }\n',
        },
    )
    report = scan_project(tmp_path)
    told: Any = report.to_json()
    (one,) = told["custom_operators"]
    assert (one["name"], one["built"], one["operators"]) == ("fast", "ops.py:2", ["run"])
    assert one["calls"] == ["ops.py:3"]


def test_an_extension_written_in_a_string() -> None:
    text = (
        "from torch.utils.cpp_extension import load_inline\n"
        "SOURCE = '__global__ void twice(float *x) {}'\n"
        "m = load_inline('twice', cpp_sources='', cuda_sources=SOURCE, functions=['twice'])\n"
    )
    (build,) = builds_in_python(text)
    assert (build.name, build.line, build.sources) == ("twice", 3, ())
    assert [one.operators for one in registered(build.code)] == [("twice",)]
    assert "__global__" in build.code


@pytest.mark.parametrize(
    "text",
    [
        "from setuptools import Extension\nExtension('a', ['a.cpp'])\n",
        "import json\nx = json.load('a', ['a.cu'])\n",
        "def load(a, b): pass\nload('a', ['a.cu'])  # not cpp_extension.load\n",
        "from mylib import CUDAExtension\nCUDAExtension('a', ['a.cu'])\n",
    ],
)
def test_what_only_looks_like_a_build(text: str) -> None:
    assert builds_in_python(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "add_library(plain SHARED plain.cpp)\n",
        "# add_library(fast SHARED fast.cu)\n",
        "target_link_libraries(fast cuda)\n",
    ],
)
def test_targets_that_need_no_cuda(text: str) -> None:
    assert builds_in_cmake(text) == []


def test_what_torch_ops_holds_of_one_source_is_one_extension(tmp_path: Path) -> None:
    register = (
        'TORCH_LIBRARY(dc, m) { m.def("a() -> ()"); }\n'
        'TORCH_LIBRARY_IMPL(dc, CPU, m) { m.impl("a", &a); }\n'
        'TORCH_LIBRARY_FRAGMENT(dc, m) { m.def("b() -> ()"); }\n'
    )
    write(tmp_path, {"dc.cpp": register, "run.py": "import torch\ntorch.ops.dc.b()\n"})
    told: Any = scan_project(tmp_path).to_json()
    (one,) = told["custom_operators"]
    assert (one["name"], one["built"]) == ("", "dc.cpp:1")
    assert one["operators"] == ["dc::a", "dc::b"]
    assert one["calls"] == ["run.py:2"]
    assert "no kernels of its own" in one["way"]


def test_a_module_that_has_nothing_to_do_with_torch(tmp_path: Path) -> None:
    plain = '#include <pybind11/pybind11.h>\nPYBIND11_MODULE(helpers, m) { m.def("f", &f); }\n'
    write(tmp_path, {"helpers.cpp": plain, "run.py": "import helpers, torch\nhelpers.f()\n"})
    told: Any = scan_project(tmp_path).to_json()
    assert told["custom_operators"] == []
    assert told["findings"] == []


def test_registrations_end_with_their_block() -> None:
    found = registered(without_comments(BIND))
    assert [(one.is_module, one.name, one.operators) for one in found] == [
        (True, "TORCH_EXTENSION_NAME", ("gelu_forward", "gelu_backward")),
        (False, "mine", ("add",)),
        (False, "mine", ("add",)),
    ]


BUILDER = """from .builder import CUDAOpBuilder

class FusedAdamBuilder(CUDAOpBuilder):
    NAME = "fused_adam"

    def absolute_name(self):
        return f"deep.ops.{self.NAME}_op"

    def sources(self):
        return ["csrc/adam/front.cpp", "csrc/adam/adam.cu"]

class PlainBuilder(CPUOpBuilder):
    def sources(self):
        return ["csrc/adam/adam.cu"]
"""
FRONT = """#include <torch/extension.h>
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("step", &step); }
"""
ADAM = """import torch
from deep.op_builder import FusedAdamBuilder, PlainBuilder

class FusedAdam(torch.optim.Optimizer):
    def __init__(self):
        kernels = FusedAdamBuilder().load()
        self.step_with = kernels.step
        kernels.step(1)
        other = PlainBuilder().load()
        other.step(1)
        torch.load("kept.pt", map_location="cpu")

def make(accelerator):
    return accelerator.create_op_builder("FusedAdamBuilder").load(), accelerator.load()
"""


def test_builders_in_the_manner_of_deepspeed(tmp_path: Path) -> None:
    """The class tells name and sources; the folder of these may lie beside that of the class."""
    kernel = "__global__ void adam(float *p) {}\n"
    root = write(tmp_path, {
        "deep/op_builder/fused.py": BUILDER, "deep/csrc/adam/front.cpp": FRONT,
        "deep/csrc/adam/adam.cu": kernel, "copy/csrc/adam/adam.cu": kernel, "deep/adam.py": ADAM,
    })  # fmt: skip
    report = scan_project(root)
    (built,) = [one for one in report.context.extensions if one.builder]
    assert built.name == "deep.ops.fused_adam_op"
    assert built.builder == "FusedAdamBuilder"
    assert built.place == "deep/op_builder/fused.py:3"
    assert built.sources == ("deep/csrc/adam/front.cpp", "deep/csrc/adam/adam.cu")
    assert (built.operators, built.kernels) == (("step",), ("adam",))
    adam = next(one for one in report.results if one.path.name == "adam.py")
    rules = ("custom-operator-import", "custom-operator-use")
    told = [(f.rule, f.location.line) for f in adam.findings if f.rule in rules]
    assert told == [
        ("custom-operator-import", 6),
        ("custom-operator-use", 8),
        ("custom-operator-import", 14),
    ]
    assert all("deep/csrc/adam/adam.cu" in f.why for f in adam.findings if f.rule in rules)


def test_a_builder_that_has_a_twin_for_npus_is_not_told(tmp_path: Path) -> None:
    twin = "class FusedAdamBuilder(NPUOpBuilder):\n    pass\n"
    kernel = "__global__ void adam(float *p) {}\n"
    root = write(tmp_path, {
        "deep/op_builder/fused.py": BUILDER, "deep/op_builder/npu/fused.py": twin,
        "deep/csrc/adam/front.cpp": FRONT, "deep/csrc/adam/adam.cu": kernel, "deep/adam.py": ADAM,
    })  # fmt: skip
    report = scan_project(root)
    assert not [one for one in report.context.extensions if one.builder]
    adam = next(one for one in report.results if one.path.name == "adam.py")
    assert not [f.rule for f in adam.findings if f.rule.startswith("custom-operator")]


def test_an_operator_that_is_only_compared_is_not_told(tmp_path: Path) -> None:
    user = "import torch\nif node.target == torch.ops.mine.add.default:\n    pass\n"
    used = user + "graph.call(torch.ops.mine.add.default)\n"
    root = write(tmp_path, {"bind.cpp": BIND, "user.py": user, "used.py": used})
    found = {one.path.name: [f.rule for f in one.findings] for one in scan_project(root).results}
    assert found["user.py"] == []
    assert found["used.py"] == ["custom-operator-use"]
