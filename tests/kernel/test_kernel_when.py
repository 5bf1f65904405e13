"""Conditions are evaluated safely, and say in words what is missing."""

from __future__ import annotations

import pytest

from studio.kernel.schema import CheckError
from studio.kernel.when import Condition, condition

VALUES = {
    "project": True,
    "item": "trace",
    "view": "timeline.view",
    "findings": 3,
    "selection": False,
    "gui": True,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("project", True),
        ("selection", False),
        ("not selection", True),
        ("project and selection", False),
        ("project or selection", True),
        ("item == 'trace'", True),
        ("item != 'trace'", False),
        ("item in ('script', 'trace')", True),
        ("item not in ['script']", True),
        ("findings > 2", True),
        ("findings", True),
        ("0 < findings < 3", False),
        ("(selection or gui) and view == 'timeline.view'", True),
        ("findings > 'many'", False),
    ],
)
def test_values(text: str, expected: bool) -> None:
    assert condition(text).holds(VALUES) is expected


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "project.close",
        "item[0] == 't'",
        "[x for x in (1,)]",
        "lambda: 1",
        "findings + 1",
        "item is 'trace'",
        "f'{item}'",
        "project if gui else item",
        "1.5 < findings",
        "(project",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(CheckError):
        condition(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("project", "Open a project first."),
        ("gui and project", "Open a project first."),
        ("project and selection", "Open a project first."),
        ("selection", "Select a time range first."),
        ("findings > 0", "There are no findings."),
        ("view == 'editor.view'", "Not for the view in front."),
        ("view != ''", "Open a view first."),
        ("item != ''", "Select an item of the project first."),
        ("item in ('dump',)", "Not for the selected item."),
        ("not gui", "Not possible now: needs not gui."),
    ],
)
def test_the_reason_names_the_first_thing_missing(text: str, reason: str) -> None:
    nothing = {"project": False, "item": "", "view": "", "findings": 0, "gui": True}
    assert condition(text).reason(nothing) == reason


def test_a_met_condition_has_no_reason() -> None:
    assert condition("project").reason(VALUES) == ""
    assert Condition().reason({}) == ""
