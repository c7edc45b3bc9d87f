"""Reader of logs in XML: an element for each record, its values as attributes or as elements within it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from curvedoc.core.run import Note
from curvedoc.ingest.bytes.file import decode, pointer, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.variants import is_part
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.keys import COUNTERS
from curvedoc.ingest.table.log import logs_of_table

NAME = "xml"
FILES: tuple[str, ...] = ("*.xml",)
ABOUT = "XML of training records: an element for each, with its values as attributes or as elements within it"

#: Fewer elements of one kind are no records.
_RECORDS = 3
#: Elements of a record nest a handful deep, and a record has no more values than that.
_DEEP, _WIDE = 4, 2_000
#: What an attribute is called that says which one of its kind an element is, what it is called, and what it holds.
_WHICH = frozenset(("n", "no", "nr", "num", "number", "id", "index", "idx", "i", "value"))
_CALLED, _HELD = ("name", "key", "metric", "tag"), ("value", "val", "v")
#: Entities unfold without end.
_UNFOLDS = ("<!DOCTYPE", "<!ENTITY")

Row = dict[str, object]


def claims(path: Path, head: bytes) -> bool:
    """Whether the elements of an XML file are records that are counted and measured."""
    text = decode(head)[0].lstrip("\ufeff \t\r\n")
    rows = _records(text) if text.startswith("<") else []
    keys = {key.lower() for row in rows for key in row}
    counted = not COUNTERS.isdisjoint(keys)
    said = {str(row.get("name", "")) for row in rows}
    return len(rows) >= _RECORDS and counted and any(map(is_outcome, (*keys, *said)))


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file or training; a torn file is read up to the tear."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path)
    stand_in = pointer(data)
    if stand_in is not None:
        return [Log(path, NAME, notes=(*notes, stand_in), bytes=len(data))]
    text, more = decode(data)
    notes = (*notes, *more)
    rows = _records(text.lstrip("\ufeff \t\r\n"))
    if not rows:
        return [Log(path, NAME, notes=(*notes, Note("not-a-log", "no records in it")), bytes=len(data))]
    if not text.rstrip().endswith(">"):
        notes = (*notes, Note("truncated", "the file breaks off; its last element was left out"))
    return logs_of_table(path, NAME, table([RecordBatch(rows, range(1, len(rows) + 1))]), len(data), notes)


def _records(text: str) -> list[Row]:
    """What the elements hold of which there are most below one parent: those that are counted, if any are."""
    if any(mark in text for mark in _UNFOLDS):
        return []
    ended = [(tuple(way), element, above) for way, element, above in _elements(text) if element.attrib or len(element)]
    often = Counter(way for way, *_ in ended)
    for way, count in sorted(often.items(), key=lambda x: (len(x[0]), -x[1])):
        if count < _RECORDS:
            continue
        rows = [_row(element) for at, element, _ in ended if at == way]
        if any(not COUNTERS.isdisjoint(k.lower() for k in row) for row in rows):
            around = Counter(above for at, _, above in ended if at == way)
            parts = any(is_part(a) for a in around) and not all(map(is_outcome, around))
            if len(around) < 2 or min(around.values()) < _RECORDS or parts:
                return rows
            said = [above for at, _, above in ended if at == way]
            what = "name" if all(map(is_outcome, around)) else "run"  # an element for each metric, or each training
            return [{what: above, **row} for above, row in zip(said, rows, strict=True)]
    return []


def _elements(text: str) -> Iterator[tuple[list[str], Element, str]]:
    """The elements of a text with the names of those around them and what the next of these is called, each when it
    ends; up to where it is torn."""
    parser: Any = XMLPullParser(("start", "end"))  # what it yields is typed for all of its events at once
    way: list[str] = []
    called: list[str] = []
    count = 0
    with suppress(ParseError):  # what was whole is kept
        parser.feed(text)
    try:
        for event, element in parser.read_events():
            if event == "start":
                count += 1
                own = next((element.attrib[k] for k in (*_CALLED, "id") if k in element.attrib), "")
                way.append(element.tag)
                called.append(own if own and element.tag.lower() not in COUNTERS else f"{element.tag} {count}")
            else:
                yield way, element, called[-2] if len(called) > 1 else ""
                way.pop()
                called.pop()
    except ParseError:
        return


def _row(element: Element) -> Row:
    out: Row = {}
    _spread(out, element, "", 0)
    text = (element.text or "").strip()
    if out and text and not len(element):  # <loss epoch="3">0.5</loss>
        out[element.tag] = _value(text)
    if set(out) == {"x", "y"}:
        out = {"step": out["x"], "value": out["y"]}
    return out


def _spread(out: Row, element: Element, ahead: str, depth: int) -> None:
    """Adds what an element holds, under names that say the elements it lies in."""
    called = next((element.attrib[k] for k in _CALLED if k in element.attrib), "")
    held = next((k for k in _HELD if k in element.attrib), "")
    if called and held and depth:
        out[f"{ahead}{called}"] = _value(element.attrib[held])
        return
    for key, text in element.attrib.items():
        which = key.lower() in _WHICH and element.tag.lower() in COUNTERS
        if len(out) < _WIDE:
            out[element.tag.lower() if which else f"{ahead}{key}"] = _value(text)
    for child in element:
        text = (child.text or "").strip()
        if text and not len(child) and len(out) < _WIDE:
            out[f"{ahead}{child.attrib.get('name', child.tag)}"] = _value(text)
        elif depth < _DEEP:
            own = "" if any(k in child.attrib for k in _CALLED) else f"{child.tag}_"
            _spread(out, child, f"{ahead}{own}", depth + 1)


def _value(text: str) -> object:
    text = text.strip()
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
