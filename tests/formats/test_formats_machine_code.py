"""Kernels run as machine code from files, as the Python functions they are made of would."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from studio.formats import engine
from studio.formats.jit import inner, kernel, kind_of

pytestmark = pytest.mark.skipif(not engine.has_compiler(), reason="numba is not installed")


@inner
def _half(value):
    return value // 2


@kernel
def mingle(numbers, pair, factor, table, into):
    low, high = pair
    for place in range(numbers.size):
        into[place] = numbers[place] * factor + table[place % table.shape[0], 1] + low[0] - high[1]
    return _half(numbers.size), numbers.size, -1


@kernel
def is_first_smaller(values, other):
    return values[0] < other


@kernel
def make_array(count):
    return np.zeros(count, np.int64)


@kernel
def call_out(value):
    print(value)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(engine.FOLDER, str(tmp_path))
    for each in (mingle, is_first_smaller):
        monkeypatch.setattr(each, "_codes", {})
    return tmp_path


def files(folder):
    return sorted(folder.rglob("*.o"))


def test_all_kinds_of_arguments_arrive(folder):
    table = np.arange(40, dtype=np.int16).reshape(4, 10)
    pair = np.array([5, 6], np.uint8), np.array([7, 8], np.int64)
    plain, made = np.zeros(6), np.zeros(6)
    for numbers in (np.arange(6, dtype=np.int32), np.arange(18, dtype=np.int32)[::3]):
        for part in (table, table[::2, ::3], table.T):
            values = numbers, pair, 0.5, part
            numbers.flags.writeable = False
            assert mingle(*values, made) == (3, 6, -1)
            expected = [n * 0.5 + part[i % len(part), 1] + 5 - 8 for i, n in enumerate(numbers)]
            np.testing.assert_array_equal(made, expected)
    assert len(files(folder)) == 4  # arrays with and without gaps are told apart
    assert not plain.any()


def test_truth_is_returned_and_whole_numbers_of_any_type_are_taken():
    assert is_first_smaller(np.array([3, 9]), np.int8(4)) is True
    assert is_first_smaller(np.array([3, 9]), 3) is False
    assert is_first_smaller(np.array([-(2**63), 9]), -(2**63) + 1) is True


def test_code_that_is_there_needs_no_compiler(folder):
    code = (
        "import sys, numpy as np; sys.path.insert(0, sys.argv[1])\n"
        "from test_formats_machine_code import is_first_smaller\n"
        "print(is_first_smaller(np.array([1.5]), 2.5), 'numba' in sys.modules)"
    )
    here = os.path.dirname(__file__)
    for expected in ("True True", "True False"):
        done = subprocess.run(
            [sys.executable, "-c", code, here], capture_output=True, text=True, env=os.environ
        )
        assert done.stdout.strip() == expected, done.stderr


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-9],
        lambda data: b"",
        lambda data: b"{}\n",
        lambda data: data.replace(b'"symbol":"', b'"symbol":"x'),
        lambda data: data.replace(b'"count":0', b'"count":7'),
        lambda data: data.replace(b'"result":"bool"', b'"result":"none"'),
    ],
)
def test_a_damaged_file_is_made_anew(folder, damage):
    values = np.array([1]), 2
    assert is_first_smaller(*values)
    (path,) = files(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert path.read_bytes() != whole
    is_first_smaller._codes.clear()
    assert is_first_smaller(*values)
    assert path.read_bytes() == whole


def test_code_that_cannot_be_kept_still_runs(folder, monkeypatch):
    blocked = folder / "file"
    blocked.write_text("")
    monkeypatch.setenv(engine.FOLDER, str(blocked))
    assert is_first_smaller(np.array([1]), 2)
    assert not files(folder)


def test_what_kernels_must_not_do_is_refused():
    from numba.core.errors import NumbaError

    with pytest.raises(NumbaError, match="array passed into the function"):
        make_array(3)
    with pytest.raises(TypeError, match=r"call_out calls .*Py"):
        call_out(3)
    with pytest.raises(TypeError, match="take no str"):
        call_out("text")


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30, np.uint64(2**63)])
def test_numbers_of_more_than_64_bits_are_refused(number):
    assert is_first_smaller(np.array([3]), 2**63 - 1) is True
    assert is_first_smaller(np.array([3]), -(2**63)) is False
    with pytest.raises(OverflowError, match="too large"):
        is_first_smaller(np.array([3]), number)


def test_pointers_are_known_in_the_writing_of_any_llvm():
    from studio.formats.compiling import _POINTER

    old = "i32 ([2 x i64]*, { i8*, i32, i8*, i8*, i32 }**, i8*, i8*, i64, i64, i32*, i64, double)"
    new = "i32 (ptr, ptr, ptr, ptr, i64, i64, ptr, i64, double)"
    assert _POINTER.sub("ptr", old) == _POINTER.sub("ptr", new) == new


def test_kinds_tell_tuples_from_arrays():
    assert kind_of((1, 2.5)) == ("tuple", "int", "float")
    assert kind_of(np.zeros((2, 3), np.uint8)) == (np.dtype(np.uint8), 2, True)
    assert kind_of(np.zeros((2, 3), np.uint8).T) == (np.dtype(np.uint8), 2, False)


def test_threads_that_call_at_once_have_it_made_once(folder, monkeypatch):
    from studio.formats import compiling

    made = []
    make = compiling.machine_code
    monkeypatch.setattr(compiling, "machine_code", lambda *of: made.append(of) or make(*of))
    with ThreadPoolExecutor(4) as threads:
        answers = threads.map(is_first_smaller, [np.array([0.5])] * 8, range(8))
    assert list(answers) == [False, *[True] * 7]
    assert len(made) == len(files(folder)) == 1
