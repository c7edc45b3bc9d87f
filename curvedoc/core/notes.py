"""Notes: what was remarked while a run was read or judged, one per kind and file, with first place and count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from curvedoc.core.frozen import dataclass

#: All kinds; `note.<kind>` in a rule asks for one.
NoteKind = Literal[
    # the file and its bytes
    "bad-checksum", "damaged", "deleted-runs", "empty", "journal-unread", "lfs-pointer", "locked", "long-lines",
    "needs-zstd", "legacy-encoding", "no-clean-end", "no-exit-record", "not-a-log", "not-utf8", "nul-bytes", "skipped",
    "thinned", "too-large", "truncated", "unknown-schema", "unreadable", "unshared", "zero-tail",
    # records, columns and names
    "bad-cells", "batches-averaged", "duplicate-columns", "duplicate-curves", "duplicate-file", "duplicate-keys",
    "garbage-lines", "long-lists", "many-shapes", "media-skipped", "messages-capped", "no-header", "no-metrics",
    "no-scalars", "part-window", "ragged-rows", "repeated-header", "summary-row", "too-deep", "too-many-keys",
    "values-held",
    # values
    "aggregated", "log-of-perplexity", "looks-averaged", "looks-sampled", "nan-as-missing", "nan-filtered",
    "nan-for-missing", "null-as-nan", "null-values", "numbers-as-strings", "sum-of-terms", "zero-values",
    # steps and clocks
    "bad-time", "clock-goes-back", "data-again", "gaps-at-random", "interval-grows", "no-step", "several-tasks",
    "step-filled", "step-from-epoch", "step-from-order", "step-from-row", "step-from-samples", "step-guessed",
    "step-rewind", "step-unrolled", "steps-again",
    # the diagnosis
    "rule-failed", "worse-than-siblings",
    # how the run ended, for rules and facts alone
    "ended-finished", "ended-early-stopping", "ended-by-hand", "ended-time-limit", "ended-preempted", "ended-killed",
    "ended-hardware", "ended-disk", "ended-crash", "ended-cut-off", "ended-running",
    "perhaps-finished", "perhaps-cut-off", "perhaps-running",
]  # fmt: skip
NOTE_KINDS: frozenset[str] = frozenset(get_args(NoteKind))


@dataclass(frozen=True, slots=True)
class Note:
    """One remark, coalesced: one per cause and file, with its first place and its count."""

    kind: str  # one of `NoteKind`; a saved diagnosis may hold one of another version
    text: str
    line: int | None = None
    offset: int | None = None
    count: int = 1

    if TYPE_CHECKING:  # a kind that is not listed is an error where the note is made

        def __init__(
            self, kind: NoteKind, text: str, line: int | None = None, offset: int | None = None, count: int = 1
        ) -> None: ...


def unknown_kind(kind: str) -> str:
    """What to say of a kind that no note has, with the likely one; "" for one that some note has."""
    if kind in NOTE_KINDS:
        return ""
    import difflib

    close = difflib.get_close_matches(kind, NOTE_KINDS, n=1)
    return f"no note is called '{kind}'" + (f"; did you mean note.{close[0]}?" if close else "")


def coalesce(notes: Iterable[Note]) -> tuple[Note, ...]:
    """One note per kind, in order of first appearance: the first place and text, the sum of the counts."""
    found: dict[str, Note] = {}
    for note in notes:
        first = found.get(note.kind)
        found[note.kind] = note if first is None else replace(first, count=first.count + note.count)
    return tuple(found.values())


class NoteTally:
    """Counts what a reader of a binary log meets, cause by cause: the first place of each and how often.

    texts: cause -> (kind of the note, its text)
    """

    def __init__(self, texts: Mapping[str, tuple[NoteKind, str]]) -> None:
        self._texts = texts
        self._met: dict[str, tuple[int | None, int]] = {}

    def add(self, cause: str, offset: int | None = None, count: int = 1) -> None:
        """One more of a cause; the lowest offset is the one that is told."""
        first, before = self._met.get(cause, (offset, 0))
        if offset is not None and (first is None or offset < first):
            first = offset
        self._met[cause] = (first, before + count)

    def __contains__(self, cause: str) -> bool:
        return cause in self._met

    def count(self, cause: str) -> int:
        """How often a cause was met."""
        return self._met.get(cause, (None, 0))[1]

    def notes(self) -> tuple[Note, ...]:
        """The notes, by offset."""
        met = sorted(self._met.items(), key=lambda kv: (-1 if kv[1][0] is None else kv[1][0], kv[0]))
        return tuple(Note(*self._texts[cause], offset=at, count=n) for cause, (at, n) in met)
