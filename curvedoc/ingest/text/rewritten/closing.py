"""The evaluation of the best weights that closes a training, which tells of no epoch of its own."""

from __future__ import annotations

from curvedoc.core.late_regex import late_regex

#: "Validating runs/detect/train/weights/best.pt...", and what it prints up to the speed that ends it.
_CLOSING = late_regex(
    r"(?m)^(Validating [^\n]{0,200}\bbest\.pt\b[^\n]*\n)(?:(?!Speed: |Results saved)[^\n]*\n){0,2000}"
)


def without_closing(text: str) -> str:
    """The text, without the table of such an evaluation, which would stand at the last epoch; another text as it is."""
    return _CLOSING.sub(r"\1", text) if "best.pt" in text else text
