"""Names that a hyphen, an arrow, an @ or nothing joins to their numbers, and pairs of names (Rust syntax)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

import polars as pl

from curvedoc.core.late_regex import late_regex

#: A line that begins with a letter or two and a counter in one ("b0012 ctc=2.3"), as a template.
_LOGGED = r"(?:[\[(<]?\x02[\])>,]?[ :|-]{0,4})?(?:\[?(?:INFO|DEBUG)\]?[ :|-]{1,4})?"
GLUED_HEAD = rf"^{_LOGGED}[\[(<# ]{{0,4}}[A-Za-z]{{1,4}}[._#-]?[0-9]{{1,9}}[\])>]?[ \t:,;|=-].*[\x01\x03]"
_HEAD = rf"^({_LOGGED}[\[(<# ]{{0,4}})([A-Za-z]{{1,4}})[._#-]?([0-9]{{1,9}})"
#: So many lines make a counter of it, unless it falls on more than this share of them.
HABIT, _FALLS = 5, 0.4
#: What such letters stand for.
_LETTERS: Mapping[str, str] = {
    "e": "epoch", "ep": "epoch", "epc": "epoch", "b": "batch", "ba": "batch", "mb": "batch", "i": "step", "it": "step",
    "itr": "step", "s": "step", "st": "step", "stp": "step", "n": "step", "t": "step", "ts": "step", "u": "update",
    "upd": "update", "g": "generation", "gen": "generation", "r": "round", "rd": "round", "rnd": "round",
}  # fmt: skip

#: A line of letters that nothing parts from their numbers: a counter, then what is measured ("i40 l0.995 g0.71").
_JOINED = late_regex(
    r"^[ \t]*(?:i|it|s|st|e|ep)[0-9]{1,9}(?:[ ,|/;]{1,4}(?:tl|trl|tr|vl|lr|gn|ta|va|l|g|a|f|j|v|t)"
    r"(?:-?[0-9][0-9.eE+-]{0,24}|nan|-?inf)){1,8}[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_LETTER = late_regex(r"(?:^|[ ,|/;\t]+)([a-z]{1,3}?)(?=-?[0-9]|nan\b|-?inf\b)", re.IGNORECASE)
#: One of names and numbers by turns that nothing parts, or one mark ("epoch3loss0.51acc0.8", "epoch_3_loss_0.51").
_TURNS = late_regex(
    r"^[ \t]*(epoch|ep|e|step|iter|it|s|round|batch)([_=:-]?)([0-9]{1,9})"
    r"((?:[_,;:|/-]?[a-z][a-z_]{0,14}?\2-?[0-9]{1,12}(?:\.[0-9]{1,16})?(?:e[-+]?[0-9]{1,3})?%?){1,10}s?)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_TURN = late_regex(
    r"[_,;:|/-]?([a-z][a-z_]{0,14}?)([_=:-]?)(-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]{1,3})?%?)", re.IGNORECASE
)
#: So much of the head of a text is asked for such lines.
_SAMPLE = 20_000

_VALUE = r"[0-9]{1,9}(?:/[0-9]{1,9})?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?%?|(?i:nan|inf)"
#: A line that could hold some, as a template.
COULD_BE_GLUED = (
    r"(?i:loss|acc|err(?:or)?|auc|f1)[-_](?:[0-9]+\.[0-9]|nan|inf)|(?i:train\w*) \w+ ?/ ?(?i:val\w*|test|dev|eval) \w"
    r"|(?i:correct)[^\x01\x03]{0,24}[\x01\x03]|\x03 (?i:correct)"
    r"|(?i:loss|acc|err|error|f1|auc|cost)\w* ?[/|] ?[A-Za-z]\w*[ :=]{1,3}\x03"
    r"|[(\[][A-Za-z_]\w*(?: ?/ ?[A-Za-z_]\w*){1,2}[)\]] ?[:=>~-]{1,2} ?\x03"
    r"|\((?:best|avg|average|mean|ma|ema|smoothed|running|max|min)\)[ :=]{1,3} *\x01 ?\("
    r"|ScoreIterationListener|\x03 ?[(\[](?i:va|test|dev|eval|held|holdout)|\x03 .*[( ](?i:train\w*|trn?) ?/"
)
#: "epoch-3 loss-0.5431 acc-0.8", and how it is spelled; "ckpt-epoch-3-loss-0.5.pth" stays.
HYPHENED = (
    rf"\b((?:[A-Za-z]{{2,10}}_)?(?i:loss|acc|accuracy|epoch|step|iter|lr|err|error|auc|f1))-({_VALUE})([ ,|]|$)",
    "${1} ${2}${3}",
)
#: "epoch_3 | loss_0.54"; "loss_1" is one of several losses.
UNDERSCORED = (
    r"(^|[ ,|])(?:((?i:epoch|step|iter))_([0-9]{1,9})"
    r"|((?:[A-Za-z]{2,10}_)?(?i:loss|acc|accuracy|lr|err|error|auc|f1))_([0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?%?))"
    r"([ ,|]|$)",
    "${1}${2}${4} ${3}${5}${6}",
)
NUM = r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf)"
#: "Train accuracy/Test accuracy: 0.8 / 0.7"
BOTH = (
    rf"\b((?i:train\w*) \w+) ?/ ?((?i:val\w*|test|dev|eval) \w+)[ :=]{{1,3}}({NUM}) ?/ ?({NUM})",
    "${1}: ${3}, ${2}: ${4}",
)
TWO = rf"({NUM}) ?/ ?({NUM})"
#: Two values that count nothing.
_DECIMAL = r"(?:[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf))"
_VALUES = rf"({_DECIMAL}) ?/ ?({_DECIMAL})"
_NAME = r"([A-Za-z_][A-Za-z_]*(?: [A-Za-z_]+)?)"
_LINK = r"(?: ?(?:[:=~>]|[-=]>|:=|==) ?| | is | of |\t)"
#: "IoU(text/kernel): 0.54/0.35", "loss (box/cls/dfl) = 0.5/0.4/0.3"
_OF = r"\b([A-Za-z][\w-]*) ?[(\[](\w+) ?/ ?(\w+)"
EACH_NAMED = (
    (rf"{_OF}[)\]]{_LINK}[ ]*{_VALUES}([^/0-9]|$)", "${1} ${2}: ${4}, ${1} ${3}: ${5}${6}"),
    (
        rf"{_OF} ?/ ?(\w+)[)\]]{_LINK}[ ]*{_VALUES} ?/ ?({_DECIMAL})([^/0-9]|$)",
        "${1} ${2}: ${5}, ${1} ${3}: ${6}, ${1} ${4}: ${7}${8}",
    ),
)
#: "final reward (best): -15 (-12)"
REMARKED = (
    r"\b([A-Za-z]\w*(?: [a-z]\w*){0,3}) ?\((best|avg|average|mean|ma|ema|smoothed|running|max|min)\)"
    rf"[ :=]{{1,3}} *({NUM}) ?\( *({NUM}) *\)",
    "${1}: ${3}, ${2} ${1}: ${4}",
)
#: "tr_loss0.543 acc15.1% t0.14s"
TOUCHING = r"\b((?i:[a-z_]{0,12}(?:loss|acc)|auc|lr|ppl))([0-9]{1,6}\.[0-9]+)"
#: "lr 0.1 -> 0.05", "batch size 32 -> 64": it is what it became; in "it 5 -> 0.71" the first one counts.
_REAL = r"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+"
_ARROW, _ENDED = r" ?(?:->|=>|\u2192) ?", r"([ ,;|)\]]|$)"
BECAME = (
    rf"([A-Za-z][=:]? ?)(?:{_REAL}){_ARROW}({NUM}){_ENDED}",
    rf"([A-Za-z][=:]? ?)[0-9]+{_ARROW}([0-9]+){_ENDED}",
    rf"(\b(?i:lr|rate)[=:]? ?)[0-9]+{_ARROW}({NUM}){_ENDED}",
)
#: "loss went from 0.7 to 0.6"
MOVED = (
    rf"\b([A-Za-z][\w/]*)(?: (?:went|goes|fell|falls|dropped|drops|rose|rises|moved|moves|changed|changes|climbed"
    rf"|climbs|grew|grows|sank|sinks|came|comes|slid|is|was))?"
    rf"(?: (?:up|down))?,? from (?:{NUM}) ?%?(?: (?:up|down))? to ({NUM})"
)
#: "loss\u21920.5", "loss\u22480.5"
_LINKED = rf"([A-Za-z)\]|])[\u2192\u21d2\u2248]({NUM})"
#: "loss@0.5 lr@1e-3": a name that is told of no rank or threshold, as precision@1 and mAP@0.5 are.
_AT = (
    r"\b(\w*(?i:loss|lr|nll|mse|mae|bce|kld?|ppl|err|reward|return|gn|norm|dev|val|train|test)\w*)"
    rf"@({_REAL})([ ,;|]+[A-Za-z#(|]|[ )\]]*$)"
)
#: Marks between a name and its number; what is spelled otherwise besides is told by the usual ones.
LINKS = (
    (_LINKED, "${1}: ${2}", "\u2192", "\u21d2", "\u2248"),
    *2 * ((_AT, "${1}: ${2}${3}", "@"),),  # each takes the first letter of the next name
)
_TRAIN, _OTHER = r"((?i:train\w*|trn?|fit))", r"((?i:val\w*|va|vld?|test\w*|tst|te|dev|eval\w*|held-?out|holdout))"
#: "loss 0.5/0.6 acc 0.8/0.7 (train/val)", "loss=0.5/0.6(val)"
TAGGED = (
    *(
        (
            rf"\b((?i:{what}))[ :=]{{1,3}}{TWO}(.*[( ]{_TRAIN} ?/ ?{_OTHER}\)?)",
            "${5} ${1}: ${2}, ${6} ${1}: ${3}${4}",
        )
        for what in ("loss", "acc|accuracy|err|error|f1")
    ),
    (rf"\b{_NAME}{_LINK}[ ]*{_VALUES}(.*[( \[]{_TRAIN} ?[/|] ?{_OTHER}[)\]]?)", "${5} ${1}: ${2}, ${6} ${1}: ${3}${4}"),
    (rf"\b{_NAME}[ (]+{_TRAIN} ?[/|] ?{_OTHER}\)?{_LINK}[ ]*{_VALUES}", "${2} ${1}: ${4}, ${3} ${1}: ${5}"),
    (rf"\b{_TRAIN} ?/ ?{_OTHER} {_NAME}{_LINK}[ ]*{_VALUES}", "${1} ${3}: ${4}, ${2} ${3}: ${5}"),
    (rf"\b{_NAME}{_LINK}[ ]*{_VALUES} ?[(\[]{_OTHER}[)\]]", "train ${1}: ${2}, ${4} ${1}: ${3}"),
    # "loss/acc: 0.51/0.8"
    (
        rf"\b(\w*(?i:loss|acc|accuracy|err|error|f1|auc|cost)\w*) ?[/|] ?([A-Za-z]\w*)(?:{_LINK}| )[ ]*{_VALUES}(%?)",
        "${1}: ${3}, ${2}: ${4}${5}",
    ),
)


def parted(text: str) -> str:
    """The text with a blank between letter and number, where it is the habit of its lines to hold such pairs alone."""
    head = text[:_SAMPLE]
    if _often(_JOINED, head):
        return _JOINED.sub(lambda m: _LETTER.sub(r" \1 ", m[0]).strip(), text)
    return _TURNS.sub(_by_turns, text) if _often(_TURNS, head) else text


def _often(lines: re.Pattern[str], text: str) -> bool:
    return sum(1 for _ in islice(lines.finditer(text), HABIT)) == HABIT


def _by_turns(m: re.Match[str]) -> str:
    pairs = _TURN.findall(m[4])
    if not any("." in value for _, _, value in pairs):
        return m[0]
    # a mark that is not between the counter and its number is a sign
    said = (f"{name}: {value if mark == m[2] else mark + value}" for name, mark, value in pairs)
    return " | ".join([f"{m[1]} {m[3]}", *said])


def counted_apart(masked: pl.Series) -> pl.Series:
    """The lines with the word for each letter that counts at their heads, and its number apart."""
    found = masked.str.extract_groups(_HEAD).struct
    word, count = found.field("2").str.to_lowercase(), found.field("3").cast(pl.Int64, strict=False)
    out = masked
    for letter in word.filter(word.is_in(list(_LETTERS))).unique(maintain_order=True).to_list():
        mine = word == letter
        moves = count.filter(mine).diff().drop_nulls()
        if int((moves != 0).sum()) >= HABIT - 1 and int((moves < 0).sum()) <= _FALLS * len(moves):
            apart = masked.str.replace(_HEAD, f"${{1}}{_LETTERS[letter]} ${{3}}")
            out = pl.select(pl.when(mine).then(apart).otherwise(out).alias("masked")).to_series()
    return out
