"""Texts that several trainings wrote into at once, taken apart by what each says of itself on every line."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome

#: "[4711] epoch 3 loss 0.5", "pid 4711: ...", "seed 1 | epoch 3 | loss 0.5"
_NUMBERED = r"[\[(](?:pid[ =:]{0,2})?(\d{3,7})[\])][ :|-]"
_LABEL = late_regex(
    rf"(?:{_NUMBERED}"
    r"|[\[(]?((?:pid|process|seed|run|trial|fold|job|exp|experiment|replicate)[ =:_#-]{0,2}\d{1,7})(?![\d./])"
    r"[\])]?[ :,|-])",
    re.IGNORECASE,
)
#: The labels without a word, found at the speed of a search for their brackets.
_BARE = late_regex(_NUMBERED)
#: What every other label has in it, in small letters.
_WORDS = ("pid", "process", "seed", "run", "trial", "fold", "job", "exp", "replicate")
#: Where a label may stand: behind a time and a level.
_HEAD = 60
#: A text that is looked at: its first lines tell.
_LOOK = 400
#: Of the lines with a number so many carry the label of one of few trainings, each often; and they come by turns, which
#: what counts up and what is told one after another do not.
_MOST = 0.9
_FEW, _OFTEN = 16, 5
_TURNS = 3


def processes(text: str) -> list[tuple[str, str]] | None:
    """(label, its text) of each training that wrote into a text, None where it is one's alone.

    What stands ahead of the first label is everybody's, and a line without one belongs to the label before it.
    """
    begin = text[: 1 << 16]
    low = begin.lower()
    if (_LABEL if any(word in low for word in _WORDS) else _BARE).search(begin) is None:
        return None
    head = begin.split("\n")[:_LOOK]
    labels = [_label(line) for line in head]
    if len({*labels} - {""}) < 2:  # most texts: their lines need not be read
        return None
    counted = zip(head, labels, strict=True)
    if not _by_turns([label for line, label in counted if any(c.isdigit() for c in line) and is_outcome(line)]):
        return None
    shared: list[str] = []
    own: dict[str, list[str]] = {}
    last: list[str] = shared
    for line in text.split("\n"):
        found = _LABEL.search(line[:_HEAD])
        if found is not None:
            last = own.setdefault(_spelled(found), list(shared))
            line = line[: found.start()] + line[found.end() :].lstrip(" |-")
        last.append(line)
    if len(own) > _FEW:
        return None
    return [(label, "\n".join(lines) + "\n") for label, lines in own.items()]


def _label(line: str) -> str:
    found = _LABEL.search(line[:_HEAD])
    return _spelled(found) if found is not None else ""


def _spelled(found: re.Match[str]) -> str:
    return re.sub(r"[ =:_#]+", "-", (found[1] or found[2]).lower())


def _by_turns(labels: list[str]) -> bool:
    count = Counter(x for x in labels if x)
    if not 2 <= len(count) <= _FEW or sum(count.values()) < _MOST * len(labels) or min(count.values()) < _OFTEN:
        return False
    said = [x for x in labels if x]
    changes = sum(a != b for a, b in pairwise(said))
    return changes > _TURNS * len(count)
