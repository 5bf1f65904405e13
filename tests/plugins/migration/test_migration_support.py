"""The support list of torch, and what is told of it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from plugins.migration.core import support
from plugins.migration.core.model import CHIPS, TORCH_VERSIONS, ScanContext
from plugins.migration.core.rules.support import CONDITIONS
from plugins.migration.core.scan import scan_text
from studio.kernel.catalogue import read_po

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
ROOT = Path(__file__).resolve().parents[3]


def told(code: str, torch: str = "2.8", chip: str = "A2") -> list[tuple[int, str, str]]:
    result = scan_text(HEAD + code, Path("a.py"), ScanContext(torch, chip))
    return [
        ((f.location.line or 0) - 3, f.rule.removeprefix("torch-api-"), str(f.facts["name"]))
        for f in result.findings
        if f.rule.startswith("torch-api-")
    ]


TOLD = {
    "r = nn.GRU(3, 3)": [(1, "unsupported", "torch.nn.GRU")],
    "from torch.nn import GRU as G\nr = G(3, 3)": [(2, "unsupported", "torch.nn.GRU")],
    "class R(nn.RNN):\n    pass": [(1, "unsupported", "torch.nn.RNN")],
    "x = torch.ones(3)\nx.mode()": [(2, "unsupported", "torch.Tensor.mode")],
    "f = torch.std_mean\nf(x)": [(1, "unsupported", "torch.std_mean")],
    "y = F.gelu(x.double())": [(1, "dtype", "torch.nn.functional.gelu")],
    "x = torch.zeros(2, dtype=torch.double)\ny = F.gelu(x.view(1, 2))": [
        (2, "dtype", "torch.nn.functional.gelu")
    ],
    "y = F.gelu(x.to(torch.float64))": [(1, "dtype", "torch.nn.functional.gelu")],
    "y = torch.logsumexp(x.bfloat16(), 0)": [(1, "dtype", "torch.logsumexp")],
    "y = torch.slogdet(x)\nz = torch.slogdet(x)": [(1, "fallback", "torch.slogdet")],
    "y = F.selu(x)": [(1, "condition", "torch.nn.functional.selu")],
}
SILENT = (
    "r = nn.Linear(3, 3)",
    "p = nn.Parameter(x.double())",
    "opt = torch.optim.Adam(ps); opt.step()",
    "opt = torch.optim.Adam(ps)",
    "d = torch.utils.data.DataLoader(s.double())",
    "x.mode()",
    "import pandas as pd\ndf = pd.DataFrame()\ndf.mode()",
    "class T:\n    def mode(self): pass\nT().mode()",
    "y = F.gelu(x)",
    "y = F.gelu(x.float())",
    "y = F.gelu(x.double().float())",
    "y = torch.no_such_thing(x)",
    "'torch.nn.GRU'",
    "# nn.GRU(3, 3)",
    "r = nn.LSTM(3, 3)",
    "GRU = 3\nprint(GRU)",
    "if isinstance(m, (nn.Linear, nn.GRU)): pass",
    "def f(m: nn.GRU | None) -> nn.GRU: ...",
    "Cells = list[nn.GRU]",
    "is_cell = type(m) is nn.GRU",
    "n = torch.zeros(2, dtype=torch.int32).numel()",
    "torch = fish\n",
)


@pytest.mark.parametrize("code", TOLD)
def test_what_is_told(code: str) -> None:
    assert told(code) == TOLD[code]


@pytest.mark.parametrize("code", SILENT)
def test_what_is_not_told(code: str) -> None:
    assert told(code) == []


def test_verdicts_follow_version_and_chip() -> None:
    assert told("r = nn.GRU(3, 3)", "2.10") == [(1, "unsupported", "torch.nn.GRU")]
    assert told("r = nn.GRU(3, 3)", "2.13") == []
    assert told("r = nn.GRU(3, 3, dropout=0.1)", "2.13") == [(1, "condition", "torch.nn.GRU")]
    assert not told("x = torch.nansum(y)", "2.13", "A2")
    assert told("x = torch.nansum(y)", "2.13", "950DT") == [(1, "unsupported", "torch.nansum")]
    assert support.judged("torch.nansum", "2.8", "950DT").verdict == "not stated"


def test_every_row_of_the_reference_is_told_as_it_stands(shared: Path) -> None:
    place = shared / "data" / "migration" / "torch_npu_native_api_support.csv"
    columns = dict(zip(CHIPS, ("a2_train", "a3_train", "ascend_950dt"), strict=True))
    with place.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) > 26_000
    for row in rows:
        if row["api"] in support.overrides():
            continue
        for chip, column in columns.items():
            known = support.judged(row["api"], row["torch_version"], chip)
            if row[column] == "N":
                assert known.verdict == "unsupported", row
            elif row[column] != "Y":
                assert known.verdict == "not stated", row
            else:
                assert (known.verdict == "supported") == (row["status"] == "supported"), row
            assert known.dtypes == set(row["dtypes_allowed"].split())
            assert row["source"].rpartition("/")[0] in known.source
            assert row["source_version"] in known.source


def test_names_that_torch_exports_twice_are_one(shared: Path) -> None:
    with (shared / "data" / "migration" / "torch_alias_groups.csv").open(
        encoding="utf-8"
    ) as stream:
        for row in csv.DictReader(stream):
            listed = support.canonical(row["name"])
            assert listed == row["canonical_in_support_list"] or row["name"] in support.listing()
            assert listed in support.listing()
    known = support.judged("torch.nn.Parameter", "2.8", "A2")
    assert known.name == "torch.nn.parameter.Parameter"


def test_names_are_counted_by_their_canonical_name() -> None:
    code = "p = nn.Parameter(x)\nq = nn.parameter.Parameter(x)\nr = torch.no_such_thing(1)\n"
    result = scan_text(HEAD + code, Path("a.py"))
    assert result.apis == {"torch.nn.parameter.Parameter": 2, "torch.no_such_thing": 1}


def test_conditions_and_reasons_are_translated() -> None:
    catalogue = read_po(ROOT / "plugins" / "migration" / "locale" / "zh_CN.po")
    texts = {*CONDITIONS.values(), *(reason for _, reason, _ in support.overrides().values())}
    assert texts <= set(catalogue)


def test_every_version_has_its_source() -> None:
    assert tuple(support.origins()) == TORCH_VERSIONS
