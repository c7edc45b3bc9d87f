"""The runs that an ablation judges.

Labelled sets, sample logs, re-enacted faults, drawn runs that are healthy or turn, and the cases of all rules, causes
and facts. Of most of them a second one is made that shows less: only its first rows, only its first third, only
its losses, or no settings. So a guard against what is missing is not taken for one against nothing.

A labeled set is a folder with a labels.jsonl and a folder for each run.
"""

from __future__ import annotations

import logging
import pickle
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from curvedoc.core.block import part
from curvedoc.core.errors import CurvedocError, UsageError
from curvedoc.core.run import Run
from curvedoc.diagnose.cases import build
from curvedoc.evaluate.labels import LABELS, Label, read_labels
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import load, signals_file

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

DRAWN_HEALTHY, DRAWN_TURNS = 500, 150
#: What a run is cut down to: rows of its loss, share of its steps.
FIRST_ROWS, FIRST_SHARE = 7, 0.35
LOSSES = ("loss", "val_loss")


@dataclass(frozen=True)
class JudgedRun:
    """A run and what is known of it: its label where it has one, and whether nothing is wrong with it."""

    name: str
    run: Run
    label: Label | None = None
    healthy: bool = False


def read(place: Path) -> list[Run]:
    """The runs of a folder; none where nothing can be read."""
    try:
        return list(read_runs([place], signals={}, signals_file=signals_file()).runs)
    except CurvedocError:
        return []


def labeled(folder: Path) -> Iterator[JudgedRun]:
    """The runs of a folder; with their labels where it has any."""
    labels: dict[str, Label] = {}
    if (folder / LABELS).is_file():
        with suppress(UsageError):  # labels of another kind
            labels = {label.key: label for label in read_labels(folder)[1]}
    for place in sorted(p for p in folder.iterdir() if p.is_dir()):
        for run in read(place):
            label = labels.get(place.name) or labels.get(f"{place.name}::{run.name}")
            yield JudgedRun(f"{folder.name}/{place.name}/{run.name}", run, label, label is not None and label.benign)


def reenacted(place: Path) -> Iterator[JudgedRun]:
    """Every fault and every lookalike that the tests re-enact."""
    import reenact_curves
    import reenact_layers
    import reenact_schedule
    import reenact_texts
    import reenact_validation
    from reenact_cases import FAULTS, LOOKALIKES

    assert all((reenact_curves, reenact_layers, reenact_schedule, reenact_texts, reenact_validation))
    logging.getLogger("tensorboardX").setLevel(logging.ERROR)
    for kind, makers in (("fault", FAULTS), ("lookalike", LOOKALIKES)):
        for symptom, maker in makers.items():
            folder = place / f"{kind}-{symptom}"
            folder.mkdir()
            maker(folder)
            yield from (JudgedRun(f"re-enacted/{kind}-{symptom}", run) for run in read(folder))


def drawn() -> Iterator[JudgedRun]:
    """Drawn healthy runs of every kind, and drawn validation curves of which most turn."""
    from helpers.drawn import run_of
    from helpers.healthy_runs import healthy_run
    from helpers.learning_curves import drawn_run

    for i in range(DRAWN_HEALTHY):
        made = healthy_run(i)
        yield JudgedRun(f"healthy/{i}", run_of(made.signals, f"healthy {i}", made.settings), healthy=True)
    for i in range(DRAWN_TURNS):
        turn = drawn_run(i)
        yield JudgedRun(f"turn/{i}", run_of({"loss": turn.train, "val_loss": turn.val}, f"turn {i}"))


def cases() -> Iterator[JudgedRun]:
    """The cases of the book, each judged by every rule."""
    book = load()
    for file in (*book.rules, *book.causes.values(), *book.facts.values()):
        for i, case in enumerate(file.tests):
            yield JudgedRun(f"case/{file.id}/{i}", build(case, case, case.name, getattr(case, "ranks", None)))


def lessened(runs: Sequence[JudgedRun]) -> Iterator[JudgedRun]:
    """Every run that logs a loss once more, with less of it to be seen."""
    ways = (_first_rows, _first_share, _losses, _bare)
    for i, judged in enumerate(runs):
        loss = judged.run.series("loss")
        if loss is not None and len(loss) > FIRST_ROWS:
            way = ways[i % len(ways)]
            yield JudgedRun(f"{judged.name} ({way.__name__.strip('_')})", way(judged.run))


def _first_rows(run: Run) -> Run:
    loss = run.series("loss")
    assert loss is not None
    return _until(run, int(loss.step[FIRST_ROWS - 1]))


def _first_share(run: Run) -> Run:
    loss = run.series("loss")
    assert loss is not None
    return _until(run, int(loss.step[0] + FIRST_SHARE * (loss.step[-1] - loss.step[0])))


def _losses(run: Run) -> Run:
    return replace(run, roles=tuple(m for m in run.roles if m.role in LOSSES))


def _bare(run: Run) -> Run:
    return replace(run, settings={}, config={})


def _until(run: Run, step: int) -> Run:
    blocks = [part(b, b.rank, np.flatnonzero(b.step <= step)) for b in run.blocks]
    return replace(run, data=tuple(b for b in blocks if len(b)))


def gathered(folders: Sequence[Path], keep: Path | None = None) -> list[JudgedRun]:
    """All of them. keep: a file in which they are kept from one call to the next; delete it when readers change."""
    if keep is not None and keep.is_file():
        found: list[JudgedRun] = pickle.loads(keep.read_bytes())
        return found
    made = _gathered(folders)
    if keep is not None:
        keep.write_bytes(pickle.dumps(made))
    return made


def _gathered(folders: Sequence[Path]) -> list[JudgedRun]:
    found = [r for folder in (*folders, ROOT / "sample_logs") for r in labeled(folder)]
    with tempfile.TemporaryDirectory() as place:
        found += reenacted(Path(place))
    found += drawn()
    return [*found, *lessened(found), *cases()]
