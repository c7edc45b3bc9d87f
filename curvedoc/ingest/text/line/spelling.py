"""Lines whose counters are a part of a word ("E00 B0040", "3epoch:train:1-100batch"), spelled as most loggers do."""

from __future__ import annotations

import polars as pl

from curvedoc.ingest.text.line.foreign import PERCENT_AHEAD, UNSPACED
from curvedoc.ingest.text.line.glued import (
    BECAME,
    BOTH,
    COULD_BE_GLUED,
    EACH_NAMED,
    HYPHENED,
    LINKS,
    MOVED,
    NUM,
    REMARKED,
    TAGGED,
    TOUCHING,
    TWO,
    UNDERSCORED,
)
from curvedoc.ingest.text.line.programs import EACH_TASK, OF_TASKS, PROGRAMS, RARE, TASKS

#: Where the body of a line begins: at once, or behind what a logger writes first.
_HEAD = r"(^\[?|[\])|:>-] )"
_COUNT = r"[0-9]{1,9}(?:/[0-9]{1,9})?"
_AFTER = r"([ :,|\]\t)]|$)"
_COUNTER = "(?i:epoch|ep|step|iter|it|iteration|round|episode)"
_BOTH = "(?i:loss|acc|accuracy|error|err)"

_SPLIT = "(?i:train|training|val|valid|validation|test|eval|dev)"
#: "train/val", and the two numbers.
_SPLITS = r"((?i:train\w*|trn?)) ?/ ?((?i:val\w*|va|vl|test|tst|te|dev))"
#: (what the line holds, how it is spelled here, what no other template has in it), in Rust syntax, one after the other
SPELLINGS: tuple[tuple[str, ...], ...] = (
    *((*pair, "\x03") for pair in TAGGED),
    # "T+0.5s epoch 3"
    (r"^[Tt][+=] ?([0-9.]+) ?s ", "[${1}s] "),
    # "E00 B0040 loss=0.5", "e3 s100", "ep03 it0100"
    (
        rf"{_HEAD}[Ee]p?([0-9]{{1,6}})[ ,|/:-]{{1,3}}(?:[BSIbsi]|it|st)([0-9]{{1,9}}){_AFTER}",
        "${1}epoch ${2} batch ${3}${4}",
    ),
    # "step100 loss 0.5", "epoch3: loss 0.5", "---Epoch.3 loss 0.5"
    (rf"(?:{_HEAD}|-{{2}}|((?:in|at|of|after|for) ))({_COUNTER})[._-]?({_COUNT}){_AFTER}", "${1}${2}${3} ${4}${5}"),
    # "Denoiser ep03: loss 0.5"
    (
        rf"^([A-Za-z][\w-]{{0,30}} (?:[A-Za-z][\w-]{{0,20}} )?)({_COUNTER})[._-]?([0-9]{{1,9}}){_AFTER}",
        "${1}${2} ${3}${4}",
    ),
    # "[E 3] loss 0.5"
    (r"^\[E(?:p?) ([0-9]{1,6})\]", "[epoch ${1}]", "[E"),
    (r"^[Ee] ?= ?([0-9]{1,6})([ ,;|])", "epoch=${1}${2}", "="),
    # "E  3/200 | loss 0.5"
    (rf"{_HEAD}[Ee]p? {{0,4}}([0-9]{{1,6}}/[0-9]{{1,6}})([ :,|\])])", "${1}epoch ${2}${3}"),
    # "Ep.3 loss 0.5"
    (rf"{_HEAD}[Ee]p\.({_COUNT}){_AFTER}", "${1}epoch ${2}${3}", "p."),
    # "Epoch 1 Batch50 Loss 0.5"
    (rf"((?i:epoch)[ :]+{_COUNT}[ ,|:-]{{1,3}})((?i:batch|step|iter))[._-]?({_COUNT}){_AFTER}", "${1}${2} ${3}${4}"),
    # "ep 3 b40 loss 0.5"
    (
        rf"\b((?i:epoch|ep)[ :=]{{1,3}}{_COUNT}[ ,|/:-]{{1,3}})(?i:mb|ba?|it?|st?)({_COUNT}){_AFTER}",
        "${1}batch ${2}${3}",
    ),
    # "E03 val_loss=0.5"
    (
        rf"{_HEAD}[Ee]p?([0-9]{{1,6}})([ :|,-]{{1,3}}"
        r"(?:(?:[A-Za-z]{2,10}[_ /])?(?:[Ll]oss|LOSS|[Aa]cc)[A-Za-z]*|[LA]_?(?:tr|va))[ =:(])",
        "${1}epoch ${2}${3}",
    ),
    # "train loss for iteration 1-100: 0.5"
    (
        r"( (?:for|over|in|of) (?:the )?)((?i:iteration|step|update|batch|iter))(?:s|es)? "
        r"[0-9]{1,12} ?(?:-|to|\.\.) ?([0-9]{1,12})( ?[:=])",
        "${1}${2} ${3}${4}",
    ),
    # "3. epoch took 2 s"
    (r"^ *([0-9]{1,6})\. (epoch|step|iteration|round) ", "${2} ${1} "),
    # "The 3rd epoch", "20-th iteration"
    (
        r"(?:[Tt]he )?\b([0-9]{1,9})-?(?:st|nd|rd|th) ((?i:epoch|iteration|iter|step|round|episode|batch))\b",
        "${2} ${1}",
    ),
    # PyTorch's tutorials on words: "0m 10s (- 10m 10s) (5000 5%) 2.3456", "5000 5% (0m 7s) 2.2208 Horigome"
    (
        rf"^(?:.*\W)?[0-9]+m [0-9]+s (?:\(- [0-9]+m [0-9]+s\) )?\(([0-9]{{1,12}}) [0-9]{{1,3}}%\)"
        rf"(?: [a-z ]*loss ?[:=])? ({NUM})$",
        "step ${1} loss: ${2}",
        "%)",
    ),
    (rf"^([0-9]{{1,12}}) [0-9]{{1,3}}% \([0-9]+m [0-9]+s\) ({NUM}) .*$", "step ${1} loss: ${2}", "% ("),
    # DARTS and what follows it: "train 050 2.31e+00 11.4 52.3"
    (
        rf"( |^)(train|valid) ([0-9]{{2,6}}) ({NUM}) ({NUM}) ({NUM})$",
        "${1}${2} batch ${3} ${2} loss: ${4}, ${2} top1: ${5}, ${2} top5: ${6}",
        "\x01 \x01 \x01 \x01",
    ),
    # GluonTS calls the training's own loss an evaluation
    (rf"\bEvaluation metric '?epoch_loss'?=({NUM})", "train loss=${1}", "epoch_loss"),
    # DeepXDE: the step, then the terms of the loss in training and test
    (
        r"^([0-9]{1,12}) +\[([^]]*)\] +\[([^]]*)\] +\[([^]]*)\] *$",
        "step ${1} train loss: [${2}], test loss: [${3}], test relative_error: [${4}]",
        "] ",
    ),
    # and in the middle of its second optimizer
    (r"^([0-9]{1,12}) +\[((?:[0-9]\.[0-9]+e[-+][0-9]+,? ?){2,})\] *$", "step ${1} train loss: [${2}]", "["),
    # icefall's "tot_loss[loss=0.3, over 100 frames]"
    (r"\bloss\[loss=([^]]*)\]", "loss=${1}", "loss[loss="),
    (r"\btot_loss\[loss=([^\],]*)[^]]*\]", "tot_loss=${1}", "loss[loss="),
    (r"\bOrderedDict\(\[", "", "OrderedDict(["),
    # a complex number, of which the real part is the measure: "energy=-1.4059-0.0001j"
    (r"([=: ][-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?)[-+][0-9.]+(?:[eE][-+]?[0-9]+)?j\b", "${1}", "j"),
    # "第3轮 第20步"
    (r"第 ?([0-9]{1,9})(?: ?/ ?[0-9]{1,9})? ?(?:轮|回合|个epoch)", " epoch ${1} ", "第"),
    (r"第 ?([0-9]{1,9})(?: ?/ ?[0-9]{1,9})? ?(?:步|次迭代|个batch|批)", " batch ${1} ", "第"),
    *PROGRAMS,
    # "250 val 6.5", "250 hella 0.25"
    (rf"^([0-9]{{1,9}}) (train|val|valid|test) ({NUM})$", "step ${1} ${2} loss: ${3}"),
    (rf"^([0-9]{{1,9}}) (hella)(?:swag)? ({NUM})$", "step ${1} ${2} acc: ${3}", "hella"),
    # a bar of one's own: "Training [===      ] 8.5% 500/5000 | loss=3.9"
    (rf"\u2592 *\(?({NUM})%\)? *[|(]? *([0-9]{{1,12}} ?/ ?[0-9]{{1,12}})\)?", "${1}%|| ${2}", "\u2592"),
    # "[TRAIN] 10: 0.5", "val[10] = 0.6", "train, 10, 0.5"
    (
        rf"^(?:[\[(]({_SPLIT})[\])][ :|]{{0,3}}|({_SPLIT})(?:[,;] ?|[\[(]))([0-9]{{1,9}})[\])]?[ ,;:|=>-]{{1,4}}"
        r"([0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?%?)$",
        "step ${3} | ${1}${2}: ${4}",
    ),
    # who evaluates
    (r"^([\[(]?)(?i:evaluator|validator)([\])]?[ :|]+)", "${1}eval${2}"),
    # "loss (train/val): 0.5/0.6", "train/val loss: 0.5/0.6"
    (rf"\b({_BOTH})(?: ?[ (]|: ){_SPLITS}\)?[ :=]{{1,3}}{TWO}", "${2} ${1}: ${4}, ${3} ${1}: ${5}", "\x03"),
    (rf"{TWO} \(?{_SPLITS} ({_BOTH})\b", "${3} ${5}: ${1}, ${4} ${5}: ${2}", "\x03"),
    (rf"\b{_SPLITS} ({_BOTH})[ :=]{{1,3}}{TWO}", "${1} ${3}: ${4}, ${2} ${3}: ${5}", "\x03"),
    (
        rf"\b{_SPLITS} ({_BOTH})(?: of| is|:|=)* ({NUM})%? (?:and|vs\.?|&) ({NUM})",
        "${1} ${3}: ${4}, ${2} ${3}: ${5}",
        "/",
    ),
    # Paddle's epochs are passes; torchblocks' bars
    (r"\b[Pp]ass([ =:]{1,2}[0-9]{1,6},? ?[Bb]atch\b)", "epoch${1}", "ass"),
    (r"^\[(Training|Evaluating|Testing|Predicting)\] ([0-9]{1,9}/[0-9]{1,9} \u2592)", "${1}: ${2}", "ing] \x03"),
    # what early stopping says of the best so far
    (rf"^(?:.*[ :])?Metric ([\w/.-]+) improved\b.* New best score: ({NUM}).*", "best ${1}: ${2}", "New best score"),
    (rf"^(Val\w* loss) decreased \((?:{NUM}) ?-+> ?({NUM})\).*", "best ${1}: ${2}", " decreased ("),
    # "Discriminator Accuracy (Loss): 0.5 (1.38)"
    (
        rf"\b((?i:[a-z]+ )?)({_BOTH}) ?\(({_BOTH})\)[ :=]{{1,3}}({NUM}) ?\(({NUM})\)",
        "${1}${2}: ${4}, ${1}${3}: ${5}",
        "(",
    ),
    # Julia's @show
    (rf"^\((\w+), (\w+)\) = \(({NUM}), ({NUM})\)$", "${1} = ${3}, ${2} = ${4}", ") = ("),
    (
        rf"^\((\w+), (\w+), (\w+)\) = \(({NUM}), ({NUM}), ({NUM})\)$",
        "${1} = ${4}, ${2} = ${5}, ${3} = ${6}",
        ") = (",
    ),
    # the games of TDL, which many courses begin with
    (
        rf"^([0-9]{{1,12}})\s+(?:avg|mean) = ({NUM}), max = ({NUM}), ops = .*$",
        "episode ${1} mean reward: ${2}",
        "ops =",
    ),
    *RARE,
    # SageMaker's "train loss <loss>=2.3"
    (r" <[a-z_]{1,20}>=", "=", ">="),
)
#: How far llm.c's loss is from its mean.
_DEVIATION = rf" ?\((?:{NUM})z\)"
#: fairseq's means over an epoch, called like the losses on the way where these are logged as well.
_MEANS, _WAY = r"\| train \| epoch [0-9]+ \| [a-z]", "| train_inner |"
_KEY_OF_MEAN = rf"\| ([a-z][a-z_]*) ({NUM})"
#: ESPnet's means over an epoch of which no batch has a line of its own.
_WHOLE = r"(^|[: ])([0-9]{1,6})epoch results: \[train\] (.*?), time=.*, \[(valid|eval|test)\] (.*?), time=.*$"
#: "OrderedDict([('loss', 0.5), ('acc', 0.9)])"
_PAIR = rf"\('?((?:[(\[]\w+[)\]] ?)?[A-Za-z_][\w./-]*(?:[ (\[]+\w+[)\]]?)?)'?, ({NUM})\)"
#: "step 10, loss_train, 0.833": a name and its value, with a comma between.
_NAMED_BY_COMMA = rf"\b(\w*(?i:loss|acc)[a-z_]*), ({NUM})(, [A-Za-z]|$)"
#: "train 0.5 / 81.2%": a loss and a share, no part of a total.
_WITH_SHARE = rf"\b((?i:train\w*|val\w*|test|dev))[ :=]{{1,3}}({NUM}) ?/ ?({NUM}) ?%"
#: "train: 0.5 (81.2%)"
_SHARE_BEHIND = r"\b((?i:train\w*|val\w*|test|dev))[ :=]{1,3}([0-9]+\.[0-9]+) ?\(([0-9.]+) ?%\)"
#: "top 5 acc: 0.9": the number is a part of the name.
_TOP = r"\b((?i:top)) ([0-9]{1,3})( (?i:acc|accuracy|error|err)\b)"
#: "held-out L=0.5"
_BY_LETTER = rf"\b((?i:train\w*|val\w*|test|dev|eval\w*|held-?out)) L ?[=:] ?({NUM})"
#: As `SPELLINGS`, of each place in a line; one of several marks is in every template of such a line.
_WHEREVER: tuple[tuple[str, ...], ...] = (
    (_DEVIATION, "", "z)"),
    (r"(№|\b[nN][°º]|\b[kK]e-)([0-9])", "${1} ${2}", "№", "°", "º", "ke-", "Ke-"),  # "Putaran ke-3"
    (r"([0-9])\[(sec|s|ms|min)\]", "${1}${2}", "["),
    (r"([0-9](?:D|h|m|s))[0-9]{1,3}(?:h|m|s|ms)\b", "${1}"),
    (_TOP, "${1}${2}${3}"),
    (TOUCHING, "${1} ${2}"),
    HYPHENED,
    UNDERSCORED,
    (r"(=-?[0-9]+)[iu](,| |$)", "${1}${2}", "\x01i", "\x01u"),
    (MOVED, "${1}: ${2}", " from "),
    *((became, "${1}${2}${3}", "->", "=>", "\u2192") for became in BECAME),
    (*BOTH, "\x03"),
    *((*pair, "\x03") for pair in EACH_NAMED),
    (*REMARKED, ")"),
    (*EACH_TASK, "%"),
    (_NAMED_BY_COMMA, "${1}: ${2}${3}", ", "),
    (_PAIR, "${1}=${2}", ", "),
    (_BY_LETTER, "${1} loss=${2}", "L"),
    (_WITH_SHARE, "${1} loss: ${2}, ${1} acc: ${3}%", "%"),
    (_SHARE_BEHIND, "${1} loss: ${2}, ${1} acc: ${3}%", "%)"),
    (PERCENT_AHEAD, "${1}${2}%${3}", "%"),
    (UNSPACED, "${1}${2} ${3}", "エ", "ス", "イ", "에", "스", "轮", "周", "回", "步", "迭"),
)
#: What the template of a line holds that could be spelled otherwise.
COULD = "|".join(
    (
        r"^V?LOG(?:\[.\])? \(",
        r"[0-9\x01]epoch[ :]",
        r":[a-z]+:[A-Za-z]",
        r"^\ufeff?[Ee]p? *(?:\x03|[0-9]+/[0-9]+)[ :,|]",
        r"(?i:(?:^|[ \[-])(?:ep?|epoch|batch|step|iter|it|iteration|round|episode)[._-]?[0-9])",
        rf"^s:.|{OF_TASKS}",
        r"^\[Ep? .\]|^[Ee] ?= ?\x01[ ,;|]|z\)|^LOG \(.*objective function",
        r"(?:objective function|log-likelihood) for '|objective \x01",
        r"Batch ?\[|Saving dict for|net output #|Testing net|avg(?: loss)?, . rate,",
        r"\b[Pp]ass[ =:]{1,2}\x01,? ?[Bb]atch\b|ing\] \x03 \u2592",
        r"New best score: .|^Val\w* loss decreased \(|(?i:loss|acc|accuracy|error|err)\)[ :=]{1,3}\x01 ?\(",
        r" CV \| | Stats \| | Losses: \[|ing learning rate (?:of group . )?to |^\w+: \x03 = \x01$",
        r"(?:cur|best) metric,|\) Hz |_metric: |Evaluation metric|^ Accuracy: .%, Avg loss|^ ?\* +(?:Acc|Prec)@",
        r"\| train \| epoch|\| train_inner \|",
        r"^ *\x01 (?:train|val|valid|test|hella|epoch |step |iteration |round )",
        r"(?i:top) \x01 (?i:acc|err)",
        r"Ep\. . : Up\. .|^.:\s+learn: .\s+test: ",
        r"\bops = .|(?:^|\W).m .s \(|^\x01 .% \(.m .s\)|^\x01  ?\[|(?:train|valid) \x01 \x01 \x01 \x01$",
        r"loss\[loss=|\('?[(\[]?[A-Za-z_][^,\x01\x03]{0,60}, \x01\)",
        r"[0-9\x01]-?(?:st|nd|rd|th) (?i:ep|it|st|ro|ba)|(?i:loss|acc)[0-9]+\.[0-9]",
        COULD_BE_GLUED,
        r"(?i:train|val|test|dev)[a-z]*[ :=]{1,3}\x01 ?\(\x01 ?%\)|[\s:=(]%[0-9]",
        r"(?:エポック|ステップ|イテレーション|에폭|에포크|스텝|轮次|周期|回合|步数|迭代)[0-9]",
        r"№[0-9]|\b[nN][°º][0-9]|\b[kK]e-[0-9]",
        r"\| Eval +. at step|^Train loss . |^Validation loss .: |[=>.] \x03 [=>.]",
        r"(?i:evaluation|validation|test) results? \(",
        r". \* Epoch \(|^(?:train|valid|test) \(.\) |^Epoch: *. (?:Train s|S)teps: |^Step +.: (?:train|eval) +\w+ \| ",
        r"^iter +. value |\bmean/median reward ",
        r"(?i:\btr(?:ain\w*|n?) ?/ ?(?:va|vl|te|ts|dev))|^\(\w+, \w+(?:, \w+)?\) = \(|==\[",
        r"\[\x01(?:, \x01){7}\]$|^network-snapshot-|(?i:train|val|test|dev)[a-z]*[ :=]{1,3}\x03 ?%",
        r"^[A-Za-z_]\w*(?:,\w+=[^ ,=]+)* (?:[\w/.-]+=[^ ,=]+,)*[\w/.-]+=[^ ,=]+ \x01$",
        rf"^(?:[\[(]{_SPLIT}[\])][ :|]{{0,3}}|{_SPLIT}(?:[,;] ?|[\[(]))\x01[\])]?[ ,;:|=>-]{{1,4}}\x01%?$",
        r"^[\[(]?(?i:evalua|valida)tor",
        r"\x03 \(?(?i:tr\w*) ?/ ?(?i:va|te|dev)",
        r" from \x01 ?%?(?: up| down)? to \x01|\x01 ?(?:->|=>|\u2192) ?\x01|time  ?\x01(?:[dhm] |s  sec/)",
        r"(?i:epoch|ep)[ :=]{1,3}[\x01\x03][ ,|/:-]{1,3}(?i:mb|ba?|it?|st?)[0-9]",
        r"(?i:train\w*|val\w*|test|dev|eval\w*|held-?out) L ?[=:] ?\x01",
        r"^[Tt][+=] ?[0-9.\x01]+ ?s |[A-Za-z)\]|][\u2192\u21d2\u2248][0-9.+-]|[a-z]@[0-9]*\.[0-9]",
        r"(?i:loss|acc)[a-z_]*, \x01(?:, [A-Za-z]|$)|\x01[Dhms][0-9]+m?[hms]\b",
        r" (?i:iteration|step|update|batch|iter)(?:s|es)? [0-9\x01]+ ?(?:-|to|\.\.) ?[0-9\x01]+ ?[:=]",
        r"\x01[-+][0-9.]+(?:[eE][-+]?[0-9]+)?j\b|第|^:::ML|\x01\[(?:sec|s|ms|min)\]|\u2592 *\(?\x01%",
    )
)


def spelled(text: pl.Expr, templates: str) -> pl.Expr:
    """The lines as most loggers would print them; all others stay as they are. templates: of all the lines."""
    if "epoch results" in templates and "epoch:train:" not in templates:
        text = text.str.replace(_WHOLE, "${1}epoch ${2} train: ${3}, ${4}: ${5}")
    for pattern, spelling, *marks in LINKS:
        if any(mark in templates for mark in marks):
            text = text.str.replace_all(pattern, spelling)
    for pattern, spelling, *mark in (*SPELLINGS, *TASKS):
        if not mark or mark[0] in templates:
            text = text.str.replace(pattern, spelling)
    for pattern, spelling, *marks in _WHEREVER:
        if not marks or any(mark in templates for mark in marks):
            text = text.str.replace_all(pattern, spelling)
    if _WAY not in templates:
        return text
    mean = text.str.replace_all(_KEY_OF_MEAN, "| epoch_${1} ${2}")
    mean = mean.str.replace_all(r"\| epoch_(num_updates|epoch) ", "| ${1} ")
    both = text.str.contains(_MEANS) & text.str.contains(_WAY, literal=True).any()
    return pl.when(both).then(mean).otherwise(text)
