"""How titles read inside sentences."""

from __future__ import annotations


def lower_first(title: str) -> str:
    """A title for the middle of a sentence; names such as NaN, GPU or L2 keep their capitals.

    >>> lower_first("Loss became NaN"), lower_first("NaN in the loss"), lower_first("GPU memory grows")
    ('loss became NaN', 'NaN in the loss', 'GPU memory grows')
    """
    head = title.split(" ", 1)[0]
    return title if any(c.isupper() or c.isdigit() for c in head[1:]) else title[:1].lower() + title[1:]
