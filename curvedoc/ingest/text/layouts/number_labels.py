"""What the numbers of a line are called: the words that touch them, ahead or behind, whatever the words are."""

from __future__ import annotations

from collections.abc import Collection

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import SIGNS
from curvedoc.ingest.naming.split_words import SPLITS
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.template import CLOCK, FRACTION, NUMBER

_MARK = late_regex(f"[{NUMBER}{FRACTION}]")
#: What ends one thing that is said and begins the next.
_HARD = late_regex(r"[,;|{}\[\]<>()\u3010\u3011]|\s{2,}|\t| - |::|[-=~]>|\u2192|\.{2,}|[.:] ")
_WITHIN = late_regex(r"\(([^()]{0,60})\)")
#: "fit(mean)=", which tells it from "fit(best)="
_CALLED = late_regex(r"(?<=\w)\(([A-Za-z_]{1,20})\)(?= ?[:=] ?$)")
_EDGE = late_regex(rf"^[^\w%@]+|[^\w%@){SIGNS}]+$")
_BEHIND = late_regex(r" ?\(([^\W\d_]{2,12})\)")
_ASIDE = late_regex(r" ?\((?![^)]*\)[ ,;|]+[A-Za-z])")
#: Between the names of a title, which may be of several words.
_GAPS = (late_regex(r"[\s|,;*~]+"), late_regex(r" *[|,;\t][|,;\s]*|\s{2,}"))
_CELL = late_regex(f"[{NUMBER}{FRACTION}{CLOCK}]")
_TITLE = late_regex(r"[^\W\d][^=:]{0,60}|#")
_RULE = late_regex(r"[|:+=\s\u2500-\u257f-]*")
_WORD = late_regex(r"[^\W\d_]")
#: Words of one name, at most.
_LONGEST = 4


@dataclass(frozen=True, slots=True)
class NumberLabel:
    """One number of a line: what it is called ("" where no word touches it), in which unit, whether it is the position
    in a total, whether it stands in a bracket behind another number ("2.3 (mean 2.4)"), and whether it is called so by
    the title of a table."""

    name: str
    unit: str
    fraction: bool
    aside: bool = False
    titled: bool = False


def labels_of(body: str, literal: Collection[int]) -> list[NumberLabel]:
    """The labels of all numbers of a body. literal: numbers that are the same on every line, so that they belong to the
    words around them ("mean reward (last 100): 3.5")."""
    gaps = _MARK.split(body.replace(CLOCK, " | "))
    marks = _MARK.findall(body)
    free = [i for i in range(len(marks)) if i not in literal]
    between: list[str] = [""]
    for i, gap in enumerate(gaps):
        between[-1] += gap
        if i in free:
            between.append("")
    units = [words.unit_apart(g[:40]) or words.unit_of(g[:40]) for g in between[1:]]
    words_behind = [_BEHIND.sub("  ", g) if i and _is_split(g) else g for i, g in enumerate(between)]
    parts = [_parts(g[len(u) + g.startswith(" ") * bool(u) :]) for g, u in zip(words_behind, ["", *units], strict=True)]
    behind = not parts[0][-1] and len(parts) > 1 and bool(parts[-1][0])
    out = {}
    taken = base = ""
    for k, i in enumerate(free):
        ahead, after = parts[k], parts[k + 1]
        shared = len(after) == 1 and k + 1 < len(free)
        name = "" if len(ahead) == 1 and taken == ahead[0] else ahead[-1]
        taken = ""
        if not name and after[0] and (behind or not shared):
            name = taken = after[0]
        elif not name and len(ahead) > 1:
            rest = ahead[1:] if k else ahead
            name = next((p for p in reversed(rest) if p), "")
        aside = k > 0 and _ASIDE.match(between[k]) is not None
        split = _BEHIND.match(between[k + 1]) if _is_split(between[k + 1]) else None
        if split is not None:  # "loss 2.3 (train), 2.4 (val)"
            base = name or base
            name = f"{split[1]} {base}".strip()
        out[i] = NumberLabel(name, units[k], marks[i] == FRACTION, aside)
    return [out.get(i, NumberLabel("", "", marks[i] == FRACTION)) for i in range(len(marks))]


def _is_split(gap: str) -> bool:
    said = _BEHIND.match(gap)
    return said is not None and said[1].lower() in SPLITS


def title_of(template: str, above: list[str]) -> list[NumberLabel]:
    """The labels of the numbers of a row in the line above the first one, which names each; none where it does not."""
    cells = _CELL.findall(template)
    line = next((x for x in reversed(above) if not _RULE.fullmatch(x)), "")
    for gap in _GAPS:
        names = [n.strip() for n in gap.split(line.strip("#|%*~ \t")) if n.strip()]
        if len(names) == len(cells) - 1 and cells[0] == NUMBER:
            names.insert(0, "index")  # a frame's, which has no name
        if len(names) == len(cells) == len(set(names)) and all(map(_TITLE.fullmatch, names)):
            pairs = [(n, c) for n, c in zip(names, cells, strict=True) if c != CLOCK]
            return [NumberLabel(n, "", c == FRACTION, titled=True) for n, c in pairs]
    return []


def _parts(gap: str) -> list[str]:
    """What is said between two numbers, thing by thing: the first touches the one before, the last the one behind."""
    gap = _CALLED.sub(r" \1", gap)
    gap = _WITHIN.sub(lambda m: f" {m[1]} " if m[1].strip().lower() in SPLITS else " ", gap)
    return [_name(p) for p in _HARD.split(gap)]


def _name(said: str) -> str:
    """The name at the end of what is said, without the words of a sentence around it."""
    kept: list[str] = []
    for word in reversed(_EDGE.sub("", said.strip()).split()):
        if words.is_prose(word):
            if kept:
                break
            continue
        kept.insert(0, word.strip("'\""))
    name = _EDGE.sub("", " ".join(kept[-_LONGEST:]))
    return name if _WORD.search(name) else ""
