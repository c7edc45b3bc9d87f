"""What a logger may choose without changing the run must not change what is found in it.

Each sample run is written anew as JSON lines or CSV: with other names, counters, units and layouts. Symptoms, verdict
and first cause must be those of the same run written plainly.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from curvedoc.core.run import Scalar
from curvedoc.diagnose.run import diagnose
from curvedoc.ingest import read_runs
from curvedoc.pipeline import Options, rulebook
from curvedoc.rulebook.location import signals_file

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"
#: Runs of one process; ranks and three loggers at once have tests of their own.
NAMES = sorted(
    p.parent.name for p in SAMPLES.glob("*/expect.yaml") if p.parent.name not in ("two-ranks", "three-loggers")
)
Row = dict[str, float | None]
Story = tuple[str, tuple[str, ...], str | None]
#: Facts of a log and no symptoms of a run: they change with what is logged and where.
GAPS = ("missing-signal", "missing-provenance", "epoch-only-logging", "truncated-log", "step-rewind")


@dataclass(frozen=True)
class Logged:
    """A run as rows, with the role of each metric, its settings and its messages (step, text)."""

    rows: tuple[Row, ...]
    roles: Mapping[str, str]
    config: Mapping[str, Scalar]
    messages: tuple[tuple[int, str], ...]


@cache
def logged(name: str) -> Logged:
    (run,) = read_runs([SAMPLES / name], signals_file=signals_file()).runs
    rows: dict[int, Row] = {}
    for metric in dict.fromkeys(run.points["metric"].to_list()):
        series = run.metric(metric)
        assert series is not None
        for step, value in zip(series.step.tolist(), series.value.tolist(), strict=True):
            rows.setdefault(step, {"step": step})[metric] = value
    roles: dict[str, str] = {}
    for m in run.roles:
        roles.setdefault(m.metric, m.role if not m.label else "")
    told = zip(run.messages["step"].to_list(), run.messages["text"].to_list(), strict=True)
    messages = tuple((-1 if step is None else int(step), str(text)) for step, text in told)
    return Logged(tuple(rows[s] for s in sorted(rows)), roles, run.config, messages)


def json_lines(out: Path, run: Logged) -> None:
    lines, left = [], list(run.messages)
    for row in run.rows:
        # a message belongs to the last step before it
        while left and left[0][0] < (row.get("step") or 0):
            lines.append(left.pop(0)[1])
        lines.append(json.dumps(row))
    (out / "metrics.jsonl").write_text("\n".join([*lines, *(text for _, text in left)]) + "\n")


def comma_separated(out: Path, run: Logged) -> None:
    names = list(dict.fromkeys(k for row in run.rows for k in row))
    with (out / "metrics.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(run.rows)
    if run.messages:
        (out / "stderr.log").write_text("\n".join(text for _, text in run.messages) + "\n")


def story(run: Logged, place: Path, write: Callable[[Path, Logged], None] = json_lines) -> Story:
    """What must stay: the verdict, the symptoms and the first cause."""
    place.mkdir()
    if run.config:
        (place / "config.json").write_text(json.dumps(dict(run.config)))
    write(place, run)
    (read,) = read_runs([place], signals_file=signals_file()).runs
    d = diagnose(read, BOOK)
    found = tuple(sorted(f.symptom for f in d.findings if f.symptom not in GAPS))
    return d.verdict, found, d.causes[0].cause if found and d.causes else None


BOOK = rulebook(Options())


def mapped(run: Logged, change: Callable[[str, float], float | None]) -> Logged:
    """Each value as `change` gives it for the role and the value; None leaves it out."""
    rows = []
    for row in run.rows:
        new = {k: v if k == "step" or v is None else change(run.roles.get(k, ""), v) for k, v in row.items()}
        rows.append({k: v for k, v in new.items() if v is not None})
    return replace(run, rows=tuple(r for r in rows if len(r) > 1))


def renamed(names: Mapping[str, str]) -> Callable[[Logged], Logged]:
    def change(run: Logged) -> Logged:
        first = {role: metric for metric, role in reversed(run.roles.items()) if role in names}
        new = {metric: names[role] for role, metric in first.items()}
        return replace(run, rows=tuple({new.get(k, k): v for k, v in row.items()} for row in run.rows))

    return change


def counted(count: Callable[[int], int]) -> Callable[[Logged], Logged]:
    def change(run: Logged) -> Logged:
        rows = tuple({**row, "step": count(int(row["step"] or 0))} for row in run.rows)
        return replace(run, rows=rows, messages=tuple((count(s) if s >= 0 else s, t) for s, t in run.messages))

    return change


def in_percent(run: Logged) -> Logged:
    return mapped(run, lambda role, v: 100 * v if role.endswith("accuracy") else v)


def with_nulls(run: Logged) -> Logged:
    """Training and evaluation in rows of their own, each with a null for what it lacks."""
    names = list(dict.fromkeys(k for row in run.rows for k in row))
    rows: list[Row] = []
    for row in run.rows:
        val = {k: v for k, v in row.items() if run.roles.get(k, "").startswith("val_")}
        train = {k: v for k, v in row.items() if k not in val and k != "step"}
        rows += [{k: part.get(k) for k in names} | {"step": row["step"]} for part in (train, val) if part]
    return replace(run, rows=tuple(rows))


def in_digits(run: Logged) -> Logged:
    return mapped(run, lambda _, v: float(f"{v:.5g}"))


NAMINGS: tuple[Mapping[str, str], ...] = (
    {"loss": "train_loss_step", "val_loss": "val_loss_epoch", "lr": "lr-Adam/pg1", "accuracy": "train_acc",
     "val_accuracy": "val_acc_epoch", "grad_norm": "grad_2.0_norm_total"},
    {"loss": "Loss/train", "val_loss": "Loss/valid", "lr": "optim/learning_rate", "accuracy": "Accuracy/train",
     "val_accuracy": "Accuracy/valid", "grad_norm": "gradients/global_norm"},
    {"loss": "tr_loss", "val_loss": "va_loss", "lr": "lrs/0", "accuracy": "tr_acc", "val_accuracy": "va_acc",
     "grad_norm": "gnorm"},
)  # fmt: skip
SAME: Mapping[str, Callable[[Logged], Logged]] = {
    "steps from one and five digits": lambda run: counted(lambda step: step + 1)(in_digits(run)),
    "accuracy in percent": in_percent,
    "nulls": with_nulls,
}


@pytest.mark.parametrize("change", SAME)
@pytest.mark.parametrize("name", NAMES)
def test_what_a_logger_chooses_changes_no_finding(tmp_path: Path, name: str, change: str) -> None:
    run = SAME[change](logged(name))
    assert run == logged(name) or story(run, tmp_path / "other") == plain(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_other_names_change_no_finding(tmp_path: Path, name: str) -> None:
    run = renamed(NAMINGS[NAMES.index(name) % len(NAMINGS)])(logged(name))
    assert story(run, tmp_path / "other") == plain(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_steps_in_samples_change_no_symptom(tmp_path: Path, name: str) -> None:
    """Causes may change: an epoch of as many steps would be a larger training set."""
    assert story(counted(lambda step: 32 * step)(logged(name)), tmp_path / "other")[:2] == plain(name, tmp_path)[:2]


_PLAIN: dict[str, Story] = {}


def plain(name: str, place: Path) -> Story:
    if name not in _PLAIN:
        _PLAIN[name] = story(logged(name), place / "plain")
    return _PLAIN[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_with_its_messages_in_another_file_changes_no_finding(tmp_path: Path, name: str) -> None:
    assert story(logged(name), tmp_path / "other", comma_separated) == plain(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_of_a_loss_without_anchor_changes_no_finding(tmp_path: Path, name: str) -> None:
    """Without classes, vocabulary and accuracies nothing says how large a loss is."""
    factor = (1e-3, 1e3)[NAMES.index(name) % 2]
    run = mapped(logged(name), lambda role, v: None if role.endswith("accuracy") else v)
    run = replace(run, config={k: v for k, v in run.config.items() if k in ("lr", "batch_size", "optimizer", "seed")})
    naming = re.compile("(?i)class|vocab|label")  # a text may tell the number of classes as well
    run = replace(run, messages=tuple(m for m in run.messages if not naming.search(m[1])))
    losses = ("loss", "val_loss", "test_loss", "aux_loss")
    scaled = mapped(run, lambda role, v: v * factor if role in losses and math.isfinite(v) else v)
    assert story(scaled, tmp_path / "other") == story(run, tmp_path / "plain")
