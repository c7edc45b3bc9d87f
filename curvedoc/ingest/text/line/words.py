"""What the words of a log line mean: counters, units, prose."""

from __future__ import annotations

import re

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.languages import SIGNS
from curvedoc.ingest.naming.log_words import MORE_EPOCHS, MORE_STEPS, is_outcome, is_rate
from curvedoc.ingest.naming.split_words import SCOPES
from curvedoc.ingest.naming.word_set import word_set

#: Counters that mean an optimizer step, by the last word of the key (lower case, `_` and `-` as blanks).
STEP_WORDS = (
    "global step", "step", "steps", "iteration", "iterations", "iter", "iters", "num updates", "updates", "update",
    "upd", "iterate", "niter", "n iter", "nit",
    "global batch", "trainer/global step", "current steps", "iter num", "total timesteps", "num timesteps", "timesteps",
    "timestep", "example counter", "total t",
    *MORE_STEPS,
)  # fmt: skip
#: What stands between a count and its total ("epoch 2 of 50"), in other languages too.
OF = frozenset({"of", "de", "di", "von", "sur", "su", "van", "av", "af", "из", "dari", "z"})
#: Counters that may start again in each epoch.
INNER_WORDS = (
    "批次",
    "批",
    "バッチ",
    "батч",
    "lote",
    "batch",
    "it",
    "minibatch",
    "mini batch",
    "batch idx",
    "batch id",
    "batch index",
    "batch no",
    "batch num",
    "micro step",
    "ba",
    "client",
)
EPOCH_WORDS = (
    "epoch", "epochs", "epoches", "round", "episode", "sweep", "pass", "generation", "training iteration", *MORE_EPOCHS,
)  # fmt: skip

_PROSE = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "at",
        "on",
        "for",
        "with",
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "took",
        "over",
        "after",
        "before",
        "from",
        "by",
        "than",
        "then",
        "so",
        "this",
        "that",
        "it",
        "its",
        "into",
        "using",
        "use",
        "used",
        "saved",
        "saving",
        "save",
        "loaded",
        "loading",
        "load",
        "found",
        "done",
        "wrote",
        "writing",
        "written",
        "be",
        "been",
        "has",
        "have",
        "had",
        "no",
        "not",
        "reached",
        "finished",
        "completed",
        "started",
        "starting",
        "resuming",
        "resumed",
        "epochs",
        "until",
        "per",
        "which",
        "will",
        "every",
        "when",
        "while",
        "if",
        "as",
        "seen",
        "skipping",
    ]
)
#: "The loss so far is", "the loss now is"
_BY_NOW = frozenset({"so", "far", "now", "currently", "yet"})
#: "The loss has fallen to", "comes to"
_MOVES = word_set(
    "has have fallen fell falls dropped drops risen rose rises went goes gone came comes come down up got gets sank"
)
#: Words ahead of a counter that belong to one sentence with it, and those by which it is a setting or another's.
_SENTENCE = 6
_OF_SETTINGS = frozenset({
    "total", "max", "maximum", "min", "num", "number", "n", "warmup", "last", "best", "until", "per", "every", "each",
    "to", "from", "resume", "resuming", "resumed", "decay", "save", "log", "print", "patience", "since", "previous",
})  # fmt: skip
#: What stands between an outcome and its number in a sentence, and what may stand ahead of it.
SPEAKS = frozenset({
    "is", "was", "of", "are", "to", "at", "now", "equals", "is equal to", "equal to", "reached", "became",
})  # fmt: skip
_ALSO = frozenset({"current", "average", "mean", "final", "its", "our", "your", "got", "gives", "gave", "complete"})
#: Words that no metric's name holds, even before a colon.
_RUNNING = frozenset(
    [
        "at",
        "to",
        "from",
        "with",
        "and",
        "is",
        "the",
        "a",
        "was",
        "by",
        "than",
        "into",
        "using",
        "will",
        "be",
        "then",
        "are",
        "have",
        "has",
    ]
)

_UNITS = late_regex(
    r"^(?:(?:[mu]?s)/(?:step|it|iter|epoch|batch)|%|ms|us|µs|ns|s|secs?|seconds?|mins?|minutes?|m|h|hrs?|hours?|[KMGT]i?B|B|it/s"
    r"|/s|/sec|dB|px|pixels?|fps|FPS|deg|nats|bits|tok/s|tokens/s|samples/s|imgs?/s|GB/s|W|x|k|K|M|G|T|TFLOPs?|GFLOPs?|examples/s|steps/s)(?=$|[^\w=])"
)
#: Unit -> (dimension, factor to the base unit); values of one metric are brought to the unit it was first logged in.
SCALES: dict[str, tuple[str, float]] = {
    "ns": ("s", 1e-9), "us": ("s", 1e-6), "µs": ("s", 1e-6), "ms": ("s", 1e-3), "s": ("s", 1.0), "sec": ("s", 1.0),
    "secs": ("s", 1.0), "second": ("s", 1.0), "seconds": ("s", 1.0), "min": ("s", 60.0), "mins": ("s", 60.0),
    "m": ("s", 60.0), "h": ("s", 3600.0), "hr": ("s", 3600.0), "hours": ("s", 3600.0),
    "KB": ("B", 1e3), "MB": ("B", 1e6), "GB": ("B", 1e9), "TB": ("B", 1e12),
    "KiB": ("B", 2.0**10), "MiB": ("B", 2.0**20), "GiB": ("B", 2.0**30), "TiB": ("B", 2.0**40),
    "k": ("", 1e3), "K": ("", 1e3), "M": ("", 1e6), "G": ("", 1e9), "T": ("", 1e12),
}  # fmt: skip

