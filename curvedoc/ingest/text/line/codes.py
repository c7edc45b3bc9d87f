"""Records whose names are codes of one or two letters ("E:3 T:2.44 V:2.59 A:0.10"), with the words written out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.split_words import ANY_SPLIT, SCOPES
from curvedoc.ingest.text.line.template import FRACTION, NUMBER

#: What a code means beside others: alone, a letter may be anything.
_COUNTS: Mapping[str, str] = {"e": "epoch", "ep": "epoch", "i": "step", "it": "step", "s": "step", "st": "step"}
_MEASURES: Mapping[str, str] = {
    "l": "loss", "tl": "train loss", "trl": "train loss", "ltr": "train loss", "t": "train", "tr": "train",
    "vl": "val loss", "lv": "val loss", "lva": "val loss", "v": "val", "va": "val acc", "a": "acc", "ta": "train acc",
    "lr": "lr", "g": "grad_norm", "gn": "grad_norm", "f": "objective", "j": "cost", "grad_norm": "grad_norm",
}  # fmt: skip
#: Short words that may stand among them.
_PLAIN = frozenset(("acc", "auc", "f1", "ppl", "wer", "cer", "map", "miou", "dice", "best"))
#: One of these makes a line of codes a record of training: a loss, or both splits.
_LOSSES, _BOTH = frozenset(("l", "tl", "trl", "ltr", "vl", "f", "j")), frozenset(("t", "v"))
_VALUE = f"[{NUMBER}{FRACTION}]"
_PAIR = late_regex(rf"(grad_norm|[A-Za-z_]{{1,4}}) ?[:= ] ?({_VALUE}%?)(?:[ ,;|]+|$)")
#: A time without a name.
_TOOK = late_regex(rf"(?:(?:t|dt|time|took) ?[:= ] ?)?{NUMBER}(?:s|ms|min|m|h)(?:[ ,;|]+|$)")
#: What may stand before the codes: a counter that is a number alone or has its word, or a split ("TRAIN>> L=2.3 A=9%").
_LEAD = late_regex(
    rf"(?:\[?#?({_VALUE})\]?|[\[(<]?((?i:epoch|step|iter(?:ation)?)[ :=]{{1,2}}{_VALUE})[\])>]?"
    rf"|[\[(<*#>-]{{0,4}} ?((?i:{ANY_SPLIT})) ?[\])>]{{0,4}})[ :|,=>-]+"
)
#: What somebody wrote behind a record: "<- this goes up", "# best".
_REMARK = late_regex(rf"[ \t]+(?:<[-=]+|#|//|\*+|!+|←|\()[^{NUMBER}{FRACTION}]*$")
_FEWEST = 2
#: What a split ahead of all codes is of.
_OF_SPLIT = frozenset(("loss", "acc"))
#: What an agent is told by ("U 4 | F 008192 | rR:μσmM 0.6 0.2 | H 1.9", "| train | F: 1000 | S: 500 | R: 12.5"): what
#: it is paid, what counts, and the rest.
_PAID: Mapping[str, str] = {"r": "reward", "rr": "reward"}
_OF_AGENT: Mapping[str, str] = {
    "u": "update", "s": "step", "e": "episode", "f": "frames", "h": "entropy", "pl": "policy loss", "vl": "value loss",
    "ep": "episode", "eps": "episode", "epi": "episode", "len": "episode length", "ε": "epsilon",
    "v": "value", "∇": "grad_norm", "gn": "grad_norm", "fps": "fps", "sps": "sps",
}  # fmt: skip
_COUNTERS = frozenset(("u", "s", "e", "f", "ep", "eps", "epi"))
_FIELD = late_regex(rf"([A-Za-z_∇εΕ]{{1,8}})(?::[^\s{NUMBER}{FRACTION}]*)?[ =]*((?:{_VALUE} *)+)([a-z%]{{0,2}})")
_PART = late_regex(r"(?i:train|eval|test|val)")
_FIELDS = 4
#: Where heads of parts are short for training and for other data ("tr: loss 0.5 va: loss 0.6", {"tr": {...}}).
_AHEAD = rf"(?=['\"]? ?(?:[:({{\[\])|]|[-=]>)|[ =~]{{1,3}}{NUMBER})"
_TRAIN = late_regex(rf"(?<![A-Za-z_-])(?:trn?|fit|train(?:ing)?|seen){_AHEAD}", re.IGNORECASE)
_OTHER = late_regex(
    rf"(?<![A-Za-z_-])(va|vld?|te|tst?|val(?:id(?:ation)?)?|dev|test|eval|hold-?out|held-?out|unseen){_AHEAD}",
    re.IGNORECASE,
)
#: And where one of them opens the line or stands in brackets ahead of a name ("[va] loss 0.5").
_OPENS = late_regex(
    r"(?:^\W*(?=\w+: ?[A-Za-z])|[\[(](?=\w+[\])] ?[A-Za-z]))(trn?|va|vld?|tst?|te)(?=[:\])])", re.IGNORECASE
)
_WORDS: Mapping[str, str] = {"tr": "train", "trn": "train", "te": "test", "ts": "test", "tst": "test"}


def decoded(body: str) -> str:
    """The body with words for its codes, where it holds nothing but codes and numbers, a counter and a loss among them;
    with words for splits where two are named by two letters; the body itself otherwise. Each number stays in place."""
    return _of_codes(body.strip()) or _of_agent(body) or _of_splits(body)


def _of_codes(body: str) -> str:
    body = _REMARK.sub("", body)
    lead = _LEAD.match(body)
    at = lead.end() if lead is not None else 0
    pairs: list[tuple[str, str]] = []
    while at < len(body):
        took = _TOOK.match(body, at)
        at = took.end() if took is not None else at
        m = _PAIR.match(body, at)
        if m is None and took is not None and at == len(body):
            break
        if m is None or took is not None:  # each number has its place
            return ""
        pairs.append((m[1].lower() if m[1] == "grad_norm" else m[1].lower().replace("_", ""), m[2]))
        at = m.end()
    codes = {code for code, _ in pairs}
    split = (lead[3] or "").lower() if lead is not None else ""
    counted = lead is not None or not codes.isdisjoint(_COUNTS)
    known = codes <= _COUNTS.keys() | _MEASURES.keys() | _PLAIN and len(codes) == len(pairs) >= _FEWEST
    if not (counted and known and (codes & _LOSSES or codes >= _BOTH)):
        return ""
    if "va" in codes and "vl" not in codes and "l" not in codes:  # "tr" and "va" are splits
        return ""
    said = [f"{_COUNTS[c]} {n}" if c in _COUNTS else f"{_MEASURES.get(c, c)}: {n}" for c, n in pairs]
    if split:
        return " | ".join(f"{split} {x}" if x.partition(":")[0] in _OF_SPLIT else x for x in said)
    head = "" if lead is None else f"{lead[2] or f'step {lead[1]}'} | "
    return head + " | ".join(said)


def _of_agent(body: str) -> str:
    """The fields between bars with words for the codes that agents are told by, "" where they are none such."""
    fields = [x.strip() for x in body.split("|") if x.strip()]
    split = fields.pop(0).lower() if fields and _PART.fullmatch(fields[0]) else ""
    found = [_FIELD.fullmatch(x) for x in fields]
    codes = {m[1].lower() for m in found if m is not None}
    if len(codes) < _FIELDS or codes.isdisjoint(_PAID) or codes.isdisjoint(_COUNTERS):
        return ""
    out = []
    for text, m in zip(fields, found, strict=True):
        if m is None:
            out.append(text)
            continue
        code, values = m[1].lower(), m[2].split()
        name = _PAID.get(code) or _OF_AGENT.get(code, m[1])
        name = f"{split} {name}" if split not in ("", "train") and code in _PAID else name
        if code in _COUNTERS:
            out.append(f"{name} {m[2]}")
        else:
            out += [f"{name}_{i}: {v}" if i else f"{name}: {v}{m[3]}" for i, v in enumerate(values)]
    return " | ".join(out)


def with_plain_split(body: str) -> str:
    """The body with the word for the split that its first name is marked by with two letters ("[va] loss 0.5")."""
    return _OPENS.sub(lambda m: m[0][: -len(m[1])] + _WORDS.get(m[1].lower(), "val"), body)


def _of_splits(body: str) -> str:
    if _TRAIN.search(body) is None or _OTHER.search(body) is None:
        return body
    short = _TRAIN.sub(lambda m: "train" if len(m[0]) < len("train") else m[0], body)
    return _OTHER.sub(lambda m: m[1] if m[1].lower() in SCOPES else _WORDS.get(m[1].lower(), "val"), short)
