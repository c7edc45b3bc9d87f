"""Metrics of several trainings side by side, told apart by their names: "resnet_loss" beside "vgg_loss",
"loss (lr=0.1)", "fold 3 val". Terms of one loss and networks of one training are called alike and are none."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.naming.log_words import is_outcome
from curvedoc.ingest.naming.split_words import SPLITS
from curvedoc.ingest.naming.word_set import word_set

#: What is measured, and what is said of it beside the part of the data.
_MEASURES = word_set(
    """loss losses cost nll ce mse mae rmse acc accs accuracy error err ppl perplexity auc f1 score reward rewards
    return returns bleu map iou dice psnr cer wer logloss lr"""
)
#: One of these, or one value for each part of the data, has every training.
_MAIN = word_set(
    "loss losses cost nll ce mse acc accs accuracy error err ppl perplexity reward rewards return returns logloss"
)
_FILLERS = word_set("epoch avg average mean final smoothed ema the of on for")
#: Parts of one training: terms of its loss, its networks, its tasks.
_PARTS = word_set(
    """box bbox cls class obj objectness dfl seg mask depth normal normals semantic instance giou conf xy wh landmark
    actor critic policy value vf pg kl entropy recon reconstruction rec commit vq codebook perceptual style content tv
    gan adv adversarial g d gen disc generator discriminator fake real cycle identity idt student teacher distill
    kd hard soft main aux auxiliary head task mlm nsp ctc att attention lm moe balance router z reg regularization l1
    l2 penalty total sum contrastive ssl sup supervised unsup consistency source target domain text image audio video
    rgb flow joint encoder decoder enc dec layer block stage level scale client agent expert player net crf ner pos
    physics pde bc ic data boundary residual weight grad gradient time memory rpn roi coarse fine top train val test
    num right wrong best worst min max std median lower upper label sample batch step token tokens speed gpu eta"""
)
#: What numbers trainings.
_NUMBERED = late_regex(
    r"(runs?|seeds?|kfold|folds?|trials?|exps?|experiment|models?|config|cfg|setup|replicate|rep|repeat|variant)"
    r"(\d{1,6}|[a-h])"
)
#: A setting and what it is, with or without a sign between.
_SETTING = late_regex(
    r"([a-z]{1,20})=[\w.+-]{1,20}|(lr|bs|wd|dropout|drop|hidden|units|layers|dim|width|batch|batchsize|size|gamma|beta"
    r"|alpha|lambda|lam|tau|temp|temperature|momentum|decay|eps|noise|heads)-?\d[\d.e+-]{0,12}"
)
#: Models, optimizers, algorithms, activations, and how versions of a method are called.
_KNOWN = late_regex(
    r"(?:se|wide|pre)?res(?:ne[xs]t|net)\w{0,8}|r\d{2,3}|\w{0,9}net(?:v?\d{1,3}|b\d)?|vgg\w{0,6}|inception\w{0,8}|x?ception"
    r"|(?:vit|deit|swin|convnext|mixer|bert|roberta|gpt|llama|yolo|t5)\w{0,12}|(?:\w{1,4})?(?:cnn|rnn|lstm|gru)\w{0,6}"
    r"|mlp\w{0,6}|\w{0,8}transformer\w{0,6}|\w{0,8}former|tcn|xgb(?:oost)?|lightgbm|lgbm|catboost|svm|logreg|logistic"
    r"|linear|gcn|gat|gin|sage|dqn|ddqn|ppo|a2c|a3c|sac|td3|ddpg|trpo|reinforce|mamba\w{0,4}|rwkv"
    r"|sgdm?|n?r?adam[wx]?|adagrad|adadelta|rms ?prop|momentum|nesterov|lion|lamb|lars|muon|sophia|lbfgs"
    r"|baseline\w{0,6}|ours\w{0,4}|proposed|vanilla|ablat\w{0,6}|(?:with|without|no|wo)[a-z]{2,12}|pretrained|scratch"
    r"|frozen|finetuned?|augmented|tiny|small|base|medium|large|xl|nano|wide|deep|shallow"
    r"|(?:leaky)?relu|gelu|tanh|sigmoid|silu|swish|s?elu|mish|xavier|kaiming|he|orthogonal"
    r"|batch ?norm|layer ?norm|bn|ln"
)
_TOKEN = late_regex(r"[A-Za-z]+ ?= ?[\w.+-]*\w|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+(?:\.\d+)?(?:e-?\d+)?|[^\W_]+")
#: More trainings than these stand side by side in no table.
_MOST = 64


@dataclass(frozen=True, slots=True)
class SideName:
    """A metric's name taken apart. label: the training as it is written; metric: the name without it"""

    label: str
    key: str
    metric: str
    words: frozenset[str]


