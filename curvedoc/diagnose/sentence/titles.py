"""How titles and actions read beside each other."""

from __future__ import annotations

from curvedoc.core.late_regex import late_regex

#: Between sentences; a point in a number or a name is none.
_SENTENCES = late_regex(r"(?<=[.!]) (?=[A-Z])")

#: Where a title may end early and still be a sentence.
_CLAUSES = late_regex(
    r"(?=[;:] | \(or\b|, (?!at\b|\d)|"
    r",? (?:while|when|which|where|until|and (?:became|ended|ends|is|rests|stays|went))\b)"
)
#: The kind of an error at the end of what is left.
_ERROR = late_regex(r": \w*(?:Error|Exception|Warning)$")
#: What is left of a title up to this share of the room says too little.
_LEAST = 0.3


def clause(title: str, room: int) -> str:
    """The title as far as it fits into so many characters and still is a sentence; "" where none of it does.

    >>> clause("Mild overfitting: validation was best, 0.54, at epoch 2 and ended at 0.56", 60)
    'Mild overfitting: validation was best, 0.54, at epoch 2'
    >>> clause("The loss jumps", 60), clause("RuntimeError: mat1 and mat2 shapes cannot be multiplied", 40)
    ('The loss jumps', '')
    """
    if len(title) <= room:
        return title
    ends = [m.start() for m in _CLAUSES.finditer(title) if _LEAST * room < m.start() <= room]
    return title[: ends[-1]] if ends else ""


def whole(title: str, room: int) -> str:
    """The title, or as many of its clauses as the room holds; an error that is quoted in part is left out.

    Where not even the first clause fits, that is told all the same: half a clause says nothing.

    >>> whole("Crashed at train.py:45: RuntimeError: one of the variables was changed in place, says torch", 50)
    'Crashed at train.py:45'
    >>> whole("The loss stays at about 1.65, the accuracy at about 20%, as in a guess", 40)
    'The loss stays at about 1.65'
    """
    if len(title) <= room:
        return title
    ends = [m.start() for m in _CLAUSES.finditer(title)]
    fits = [e for e in ends if _LEAST * room < e <= room] or ends[:1]
    return _ERROR.sub("", title[: fits[-1]]) if fits else title


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
