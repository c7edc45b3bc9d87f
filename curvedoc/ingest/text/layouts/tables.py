"""Tables printed as text: a header of names, then rows of numbers (fastai, ultralytics)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import EPOCHS
from curvedoc.ingest.naming.log_words import is_outcome, is_usual, spaced
from curvedoc.ingest.table.clock import CLOCK_RE
from curvedoc.ingest.table.values import MISSING
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.plan import LinePlan
from curvedoc.ingest.text.line.prefix import Prefix, read_prefix
from curvedoc.ingest.text.line.slots import EPOCH, METRIC, STEP, NumberSlot
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

#: Counters of other languages.
_FOREIGN = "|".join(w for w in (*EPOCHS, *words.STEP_WORDS) if w in EPOCHS or not w.isascii())
#: Lines that may be a header (Rust syntax): a counter's name first, or ultralytics' validation.
HEADER_RE = (
    rf"^[ |\t#]*(?:-  )?(?i:epochs?|ep|steps?|iters?|iteration|round|class +images|{_FOREIGN})"
    r"[ |\t]+(?:- )?[\p{L}_\[]"
    r"|^ *E {2,}# {2,}[A-Z]"
    r"|^\| *(?i:#|no\.?|nr\.?|idx) *\| *[\p{L}_]"
    r"|^(?i:epoch|step|iter|iteration|index)?,[A-Za-z_][^:=]*(?i:loss|acc)"
)
#: What a logger writes before a header (Rust syntax): a clock, and a level at last.
LOGGED_RE = rf"^[\[(]?{CLOCK_RE}.{{0,80}}?\b(?:DEBUG|INFO|WARNING)\b[\])]?[ :|-]{{1,5}}"
#: A header between bars has so many parts, the ends included.
_BARS = 4
#: Different headers of one file.
MAX_HEADERS = 50

#: What stands between the columns where no blank or bar does: "Epoch - Loss - Test Accuracy".
_DASH = " - "
_DASHED = late_regex(rf" *{NUMBER}(?: - +{NUMBER})+ *")
_GAP = late_regex(r"[\s|]+")
_COMMA = late_regex(r" *, *")
#: Between names of several words.
_WIDE = late_regex(r" *\| *|\s{2,}|\t")
#: Columns that are set apart otherwise than by a blank.
_APART = late_regex(r"\S(?:\s{2,}|\t| *[|,] *)\S")
_SPLIT_NAME = late_regex(r"(?i)\b(train(?:ing)?|valid(?:ation)?|val|test|eval) (loss|acc(?:uracy)?|error)\b")
#: Before the next name of a header whose longest name fills its column.
_NEXT_SPLIT = late_regex(r"(?i)(?<=[a-z)%]) (?=(?:train(?:ing)?|valid(?:ation)?|val|test|eval)[ _-]\w)")
_NAME = late_regex(r"(?:[^\W\d]|[_#]|\[(?=\w))(?:[\w./@%()\[\]#-]|:{1,2}(?=[.\w])){0,60}")
#: A cell of several values, of which each term of a loss has one.
_LIST = late_regex(rf"\[ ?({NUMBER}(?:,? +{NUMBER})*) ?\]")
_TERMS = late_regex(rf"{NUMBER}(?:,{NUMBER})*")
#: What is measured by a column, in brackets behind its name: "Test metric (rel. L2)".
_BY = late_regex(r" \(([\w. ]+)\)$")
#: What a progress bar writes behind a header.
_BAR = late_regex(r":?\s+[0-9]{1,3}%\|.*|:$")
#: What stands for the name of a frame's index: in a notebook's table for an empty cell.
_INDEX = "-"
#: A first column that counts and has no word for it: "| # | train | dev |".
_NUMBERED = late_regex(r"^\| *(?i:#|no\.?|nr\.?|idx) *\|")
#: What stands between the names and the rows of a table.
_RULE = late_regex(r"[|:+=\s-]+")
_COUNTS = frozenset({"images", "instances", "labels", "size", "class"})
#: A last column that rows may leave empty, in a table of so many.
_NOTES, _WITH_NOTES = frozenset(("notes", "note", "comment", "comments", "remark", "saved", "best", "improved")), 2
#: What a cell holds that is more than a mark.
_WORDY = late_regex(rf"[\w{NUMBER}{FRACTION}{CLOCK}]|^-+$")
#: Around what a row says beyond its columns.
_BRACKETS = frozenset((("[", "]"), ("(", ")")))
_EMPTY = Prefix(0, 0, "", -1, -1, False)

#: A row of YOLOv5, behind the clock of whoever captured it, of which the header was not copied.
_DETECTED = ("epoch", "gpu_mem", "box", "obj", "cls", "labels", "img_size")
_DETECTOR = late_regex(
    rf"((?:\[?{CLOCK}\S{{0,12}})?\s*)({FRACTION}\s+{NUMBER}G(?:\s+{NUMBER}){{5}}):\s.*(?:\|\||\u2592)"
)

#: (number of columns, whether rows begin with the word "all") -> names
Headers = dict[tuple[int, bool], tuple[str, ...]]


def headers(lines: Iterable[tuple[str, str]]) -> Headers:
    """The names in the lines that can be a header, each with the line below; the first of each width counts."""
    out: Headers = {}
    barred = ((line.replace(_DASH, " | ") if line.count(_DASH) > 1 else line, below) for line, below in lines)
    counted = ((_NUMBERED.sub("| step |", line), below) for line, below in barred)
    joined = [_joined(_of_splits(line), below) for line, below in counted]
    # the mark of a comment, or the name of a first column: "#  Step  avgR" above "0  1.6e+04  -1487"
    joined += [f"{_INDEX} {line[1:]}" for line in joined if line.startswith("# ")]
    for line, apart in ((line, apart) for line in joined for apart in (_GAP, _WIDE, _COMMA)):
        if apart is _COMMA and line.startswith(","):  # the index of a frame has no name
            line = f"step{line}"
        names = [_BY.sub(r" \1", n) for n in apart.split(_BAR.sub("", line).strip(" |\t#"))]
        names = [n.strip("(): ") for name in names for n in _next_apart(name)]
        names = [n.rsplit("(", 1)[-1].strip("<>") for n in names]
        if names[0] == _INDEX:
            names[0] = ""
        if names[:2] == ["E", "#"]:  # spaCy's
            names[:2] = ["epoch", "step"]
        names = _of_two(names)
        if len(names) > _WITH_NOTES and names[-1].lower() in _NOTES:  # a cell that rows seldom fill
            names.pop()
        if len(names) < 2 or not all(_NAME.fullmatch(n.replace(" ", "_")) for n in names if n):
            continue
        if any(words.is_prose(n) for n in names[1:]) or not any(is_usual(n) for n in names[1:]):
            continue
        out.setdefault((len(names), names[0].lower() == "class"), tuple(names))
    return out


def _of_two(names: list[str]) -> list[str]:
    """The names, those that stand twice in one order ("epoch  MAE  RMSE  MAE  RMSE") as of training and validation."""
    for head in (1, 2):
        half = (len(names) - head) // 2
        first, second = names[head : head + half], names[head + half :]
        if half and first == second and len(set(first)) == half and any(map(is_outcome, first)):
            return [*names[:head], *(f"train {n}" for n in first), *(f"val {n}" for n in second)]
    return names


def _next_apart(name: str) -> list[str]:
    """The names in a cell of a header: "Train Recall Val Loss" is two."""
    parts = _NEXT_SPLIT.split(name)
    return parts if all(" " in spaced(p) for p in parts) else [name]


def _of_splits(line: str) -> str:
    """A header whose columns stand one blank apart, with each split and what is measured of it as one name."""
    return line if _APART.search(line) else _SPLIT_NAME.sub(r"\1_\2", line)


def _joined(line: str, below: str) -> str:
    """A header between bars with its second line, whose cells go on with the names above them (MATLAB); that of a
    printed frame with a mark for the index, which has no name."""
    first = [cell for cell in below.split() if any(map(str.isalnum, cell))]  # a star behind the best is no cell
    if line[:1] == " " and first[:1] == ["0"] and len(first) == len(line.split()) + 1:
        return f"{_INDEX}  {line.strip()}"
    if _RULE.fullmatch(below):  # of a page: "|:--|--:|"
        return line
    cells, more = line.split("|"), below.split("|")
    if len(cells) < _BARS or len(cells) != len(more) or any(c.isdigit() for c in below):
        return line
    names = (
        f"{a.strip()} {b.strip()}".strip() if not b.strip().startswith("(") else a
        for a, b in zip(cells, more, strict=True)
    )
    return " | ".join(names)


def with_upper(above: Sequence[str], width: int) -> list[str]:
    """The lines above a table, the last two as one where each has a word for every column: "average since" above "loss
    last" (of Vowpal Wabbit, whose two columns are one loss)."""
    rows = [_GAP.split(line.strip("#|% \t")) for line in above[-2:]]
    if len(rows) < 2 or any(len(row) != width or any(c.isdigit() for c in "".join(row)) for row in rows):
        return list(above)
    names = [f"{a}_{b}" if a != "since" else f"{rows[1][0]}_{a}_{b}" for a, b in zip(*rows, strict=True)]
    return [*above[:-2], "  ".join(names)]


