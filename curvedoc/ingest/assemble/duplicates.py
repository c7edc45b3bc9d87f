"""One curve logged in several places: the richest copy stays, the others are told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from curvedoc.core.run import Note
from curvedoc.ingest.assemble.likeness import decimals, finesse, same_curve, size
from curvedoc.ingest.assemble.stream_curves import StreamBlock
from curvedoc.ingest.naming.metric_name import FROM, read_name
from curvedoc.ingest.naming.signals import Signals


def drop_copies(
    strands: Sequence[StreamBlock], table: Signals, files: Mapping[int, str], worth: Mapping[int, int]
) -> tuple[list[StreamBlock], list[Note]]:
    """The strands without those that another stream has too, under the same name or another name of the same role.

    Two streams that log different things under one name keep both: the poorer gets its file's name added. `files`
    names each stream, `worth` ranks it (0 best): a copy with real steps beats one whose records were counted.
    """
    if len({s.stream for s in strands}) < 2:
        return list(strands), []
    fine = _fine(strands)
    order = sorted(
        range(len(strands)),
        key=lambda i: (
            -worth[strands[i].stream],
            size(len(strands[i])),
            fine[strands[i].stream],
            finesse(strands[i]),
        ),
        reverse=True,
    )
    kept: list[int] = []
    copies: dict[tuple[int, int], list[str]] = defaultdict(list)
    index: dict[tuple[str, int], list[int]] = defaultdict(list)
    for i in order:
        s = strands[i]
        keys = _keys(s, table)
        rivals = dict.fromkeys(j for k in keys for j in index[k] if strands[j].stream != s.stream)
        twin = next((j for j in rivals if same_curve(strands[j], s)), None)
        if twin is not None:
            copies[strands[twin].stream, s.stream].append(s.metric)
            continue
        kept.append(i)
        for k in keys:
            index[k].append(i)
    notes = [
        Note(
            "duplicate-curves",
            f"{files[b]} repeats {files[a]} in {_some(names)}; the fuller copy counts",
            count=len(names),
        )
        for (a, b), names in sorted(copies.items())
    ]
    return _told_apart([strands[i] for i in sorted(kept)], files), notes


def _fine(strands: Sequence[StreamBlock]) -> dict[int, tuple[float, int]]:
    """How good each stream is as a whole, in digits per curve, then points: of equal copies all are taken from one
    stream, for files may count their steps from 0 and from 1."""
    digits: dict[int, list[int]] = defaultdict(list)
    points: dict[int, int] = defaultdict(int)
    for s in strands:
        digits[s.stream].append(decimals(s.value))
        points[s.stream] += len(s)
    return {stream: (sum(d) / len(d), points[stream]) for stream, d in digits.items()}


def _keys(s: StreamBlock, table: Signals) -> list[tuple[str, int]]:
    """What a strand's copy in another file could be found under."""
    keys = [(f"={s.metric}", s.rank)]
    reading = read_name(s.metric, table)
    if reading is not None:
        keys.append((f"{reading.role}:{reading.label}", s.rank))
    return keys


def _told_apart(strands: list[StreamBlock], files: Mapping[int, str]) -> list[StreamBlock]:
    """Strands of one name and rank from different streams: joined where one goes on after the other, else renamed."""
    homes: dict[str, int] = {}
    for s in sorted(strands, key=len, reverse=True):
        homes.setdefault(s.metric, s.stream)
    return [
        s if homes[s.metric] == s.stream else replace(s, metric=f"{s.metric}{FROM}{files[s.stream]}") for s in strands
    ]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(n[:60] for n in sorted(set(names))[:3])
    return shown if len(set(names)) <= 3 else f"{shown} and {len(set(names)) - 3} more"
