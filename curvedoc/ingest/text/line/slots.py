"""What the numbers of a log line were taken for, and the names that metrics get from their line."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import in_english, without_accents
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import SCOPES, has_scope, scope_of
from curvedoc.ingest.text.line import words

#: Roles of a number. A place is a counter that no word names ("[4] loss=2.3"): the lines around tell which.
METRIC, STEP, INNER, EPOCH, RANK, PLACE = 0, 1, 2, 3, 4, 5
COUNTERS = (STEP, INNER, EPOCH, PLACE)


#: The name of a mean over the last so many.
_WINDOW = late_regex(r"(?:mean|avg|average|ma|last|running)[_ -]?\d{1,5}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumberSlot:
    """One number of a template that means something."""

    role: int
    slot: int
    name: str
    unit: str = ""


@dataclass(slots=True)
class Body:
    """The state of one pass over the numbers of a body."""

    found: list[NumberSlot] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)
    prose: int = 0
    stray: int = 0
    rest: str = ""
    listed: str = ""
    count: int = 0
    bar: bool = False
    strong: bool = False
    plural: bool = False
    late: bool = False
    spoken: bool = False
    led: bool = False
    label: str = ""


def named(state: Body) -> tuple[NumberSlot, ...]:
    """The slots with the scope of the line put before the keys that have none."""
    several = len(set(state.scopes)) > 1
    scope = state.scopes[-1] if state.scopes else ""
    spoken = next((s.name for s in state.found if s.role == METRIC), "").split(" ")
    first = _split_said(spoken[0].strip(".").lower()) if not scope and len(spoken) > 1 else ""
    if first:
        # "val Loss: 0.2 Acc: 0.9": what the first name says holds for the others
        scope = first
        others = (s.name for s in state.found if is_outcome(s.name) and not s.name.startswith(spoken[0]))
        several = any(map(has_scope, others))
        shared = True
    else:
        shared = False
    state.found = [_share_of_split(s) for s in _told_apart(_means_of(state.found))]
    steps = [s for s in state.found if s.role == STEP]
    best = min(steps, key=lambda s: _priority(s.name), default=None)
    out = []
    for s in state.found:
        if s.role == METRIC and scope and not several and scope != "train" and _open(s.name, shared):
            s = NumberSlot(s.role, s.slot, f"{scope} {s.name}", s.unit)
        elif s.role == STEP and s is not best:
            # a bare "STEP: 3/40" beside the global one counts within the epoch
            inner = spaced(s.name) in words.STEP_WORDS
            s = NumberSlot(INNER if inner else METRIC, s.slot, s.name, s.unit)
        out.append(s)
    return tuple(out)


def _split_said(word: str) -> str:
    """The split that a word names, in other languages too ("验证集"), "" for none."""
    if word in SCOPES or word.isascii():
        return SCOPES.get(word, "")
    split, _, rest = in_english(without_accents(word)).partition("_")
    return split if split in ("train", "val", "test") and len(rest) <= 1 else ""


def _share_of_split(s: NumberSlot) -> NumberSlot:
    """A slot that is named by its split alone, with what it is where it is told in percent ("Valid: 71.3%")."""
    share = s.role == METRIC and s.unit == "%" and s.name.lower() in SCOPES
    return NumberSlot(s.role, s.slot, f"{s.name} acc", s.unit) if share else s


def _means_of(found: list[NumberSlot]) -> list[NumberSlot]:
    """The slots, a mean over so many called by what it is the mean of: "score 21.6 | mean100 16.1"."""
    out: list[NumberSlot] = []
    for s in found:
        of = next((o.name for o in reversed(out) if o.role == METRIC and is_outcome(o.name)), "")
        out.append(replace(s, name=f"{of} {s.name}") if of and s.role == METRIC and _WINDOW.fullmatch(s.name) else s)
    return out


def _told_apart(found: list[NumberSlot]) -> list[NumberSlot]:
    """The slots, those of one name that stands twice with the split of the name before them ("train loss 0.5 acc 0.8 |
    val loss 0.6 acc 0.7")."""
    names = [s.name for s in found if s.role == METRIC]
    if len(set(names)) == len(names):
        return found
    half = len(names) // 2
    if half > 1 and names[:half] == names[half:] and any(map(is_outcome, names)) and not any(map(has_scope, names)):
        # all of it once more: what an epoch ends with
        again = [s for s in found if s.role == METRIC][half:]
        return [replace(s, name=f"val {s.name}") if s in again else s for s in found]
    out, split = [], ""
    seen: Counter[str] = Counter()
    for s in found:
        if s.role == METRIC and has_scope(s.name):
            split = scope_of(s.name.replace("_", " ")) or split
        elif s.role == METRIC and split and names.count(s.name) > 1:
            s = NumberSlot(s.role, s.slot, f"{split} {s.name}", s.unit)
        if s.role == METRIC:
            seen[s.name] += 1
            if seen[s.name] > 1:  # evaluators of one name, one behind the other
                s = NumberSlot(s.role, s.slot, f"{s.name}[{seen[s.name] - 1}]", s.unit)
        out.append(s)
    return out


def _open(name: str, shared: bool) -> bool:
    """Whether a name takes the scope of its line; a scope only shared by the first name is for outcomes."""
    return not has_scope(name) and (not shared or is_outcome(name))


def _priority(name: str) -> int:
    """The place of a counter's name in the order of preference."""
    low = spaced(name.split("/")[0])
    return next((i for i, w in enumerate(words.STEP_WORDS) if low.endswith(w)), len(words.STEP_WORDS))
