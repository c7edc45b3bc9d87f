"""What each probe prints, written by a made-up writer into a log, is kept whole and leaves the training as it was."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from corpus import SIGNALS

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import load

CAUSES = sorted(name for name, cause in load().causes.items() if cause.probe)
STEPS = 60
LOSS = [round(0.3 + 2.0 / (1 + i / 9) + 0.01 * (i * 7 % 5), 4) for i in range(STEPS)]
#: What trains by itself prints steps and losses as any training does.
TRAINS = ("capacity-too-low",)
LAYERS = ("encoder.0.weight", "encoder.0.bias", "encoder.2.weight", "head.weight")


def value(part: ast.FormattedValue, k: int) -> str:
    """One value as its format prints it: a number where the format is of numbers, else a layer or a count."""
    spec = "".join(v.value for v in part.format_spec.values if isinstance(v, ast.Constant)) if part.format_spec else ""
    if spec.endswith("s") or (isinstance(part.value, ast.Name) and part.value.id in ("name", "shapes", "state")):
        return format(LAYERS[k % len(LAYERS)], spec)
    if spec:
        return format(1000 * (k + 1) + 7 if spec.endswith((",", "d")) else 0.0137 * (k + 1), spec)
    if isinstance(part.value, ast.IfExp) and isinstance(part.value.body, ast.Constant):
        return str(part.value.body.value)
    return str(3 + k)


def text_of(node: ast.expr, k: int) -> str:
    """What an argument of `print` could print."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            value(p, k) if isinstance(p, ast.FormattedValue) else str(p.value)
            for p in node.values  # type: ignore[attr-defined]
        )
    if isinstance(node, ast.BinOp):
        return text_of(node.left, k)
    if isinstance(node, ast.Constant):
        return str(node.value)
    return str({layer: round(0.011 * (k + 1) * (i + 1), 4) for i, layer in enumerate(LAYERS[:3])})


def output(cause: str) -> list[str]:
    """The lines of a probe, each print of a line four times over with other values, of a whole dictionary once."""
    tree = ast.parse(load().causes[cause].probe or "")
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "print"]
    return [
        " ".join(text_of(a, k) for a in call.args)
        for call in calls
        for k in range(4 if any(isinstance(a, ast.JoinedStr) for a in call.args) else 1)
    ]


def log(said: list[str], at: int) -> str:
    """A training that prints a probe's lines before one of its steps."""
    rows = [f"step {i}: loss {v}" for i, v in enumerate(LOSS)]
    return "\n".join([*rows[:at], *said, *rows[at:]]) + "\n"


def told(run: Run) -> str:
    """All that was kept of a log: names, values, messages and settings."""
    curves = [f"{m} {' '.join(map(repr, s.value.tolist()))}" for m in run.metrics() if (s := run.metric(m)) is not None]
    return "\n".join([*curves, *run.messages["text"].to_list(), *map(repr, run.config.items())])


def words(line: str) -> list[str]:
    """The words and numbers of a line that are more than a letter or two."""
    return [w for w in (w.strip("{}[]()'\",:") for w in line.split()) if len(w) > 2]


@pytest.mark.parametrize("at", [0, STEPS // 2, STEPS])
@pytest.mark.parametrize("cause", [c for c in CAUSES if c not in TRAINS])
def test_what_a_probe_prints_leaves_the_training_as_it_was(tmp_path: Path, cause: str, at: int) -> None:
    said = output(cause)
    (tmp_path / "train.log").write_text(log(said, at))
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    main = next(iter(run.matches("loss")))
    series = run.metric(main.metric)
    assert series is not None
    kept = dict(zip(series.step.tolist(), series.value.tolist(), strict=True))
    assert {i: kept.get(i) for i in range(STEPS)} == dict(enumerate(LOSS))
    assert not {m.role for m in run.roles} & {"val_loss", "lr", "reward", "accuracy"}


@pytest.mark.parametrize("cause", CAUSES)
def test_what_a_probe_prints_is_kept(tmp_path: Path, cause: str) -> None:
    said = output(cause)
    (tmp_path / "train.log").write_text(log(said, STEPS // 2))
    (run,) = read_runs([tmp_path], signals_file=SIGNALS).runs
    whole = told(run)
    lost = [line for line in said if line.strip() and not any(w in whole for w in (line, *words(line)))]
    assert not lost
