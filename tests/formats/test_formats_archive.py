"""Traces in archives: read where they stand, with nothing written and nothing trusted."""

import contextlib
import gzip
import io
import json
import random
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from studio.formats import archive
from studio.formats.archive import REASONS, is_archive, read_archive, refusal
from studio.formats.trace_text import find_text
from studio.kernel.catalogue import read_po
from studio.kernel.errors import StudioError
from studio.trace import load
from studio.trace.query import args

ROOT = Path(__file__).resolve().parents[2]
RANDOM = random.Random(1)
EVENTS = [
    {"ph": "X", "name": f"n{n}", "ts": n, "dur": 2, "args": {"n": n, "x": RANDOM.random()}}
    for n in range(4000)
]
DATA = json.dumps(EVENTS).encode()


@pytest.fixture
def case(cases):
    folder = next(cases.glob("A34-*"))
    return folder / "input", json.loads((folder / "expected.json").read_text())


def zipped(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def tarred(path, members):
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as file:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return path


def test_the_escaping_members_of_the_case_are_refused_by_name(case, tmp_path, monkeypatch):
    folder, expected = case
    monkeypatch.chdir(tmp_path)
    for name, refused in (("profile.zip", "refused_zip"), ("profile.tar", "refused_tar")):
        found = read_archive(folder / name)
        assert [text.member for text in found.texts] == expected["imported"]
        twins = expected["case_twin"][1:] if name == "profile.zip" else []
        assert sorted(each.name for each in found.refused) == sorted(expected[refused] + twins)
        assert all(each.reason in REASONS for each in found.refused)
        trace = load(folder / name)
        assert (trace.events, trace.names) == (1, ["a"])
        assert trace.refused == tuple(found.refused)
        (fault,) = trace.faults
        assert (fault.kind, fault.count) == ("refused member", len(found.refused))
        assert load(folder / name / expected["imported"][0]).events == 1
    for name in expected["must_not_exist_outside"]:
        assert not list(tmp_path.rglob(name))
        assert not list(folder.rglob(name))
        assert not Path("/tmp", name).exists()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rank0/trace_view.json", ""),
        ("./trace_view.json", ""),
        ("时间线/a b.json", ""),
        ("...", "empty name"),
        ("", "empty name"),
        ("../a", "leaves the folder"),
        ("a/../b", "leaves the folder"),
        ("/a", "absolute path"),
        ("a\\b", "backslash in the name"),
        ("C:a", "colon in the name"),
        ("a\nb", "control character in the name"),
        ("a./b", "name ends with a dot or a space"),
        ("a /b", "name ends with a dot or a space"),
        ("nul.json", "name that Windows keeps for itself"),
        ("x/COM1", "name that Windows keeps for itself"),
    ],
)
def test_names(name, reason):
    assert refusal(name) == reason


def test_every_reason_is_translated():
    catalogue = read_po(ROOT / "resources" / "locale" / "zh_CN.po")
    assert not [reason for reason in REASONS if reason not in catalogue]


