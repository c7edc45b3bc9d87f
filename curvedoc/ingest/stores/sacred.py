"""Sacred's run.json: how the run ended, with the traceback of one that failed. Its curves lie in metrics.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import pointer, read_bytes, text_bytes
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.objects import document
from curvedoc.ingest.table.messages import JsonMessage, frame

NAME = "sacred"
FILES: tuple[str, ...] = ("run.json",)
ABOUT = "Sacred's run.json: how the run ended, and the traceback of one that failed"

#: What stands in every such file.
_KEYS = (b'"heartbeat"', b'"experiment"', b'"status"')


def claims(path: Path, head: bytes) -> bool:
    """run.json by name and by what Sacred writes into it."""
    return path.name == "run.json" and all(key in head for key in _KEYS)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file, without points: the state as configuration, the traceback as a message."""
    return [_read(path) for path in paths]


def _read(path: Path) -> Log:
    data, notes = read_bytes(path, 1 << 24)
    stand_in = pointer(data)
    if stand_in is not None:
        return Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))
    clean, more = text_bytes(data)
    state = document(clean)
    if not isinstance(state, Mapping):
        return Log(path, NAME, notes=(*notes, *more, Note("damaged", "no JSON object")), bytes=len(data))
    status = str(state.get("status", ""))
    trace = state.get("fail_trace")
    lines = "".join(str(part) for part in trace) if isinstance(trace, list) else ""
    messages = [JsonMessage(1, lines, "TRACEBACK", None, 0)] if lines else []
    return Log(
        path,
        NAME,
        messages=frame(messages, lambda _: None),
        config={"sacred.status": status} if status else {},
        notes=(*notes, *more),
        bytes=len(data),
        is_text=bool(messages),
    )
