"""The words for the parts of the data, train, val and test, wherever a log says them.

Names of metrics are read by `words.splits` in `rules/signals.yaml`, where a user may add words of his own; a test holds
that the two lists are one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import in_english, without_accents

#: split -> words that mean it wherever they stand: as a folder, in front of a key, in a line. An evaluation is of
#: validation data; where both are logged it goes by its own name.
PLAIN: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training", "trn", "训练", "訓練"),
    "train_inner": ("train_inner",),
    "val": (
        "val", "valid", "validation", "validate", "validating", "dev", "holdout", "heldout", "held_out", "validierung",
        "evl", "验证", "検証",
    ),
    "eval": ("eval", "evaluation", "evaluating"),
    "test": ("test", "testing", "测试"),
}  # fmt: skip
#: split -> words that mean it only in the name of a metric or as the value of a column of splits.
TERSE: Mapping[str, tuple[str, ...]] = {
    "train": (
        "fit", "fitting", "tr", "dtrain", "learn", "learned", "trening", "entrenamiento", "entrainement",
        "apprentissage", "appr", "treino", "treinamento", "addestramento", "обучение", "обучения", "обуч", "навчання",
    ),
    "val": (
        "check", "va", "vl",
        "ev", "dval", "dvalid", "deval", "central", "centralized", "centralised", "vali", "vld", "cv",
        "crossval", "oos", "out_of_sample", "unseen", "dev2", "valset",
        "devset", "evals", "validacion", "validacao", "validazione", "walidacja", "вал", "валидация", "валидации",
        "пров", "проверка", "проверки",
    ),
    "eval": ("evaluate",),
    "test": ("tst", "te", "dtest", "tests", "testset", "teste", "prueba", "prova", "тест", "тесте"),
}  # fmt: skip
#: word -> split.
PLAIN_SPLITS: Mapping[str, str] = {word: split for split, words in PLAIN.items() for word in words}
SPLITS: Mapping[str, str] = {**PLAIN_SPLITS, **{word: split for split, words in TERSE.items() for word in words}}
#: word -> what stands ahead of the name of a metric in a line: some words for validation are left as they were written.
SCOPES: Mapping[str, str] = {w: w if w in ("valid", "validation", "dev") else s for w, s in PLAIN_SPLITS.items()}
#: All plain words, as one choice of a regular expression, and those of data that training does not see.
ANY_SPLIT = "|".join(PLAIN_SPLITS)
UNSEEN_SPLIT = "|".join(word for split in ("val", "eval", "test") for word in PLAIN[split])
#: In small letters, with a capital, in capitals: `trainLoss` says a split, and so does `Train loss`.
_SPELLED = "|".join(f"{w}|{w.title()}|{w.upper()}" for w in sorted(PLAIN_SPLITS, key=len, reverse=True) if w.isascii())
_SCOPED = late_regex(rf"(?:^|[^A-Za-z])(?:{_SPELLED})(?![a-z])")


def has_scope(key: str) -> bool:
    """Whether the key itself says train, validation or test."""
    return _SCOPED.search(key if key.isascii() else in_english(key)) is not None


def scope_of(words: str) -> str:
    """The scope that one of these words names ("" for none), as it was written."""
    for word in re.findall(r"[A-Za-z]+", words if words.isascii() else in_english(words)):
        if word.lower() in SCOPES:
            return SCOPES[word.lower()]
    return ""


def split_of(word: str) -> str:
    """The split that one word by itself means, in any language ("validering"), "" for none."""
    low = word.lower()
    if low in SPLITS:
        return SPLITS[low]
    said = in_english(without_accents(low))
    return said if said in ("train", "val", "test") else ""
