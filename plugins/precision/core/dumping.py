"""The commands on dumps: compare, diagnose, name the first deviation."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.precision.core.compat_compare import CompatComparison, compare_compatibly
from plugins.precision.core.diagnosis import Diagnosis, diagnose_comparison, first_json
from plugins.precision.core.dump_compare import compare_dumps
from plugins.precision.core.mapping import Mapping, read_mapping
from studio.kernel import render
from studio.kernel.files import write_atomic
from studio.tensors.dumps.index import index_dump
from studio.tensors.standards import Standard, standard
from studio.tensors.tolerance import Tolerance

if TYPE_CHECKING:
    from plugins.precision.core.dump_result import DumpComparison
    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Options:
    """How to compare, as the command line says it."""

    mode: str = "strict"
    mapping: str = ""
    noise: str = ""
    standard: str = ""
    fuzzy: bool = False
    report: str = ""
    rtol: float = -1.0
    scale_tol: float = -1.0

    def with_report(self, folder: str) -> Options:
        """Return the same, to be written to another folder."""
        return replace(self, report=folder)


@dataclass(frozen=True, slots=True)
class First:
    """The first deviation alone."""

    diagnosis: Diagnosis

    @property
    def exit_code(self) -> int:
        """1 when there is one."""
        return self.diagnosis.exit_code

    def to_json(self) -> object:
        """Return operator, module, reason, evidence, inserted and removed calls."""
        return first_json(self.diagnosis)

    def to_text(self) -> str:
        """Say it in a few lines."""
        return self.diagnosis.to_text()


def compare_indexed(
    base: Path, candidate: Path, options: Options, job: JobContext | None = None
) -> DumpComparison | CompatComparison:
    """Compare two dumps in one of the two modes, and write the tables when asked for."""
    one, two = index_dump(base, job), index_dump(candidate, job)
    mapping = _mapping(options.mapping)
    if options.mode == "compatible":
        table = compare_compatibly(one, two, fuzzy=options.fuzzy, mapping=mapping, job=job)
        if options.report:
            table.write(Path(options.report))
        return table
    third = index_dump(options.noise, job) if options.noise else None
    result = compare_dumps(one, two, _standard(options), mapping=mapping, noise=third, job=job)
    if options.report:
        _write(result, Path(options.report))
    return result


def diagnose(
    base: str | Path,
    candidate: str | Path,
    mapping: str = "",
    map: str = "",
    noise: str = "",
    standard: str = "",
    job: JobContext | None = None,
) -> Diagnosis:
    """Find where two dumps begin to differ and rank operators by the error they add."""
    one, two = index_dump(base, job), index_dump(candidate, job)
    third = index_dump(noise, job) if noise else None
    options = Options(standard=standard)
    result = compare_dumps(
        one, two, _standard(options), mapping=_mapping(mapping or map), noise=third, job=job
    )
    return diagnose_comparison(result)


def first(
    base: str | Path,
    candidate: str | Path,
    mapping: str = "",
    map: str = "",
    noise: str = "",
    standard: str = "",
    job: JobContext | None = None,
) -> First:
    """Name the first operator that deviates."""
    return First(diagnose(base, candidate, mapping or map, "", noise, standard, job))


def _mapping(path: str) -> Mapping | None:
    return read_mapping(Path(path)) if path else None


def _standard(options: Options) -> Standard:
    chosen = standard(options.standard)
    if options.rtol < 0 and options.scale_tol < 0:
        return chosen
    types = {
        name: Tolerance(
            t.relative if options.rtol < 0 else options.rtol,
            t.of_scale if options.scale_tol < 0 else options.scale_tol,
            t.absolute,
        )
        for name, t in chosen.types.items()
    }
    return replace(chosen, types=types)


def _write(result: DumpComparison, folder: Path) -> None:
    from plugins.precision.core.report_page import page

    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / "tensors.csv", render.to_csv(result).encode())
    found = json.dumps(render.plain(diagnose_comparison(result)), ensure_ascii=False, indent=2)
    write_atomic(folder / "diagnosis.json", found.encode())
    write_atomic(folder / "report.html", page(result).encode())
