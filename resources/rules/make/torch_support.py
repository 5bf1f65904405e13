"""Make the support tables of torch from the reference data beside the checkout.

    python resources/rules/make/torch_support.py ../shared/data/migration

What the tables of Ascend/pytorch say about an API in one torch version is one of a few hundred
verdicts; so each verdict is written once, and an API names the number of its verdict per version.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

RULES = Path(__file__).resolve().parent.parent
VERSIONS = ("2.6", "2.7.1", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13")
VERDICT = ("status", "A2", "A3", "950DT", "dtypes", "without", "note")


def main(folder: Path) -> None:
    """Write torch_support.csv, torch_verdicts.csv, torch_sources.csv and torch_aliases.csv."""
    rows = _rows(folder / "torch_npu_native_api_support.csv")
    verdicts: dict[tuple[str, ...], int] = {}
    apis: dict[str, dict[str, str]] = {}
    sources: dict[str, tuple[str, str]] = {}
    for row in rows:
        number = verdicts.setdefault(_verdict(row), len(verdicts) + 1)
        place, _, page = row["source"].rpartition("/")
        api = apis.setdefault(row["api"], {"name": row["api"], "page": page.removesuffix(".md")})
        api[row["torch_version"]] = str(number)
        sources[row["torch_version"]] = (place, row["source_version"])
    _write("torch_support.csv", ("name", *VERSIONS, "page"), [apis[name] for name in sorted(apis)])
    told = [{"number": str(n), **dict(zip(VERDICT, v, strict=True))} for v, n in verdicts.items()]
    _write("torch_verdicts.csv", ("number", *VERDICT), told)
    origins = [{"torch": v, "source": sources[v][0], "version": sources[v][1]} for v in VERSIONS]
    _write("torch_sources.csv", ("torch", "source", "version"), origins)
    aliases = [
        {"name": row["name"], "listed": row["canonical_in_support_list"], "source": row["source"]}
        for row in _rows(folder / "torch_alias_groups.csv")
        if row["name"] not in apis
    ]
    _write("torch_aliases.csv", ("name", "listed", "source"), aliases)


def _verdict(row: dict[str, str]) -> tuple[str, ...]:
    note = "; ".join(
        part
        for part in row["note"].split("; ")
        if not part.startswith(("dtypes limited", "dtypes not"))
    )
    chips = (row["a2_train"], row["a3_train"], row["ascend_950dt"])
    return (row["status"], *chips, row["dtypes_allowed"], row["dtypes_denied"], note)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _write(name: str, columns: tuple[str, ...], rows: list[dict[str, str]]) -> None:
    with (RULES / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
