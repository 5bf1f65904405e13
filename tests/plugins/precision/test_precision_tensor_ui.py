"""Single tensors as a user sees them."""

from __future__ import annotations

import csv
from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent

from plugins.precision.core.tensors.planes import Window
from plugins.precision.ui.tensor.apart import ApartPane
from plugins.precision.ui.tensor.scale import Odd, colours, odd_colour, scale_of
from plugins.precision.ui.tensor.view import TensorView, make_tensor_view
from plugins.precision.ui.tensor.zoom import around, within, zoomed
from studio.app import App
from studio.i18n import set_language
from studio.ui.theme import current_theme, load_theme
from tests.plugins.settling import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.precision.ui.tensor.pane import TensorPane

    Opens = Callable[..., TensorView]


@pytest.fixture
def app() -> Iterator[App]:
    """The program without a window."""
    app = App.start(safe=True, language="en")
    yield app
    app.close()
    set_language("en")


@pytest.fixture
def opened(app: App, qtbot: QtBot) -> Opens:
    """Opens a view and waits until all is shown."""

    def open_view(path: Path, **arguments: str) -> TensorView:
        view = make_tensor_view(app.studio("precision"), path, **arguments)
        assert isinstance(view, TensorView)
        qtbot.addWidget(view)
        view.resize(1200, 800)
        view.show()
        settle(app, view)
        return view

    return open_view


def files(folder: Path, *arrays: np.ndarray) -> list[Path]:
    """Arrays in files of their own."""
    paths = [folder / f"{name}.npy" for name in "bcd"[: len(arrays)]]
    for path, array in zip(paths, arrays, strict=True):
        np.save(path, array)
    return paths


def pane_of(view: TensorView) -> TensorPane:
    """What the view shows."""
    assert view.pane is not None
    return view.pane


