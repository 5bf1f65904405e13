"""The page about a loaded profile: doctor, figures, shares, operators and gaps; each a link."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from plugins.overview.ui.card import Card
from plugins.overview.ui.doctor import Doctor
from plugins.overview.ui.figures import (
    PARTS,
    SHARES,
    gap_bars,
    operator_bars,
    peak_figure,
    share_figure,
    share_parts,
    share_title,
    step_figure,
)
from plugins.overview.ui.findings import finding_bars
from studio.i18n import tr
from studio.perf.doctor_texts import device_activity
from studio.ui.barlist import Bar, BarList
from studio.ui.sharebar import ShareBar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from plugins.overview.ui.loader import Page
    from studio.model.findings import Finding

_NARROW: Final = 780


class OverviewPane(QScrollArea):
    """Everything seen of one profile; says which view is wanted, at what."""

    steps_wanted = Signal(str)
    memory_wanted = Signal()
    operator_wanted = Signal(str, str)
    time_wanted = Signal(object)
    finding_wanted = Signal(object)

    def __init__(
        self, page: Page, findings: Sequence[Finding] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.page = page
        self.listed = list(findings)
        self.doctor = Doctor()
        self.cards: dict[str, Card] = {}
        self.bar = ShareBar(tr("Where the steps' time went"))
        self.operators = BarList(tr("Top operators"), fitting=True)
        self.communication = BarList(tr("Communication"), fitting=True)
        self.gaps = BarList(tr("Longest gaps"), fitting=True)
        self.findings = BarList(tr("Findings"), fitting=True)
        self._column = QVBoxLayout()
        self._cards = QGridLayout()
        self._lay_out()
        self._fill(findings)

    def _lay_out(self) -> None:
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        outer = QVBoxLayout(body)
        outer.setContentsMargins(0, 0, 0, 16)
        outer.setSpacing(0)
        outer.addWidget(self.doctor)
        outer.addLayout(self._column)
        outer.addStretch()
        self._column.setContentsMargins(16, 14, 16, 0)
        self._column.setSpacing(10)
        self.setWidget(body)

    def _fill(self, findings: Sequence[Finding]) -> None:
        overview = self.page.overview
        if self.page.examined:
            self.doctor.show_diagnosis(overview.diagnosis)
        else:
            self.doctor.wait()
        self._column.addLayout(self._card_row())
        if overview.shares is not None:
            self.bar.set_parts(share_parts(overview.shares))
        self._column.addWidget(self.bar)
        self.bar.setVisible(overview.shares is not None)
        self.bar.chosen.connect(lambda share: self.steps_wanted.emit(PARTS[share]))
        self._column.addSpacing(4)
        halves = QGridLayout()
        halves.setHorizontalSpacing(24)
        halves.setVerticalSpacing(14)
        halves.setColumnStretch(0, 1)
        halves.setColumnStretch(1, 1)
        nothing = _no_operators(self.page.profile.info.form)
        computing = operator_bars(overview.operators, "computing")
        sent = operator_bars(overview.communication, "communication")
        halves.addLayout(
            _section(tr("Top operators"), self.operators, computing, nothing), 0, 0, 2, 1
        )
        halves.addLayout(
            _section(tr("Longest gaps"), self.gaps, gap_bars(overview.gaps), _no_gaps()), 0, 1
        )
        halves.addLayout(
            _section(tr("Communication"), self.communication, sent, _no_communication()), 1, 1
        )
        listed = _section(tr("Findings"), self.findings, finding_bars(findings), _no_findings())
        halves.addLayout(listed, 2, 0, 1, 2)
        self.findings.chosen.connect(lambda row: self.finding_wanted.emit(findings[row]))
        self._column.addLayout(halves)
        self.operators.chosen.connect(lambda row: self._operator("compute", row))
        self.communication.chosen.connect(lambda row: self._operator("communication", row))
        self.gaps.chosen.connect(self._gap)

    def _card_row(self) -> QGridLayout:
        overview = self.page.overview
        steps = Card(tr("Step time"))
        steps.set_figure(*step_figure(overview))
        peak = Card(tr("Peak memory"), "memory_copy" if overview.peak is None else "host")
        peak.set_figure(*peak_figure(overview.peak, self.page.profile.info.form))
        self.cards = {"steps": steps}
        for share, semantic in SHARES.items():
            card = Card(share_title(share), semantic)
            card.set_figure(*share_figure(overview.shares, share))
            self.cards[share] = card
        self.cards["peak"] = peak
        for key, card in self.cards.items():
            card.clicked.connect(partial(self._card_clicked, key))
        self._cards.setSpacing(8)
        self._place_cards()
        return self._cards

    def _card_clicked(self, key: str) -> None:
        if key == "peak":
            self.memory_wanted.emit()
        else:
            self.steps_wanted.emit(PARTS.get(key, "span"))

    def _place_cards(self) -> None:
        """All cards in one row, or in two where there is little room."""
        across = len(self.cards) if self.width() >= _NARROW else (len(self.cards) + 1) // 2
        for number, card in enumerate(self.cards.values()):
            self._cards.addWidget(card, number // across, number % across)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the cards for another width."""
        super().resizeEvent(event)
        self._place_cards()

    def _operator(self, kind: str, row: int) -> None:
        table = self.page.overview.operators
        if kind == "communication":
            table = self.page.overview.communication
        column = "type" if "type" in table else "name"
        value = table[column].iloc[row]
        self.operator_wanted.emit(kind, value if isinstance(value, str) else "")

    def _gap(self, row: int) -> None:
        gaps = self.page.overview.gaps
        self.time_wanted.emit((int(gaps["start_ns"].iloc[row]), int(gaps["end_ns"].iloc[row])))


def _section(title: str, bars: BarList, rows: Sequence[Bar], empty: str) -> QVBoxLayout:
    heading = QLabel(title)
    font = heading.font()
    font.setBold(True)
    heading.setFont(font)
    column = QVBoxLayout()
    column.setSpacing(4)
    column.addWidget(heading)
    bars.set_bars(rows)
    column.addWidget(bars)
    if not rows:
        bars.hide()
        text = QLabel(empty)
        text.setWordWrap(True)
        text.setProperty("role", "muted")
        column.addWidget(text)
    column.addStretch()
    return column


def _no_operators(form: str) -> str:
    if form == "Kineto trace":
        return tr(
            "No operator of the device was recorded: record with "
            "activities=[ProfilerActivity.CPU, ProfilerActivity.{device}].",
            device=device_activity(form),
        )
    return tr(
        "No operator was recorded. kernel_details.csv or a database holds them: record with "
        "activities=[ProfilerActivity.NPU]."
    )


def _no_communication() -> str:
    return tr("Nothing was sent: one card alone, or recorded at a level that leaves it out.")


def _no_findings() -> str:
    return tr("Nothing was found in this profile, or it has not been looked at yet.")


def _no_gaps() -> str:
    return tr("No gap between operators, or it is not recorded when they ran.")
