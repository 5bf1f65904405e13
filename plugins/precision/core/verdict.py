"""From the metrics of a pair to a verdict that gives its reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.result import Status
from studio.i18n import thousands, tr, trn

if TYPE_CHECKING:
    from studio.tensors.metrics import Index, Metrics
    from studio.tensors.npy import TensorFile


def judge(base: TensorFile, candidate: TensorFile, metrics: Metrics) -> tuple[Status, str]:
    """Return the verdict on two tensors of the same shape, and why."""
    reasons: list[str] = []
    if metrics.count == 0:
        return Status.EMPTY, tr("empty, nothing to compare")
    status = _by_values(base, metrics, reasons)
    if status is Status.OK and metrics.non_finite.any:
        status = Status.REVIEW
    _mark_both_sides(metrics, reasons)
    if not reasons:
        reasons.append(tr("equal") if metrics.identical else tr("within tolerance"))
    if base.type.name != candidate.type.name:
        reasons.append(tr("types differ"))
    return status, tr("; ").join(reasons)


def _by_values(base: TensorFile, metrics: Metrics, reasons: list[str]) -> Status:
    if metrics.non_finite.mismatched:
        _tell_non_finite(metrics, reasons)
    elif not metrics.differing:
        return Status.OK
    if metrics.base_zero != metrics.candidate_zero:
        zero = tr("the base is all zero") if metrics.base_zero else tr("the candidate is all zero")
        reasons.append(zero)
    finite = metrics.differing - metrics.non_finite.mismatched
    if finite and base.shape == ():
        reasons.append(tr("the number is off by {share} %", share=f"{metrics.max_rel * 100:.4g}"))
        # One number has no second metric beside it: below its own size a person decides.
        return Status.REVIEW if metrics.max_rel <= 1 else Status.DIFFERS
    if finite:
        reasons.append(
            trn(
                "{differing} of {n} element beyond tolerance",
                "{differing} of {n} elements beyond tolerance",
                metrics.count,
                differing=thousands(finite),
            )
        )
    reasons.append(tr("first at {index}", index=_index(metrics.first_differing)))
    return Status.DIFFERS


def _tell_non_finite(metrics: Metrics, reasons: list[str]) -> None:
    found = metrics.non_finite
    if found.inf_sign:
        reasons.append(
            trn(
                "infinity with other sign at {n} position",
                "infinity with other sign at {n} positions",
                found.inf_sign,
            )
        )
    if found.nan_base + found.nan_candidate > 2 * found.nan_both:
        reasons.append(
            tr(
                "NaN: {a} in base, {b} in candidate",
                a=thousands(found.nan_base),
                b=thousands(found.nan_candidate),
            )
        )
    if found.inf_base + found.inf_candidate > 2 * (found.inf_both + found.inf_sign):
        reasons.append(
            tr(
                "infinite: {a} in base, {b} in candidate",
                a=thousands(found.inf_base),
                b=thousands(found.inf_candidate),
            )
        )


def _mark_both_sides(metrics: Metrics, reasons: list[str]) -> None:
    found = metrics.non_finite
    if found.nan_both:
        reasons.append(tr("NaN on both sides: {n}", n=thousands(found.nan_both)))
    if found.inf_both:
        reasons.append(tr("inf on both sides: {n}", n=thousands(found.inf_both)))


def _index(index: Index | None) -> str:
    return "[" + ", ".join(map(str, index or ())) + "]"