@pytest.mark.parametrize("kind", ["deflated", "stored", "tar", "tar.gz", "gz in zip", "gz in tar"])
def test_a_trace_in_any_archive_is_the_same_trace(tmp_path, kind):
    plain = tmp_path / "plain.json"
    plain.write_bytes(DATA)
    others = {"readme.txt": b"hello", "other.json": b'{"a": 1}'}
    packed = {**others, "rank0/trace.json.gz": gzip.compress(DATA), "z": bytes(2000)}
    members = {**others, "rank0/trace_view.json": DATA, "z.json": b"[]"}
    path = {
        "deflated": lambda: zipped(tmp_path / "a.zip", members),
        "stored": lambda: zipped(tmp_path / "a.zip", members, zipfile.ZIP_STORED),
        "tar": lambda: tarred(tmp_path / "a.tar", members),
        "tar.gz": lambda: tarred(tmp_path / "a.tar.gz", members),
        "gz in zip": lambda: zipped(tmp_path / "a.zip", packed, zipfile.ZIP_STORED),
        "gz in tar": lambda: tarred(tmp_path / "a.tar", packed),
    }[kind]()
    assert is_archive(path)
    expected, found = load(plain), load(path)
    assert not found.faults
    assert np.array_equal(expected.start, found.start)
    assert np.array_equal(expected.source, found.source)
    for index in (0, 3999, 17):
        assert args(found, index) == EVENTS[index]["args"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([path.name, "plain.json"])


def test_several_traces_need_a_name(tmp_path):
    path = zipped(tmp_path / "a.zip", {"rank0/trace.json": DATA, "rank1/trace.json": DATA[:200]})
    with pytest.raises(StudioError, match=r"a\.zip/rank0/trace\.json"):
        load(path)
    assert load(path / "rank0" / "trace.json").events == 4000
    assert load(path / "rank1" / "trace.json").events < 4
    with pytest.raises(StudioError, match="no member rank2"):
        load(path / "rank2")


def test_an_archive_without_a_trace_says_what_was_expected(tmp_path):
    path = zipped(tmp_path / "a.zip", {"../trace_view.json": DATA, "x.csv": b"a,b"})
    with pytest.raises(StudioError, match=r"expected a member trace_view\.json.*\.\./trace_view"):
        load(path)


@pytest.mark.parametrize("packed", [False, True])
def test_cut_archives_give_a_message_or_what_is_there(tmp_path, packed):
    name = "a.tar.gz" if packed else "a.tar"
    path = tarred(tmp_path / name, {"trace.json": DATA})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    trace = load(path)
    assert 100 < trace.events < 4000
    assert not trace.complete
    path = zipped(tmp_path / "a.zip", {"trace.json": DATA})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(StudioError, match="Cannot read"):
        load(path)
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(StudioError, match="Cannot read"):
        load(path)


def test_bombs_and_encrypted_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "ABSURD_SIZE", 1_000_000)
    path = zipped(tmp_path / "a.zip", {"trace.json": b"[" + b" " * 3_000_000 + b"]"})
    (refused,) = read_archive(path).refused
    assert refused.reason == "unpacks to an absurd size"
    path = tarred(tmp_path / "a.tar.gz", {"trace.json": b"[" + b" " * 3_000_000 + b"]"})
    (refused,) = read_archive(path).refused
    assert refused.reason == "unpacks to an absurd size"
    path = zipped(tmp_path / "b.zip", {"trace.json": DATA})
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    path.write_bytes(data)
    assert read_archive(path).refused[0].reason == "encrypted"


def test_a_member_that_lies_about_its_size_ends_where_it_says(tmp_path):
    path = zipped(tmp_path / "a.zip", {"trace.json": DATA})
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, entry + 24, 1000)
    path.write_bytes(data)
    trace = load(path)
    assert trace.events < 20
    assert not trace.complete


def test_links_in_a_zip_are_refused(tmp_path):
    member = zipfile.ZipInfo("trace.json")
    member.external_attr = (0o120777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr(member, "/etc/passwd")
    assert read_archive(tmp_path / "a.zip").refused[0].reason == "link or device"


def test_a_plain_file_is_no_archive(tmp_path):
    path = tmp_path / "trace.json"
    path.write_bytes(DATA)
    assert not is_archive(path)
    assert find_text(path).text.path == path
    path.write_bytes(gzip.compress(DATA))
    assert not is_archive(path)
    path.write_bytes(gzip.compress(DATA)[:30])
    assert not is_archive(path)


def test_random_damage_ends_in_a_message_or_a_trace(tmp_path):
    rnd = random.Random(3)
    small = json.dumps(EVENTS[:20]).encode()
    whole = [
        zipped(tmp_path / "a.zip", {"trace.json": small, "b/c.txt": b"x" * 99}).read_bytes(),
        tarred(tmp_path / "a.tar", {"trace.json": small}).read_bytes(),
        tarred(tmp_path / "b.tar.gz", {"trace.json": small}).read_bytes(),
    ]
    path = tmp_path / "damaged"
    for _ in range(600):
        data = bytearray(rnd.choice(whole))
        for _ in range(rnd.randrange(1, 6)):
            data[rnd.randrange(len(data))] = rnd.randrange(256)
        path.write_bytes(data[: rnd.randrange(len(data) + 1)] if rnd.random() < 0.2 else data)
        with contextlib.suppress(StudioError):
            load(path)