def table_plan(template: str, of: Headers) -> LinePlan | None:
    """The plan of a row under one of the headers, as it stands or behind what a logger writes; None for a line that is
    no such row."""
    plan = _row_plan(template, of)
    prefix = read_prefix(template) if plan is None and of and template[:2].find(CLOCK) >= 0 else _EMPTY
    if not prefix.clock or not prefix.level:
        return plan
    plan = _row_plan(template[prefix.end :], of)
    if plan is None:
        return None
    return replace(plan, slots=tuple(replace(s, slot=s.slot + prefix.slots) for s in plan.slots), prefix=prefix)


def _row_plan(template: str, of: Headers) -> LinePlan | None:
    headless = _DETECTOR.match(template)
    if headless is not None and (len(_DETECTED), False) not in of:
        found = _slots(_GAP.split(headless[2].strip()), _DETECTED)
        shift = headless[1].count(NUMBER)
        return LinePlan(
            "record", tuple(replace(s, slot=s.slot + shift) for s in found), _EMPTY, bar=True, averaged=True
        )
    if _DASHED.fullmatch(template):
        template = template.replace(_DASH, " ")
    bare = _LIST.sub(lambda m: re.sub(r",? +", ",", m[1]), template).strip(" |\t")
    cells = (_GAP if " " in bare or "," not in bare else _COMMA).split(bare)
    whole = cells
    if len(cells) > 1 and cells[-1] and not _WORDY.search(cells[-1]):  # a star behind the best, or an empty last cell
        cells = cells[:-1]
    barred_cells = [c.strip() for c in template.strip(" \t").strip("|").split("|")]
    for (width, of_classes), names in of.items():
        if of_classes != (cells[0] == "all"):
            continue
        if "" in barred_cells and len(barred_cells) == width:  # a cell that holds nothing in this row
            cells = barred_cells
        elif len(whole) == width:
            cells = whole
        beyond = cells[width:]
        if len(cells) < width or (beyond and not cells[width - 1].endswith(":") and not _aside(beyond)):
            continue
        found = _slots(cells[:width], names)
        if found:
            # behind the numbers a bar goes on: means over the epoch so far, of which the last counts
            barred = "||" in template and any(n.role == EPOCH for n in found)
            return LinePlan("record", found, _EMPTY, bar=barred, averaged=barred)
    return None


