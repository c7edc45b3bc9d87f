"""A diagnosis with the user's own patterns masked in every text: what `--redact` does before any view is drawn."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from curvedoc.core.diagnosis import Diagnosis, KnownFact, RunDiagnosis
from curvedoc.core.errors import UsageError
from curvedoc.report.redact import MASK

#: Fields that hold ids of ours and words of a fixed list: a pattern that hit them would break the document.
_OURS = frozenset(
    {
        "symptom", "cause", "kind", "severity", "verdict", "role", "answer", "cost", "yes", "no", "explained_by",
        "rules_digest", "version", "causes", "signature", "needs", "format", "level", "axis", "trust",
    }
)  # fmt: skip
Mask = Callable[[str], str]


def masker(patterns: Sequence[str]) -> Mask:
    """A function that masks every match of the regular expressions. Raises UsageError for a wrong one."""
    compiled = []
    for text in patterns:
        try:
            compiled.append(re.compile(text))
        except re.error as error:
            raise UsageError(f"'{text}' is not a regular expression: {error}", "--redact") from error

    def mask(text: str) -> str:
        for pattern in compiled:
            text = pattern.sub(lambda m: MASK if m[0] else "", text)
        return text

    return mask


def masked(d: Diagnosis, mask: Mask) -> Diagnosis:
    """The diagnosis with names, sentences, messages, settings and paths masked; numbers and ids stay.

    Runs whose names become equal are numbered, in their order, so that each is still one run.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for run in d.runs:
        name = wanted = mask(run.run)
        if name != run.run:
            count = 2
            while name in taken:
                name, count = f"{wanted} ({count})", count + 1
        names[run.run] = name
        taken.add(name)
    runs = tuple(_named(_masked(r, mask), r, names) for r in d.runs)
    groups = tuple(
        dataclasses.replace(g, runs=tuple(names.get(n, mask(n)) for n in g.runs),
                            representative=names.get(g.representative, mask(g.representative)),
                            contrasts=_masked(g.contrasts, mask))
        for g in d.groups
    )  # fmt: skip
    rest = {"contrasts": _masked(d.contrasts, mask), "unreadable": _masked(d.unreadable, mask)}
    return dataclasses.replace(d, runs=runs, groups=groups, **rest)


def _named(made: RunDiagnosis, run: RunDiagnosis, names: Mapping[str, str]) -> RunDiagnosis:
    """The masked run under its new name, beside the new name of its nearest healthy one."""
    near = made.nearest
    if near is not None and run.nearest is not None:
        near = dataclasses.replace(near, run=names.get(run.nearest.run, near.run))
    return dataclasses.replace(made, run=names[run.run], nearest=near)


def _masked(value: Any, mask: Mask) -> Any:
    match value:
        case str():
            return mask(value)
        case tuple():
            return tuple(_masked(v, mask) for v in value) if value and not _numbers(value) else value
        case Mapping():
            return {mask(k): _masked(v, mask) for k, v in value.items()}
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for f in dataclasses.fields(value):
        part = getattr(value, f.name)
        # `causes` of a run are texts, those of a finding are (id, share)
        if f.name in _OURS and (f.name != "causes" or not part or isinstance(part[0], tuple)):
            continue
        if f.name == "findings" and part and isinstance(part[0], str):
            continue  # symptoms that name a cause
        made = _told(part, mask) if f.name == "facts" else _masked(part, mask)
        if made is not part:
            changed[f.name] = made
    return dataclasses.replace(value, **changed) if changed else value


def _told(facts: Mapping[str, KnownFact], mask: Mask) -> dict[str, KnownFact]:
    """Facts with their sentences and texts masked; their names, units and other values are ours."""
    return {
        k: dataclasses.replace(
            v,
            value=mask(v.value) if isinstance(v.value, str) else v.value,
            because=mask(v.because),
            doubt=None if v.doubt is None else mask(v.doubt),
        )
        for k, v in facts.items()
    }


def _numbers(value: tuple[Any, ...]) -> bool:
    """Whether these are the columns of a curve, which are long and hold no text."""
    return isinstance(value[0], (int, float)) and not isinstance(value[0], bool)
