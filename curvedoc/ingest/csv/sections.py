"""Tables of strings out of CSV text: separator, sections under one header each, ragged and broken lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import field

import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Note
from curvedoc.ingest.csv.cells import CellColumn
from curvedoc.ingest.csv.monitor import monitored
from curvedoc.ingest.csv.upright import upright

#: Tried in this order; the one that gives the header most cells wins.
SEPARATORS = (",", ";", "\t", "|")
#: A word where a counter should be, and the largest part of all rows that may have one.
_WORD_RE, _SUMMARIES = r"^[A-Za-z]{2}", 0.2
#: A longer line is no row of metrics.
LINE_CAP = 1 << 20
_NUMBER = late_regex(r"[-+]?(?:\d[\d.,_]*|\.\d+)(?:[eE][-+]?\d+)?%?|[-+]?(?i:nan|inf|infinity)")
#: "tensor(0.5, device='cuda:0', grad_fn=<NllLossBackward0>)"
_TENSOR = late_regex(rb"tensor\(\s*([-+\w.]{1,40})[^()\n\"]{0,200}\)")


@dataclass(frozen=True, slots=True)
class CsvSection:
    """The rows under one header.

    names:  the header's cells, stripped, made unique
    cells:  one string column per name (named "0", "1", ...), null where the row ended before
    lines:  1-based line number of each row
    values: columns that were read as numbers already, by place; `cells` has not got these
    """

    names: tuple[str, ...]
    cells: pl.DataFrame
    lines: pl.Series | range
    values: Mapping[int, CellColumn] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)


def split_line(line: str, sep: str) -> list[str]:
    """The cells of one line, stripped and out of their quotes."""
    if '"' not in line:
        return [c.strip().strip("'") for c in line.split(sep)]
    cells = re.findall(rf'(?:^|{re.escape(sep)})\s*(?:"((?:[^"]|"")*)"|([^{re.escape(sep)}]*))', line)
    return [(a or b).replace('""', '"').strip() for a, b in cells]


def separator_of(lines: list[str]) -> str:
    """The separator of the header and the rows after it."""
    head = lines[0]
    few = "".join(lines[:3])
    if not any(s in few for s in (*SEPARATORS[1:], '"')):
        return SEPARATORS[0]
    best = max(SEPARATORS, key=lambda s: (min(len(split_line(r, s)) for r in lines[:3]), len(split_line(head, s))))
    return best


def is_header(cells: list[str]) -> bool:
    """Whether a line can be a header: at least one cell with a letter, none a number."""
    filled = [c for c in cells if c]
    return (
        bool(filled)
        and not any(_NUMBER.fullmatch(c) for c in filled)
        and any(c[:1].isalpha() or c[:1] == "_" for c in filled)
    )


def uncommented(data: bytes) -> bytes:
    """The text with its first line taken out of a comment where it names the columns of the next, as of numpy, and with
    a tensor's number in the place of the tensor as PyTorch prints it, which has commas in it."""
    data = upright(monitored(data))
    if b"(" in data and b"tensor(" in data:  # a single byte is found many times as fast, and few tables have it
        data = _TENSOR.sub(rb"\1", data)
    if not data.startswith(b"#"):
        return data
    first, _, rest = data[: 2 * LINE_CAP].partition(b"\n")
    row = rest.split(b"\n", 1)[0].decode("utf-8", "replace")
    names = first.decode("utf-8", "replace").lstrip("# ")
    sep = separator_of([names, row])
    cells = split_line(names, sep)
    below = split_line(row, sep)
    if row.startswith("#") or len(cells) < 2 or len(below) != len(cells) or not is_header(cells) or is_header(below):
        return data
    return data[len(first) - len(first.lstrip(b"# ")) :]


def sections(text: str) -> tuple[list[CsvSection], list[Note]]:
    """The sections of a CSV text, whose first line is a header, and notes about lines that did not fit."""
    notes: list[Note] = []
    frame = pl.DataFrame({"row": text.split("\n")}, schema={"row": pl.String}).with_row_index("line", offset=1)
    frame = frame.with_columns(pl.col("row").str.strip_chars_end("\r"))
    frame = frame.filter((pl.col("row").str.strip_chars() != "") & ~pl.col("row").str.starts_with("#"))
    long = frame["row"].str.len_bytes() > LINE_CAP
    if bool(long.any()):
        notes.append(
            Note("damaged", "lines too long to be rows were skipped", line=_first(frame, long), count=int(long.sum()))
        )
        frame = frame.filter(~long)
    odd = frame["row"].str.count_matches('"', literal=True) % 2 == 1
    if bool(odd.any()):
        notes.append(
            Note("damaged", "lines with an unclosed quote were skipped", line=_first(frame, odd), count=int(odd.sum()))
        )
        frame = frame.filter(~odd)
    if not len(frame):
        return [], notes
    sep = separator_of(frame["row"].head(50).to_list())
    heads = _heads(frame, sep)
    first = split_line(frame["row"][0], sep)
    same = [h for h in heads[1:] if split_line(frame["row"][h], sep) == first]
    if same:
        notes.append(
            Note(
                "repeated-header",
                "the header stands again among the rows",
                line=int(frame["line"][same[0]]),
                count=len(same),
            )
        )
    fresh = [h for h in heads if h not in set(same)]
    frame = frame.with_row_index("at").filter(~pl.col("at").is_in(same))
    out = []
    for i, head in enumerate(fresh):
        end = fresh[i + 1] if i + 1 < len(fresh) else None
        rows = frame.filter((pl.col("at") > head) & (pl.col("at") < end if end is not None else True))
        name_row = frame.filter(pl.col("at") == head)["row"][0]
        out.append(_section(split_line(name_row, sep), rows, sep, notes))
    return out, notes


