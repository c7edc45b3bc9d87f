"""Which runs have a section of their own, and beside which healthy one each is drawn."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.frozen import dataclass
from curvedoc.report import words
from curvedoc.report.charts.first_difference import parting
from curvedoc.report.charts.panels import RunPicture
from curvedoc.report.redact import redact_setting
from curvedoc.report.words import value

#: Healthy runs with a section where there are more than a few runs: the nearest of failed ones first.
_FEW, _CALM = 30, 12
#: Settings that are told beside the curves.
_TOLD = 4


@dataclass(frozen=True, slots=True)
class Neighbor:
    """The run that another is drawn beside. settings: what differs, in words; parts: where the curves part."""

    run: str
    word: str  # of its verdict
    settings: tuple[str, ...] = ()
    more: int = 0
    parts: int | None = None


def with_sections(runs: tuple[RunDiagnosis, ...], most: int) -> tuple[RunDiagnosis, ...]:
    """The worst runs, and the healthy ones that they are compared with; all where there are few."""
    if len(runs) <= _FEW:
        return runs
    near = {r.nearest.run for r in runs if r.nearest}
    calm = [r for r in runs if r.verdict == "healthy"]
    calm = sorted(calm, key=lambda r: r.run not in near)[:_CALM]
    told = {r.run for r in runs if r.verdict != "healthy"} | {r.run for r in calm}
    chosen = tuple(r for r in runs if r.run in told)
    if len(chosen) <= most:
        return chosen
    return (*chosen[: most - 1], calm[0]) if calm and calm[0] not in chosen[:most] else chosen[:most]


def references(
    runs: tuple[RunDiagnosis, ...], pictures: tuple[RunPicture, ...], pairs: Mapping[str, str]
) -> dict[str, Neighbor]:
    """For each run the one that it is drawn beside: as `pairs` says, else its nearest or the baseline, else the first
    healthy one; always one that shares its first panel and its axis. What a text calls the nearest is what is drawn.
    """
    drawn = {r.run: (r, p) for r, p in zip(runs, pictures, strict=True) if p.panels}
    calm = [name for name, (r, _) in drawn.items() if r.verdict == "healthy"]
    out = {}
    for name, (run, pic) in drawn.items():
        near = run.nearest.run if run.nearest else ""
        wanted = [pairs[name]] if name in pairs else [near] if near else [] if run.verdict == "healthy" else calm
        for other in wanted:
            if other == name or other not in drawn:
                continue
            sibling, its = drawn[other]
            if its.axis_key(sibling.axis) == pic.axis_key(run.axis):
                out[name] = _neighbor(run, pic, sibling, its)
                break
    return out


def _neighbor(run: RunDiagnosis, pic: RunPicture, other: RunDiagnosis, its: RunPicture) -> Neighbor:
    apart = run.nearest.settings if run.nearest and run.nearest.run == other.run else ()
    said = tuple(f"{s.key} {_word(s.key, s.here)}, there {_word(s.key, s.there)}" for s in apart[:_TOLD])
    parts = parting(pic.panels[0].curves[0], its.panels[0].curves[0])
    return Neighbor(other.run, words.VERDICTS[other.verdict][1].lower(), said, max(0, len(apart) - _TOLD), parts)


def _word(key: str, setting: object) -> str:
    if setting is None:
        return "not set"
    if isinstance(setting, bool) or not isinstance(setting, int | float):
        return redact_setting(key, str(setting))[:40]
    return value(float(setting))
