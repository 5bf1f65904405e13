import numpy as np

from studio.formats import cells


def test_whole_numbers_keep_every_digit_and_their_states():
    values, states = cells.whole_numbers(["7", " 9007199254740993\t", "", "N/A", "2.0", "x", "1.5"])
    assert values.tolist() == [7, 9007199254740993, 0, 0, 2, 0, 0]
    assert states.tolist() == [
        cells.VALUE,
        cells.VALUE,
        cells.BLANK,
        cells.NOT_APPLICABLE,
        cells.VALUE,
        cells.UNREADABLE,
        cells.UNREADABLE,
    ]


def test_plain_whole_numbers_take_the_short_way():
    values, states = cells.whole_numbers(["1", "-2", "3"])
    assert (values.tolist(), states.tolist()) == ([1, -2, 3], [0, 0, 0])


def test_numbers_beyond_64_bits_are_not_read():
    values, states = cells.whole_numbers(["18446744073709551615", "1"])
    assert values.tolist() == [0, 1]
    assert states.tolist() == [cells.UNREADABLE, cells.VALUE]


def test_numbers_tell_blank_from_not_applicable():
    values, states = cells.numbers(["0.5", "", "N/A", "nan", "1,5", "inf"])
    assert values[0] == 0.5
    assert np.isnan(values[1:]).all()
    assert states.tolist() == [0, 1, 2, 1, 3, 3]


def test_times_are_exact_nanoseconds():
    values, states = cells.times(["1736413971558972.912\t", "3.5600625", "N/A", "", "soon"])
    assert values.tolist() == [1736413971558972912, 3560, 0, 0, 0]
    assert states.tolist() == [0, 0, 2, 1, 3]


def test_times_in_other_units():
    assert cells.times(["438068.41592"], "ms")[0].tolist() == [438068415920]
    assert cells.times(["1736414119651037828"], "ns")[0].tolist() == [1736414119651037828]
    assert cells.times(["2.5"], "s")[0].tolist() == [2_500_000_000]


def test_sizes_are_bytes_and_may_be_negative():
    values, states = cells.sizes(["18816.5", "-512", ""], "KB")
    assert values.tolist() == [19268096, -524288, 0]
    assert states.tolist() == [0, 0, 1]
    assert cells.sizes(["1187.9814453125"], "MB")[0].tolist() == [1245688832]