def wheel(view: TensorView, qtbot: QtBot, place: QPointF, turned: int) -> None:
    """Turn the wheel over the candidate's picture."""
    picture = pane_of(view).maps.candidate
    event = QWheelEvent(
        place,
        picture.mapToGlobal(place),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QCoreApplication.sendEvent(picture, event)


def test_scales_hold_all_finite_numbers() -> None:
    values = np.array([[-4.0, 0.0, 1e-3], [2.0, np.nan, np.inf]])
    plain = scale_of((values,), signed=True, logarithmic=False)
    assert plain.limit == 4.0
    assert plain.fractions(values)[0].tolist() == [-1.0, 0.0, 1e-3 / 4]
    log = scale_of((values,), signed=True, logarithmic=True)
    assert log.decades == 4  # 4 and 1e-3 are 3.6 powers of ten apart
    assert log.fractions(np.array([0.04, -0.04])).tolist() == pytest.approx([0.5, -0.5])
    assert log.value(-0.5) == pytest.approx(-0.04)


@pytest.mark.parametrize("name", ["dark", "light", "contrast"])
def test_what_is_no_number_has_a_colour_of_its_own(name: str) -> None:
    theme = load_theme(name)
    odd = {kind: odd_colour(theme, kind).rgb() for kind in Odd}
    assert len(set(odd.values())) == 3
    values = np.array([np.nan, np.inf, -np.inf, -1.0, 0.0, 1.0])
    found = colours(values, scale_of((values,), signed=True, logarithmic=False), theme)
    assert found[:3].tolist() == [odd[Odd.NAN], odd[Odd.ABOVE], odd[Odd.BELOW]]
    assert found[[3, 5]].tolist() == [theme.diverging(f).rgb() for f in (-1.0, 1.0)]
    middle, wanted = QColor.fromRgb(int(found[4])), theme.diverging(0.0)
    assert abs(middle.red() - wanted.red()) <= 2
    assert not set(found[3:].tolist()) & set(odd.values())


def test_zooming_keeps_the_place_and_stays_inside() -> None:
    window = Window(0, 0, 100, 50)
    near = zoomed(window, (80, 10), 0.5)
    assert (near.bottom - near.top, near.right - near.left) == (50, 25)
    assert near.top <= 80 < near.bottom
    assert near.left <= 10 < near.right
    assert within(zoomed(near, (80, 10), 4), 100, 50) == window
    assert within(Window(-5, 45, 5, 55), 100, 50) == Window(0, 40, 10, 50)
    assert around(near, (0, 0)) == Window(-25, -12, 25, 13)
    assert around(near, (80, 10)) is near


@pytest.mark.gui
def test_a_file_alone_is_shown_as_its_values(opened: Opens, tmp_path: Path) -> None:
    [path] = files(tmp_path, np.arange(24.0).reshape(2, 3, 4))
    view = opened(path)
    pane = pane_of(view)
    assert view.title() == "b.npy"
    assert not pane.maps.base.isVisible()
    assert not pane.maps.difference.isVisible()
    assert pane.maps.candidate.cells.tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert pane.maps.candidate.note == "float64 · 2×3×4"
    assert not pane.details.isTabVisible(0)


@pytest.mark.gui
def test_axes_and_places_choose_the_slice(app: App, opened: Opens, tmp_path: Path) -> None:
    whole = np.arange(120.0).reshape(2, 3, 4, 5)
    view = opened(*files(tmp_path, whole))
    pane = pane_of(view)
    assert sorted(pane.bar.places) == [0, 1]
    pane.bar.places[1].setValue(2)
    settle(app, view)
    assert np.array_equal(pane.maps.candidate.cells, whole[0, 2])
    pane.bar.rows.setCurrentIndex(0)
    pane.bar.rows.activated.emit(0)
    settle(app, view)
    assert sorted(pane.bar.places) == [1, 2]
    assert np.array_equal(pane.maps.candidate.cells, whole[:, 2, 0, :])
    # The axis of the columns for the rows: the two are exchanged.
    pane.bar.rows.setCurrentIndex(3)
    pane.bar.rows.activated.emit(3)
    settle(app, view)
    assert np.array_equal(pane.maps.candidate.cells, whole[:, 2, 0, :].T)


@pytest.mark.gui
def test_the_pointer_is_followed_in_all_pictures(
    opened: Opens, tmp_path: Path, qtbot: QtBot
) -> None:
    base = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    candidate = base.copy()
    candidate[2, 1] = 10.0
    one, two = files(tmp_path, base, candidate)
    view = opened(two, base=str(one))
    pane = pane_of(view)
    picture = pane.maps.candidate
    where = picture.rect_of(2, 1, 3, 2).center().toPoint()
    qtbot.mouseMove(picture, where)
    qtbot.waitUntil(lambda: "[2, 1]" in pane.reading.text())
    text = pane.reading.text()
    assert "base 9 " in text
    assert "candidate 10 " in text
    assert "difference 1 " in text
    assert text.endswith("relative error 0.111111111")
    assert pane.maps.base._cursor == pane.maps.difference._cursor == (2, 1)
    qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=where)
    assert pane.maps.base._marked == (2, 1)
    assert pane.maps.difference.cells[2, 1] == 1.0


@pytest.mark.gui
def test_nan_and_infinity_are_seen_on_the_picture(opened: Opens, tmp_path: Path) -> None:
    values = np.zeros((4, 4), np.float16)
    values[1, 2], values[3, 0], values[0, 3] = np.nan, np.inf, -np.inf
    view = opened(*files(tmp_path, values))
    picture = pane_of(view).maps.candidate
    image: QImage = picture.grab().toImage()
    ratio = image.width() / picture.width()
    for place, odd in (((1, 2), Odd.NAN), ((3, 0), Odd.ABOVE), ((0, 3), Odd.BELOW)):
        corner = picture.rect_of(place[0], place[1], place[0] + 1, place[1] + 1).topLeft()
        point = ((corner + QPointF(6, 6)) * ratio).toPoint()
        assert image.pixelColor(point) == QColor(odd_colour(current_theme(), odd))


