import sqlite3

import pytest

from studio.formats.database import Database, is_database
from studio.kernel.errors import StudioError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ascend 100%.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE task (startNs INTEGER, endNs TEXT, odd NUMERIC);
            INSERT INTO task VALUES (1736414119651037828, '1736414119651089469', 1),
                                    (NULL, '5', 2.5);
            CREATE TABLE STRING_IDS (id INTEGER, value TEXT);
            INSERT INTO STRING_IDS VALUES (3, 'Conv2D'), (4, CAST(X'ff61' AS TEXT));
            """
        )
    connection.close()
    return path


WANTED = {"start": ("startns", "start"), "end": ("endNs",), "none": ("missing",)}


def test_columns_are_found_by_any_name_and_kept_exact(path):
    columns, rows = Database(path).columns(("TASK",), WANTED)
    assert rows == 2
    assert set(columns) == {"start", "end"}
    assert columns["start"].values.tolist() == [1736414119651037828, 0]
    assert columns["start"].known.tolist() == [True, False]
    assert columns["end"].values.tolist() == [1736414119651089469, 5]


def test_fractions_make_a_column_of_fractions(path):
    columns, _ = Database(path).columns(("task",), {"odd": ("odd",)})
    assert columns["odd"].values.tolist() == [1.0, 2.5]


def test_what_is_not_there_is_empty(path):
    database = Database(path)
    assert database.columns(("OTHER",), WANTED) == ({}, 0)
    assert database.find("other") == ""
    assert database.count("OTHER") == 0
    assert database.count("TASK") == 2
    assert database.pairs("OTHER") == []


def test_texts_are_read_even_when_damaged(path):
    assert Database(path).strings == {3: "Conv2D", 4: "\ufffda"}


def test_nothing_is_written_beside_the_file(path):
    database = Database(path)
    database.columns(("TASK",), WANTED)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_damage_is_told_with_the_file(tmp_path):
    path = tmp_path / "bad.db"
    path.write_bytes(b"SQLite format 3\0" + b"rubbish" * 500)
    assert is_database(path)
    with pytest.raises(StudioError, match=r"bad\.db"):
        Database(path).tables  # noqa: B018 - read when asked for
    assert not is_database(tmp_path)
