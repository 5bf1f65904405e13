"""How categories of operators and their parts are called (`studio.perf.categories`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    import pandas as pd


def with_category_titles(table: pd.DataFrame) -> pd.DataFrame:
    """A table with its columns category and part as they are shown."""
    return table.assign(
        category=table["category"].astype(object).map(_category_title),
        part=table["part"].astype(object).map(_part_title),
    )


def category_name(category: object, part: object) -> str:
    """Name a group of operators by its category and part, as they are shown."""
    if not isinstance(category, str):
        return tr("(not recorded)")
    return f"{category} · {part}" if isinstance(part, str) else category


def _category_title(category: object) -> object:
    titles: dict[object, str] = {
        "attention": tr("Attention"),
        "conv_forward": tr("Convolution, forward"),
        "conv_backward": tr("Convolution, backward"),
        "matmul": "Matmul",
        "vector": tr("Vector"),
        "move": tr("Tensor moves"),
        "communication": tr("Communication"),
        "other": tr("Other"),
    }
    return titles.get(category, category)


def _part_title(part: object) -> object:
    titles: dict[object, str] = {
        "cube": "cube",
        "vector": "vector",
        "trans": tr("conversions"),
        "no_trans": tr("no conversions"),
    }
    return titles.get(part, part)
