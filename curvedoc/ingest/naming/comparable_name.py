"""Names as they are compared: without case, camelCase, separators and accents."""

from __future__ import annotations

from functools import lru_cache

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import SIGNS, without_accents


def plain(name: str) -> str:
    """A name without case, camelCase and separators; at most 300 characters of it, for it comes from a log.

    Letters of every language stay; accents go, since half of the writers leave them out.

    >>> plain("train/CrossEntropyLoss"), plain("lr-Adam/pg1"), plain("grad_2.0_norm_total"), plain("Pérdida_val")
    ('train_cross_entropy_loss', 'lr_adam_pg1', 'grad_2_0_norm_total', 'perdida_val')
    >>> plain("text_to_image_R@5"), plain("training's l2")
    ('text_to_image_recall_5', 'training_l2')
    >>> plain("RPNLoss"), plain("trnloss")
    ('rpn_loss', 'trn_loss')
    """
    return _plain(name[:300])


@lru_cache(maxsize=4096)  # the runs of a tree have few others
def _plain(name: str) -> str:
    if not name.isascii():
        name = without_accents(name)
    name = _OWN.sub("", name) if "'" in name or "=" in name else name  # "training's l2", "loss (bs=8)"
    if "@" in name:
        name = _AT.sub(lambda m: _AT_RANK[m[0][0].lower()], name)
    if not name.islower():
        name = _CAMEL.sub("_", name)
    name = _GLUED.sub(r"\1_", _EDGE.sub("_", name).strip("_").lower())
    return name.strip("_")


@lru_cache(maxsize=256)
def words_of(names: tuple[str, ...]) -> frozenset[str]:
    """Every word of some names: what no name of a run speaks of need not be looked for."""
    return frozenset(word for name in names for word in plain(name).split("_"))


_CAMEL = late_regex(r"(?<=[a-z\d])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})")
#: A split and what is measured of it: "trnloss", "valacc".
_GLUED = late_regex(
    r"(?<![^\W_])(train|trn|tr|test|tst|te|valid|val|vld|vl|va|dev|eval)"
    r"(?=(?:loss|acc|accuracy|err|error|mse|mae|rmse|auc|ppl|nll)(?![^\W_]))"
)
_OWN = late_regex(r"(?<=[A-Za-z])'s\b|\([^()=]{1,40}=[^()]{1,40}\)")
#: What is found among the first so many: R@5, P@1.
_AT = late_regex(r"(?<![A-Za-z])[RrPp]@(?=\d)")
_AT_RANK = {"r": "recall_", "p": "precision_"}
_EDGE = late_regex(rf"(?:[^\w{SIGNS}]|_)+")
