"""Reading series from the logs of training programs."""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING

import pytest

from studio.formats.training_lines import canonical
from studio.formats.training_log import read_training_log
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path


def log(folder: Path, text: str, name: str = "train.log") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_logs_of_the_trainer(tmp_path: Path) -> None:
    text = (
        "Loading…\n"
        "{'loss': 2.5, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.01, 'step': 10}\n"
        "\x1b[32m 10%|█ | 1/10\r"
        "{'loss': '2.25', 'grad_norm': 0.5, 'epoch': 0.02, 'step': 20}\x1b[0m\n"
        "{'eval_loss': 2.0, 'epoch': 0.02, 'step': 20}\n"
        "{'train_runtime': 3.0, 'train_loss': 9.0, 'epoch': 1.0}\n"
    )
    found = read_training_log(log(tmp_path, text))
    assert (found.kind, found.counted) == ("trainer", False)
    assert found.get("loss").latest() == {10: 2.5, 20: 2.25}
    assert found.get("loss").lines == (2, 3)
    assert found.get("eval_loss").latest() == {20: 2.0}
    assert math.isnan(found.get("grad_norm").latest()[10])
    assert found.get("learning_rate").values == (1e-5,)


def test_logs_without_steps_are_counted(tmp_path: Path) -> None:
    found = read_training_log(log(tmp_path, "{'loss': 2.5, 'epoch': 0.1}\n{'loss': 2.0}\n"))
    assert found.counted
    assert found.get("loss").latest() == {1: 2.5, 2: 2.0}


@pytest.mark.parametrize(
    ("line", "odd"),
    [
        ("{{'loss': {loss}, 'step': {step}}}", ["nan", "inf", "-inf", "1e300"]),
        ("iteration {step}/ 100 | lm loss: {loss} | grad norm: 1.0 |", ["9" * 5000, "9" * 30]),
        ("step:[{step}/ 100], loss: {loss}", ["9" * 5000]),
        ("step {step}, loss: {loss}", ["9" * 5000]),
        ("Epoch:[{step}/ 1], step:[ 4/ 100], loss: {loss}", ["9" * 5000]),
    ],
)
def test_a_step_that_is_no_number_of_one_spoils_no_log(
    tmp_path: Path, line: str, odd: list[str]
) -> None:
    lines = [line.format(step=step, loss=9.5) for step in odd]
    good = [line.format(step=step, loss=step / 2) for step in (1, 2)]
    found = read_training_log(log(tmp_path, "\n".join([good[0], *lines, good[1]]) + "\n"))
    assert found.get("loss").values[0] == 0.5
    assert found.get("loss").values[-1] == 1.0
    assert max(found.get("loss").latest()) < 10**15


def test_logs_of_megatron(tmp_path: Path) -> None:
    text = (
        " [2026-01-01 00:00:00] iteration      100/    5000 | consumed samples:  800 | elapsed "
        "time per iteration (ms): 512.3 | learning rate: 1.500E-04 | batch size: 8 | lm loss: "
        "6.25E+00 | loss scale: 1.0 | grad norm: 1.125 | number of skipped iterations: 0 |\n"
        " iteration      200/    5000 | lm loss: inf | grad norm: nan |\n"
    )
    found = read_training_log(log(tmp_path, text))
    assert found.kind == "megatron"
    assert found.get("loss").latest() == {100: 6.25, 200: math.inf}
    assert found.get("learning_rate").latest() == {100: 1.5e-4}
    assert found.get("grad_norm").values[0] == 1.125


def test_logs_of_mindformers(tmp_path: Path) -> None:
    line = (
        "2026-01-01 - mindformers[callback.py:747] - INFO - {{ Epoch:[{e:3d}/  2], step:[{s:5d}/"
        "   16], loss:[{loss}/4.2], per_step_time: 36ms, lr: 0.00011, overflow cond: False, "
        "loss_scale: 1.0, global_norm: [0.478], train_throughput_per_npu: 0.001T\n"
    )
    text = line.format(e=1, s=16, loss=4.5) + line.format(e=2, s=1, loss=4.25)
    text += "{ step:[   40/ 1000], loss: 3.5, lm_loss: 3.25, lr: 1e-3, grad_norm: 0.5 }\n"
    found = read_training_log(log(tmp_path, text))
    assert found.kind == "mindformers"
    assert found.get("loss").latest() == {16: 4.5, 17: 4.25, 40: 3.5}
    assert found.get("lm_loss").latest() == {40: 3.25}
    assert found.get("grad_norm").values == (0.478, 0.478, 0.5)


def test_other_texts_and_own_patterns(tmp_path: Path) -> None:
    path = log(tmp_path, "step 5: loss=1.5 acc=0.5\nIter 6, loss 7\nStep: 7 Loss: 1.25\n")
    assert read_training_log(path).get("loss").latest() == {5: 1.5, 7: 1.25}
    path = log(tmp_path, "E1 I5 -> L 0.5\nE1 I6 -> L nan\nloss\n")
    pattern = r"I(?P<step>\d+) -> L (?P<loss>\S+)"
    found = read_training_log(path, pattern)
    assert found.get("loss").steps == (5, 6)
    with pytest.raises(StudioError, match="needs groups named"):
        read_training_log(path, r"I(\d+)")
    with pytest.raises(StudioError, match="no regular expression"):
        read_training_log(path, r"(?P<loss>")


