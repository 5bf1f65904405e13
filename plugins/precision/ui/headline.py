"""What a comparison says in one sentence, above its table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from plugins.precision.core.result import Status
from plugins.precision.core.words import part_words, word
from plugins.precision.ui.rows import look
from studio.i18n import tr, trn
from studio.ui.icons import pixmap
from studio.ui.text import thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.precision.core.diagnosis import Deviation, Diagnosis
    from plugins.precision.core.result import Comparison, Row


_FEW, _PARTS = 4, 7


class Headline(QWidget):
    """An icon, the sentence with a link to the first deviating tensor, and how many of each."""

    link = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._result: Comparison | None = None
        self._diagnosis: Diagnosis | None = None
        self._counted: Mapping[Status, int] = {}
        self._icon = QLabel()
        self._sentence = QLabel(wordWrap=True)
        self._sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._sentence.linkActivated.connect(self.link.emit)
        self._counts = QLabel()
        line = QHBoxLayout(self)
        line.setContentsMargins(10, 8, 10, 4)
        line.setSpacing(8)
        line.addWidget(self._icon)
        line.addWidget(self._sentence, 1)
        line.addWidget(self._counts)

    def set_result(
        self,
        result: Comparison,
        diagnosis: Diagnosis | None = None,
        counts: Mapping[Status, int] | None = None,
    ) -> None:
        """Show what a comparison says; a link tells the name of the operator or tensor."""
        self._result, self._diagnosis = result, diagnosis
        self._counted = result.counts() if counts is None else counts
        self._draw()

    def text(self) -> str:
        """The sentence."""
        return self._sentence.text()

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._result is not None:
            self._draw()

    def _draw(self) -> None:
        result = self._result
        if result is None:
            return
        first = result.first
        name, token = look(first.status if first else Status.OK)
        self._icon.setPixmap(pixmap(name, 20, token, self.devicePixelRatioF()))
        self._sentence.setText(
            diagnosed(result, self._diagnosis, first)
            if self._diagnosis
            else sentence(result, first)
        )
        theme = current_theme()
        parts = [
            f'<span style="color:{theme.colour(look(status)[1]).name()}">'
            f"{thousands(count)} {escape(word(status))}</span>"
            for status, count in self._counted.items()
        ]
        self._counts.setText("&nbsp;&nbsp; ".join(parts))


def sentence(result: Comparison, first: Row | None = None) -> str:
    """Return the finding of a comparison as rich text; the tensor's name is a link.

    `first` is the first row that deviates, where it is known already.
    """
    first = first or result.first
    if first is None:
        return trn(
            "The runs agree: {count} tensor, no deviation.",
            "The runs agree: {count} tensors, no deviation.",
            len(result.rows),
            count=thousands(len(result.rows)),
        )
    colour = current_theme().colour("accent").name()
    link = f'<a href="{escape(first.name)}" style="color:{colour}">{escape(first.name)}</a>'
    reason = escape(first.reason or word(first.status))
    if not result.ordered:
        return tr("First deviation by name: {tensor} – {reason}.", tensor=link, reason=reason)
    text = tr("First deviation: {tensor} – {reason}.", tensor=link, reason=reason)
    before = result.rows.index(first)
    if not before:
        return text
    clean = trn(
        "The {count} tensor before it agrees.",
        "The {count} tensors before it agree.",
        before,
        count=thousands(before),
    )
    return f"{text} {clean}"


def diagnosed(result: Comparison, diagnosis: Diagnosis, row: Row | None = None) -> str:
    """Return the diagnosis as rich text: the first operator over all, then that of each rank."""
    part = diagnosis.first
    if part is None or part.first is None:
        return " ".join([sentence(result, row), *_new_calls(diagnosis)])
    row = row or result.first
    if part.first.operator == (row.name if row else ""):
        return sentence(result, row)
    first = part.first
    link, reason = _link(first, part.label), escape(first.reason)
    text = tr("First deviation: {tensor} – {reason}.", tensor=link, reason=reason)
    if first.module:
        text = tr(
            "First deviation: {tensor} in {module} – {reason}.",
            tensor=link,
            module=escape(first.module),
            reason=reason,
        )
    lines = [tr("{part}: {text}", part=escape(part_words(part)), text=text) if part.label else text]
    if part.then is not None:
        lines.append(
            tr(
                "It shows in {operator} – {reason}.",
                operator=_link(part.then, part.label),
                reason=escape(part.then.reason),
            )
        )
    others = [
        tr("{part}: {operator}", part=escape(part_words(p)), operator=_link(p.first, p.label))
        for p in diagnosis.parts
        if p is not part and p.first is not None
    ]
    if others:
        more = ["…"] if len(others) > _PARTS else []
        lines.append(" &nbsp;·&nbsp; ".join([*others[:_PARTS], *more]))
    lines += _new_calls(diagnosis)
    return "<br>".join(lines)


def _new_calls(diagnosis: Diagnosis) -> list[str]:
    part = diagnosis.first or (diagnosis.parts[0] if diagnosis.parts else None)
    lines = []
    if part and part.inserted:
        lines.append(tr("Inserted calls: {names}", names=_few(part.inserted)))
    if part and part.removed:
        lines.append(tr("Removed calls: {names}", names=_few(part.removed)))
    return lines


def _few(names: tuple[str, ...]) -> str:
    shown = ", ".join(escape(name) for name in names[:_FEW])
    return f"{shown}, …" if len(names) > _FEW else shown


def _link(entry: Deviation, part: str) -> str:
    colour = current_theme().colour("accent").name()
    address = escape(f"{part}|{entry.operator}")
    return f'<a href="{address}" style="color:{colour}">{escape(entry.operator)}</a>'
