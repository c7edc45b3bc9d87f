"""Canonical settings (lr, batch_size, num_classes ...) out of the raw keys of a run's configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping

from curvedoc.ingest.signals import Setting, Signals, plain
from curvedoc.model import Scalar

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
        value = _best(paths, setting)
        if value is not None:
            out[setting.name] = value
    _imply(out, table)
    _derive(out)
    return out


def _best(paths: list[tuple[list[str], Scalar]], setting: Setting) -> Scalar | None:
    best: tuple[tuple[int, int, int], Scalar] | None = None
    for at, (parts, raw) in enumerate(paths):
        for take in range(min(_MAX_PARTS, len(parts)), 0, -1):
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
        text = raw.strip().replace("_", "").replace(",", "")
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
    """steps_per_epoch, from the length in steps and in epochs, or from the size of the data set."""
    if "steps_per_epoch" in out:
        return
    steps, epochs = out.get("max_steps"), out.get("epochs")
    size, batch = out.get("train_size"), out.get("batch_size")
    if isinstance(steps, int | float) and isinstance(epochs, int | float) and epochs >= 1 and steps >= epochs:
        out["steps_per_epoch"] = steps / epochs if steps % epochs else int(steps // epochs)
    elif isinstance(size, int | float) and isinstance(batch, int | float) and 1 <= batch <= size:
        out["steps_per_epoch"] = math.ceil(size / batch)
