"""Fuzz the compiled scanner against the portable reader.

`python tests/fuzz/fuzz_scanner.py [N] [SEED]`

Every input is a small random trace, half of them damaged at random, read by both through buffers of
random size. Any difference in columns, faults or places stops the run and prints the input.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.readings import ARGS, Reading, read_compiled, read_portable

PHASES = "XXXXXXXXsftCCCMBEbeniISFRNODvpTz"
TEXTS = (
    "aten::mm", "x", "", "Stream 2", "é", "中文", "🙂", 'a"b', "C:\\dir", "a\nb", "\x7f", "{", "}",
    "[", "],", '"},{"', "acc_id", "long name " * 9, "\u2028", "process_name", "thread_name",
)  # fmt: skip
LENGTHS = (7, 8, 15, 16, 29, 30, 31, 32, 33, 61, 62, 63, 64, 65, 95, 96)
"""Around the sizes of the blocks that kernels compare at once."""

RAW = (
    b'"\\ud83d\\ude42"', b'"\\ud800"', b'"\\u00e9"', b'"\\u00E9x"', b'"\\x"', b'"\xff"', b'"\x01"',
    b"NaN", b"01", b"1.", b"-", b"1e5", b"1E-3", b"1e999", b"-0", b"-1.5", b"tru", b"nul", b'"\\',
    b"12345678901234567890", b"0.1234567890123456789", b"[[[]]]", b'{"a":{"b":[1,{}]}}', b'""',
    b'"007"', b'"4294967296"', b'"18446744073709551615"', b"9223372036854775807", b"-5",
    b"9223372036854775808", b'"\\/\\b\\f"', b"[1,]", b"{,}", b'"\xe4\xb8"', b"true", b"null",
)  # fmt: skip
TIMES = (
    "0", "1", "1.5", '"1736412474730135.222"', '"1736412474730135.2225"', "1736412474730135",
    "9999999999999999", "0.0005", "0.00049", "1e-05", "2.5e3", '"1e3"', "-3.5", '"-3"', "null",
    '""', '"abc"', "1.6e15", "3.6500000000000004", '"5."', '".5"', '"007"', "1e400", '"12" ', "-0",
    "0e400", "9223372036854775.807", "4611686018427387.9", "123456789012345678901234567890.5",
)  # fmt: skip
HEAD = b'{"schemaVersion": 1, "traceEvents": ['
DAMAGE = b'"\\{}[],: \n\x00\xff0aXe-.'


class Traces:
    """Makes random traces."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)

    def document(self) -> tuple[bytes, bool]:
        """A file, and whether it is as its writer meant it."""
        rnd = self.rnd
        space = rnd.choice(["", "", " ", "\n  ", "\t"])
        comma = f"{space},{rnd.choice(['', ' ', space])}".encode()
        body = comma.join(
            self.event(space) for _ in range(rnd.choice((0, 1, 1, 2, 2, 3, 5, 9, 30)))
        )
        shape = rnd.randrange(10)
        if shape < 6:
            data = b"[" + body + b"]"
        elif shape < 9:
            data = HEAD + body + b'], "z": {"q": [1]}}'
        else:
            data = body
        whole = rnd.random() < 0.5
        if not whole:
            for _ in range(rnd.choice((1, 1, 1, 2, 5))):
                data = self.damaged(data)
        return data, whole

    def event(self, space: str) -> bytes:
        """One event with its keys in any order."""
        rnd = self.rnd
        fields = [
            (b'"ph"', json.dumps(rnd.choice(PHASES)).encode()),
            (b'"ts"', rnd.choice(TIMES).encode() if rnd.random() < 0.3 else self.time()),
            (b'"pid"', self.own(("1", "2", '"1"', '"Spans"', "3254508960"))),
            (b'"tid"', self.own(("0", "7", '"7"', '"Stream 1"', "1.0", "null"))),
            (b'"name"', self.text() if rnd.random() < 0.95 else rnd.choice(RAW)),
        ]
        if rnd.random() < 0.7:
            fields.append((b'"dur"', rnd.choice(TIMES).encode() if rnd.random() < 0.3 else b"2.5"))
        if rnd.random() < 0.5:
            fields.append((b'"cat"', self.own(('"cpu_op"', '"kernel"', '""'))))
        if rnd.random() < 0.6:
            fields.append((b'"id"', self.own(("1", '"1"', '"a"', "2", "7.5"))))
        if rnd.random() < 0.7:
            fields.append((b'"args"', self.args(space)))
        for odd in (b'"s"', b'"id2"', b'"bp"', b'"n\\u0061me"', b'"\xc3\xa9"', b'"x\\ny"'):
            if rnd.random() < 0.03:
                fields.append((odd, self.value(0)))
        if rnd.random() < 0.05:
            fields.append(rnd.choice(fields))
        if rnd.random() < 0.1:
            del fields[rnd.randrange(len(fields))]
        rnd.shuffle(fields)
        gap = rnd.choice([b":", b": ", b" : "])
        inner = f",{space or rnd.choice(['', ' '])}".encode()
        return b"{" + inner.join(key + gap + value for key, value in fields) + b"}"

    def args(self, space: str) -> bytes:
        """An object of args: numbers of a counter, or anything."""
        rnd = self.rnd
        keys = (*ARGS, "value", "acc_id", "MHz", "Call stack", "sort_index", "name", "labels", "é")
        pairs = []
        for _ in range(rnd.choice((0, 1, 1, 2, 3, 10))):
            number = rnd.choice(
                ("1", "0.5", "83.40000000000001", "1e3", "-2", "0.12345678901234567")
            )
            value = number.encode() if rnd.random() < 0.6 else self.value(0)
            pairs.append(json.dumps(rnd.choice(keys)).encode() + b": " + value)
        return b"{" + f",{space}".encode().join(pairs) + b"}"

    def value(self, depth: int) -> bytes:
        """Any value."""
        rnd = self.rnd
        kind = rnd.randrange(8)
        if kind < 3:
            return self.text()
        if kind < 5:
            return str(rnd.choice((0, 1, -7, 2.25, 10**12, 1e20))).encode()
        if kind == 5 and depth < 4:
            return b"[" + b", ".join(self.value(depth + 1) for _ in range(rnd.randrange(4))) + b"]"
        if kind == 6 and depth < 4:
            inner = (self.text() + b":" + self.value(depth + 1) for _ in range(rnd.randrange(4)))
            return b"{" + b",".join(inner) + b"}"
        return rnd.choice(RAW) if rnd.random() < 0.2 else b"null"

    def own(self, usual: tuple[str, ...]) -> bytes:
        """A value of a key, rarely an odd one."""
        return self.rnd.choice(RAW) if self.rnd.random() < 0.02 else self.rnd.choice(usual).encode()

    def text(self) -> bytes:
        """A string."""
        text = self.rnd.choice(TEXTS)
        if self.rnd.random() < 0.15:
            text = "n" * self.rnd.choice(LENGTHS) + self.rnd.choice(("", "a", "b", "é"))
        return json.dumps(text, ensure_ascii=self.rnd.random() < 0.5).encode()

    def time(self) -> bytes:
        """A time as profilers write it, or with any other number of digits."""
        rnd = self.rnd
        number = f"{1_736_412_474_730_135 + rnd.randrange(10**6)}.{rnd.randrange(1000):03d}"
        if rnd.random() < 0.3:
            number = self.digits(18)
            if rnd.random() < 0.7:
                number += "." + self.digits(45 if rnd.random() < 0.1 else 12)
        return f'"{number}"'.encode() if rnd.random() < 0.5 else number.encode()

    def digits(self, most: int) -> str:
        """Some digits, now and then one of their neighbours among them."""
        rnd = self.rnd
        text = str(rnd.randrange(10 ** rnd.randrange(1, most + 1)))
        if rnd.random() < 0.05:
            place = rnd.randrange(len(text))
            text = text[:place] + rnd.choice("/:;-+.eE;@\x7f é") + text[place + 1 :]
        return text

    def damaged(self, data: bytes) -> bytes:
        """The same file with something wrong."""
        rnd = self.rnd
        place = rnd.randrange(len(data) + 1)
        match rnd.randrange(5):
            case 0:
                return data[:place]
            case 1:
                return data[:place] + data[place + rnd.randrange(1, 9) :]
            case 2:
                return data[:place] + bytes([rnd.choice(DAMAGE)]) + data[place:]
            case 3:
                return data[:place] + bytes([rnd.choice(DAMAGE)]) + data[place + 1 :]
            case _:
                return data[:place] + data[rnd.randrange(len(data) + 1) :]


