"""What the curves of one run or two say in a sentence."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

from studio.i18n import tr, trn
from studio.ui.text import format_number, thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.losses.core.compare import LossComparison
    from studio.formats.training_log import Series

FINE, BEYOND = ("ok", "ok"), ("error", "error")
"""Icon and theme token of a verdict."""


def of_one(series: Series) -> str:
    """Describe the curve of one run as rich text."""
    latest = series.latest()
    finite = {step: value for step, value in latest.items() if isfinite(value)}
    count = trn("{count} step", "{count} steps", len(latest), count=thousands(len(latest)))
    parts = [count]
    if finite:
        first, last = min(finite), max(finite)
        least = min(finite, key=finite.__getitem__)
        parts.append(
            tr(
                "{name} from {first} to {last}",
                name=escape(series.name),
                first=format_number(finite[first]),
                last=format_number(finite[last]),
            )
        )
        where = _link(least)
        parts.append(tr("least {value} at {step}", value=format_number(finite[least]), step=where))
    odd = [step for step in latest if step not in finite]
    if odd:
        parts.append(tr("not finite first at {step}", step=_link(odd[0])))
    repeated = series.repeated()
    if repeated:
        parts.append(_repeated(len(repeated)))
    return "  ·  ".join(part.removesuffix(".").removesuffix("。") for part in parts)


def of_two(found: LossComparison) -> tuple[tuple[str, str], str]:
    """Return the look of the verdict on two runs, and the finding as rich text."""
    beyond = [step for step in (found.first_beyond, *found.not_finite[:1]) if step is not None]
    tolerance = f"{found.tolerance * 100:g} %"
    if beyond:
        step = min(beyond)
        row = next(row for row in found.rows if row.step == step)
        error = row.relative_error
        size = tr("not finite") if error is None else f"{error * 100:.4g} %"
        text = tr(
            "First beyond the tolerance of {tolerance}: {step}, {size}.",
            tolerance=tolerance,
            step=_link(step),
            size=size,
        )
    else:
        text = tr("No step is beyond the tolerance of {tolerance}.", tolerance=tolerance)
    parts = [text]
    if found.not_finite:
        first = _link(found.not_finite[0])
        parts.append(tr("Not finite in one run only, first at {step}.", step=first))
    mean = found.mean_relative_error
    if mean is not None:
        parts.append(
            trn(
                "Mean {mean} over {count} common step.",
                "Mean {mean} over {count} common steps.",
                len(found.finite),
                mean=f"{mean * 100:.4g} %",
                count=thousands(len(found.finite)),
            )
        )
    for side, words in (("base", tr("missing in base")), ("candidate", tr("missing in candidate"))):
        missing = found.missing(side)
        if missing:
            parts.append(tr("{what}: {n}.", what=words, n=thousands(len(missing))))
    repeated = len({*found.repeated_base, *found.repeated_candidate})
    if repeated:
        parts.append(_repeated(repeated))
    if found.counted:
        parts.append(tr("A log has no step numbers; its values were counted."))
    return (BEYOND if beyond else FINE), " &nbsp;".join(parts)


def of_another(name: str, found: LossComparison) -> str:
    """Return the finding about a further run in a line of rich text."""
    step = found.first_beyond
    if found.not_finite and (step is None or found.not_finite[0] < step):
        step = found.not_finite[0]
    mean = found.mean_relative_error
    size = "" if mean is None else f"{mean * 100:.4g} %"
    if step is None:
        return tr(
            "{name}: no step beyond the tolerance, mean {mean}.", name=escape(name), mean=size
        )
    return tr(
        "{name}: beyond the tolerance first at {step}, mean {mean}.",
        name=escape(name),
        step=_link(step),
        mean=size,
    )


def _repeated(count: int) -> str:
    return trn(
        "{count} step was logged again after a resume; the last value counts.",
        "{count} steps were logged again after a resume; the last value counts.",
        count,
        count=thousands(count),
    )


def _link(step: int) -> str:
    colour = current_theme().colour("accent").name()
    text = escape(tr("step {n}", n=thousands(step)))
    return f'<a href="{step}" style="color:{colour}">{text}</a>'
