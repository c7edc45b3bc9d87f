"""The words for the parts of the data, train, val and test, wherever a log says them but in the name of a metric.

Names of metrics are read by `rules/signals.yaml`, where a user may add words of his own.
"""

from __future__ import annotations

from collections.abc import Mapping

#: split -> words that mean it wherever they stand: as a folder, in front of a key, in a line. An evaluation is of
#: validation data; where both are logged it goes by its own name.
PLAIN: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training", "trn"),
    "train_inner": ("train_inner",),
    "val": ("val", "valid", "validation", "dev", "holdout"),
    "eval": ("eval", "evaluation"),
    "test": ("test", "testing"),
}
#: split -> words that mean it only as the value of a column of splits.
TERSE: Mapping[str, tuple[str, ...]] = {
    "train": ("fit", "fitting", "tr", "learn", "entrenamiento", "entrainement", "训练", "訓練"),
    "val": (
        "check", "va", "ev", "vali", "vld", "validate", "validating", "held_out", "heldout", "cv", "validierung",
        "validacion", "验证", "検証",
    ),
    "eval": ("evaluate",),
    "test": ("tst", "te", "测试"),
}  # fmt: skip
#: word -> split.
PLAIN_SPLITS: Mapping[str, str] = {word: split for split, words in PLAIN.items() for word in words}
SPLITS: Mapping[str, str] = {**PLAIN_SPLITS, **{word: split for split, words in TERSE.items() for word in words}}
#: All plain words, as one choice of a regular expression, and those of data that training does not see.
ANY_SPLIT = "|".join(PLAIN_SPLITS)
UNSEEN_SPLIT = "|".join(word for split in ("val", "eval", "test") for word in PLAIN[split])
