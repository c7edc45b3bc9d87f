"""Lists of numbers, one a line, below a list of their names ("[train loss, test loss]")."""

from __future__ import annotations

from collections.abc import Iterator

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome

#: So much of a text is looked at for the first list of names.
_HEAD = 1 << 14
_QUOTE = "['\"]?"
_NAME = rf"{_QUOTE}[A-Za-z][\w ./%-]{{0,40}}{_QUOTE}"
_NAMES = late_regex(rf"[ \t]*[\[(]({_NAME}(?:, ?{_NAME}){{1,30}})[\])][ \t]*")
_BELOW = late_regex(rf"(?m)^[ \t]*[\[(]{_NAME}(?:, ?{_NAME}){{1,30}}[\])][ \t\r]*\n[ \t]*[\[(][-+\d.]")
_NUMBERS = late_regex(r"[ \t]*[\[(]([-+\d.eE, nai]{3,800})[\])][ \t]*")


def are_titled(text: str) -> bool:
    """Whether a text holds names in brackets right above numbers in brackets."""
    return _BELOW.search(text, 0, _HEAD) is not None


def named_rows(text: str) -> str:
    """The text, with the name ahead of each number of such lists."""
    return "\n".join(_rewritten(text)) if are_titled(text) else text


def _rewritten(text: str) -> Iterator[str]:
    names: list[str] = []
    for line in text.split("\n"):
        title = _NAMES.fullmatch(line)
        row = _NUMBERS.fullmatch(line) if names and title is None else None
        if title is not None:
            names = [n.strip(" '\"") for n in title[1].split(",")]
            names = names if any(map(is_outcome, names)) else []
        values = row[1].split(",") if row is not None else []
        if len(values) == len(names) > 0:
            yield ", ".join(f"{n}: {v.strip()}" for n, v in zip(names, values, strict=True))
        else:
            yield line
