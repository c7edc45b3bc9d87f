"""Names that a hyphen or nothing joins to their numbers, pairs of names, what single programs print (Rust syntax)."""

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
    r"^[ \t]*(?:i|it|s|st|e|ep)[0-9]{1,9}(?:[ ,|]{1,4}(?:tl|trl|vl|lr|gn|ta|va|l|g|a|f|j)"
    r"(?:-?[0-9][0-9.eE+-]{0,24}|nan|-?inf)){1,8}[ \t]*$",
    re.MULTILINE,
)
_LETTER = late_regex(r"(?<![A-Za-z0-9.])([a-z]{1,3}?)(?=-?[0-9]|nan\b|-?inf\b)")
#: So much of the head of a text is asked for such lines.
_SAMPLE = 20_000

_VALUE = r"[0-9]{1,9}(?:/[0-9]{1,9})?(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?%?|(?i:nan|inf)"
#: A line that could hold some, as a template.
COULD_BE_GLUED = (
    r"(?i:loss|acc|err(?:or)?|auc|f1)-(?:[0-9]+\.[0-9]|nan|inf)|(?i:train\w*) \w+ ?/ ?(?i:val\w*|test|dev|eval) \w"
    r"|(?i:correct)[^\x01\x03]{0,24}[\x01\x03]|\x03 (?i:correct)"
    r"|ScoreIterationListener|\x03 ?[(\[](?i:va|test|dev|eval|held|holdout)|\x03 .*[( ](?i:train\w*|trn?) ?/"
)
#: "epoch-3 loss-0.5431 acc-0.8", and how it is spelled; "ckpt-epoch-3-loss-0.5.pth" stays.
HYPHENED = (
    rf"\b((?:[A-Za-z]{{2,10}}_)?(?i:loss|acc|accuracy|epoch|step|iter|lr|err|error|auc|f1))-({_VALUE})([ ,|]|$)",
    "${1} ${2}${3}",
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
)


def parted(text: str) -> str:
    """The text with a blank between letter and number, where it is the habit of its lines to hold such pairs alone."""
    if sum(1 for _ in islice(_JOINED.finditer(text[:_SAMPLE]), HABIT)) < HABIT:
        return text
    return _JOINED.sub(lambda m: _LETTER.sub(r"\1 ", m[0]), text)


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


_SHARE = r"[0-9]{1,12} ?/ ?[0-9]{1,12}"

