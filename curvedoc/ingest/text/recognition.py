"""Whether a file is a text log, by its name and by lines of its head, middle and end."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.bytes.file import HEAD_BYTES, decode, decoded_head, pointer, read_pieces
from curvedoc.ingest.csv import reader as csv_reader
from curvedoc.ingest.naming.log_words import is_loss
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.text.layouts.boxes import has_boxes
from curvedoc.ingest.text.layouts.columns import is_nameless
from curvedoc.ingest.text.layouts.unnamed import shows_training
from curvedoc.ingest.text.legible import legible
from curvedoc.ingest.text.line.plan import HABIT, shape_of
from curvedoc.ingest.text.line.prefix import without_heads
from curvedoc.ingest.text.line.template import clean, lines_of, with_templates
from curvedoc.ingest.text.line_plans import plans_of
from curvedoc.ingest.text.rewritten.laid_out import laid_out
from curvedoc.ingest.text.rewritten.titled_lists import are_titled
from curvedoc.ingest.text.tracebacks import HEADER

_SUFFIXES = (".log", ".out", ".err", ".stdout", ".stderr", ".console")
_LOOSE_SUFFIXES = (".txt", ".md", ".dat", "")
#: Of files with these there are other readers, or none; with any other ending ("caffe.INFO", "run.2026-11-02") a text
#: is a log where it counts losses.
_OTHER_SUFFIXES = (
    ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".toml", ".ini",
    ".cfg", ".conf", ".gin", ".ipynb", ".xml", ".svg", ".vtt", ".srt",
)  # fmt: skip
#: Settings in sections, of which some have one for each epoch: "[epoch 1]", "[[epochs]]", "[epoch.1]".
_SECTIONED, _SECTIONS = (".toml", ".ini", ".cfg", ".conf"), 5
_SECTION = late_regex(
    rb"(?im)^[ \t]*(?:\[\[(?:[a-z]{1,20}\.)?(?:epoch|step|iteration|round|log|history|record)s?\]\]|"
    rb"\[(?:[a-z]{1,20}\.)?(?:epoch|step|iter(?:ation)?|round)s?[ ._-]?\d{1,9}\])"
)
#: Of a long file, so many pieces of so many bytes beyond its head are looked at, and of all that so many lines.
_PIECES, _PIECE, _SAMPLED = 16, 1 << 13, 2_001
#: A file called a table whose first line names its numbers one by one, in every cell that it may have, as none does.
_SAID = late_regex(rb"[^\w\n]{0,4}[A-Za-z][\w ]{0,30}[:=] ?[\[(]?[-+]?[0-9][^,\n]{0,200}")
_CELLS = 20
_PACKED = late_regex(r"(?:\.(?:gz|zst|zstd|\d{1,3}))+$")
_NOT_LOGS = late_regex(
    r"(?:requirements|license|licence|readme|environment|pip|conda|vocab|merges|debug-internal|debug-core)\b"
)
#: What somebody wrote down may be a log, where it counts losses.
_WRITTEN = late_regex(r"notes?\b")
_NAMES = late_regex(r"(?:nohup|slurm|std(?:out|err)|out(?:put|\.)|train|log|console|rank|worker)")


def claims(path: Path, head: bytes) -> bool:
    """Files named like a log, or text whose lines are records or end in a traceback; not JSON, not CSV."""
    name = _PACKED.sub("", path.name.lower())
    suffix = Path(name).suffix
    first = head[:HEAD_BYTES].split(b"\n", 1)[0].split(b",", _CELLS)
    tabular = suffix in (".csv", ".tsv") and all(_SAID.match(cell) for cell in first)
    odd = not tabular and suffix not in _SUFFIXES + _LOOSE_SUFFIXES
    written = suffix in _LOOSE_SUFFIXES and _WRITTEN.match(name) is not None
    counted = suffix in _SECTIONED and sum(1 for _ in _SECTION.finditer(head)) >= _SECTIONS
    foreign = suffix in _OTHER_SUFFIXES and not counted
    if (odd and (foreign or b"loss" not in head.lower())) or _NOT_LOGS.match(name):
        return False
    whole = decoded_head(head)
    text, _ = legible(whole)
    if pointer(head) is not None or (whole.strip() and not text.strip()):
        return False
    if not text.strip():
        return suffix in _SUFFIXES
    if _is_json(text) or csv_reader.claims(path, head):
        return False
    if suffix in _SUFFIXES:
        return not (name.startswith("debug") and "[wandb_" in text)
    return _is_log(_sample(path, head, text), name, (odd and not counted) or written)


def _sample(path: Path, head: bytes, text: str) -> str:
    """The decoded head of a file, and of one that is longer pieces of its middle and its end: a log may open with pages
    of settings or source."""
    if len(head) < HEAD_BYTES:
        return text
    more = [text]
    for piece in read_pieces(path, _PIECES, _PIECE):
        more += decode(piece)[0].split("\n")[1:-1]
    return "\n".join(more)


def _is_log(text: str, name: str, odd: bool) -> bool:
    """Whether the lines of a text are a training's records, or end in a traceback; odd: its name says nothing, so that
    records must count and tell a loss."""
    shown = laid_out(without_heads(clean(text)))
    lines = with_templates(lines_of(shown), shown)
    if len(lines) > _SAMPLED:
        third = _SAMPLED // 3
        middle = lines.slice(len(lines) // 2 - third // 2, third)
        lines = pl.concat([lines.head(third), middle, lines.tail(third)])
        lines = lines.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("idx"))
    plans = plans_of(lines, lines["template"].to_list())
    rows = [p for p in plans if p.kind == "record"]
    if rows and all(map(is_nameless, rows)) and not _NAMES.match(name):  # points of any curve
        return shows_training(lines, plans)
    if odd:
        return sum(p.kind == "record" and p.counted and any(is_loss(s.name) for s in p.slots) for p in plans) > 1
    shapes = Counter((p.kind, p.counted, shape_of(p)) for p in plans)

    def most(kind: str, counted: bool | None = None) -> int:
        return max((n for (k, c, _), n in shapes.items() if k == kind and counted in (None, c)), default=0)

    if most("loose") > 3 or (most("loose") > 1 and most("anchor") > 1):
        return True
    halves = {SCOPES[s[0].lower()] for (k, _, s), n in shapes.items() if k == "member" and n >= HABIT and _is_split(s)}
    if len(halves) > 1:  # "train: 0.5" and "val: 0.6", line by line
        return True
    once = sum(n for (k, _, _), n in shapes.items() if k == "record")
    return (
        most("record") > 1
        or max(most("spoken", counted=True), most("pairs")) >= HABIT
        or most("bar") > 1
        or HEADER in text
        or has_boxes(text)
        or bool(once and _NAMES.match(name))
    )


def _is_split(names: tuple[str, ...]) -> bool:
    return len(names) == 1 and names[0].lower() in SCOPES


def _is_json(text: str) -> bool:
    """Whether the first lines are JSON objects, or the text begins one that fills several lines."""
    rows = [r for r in text.split("\n", 40) if r.strip()][:5]
    if are_titled(text):
        return False
    whole = 0
    for row in rows:
        if row.lstrip()[:1] not in ("{", "["):
            continue
        try:
            found = json.loads(row)
            bare = isinstance(found, list) and all(isinstance(x, (int, float)) for x in found)
            whole += isinstance(found, dict) or (isinstance(found, list) and (whole > 0 or not bare or row is rows[0]))
        except (ValueError, RecursionError):
            continue
    opened = rows[0].strip() in ("{", "[") and (len(rows) < 2 or rows[1].lstrip()[:1] in '"{[}]-0123456789')
    return whole * 2 > len(rows) or (opened and not whole)
