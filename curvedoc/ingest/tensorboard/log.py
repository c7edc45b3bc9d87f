"""What is gathered of one event file, and the Log made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import polars as pl

from curvedoc.core.block import Block
from curvedoc.core.notes import NoteKind, NoteTally
from curvedoc.core.run import MESSAGES, Note, Scalar, empty_messages
from curvedoc.ingest.contract import Log
from curvedoc.ingest.settings.flatten import settings
from curvedoc.ingest.tensorboard.full_record import EventRecord, parse
from curvedoc.ingest.tensorboard.keras import on_one_axis
from curvedoc.ingest.tensorboard.lone_scalar import parse_scalar

NAME = "tensorboard"

#: Cause -> kind and text of the note that tells of it.
TROUBLE: dict[str, tuple[NoteKind, str]] = {
    "torn": ("truncated", "the file ends inside a record: its writer was killed, or is still writing"),
    "gap": ("damaged", "bytes that are no record were skipped; reading went on at the next good record"),
    "checksum": ("bad-checksum", "records whose checksum is wrong were dropped"),
    "proto": ("damaged", "records with a good checksum hold no valid event and were dropped"),
    "zeros": ("zero-tail", "the file ends in zero bytes: space was reserved but never written"),
    "huge": ("skipped", "records of more than 64 MiB were skipped unread"),
    "media": ("skipped", "values that are no curves (images, audio, tensors of many numbers) were not read"),
    "library": (
        "skipped",
        "texts, histograms and settings were not read: the package tensorboard, which knows their form, cannot be "
        "imported",
    ),
    "thinned": (
        "thinned",
        "a file of more than 6,000,000 points: of its longest curves the lowest and the highest of each stretch, "
        "what is not finite and the end were kept",
    ),
    "clock": ("bad-time", "wall times that are no time (0, negative, NaN or in milliseconds) were left out"),
}

CRLF = "line ends were converted (LF to CRLF, as a copy in text mode does); they were turned back"

#: Text of a message row is cut here.
_MAX_MESSAGE = 8000
#: Message rows of one file (a text summary at every step would fill memory otherwise).
_MAX_MESSAGES = 10_000


class Gathered:
    """One event file while it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.records = 0
        self.tally = NoteTally(TROUBLE)
        self.notes: tuple[Note, ...] = ()
        self.config: dict[str, Scalar] = {}
        self.outcomes: set[str] = set()
        self.ended: bool | None = None
        self.session = False
        self._messages: list[tuple[float | None, int, str]] = []
        self._plugins: dict[str, str] = {}

    def take(self, data: bytes, offset: int) -> EventRecord | None:
        """The event of one record; its settings, texts and troubles are kept here."""
        try:
            event = parse(data, self._plugins)
        except (ImportError, TypeError) as error:  # TypeError: protobuf refuses definitions made for another version
            if isinstance(error, TypeError) and "Descriptors" not in str(error):
                raise
            event = parse_scalar(data)
            if event is None:
                self.tally.add("library", offset)
                return None
        if event is None:
            self.tally.add("proto", offset)
            return None
        self._plugins.update(event.plugins)
        self.outcomes.update(event.outcomes)
        self.session |= bool(event.config or event.outcomes or event.ended is not None)
        self.ended = event.ended if event.ended is not None else self.ended
        if event.skipped:
            self.tally.add("media", offset, event.skipped)
        self._set(event.config, "")
        for tag, text in event.texts:
            found = settings(text)
            self._set(found, tag.removesuffix("/text_summary"))
            if not found and len(self._messages) < _MAX_MESSAGES:
                self._messages.append((clock(event.wall), event.step, text[:_MAX_MESSAGE]))
        return event

    def _set(self, found: Mapping[str, Scalar], owner: str) -> None:
        for key, value in found.items():
            if key in self.config and self.config[key] != value and owner:
                key = f"{owner}.{key}"
            self.config.setdefault(key, value)

    def log(self, blocks: Sequence[Block]) -> Log:
        """The file as a Log; what is no curve among the points goes: results of whole runs (`hparam/...`), and the
        `hp_metric` that Lightning fills with -1 when nothing is logged."""
        blocks, axis = on_one_axis([b for b in blocks if not self._is_result(b)])
        if self.size and not self.records and "gap" in self.tally:
            notes = [*self.notes, Note("not-a-log", "no event record was found in the file", offset=0)]
        else:
            notes = [*self.notes, *self.tally.notes()]
        if not blocks and not self.session and not notes and not self.size:
            notes.append(Note("empty", "the file is empty"))
        elif not blocks and not self.session and self.records:
            notes.append(Note("no-scalars", "the file holds no scalar curve"))
        return Log(
            path=self.path,
            format=NAME,
            data=tuple(blocks),
            messages=self._rows(),
            config=self.config,
            notes=tuple(notes),
            bytes=self.size,
            axis=axis,
            clean_end=self.ended,
        )

    def _is_result(self, b: Block) -> bool:
        if b.metric == "hp_metric" and bool((b.value == -1).all()):
            return True
        return self.session and len(b) == 1 and (b.metric.startswith("hparam/") or b.metric in self.outcomes)

    def _rows(self) -> pl.DataFrame:
        n = len(self._messages)
        if not n:
            return _no_messages()
        return pl.DataFrame(
            {
                "source": [""] * n,
                "line": list(range(1, n + 1)),
                "time": [m[0] for m in self._messages],
                "level": [""] * n,
                "step": [m[1] for m in self._messages],
                "rank": [0] * n,
                "text": [m[2] for m in self._messages],
                "after": [None] * n,
            },
            schema=dict(MESSAGES),
        )


@cache
def _no_messages() -> pl.DataFrame:
    return empty_messages()


def clock(wall: float) -> float | None:
    """A wall time in seconds, None where it is none (0, negative, NaN, or so large that it must be milliseconds)."""
    return wall if 0 < wall < LATEST else None


#: Seconds since the Unix epoch end here (year 5138); a clock in milliseconds lies beyond since 1973.
LATEST = 1e11
