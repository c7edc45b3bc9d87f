"""Words by which the key of a log line tells what it measures."""

from __future__ import annotations

import re

#: What a model is measured by beside its loss, by the names that nothing else has: ranking, regression, agreement,
#: speech, images, language, games.
QUALITIES = (
    r"ndcg|\bmrr\b|\bhits?(?: |@)|hit ?r(?:ate|atio)|\bs?w?mape\b|\bwape\b|\bmase\b|\brmsle\b|spearman|pearson"
    r"|\bplcc\b|\bsrcc\b|corrcoef|correlation|\bkappa\b|\bqwk\b|\bmcc\b|jaccard|specificity|sensitivity|\beer\b"
    r"|\bn?(?:si ?)?sn?dri?\b|\bstoi\b|pesq|meteor|\bcider|\bchrf|lpips|hausdorff|\bhd95\b|\bnmi\b|\bari\b"
    r"|(?:win|success|solve) ?rates?\b|xent\b|\bb?ce\b|\bmpjpe\b|\bepe\b|\bnds\b|pass@"
)
#: A key without counter makes a record only if one of these words is in it.
_OUTCOME = re.compile(
    r"loss|(?<!time )\bcosts?\b(?!.?time)|acc\b|accuracy|ppl|perplexity|reward|return\b|\bf1|\bfb1|auc|rmse|logloss"
    r"|\bmae\b|\bmse\b|bleu|rouge|\bm?ap\b|map50"
    r"|\bm?iou|\bkl\b|entropy|dice|psnr|ssim|\bwer\b|\bcer\b|error"
    r"|grad(?!(?:ient)?s? ?(?:accum|check|clip))|gnorm|bpb|bpc|top-?[15]"
    r"|\bprec@|\bprec\b|likelihood|r2\b|recall|precision|elbo|nll|\bmll\b|fid\b|\bmetric$"
    r"|verlust|genauigkeit|\bperte|exactitude|pérdida|perdida|\bperda|exactitud|acurácia|perdita|потер|ошибк|точност"
    r"|\b(?:train|tr|val|valid|test|te|dev) err\b"
    r"|\bscores?\b|\b(?:min)?[af]de\b|\b[fk]id[0-9]+k|损失|準確|准确|精度|误差|損失|誤差|正解率|손실|정확도"
    r"|成功率|召回率|精确率|胜率|得分|奖励|再現率|適合率|勝率|報酬|재현율|정밀도|보상|полнот|наград|belohnung|r[eé]compense|recompensa"
    rf"|{QUALITIES}"
)
_HYPER = re.compile(r"lernrate|学习率|学習率|learning.?rate|\blrm?\b|norm|time|tok|mfu|mem|throughput")

_RATE = re.compile(r"\blr\b|learning.?rate")


def spaced(key: str) -> str:
    """The key in lower case with `_` and `-` as blanks."""
    return key.lower().replace("_", " ").replace("-", " ").strip()


def is_outcome(key: str) -> bool:
    """Whether the key names what training is measured by (a loss, an accuracy, a gradient norm ...)."""
    return _OUTCOME.search(spaced(key).replace("/", " ")) is not None


def is_loss(key: str) -> bool:
    """Whether the key says loss or accuracy outright."""
    return re.search(r"loss|acc\b|accuracy|reward", spaced(key)) is not None


def is_usual(key: str) -> bool:
    """Whether the key names anything that training logs usually carry."""
    return is_outcome(key) or _HYPER.search(spaced(key).replace("/", " ")) is not None


def is_rate(key: str) -> bool:
    """Whether the key names the learning rate."""
    return _RATE.search(spaced(key).replace("/", " ")) is not None
