"""For each failed run the healthy one whose configuration differs least, and in what."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from curvedoc.core.diagnosis import Differing, Nearest, RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Scalar
from curvedoc.diagnose.siblings.contrast import CAUSES
from curvedoc.diagnose.siblings.families import (
    DERIVED,
    LENGTHS,
    MOST_KEYS_OF_SWEEP,
    NAMING,
    Value,
    identity,
    is_identifier,
    normal,
)
from curvedoc.diagnose.siblings.outline import Outline
from curvedoc.ingest.naming.canonical_settings import settings_of
from curvedoc.ingest.naming.signals import Signals, load_signals
from curvedoc.rulebook.location import signals_file

#: Distinct healthy configurations that a failed run is compared with; of more, every so-many-th.
MOST_HEALTHY = 2000
#: Of those that differ in equally few keys, how many are looked at for the closest values.
MOST_TIES = 50
#: Classes are read off the loss and may be told as 9 of 10; half as many again are those of another task.
OTHER_TASK = 1.5
#: Keys that the sentence names.
TOLD = 6
_WORD = 40
_SECRET = late_regex(r"pass(?:word|wd|phrase)|secret|credential|api_?key|(?:^|[._-])token$", re.IGNORECASE)
#: Settings whose difference is known to decide runs; the others follow by name.
_TELLING = frozenset(key for key, _ in CAUSES)


@dataclass(frozen=True, slots=True)
class _Row:
    """A run with its comparable settings."""

    name: str
    settings: Mapping[str, Value]
    seed: Scalar | None
    classes: float = math.nan  # as far as the log tells


def nearest(outlines: Sequence[Outline], done: Sequence[RunDiagnosis]) -> Mapping[str, Nearest]:
    """Failed run -> its nearest healthy one: fewest differing keys, then closest values, then one seed.

    Compared are runs that agree in model, data set, project and the name of their loss. Seeds, paths, times and names
    are no differences. None where no healthy run logs the same settings for the most part and differs in at most
    `MOST_KEYS_OF_SWEEP` keys, or where nothing but such names was logged; none for a run whose failure a message of
    its own log explains.
    """
    told = {d.run: d for d in done if not _explained(d)}
    if not any(d.verdict == "failed" for d in done) or not any(d.verdict == "healthy" for d in done):
        return {}
    groups: dict[object, list[Outline]] = defaultdict(list)
    for o in outlines:
        if o.config and o.name in told and told[o.name].verdict in ("failed", "healthy"):
            loss = next((s.metric for s in told[o.name].signals if s.role == "loss"), "")
            groups[loss, identity(o)].append(o)
    groups = {k: g for k, g in groups.items() if len({told[o.name].verdict for o in g}) == 2}
    if not groups:
        return {}
    table = load_signals(signals_file())
    out: dict[str, Nearest] = {}
    memo: dict[object, Mapping[str, Scalar]] = {}
    for members in groups.values():
        rows = [
            _Row(o.name, _comparable(o, table, memo), o.settings.get("seed"), _classes(told[o.name])) for o in members
        ]
        out.update(_of_group(rows, {r.name for r in rows if told[r.name].verdict == "failed"}))
    return out


def differing(own: Outline, other: Outline, called: str) -> Nearest:
    """In what the settings of a run differ from those of one other, which is `called` so."""
    table = load_signals(signals_file())
    rows = [_Row(o.name, _comparable(o, table, {}), o.settings.get("seed")) for o in (own, other)]
    keys = sorted({k for row in rows for k in row.settings})
    return _told(rows[0], rows[1], keys, called)


def _classes(d: RunDiagnosis) -> float:
    known = d.facts.get("classes")
    return float(known.value) if known is not None and isinstance(known.value, int | float) else math.nan


def _explained(d: RunDiagnosis) -> bool:
    """Whether what leads the story of a failed run is a message: no other run's setting says more than it does."""
    lead = next((f for f in d.findings if f.kind == "pathology"), None)
    return lead is not None and any(e.text.startswith("the log says: ") for e in lead.evidence[:1])


def _comparable(run: Outline, table: Signals, memo: dict[object, Mapping[str, Scalar]]) -> Mapping[str, Value]:
    """Settings by canonical name, then raw ones that no canonical one stands for."""
    out: dict[str, Value] = {k: normal(v) for k, v in run.settings.items() if k not in (*LENGTHS, *DERIVED, "seed")}
    for key, value in run.config.items():
        # how far a counter runs was printed, not set
        if NAMING.search(key) or _SECRET.search(key) or key.startswith("printed."):
            continue
        mark = (key, type(value), value)
        if mark not in memo:
            memo[mark] = settings_of({key: value}, table)
        alias = memo[mark]
        if not {"seed", *LENGTHS, *DERIVED} & set(alias) and not any(
            k in out and normal(v) == out[k] for k, v in alias.items()
        ):
            out.setdefault(key, normal(value))
    return out


