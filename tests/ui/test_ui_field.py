"""Fields for numbers: what is typed is what is meant, however small."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox, QToolButton

from studio.ui.field import NumberField, inset, search_field
from studio.ui.icons import retint

pytestmark = pytest.mark.gui


@pytest.fixture
def field(qapp):
    box = NumberField()
    box.setRange(-1.0, 2e9)
    return box


@pytest.mark.parametrize(
    ("typed", "value"),
    [("0.001", 0.001), ("1.3e-6", 1.3e-6), ("1E-5", 1e-5), ("320", 320.0), ("-1", -1.0)],
)
def test_a_number_is_taken_as_it_is_typed(field, typed, value):
    heard = []
    field.valueChanged.connect(heard.append)
    field.selectAll()
    QTest.keyClicks(field, typed)
    field.interpretText()
    assert field.value() == value
    assert heard == [value]
    assert float(field.text()) == value


@pytest.mark.parametrize(("typed", "left"), [("abc", "7"), ("1,5", "15"), ("--2", "-2")])
def test_letters_that_belong_to_no_number_are_not_taken(field, typed, left):
    field.setRange(-9, 99)
    field.setValue(7)
    field.selectAll()
    QTest.keyClicks(field, typed)
    assert field.lineEdit().text() == left


def test_what_lies_outside_is_not_taken(field):
    field.setValue(2)
    field.selectAll()
    QTest.keyClicks(field, "-3")
    field.interpretText()
    assert field.value() == 2


def test_small_numbers_move_in_small_steps(field):
    field.setValue(0.004)
    field.stepUp()
    assert field.value() == pytest.approx(0.005)
    field.setValue(3)
    field.stepDown()
    assert field.value() == 2


def test_digits_keep_off_the_border(qapp):
    box = QSpinBox()
    inset(box)
    assert box.lineEdit().textMargins().left() == 4


def test_the_sign_of_a_search_field_keeps_its_tip(qapp):
    field = search_field("Search here")
    sign = field.findChildren(QToolButton)[0]
    assert sign.toolTip() == "Search here"
    retint()
    assert sign.toolTip() == "Search here"
