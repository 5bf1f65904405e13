import pytest

from studio.formats.json_repair import DamageError, Number, read_lenient, repair_object


@pytest.mark.parametrize(
    ("data", "fields", "kind"),
    [
        (
            b'{"name": "lib = make("abc", "IMPL")(1): <module>", "pid": 1}',
            {"name": 'lib = make("abc", "IMPL")(1): <module>', "pid": "1"},
            "repaired event",
        ),
        (
            b'{"name": "torch\\cuda\\__init__.py(219): f", "ts": 6}',
            {"name": "torch\\cuda\\__init__.py(219): f", "ts": "6"},
            "repaired event",
        ),
        (b'{"pid": 1, tid": 1}', {"pid": "1", "tid": "1"}, "repaired event"),
        (
            b'{"name": "C:\\dir\\", "ts": 1.50}',
            {"name": "C:\\dir\\", "ts": "1.50"},
            "repaired event",
        ),
        (
            b'{"a": ["x"y", {"b": nan}], "c": null}',
            {"a": ['x"y', {"b": "nan"}], "c": None},
            "repaired event",
        ),
        (b'{"a": "two\nlines\x01"}', {"a": "two\nlines\x01"}, "control character"),
        (b'{"a": NaN, "b": -Infinity}', {"a": "NaN", "b": "-Infinity"}, "bare NaN"),
        (b'{"a": "\\ud800"}', {"a": "\ud800"}, "lone surrogate"),
        (b'{"ts": 1742490378358140.950}', {"ts": "1742490378358140.950"}, "bare NaN"),
    ],
)
def test_what_is_plain_is_read(data, fields, kind):
    repaired = repair_object(data)
    assert repaired.fields == fields
    assert repaired.kind == kind
    assert repaired.length == len(data)


def test_broken_utf8_is_kept_in_place():
    repaired = repair_object(b'{"a": "\xff\xfex"}')
    assert repaired.kind == "bad UTF-8"
    assert str(repaired.fields["a"]).encode("utf-8", "surrogateescape") == b"\xff\xfex"
    assert repaired.length == 12


def test_the_length_counts_bytes_and_stops_behind_the_object():
    repaired = repair_object('{"名": "a"b"}, {"x": 1}'.encode())
    assert repaired.fields == {"名": 'a"b'}
    assert repaired.length == len('{"名": "a"b"}'.encode())


def test_numbers_keep_their_text():
    value = repair_object(b'{"a": 1.10}').fields["a"]
    assert isinstance(value, Number)
    assert value == "1.10"


@pytest.mark.parametrize("data", [b'{"a": 1, "b": "x', b'{"a": [1, 2', b'{"a": {"b": 1}'])
def test_an_unfinished_object_says_so(data):
    with pytest.raises(DamageError) as error:
        repair_object(data)
    assert error.value.unfinished


@pytest.mark.parametrize("data", [b"[1]", b'{"a" 1}', b'{"a": word}', b"{" * 500])
def test_nonsense_is_refused(data):
    with pytest.raises(DamageError):
        repair_object(data)
    assert read_lenient(data) is None
