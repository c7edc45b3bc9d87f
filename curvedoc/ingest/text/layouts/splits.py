"""Tables with a row for each metric and a column for each split, as AllenNLP prints them after an epoch."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import read_prefix
from curvedoc.ingest.text.line.slots import METRIC, NumberSlot
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

#: "Training |  Validation", behind whatever the logger puts ahead.
_HEADER_RE = r"(?:^|\s)([A-Za-z]{3,12}) +\| +([A-Za-z]{3,12})[\s|]*$"
_CELL = f" *\\| *({NUMBER}|N/A|None|-)"
_ROW = late_regex(rf"(?:^|[ -])([A-Za-z][\w./@-]*(?: (?!-)[\w./@-]+){{0,4}}){_CELL}{_CELL}[ |]*$")


def split_plans(lines: pl.DataFrame, templates: Collection[str]) -> dict[str, LinePlan]:
    """The plans of the rows under the first header that names two splits; none where no line does."""
    if not any("|" in t for t in templates):
        return {}
    barred = lines["text"].filter(lines["text"].str.contains("|", literal=True))
    if not len(barred):  # the pattern takes longer to make ready than a small log to read
        return {}
    heads = barred.str.extract_groups(_HEADER_RE).struct.unnest().drop_nulls().unique(maintain_order=True)
    scopes = [tuple(SCOPES.get(word.lower(), "") for word in head) for head in heads.iter_rows()]
    two = next((s for s in scopes if "" not in s and len(set(s)) == len(s)), None)
    if two is None:
        return {}
    out = {}
    for template in templates:
        row = _ROW.search(template)
        if row is None:
            continue
        ahead = sum(template[: row.start()].count(mark) for mark in (NUMBER, FRACTION))
        told = [scope for scope, cell in zip(two, row.groups()[1:], strict=True) if cell == NUMBER]
        found = tuple(NumberSlot(METRIC, ahead + i, f"{scope} {row[1]}") for i, scope in enumerate(told))
        if found:
            out[template] = LinePlan("record", found, read_prefix(template))
    return out
