"""Objects of JSON text that does not parse as a whole."""

from __future__ import annotations

import json
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note

#: Decoding objects one by one after damage may look at this many times the text's length in all.
_MAX_REWORK = 20
_NEXT_OBJECT = late_regex(r'\{\s*"')
_BETWEEN = late_regex(r"[\s,\[\]]*")
#: Objects and lists one inside the other.
_OPENED = late_regex(r'(?:\{\s*"[^"\n]{0,200}"\s*:\s*|\[\s*)+')
_DECODER = json.JSONDecoder()
_WINDOW = 1 << 12
#: A fault this close to the end of a window may be the window's doing ("-Infini").
_TOKEN = 16


def one_by_one(text: str) -> tuple[list[dict[str, Any]], tuple[Note, ...]]:
    """The objects of a torn, damaged or run-together document, one after the other."""
    rows: list[dict[str, Any]] = []
    notes: list[Note] = []
    at, work = 0, 0
    end = len(text.rstrip())
    while True:
        match = _BETWEEN.match(text, at)
        at = match.end() if match else at
        if at >= end:
            break
        value, behind = _decoded(text, at)
        if isinstance(value, dict):
            rows.append(value)
        if value is not None:
            # a text between records may be the end of one whose head is gone, and reach into the next
            stray = _NEXT_OBJECT.search(text, at + 1, behind + 1) if isinstance(value, str) else None
            at = behind if stray is None else stray.start()
            continue
        deep = behind == at
        work += _WINDOW if deep else behind - at
        torn = behind >= end - 1
        offset = None if notes else len(text[:at].encode())
        if torn:
            notes.append(Note("truncated", "the file ends inside a record", offset=offset))
        else:
            notes.append(Note("damaged", "broken records were skipped", offset=offset))
        # what is opened level by level would fail level by level, each time as late
        opened = _OPENED.match(text, at) if deep else None
        following = _NEXT_OBJECT.search(text, opened.end() if opened else at + 1)
        if following is None or work > _MAX_REWORK * len(text):
            break
        at = following.start()
    return rows, tuple(notes)


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """The JSON value at a place and the place behind it; None and the place of the fault where there is none, the
    place itself where it goes too deep.

    The error of a failed parse counts the lines of all the text it was given, so that it is given a little at first.
    """
    size = _WINDOW
    while True:
        window = text[at : at + size]
        try:
            value, end = _DECODER.raw_decode(window)
        except json.JSONDecodeError as e:
            fault = len(window) if "nterminated" in e.msg else e.pos
        except RecursionError:
            return None, at
        except ValueError:
            return None, at + 1
        else:
            # A number can go on behind the window; an object, a list and a text have an end of their own.
            if end < len(window) or at + size >= len(text) or isinstance(value, (dict, list, str)):
                return value, at + end
            fault = len(window)
        if at + size >= len(text) or fault < len(window) - _TOKEN:
            return None, at + fault
        size *= 8
