"""Vectors as consoles print them (R, numpy, Octave and MATLAB, Julia, pandas), written as lists under their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.bytes.written_vectors import bracketed

_NUM = r"[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d{1,4})?|\.\d+|nan|NaN|NA|inf|Inf)"
#: R counts ahead of each row the values so far: "  [7] 2.10 1.98".
_COUNTED = late_regex(rf"\s*\[(\d+)\]((?:\s+{_NUM})+)\s*")
#: Octave and MATLAB: "J_history =", with the numbers below; MATLAB parts a long row: "  Columns 1 through 8".
_ASSIGNED = late_regex(r"\s*([A-Za-z][\w.]{0,60}) =\s*")
_PARTED = late_regex(r"\s*Columns? \d+(?: (?:through|and|to) \d+)?:?\s*")
#: Julia tells the length and the kind ahead of the values: "60-element Vector{Float64}:".
_TYPED = late_regex(r"\s*(\d+)-element \w{0,20}(?:Vector|Array)\{[\w, ]{1,40}\}:\s*")
_VALUES = late_regex(rf"(?:\s+{_NUM})+\s*|{_NUM}\s*")
#: pandas: "17    0.412", and at last "Name: loss, Length: 60, dtype: float64".
_INDEXED = late_regex(rf"(\d{{1,9}})\s+({_NUM})\s*")
_FIRST = ("0", "1")
_SERIES = late_regex(r"Name: ([^,\n]{1,60}),(?: Length: \d+,)? dtype: \w+")
#: "Training loss by epoch: 2.31 2.10 1.98 ...", or with arrows between the values.
_RUN_ON = late_regex(
    rf"[ \t]*([A-Za-z][\w .()/-]{{0,60}})[:=][ \t]*({_NUM}(?:(?:[ \t]*(?:,|;|->|=>|→)[ \t]*|[ \t]+){_NUM}){{7,}})\s*"
)
_BETWEEN = late_regex(r"[ \t]*(?:,|;|->|=>|→)[ \t]*|[ \t]+")
_BARE = late_regex(r"(?:(?:np\.|numpy\.|torch\.)?(?:array|tensor)\()?\[\s*[-+]?[\d.]")
_PROMPT = late_regex(r"(?:In \[\d+\]:|>{1,3}|julia>|octave(?::\d+)?>|\$)\s*")
#: What a notebook's console puts ahead of a value, on the line of it or above.
_OUTPUT = late_regex(r"[ \t]*Out\[\d+\]:[ \t]*")
#: What is asked for at a prompt: "print(fit$loss)", "history.history['loss']".
_ASKED = late_regex(r"([\w .-]{1,60})[\])'\"\s;:]*")
#: So many words a line has that says what stands below.
_WORDS = 6
#: One of these is in every text that holds such vectors.
_SIGNS = (
    "[1] ",
    "Out[",
    " =\n",
    "-element ",
    "dtype: ",
    "\n[",
    "\narray(",
    "\ntensor(",
    "-> ",
    "→ ",
)
#: One of these, in every text that holds them as sources and dumps do.
_WRITTEN = ("DATASET ", "{{", "= {", "= (", ": (", ": {", "c(", "={", "];", "...", " ;\n", ";\n")
#: Numbers on end, by themselves or behind a name.
_ROW = late_regex(r"\d\.\d+ \d+\.\d+ \d+\.\d+ \d+\.\d+ \d+\.\d+|[=:] ?\d+\.\d+, ?\d+\.\d+, ?\d+\.\d+, ?\d")


def as_lists(text: str) -> str:
    """The text, with each such vector as `name = [1, 2, 3]`."""
    if any(sign in text for sign in _WRITTEN):
        text = bracketed(text)
    if not any(sign in text for sign in _SIGNS) and not _ROW.search(text):
        return text
    return "\n".join(_rewritten(text.split("\n")))


def _rewritten(lines: Sequence[str]) -> Iterator[str]:
    at, said = 0, ""
    while at < len(lines):
        out = _OUTPUT.match(lines[at]) if "Out[" in lines[at] else None
        line = lines[at] if out is None else lines[at][out.end() :]
        name, values, end = _vector(lines, at, said) if out is None else ("", [], at)
        if values:
            yield f"{name} = [{', '.join(values)}]" if name else f"[{', '.join(values)}]"
            at, said = end, ""
            continue
        if said and _BARE.match(line.lstrip()):  # "history of training loss", and below it "array([2.3, ..."
            line, said = f"{said} = {line.lstrip()}", ""
        elif line.strip():
            said = _name(line)
        yield line
        at += 1


def _vector(lines: Sequence[str], at: int, said: str) -> tuple[str, list[str], int]:
    """The name and the values of a vector that begins at a line, and where it ends; no values where none does."""
    line = lines[at]
    indexed = _INDEXED.fullmatch(line)
    if indexed is not None and indexed[1] in _FIRST:
        return _series(lines, at)
    run_on = _RUN_ON.fullmatch(line)
    if run_on is not None:
        return run_on[1].strip(), _BETWEEN.split(run_on[2]), at + 1
    counted = _COUNTED.fullmatch(line)
    if counted is not None and counted[1] == "1":
        return said, *_rows_of_r(lines, at)
    typed = _TYPED.fullmatch(line)
    assigned = _ASSIGNED.fullmatch(line)
    if typed is None and assigned is None:
        return "", [], at
    rows, end = _rows(lines, at + 1)
    alone = all(len(r) == 1 for r in rows) or len(rows) == 1
    parted = assigned is not None and any(_PARTED.fullmatch(x) for x in lines[at + 1 : at + 3])
    values = [v for r in rows for v in r] if alone or parted else []
    return said if assigned is None else assigned[1], values, end


def _rows_of_r(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    values: list[str] = []
    while at < len(lines) and (m := _COUNTED.fullmatch(lines[at])) is not None and int(m[1]) == len(values) + 1:
        values += m[2].replace("NA", "nan").split()
        at += 1
    return values, at


def _rows(lines: Sequence[str], at: int) -> tuple[list[list[str]], int]:
    """The rows of numbers from a line on, over empty lines and the heads of parts of a long row."""
    rows: list[list[str]] = []
    while at < len(lines):
        if _VALUES.fullmatch(lines[at]) and lines[at].strip():
            rows.append(lines[at].replace("NA", "nan").split())
        elif lines[at].strip() and not _PARTED.fullmatch(lines[at]):
            break
        at += 1
    return rows, at


def _series(lines: Sequence[str], at: int) -> tuple[str, list[str], int]:
    values: list[str] = []
    end, first = at, int(lines[at].split()[0])
    while end < len(lines) and (m := _INDEXED.fullmatch(lines[end])) is not None and int(m[1]) == first + end - at:
        values.append(m[2])
        end += 1
    told = _SERIES.match(lines[end]) if end < len(lines) else None
    return (told[1], values, end + 1) if told is not None else ("", [], at)


def _name(line: str) -> str:
    """What a line says of what is printed below it, "" where it says more than a name or was asked for nothing."""
    line = line.strip()
    prompt = _PROMPT.match(line)
    asked = line[prompt.end() :] if prompt is not None else line
    whole = _ASKED.fullmatch(asked.replace("(", "$").rsplit("$", 1)[-1].rsplit("['", 1)[-1])
    name = whole[1].strip() if whole is not None else ""
    return name if len(name.split()) <= _WORDS and not name[:1].isdigit() else ""
