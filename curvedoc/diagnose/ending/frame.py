"""The innermost frame of the user's own code in a traceback."""

from __future__ import annotations

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.diagnose.judge.transcript import shortened

_FRAME = late_regex(r'File "([^"\n]{1,400})", line ([0-9]{1,9})(?:, in ([^\n]{1,120}))?')
_LONGEST = 160
#: Code of others: installed packages, the standard library, what an interpreter runs before a script, compiled modules
#: (which are named by where they were built).
_FOREIGN = late_regex(
    r"(?:site|dist)-packages[\\/]|/lib(?:64)?/python[0-9.]+/|[\\/]Lib[\\/]|^<(?:frozen|string|decorator)"
    r"|^\w[^:]*\.pyx$"
)
#: Below the code Python 3.11 and later mark the part that failed.
_CARETS = late_regex(r"^ *[~^]*\^[~^]*\s*$")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the user's code, its source line, and the part of it that failed ("" where the log shows none)."""

    file: str
    line: int
    function: str
    code: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line}"


def user_frame(traceback: str) -> Frame | None:
    """The innermost frame that is not of an installed package, of the last exception; None where there is none.

    >>> str(user_frame('  File "/home/u/train.py", line 39, in main\\n    x = cfg["ckpt_dir"]\\nKeyError: 1'))
    'train.py:39'
    >>> user_frame('  File "train.py", line 3, in f\\nRuntimeError: no').code
    ''
    >>> user_frame('  File "train.py", line 3, in f\\n    y = a + b.c\\n            ^^^\\nTypeError: no').part
    'b.c'
    >>> str(user_frame('File "data.py", line 7, in load\\n  f = open(p)\\nFile "h5py/h5f.pyx", line 108, in create'))
    'data.py:7'
    """
    lines = traceback.split("\n")
    found: Frame | None = None
    for i, line in enumerate(lines):
        frame = _FRAME.search(line)
        if frame and not _FOREIGN.search(frame[1]):
            below, marks = (lines[i + k] if i + k < len(lines) else "" for k in (1, 2))
            # code stands further in; without it the error or the next frame follows
            inside = below[frame.start() : frame.start() + 1].isspace() and "File " not in below
            code = shortened(below.strip(), _LONGEST) if inside else ""
            part = below[len(marks) - len(marks.lstrip()) : len(marks.rstrip())] if _CARETS.match(marks) else ""
            found = Frame(frame[1], int(frame[2]), (frame[3] or "").strip(), code, part.strip() if inside else "")
    return found
