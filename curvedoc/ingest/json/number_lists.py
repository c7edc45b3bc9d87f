"""Reader of lists of numbers as Python prints them: `{'loss': [0.7, 0.6, ...]}`, `train_losses = [...]`, a list alone
in a file called by its metric, one list for each model; and of vectors from other consoles."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.notes import coalesce
from curvedoc.core.run import Note
from curvedoc.ingest.bytes.compression import unpacked_name
from curvedoc.ingest.bytes.file import decode, decoded_head, pointer, read_text
from curvedoc.ingest.bytes.printed_vectors import as_lists
from curvedoc.ingest.contract import Log
from curvedoc.ingest.json.columns import aligned
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import scope_of
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.table.curve import LogCurve, points_of

NAME = "lists"
FILES: tuple[str, ...] = ("*history*.txt", "*loss*.txt", "*.txt", "*.json")
ABOUT = "lists of numbers as Python prints them, each called by the key before it or by the file"

#: Where no list is longer they are settings (betas, milestones) or a value for each of a few things.
MIN_VALUES, _SHORTEST = 8, 3
#: One line of numbers without brackets must be so long.
MIN_ROW = 20
#: More lists are one for each step, but those of many trainings, each with its own validation.
MAX_LISTS, _MANY = 200, 6_000
#: So much of a text are the lists, where they are what it is about.
_SHARE = 0.4
_SUFFIXES = (
    ".txt", ".log", ".dat", ".csv", ".json", ".jsonl", ".out", "", ".m", ".r", ".jl", ".cdl", ".sce", ".wl", ".nb",
    ".toml", ".ini", ".cfg", ".properties", ".env", ".mat", ".js",
)  # fmt: skip
_LIST = late_regex(r"\[([^\[\]]{15,})(\]|\Z)")
_KEY = late_regex(
    r"""(?:['"]([^'"\n]{1,80})['"]|(?:(?:export|const|let|var|local|static|final) )*([^\W\d][\w ./@-]{0,60}?))"""
    r"""\s*[:=]\s*(?:np\.)?(?:array\()?\s*\Z"""
)
#: numpy.float64(0.5), tensor(0.5, device='cuda:0')
_WRAPPED = late_regex(r"(?:\w{1,12}\.)?(?:float\d*|int\d*|tensor)\(\s*([^()\[\],]{1,40})(?:,[^()\[\]]{0,80})?\)")
#: Records that are counted are a log of another kind.
_COUNTED = late_regex(
    r"""(?:["'{,]\s*|^)(?:epoch|step|global_step|iteration|iter)["']?\s*[:= ]\s*\d""", re.IGNORECASE | re.MULTILINE
)
#: Of these there is one value each.
_APART = word_set(
    """class classes fold folds category categories label labels weight weights matrix subject sample samples confusion
    pred preds prediction predictions target targets bins thresholds tpr fpr"""
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NumberList:
    """A list in a text, with the key before it ("" for none); torn: the text ends inside it."""

    name: str
    value: Floats
    torn: bool = False


#: "'map': 0.6" behind a list.
_MEAN = late_regex(r"[)\s]*,\s*['\"]?(?:m|mean|avg|average)[\w ]{0,20}['\"]?\s*[:=]\s*(\d+\.\d+(?:[eE][-+]?\d+)?)")


def claims(path: Path, head: bytes) -> bool:
    """A text that is lists of numbers for the most part, of which the keys or the file's name tell a metric."""
    name = unpacked_name(path.name.lower())
    if Path(name).suffix not in _SUFFIXES or b"\x00" in head[:100] or pointer(head) is not None:
        return False
    text = as_lists(decoded_head(head))
    if ("[" in text or "\n" in text.strip()) and not _LIST.search(text):
        return False
    if _COUNTED.search(text):
        return False
    found = list(itertools.islice(_lists(text, Path(name).stem), MAX_LISTS + 1))
    if max((len(x.value) for x in found), default=0) < MIN_VALUES and not _history(found):
        return False
    if len(found) > MAX_LISTS and not _validated(found):
        return False
    if not (_named(found) or (_measures(Path(name).stem) and not name.endswith(".js"))):
        return False
    solid = re.sub(r"\s+", "", text)
    return "[" not in text or sum(len(m[0]) for m in _LIST.finditer(solid)) >= _SHARE * len(solid)


def read(paths: Sequence[Path]) -> list[Log]:
    """One log a file, or one for each training in it: a key that comes again begins another one."""
    return [log for path in paths for log in _read(path)]


def _read(path: Path) -> list[Log]:
    data, notes = read_text(path)
    text, more = decode(data)
    text = as_lists(text)
    stem = Path(unpacked_name(path.name)).stem
    found = list(itertools.islice(_lists(text, stem), _MANY))
    found = found if _validated(found) else found[:MAX_LISTS]
    told = [*notes, *more]
    told += [Note("truncated", "the file ends inside a list") for x in found if x.torn]
    groups = _trainings(found, stem)
    out = []
    for label, lists in groups:
        curves = [LogCurve.plain(n, np.arange(len(v), dtype=np.float64), v) for n, v in lists]
        laid, axis, said = aligned(curves, False)
        run = label if len(groups) > 1 else None
        notes = coalesce([*told, *said])
        out.append(Log(path, NAME, points_of(laid), notes=notes, bytes=len(data), run=run, axis=axis))
    return out or [Log(path, NAME, notes=coalesce([*told, Note("not-a-log", "no lists of numbers")]), bytes=len(data))]


def _trainings(found: Sequence[NumberList], stem: str) -> list[tuple[str, list[tuple[str, Floats]]]]:
    """(label, curves) of each training: where no key is a metric, each list is one, called by its key."""
    if not _named(found):
        many: dict[str, int] = {}
        out = []
        for x in found:
            many[x.name] = many.get(x.name, 0) + 1
            label = x.name or stem
            out.append((label if many[x.name] == 1 else f"{label} {many[x.name]}", [(stem, x.value)]))
        return out
    groups: list[dict[str, Floats]] = [{}]
    for x in found:
        if not x.name or not _APART.isdisjoint(re.split(r"[\W_]+", x.name.lower())):
            continue
        if x.name in groups[-1]:
            groups.append({})
        groups[-1][x.name] = x.value
    return [(str(i), list(g.items())) for i, g in enumerate(groups, 1) if g]


def _lists(text: str, stem: str) -> Iterator[NumberList]:
    """The lists of numbers in a text, in order; of one that the text ends inside, the values before its last comma."""
    if "(" in text:
        text = _WRAPPED.sub(r"\1", text)
    for m in _LIST.finditer(text):
        torn = not m[2]
        inside = m[1][: m[1].rfind(",")] if torn and "," in m[1] else m[1]
        value = _numbers(inside)
        if value is not None and len(value) >= _SHORTEST and not _averaged(value, text, m.end()):
            key = _KEY.search(text, max(0, m.start() - 120), m.start())
            yield NumberList((key[1] or key[2]).strip() if key else "", value, torn)
    if "[" not in text and text.count("\n", 0, len(text.rstrip())) == 0 and _measures(stem):
        value = _numbers(text)
        if value is not None and len(value) >= MIN_ROW:
            yield NumberList("", value)


def _averaged(value: Floats, text: str, end: int) -> bool:
    """Whether the next thing that is told is the mean of the list ("'ap': [0.7, 0.5, ...], 'map': 0.6"): its entries
    are classes or parts, and no curve."""
    told = _MEAN.match(text, end)
    return told is not None and bool(np.isclose(float(told[1]), np.mean(value), rtol=1e-4))


def _numbers(text: str) -> Floats | None:
    """Numbers between commas or blanks, None where anything else stands there."""
    cells = text.replace(",", " ").split()
    try:
        return np.array([float("nan" if c in ("None", "null") else c) for c in cells])
    except ValueError:
        return None


def _validated(found: Sequence[NumberList]) -> bool:
    """Whether lists of few names come again and again, of validation data among them: those of many trainings."""
    names = {x.name for x in found if _measures(x.name)}
    return 1 < len(names) < len(found) / 4 and any(scope_of(spaced(n)) in ("val", "valid", "validation") for n in names)


def _history(found: Sequence[NumberList]) -> bool:
    """Whether each is of one length and a metric of training has its own of validation, as Keras keeps them."""
    names = {x.name for x in found}
    apart = any(f"val_{n}" in names for n in names if _measures(n))
    return apart and all(_measures(n) for n in names) and len({len(x.value) for x in found}) == 1


def _named(found: Sequence[NumberList]) -> bool:
    return any(_measures(x.name) for x in found)


def _measures(name: str) -> bool:
    """Whether a name says a metric that a training has one value of at a time."""
    return is_outcome(name) and _APART.isdisjoint(re.split(r"[\W_]+", name.lower()))