#: What single programs print, as the spellings of all: pattern, spelling, what no other template has in it.
RARE: tuple[tuple[str, ...], ...] = (
    # PaddleOCR says behind each evaluation which one was best
    (r"\bbest metric, .*$", "", "best metric,"),
    # MatConvNet's speed, ahead of the first name
    (r"( [0-9.]+ \([0-9.]+\)) Hz ", "${1} | ", ") Hz "),
    # how long it runs, of which the first number alone would be a time that goes in leaps
    (r"\btime[ :=]+(?:[0-9]{1,3}[dhm] [0-9]{2}[hms](?: [0-9]{2}[ms])?\b|[0-9]{1,2}s +(sec/tick))", "${1}", "time"),
    # of so many, so many are right: "# correct: 50/80 = 62.5%", "50/80 correct (62.5%)"
    (
        rf"(?:# ?|\b(?i:(?:num(?:ber)?|n)[ _](?:of )?))?\b(?i:correct)"
        rf"(?i:ly classified| predictions| answers| samples)?(\s*[:=]\s*|\s+)({_SHARE}|[0-9.]+ ?%|[01]?\.[0-9]+)",
        "accuracy${1}${2}",
        "orrect",
    ),
    (rf"\b({_SHARE}) (?i:correct)\b", "accuracy: ${1}", " correct"),
    # llm.c: "HellaSwag: 2561/10042 = 0.2550"
    (rf"^(\w*[A-Za-z]): {_SHARE} = ([01]?\.[0-9]+)$", "${1} acc: ${2}", ": \x03 = "),
    # JoeyNMT: "Evaluation result (greedy) loss: 0.5"
    (r"((?i:evaluation|validation|test) results?) \([A-Za-z_ ,]{1,30}\):? ", "${1}: ", " result"),
    # pytorch-cifar: a bar that is drawn around its position, with means since its beginning
    (r"^ ?\[[=>.]+ ([0-9]{1,9}/[0-9]{1,9}) [=>.]+\] +Step: (\S+) \| Tot: \S+ \|", "${1} \u2592 ${2}/step |", "Tot:"),
    # Kaldi; its objective is a log-likelihood, which rises, so it must not be called one of the names of a loss
    (
        rf"^LOG \([^()]*\(\):[^()]*\) Average objective function for '([\w-]+)' for minibatches"
        rf" [0-9]+-([0-9]{{1,9}}) is ({NUM})(?: \+ (?:{NUM}) = (?:{NUM}))? over .*$",
        "batch ${2}: objf/${1}=${3}",
        "Average objective function",
    ),
    (
        rf"^V?LOG(?:\[[0-9]\])? \([^()]*\(\):[^()]*\) After ([0-9]{{1,12}}) sequences \([0-9.]+Hr\): "
        rf"Obj\(log\[Pzx\]\) = ({NUM}) +TokenAcc = ({NUM}%)",
        "step ${1}: objf=${2} TokenAcc: ${3}",
        "Obj(log[Pzx])",
    ),
    (r"^(LOG \(.*)\bobjective function(?: per frame)?", "${1}objf", "objective function"),
    # WeNet's evaluation
    (r"^((?:.* )?DEBUG )CV \| ", "${1}valid | ", " CV | "),
    # a rate that a schedule sets, in PyTorch's words and those of the Informer
    (
        rf"^(?:Epoch [0-9]+: )?(?:[Aa]djusting|[Rr]educing|Updating) learning rate (?:of group 0 )?to ({NUM})\.?$",
        "learning rate: ${1}",
        " learning rate ",
    ),
    # DL4J's score is the loss
    (r"(ScoreIterationListener.*)\bScore( at iteration [0-9]+ is)", "${1}score loss${2}", "ScoreIterationListener"),
    # VITS: the losses in the order of its training, then the step and the rate
    (
        rf"(^|[ \t])\[({NUM}), ({NUM}), ({NUM}), ({NUM}), ({NUM}), ({NUM}), ([0-9]{{1,9}}), ({NUM})\]$",
        "${1}step ${8} loss_disc: ${2}, loss_gen: ${3}, loss_fm: ${4}, loss_mel: ${5}, loss_dur: ${6}, loss_kl: ${7},"
        " lr: ${9}",
        "\x01, \x01, \x01, \x01",
    ),
    # so-vits-svc, which tells the sum behind them
    (
        rf"[ \t]Losses: \[({NUM}), ({NUM}), ({NUM}), ({NUM}), ({NUM})\], step: ([0-9]{{1,9}}), ",
        " step ${6} loss_disc: ${1}, loss_gen: ${2}, loss_fm: ${3}, loss_mel: ${4}, loss_kl: ${5}, ",
        " Losses: [",
    ),
    # StyleGAN
    (
        rf"^network-snapshot-([0-9]{{1,9}}) .* ((?:fid|kid|is|ppl|pr)[0-9]+k?\w*) +({NUM})$",
        "step ${1} ${2}: ${3}",
        "network-snapshot-",
    ),
    # PyMARL: steps of the environment, above rows of four pairs
    (r"^.* Recent Stats \| t_env: +([0-9]{1,12}) \| Episode: +([0-9]{1,12})$", "step ${1} | episode ${2}", " Stats |"),
    # NGCF and KGAT: a sum and its terms
    (
        rf" (train|test)==\[({NUM})=({NUM}) \+ ({NUM})(?: \+ {NUM})?\]",
        " ${1} loss=${2}, ${1} mf_loss=${3}, ${1} reg_loss=${4}",
        "==[",
    ),
)
