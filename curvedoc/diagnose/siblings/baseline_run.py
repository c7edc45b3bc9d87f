"""Every run beside the one that the user names as the baseline: where its loss ends, and which settings differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.errors import UsageError
from curvedoc.core.source import Note
from curvedoc.diagnose.siblings.contrast import LEAST_SPREAD
from curvedoc.diagnose.siblings.nearest import differing
from curvedoc.diagnose.siblings.outline import Outline
from curvedoc.diagnose.siblings.splits import number


def beside_baseline(outlines: Sequence[Outline], done: Sequence[RunDiagnosis], name: str) -> list[RunDiagnosis]:
    """The diagnoses, each with the baseline in place of its nearest healthy run, and a note where its loss ends worse.

    One run alone says nothing of the spread between runs: the distance is told, and no verdict depends on it. name: of
    a run, or the end of its path. Raises UsageError where it names none or several.
    """
    by = {o.name: o for o in outlines}
    base = by[_chosen(name, sorted(by))]
    told = []
    for d in done:
        own = by.get(d.run)
        if own is None or own is base:
            told.append(d)
            continue
        note = _note(own, base)
        told.append(replace(d, nearest=differing(own, base, "baseline run"), notes=(*d.notes, *note)))
    return told


def _note(own: Outline, base: Outline) -> Sequence[Note]:
    if own.end is None or base.end is None or own.end - base.end <= LEAST_SPREAD * abs(base.end):
        return ()
    return (
        Note(
            "worse-than-siblings",
            f"The loss ends at {number(own.end)}, that of the baseline run {base.name} at {number(base.end)}.",
        ),
    )


def _chosen(name: str, names: Sequence[str]) -> str:
    wanted = name.strip("/")
    ends = (f"/{wanted}", f"::{wanted}")
    found = [n for n in names if n == wanted] or [n for n in names if n.endswith(ends)]
    if len(found) == 1:
        return found[0]
    import difflib

    close = difflib.get_close_matches(wanted, names, n=3) or names[:5]
    several = f"'{name}' names {len(found)} runs" if found else f"no run '{name}'"
    raise UsageError(several, "--baseline-run", "one of: " + ", ".join(found[:5] or close))
