"""Text whose values lie otherwise than one record a line, as such lines."""

from __future__ import annotations

from curvedoc.ingest.text.rewritten.behind_bars import without_glue
from curvedoc.ingest.text.rewritten.closing_counters import opened
from curvedoc.ingest.text.rewritten.countdowns import without_countdowns
from curvedoc.ingest.text.rewritten.drawn_bars import without_bars
from curvedoc.ingest.text.rewritten.headed_numbers import with_courses
from curvedoc.ingest.text.rewritten.headed_splits import with_heads
from curvedoc.ingest.text.rewritten.legends import spelled_out
from curvedoc.ingest.text.rewritten.names_above import with_names_above
from curvedoc.ingest.text.rewritten.patterns import named_numbers
from curvedoc.ingest.text.rewritten.sideways import upright
from curvedoc.ingest.text.rewritten.titled_blocks import with_titles
from curvedoc.ingest.text.rewritten.titled_lists import named_rows


def laid_out(text: str) -> str:
    """The text, with the rows of charts, named lists and the columns of tables that lie on their side as records, codes
    with their names, and without what is left."""
    told = named_numbers(spelled_out(without_countdowns(without_glue(opened(text)))))
    told = with_courses(with_titles(with_names_above(told)))
    return upright(without_bars(named_rows(with_heads(told))))
