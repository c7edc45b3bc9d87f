"""Headlines and first actions with the values, units and places of the run that they are about."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import curvedoc
from curvedoc.core.diagnosis import RunDiagnosis


def told(folder: Path, text: str) -> RunDiagnosis:
    (folder / "run.jsonl" if text.startswith("{") else folder / "train.log").write_text(text)
    return curvedoc.analyze(folder).runs[0]


def lines(**columns: np.ndarray) -> str:
    n = len(next(iter(columns.values())))
    rows = ({"step": 10 * i, **{k: float(v[i]) for k, v in columns.items()}} for i in range(n))
    return "\n".join(json.dumps(r) for r in rows)


def wave(n: int, size: float) -> np.ndarray:
    return size * np.sin(np.arange(n) ** 2.0)


def test_memory_that_climbs_is_told_in_its_unit(tmp_path: Path) -> None:
    i = np.arange(60.0)
    run = told(tmp_path, lines(loss=2.3 * np.exp(-i / 30) + wave(60, 0.01), gpu_mem_gb=4 + i / 20))
    growth = next(f for f in run.findings if f.symptom == "memory-growth")
    assert "from 4 to 6.95 GB" in growth.title and "GB" in growth.evidence[0].text


def test_what_fills_the_memory_is_named_where_its_line_failed(tmp_path: Path) -> None:
    rows = [f"step {i} loss {2.3 * 0.97**i + 0.01 * np.sin(i * i):.4f} mem_mb {400 + 9 * i}" for i in range(80)]
    end = [
        "Traceback (most recent call last):",
        '  File "fit.py", line 71, in <module>',
        "    history.append(net(x))",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.",
    ]
    run = told(tmp_path, "\n".join([*rows, *end]) + "\n")
    assert run.next_action is not None
    assert run.next_action.text.startswith("Detach what history.append(net(x)) keeps at fit.py:71")


def test_a_loss_that_a_resume_lost_for_good_is_no_mere_divergence(tmp_path: Path) -> None:
    fell = 2.3 * np.exp(-np.arange(100) / 30) + 0.1
    again = 0.3 + 1.6 * np.exp(-np.arange(60) / 90)
    rows = [(i, v) for i, v in enumerate(fell)] + [(70 + i, v + 0.6) for i, v in enumerate(again)]
    log = "\n".join(f"step {i} loss {v + 0.01 * np.sin(i * i):.4f}" for i, v in rows)
    run = told(tmp_path, log + "\n")
    assert run.headline.startswith("When the run was taken up again at step 70 the loss stood at about 2.4")
    assert "never came back" in run.headline and "without all of its state" in run.headline
    assert run.next_action is not None and "before step 70" in run.next_action.text


def test_a_rate_that_was_too_high_in_its_warm_up_is_told_as_it_was_then(tmp_path: Path) -> None:
    i = np.arange(200.0)
    lr = np.where(i < 100, 0.008 * i, 0.8)
    loss = np.where(i < 60, 2.3 * np.exp(-i / 25) + 0.4, np.minimum(0.6 * np.exp((i - 60) / 6), 9.0))
    run = told(tmp_path, lines(loss=loss + wave(200, 0.02), lr=lr))
    assert "rising from 0 to 0.8 when the loss turned" in run.headline, run.headline
