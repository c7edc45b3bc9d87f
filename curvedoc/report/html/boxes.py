"""The groups of a triage and the share of each verdict, as the page's template prints them."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.overlay import Overlay, overlay
from curvedoc.report.inbox import InboxGroup, inbox, lost_unit, lost_words
from curvedoc.report.summary import Summary

#: Groups that are told; smaller ones are in the table.
_MOST = 20


@dataclass(frozen=True, slots=True)
class Box:
    """One group with its picture. id: the section of its representative."""

    group: InboxGroup
    picture: Overlay | None
    id: str
    lost: str
    count: int


@dataclass(frozen=True, slots=True)
class Part:
    """One verdict's part of a bar of 1,000."""

    style: str
    start: float
    width: float
    text: str


def boxes(d: Diagnosis, ids: Mapping[str, str]) -> tuple[Box, ...]:
    """The groups of several runs, the first `_MOST`."""
    unit = lost_unit(d.runs)
    return tuple(
        Box(g, overlay(g.head, g.runs), ids.get(g.head.run, ""), lost_words(g.lost, unit), len(g.runs))
        for g in inbox(d)[:_MOST]
    )


def share_bar(head: Summary) -> tuple[Part, ...]:
    """One part for each verdict, worst first."""
    total, at, out = sum(n for _, n in head.counts), 0.0, []
    for verdict, n in head.counts:
        width = 1000 * n / total
        out.append(Part(words.VERDICTS[verdict][2], round(at, 1), round(width, 1), words.verdicts(verdict, n)))
        at += width
    return tuple(out)
