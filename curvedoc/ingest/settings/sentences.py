"""Settings that a sentence names: "Adam lr=3e-7, batch size 8", "creating model 'net' (10 classes)"."""

from __future__ import annotations

import re

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar
from curvedoc.ingest.settings.flatten import scalar

#: Names that mean a setting of a training wherever they stand before a number; words that mean many things
#: (eps, steps, reg, and momentum, which layers have too) are settings on lines of their own only.
_KEYS = (
    r"(?:(?:max|base|peak|initial|init)[ _-]?)?(?:lr|learning[ _-]?rate)(?:[ _-](?:init|max))?"
    r"|(?:train[ _-]?)?(?:mini[ _-]?)?batch[ _-]?size"
    r"|weight[ _-]?decay|wd|dropout(?:[ _-](?:rate|prob|p))?|label[ _-]smoothing"
    r"|(?:grad(?:ient)?|norm)[ _-]?clip(?:ping)?(?:[ _-](?:norm|val|value))?|clip[ _-]?(?:grad[ _-]?)?norm"
    r"|max[ _-]grad[ _-]norm|warm-?up[ _-](?:steps|iters|epochs)"
    r"|(?:num|n)[ _-]?classes|classes"
)
_VALUE = r"\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"
#: A share of hundred, a range or a longer word is another thing; so is "warmup lr" or the rate of one part.
_SAID = late_regex(
    rf"(?i)(?:\b([a-z]+) )?(?<![\w./-])({_KEYS})(?: ?[:=] ?|[ (]| of | is )({_VALUE})(?![\w%]|\.\d|[-/]\d)"
)
#: Classes of one task among several are not those of the model.
_COUNTED = late_regex(r"(?i)(?<![\w.,/-])(?<!x )(\d{1,6}) classes\b(?! each| per)")
#: Words before a name that make it the setting of something else.
_OF_ANOTHER = frozenset(
    ("warmup", "min", "final", "end", "backbone", "head", "critic", "actor", "teacher", "test", "eval", "no", "new")
)
_WORDS = ("lr", "rate", "batch", "decay", "wd", "dropout", "smoothing", "clip", "norm", "warm", "classes")
#: Lines of running text that are looked at, and so many of them that name a setting.
_HEAD, _MOST = 5_000, 500


def announced(lines: pl.DataFrame) -> dict[str, Scalar]:
    """What sentences before the first record say of settings; what is said in two ways is left out.

    lines: text
    """
    text = lines["text"].head(_HEAD)
    if not len(text):
        return {}
    text = text.filter(text.str.contains_any(list(_WORDS), ascii_case_insensitive=True)).head(_MOST)
    said: dict[str, set[Scalar]] = {}
    for line in text.to_list():
        for before, key, value in _SAID.findall(line):
            if before.lower() not in _OF_ANOTHER:
                _add(said, key, value)
        for value in _COUNTED.findall(line):
            _add(said, "num_classes", value)
    return {key: next(iter(values)) for key, values in said.items() if len(values) == 1}


def _add(said: dict[str, set[Scalar]], key: str, text: str) -> None:
    value = scalar(text)
    if value is not None:
        name = re.sub(r"[ -]", "_", key.lower())
        said.setdefault("num_classes" if name.endswith("classes") else name, set()).add(value)
