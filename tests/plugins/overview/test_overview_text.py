"""The overview of a profile on the command line."""

from __future__ import annotations

from pathlib import Path

from plugins.overview.core import summary

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample" / "profiles"


def test_the_page_names_what_stands_out() -> None:
    found = summary(SAMPLE / "rank0_ascend_pt")
    (_, page), text = found.pages[0], found.to_text()
    assert f"Step time      {page.step_ns:,} ns" in text
    assert page.shares is not None
    assert f"Computing      {page.shares.computing:.1%}" in text
    first = page.operators.iloc[0]
    assert text.index(first["type"]) < text.index("Longest gaps")
    assert str(page.gaps.iloc[0]["duration_ns"]) in text
