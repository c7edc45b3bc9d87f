"""The innermost frame of the user's own code in a traceback."""

from __future__ import annotations

import re

from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.judge.hits import shortened

_FRAME = re.compile(r'File "([^"\n]{1,400})", line ([0-9]{1,9})(?:, in ([^\n]{1,120}))?')
_LONGEST = 160
#: Code of others: installed packages, the standard library, what an interpreter runs before a script.
_FOREIGN = re.compile(
    r"(?:site|dist)-packages[\\/]|/lib(?:64)?/python[0-9.]+/|[\\/]Lib[\\/]|^<(?:frozen|string|decorator)"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the user's code, and the source line that stood there ("" where the log has none)."""

    file: str
    line: int
    function: str
    code: str

    def __str__(self) -> str:
        return f"{self.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line}"


def user_frame(traceback: str) -> Frame | None:
    """The innermost frame that is not of an installed package, of the last exception; None where there is none.

    >>> str(user_frame('  File "/home/u/train.py", line 39, in main\\n    x = cfg["ckpt_dir"]\\nKeyError: 1'))
    'train.py:39'
    >>> user_frame('  File "train.py", line 3, in f\\nRuntimeError: no').code
    ''
    """
    lines = traceback.split("\n")
    found: Frame | None = None
    for i, line in enumerate(lines):
        frame = _FRAME.search(line)
        if frame and not _FOREIGN.search(frame[1]):
            below = lines[i + 1] if i + 1 < len(lines) else ""
            # code stands further in; without it the error or the next frame follows
            inside = below[frame.start() : frame.start() + 1].isspace() and "File " not in below
            code = shortened(below.strip(), _LONGEST) if inside else ""
            found = Frame(frame[1], int(frame[2]), (frame[3] or "").strip(), code)
    return found
