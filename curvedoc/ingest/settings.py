"""Canonical settings (lr, batch_size, num_classes ...) out of the raw keys of a run's configuration."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from curvedoc.ingest.signals import Setting, Signals, plain
from curvedoc.model import Scalar

_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")
_TRUE = frozenset(("true", "yes", "on", "y", "enabled"))
_FALSE = frozenset(("false", "no", "off", "n", "none", "null", "disabled", ""))
#: How many parts of a dotted key are compared together.
_MAX_PARTS = 3
#: What W&B keeps of the last values logged: results, not settings.
_RESULTS = "summary."


def settings_of(config: Mapping[str, Scalar], table: Signals) -> dict[str, Scalar]:
    """The settings that the configuration states, in the order of signals.yaml, and what follows from them.

    Of several keys for one setting the one on the shortest path wins (lr before optimizer.lr before head.lr), then the
    one that stands first in signals.yaml. Values that cannot be the thing (num_classes: 0) are left out.
    """
    paths = [([plain(p) for p in k.split(".")], v) for k, v in config.items() if not k.startswith(_RESULTS)]
    out: dict[str, Scalar] = {}
    for setting in table.settings:
        value = _best(paths, setting, table.asides)
        if value is not None:
            out[setting.name] = value
    _imply(out, table)
    _derive(out)
    return out


def _best(paths: list[tuple[list[str], Scalar]], setting: Setting, asides: frozenset[str]) -> Scalar | None:
    best: tuple[tuple[int, int, int], Scalar] | None = None
    for at, (parts, raw) in enumerate(paths):
        for take in range(min(_MAX_PARTS, len(parts)), 0, -1):
            if asides.intersection(parts[:-take]):
                break
            key = "_".join(parts[-take:])
            order = setting.keys.get(key)
            value = None if order is None else _value(raw, setting)
            if value is None and key in setting.flags:
                on = _flag(raw)
                order, value = len(setting.keys), (setting.flags[key] if on else None)
            if value is not None and order is not None:
                rank = (len(parts) - take, order, at)
                if best is None or rank < best[0]:
                    best = (rank, value)
                break
    return None if best is None else best[1]


def _value(raw: Scalar, setting: Setting) -> Scalar | None:
    if setting.kind == "number":
        number = _number(raw)
        return number if number is not None and number > setting.above else None
    if setting.kind == "flag":
        return _flag(raw)
    if setting.kind == "choice":
        if isinstance(raw, bool):
            return None
        return setting.choices.get(plain(str(raw)))
    if isinstance(raw, bool):
        return None
    text = str(raw).strip().lower()
    return text if text and text not in ("none", "null") and len(text) <= 300 else None


def _number(raw: Scalar) -> int | float | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str):
        text = raw.strip().replace("_", "")
        if _THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        try:
            raw = int(text) if text.lstrip("+-").isdecimal() and len(text) < 19 else float(text)
        except ValueError:
            return None
    if isinstance(raw, float):
        if not math.isfinite(raw):
            return None
        # 64.0 of a float column is the 64 that was meant
        return int(raw) if raw.is_integer() and abs(raw) < 1e15 else raw
    return raw


def _flag(raw: Scalar) -> bool | None:
    """true, 1, 0.1, "yes", a path: on; false, 0, "none", "": off; None for NaN."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int | float):
        return None if raw != raw else raw > 0
    text = raw.strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    number = _number(text)
    return number > 0 if number is not None else True


def _imply(out: dict[str, Scalar], table: Signals) -> None:
    for key, cases in table.implies.items():
        name = plain(str(out.get(key, "")).rsplit("/", 1)[-1])
        for setting, value in cases.get(name, {}).items():
            out.setdefault(setting, value)


def _derive(out: dict[str, Scalar]) -> None:
    """Lengths that follow from others: steps per epoch, steps in all, warm-up steps. A warm-up below 1 is a ratio."""
    warm = out.get("warmup_steps")
    if isinstance(warm, float) and 0 < warm < 1:
        out.setdefault("warmup_ratio", out.pop("warmup_steps"))
    steps, epochs, per = (_positive(out, k) for k in ("max_steps", "epochs", "steps_per_epoch"))
    size, batch = _positive(out, "train_size"), _positive(out, "batch_size")
    if per is None and steps and epochs and epochs >= 1 and steps >= epochs:
        per = steps / epochs
    elif per is None and size and batch and batch <= size:
        per = float(math.ceil(size / batch))
    if per is not None and "steps_per_epoch" not in out:
        out["steps_per_epoch"] = _whole(per)
    if steps is None and per and epochs:
        steps = per * epochs
        out["max_steps"] = _whole(steps)
    ratio, warm_epochs = _positive(out, "warmup_ratio"), _positive(out, "warmup_epochs")
    if "warmup_steps" not in out and ratio and ratio <= 1 and steps:
        out["warmup_steps"] = _whole(ratio * steps)
    elif "warmup_steps" not in out and warm_epochs and per:
        out["warmup_steps"] = _whole(warm_epochs * per)


def _positive(out: Mapping[str, Scalar], key: str) -> float | None:
    value = out.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() else round(value, 3)
