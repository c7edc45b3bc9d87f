"""What one raw metric name says: a role in some split, a label, and how raw the thing is."""

from __future__ import annotations

import re

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Sureness
from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.naming.signals import Bounds, RoleFamily, Signals, Split, plain
from curvedoc.ingest.naming.word_set import word_set


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name was taken for, before anyone looked at its values.

    order:   place among the family's names, 0 the best
    average: how many words say that it is an average over many steps
    part:    it is one part of an objective (box_loss, kl_loss), not the whole
    never:   it must not stand in for the whole even alone
    layered: one of many of its kind, told apart by label (a pattern with a label)
    base:    the name of the family that was found in it
    turned:  its values are told with the other sign: a likelihood is made as high as can be, a loss as low
    trust:   how sure the reading is
    """

    role: str
    split: Split
    label: str
    why: str
    bounds: Bounds
    family: str = ""
    order: int = 0
    average: int = 0
    part: bool = False
    never: bool = False
    layered: bool = False
    base: str = ""
    turned: bool = False
    trust: Sureness = "sure"


#: Words at the end of a setting that is called by what it steers ("l1_ratio", "loss_weight").
_SETTINGS = word_set(
    "alpha beta gamma lambda ratio w weight weights wei coef coeff temperature rate factor prob threshold decay"
)
#: How mathematics writes a loss: "l_pix", "L_G".
_LOSS_SIGN = "l"
#: At the end of a name, what a list of them is called: "ff_train_losses".
_LOSSES = "losses"
#: A name of no more letters may be a part of any other.
_INITIALS = 2
#: No quantity has a longer name, and matching takes time with the square of it.
_LONGEST = 200
_GAPS = late_regex("__+")
#: How many candidates a contrastive loss was asked of: "dev_nce@300".
_AMONG = late_regex(r"@\d+k?$")
#: What is measured of a layer, as a call: "sat(h1)".
_CALLED = late_regex(r"(\w+)\(([\w.]+)\)")
#: Where losses are logged together.
_GROUP = late_regex(r"(?i)(?:[a-z]{1,20}[_ /.-]){0,4}loss(?:es)?[/.](?=[a-z])")
#: What stands between a metric's name and its file where two files log different things under one name.
FROM = " @ "


def read_name(raw: str, table: Signals) -> Reading | None:
    """The reading of one metric name by signals.yaml, None where it says nothing; remembered in the table."""
    if raw not in table.memo:
        table.memo[raw] = _read(raw, table)
    found: Reading | None = table.memo[raw]
    return found


def split_and_rest(raw: str, table: Signals) -> tuple[Split, tuple[str, ...]]:
    """The split that a name states ("train" where it states none), and its words without those that say nothing;
    remembered in the table, since every way to tell a role from values asks it."""
    key = (split_and_rest, raw)
    if key not in table.memo:
        table.memo[key] = _split_and_rest(raw, table)
    found: tuple[Split, tuple[str, ...]] = table.memo[key]
    return found


def _split_and_rest(raw: str, table: Signals) -> tuple[Split, tuple[str, ...]]:
    words = _phrased(in_english(plain(raw.split(FROM, 1)[0])), table).split("_")
    split: Split = next((table.splits[w] for w in reversed(words) if w in table.splits), "train")
    rest = tuple(w for w in words if w and w not in table.splits and w not in table.average and w not in table.noise)
    return split, rest


def is_aside(raw: str, table: Signals) -> bool:
    """Whether a name says that its values are no measure of learning: a clock, a counter, hardware, a setting."""
    key = (is_aside, raw)
    if key not in table.memo:
        table.memo[key] = _is_aside(raw, table)
    found: bool = table.memo[key]
    return found


def _is_aside(raw: str, table: Signals) -> bool:
    name = plain(raw.split(FROM, 1)[0])
    if len(raw) > _LONGEST or any(p.fullmatch(name) for p in table.ignore):
        return True
    return not table.unrelated.isdisjoint(name.split("_")) or (name.endswith("time") and name.isalpha())


def _read(raw: str, table: Signals) -> Reading | None:
    raw = raw.split(FROM, 1)[0]
    name = in_english(plain(raw))
    if not name or len(raw) > _LONGEST or any(p.fullmatch(name) for p in table.ignore):
        return None
    for f in table.families:
        if name in f.exact:
            return Reading(
                f.roles["train"], "train", "", f"{f.name}: {name}", f.bounds, f.name, len(f.names) + f.exact[name]
            )
    found = _by_pattern(raw, name, table) or _by_words(name, table)
    if found is None and (call := _CALLED.fullmatch(raw)):
        found = _by_pattern("/".join(call.groups()), name, table)
    if found is None and (bare := _AMONG.sub("", raw)) != raw:
        found = _by_words(plain(bare), table)
    if found is None and (group := _GROUP.match(raw)) and (rest := raw[group.end() :]) and not is_aside(rest, table):
        # "dev_task_losses/summary": what stands under losses is one, unless it says by itself what it is
        found = read_name(rest, table) or _by_words(
            f"{_said_split(group[0], table)}_loss_{in_english(plain(rest))}", table
        )
    return found


def _said_split(words: str, table: Signals) -> Split:
    return split_and_rest(words, table)[0]


def _by_pattern(raw: str, name: str, table: Signals) -> Reading | None:
    for p in table.patterns:
        for regex, text in (*((r, raw) for r in p.raw), *((r, name) for r in p.plain)):
            found = regex.fullmatch(text)
            if found:
                label = found.groupdict().get("label") or ""
                return Reading(
                    p.role, "train", label, f"{p.role}: {_short(regex.pattern)}", p.bounds, layered=bool(label)
                )
    return None


def _by_words(name: str, table: Signals) -> Reading | None:
    split: Split | None = None
    words: list[str] = []
    spoken: list[str] = []  # with the words that tell nothing elsewhere: "log" in a negative log likelihood
    average = 0
    for word in _phrased(name, table).split("_"):
        if word in table.splits:
            split = table.splits[word]
        elif word in table.average:
            average += 1
        else:
            spoken.append(word)
            if word not in table.noise and word not in words[-1:]:
                words.append(word)
    full = tuple(words)
    for family in table.families:
        order = _order(name, full, family)
        if order is None:
            order = family.names.get("_".join(spoken))
        if order is None and family.numbered:
            order = family.names.get("_".join(w for w in full if not w.isdecimal()))
        if order is not None and (split or "train") in family.roles:
            whole = name in family.names  # "smooth" in smooth_l1 says nothing of a mean
            return _reading(family, split or "train", "", order, 0 if whole else average, name)
    if len(full) > 1 and full[0] == _LOSS_SIGN and all(w.isalpha() for w in full):
        full = (*full[1:], "loss")
    elif full and spoken[-1] == _LOSSES:
        full = (*full, "loss")
    for family in table.families:
        if (split or "train") in family.labeled or (split or "train") in family.parts_as:
            found = _label(full, family)
            if found is None and family.numbered and len(full) > 1 and full[-1].isdecimal():  # "dev_cosine_ndcg@10"
                found = _label(full[:-1], family)
            if found is None and family.label_is_name and split is not None and table.unrelated.isdisjoint(full):
                found = _of_a_set(full, family)
            if found is not None:
                return _reading(family, split or "train", found[0], len(family.names), average, name, found[1])
    return None


def _order(name: str, words: tuple[str, ...], family: RoleFamily) -> int | None:
    """The place of a name in the family: whole first (it may hold a word that is noise elsewhere), then stripped."""
    found = family.names.get(name)
    return family.names.get("_".join(words)) if found is None else found


def _label(words: tuple[str, ...], family: RoleFamily) -> tuple[str, str] | None:
    """The words beyond one of the family's label names, at its end or front, or around one of several words; and that
    name."""
    for n in family.label_names:
        if 0 < len(n) < len(words):
            if words[-len(n) :] == n:
                return "_".join(words[: -len(n)]), "_".join(n)
            if words[: len(n)] == n and words[-1] not in _SETTINGS:
                return "_".join(words[len(n) :]), "_".join(n)
    for n in family.label_names:
        for at in range(1, len(words) - len(n)) if len(n) > 1 else ():
            if words[at : at + len(n)] == n:
                return "_".join((*words[:at], *words[at + len(n) :])), "_".join(n)
    return None


def _of_a_set(words: tuple[str, ...], family: RoleFamily) -> tuple[str, str] | None:
    """The words before any name of the family, and that name: what is said to be of a split is measured on some set
    ("Validation Sintel EPE"), whatever measures it. Names of a letter or two say too little for that."""
    for at in range(1, len(words)):
        name = "_".join(words[at:])
        if len(name) > _INITIALS and name in family.names:
            return "_".join(words[:at]), name
    return None


def _phrased(name: str, table: Signals) -> str:
    """The name with each phrase of several words as one word. Scripts without blanks between words have no edges."""
    padded = f"_{name}_"
    if not _any_phrase(table).search(padded):
        return _GAPS.sub("_", padded).strip("_")
    ascii_ = name.isascii()
    for phrase, word in table.phrases.items():
        if phrase.isascii():
            padded = padded.replace(f"_{phrase}_", f"_{word}_")
        elif not ascii_:
            padded = padded.replace(phrase, f"_{word}_")
    return _GAPS.sub("_", padded).strip("_")


def _any_phrase(table: Signals) -> re.Pattern[str]:
    """What finds whether a name holds any phrase at all, as few do; the phrases are a hundred, and names many."""
    if _any_phrase not in table.memo:
        within = [re.escape(p) for p in table.phrases if p.isascii()]
        anywhere = [re.escape(p) for p in table.phrases if not p.isascii()]
        table.memo[_any_phrase] = re.compile("|".join([f"_(?:{'|'.join(within)})_", *anywhere]))
    found: re.Pattern[str] = table.memo[_any_phrase]
    return found


def _reading(
    family: RoleFamily, split: Split, label: str, order: int, average: int, name: str, base: str = ""
) -> Reading:
    words = frozenset(label.split("_")) if label else frozenset()
    part = bool(label) and split in family.parts_as and (split not in family.labeled or bool(words & family.parts))
    role = family.parts_as[split] if part else family.labeled[split] if label else family.roles[split]
    if family.label_is_name and not label:
        label = base = next((n for n, place in family.names.items() if place == order), name)
    never = bool(words & family.never)
    why = f"{family.name}: {name}"
    return Reading(role, split, label, why, family.bounds, family.name, order, average, part, never, base=base)


def _short(pattern: str) -> str:
    return pattern if len(pattern) <= 60 else pattern[:57] + "..."