@pytest.mark.gui
def test_wheel_and_keys_zoom_all_pictures(
    app: App, opened: Opens, tmp_path: Path, qtbot: QtBot
) -> None:
    base = np.random.default_rng(3).normal(size=(300, 400))
    one, two = files(tmp_path, base, base + 1)
    view = opened(two, base=str(one))
    pane = pane_of(view)
    place = pane.maps.candidate.rect_of(250, 100, 251, 101).center()
    wheel(view, qtbot, place, 120)
    settle(app, view)
    assert pane.window_shown == pane.maps.base.window_shown
    shown = pane.maps.difference.window_shown
    assert (shown.bottom - shown.top, shown.right - shown.left) == (240, 320)
    assert shown.top <= 250 < shown.bottom
    pane.maps.candidate.setFocus()
    qtbot.keyClick(pane.maps.candidate, Qt.Key.Key_Home)
    settle(app, view)
    assert astuple(pane.maps.base.window_shown) == (0, 0, 300, 400)
    qtbot.keyClick(pane.maps.candidate, Qt.Key.Key_Down)
    qtbot.keyClick(pane.maps.candidate, Qt.Key.Key_Right)
    qtbot.keyClick(pane.maps.candidate, Qt.Key.Key_Plus)
    settle(app, view)
    assert astuple(pane.maps.base.window_shown) == (1, 1, 151, 201)
    assert np.array_equal(pane.maps.candidate.cells, (base + 1)[1:151, 1:201])


@pytest.mark.gui
def test_a_worst_element_is_shown_in_its_slice(app: App, opened: Opens, tmp_path: Path) -> None:
    base = np.ones((3, 500, 600), np.float32)
    candidate = base.copy()
    candidate[2, 450, 17] = 1.5
    candidate[0, 3, 4] = np.nan
    one, two = files(tmp_path, base, candidate)
    view = opened(two, base=str(one))
    pane = pane_of(view)
    model = pane.details.worst.model
    cells = [[str(model.index(row, col).data()) for col in range(5)] for row in range(2)]
    assert cells == [
        ["[0, 3, 4]", "1", "nan", "nan", "nan"],
        ["[2, 450, 17]", "1", "1.5", "0.5", "0.5"],
    ]
    pane._zoom(Window(0, 0, 50, 60))
    settle(app, view)
    pane.details.worst.select_row(1)
    settle(app, view)
    assert pane.bar.places[0].value() == 2
    assert pane.maps.base._marked == (450, 17)
    assert astuple(pane.window_shown) == (425, 0, 475, 60)
    assert "[2, 450, 17]" in pane.reading.text()
    pane.details.order.setCurrentIndex(1)
    pane.details.order.activated.emit(1)
    assert model.rowCount() == 2


@pytest.mark.gui
def test_figures_along_an_axis_lead_to_the_place(app: App, opened: Opens, tmp_path: Path) -> None:
    base = np.ones((4, 5, 6))
    candidate = base.copy()
    candidate[:, 3] += 0.5
    one, two = files(tmp_path, base, candidate)
    view = opened(two, base=str(one))
    pane = pane_of(view)
    pane.details.axis.setCurrentIndex(1)
    pane.details.axis.activated.emit(1)
    keys = [values.column.key for values in pane.details.along.model.values]
    errors = pane.details.along.model.values[keys.index("relative_error")].array
    assert errors.tolist() == [0.0, 0.0, 0.0, 0.5, 0.0]
    pane.details.along.select_row(3)
    settle(app, view)
    assert pane.maps.candidate._marked == (3, 0)


@pytest.mark.gui
def test_distributions_are_told_in_words_too(opened: Opens, tmp_path: Path) -> None:
    base = np.array([0.0, 1.0, 3.0, -8.0])
    one, two = files(tmp_path, base, base * 1.25)
    view = opened(two, base=str(one))
    details = pane_of(view).details
    details.setCurrentIndex(1)
    assert "base: 4 elements, zero 1" in details.values.accessibleDescription()
    assert "relative error: 4 elements, zero 1" in details.errors.accessibleDescription()
    frame = details.values._frame()
    first, last = details.values.range()
    x = frame.left() + (1.5 - first) / (last - first) * frame.width()
    assert details.values.tip(x).splitlines() == [
        "2 to 4 (2^1)",
        "base: 1  (0 below zero)",
        "candidate: 1  (0 below zero)",
    ]


