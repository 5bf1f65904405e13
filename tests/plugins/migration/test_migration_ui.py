"""The review behind the migration's views, without a window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plugins.migration.ui.guidestates import short_name
from plugins.migration.ui.listmodel import (
    COUNT_ROLE,
    DECISION_ROLE,
    FINDING_ROLE,
    Filter,
    FindingsModel,
)
from plugins.migration.ui.looks import ICONS, STATUSES, joined, status_title
from plugins.migration.ui.review import Review, can_decide, is_safe
from studio.app import App
from studio.kernel.errors import StudioError
from studio.paths import app_root
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.gui

SCRIPT = 'import torch\nx = torch.ones(1).cuda()\nd = torch.device("cuda")\n'


@pytest.fixture
def app(qapp: object, tmp_path: Path) -> Iterator[App]:
    """The program without a window, on a project of two scripts."""
    root = tmp_path / "project"
    root.mkdir()
    for name in ("one.py", "two.py"):
        (root / name).write_text(SCRIPT)
    app = App.start(language="en", plugin_folders=[app_root() / "plugins"])
    app.open_project(root, live=False)
    yield app
    app.close()


@pytest.fixture
def wait(app: App) -> Callable[[], None]:
    """Deliver what jobs found until none is left."""

    def run() -> None:
        assert app.jobs.wait(20)
        app.jobs.pump()

    return run


@pytest.fixture
def review(app: App, wait: Callable[[], None]) -> Review:
    """The review of the project, scanned."""
    review = app.studio("migration").shared(Review)
    review.scan()
    wait()
    return review


def test_views_of_a_plugin_share_one_review_and_unloading_drops_it(app: App) -> None:
    studio = app.studio("migration")
    first = studio.shared(Review)
    assert studio.shared(Review) is first
    studio.unload()
    assert studio.shared(Review) is not first


def test_the_summary_counts_findings_and_decisions(review: Review, app: App) -> None:
    summary = review.summary()
    assert (summary.files, summary.changes, summary.accepted, summary.rejected) == (2, 4, 0, 0)
    assert summary.readiness == 1.0
    path = review.files()[0]
    chosen = [finding for finding in review.findings(path) if can_decide(finding)]
    review.decide(chosen[:1], Decision.REJECTED)
    assert review.accept_safe() == 3
    summary = review.summary()
    assert (summary.accepted, summary.rejected) == (3, 1)
    assert all(is_safe(finding) for finding in review.accepted(path))


def test_the_import_comes_with_the_first_accepted_change_only(review: Review) -> None:
    path = review.files()[0]
    findings = review.findings(path)
    added = [finding for finding in findings if not can_decide(finding)]
    assert [finding.facts["new"] for finding in added] == ["import torch_npu"]
    review.decide(added, Decision.ACCEPTED)
    assert review.edits() == {}
    review.decide([f for f in findings if can_decide(f)][:1], Decision.ACCEPTED)
    assert [edit.text.strip() for edit in review.edits()[path]] == ["npu", "import torch_npu"]


def test_decisions_survive_lines_added_above(
    review: Review, app: App, wait: Callable[[], None]
) -> None:
    path = review.files()[0]
    review.decide(review.findings(path)[:], Decision.ACCEPTED)
    path.write_text("# added\n\n" + SCRIPT)
    review.scan([path])
    wait()
    assert len(review.accepted(path)) == 2
    assert {f.location.line for f in review.accepted(path)} == {4, 5}


def test_decisions_are_saved_with_the_project(
    review: Review, app: App, wait: Callable[[], None]
) -> None:
    root = app.project.root if app.project else None
    assert root is not None
    review.accept_safe()
    app.close_project()
    assert review.summary().changes == 0
    app.open_project(root, live=False)
    review.scan()
    wait()
    assert review.summary().accepted == 4


def test_applying_a_stale_result_is_refused_and_changes_nothing(review: Review) -> None:
    one, two = review.files()
    review.accept_safe()
    two.write_text("# changed since\n" + SCRIPT)
    problems: list[BaseException] = []
    review.apply_accepted(lambda _undo: pytest.fail("applied"), problems.append)
    assert [type(problem) for problem in problems] == [StudioError]
    assert one.read_text() == SCRIPT


def test_a_file_that_is_gone_takes_its_findings_along(review: Review, app: App) -> None:
    one = review.files()[0]
    one.unlink()
    assert app.project is not None
    app.project.files_changed.emit(frozenset({one}))
    assert one not in review.files()
    assert app.project.findings.of_file(one) == []


def test_a_context_that_nothing_is_known_about_is_told(
    review: Review, app: App, wait: Callable[[], None]
) -> None:
    assert app.project is not None
    app.project.context.set(torch_version="0.1")
    wait()
    assert "0.1" in review.problem
    app.project.context.set(torch_version="2.8")
    wait()
    assert review.problem == ""


def test_the_list_holds_files_and_their_findings(review: Review) -> None:
    model = FindingsModel(review)
    model.reload()
    assert model.rowCount() == 2
    file = model.index(0, 0)
    assert model.rowCount(file) == 3
    assert model.rowCount(model.index(0, 0, file)) == 0
    child = model.index(1, 0, file)
    assert model.parent(child) == file
    assert model.findings_at(file) == list(review.findings(review.files()[0]))
    assert model.findings_at(child) == [child.data(FINDING_ROLE)]
    assert model.place_of(child.data(FINDING_ROLE), review.files()[0]) == child


def test_the_list_shows_decisions_of_files_and_findings(review: Review) -> None:
    model = FindingsModel(review)
    model.reload()
    file = model.index(0, 0)
    assert file.data(DECISION_ROLE) is Decision.OPEN
    review.decide(model.findings_at(model.index(1, 0, file)), Decision.ACCEPTED)
    assert file.data(DECISION_ROLE) is Decision.MIXED
    assert file.data(COUNT_ROLE) == (1, 2)
    review.decide(model.findings_at(file), Decision.ACCEPTED)
    assert file.data(DECISION_ROLE) is Decision.ACCEPTED
    assert model.index(0, 0, file).data(DECISION_ROLE) is None


def test_the_list_is_filtered(review: Review) -> None:
    model = FindingsModel(review)
    model.set_filter(Filter(words=("two", "device-string")))
    assert [(row.path.name, len(row.findings)) for row in model.rows()] == [("two.py", 1)]
    model.set_filter(Filter(statuses=frozenset({"manual"})))
    assert model.rowCount() == 0
    review.accept_safe()
    model.set_filter(Filter(only_open=True))
    assert model.rowCount() == 0


def test_every_status_has_an_icon_and_a_word() -> None:
    assert set(STATUSES) == set(ICONS)
    assert all(status_title(status) != status for status in STATUSES)


@pytest.mark.parametrize(
    ("decisions", "one"),
    [
        ([], Decision.OPEN),
        ([Decision.ACCEPTED, Decision.ACCEPTED], Decision.ACCEPTED),
        ([Decision.ACCEPTED, Decision.OPEN], Decision.MIXED),
    ],
)
def test_decisions_are_joined(decisions: list[Decision], one: Decision) -> None:
    assert joined(decisions) is one


def test_every_rule_has_a_heading_that_reads_without_its_values() -> None:
    from plugins.migration.core import registry
    from plugins.migration.ui.ruletitles import rule_title

    for rule in registry.rules():
        heading = rule_title(rule)
        assert "{" not in heading
        assert not heading.startswith("… becomes"), rule
        assert len(heading.replace("…", "").split()) > 1, rule


def test_a_long_group_is_laid_out_in_parts_and_up_to_what_is_asked_for(
    review: Review, app: App
) -> None:
    from plugins.migration.core.scan import scan_text
    from plugins.migration.ui.listmodel import FindingsModel

    path = app.project.root / "long.py"
    text = "import torch\n" + "".join(f"x{n} = y{n}.cuda()\n" for n in range(1_300))
    result = scan_text(text, path)
    review._take([result], True)
    model = FindingsModel(review)
    model.reload()
    group = model.index(0, 0)
    assert len(model.rows()[0].findings) == 1_301
    first = model.rowCount(group)
    assert 50 <= first <= 500
    assert model.canFetchMore(group)
    model.fetchMore(group)
    assert model.rowCount(group) == 2 * first
    last = result.findings[-1]
    place = model.place_of(last, path)
    assert model.data(place, FINDING_ROLE) is last
    assert model.rowCount(group) == 1_301
    assert not model.canFetchMore(group)
    assert len(model.findings_at(group)) == 1_301
    model.shorten(group)
    assert model.rowCount(group) == first
    assert len(model.findings_at(group)) == 1_301


def test_short_names_of_scripts() -> None:
    paths = [Path("a/train.py"), Path("b/train.py"), Path("c/schedules.py")]
    assert [short_name(path, paths) for path in paths] == [
        "a/train.py",
        "b/train.py",
        "schedules.py",
    ]
    long = Path("a/a_rather_long_name_of_a_training_script.py")
    assert short_name(long, [long]) == "…ame_of_a_training_script.py"