def test_json_and_csv(tmp_path: Path) -> None:
    lines = '{"current_steps": 1, "loss": 2.0, "lr": 1e-5}\n{"current_steps": 2, "loss": 1.5}\nx\n'
    found = read_training_log(log(tmp_path, lines, "trainer_log.jsonl"))
    assert (found.kind, found.get("loss").latest()) == ("json", {1: 2.0, 2: 1.5})
    state = {"log_history": [{"step": 5, "loss": 1.0}, {"step": 5, "eval_loss": 0.5}]}
    found = read_training_log(log(tmp_path, json.dumps(state), "trainer_state.json"))
    assert found.get("eval_loss").latest() == {5: 0.5}
    found = read_training_log(log(tmp_path, "Step,Train Loss\n1,2.5\n2,nan\n", "x.csv"))
    assert found.get("loss").latest()[1] == 2.5
    assert math.isnan(found.get("loss").latest()[2])


def field(number: int, kind: int, data: bytes) -> bytes:
    head = bytes([number << 3 | kind])
    return head + (bytes([len(data)]) + data if kind == 2 else data)


def event(step: int, tag: str, value: bytes) -> bytes:
    entry = field(1, 2, tag.encode()) + value
    data = field(1, 1, struct.pack("<d", 1.0)) + field(2, 0, bytes([step]))
    data += field(5, 2, field(1, 2, entry))
    return struct.pack("<Q", len(data)) + b"crc." + data + b"crc."


def test_event_files(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1.host"
    simple = field(2, 5, struct.pack("<f", 2.5))
    tensor = field(8, 2, field(5, 5, struct.pack("<f", 0.25)))
    scalar = field(3, 5, struct.pack("<f", 1.5))
    data = event(1, "train/loss", simple) + event(2, "train/loss", scalar)
    data += event(2, "grad-norm", tensor)
    path.write_bytes(data + event(3, "train/loss", simple)[:-3])
    found = read_training_log(path)
    assert found.kind == "events"
    assert found.get("loss").latest() == {1: 2.5, 2: 1.5}
    assert found.get("grad_norm").latest() == {2: 0.25}


def test_real_logs(shared: Path) -> None:
    folder = shared / "data" / "mindspore"
    found = read_training_log(folder / "mindformers" / "logs" / "train_tiny_llama_console.log")
    assert len(found.get("loss").steps) == 32
    assert found.get("loss").latest()[32] == 4.052591
    (events,) = (folder / "mindformers" / "tensorboard").rglob("*tfevents*")
    board = read_training_log(events)
    for step, value in found.get("loss").latest().items():
        assert board.get("loss").latest()[step] == pytest.approx(value, abs=1e-6)
    (summary,) = (folder / "summary" / "run_lr0.02_seed1").rglob("*_MS")
    assert len(read_training_log(summary).get("loss").steps) == 52


def test_what_is_no_log_is_told(tmp_path: Path) -> None:
    for name, text in (("a.log", "nothing"), ("a.json", "{"), ("a.csv", ""), ("b.log", "")):
        with pytest.raises(StudioError, match="no training log"):
            read_training_log(log(tmp_path, text, name))
    with pytest.raises(StudioError, match="absent"):
        read_training_log(tmp_path / "absent.log")
    with pytest.raises(StudioError, match="folder"):
        read_training_log(tmp_path)
    found = read_training_log(log(tmp_path, "step 1 loss: 2\n"))
    with pytest.raises(StudioError, match="no series “gain”; it has: loss"):
        found.get("gain")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("lm loss", "loss"), ("Global-Norm", "grad_norm"), ("LR", "learning_rate"),
     ("train/loss", "loss"), ("mtp_loss", "mtp_loss"), ("Some Thing", "some_thing")],
)  # fmt: skip
def test_one_name_for_each_quantity(name: str, wanted: str) -> None:
    assert canonical(name) == wanted
    assert canonical("lm_loss", ["loss", "lm_loss"]) == "lm_loss"


def test_names_and_numbers_between_bars(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "$ python train.py --steps 200\n"
        "step    1 | loss 5.5470 | grad norm 1.546 | lr 3.0e-04 | 35.4 ms | 3620 tokens/s\n"
        "step    2 | loss nan | grad norm 1.589 | lr 3.0e-04 | 11.7 ms | 10917 tokens/s\n"
        "done on the CPU\n"
    )
    log = read_training_log(path)
    assert list(log.series) == ["loss", "grad_norm", "learning_rate"]
    assert log.series["grad_norm"].latest() == {1: 1.546, 2: 1.589}
    assert log.series["learning_rate"].lines == (2, 3)
    assert log.series["loss"].values[0] == 5.547
    assert log.series["loss"].values[1] != log.series["loss"].values[1]
