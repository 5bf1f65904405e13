import re
from pathlib import Path

from studio.formats.faults import FAULT_KINDS, KEPT_PLACES, FaultLog
from studio.kernel.catalogue import read_po

ROOT = Path(__file__).resolve().parents[2]


def test_faults_are_counted_by_kind_with_their_first_places():
    log = FaultLog()
    log.add("b", 50)
    log.add("a", 70)
    log.add("b", 20)
    log.add("c")
    log.add_all("a", range(100, 300))
    first, second, third = log.faults()
    assert (first.kind, first.count, first.first, first.places) == ("b", 2, 20, (20, 50))
    assert (second.kind, second.count, second.first) == ("a", 201, 70)
    assert len(second.places) == KEPT_PLACES
    assert (third.kind, third.count, third.first) == ("c", 1, None)
    assert log.count("a") == 201
    assert log.count("d") == 0


def test_every_kind_is_listed_and_translated():
    used = set()
    for package in ("formats", "trace"):
        for path in (ROOT / "studio" / package).glob("*.py"):
            text = path.read_text(encoding="utf-8")
            used |= set(re.findall(r'(?:\.add(?:_all)?|_blame)\(\s*"([^"]+)"', text))
    assert used - set(FAULT_KINDS) == set()
    catalogue = read_po(ROOT / "resources" / "locale" / "zh_CN.po")
    assert [kind for kind in FAULT_KINDS if kind not in catalogue] == []