def _of_group(rows: Sequence[_Row], failed: set[str]) -> dict[str, Nearest]:
    """The nearest of each failed run of one group; work grows with failed runs times distinct healthy ones."""
    names = sorted({k for r in rows for k in r.settings})
    columns = {k: tuple(r.settings.get(k) for r in rows) for k in names}
    keys = [k for k, values in columns.items() if len(set(map(str, values))) > 1 and not is_identifier(values)]
    if not names or all(is_identifier(v) for v in columns.values()):
        return {}
    codes = np.zeros((len(rows), len(keys)), dtype=np.int32)
    for j, key in enumerate(keys):
        order: dict[str, int] = {}
        codes[:, j] = [order.setdefault(str(v), len(order)) for v in columns[key]]
    alike: dict[bytes, list[_Row]] = defaultdict(list)  # healthy runs of one configuration
    for i, row in enumerate(rows):
        if row.name not in failed:
            alike[codes[i].tobytes()].append(row)
    healthy = _distinct([i for i, r in enumerate(rows) if r.name not in failed], codes, rows)
    named = np.array([[k in r.settings for k in names] for r in rows])
    others = [(place, o) for place, h in enumerate(healthy) for o in alike[codes[h].tobytes()]]
    places, classes = np.array([place for place, _ in others]), np.array([o.classes for _, o in others])
    out = {}
    for i, row in enumerate(rows):
        if row.name in failed:
            able = np.zeros(len(healthy), dtype=np.bool_)
            able[places[_of_one_task(row.classes, classes)]] = True
            near = healthy[_of_one_script(named[healthy], named[i]) & able]
            apart = (codes[near] != codes[i]).sum(axis=1)
            least = int(apart.min(initial=MOST_KEYS_OF_SWEEP + 1))
            if least <= MOST_KEYS_OF_SWEEP:
                found = [alike[codes[near[t]].tobytes()] for t in np.flatnonzero(apart == least)[:MOST_TIES]]
                ties = [[o for o in same if _of_one_task(row.classes, o.classes)] for same in found]
                best = min(ties, key=lambda same: (_distance(row, same[0], keys), same[0].name))
                out[row.name] = _told(row, next((r for r in best if r.seed == row.seed), best[0]), keys)
    return out


def _of_one_task(own: float, others: np.ndarray | float) -> np.ndarray:
    """Which of other runs may learn the same, by their classes: these are told roughly, and not always (NaN)."""
    apart: np.ndarray = np.fmax(own, others) > OTHER_TASK * np.fmin(own, others)
    return ~apart


def _of_one_script(others: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Which of other runs log the same settings for the most part, bool [n]: where most keys stand in one of the two
    only, the runs come from different scripts, and "not set" would be no difference but another way of logging. Two
    that log none have nothing to be compared by."""
    shared = (others & own).sum(axis=1)
    both: np.ndarray = (shared > 0) & (shared >= (others ^ own).sum(axis=1))
    return both


def _distinct(healthy: Sequence[int], codes: np.ndarray, rows: Sequence[_Row]) -> np.ndarray:
    """One healthy run of each configuration, the first by name, and no more than `MOST_HEALTHY`."""
    seen: dict[bytes, int] = {}
    for i in sorted(healthy, key=lambda i: rows[i].name):
        seen.setdefault(codes[i].tobytes(), i)
    chosen = np.array(list(seen.values()), dtype=np.int64)
    if len(chosen) > MOST_HEALTHY:
        chosen = chosen[np.linspace(0, len(chosen) - 1, MOST_HEALTHY).astype(np.int64)]
    return chosen


def _distance(a: _Row, b: _Row, keys: Sequence[str]) -> float:
    """How far values lie apart, 0..1 a key: numbers by their ratio, anything else wholly."""
    total = 0.0
    for key in keys:
        x, y = a.settings.get(key), b.settings.get(key)
        if str(x) == str(y):
            continue
        if isinstance(x, float) and isinstance(y, float) and x * y > 0 and math.isfinite(x) and math.isfinite(y):
            total += 1 - min(abs(x), abs(y)) / max(abs(x), abs(y))
        else:
            total += 1
    return total


def _told(row: _Row, other: _Row, keys: Sequence[str], called: str = "nearest healthy run") -> Nearest:
    apart = [k for k in keys if str(row.settings.get(k)) != str(other.settings.get(k))]
    apart.sort(key=lambda k: (k not in _TELLING, k))
    settings = tuple(Differing(k, row.settings.get(k), other.settings.get(k)) for k in apart)
    if not apart:
        seeds = ""
        if row.seed is not None and other.seed is not None and row.seed != other.seed:
            seeds = f" but the seed ({_word(row.seed)} here, {_word(other.seed)} there)"
        return Nearest(other.name, (), f"{called}: {other.name}; no logged setting differs{seeds}")
    said = [f"{s.key} {_here(s.here)} ({_word(s.there)} there)" for s in settings[:TOLD]]
    more = f", and {len(apart) - TOLD} more" if len(apart) > TOLD else ""
    return Nearest(other.name, settings, f"{called}: {other.name}; here {', '.join(said)}{more}")


def _here(value: Scalar | None) -> str:
    return "is not set" if value is None else f"is {_word(value)}"


def _word(value: Scalar | None) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return spelled(value, ".6g") if math.isfinite(value) else str(value)
    return value if len(value) <= _WORD else value[: _WORD - 1] + "…"
