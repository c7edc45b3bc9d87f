"""Messages in JSON logs: loguru and structlog records, and the plain lines and tracebacks between records."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import MESSAGES, empty_messages
from curvedoc.ingest.naming.split_words import ANY_SPLIT
from curvedoc.ingest.table.values import clock, moment, split_of

#: Longest text kept of one message (see `model.MESSAGES`).
MAX_TEXT = 8_000

_LEVELS = {
    "TRACE": "DEBUG", "DEBUG": "DEBUG", "INFO": "INFO", "SUCCESS": "INFO", "NOTICE": "INFO", "WARN": "WARNING",
    "WARNING": "WARNING", "ERR": "ERROR", "ERROR": "ERROR", "EXCEPTION": "ERROR", "FATAL": "CRITICAL",
    "CRITICAL": "CRITICAL",
}  # fmt: skip
_LEVEL = late_regex(r"\b(DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|\b(\w*(?:Warning))\b:")
_TEXT_KEYS = ("message", "msg", "event", "log", "textPayload")
#: What marks a text as a line of output where nothing tells a level: Docker's files, exports of CloudWatch.
_CARRIED = (frozenset(("log", "stream")), frozenset(("message", "ingestionTime")))
#: Where Google's logging puts the record itself.
_PAYLOAD = "jsonPayload"
_LEVEL_KEYS = ("level", "levelname", "log_level", "severity", "lvl")
_TIME_KEYS = ("timestamp", "asctime", "time", "ts", "@timestamp", "created")
_ERROR_KEYS = ("exception", "exc_info", "exc_text", "traceback", "stack_trace")
#: What Python's logging adds to every record, and no curve.
_RECORD_KEYS = (
    "lineno", "line", "levelno", "process", "processName", "thread", "threadName", "msecs", "relativeCreated",
    "func_name", "function", "module", "filename", "pathname", "name", "logger", "file", "stack_info", "args",
    "taskName", "ingestionTime",
)  # fmt: skip
_PAIR = late_regex(
    rf"(?<![\w/.@-])((?:(?i:{ANY_SPLIT}) )?[A-Za-z_][\w/.@-]{{0,60}})\s{{0,4}}(?:[=:]\s{{0,4}}|\s)"
    r"([-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf|NaN|Infinity))(?=[\s,;|)\]}%/]|:\s|$)"
)
_COUNTER = late_regex(r"(global_?)?(step|iter|iteration|epoch|update)s?", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last)"
_CHAINED = ("During handling of the above", "The above exception was the direct")
_MAX_BLOCK = 400


@dataclass(frozen=True, slots=True)
class JsonMessage:
    """One text of a log. `before` is the number of records ahead of it in the file."""

    line: int
    text: str
    level: str
    time: float | None
    before: int


def is_logging(keys: frozenset[str]) -> bool:
    """Whether records of these keys come from a logging library: a text beside a level, or loguru's envelope."""
    if {"text", "record"} <= keys or any(carried <= keys for carried in _CARRIED):
        return True
    if _PAYLOAD in keys:
        return "logName" in keys or "severity" in keys
    return any(k in keys for k in _TEXT_KEYS) and any(k in keys for k in (*_LEVEL_KEYS, *_ERROR_KEYS))


def unpack(row: dict[str, Any], line: int, before: int) -> tuple[dict[str, Any], JsonMessage | None]:
    """The metrics of one logging record (with its time and split) and its message.

    A record that carries metrics is no message, unless it is a warning or worse.
    """
    record = row.get("record")
    if isinstance(record, dict):
        return _loguru(row, record, line, before)
    payload = row.get(_PAYLOAD)
    if isinstance(payload, dict):
        row = {**{k: v for k, v in row.items() if k != _PAYLOAD and not isinstance(v, dict)}, **payload}
    text = next((row[k] for k in _TEXT_KEYS if isinstance(row.get(k), str)), "").rstrip()
    level = _level(next((row[k] for k in _LEVEL_KEYS if k in row), ""))
    stamp = next((row[k] for k in _TIME_KEYS if k in row), None)
    error = next((row[k] for k in _ERROR_KEYS if isinstance(row.get(k), str)), "")
    skip = {*_TEXT_KEYS, *_LEVEL_KEYS, *_TIME_KEYS, *_ERROR_KEYS, *_RECORD_KEYS}
    metrics = {k: v for k, v in row.items() if k not in skip}
    return _parted(metrics, text, level, stamp, error, line, before)


