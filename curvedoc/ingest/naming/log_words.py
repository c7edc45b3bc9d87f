"""Words by which the key of a log line tells what it measures: the one list that readers ask.

Roles are given by `rules/signals.yaml`; a test holds that its names of losses, accuracies and rewards are known here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming import languages

#: What a model is measured by beside its loss, by the names that nothing else has: ranking, regression, agreement,
#: speech, images, language, games.
QUALITIES = (
    r"ndcg|\bmrr\b|\bhits?(?: |@)|hit ?r(?:ate|atio)|\bs?w?mape\b|\bwape\b|\bmase\b|\brmsle\b|spearman|pearson"
    r"|\bplcc\b|\bsrcc\b|corrcoef|correlation|\bkappa\b|\bqwk\b|\b[ul]as\b|\bmcc\b|jaccard|specificity|sensitivity|\beer\b"
    r"|\bn?(?:si ?)?sn?dri?\b|\bstoi\b|pesq|meteor|\bcider|\bchrf|lpips|hausdorff|\bhd95\b|\bnmi\b|\bari\b"
    r"|(?:win|success|solve) ?rates?\b|xent\b|\bb?ce\b|\bmpjpe\b|\bepe\b|\bnds\b|pass@"
)
#: A key without counter makes a record only if one of these words is in it.
_OUTCOME = late_regex(
    # losses
    r"loss|(?<!time )\bcosts?\b(?!.?time)|\bkl\b|entropy|\bcross ?ent\b|error(?! (?:codes?|numbers?|types?)\b)"
    r"|\bmae\b|\bmse\b|rmse|logloss|likelihood|elbo|nll|\bmll\b"
    r"|\bb?ce\b|\bxe\b|xent\b|\b(?:info ?)?nce\b|objective\b|\bobjf\b|\bobj (?:fn|value)\b|criterion\b"
    r"|\b(?:train|tr|val|valid|test) obj\b|\bj (?:history|hist|vals|values?|train|cv)\b"
    r"|\brecon(?:struction)?\b|\b(?:bits|nats) (?:per|byte|char|dim|token)\b|bpb|bpc|\bbpd\b|\bvlb\b|\bneg log"
    r"|\binertia|\brisk\b|\be (?:in|out)\b|quanti[sz]ation error|\bll (?:per )?(?:token|word|frame|sample)|\blog ?lik\b"
    r"|\b[la] ?(?:tr|train|va|val|valid|te|test)\b"
    r"|tversky|lovasz|barlow|vicreg|log ?cosh|\bbpr\b|nloglik|negloglik|neg ?ll\b|pair ?logit|query ?soft"
    r"|partial ll|free energy|smooth l1|charbonnier|\b(?:train|tr|val|valid|test|te|dev) err\b"
    # right answers
    r"|accs?\b|\bacc[0-9]\b|\baccu\b|accy\b|accura[cy]|acuracy|top ?[15]|\bprec@|\bprec1?\b|precision|recall|\bf1|\bfb1"
    r"|auc|exact match|\b(?:pct|percent|frac|fraction) correct\b|\bcorrect (?:rate|pct)\b"
    # other measures
    r"|ppl|perplex|\bperp\b|reward|returns?\b|\brew\b|\beprew|bleu|rouge|\bm?ap(?:50|75)?\b|\bm?iou|dice|psnr|ssim|\bwer\b|\bcer\b|\bfitness\b"
    r"|r2\b|fid\b|\bmetric$|\bscores?\b|\b(?:min)?[af]de\b|\b[fk]id[0-9]+k"
    r"|grad(?!(?:ient)?s? ?(?:accum|check|clip))|gnorm"
    # other languages
    r"|fout\b|fehler\b|custo\b|mất mát|độ chính xác"
    r"|verlust|verlies|ztr[áa]t|f[öo]rlust|втрат|strata|kayb|genauigkeit|\bperte|exactitude|pérdida|perdida|\bperda|exactitud|acurácia|perdita|потер|ошибк|точност"
    r"|损失|準確|准确|精度|误差|損失|誤差|正解率|손실|정확도"
    r"|成功率|召回率|精确率|胜率|得分|奖励|再現率|適合率|勝率|報酬|재현율|정밀도|보상|полнот|наград|belohnung|r[eé]compense|recompensa"
    rf"|{QUALITIES}"
)
#: Pieces of the same words, quickly found: a line of plain letters without one of them holds no outcome.
MEASURES = (
    r"loss|cost|kl|entropy|cross.?ent|err|mae|mse|nll|mll|\bll\b|log.?lik|likelihood|elbo|\bb?ce\b|xe|nce\b|obj|criterion|recon|bits|nats|bp[bcd]|vlb|neg.?log|partial"
    r"|\b[la][ _]?(?:tr|va|te)"
    r"|tversky|lovasz|barlow|vicreg|cosh|bpr|loglik|neg.?ll|logit|query|energy|inertia|risk|\be_?(?:in|out)|\bj[ _][hv]"
    r"|smooth|charb"
    r"|acc|acuracy|top|prec|recall|f1|fb1|auc|exact|correct|ppl|perp|rew|return|bleu|rouge|map|\bap(?:50|75)?\b|iou"
    r"|dice|psnr|ssim|wer|cer|fitness|r2|[fk]id|metric|score|[af]de\b|grad|gnorm|verlust|verlies|ztr|rlust|втрат|fout|fehler|custo|mất|strata|kayb|genauig|pert[ea]|exactitu|perdi?[dt]?a"
    rf"|{languages.OUTCOME_PIECES}"
)
_ABROAD = late_regex(languages.OUTCOMES)
_HYPER = late_regex(r"lernrate|学习率|学習率|learning.?rate|\blrm?\b|norm|time|tok|mfu|mem|throughput|\b[fist]ps\b")

_RATE = late_regex(r"\blr\b|learning.?rate")

#: Keys of structured files, where nothing else says that a list or an object is about training.
_STORED = "loss|acc|reward|ppl|perplex|auc|learning_rate"
_CURVE = late_regex(rf"{_STORED}|mae|mse|f1|error|score|grad_norm|lr", re.IGNORECASE)
_RECORD = late_regex(rf"{_STORED}|(^|[_/])lr($|[_/])|grad|metric|(^|[_/])(f1|mse|mae|bleu|wer)")


def spaced(key: str) -> str:
    """The key in lower case with `_` and `-` as blanks."""
    return key.lower().replace("_", " ").replace("-", " ").strip()


def is_outcome(key: str) -> bool:
    """Whether the key names what training is measured by (a loss, an accuracy, a gradient norm ...)."""
    return _known_outcome(key) if len(key) <= _NAME else _has_outcome(key)


def _has_outcome(key: str) -> bool:
    said = spaced(key).replace("/", " ")
    if _OUTCOME.search(said) is not None:
        return True
    return _ABROAD.search(said if said.isascii() else languages.without_accents(said)) is not None


#: Names come again from line to line and from run to run; whole lines are asked as well, and are not kept.
_NAME = 80
_known_outcome = lru_cache(maxsize=4096)(_has_outcome)


def is_loss(key: str) -> bool:
    """Whether the key says loss or accuracy outright."""
    return re.search(r"loss|acc\b|accuracy|reward", spaced(key)) is not None


def is_usual(key: str) -> bool:
    """Whether the key names anything that training logs usually carry."""
    return is_outcome(key) or _HYPER.search(spaced(key).replace("/", " ")) is not None


def is_rate(key: str) -> bool:
    """Whether the key names the learning rate."""
    return _RATE.search(spaced(key).replace("/", " ")) is not None


def names_curve(key: str) -> bool:
    """Whether a list of numbers under this key is a curve rather than a setting."""
    return _CURVE.search(key) is not None


def names_record(key: str) -> bool:
    """Whether an object with this key, in small letters, is a record of a log though it has no counter."""
    return _RECORD.search(key) is not None


#: Names of counters beside the usual English ones: abbreviations, other languages.
MORE_EPOCHS = ("ep", *languages.EPOCHS)
MORE_STEPS = (
    "schritt", "étape", "etape", "itération", "paso", "passo", "iteración", "iteração", "iterazione", "шаг",
    "итерация", "langkah", "iterasi", "krok", "steg", "stap", "lépés", "adım", "bước", "askel", "iteracja", "iterace",
    "iterasyon", "iteratie", "iterasjon", "ステップ", "步", "步数", "迭代", "스텝",
)  # fmt: skip
#: What a column that counts may be called by: "epoch_no", "Epoch No.".
MORE_EPOCH_KEYS = (*MORE_EPOCHS, "epoch_no", "epoch_id", "epoch_idx", "epoch_index", "epoch_number", "epoch_count")
