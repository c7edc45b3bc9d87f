"""Records that were printed one behind the other on one line ("[1] loss: 2.3 | acc: 0.1 [2] loss: 2.1 | acc: 0.2")."""

from __future__ import annotations

import re
from itertools import pairwise

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

#: How a record begins, as a template: a counter and the first name behind it.
_HEAD = late_regex(
    rf"[\[(<#]?(?:[A-Za-z]{{1,12}}[ :=#\[(-]{{0,3}})?[{NUMBER}{FRACTION}][\])>%]?[ :;|,-]{{1,4}}"
    r"[A-Za-z_][\w /.-]{0,40}[:=]"
)
#: Numbers and the rest, in what a head is made to find.
_PIECES = {NUMBER: r"[0-9][0-9,.]{0,15}", FRACTION: r"[0-9]{1,9} ?/ ?[0-9]{1,9}", "  ": r"[ \t]{2,8}"}
_PIECE = late_regex(f"([{NUMBER}{FRACTION}]|  )")
_COUNT = late_regex(r"[0-9]{1,9}")
#: So many templates are looked at, and so many records show that they go on from line to line.
_LOOKED, _LEAST = 2_000, 8
#: From line to line it goes on, but where another training begins.
_GOES_ON = 0.9


def run_on(lines: pl.DataFrame, kinds: pl.Series) -> str | None:
    """The text with each of such records on a line of its own; None where none is, or their counters do not go on.

    lines: column text; kinds: their templates, each once. The classes of a table begin anew on each line.
    """
    could = kinds.str.count_matches(f"[{NUMBER}{FRACTION}]") >= 4
    heads: dict[str, None] = {}
    for template in kinds.filter(could).head(_LOOKED).to_list():
        m = _HEAD.match(template)
        if m is not None and CLOCK not in m[0] and template.find(f" {m[0]}", m.end()) >= 0:
            heads[m[0]] = None
    if len(heads) != 1:
        return None
    [head] = heads
    begins = re.compile("".join(_PIECES.get(p, re.escape(p)) for p in _PIECE.split(head)))
    out: list[str] = []
    counts: list[list[int]] = []
    for text in lines["text"].to_list():
        at = [m.start() for m in begins.finditer(text) if m.start() == 0 or text[m.start() - 1] == " "]
        if not at:
            out.append(text)
            continue
        counts.append([int(n[0]) for i in at if (n := _COUNT.search(text, i)) is not None])
        out += [text[a:b] for a, b in pairwise(sorted({0, *at, len(text)}))]
    within = all(a < b for row in counts for a, b in pairwise(row))
    on = [a[-1] < b[0] for a, b in pairwise(counts) if a and b]
    told = sum(map(len, counts)) >= _LEAST and within and sum(on) >= _GOES_ON * len(on)
    return "\n".join([*out, ""]) if told else None