def blocks(loose: Iterable[Any], first: int) -> list[JsonMessage]:
    """The lines between records as messages, a traceback with all of its lines as one."""
    messages: list[JsonMessage] = []
    held: list[Any] = []

    def close() -> None:
        if held:
            text = "\n".join(x.text for x in held)
            messages.append(JsonMessage(held[0].line, text, "TRACEBACK", None, first + held[0].before))
            held.clear()

    ended = False
    for item in loose:
        follows = held and item.line - held[-1].line <= 2 and len(held) < _MAX_BLOCK
        if follows and (not ended or item.text.startswith(_CHAINED) or _TRACEBACK in item.text):
            held.append(item)
            ended = not item.text.startswith((" ", "\t", *_CHAINED)) and _TRACEBACK not in item.text
            continue
        close()
        if _TRACEBACK in item.text:
            held.append(item)
            ended = False
        else:
            messages.append(JsonMessage(item.line, item.text, _found_level(item.text), None, first + item.before))
    close()
    return messages


def frame(
    messages: Sequence[JsonMessage], step_before: Callable[[int], int | None], rank: int = 0, records: int = 0
) -> pl.DataFrame:
    """The messages as a frame; `step_before` gives the last step of the first n of all `records`."""
    if not messages:
        return empty_messages()
    return pl.DataFrame(
        {
            "source": [""] * len(messages),
            "line": [m.line for m in messages],
            "time": [m.time for m in messages],
            "level": [m.level for m in messages],
            "step": [step_before(m.before) for m in messages],
            "rank": [rank] * len(messages),
            "text": [clean(m.text[:MAX_TEXT]) for m in messages],
            "after": [records - m.before if records else None for m in messages],
        },
        schema=dict(MESSAGES),
    )


def clean(text: str) -> str:
    """The text without lone surrogates, which no frame can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _loguru(
    row: dict[str, Any], record: dict[str, Any], line: int, before: int
) -> tuple[dict[str, Any], JsonMessage | None]:
    extra = record.get("extra")
    metrics = dict(extra) if isinstance(extra, dict) else {}
    when = record.get("time")
    stamp = when.get("timestamp", when.get("repr")) if isinstance(when, dict) else when
    level = record.get("level")
    name = level.get("name", "") if isinstance(level, dict) else level
    text, whole = str(record.get("message", "")), str(row.get("text", ""))
    error = whole if record.get("exception") is not None else ""
    return _parted(metrics, text, _level(name), stamp, error, line, before)


def _parted(
    metrics: dict[str, Any], text: str, level: str, stamp: Any, error: str, line: int, before: int
) -> tuple[dict[str, Any], JsonMessage | None]:
    has_counter = any(_COUNTER.fullmatch(k.rsplit("/", 1)[-1]) for k in metrics)
    pairs = _pairs(text, has_counter)
    metrics = {**pairs, **metrics}
    numeric = any(isinstance(v, (int, float, dict)) for v in metrics.values())
    split = split_of(text)
    if split and numeric:
        metrics.setdefault("mode", split)
    if error:
        message = JsonMessage(line, error if text in error else f"{text}\n{error}", "TRACEBACK", _time(stamp), before)
    elif text and (not numeric or level in ("WARNING", "ERROR", "CRITICAL")):
        message = JsonMessage(line, text, level or _found_level(text), _time(stamp), before)
    else:
        message = None
    if message is not None and not numeric:
        return {}, message
    if stamp is not None:
        metrics["timestamp"] = stamp
    return metrics, message


def _pairs(text: str, has_counter: bool) -> dict[str, float]:
    """Numbers that a message names ("step 10 | loss=2.3"), where a step or epoch is among them or beside it."""
    if len(text) > MAX_TEXT or not any(c.isdigit() for c in text):
        return {}
    pairs: dict[str, float] = {}
    for key, value in _PAIR.findall(text):
        try:
            pairs[key] = float(value.replace(",", ""))
        except ValueError:
            continue
    if len(pairs) + has_counter < 2 or not (has_counter or any(_COUNTER.fullmatch(k) for k in pairs)):
        return {}
    return pairs


def _time(stamp: Any) -> float | None:
    if isinstance(stamp, (int, float)) and not isinstance(stamp, bool):
        return clock(float(stamp)) if abs(stamp) < 1e300 else None
    return moment(stamp) if isinstance(stamp, str) else None


def _level(value: Any) -> str:
    return _LEVELS.get(str(value).strip().upper(), "")


def _found_level(text: str) -> str:
    found = _LEVEL.search(text[:200])
    if not found:
        return ""
    return _LEVELS[found[1]] if found[1] else "WARNING"