def difference(data: bytes, rnd: random.Random, *, whole: bool) -> str:
    """What the two readings of an input do not agree on, "" when they agree.

    Both look at equally long pieces, since where damage ends is told by what follows in one. What
    is read when args are asked for takes another way than what is read without.
    """
    buffer, chunk = 1 << 14, 1 << 19
    if whole and data.startswith((b"[{", HEAD)):
        buffer, chunk = rnd.choice((64, 300, 1 << 14)), rnd.choice((60, 200, 1 << 19))
    for args in (ARGS, ()):
        expected: Reading = read_portable(data, chunk, args)
        found = read_compiled(data, buffer, chunk, args)
        if wrong := next((key for key in expected if expected[key] != found[key]), ""):
            return wrong
    return ""


def main() -> int:
    """Run; returns 1 at the first difference."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    traces, begin = Traces(seed), time.monotonic()
    for number in range(count):
        data, whole = traces.document()
        wrong = difference(data, traces.rnd, whole=whole)
        if wrong:
            print(f"input {number} of seed {seed} differs in {wrong}:\n{data!r}")
            print("portable", read_portable(data)[wrong])
            print("compiled", read_compiled(data)[wrong])
            return 1
        if number % 20_000 == 19_999:
            print(f"{number + 1:,} inputs, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{count:,} inputs of seed {seed}: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
