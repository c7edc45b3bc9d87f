"""What an ending says in words, and the causes that its message names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from curvedoc.core.diagnosis import Evidence, Finding, KnownFact, RunEnding
from curvedoc.core.notes import Note, NoteKind
from curvedoc.diagnose.ending.course import Course
from curvedoc.diagnose.ending.ending import Ending
from curvedoc.diagnose.ending.said import Said
from curvedoc.diagnose.ending.words import EndingWord
from curvedoc.diagnose.sentence.counter import Counter

#: The notice of a run that did not get where it was going, and the fact behind it.
NOTICE, FACT = "ended-early", "ending"
#: What kills a process from outside also has a cause of its own; what someone did on purpose has none.
_CAUSES: Mapping[str, str | None] = {
    "time-limit": "time-limit", "preempted": "preemption", "killed": "killed-run", "by-hand": None,
}  # fmt: skip
#: A message names the cause outright; what the rule thought of before keeps the rest.
_SHARE = 0.8
#: What ends a run from outside, whatever its curves did.
OUTSIDE = frozenset(("by-hand", "time-limit", "preempted", "killed", "hardware", "disk"))
#: Messages of a job that somebody took back, which is told in their own words.
_CANCELLED = "cancelled"
_SAID = "the log says: "
#: Characters by which two quotes of one message are known, each of which may be cut.
_COMPARED = 40
HAPPENED: Mapping[EndingWord, str] = {
    "finished": "Finished", "early-stopping": "Stopped early by its own rule", "by-hand": "Stopped by hand",
    "time-limit": "Out of time", "preempted": "Preempted", "killed": "Killed", "hardware": "Lost its hardware",
    "disk": "Lost its storage", "crash": "Crashed", "cut-off": "Cut off", "running": "Still running",
}  # fmt: skip


def as_note(ending: Ending) -> tuple[Note, ...]:
    """The ending as a note that rules and facts can ask for: kind "ended-<value>", or "perhaps-<value>" for a guess."""
    if ending.value is None:
        return ()
    kind = f"{'ended' if ending.trust == 'sure' else 'perhaps'}-{ending.value}"
    # the list of kinds holds each of them, which the type of a composed text cannot say
    return (Note(cast(NoteKind, kind), ending.because),)


def with_reason(facts: Mapping[str, KnownFact], ending: Ending) -> dict[str, KnownFact]:
    """The facts with what told of the ending in its own words, unless the user said how the run ended."""
    known = facts.get(FACT)
    if known is None or ending.value is None or known.value != ending.value.replace("-", "_"):
        return dict(facts)
    return {**facts, FACT: replace(known, known_by=ending.known_by, because=ending.because)}


def record(ending: Ending, course: Course | None) -> RunEnding:
    """The ending for the diagnosis."""
    m = ending.message
    return RunEnding(
        ending.value, ending.trust, ending.known_by, ending.because, ending.step,
        course.done if course else None, course.planned if course else None, course.unit if course else "",
        str(m.frame) if m is not None and m.frame is not None else "", dict(m.captured) if m is not None else {},
    )  # fmt: skip


def happened(ending: Ending, course: Course | None, count: Counter, last: int | None) -> str:
    """What happened where, in a few words: "Killed at step 696 of 2,000", "The job was cancelled after epoch 8"."""
    what = HAPPENED[ending.value] if ending.value is not None else "Ended"
    if ending.message is not None and ending.message.group.id == _CANCELLED:
        what = ending.message.group.title
    if course is not None:
        return f"{what} at {course.words}"
    return what if last is None else f"{what} after {count.at(last)}"


def with_causes(findings: Sequence[Finding], told: Sequence[Said], ending: Ending, title: str) -> tuple[Finding, ...]:
    """The findings with the causes that the last messages name, and the notice of an early end in its own words.

    Where the program's own error is a finding, that is what ended the run, and the notice would say it twice.
    """
    own = {symptom for s in told if s.last for symptom in s.group.symptoms} | {"crash-traceback"}
    died = any(f.kind == "pathology" and f.symptom in own for f in findings)
    return tuple(
        _early(f, ending, title) if f.symptom == NOTICE else _caused(f, told, ending)
        for f in findings
        if f.symptom != NOTICE or not died
    )


def _early(f: Finding, ending: Ending, title: str) -> Finding:
    said = Evidence(f"{ending.because} ({ending.known_by})")
    cause = ending.message.group.cause if ending.message is not None else None
    if cause is None and ending.value is not None and ending.value in _CAUSES:
        cause = _CAUSES[ending.value]
        if cause is None:
            return replace(f, title=title, evidence=(said,), causes=())
    return replace(f, title=title, evidence=(said,), causes=_shares(f, cause) if cause else f.causes)


def _caused(f: Finding, told: Sequence[Said], ending: Ending) -> Finding:
    if f.kind != "pathology":
        return f
    fits = [s for s in told if s.last and f.symptom in s.group.symptoms and s.group.cause and s.ending != "note"]
    if not fits:
        return f
    chosen = ending.message if ending.message in fits else fits[0]
    if chosen is None or chosen.group.cause is None:
        return f
    place = f" at {chosen.frame}" if chosen.frame is not None else ""
    code = f": {chosen.frame.code}" if chosen.frame is not None and chosen.frame.code else ""
    said = f.evidence[1:] if f.evidence and f.evidence[0].text.startswith(_SAID) else f.evidence
    more = (Evidence(f"the user's code was{place}{code}"),) if place else ()
    shares, heard = _shares(f, chosen.group.cause), (Evidence(_SAID + chosen.line), *said, *more)
    return replace(f, title=_quoting(f.title, chosen.line), causes=shares, evidence=heard)


def _quoting(title: str, line: str) -> str:
    """The title of a crash with the message that ended the run, where it quotes an earlier one."""
    what, colon, quoted = title.partition(": ")
    start = quoted.rstrip("…")[:_COMPARED]
    return title if not colon or not what.startswith("Crashed") or start in line else f"{what}: {line}"


def _shares(f: Finding, cause: str) -> tuple[tuple[str, float], ...]:
    rest = [(c, s) for c, s in f.causes if c != cause]
    total = sum(s for _, s in rest)
    if not total:
        return ((cause, 1.0),)
    return ((cause, _SHARE), *((c, (1.0 - _SHARE) * s / total) for c, s in rest))