def _first(frame: pl.DataFrame, where: pl.Series) -> int:
    return int(frame["line"].filter(where)[0])


def _heads(frame: pl.DataFrame, sep: str) -> list[int]:
    """Places of the header lines: the first line, and later ones that share its first cell or half of its cells."""
    first = split_line(frame["row"][0], sep)
    lead = first[0]
    could = frame["row"].str.contains(r"[A-Za-z_]") & ~frame["row"].str.contains(r"^[\s\"']*[-+]?[0-9.]")
    out = [0]
    known = {c for c in first if c}
    for at in could.arg_true().to_list()[:100_000]:
        if at == 0:
            continue
        cells = split_line(frame["row"][at], sep)
        if is_header(cells) and (cells[0] == lead != "" or 2 * len(known & set(cells)) >= len(known)):
            out.append(at)
    return out


def _section(names: list[str], rows: pl.DataFrame, sep: str, notes: list[Note]) -> CsvSection:
    width = len(names)
    if width > 1 and not names[-1]:
        names = names[:-1]
    plain = ~rows["row"].str.contains('"', literal=True)
    count = rows["row"].str.count_matches(sep, literal=True) + 1
    blank = _blank(rows["row"], sep, width) if bool((plain & (count == width + 1)).all()) and len(rows) > 1 else None
    if blank is not None:
        text = "each row has a blank cell that the header has no name for; it was left out"
        notes.append(Note("ragged-rows", text, line=int(rows["line"][0]), count=len(rows)))
        width += 1
    ragged = plain & (count > width)
    if bool(ragged.any()):
        text = f"rows with more cells than the header's {width}; the cells beyond were left out"
        notes.append(Note("ragged-rows", text, line=_first(rows, ragged), count=int(ragged.sum())))
    short = plain & (count < width)
    if bool(short.any()):
        text = f"rows with fewer cells than the header's {width}"
        notes.append(Note("ragged-rows", text, line=_first(rows, short), count=int(short.sum())))
    schema: dict[str, type[pl.String]] = {str(i): pl.String for i in range(width)}
    if not len(rows):
        return CsvSection(unique(names, notes), pl.DataFrame(schema=schema), rows["line"])
    cells = _split(rows["row"], sep, width) if bool(plain.all()) else _parse(rows["row"].to_list(), sep, width, notes)
    cells = cells.select(pl.all().str.strip_chars(" \t\"'"))
    if blank is not None:
        cells = cells.drop(str(blank))
        cells.columns = [str(i) for i in range(width - 1)]
    return CsvSection(unique(names, notes), cells.head(len(rows)), rows["line"].head(len(cells)))


def _blank(rows: pl.Series, sep: str, width: int) -> int | None:
    """The first of width + 1 cells that is blank in each row, with cells behind it; None where there is none."""
    cells = _split(rows, sep, width + 1)
    return next((i for i in range(width) if not bool((cells[str(i)].str.strip_chars() != "").any())), None)


def _split(rows: pl.Series, sep: str, width: int) -> pl.DataFrame:
    """The cells of rows without quotes."""
    if width == 1:
        return rows.alias("0").to_frame()
    return rows.str.split_exact(sep, width - 1).struct.rename_fields([str(i) for i in range(width)]).struct.unnest()


def _parse(rows: list[str], sep: str, width: int, notes: list[Note]) -> pl.DataFrame:
    """The cells of rows with quotes, row by row: no row can swallow the next one."""
    none: list[str | None] = [None] * width
    out: list[list[str | None]] = []
    bad = 0
    for row in rows:
        try:
            cells: list[str | None] = [*next(csv.reader((row,), delimiter=sep, skipinitialspace=True))]
        except csv.Error:
            cells, bad = [], bad + 1
        out.append((cells + none)[:width])
    if bad:
        notes.append(Note("damaged", "rows that could not be taken apart were skipped", count=bad))
    return pl.DataFrame(out, schema={str(i): pl.String for i in range(width)}, orient="row")


def without_summaries(table: CsvSection, counter: int | None, told: list[Note]) -> CsvSection:
    """The table without the few rows that have a word where the others count ("mean", "best"): they sum others up."""
    if counter is None or table.values:
        return table
    word = table.cells[str(counter)].str.contains(_WORD_RE).fill_null(False)
    count = int(word.sum())
    if not 0 < count <= _SUMMARIES * len(table):
        return table
    told.append(Note("summary-row", "rows with a word for the counter sum others up; they were left out", count=count))
    lines = pl.Series(table.lines).filter(~word)
    return CsvSection(table.names, table.cells.filter(~word), lines)


def unique(names: list[str], notes: list[Note]) -> tuple[str, ...]:
    """The names of a header, numbered where one stands twice, with a note then."""
    seen: dict[str, int] = {}
    out = []
    for i, name in enumerate(names):
        name = name or f"column {i + 1}"
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    twice = [n for n, k in seen.items() if k > 1]
    if twice:
        notes.append(Note("duplicate-columns", f"more than one column is named {twice[0]!r}", count=len(twice)))
    return tuple(out)
