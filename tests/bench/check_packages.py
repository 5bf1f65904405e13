"""Check the migration on public packages: `python tests/bench/check_packages.py FOLDER`.

FOLDER holds source archives (.tar.gz) or wheels, such as `pip download --no-deps` leaves there; the
names of some may follow to look at these only. Each is unpacked, scanned, migrated to a copy, and
what was changed is scanned again, by the command line in processes of their own. The table printed
tells of each

- size, wall time, CPU time, lines per CPU second and the peak memory of one process;
- changes, and files that Python compiled before but not after, the calls of fused operators made
  as well (there should be none);
- changes that a second run would make (none);
- sites: places where the plain words stand (see census.py), by what became of them. A file that is
  told to be unreadable, or written in CUDA, is told as a whole.

`--keep DIR` unpacks there instead of into a temporary folder, `--json DIR` writes the findings of
each package there, `--silent` lists the sites that nothing is said of.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
import zipfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from census import Site, sites_of

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = (
    "package", "files", "lines", "wall s", "CPU s", "lines/CPU s", "peak MB", "findings",
    "changes", "broken", "2nd run", "sites", "found", "NPU-aware", "text", "silent",
)  # fmt: skip


class Run(NamedTuple):
    """One process: its exit code, output, wall and CPU seconds, and peak memory in MB."""

    code: int
    output: str
    wall: float
    cpu: float
    peak: float


def main() -> int:
    """Check every package of a folder and print the table; 1 if anything is not right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="only archives whose names begin so")
    parser.add_argument("--keep", type=Path, help="where to unpack")
    parser.add_argument("--json", type=Path, help="folder to write all findings to")
    parser.add_argument("--silent", action="store_true", help="list the sites nothing is said of")
    chosen = parser.parse_args()
    archives = [
        path
        for path in sorted(chosen.folder.iterdir())
        if path.name.endswith((".tar.gz", ".whl", ".zip"))
        and (not chosen.names or path.name.startswith(tuple(chosen.names)))
    ]
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    right = True
    with tempfile.TemporaryDirectory() as temporary:
        for archive in archives:
            where = (chosen.keep or Path(temporary)) / archive.name
            unpack(archive, where / "source")
            row, report, silent = check(where)
            if chosen.json is not None:
                text = json.dumps(report, ensure_ascii=False)
                (chosen.json / f"{archive.name}.json").write_text(text, encoding="utf-8")
            right &= not (row[9] or row[10] or silent)
            print("| " + " | ".join([archive.name, *map(shown, row[1:])]) + " |", flush=True)
            if chosen.silent:
                for file, site in silent:
                    print(f"{file}:{site.line}: {site.text}", file=sys.stderr)
    return not right


def check(where: Path) -> tuple[list[object], dict, list[tuple[str, Site]]]:
    """Scan and migrate `where/source`; the row of the table, the report, and what is silent."""
    source, out = where / "source", where / "migrated"
    shutil.rmtree(out, ignore_errors=True)
    scan = run("scan", source, "--json")
    report = json.loads(scan.output)
    applied = run("apply", source, "--out", out, "--fused", "--json")
    changed = json.loads(applied.output)["changed"]
    broken = [
        name
        for name in changed
        if name.endswith((".py", ".pyw")) and compiles(source / name) and not compiles(out / name)
    ]
    again = json.loads(run("scan", only(changed, out, where / "again"), "--json").output)
    fates, silent = judge_sites(source, report)
    row = [
        where.name, report["files"], report["lines"], scan.wall, scan.cpu,
        report["lines"] / max(scan.cpu, 1e-9), scan.peak, len(report["findings"]),
        report["summary"]["changes"], len(broken), again["summary"]["changes"],
        sum(fates.values()), fates["found"], fates["aware"], fates["text"], fates["silent"],
    ]  # fmt: skip
    for name in broken:
        print(f"does not compile any more: {name}", file=sys.stderr)
    for finding in again["findings"]:
        if finding["safe"] is not None:
            print(f"again: {finding['file']}:{finding['line']} {finding['rule']}", file=sys.stderr)
    return row, report, silent


def only(names: list[str], folder: Path, target: Path) -> Path:
    """Copy some files of a folder to another: what a second run is asked about."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / name, target / name)
    return target


def judge_sites(source: Path, report: dict) -> tuple[dict[str, int], list[tuple[str, Site]]]:
    """Count the sites by what became of them: found, aware, text or silent."""
    lines: dict[str, set[int]] = {}
    whole: set[str] = set()
    aware = {name for name, result in report["results"].items() if result["status"] == "aware"}
    for finding in report["findings"]:
        spoken_of = range(finding["line"], finding["end_line"] + 1)
        lines.setdefault(finding["file"], set()).update(spoken_of)
        if finding["rule"] == "npu-aware":
            aware.add(finding["file"])
        if finding["status"] == "unreadable" or finding["rule"] == "cuda-source":
            whole.add(finding["file"])
    fates = dict.fromkeys(("found", "aware", "text", "silent"), 0)
    silent = []
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        for site in sites_of(path):
            if name in whole or site.line in lines.get(name, ()):
                fate = "found"
            elif site.is_text:
                fate = "text"
            elif name in aware:
                fate = "aware"
            else:
                fate = "silent"
                silent.append((name, site))
            fates[fate] += 1
    return fates, silent


def run(command: str, *arguments: object) -> Run:
    """Run a command of the migration and measure it."""
    words = [sys.executable, "-m", "studio", "migration", command, *map(os.fspath, arguments)]
    with tempfile.TemporaryFile("w+b") as output, tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "STUDIO_HOME": home
        }  # what was scanned before is not known here
        begin = time.perf_counter()
        process = subprocess.Popen(words, cwd=ROOT, stdout=output, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
        output.seek(0)
        text = output.read().decode()
    return Run(process.returncode, text, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def compiles(path: Path) -> bool:
    """Whether Python compiles a file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(path.read_bytes(), path.name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def unpack(archive: Path, target: Path) -> None:
    """Unpack an archive, unless that was done before."""
    if target.exists():
        return
    target.mkdir(parents=True)
    if archive.name.endswith(".tar.gz"):
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
    else:
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(target)


def shown(value: object) -> str:
    """A figure for the table."""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return f"{value:,}"


if __name__ == "__main__":
    sys.exit(main())
