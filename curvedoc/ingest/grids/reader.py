"""Reader of trainings that are told in the tables of documents: HTML, wikis, Markdown, LaTeX, sets of plotted data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.compression import unpacked_name
from curvedoc.ingest.bytes.file import HEAD_BYTES, decode, decoded_head, read_text
from curvedoc.ingest.contract import Log
from curvedoc.ingest.grids.dumps import dump_grids
from curvedoc.ingest.grids.grid import Grid, trains
from curvedoc.ingest.grids.pages import is_page, page_grids, page_text
from curvedoc.ingest.grids.papers import paper_grids
from curvedoc.ingest.grids.sets import set_grids
from curvedoc.ingest.grids.wikis import is_drawn, wiki_grids
from curvedoc.ingest.table.batch import RecordBatch
from curvedoc.ingest.table.columns import table
from curvedoc.ingest.table.log import logs_of_table
from curvedoc.ingest.table.values import number, split_of
from curvedoc.ingest.text import reader as text_reader

NAME = "tables"
FILES: tuple[str, ...] = ("*.html", "*.md", "*.rst", "*.tex", "*.wiki", "*.agr", "*.dat")
ABOUT = "tables of documents (HTML, wikis, Markdown, reStructuredText, LaTeX) and the data of plots (pgfplots, gnuplot)"

#: Of texts that are called otherwise a table between bars is one that a log prints among its lines.
_WRITTEN = (".md", ".markdown", ".rst", ".wiki", ".mediawiki", ".textile", ".adoc", ".asciidoc", ".creole")
_HEAD = late_regex(r"(?m)^[ \t]*(?:\^ .*\^|\|=.*\||\|\|=.*\|\|)[ \t]*$")
_PAGES = ("<tr", "<TR", "<row", "<Row", "[tr]", "[TR]", "<table:table-row")
#: A page of more is no report.
_MOST = 16 << 20


def claims(path: Path, head: bytes) -> bool:
    """Whether a table in the head of a file counts and measures."""
    name = unpacked_name(path.name.lower())
    if b"\x00" in head[:100] or name.endswith((".ipynb", ".csv", ".tsv", ".json", ".jsonl", ".py")):
        return False
    text = decoded_head(head)
    if any(map(trains, _grids(text, Path(name), len(head) < HEAD_BYTES))):
        return True
    return is_page(text) and text_reader.claims(Path(f"{Path(name).stem}.txt"), page_text(text).encode())


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file, or one for each training in it."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path, _MOST)
    text, more = decode(data)
    told = coalesce([*notes, *more])
    if is_page(text) and not any(map(trains, page_grids(text))):
        shown = text_reader.logs_in(path, page_text(text), len(data), tuple(told))
        return [replace(log, format=NAME) for log in shown]
    grids = [g for g in _grids(text, Path(unpacked_name(path.name.lower())), True) if trains(g)]
    groups = _trainings(grids)
    out: list[Log] = []
    for i, (name, rows) in enumerate(groups, 1):
        logs = logs_of_table(path, NAME, table([RecordBatch(rows, range(1, len(rows) + 1))]), len(data), told)
        own = name or str(i)
        if len(groups) > 1:
            logs = [replace(log, run=f"{own} {log.run}" if log.run else own) for log in logs]
        out += logs
    return out or [Log(path, NAME, notes=(*told, Note("not-a-log", "no table of a training")), bytes=len(data))]


def _grids(text: str, name: Path, whole: bool) -> list[Grid]:
    """The tables of a text, of the first kind that it holds any of; whole: its end is there"""
    suffix, stem = name.suffix, name.stem
    found: list[Grid] = []
    if "INSERT INTO" in text or "insert into" in text or "@data" in text or "@DATA" in text:
        found = dump_grids(text)
    if not found and any(mark in text for mark in _PAGES):
        found = page_grids(text)
    if not found and ("\\begin{" in text or "\\addplot" in text):
        found = paper_grids(text if whole else f"{text}\\end{{tabular}}")
    drawn = ("│" in text or "┆" in text) and is_drawn(text)
    if not found and (
        drawn or suffix in _WRITTEN or "{|" in text or (("^ " in text or "|=" in text) and _HEAD.search(text))
    ):
        found = wiki_grids(text)
    if not found and (
        "\n\n\n" in text or "\n&\n" in text or "\n\n#" in text or "= [\n" in text or "<< EOD" in text or '\n\n"' in text
    ):
        found = set_grids(text, stem)
    return found


def _trainings(grids: Sequence[Grid]) -> list[tuple[str, list[dict[str, Any]]]]:
    """(name, records) of each training: tables of other columns are of one where they count alike, as are those of the
    splits; the same columns again are another training."""
    out: list[tuple[str, dict[float, dict[str, Any]]]] = []
    splits = {split_of(g.title) for g in grids} - {None}
    for grid in grids:
        at = grid.counter
        if at is None:
            continue
        split = split_of(grid.title) if len(splits) > 1 else None
        names = [f"{split}/{n}" if split and i != at else n for i, n in enumerate(grid.names)]
        home = out[-1][1] if out and _goes_with(out[-1][1], names, at) else {}
        if not home:
            out.append((grid.title, home))
        for row in grid.rows:
            count = number(row[at])
            if count is not None:
                own = home.setdefault(count, {})
                own |= {n: _value(c) for n, c in zip(names, row, strict=True) if c}
    return [(name, list(rows.values())) for name, rows in out]


def _goes_with(rows: dict[float, dict[str, Any]], names: Sequence[str], at: int) -> bool:
    """Whether columns are of the training of some records: called by nothing that is there, but what counts them."""
    known = {k for row in rows.values() for k in row}
    return names[at] in known and known.isdisjoint(n for i, n in enumerate(names) if i != at)


def _value(cell: str) -> object:
    found = number(cell)
    return cell if found is None else int(found) if found == int(found) and "." not in cell else found
