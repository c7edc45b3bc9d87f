"""labels.jsonl -> what is known about every labeled run, and the units that are judged together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from curvedoc.core.errors import UsageError

LABELS = "labels.jsonl"
#: Errors shown before the rest is only counted.
MOST_ERRORS = 10


class Label(BaseModel):
    """One row: a run (or one run inside a file of several), what is wrong with it and what may be said of it.

    run is a path relative to the labels file. A fault with `manifested` false could not be told from its healthy twin
    and is not counted. `benign` rows must raise no pathology outside accept_symptoms and also_fine.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    run: str
    subrun: str | None = None
    group: str | None = None
    fault: str = "none"
    family: str = ""
    benign: bool = False
    manifested: bool = True
    accept_symptoms: tuple[str, ...] = ()
    also_fine: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    accept_causes: tuple[str, ...] = ()
    onset_step: float | None = None
    last_step: float | None = None
    task: str = ""
    arch: str = ""
    logger: str = ""

    @property
    def key(self) -> str:
        """The name under which a diagnosis of this run is looked up."""
        return f"{self.run}::{self.subrun}" if self.subrun else self.run


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged as one: a run, or all members of a group by the label of its first."""

    name: str
    members: tuple[str, ...]  # keys of labels
    label: Label


def read_labels(path: Path) -> tuple[Path, tuple[Label, ...]]:
    """The directory of the labeled runs and the labels. path: a labels file, or a directory that holds labels.jsonl.

    Raises UsageError with every row that is wrong (the first few), and for a file without a row.
    """
    path = path / LABELS if path.is_dir() else path
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot be read: {error}", str(path), "give a labels.jsonl that lies beside its runs"
        ) from error
    labels: list[Label] = []
    wrong: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            labels.append(Label.model_validate(json.loads(line)))
        except json.JSONDecodeError as error:
            wrong.append(f"line {number}: not JSON: {error.msg}")
        except ValidationError as error:
            first = error.errors()[0]
            wrong.append(f"line {number}: {'.'.join(str(p) for p in first['loc'])}: {first['msg']}")
    if wrong:
        more = f"; {len(wrong) - MOST_ERRORS} more" if len(wrong) > MOST_ERRORS else ""
        raise UsageError("; ".join(wrong[:MOST_ERRORS]) + more, str(path))
    if not labels:
        raise UsageError("no label in the file", str(path), "one JSON object a line, with at least `run`")
    return path.parent, tuple(labels)


def units(labels: Sequence[Label]) -> tuple[Unit, ...]:
    """One unit per run, sub-run or group, in the order of the labels."""
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(f"group {label.group}" if label.group else f"run {label.key}", []).append(label)
    return tuple(
        Unit(members[0].group or members[0].key, tuple(m.key for m in members), members[0])
        for members in groups.values()
    )
