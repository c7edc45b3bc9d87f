"""Sentences that say the split of a number ("on the held-out set the loss is 0.5"), as names and numbers."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import ANY_SPLIT, SCOPES, SPLITS, has_scope, split_of
from curvedoc.ingest.text.line import words
from curvedoc.ingest.text.line.template import NUMBER

#: What data is called that training does not see, and what it does, in more than one word.
_UNSEEN = late_regex(r"\b(?:held|hold)[- _]out\b|\bunseen\b(?= (?:data|set|samples|examples)\b)", re.IGNORECASE)
_SEEN = late_regex(r"\bseen(?= (?:data|set|samples|examples)\b)", re.IGNORECASE)
_SPLIT = "(" + "|".join(sorted((w for w in SCOPES if w.isascii()), key=len, reverse=True)) + ")"
_EACH = "(" + "|".join(sorted((w for w in SPLITS if w.isascii()), key=len, reverse=True)) + ")"
_SET = rf"{_SPLIT}(?:[ -](?:set|data|dataset|split|batches|samples|examples|part|images))*\b"
_ON = r"(?:on|for|over) (?:the |our |all )?"
#: PyTorch's tutorials: "Accuracy of the network on the 10000 test images: 54 %"
_OF_MODEL = late_regex(
    r"([A-Za-z][A-Za-z ]{2,20}?) of (?:the|our) (?:[a-z]+ )?(?:network|model|net|classifier|cnn|mlp) (?:on|for|over)"
    rf"(?: the| all)*(?: ({NUMBER}))?(?: ([a-z]+))? (?:images|samples|examples|data|dataset|set)(?= ?[:=])"
)
#: "0.5 bits/char"
_UNIT = r"(?:%| [a-z]{3,8}(?:/[a-z]{2,8})?)?"
#: One of the sentences below has such a piece.
_COULD = late_regex(rf"\b{_ON}{_EACH}\b|{NUMBER}(?:{_UNIT}|[)\]]) ?[(\[](?:{_EACH}\b|\w+ ?[|/,])", re.IGNORECASE)
#: "evaluated on the validation set: loss 0.5, mae 0.4"
_HEADED = late_regex(rf"\b{_ON}{_SET} ?:(?= [a-z])", re.IGNORECASE)
#: "On the test set the loss is 0.5", "on the test set it is 0.5", "on dev: 0.5"
_AHEAD = late_regex(
    rf"\b{_ON}{_SET},? ?(?:we (?:get|have) )?(?:an? |the |its )?"
    rf"([A-Za-z][\w -]{{0,40}}?)? ?(?:is|was|of|[:=])? ?(?={NUMBER})",
    re.IGNORECASE,
)
#: "loss of 0.5 on the training data and 0.6 on the validation data", "loss 0.5 (train), 0.6 (valid)"
_BEHIND = late_regex(rf"{NUMBER}(?:(%?) ?(?:{_ON}{_SET}|\({_SET}\))|{_UNIT} ?\({_SET}\))", re.IGNORECASE)
#: "mean loss 0.5 (val 0.6)"
_WITHIN = late_regex(
    rf"([A-Za-z][\w/. -]{{1,40}}?)([\s:=>~-]{{1,4}}){NUMBER}(%?) ?\({_EACH}[\s:=>~-]{{1,4}}(?={NUMBER}%? ?\))",
    re.IGNORECASE,
)
#: "validation loss 0.6 (training loss was 0.5)"
_REMARKED = late_regex(
    rf"{NUMBER}(%?) ?\(((?:{ANY_SPLIT})[ _-][\w -]{{2,30}}?)(?: (?:was|is|of)|[\s:=]){{1,3}}(?={NUMBER}%?\))",
    re.IGNORECASE,
)
#: The split of the number ahead: "train loss", "loss/train".
_OWN = late_regex(r"^(?:train\w*|trn?|fit)[ _/.-]|[ _/.-](?:train\w*|trn?|fit)$", re.IGNORECASE)
#: "the mean loss over training batches was 0.5"
_BETWEEN = late_regex(
    rf"([A-Za-z][\w -]{{1,40}}?) {_ON}({_EACH}|{_SET}) *(?:is|was|of|[:=~>-]{{1,2}})? *(?={NUMBER})", re.IGNORECASE
)
#: "loss: 0.5 | 0.6 (train | val)", "loss = (0.5, 0.6) (train, val)"
_LISTED = late_regex(
    rf"([A-Za-z][\w -]{{1,40}}?)(?: (?:is|of)|[ \t:=~>-])[ :=>]{{0,3}}[(\[]?{NUMBER} ?[|/,] ?{NUMBER}[)\]]?"
    rf" ?[(\[]{_EACH} ?[|/,] ?{_EACH}[)\]]",
    re.IGNORECASE,
)
#: "förlust 2.52 (träning)"
_ABROAD = late_regex(rf"(?<=[{NUMBER}%]) ?\(([^\W\d_]{{5,20}})\)")
#: "val epoch end => avg_loss=0.5", "Training done: loss 0.5"
_OVER = late_regex(
    rf"(?<![^\W_])({ANY_SPLIT})(?:[ _-](?:epoch|phase|pass|loop|run|step|stage))?[ _-]"
    r"(?:end(?:ed|s)?(?: of epoch)?|done|finish(?:ed|es)?|completed?|over)"
    r" ?(?:[-=]{1,2}>|[:,|>;-]) *(?=[A-Za-z])",
    re.IGNORECASE,
)
_SENTENCE = late_regex(rf"(?<=[\w{NUMBER}%)])\. (?=[A-Z|])")
#: What links a name to its number.
_LINK = late_regex(r"[\s:=>~-]*(?:\b(?:is|was|of|to|at|now)\b[ :=]*)*$")
#: What a split is called here, by what its word means.
_PLAIN = {split: "train" if split == "train_inner" else split for split in SPLITS.values()}
#: A name has so many words at most.
_WORDS = 3


def in_pairs(body: str) -> str:
    """The body of a template with `split name: number` in place of each sentence that says a split; the body itself
    where none does. Every number stays in its place."""
    if "out" in body or "nseen" in body or "NSEEN" in body:
        body = _SEEN.sub("train", _UNSEEN.sub("heldout", body))
    body = _OVER.sub(r"\1: ", _OF_MODEL.sub(_of_model, body))
    if "(" in body:
        body = _ABROAD.sub(lambda m: f" ({split_of(m[1]) or m[1]})", body)
        body = _REMARKED.sub(lambda m: f"{NUMBER}{m[1]} | {m[2]}: " if is_outcome(m[2]) else m[0], body)
    if NUMBER not in body or _COULD.search(body) is None:
        return body
    body = _WITHIN.sub(_beside, _behind(_LISTED.sub(_both, body)))
    body = _BETWEEN.sub(lambda m: _between(m[1], m[2]) or m[0], body)
    body = _HEADED.sub(r"| \1:", _ahead(body))
    return _SENTENCE.sub(" | ", body)


def _of_model(said: re.Match[str]) -> str:
    """What is said of a model on a set, as a number of samples and a key: "10000 test accuracy"."""
    name, samples, split = said[1], said[2] or "", said[3] or ""
    return f"{samples} {name if has_scope(name) else f'{split} {name}'}".strip()


def _both(m: re.Match[str]) -> str:
    first, second = (_PLAIN[SPLITS[w.lower()]] for w in m.groups()[1:])
    return f"| {first} {m[1]}: {NUMBER} | {second} {m[1]}: {NUMBER}" if is_outcome(m[1]) else m[0]


def _beside(m: re.Match[str]) -> str:
    name = _name_at_end(m[1])
    whole = _OWN.sub("", name) or name
    return f"{m[1]}{m[2]}{NUMBER}{m[3]} | {m[4]} {whole}: " if name and not has_scope(whole) else m[0]


def _name_at_end(text: str) -> str:
    """The outcome that a text ends with, "" for none: its last words as far as they are no running text."""
    said = re.search(r"[A-Za-z][\w/. -]{0,60}$", _LINK.sub("", text, count=1))
    parts = said[0].split() if said is not None else []
    name: list[str] = []
    while parts and len(name) < _WORDS and not words.is_prose(parts[-1]):
        name.insert(0, parts.pop())
    return " ".join(name) if is_outcome(" ".join(name)) else ""


def _behind(body: str) -> str:
    """The body with the split that follows a number ahead of it."""
    out, end, name = "", 0, ""
    for m in _BEHIND.finditer(body):
        before = body[end : m.start()]
        told = _name_at_end(before)
        split, share = m[2] or m[3] or m[4], m[1] or ""
        if told:
            before = before[: before.rindex(told)]
        name = told or name
        if not name or (not told and NUMBER in before):
            return body
        out += f"{before if told else ''}| {split} {name}: {NUMBER}{share} "
        end = m.end()
    return out + body[end:]


def _between(text: str, split: str) -> str:
    name = _name_at_end(text)
    return f"{text[: text.rindex(name)]}{split} {name}: " if name else ""


def _ahead(body: str) -> str:
    """The body with the name that follows a split, or the last one before it ("on dev it is 0.5"), beside it."""
    out, end = "", 0
    for m in _AHEAD.finditer(body):
        said = (m[2] or "").removesuffix(" is").removesuffix(" was").strip()
        name = said if is_outcome(said) and not words.is_prose(said) else ""
        if not name and said.lower() in ("", "it", "it is"):
            known = [n for part in body[: m.start()].split(NUMBER)[:-1] if (n := _name_at_end(part))]
            name = (
                known[-1].split(" ", 1)[-1] if known and known[-1].split()[0].lower() in SCOPES else (known or [""])[-1]
            )
        if name:
            out += f"{body[end : m.start()]}| {m[1]} {name}: "
            end = m.end()
    return out + body[end:]
