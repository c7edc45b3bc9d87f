"""How titles and actions read beside each other."""

from __future__ import annotations

import re

#: Between sentences; a point in a number or a name is none.
_SENTENCES = re.compile(r"(?<=[.!]) (?=[A-Z])")


def lower_first(title: str) -> str:
    """A title for the middle of a sentence; names such as NaN, GPU or L2 keep their capitals.

    >>> lower_first("Loss became NaN"), lower_first("NaN in the loss"), lower_first("GPU memory grows")
    ('loss became NaN', 'NaN in the loss', 'GPU memory grows')
    """
    head = title.split(" ", 1)[0]
    return title if any(c.isupper() or c.isdigit() for c in head[1:]) else title[:1].lower() + title[1:]


def beyond(action: str, said: str) -> str:
    """What an action says beyond another: the sentences that they share are told once.

    >>> beyond("Keep it. Stop early.", "Keep it. Add data.")
    'Stop early.'
    """
    told = set(_SENTENCES.split(said))
    return " ".join(s for s in _SENTENCES.split(action) if s not in told)
