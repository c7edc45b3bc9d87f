"""Text whose values lie otherwise than one record a line, as such lines."""

from __future__ import annotations

from curvedoc.ingest.text.rewritten.countdowns import without_countdowns
from curvedoc.ingest.text.rewritten.drawn_bars import without_bars
from curvedoc.ingest.text.rewritten.headed_splits import with_heads
from curvedoc.ingest.text.rewritten.sideways import upright
from curvedoc.ingest.text.rewritten.titled_lists import named_rows


def laid_out(text: str) -> str:
    """The text, with the rows of charts, named lists and the columns of tables that lie on their side as records."""
    return upright(without_bars(named_rows(with_heads(without_countdowns(text)))))