@pytest.mark.gui
def test_pictures_and_tables_are_exported(app: App, opened: Opens, tmp_path: Path) -> None:
    base = np.arange(20.0).reshape(4, 5)
    one, two = files(tmp_path, base, base + 0.5)
    view = opened(two, base=str(one))
    pane = pane_of(view)
    assert pane.save_picture(tmp_path / "x.png")
    assert QImage(str(tmp_path / "x.png")).width() >= 600
    pane._zoom(Window(1, 2, 3, 5))
    settle(app, view)
    assert pane.export_csv(tmp_path / "x.csv")
    settle(app, view)
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert (rows[0]["axis 0"], rows[0]["axis 1"], rows[0]["candidate"]) == ("1", "2", "7.5")


@pytest.mark.gui
def test_the_tensors_of_one_file_are_chosen_by_name(
    app: App, opened: Opens, tmp_path: Path
) -> None:
    np.savez(tmp_path / "w.npz", weight=np.ones((2, 2)), bias=np.full(3, 7.0))
    view = opened(tmp_path / "w.npz")
    assert view.members.isVisible()
    view.members.setCurrentIndex(view.members.findText("bias"))
    view.members.activated.emit(1)
    settle(app, view)
    assert pane_of(view).maps.candidate.cells.tolist() == [[7.0, 7.0, 7.0]]
    assert view.save_state()["arguments"]["member"] == "bias"


@pytest.mark.gui
def test_the_view_returns_to_its_slice(app: App, opened: Opens, tmp_path: Path) -> None:
    [path] = files(tmp_path, np.arange(60.0).reshape(3, 4, 5))
    view = opened(path)
    pane_of(view).bar.places[0].setValue(2)
    pane_of(view).set_logarithmic(True)
    settle(app, view)
    state = view.save_state()
    again = opened(path)
    again.restore_state(state)
    settle(app, again)
    pane = pane_of(again)
    assert pane.bar.slice().index[0] == 2
    assert pane.maps.logarithmic
    assert pane.maps.candidate.cells[0, 0] == 40.0


@pytest.mark.gui
def test_what_cannot_be_read_says_why(app: App, opened: Opens, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff{")
    view = opened(tmp_path / "x.npy")
    assert view.pane is None
    page = view._pages.currentWidget()
    assert "x.npy" in page._title.text()  # type: ignore[union-attr]
    assert page._text.text()  # type: ignore[union-attr]


@pytest.mark.gui
def test_tensors_of_other_shapes_stand_side_by_side(
    app: App, opened: Opens, tmp_path: Path
) -> None:
    base, candidate = np.arange(6.0).reshape(2, 3), np.arange(10.0, 18.0).reshape(4, 2)
    one, two = files(tmp_path, base, candidate)
    view = opened(two, base=str(one))
    pane = view.pane
    assert isinstance(pane, ApartPane)
    assert "2×3" in pane.note.text()
    assert "4×2" in pane.note.text()
    assert "no difference" in pane.note.text()
    for side, values, title in (
        (pane.base, base, "Base"), (pane.candidate, candidate, "Candidate"),
    ):  # fmt: skip
        picture = side.maps.first()
        assert picture.title == title
        assert picture.cells.tolist() == values.tolist()
        assert not side.maps.difference.isVisible()
        (rows, _columns) = side.details._figures.axes  # type: ignore[union-attr]
        assert len(rows.elements) == len(values)
    assert not view._relative.isVisible()
    pane.candidate.bar.rows.setCurrentIndex(1)
    pane.candidate.bar._axes_chosen()
    settle(app, view)
    assert pane.candidate.maps.first().cells.tolist() == candidate.T.tolist()
    assert pane.base.maps.first().cells.tolist() == base.tolist()
    state = view.save_state()
    again = opened(two, base=str(one))
    again.restore_state(state)
    settle(app, again)
    assert isinstance(again.pane, ApartPane)
    assert again.pane.candidate.bar.slice().rows == 1
    assert again.pane.base.bar.slice().rows == 0
    assert pane.save_picture(tmp_path / "both.png")
    assert (tmp_path / "both.png").stat().st_size > 1000
