"""One profile for all views that show it."""

from __future__ import annotations

import shutil

import pytest

from studio.kernel.kept import Kept
from studio.paths import resource
from studio.perf.shared import shared_profile, shared_steps


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "rank0_ascend_pt"
    shutil.copytree(resource("sample", "profiles", "rank0_ascend_pt"), place)
    return place


def test_views_of_a_profile_share_it_until_a_file_changes(folder):
    kept = Kept()
    profile = shared_profile(folder, kept)
    assert shared_profile(folder, kept) is profile
    steps = shared_steps(profile, kept)
    assert shared_steps(profile, kept) is steps
    assert steps.table["step"].tolist() == [10, 11]
    file = folder / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
    file.write_bytes(file.read_bytes() + b"\n")
    assert shared_profile(folder, kept) is not profile


def test_without_a_keeper_every_profile_is_its_own(folder):
    assert shared_profile(folder, None) is not shared_profile(folder, None)
