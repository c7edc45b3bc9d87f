"""The key ahead of a number: cut out of the text between two numbers, and whether it counts something."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome, spaced
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.naming.word_set import word_set
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.slots import EPOCH, INNER, STEP
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

_HARD = late_regex(r"[,;|{}]|  | - |\.{2,} ?|[\])>] |\]\[|: ")
_WRAPPER = late_regex(r"(?:^|(?<=[\s=:,'\"]))[\w.]{0,20}(?:tensor|Tensor|Array|array|float\d{0,2}|int\d{0,2}|item)$")
#: Marks, bullets and pictures ahead of a key.
_DECORATION = late_regex(r"^[^\w%]+")
#: Links that few write.
_RARE = ("==", " >", " ~", "\u2192")
#: What compares rather than tells.
_CODE = late_regex(r"\b(?:assert|if|elif|while|when|until|unless|and|or|not|stop|where|return)\b")
#: "loss is: 0.5"
_SPOKEN = late_regex(r" +(?:is|was|are|equals)$")
#: "metrics:accuracy:0.5"
_JOINED = late_regex(r"(?<=[A-Za-z]):{1,2}(?=[A-Za-z])")
ALLOWED_REST = frozenset({
    "overfit", "overfitting", "sanity", "debug", "completed", "current", "starting", "start", "begin", "beginning",
    "at", "finished", "end", "of", "after", "in", "for", "during", "new", "trainer", "done", "result", "results",
    "avg", "average", "mean", "now", "running", "processing", "doing", "entering", "meta", "outer", "learning",
})  # fmt: skip
#: What a loss is called where the library knows it for the objective only ("Score at iteration 10 is 1.6").
SCORES = frozenset({"score", "objective"})
#: "epoch no. 3"
_NUMBERED = late_regex(r"(?<=\w)[ _-](?:(?:no|nr|num)\.?|number|n°|nº|№|ke-)$", re.IGNORECASE)
#: "iteraction 3", "iterration 3".
_SPELLED = late_regex(r"^iter{1,2}a[a-z]{0,3}tions?$")
#: "Iteration step: 300", "training epoch 3".
_COUNTS = frozenset((*words.STEP_WORDS, *words.INNER_WORDS, *words.EPOCH_WORDS))
#: Before an epoch they speak of one among many, or of how many there are; other words name the stage that it is of
#: ("Fine-tune epoch 1 | loss 0.5").
_NO_STAGE = word_set(
    """best total max min num number n last first previous next per each every this early stop stopping warmup until
    time save saved saving no which"""
)
#: A stage is named by so many words.
_STAGE = 3

#: A counter that no word names, at the head of a line that goes on with a name and its number.
_LEADS = late_regex(
    rf"[ :|),;>-]{{0,6}}([A-Za-z_][^{NUMBER}{FRACTION}]{{0,40}}?)[ :=]{{1,4}}"
    rf"(?:[{NUMBER}{FRACTION}]|$)"
)
#: "3. train 2.4  dev 2.5"
_BOTH = late_regex(rf"{NUMBER}[ ,;|]{{1,4}}(?i:val\w*|test|dev|eval)[ :=]{{1,3}}{NUMBER}")
#: "200: ctc=2.4 att=1.9"
_ASSIGNED = late_regex(rf": [A-Za-z_]\w*={NUMBER}[ ,;]+[A-Za-z_]\w*=")
#: "04 || digit 1.9 parity 0.7 || "
_PAIRED = late_regex(rf" *\|{{1,2}} *(?:[A-Za-z_]\w*[ =:]{{1,3}}{NUMBER}[ ,;]*){{2,}}(?:\||$)")


def split_key(gap: str) -> tuple[str, str, str, str]:
    """(what stands before the key, key, separator, opening marks) of the text between two numbers."""
    text = gap.rstrip(" ")
    opened = ""
    for _ in range(4):
        if not text or text[-1] not in "[({'\"$~<*":
            break
        opened = text[-1] + opened
        text = text[:-1].rstrip(" ")
        if opened[0] == "(":
            m = _WRAPPER.search(text[-40:])
            if m is not None and m.group():
                text = text[: len(text) - len(m.group())].rstrip(" ")
                opened = opened[1:]
    sep = ""
    if text.endswith(("->", "=>", ":=")):
        sep, text = "=", text[:-2].rstrip(" ")
    elif text.endswith(_RARE) and is_outcome(text) and _CODE.search(text) is None:
        sep, text = "=", text.rstrip("=>~\u2192 ")
    elif text.endswith((":", "=")):
        sep, text = text[-1], text[:-1].rstrip(" ")
        if text.endswith(("=", "!", "<", ">", ":")):
            return text, "", "", opened
        text = _SPOKEN.sub("", text)
    if sep and text.endswith(("'", '"')):
        quote, text = text[-1], text[:-1]
        at = text.rfind(quote)
        return text[: max(at, 0)], text[at + 1 :], sep, opened
    cut = 0
    for m in _HARD.finditer(text):
        cut = m.end()
    key = _JOINED.sub("/", text[cut:])
    bare = _DECORATION.sub("", key)
    lead = words.unit_of(bare) if not cut and key.lstrip()[:1] not in ("[", "(") else ""  # "[G loss: 0.5]"
    bare = bare[len(lead) :]
    if bare.endswith("]") and "[" not in bare:
        bare = bare[:-1]
    if sep and bare.count("(") > bare.count(")"):  # "completed (loss: 0.5)"
        bare = bare[bare.rfind("(") + 1 :]
    return text[: len(text) - len(bare)], bare.strip(" "), sep, opened


def counter_of(key: str, fraction: bool, opens: bool = False) -> tuple[int, str] | None:
    """(role, words before the counter) when the key is a counter.

    opens: the key stands at the head of its line, right before the number
    """
    base = key.split("/")[0] if fraction and "/" in key else key
    m = re.fullmatch(r"(?i:(epoch|iter)\((train|val|test)\))", base)
    if m:
        return (EPOCH if m.group(1).lower() == "epoch" else STEP), m.group(2)
    if base.count("(") > base.count(")"):  # "4.2% done (epoch 1)"
        base = base.replace("(", " ")
    base = _NUMBERED.sub("", base)
    parts = [_SPELLED.sub("iteration", w.lstrip("@")) for w in spaced(base).rstrip("#[( ").split()]
    for take in (2, 1):
        last = " ".join(parts[-take:])
        for role, names in ((STEP, words.STEP_WORDS), (INNER, words.INNER_WORDS), (EPOCH, words.EPOCH_WORDS)):
            if last in names and len(parts) >= take:
                rest = [w for w in parts[:-take] if w[:1].isalpha()]
                if "_" in base and " " not in base and any(map(is_outcome, rest)):
                    return None  # "train_loss_epoch" is one name
                # "average positive_sample_loss at step"
                if len(rest) > 1 and rest[-1] in ("at", "after") and is_outcome(" ".join(rest[:-1])):
                    return role, " ".join(rest)
                if all(w in ALLOWED_REST or w in SCOPES or w in SCORES or w in _COUNTS or is_outcome(w) for w in rest):
                    return role, " ".join(rest)
                stage = opens and not last.endswith("s") and len(rest) <= _STAGE
                if stage and _NO_STAGE.isdisjoint(rest) and not any(map(words.is_prose, rest)):
                    return role, ""
    return None


def is_dirty(tail: str, unit: str) -> bool:
    """Whether the number is only a part of a word, a version or an address."""
    after = tail[len(unit) : len(unit) + 2]
    if not after:
        return False
    if after[0].isalnum() or after[0] == "_":
        return True
    if after[0] == "/" and re.match(r"/[A-Za-z_]{1,38}=", tail):
        return False
    return after[0] in ".-+/" and len(after) > 1 and (after[1].isalnum() or after[1] in (NUMBER, FRACTION)) and not unit


def leads(gap: str, tail: str) -> bool:
    """Whether a number at the head of a line counts what is measured behind it ("3 | train loss 0.5")."""
    said = _LEADS.match(tail) if not gap.strip() and not words.unit_of(tail) else None  # "4s - loss: 0.5" took 4 s
    if said is None:
        return False
    of_splits = said[1].lower() in SCOPES and _BOTH.search(tail) is not None
    return is_outcome(said[1]) or of_splits or _ASSIGNED.match(tail) is not None or _PAIRED.match(tail) is not None