def _aside(cells: list[str]) -> bool:
    """Whether cells behind the last column stand in one pair of brackets: "[12s]", "(best so far)"."""
    return (cells[0][:1], cells[-1][-1:]) in _BRACKETS


def _slots(cells: list[str], names: tuple[str, ...]) -> tuple[NumberSlot, ...]:
    out: list[NumberSlot] = []
    slot = 0
    for i, (cell, name) in enumerate(zip(cells, names, strict=True)):
        bare = cell.rstrip(":")
        if not bare:
            continue
        if not name:
            slot += bare[:1] in (NUMBER, FRACTION)
            continue
        if bare[:1] not in (NUMBER, FRACTION):
            if not (bare == CLOCK or set(bare) <= {"-"} or bare.lower() in MISSING or (i == 0 and bare == "all")):
                return ()
            continue
        terms = bare.count(NUMBER) if _TERMS.fullmatch(bare) else 1
        if terms == 1 and bare[1:] and bare[1:] != words.unit_of(bare[1:]):
            return ()
        low = spaced(name)
        if not out and low in words.EPOCH_WORDS:
            out.append(NumberSlot(EPOCH, slot, "epoch"))
        elif low in words.STEP_WORDS and (not out or (len(out) == 1 and out[0].role == EPOCH)):
            out.append(NumberSlot(STEP, slot, name))
        elif low not in _COUNTS:
            unit = bare[1:] if terms == 1 else ""
            out += [NumberSlot(METRIC, slot + k, f"{name}[{k}]" if k else name, unit) for k in range(terms)]
        slot += terms
    return tuple(out) if any(s.role == METRIC for s in out) else ()
