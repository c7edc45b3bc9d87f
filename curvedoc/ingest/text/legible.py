"""The lines of a file that are text, where others are not: a block of a disk that holds something else."""

from __future__ import annotations

#: A file with a larger share of broken characters has lines that are no text, and so has such a line.
BROKEN_SHARE = 0.05
#: With less text than this beside them, the file is none.
_LEGIBLE = 0.1
_BROKEN = "\ufffd"


def legible(text: str) -> tuple[str, int]:
    """The text without the lines that are none, and how many these are; "" where hardly anything else is there.

    >>> legible("loss 2\\n" + 9 * "\\ufffd" + "\\nloss 1\\n")
    ('loss 2\\nloss 1\\n', 1)
    """
    if text.count(_BROKEN) <= BROKEN_SHARE * len(text):
        return text, 0
    lines = text.split("\n")  # other ends of lines are common among random bytes, and would glue what is left
    kept = [line for line in lines if line.count(_BROKEN) <= BROKEN_SHARE * len(line)]
    found = "\n".join(kept)
    return (found, len(lines) - len(kept)) if len(found.strip()) >= _LEGIBLE * len(text) else ("", len(lines))