def side_by_side(names: Sequence[str], called: str = "") -> Mapping[str, Mapping[str, str]]:
    """For each training the metrics that are its own, by what they are called within it, and those of all; none where
    the names are of one training. called: the file, which says what columns of trainings alone measure."""
    parsed = {n: _parsed(n) for n in dict.fromkeys(names)}
    own = {n: p for n, p in parsed.items() if p.key and (is_outcome(n) or p.metric)}
    bare = not own and not any(map(is_outcome, names))
    if bare:
        own = {n: p for n, p in parsed.items() if p.key}
    shared = [n for n in parsed if n not in own]
    groups: dict[str, dict[str, SideName]] = {}
    for n, p in own.items():
        groups.setdefault(p.key, {})[n] = p
    if not 2 <= len(groups) <= _MOST or any(is_outcome(n) for n in shared if not parsed[n].key):
        return {}
    measured = [sorted(p.metric.lower() for p in g.values()) for g in groups.values()]
    if any(m != measured[0] or len(set(m)) < len(m) for m in measured) or not _are_trainings(groups, bare, called):
        return {}
    told = called if bare and is_outcome(called) else ""
    return {
        next(iter(g.values())).label: {n: n for n in shared} | {n: p.metric or told or n for n, p in g.items()}
        for g in groups.values()
    }


def is_part(label: str) -> bool:
    """Whether a label is that of a part of one training, or of one part of the data."""
    words = {w for t in re.split(r"[\W_]+", label.lower()) for w in (t, t.rstrip("0123456789")) if w}
    return bool(words & _PARTS) or any(w in SPLITS for w in words)


@functools.lru_cache(maxsize=4096)  # runs of one script log the same names
def _parsed(name: str) -> SideName:
    kept: list[re.Match[str]] = []
    said: list[re.Match[str]] = []
    words: set[str] = set()
    for m in _TOKEN.finditer(name):
        low = m[0].lower()
        known = low in _MEASURES or low in SPLITS or low in _FILLERS or is_outcome(low) or in_english(low) != low
        (said if known else kept).append(m)
        words.add(low)
    key = "".join(m[0].lower().replace(" ", "") for m in kept)
    whole = bool(kept) and not any(kept[0].start() < s.start() < kept[-1].start() for s in said)
    label = name[kept[0].start() : kept[-1].end()] if whole else " ".join(m[0] for m in kept)
    return SideName(label, key, " ".join(m[0] for m in said), frozenset(words))


def _are_trainings(groups: Mapping[str, Mapping[str, SideName]], bare: bool, called: str) -> bool:
    """Whether what tells metrics apart are trainings: they are numbered or set as such or called like models; or each
    has data of its own that it is tested on, and none is a part of one training."""
    numbered = [_NUMBERED.fullmatch(k) for k in groups]
    if all(numbered) and len({m[1] for m in numbered if m}) == 1:
        return True
    settings = [_SETTING.fullmatch(k) for k in groups]
    if all(settings) and len({m[1] or m[2] for m in settings if m}) == 1:
        return bare or _tells(groups)
    words = {w for g in groups.values() for p in g.values() for w in _apart(p)}
    if words & _PARTS:
        return False
    if all(_KNOWN.fullmatch(k) for k in groups):
        return is_outcome(called) if bare else _tells(groups)
    return not bare and all(_both(p.words for p in g.values()) for g in groups.values())


def _apart(p: SideName) -> Collection[str]:
    """The words of a label, and those that a number is written on to."""
    return {w for t in re.split(r"[\W_]+", p.label.lower()) for w in (t, t.rstrip("0123456789")) if w}


def _tells(groups: Mapping[str, Mapping[str, SideName]]) -> bool:
    first = next(iter(groups.values())).values()
    return any(p.words & _MAIN for p in first) or _both(p.words for p in first)


def _both(names: Iterable[frozenset[str]]) -> bool:
    """Whether names tell of data that training sees and of other data; a loss beside one of other data is of the
    first."""
    said = [{SPLITS[w] for w in words if w in SPLITS} for words in names]
    told = {split for words in said for split in words} | ({"train"} if not all(said) else set())
    return "train" in told and bool(told & {"val", "eval", "test"})