#: How many of something a second.
_RATE = late_regex(r"(?![KMGT]?i?B/)[A-Za-z]+/s(?:ec)?")

KEY = late_regex(rf"[^\W\d_][\w./@+\-()%\[\]^ #&↑↓'µ{SIGNS}]{{0,119}}|_\w{{1,60}}")


def unit_of(tail: str) -> str:
    """The unit that the text right after a number begins with, "" for none."""
    m = _UNITS.match(tail)
    return m.group() if m else ""


def unit_apart(tail: str) -> str:
    """The unit that follows a number after one blank, where nothing but a delimiter comes after it."""
    if not tail.startswith(" "):
        return ""
    unit = unit_of(tail[1:])
    after = tail[1 + len(unit) :]
    ends = after.lstrip(" ")[:1] in ("", "|", ",", ";", ")", "]") or after.startswith(". ")
    return unit if unit and ends else ""


def of_head(said: list[str], headed: bool) -> list[str]:
    """The words that tell what a head of a line ("joint dev:") is: of a few ending in a split that one, else all."""
    few = headed and 1 < len(said) <= _SENTENCE // 2 and said[-1].lower() in SCOPES
    return said[-1:] if few and not any(is_prose(w) or w.lower() in ("best", "so", "far") for w in said) else said


def pace(gap: str, tail: str) -> str:
    """What a number measures that stands alone between bars or commas with a unit of speed behind it: the unit of a
    rate ("| 4803 tok/s"), or the time of a step ("| 120.3 ms |"); "" for anything else."""
    within_bar = gap.rstrip(" ")[-1:] != "|" and not tail.startswith(" ")  # "[00:01<00:02, 45.1it/s, loss=2.3]"
    unit = "" if within_bar else _of_cell(gap, tail)
    return unit if _RATE.fullmatch(unit) else "time per step" if unit == "ms" else ""


def took(gap: str, tail: str) -> bool:
    """Whether a number stands alone between bars or commas as the time that something took ("| 12.3s |")."""
    return SCALES.get(_of_cell(gap, tail), ("", 0.0))[0] == "s"


def _of_cell(gap: str, tail: str) -> str:
    """The unit of a number that stands alone between bars or commas, "" for none or at the end of a progress bar."""
    ahead = gap.rstrip(" ")
    if ahead[-1:] not in ("|", ",", ";") or ahead.endswith("||"):
        return ""
    unit = unit_apart(tail)
    behind = tail[1 + len(unit) :] if unit else tail[len(unit_of(tail)) :]
    unit, behind = unit or unit_of(tail), behind.lstrip(" ")[:1]
    return unit if behind in ("", "|", ",", ";") else ""


def spoken(key: str) -> str:
    """The outcome that running text tells of right before its number ("the loss is", "a loss of"), "" for none."""
    parts = key.split()
    if len(parts) < 2 or parts[-1].lower() not in SPEAKS:
        return ""
    told = parts[:-1]
    while len(told) > 1 and (
        told[-1].lower() in _BY_NOW
        or (parts[-1] == "to" and told[-1].lower() in _MOVES)
        or (parts[-1].lower() in _BY_NOW and told[-1] in ("is", "was"))
    ):
        told.pop()
    while told and (is_prose(told[0]) or told[0].lower() in _ALSO):
        told.pop(0)
    named = " ".join(told)
    return (
        named
        if told and len(told) <= 4 and not any(is_prose(w) for w in told) and (is_outcome(named) or is_rate(named))
        else ""
    )


def counted_in(key: str) -> str:
    """The counter at the end of a sentence that is none by itself ("Saved the model at epoch"), "" for none."""
    *told, last = key.split() or [""]
    counts = last.lower() in ("epoch", "step", "iteration", "iter", "episode", "round")
    sentence = (
        0 < len(told) <= _SENTENCE and all(w.isalpha() for w in told) and _OF_SETTINGS.isdisjoint(key.lower().split())
    )
    return last if counts and sentence else ""


def prose_words(text: str) -> int:
    """How many words of running text there are (units, scopes and single letters do not count)."""
    words = re.findall(r"[A-Za-z]{2,}(?:'[a-z]+)?", text)
    return sum(1 for w in words if w.lower() not in SCOPES and not unit_of(w))


def is_prose(key: str) -> bool:
    """Whether any word of the key belongs to running text rather than to a metric's name."""
    return any(w in _PROSE for w in key.lower().split())


def is_running(key: str) -> bool:
    """Whether the key is running text or a path although a colon follows it."""
    return key.count("/") > 4 or "//" in key or any(w in _RUNNING for w in key.lower().split())
