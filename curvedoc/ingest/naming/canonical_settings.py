"""Canonical settings (lr, batch_size, num_classes ...) out of the raw keys of a run's configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar
from curvedoc.ingest.naming.signals import SettingKeys, Signals, plain

_THOUSANDS = late_regex(r"\d{1,3}(,\d{3})+")
_TRUE = frozenset(("true", "yes", "on", "y", "enabled"))
_FALSE = frozenset(("false", "no", "off", "n", "none", "null", "disabled", ""))
#: How many parts of a dotted key are compared together.
_MAX_PARTS = 3
#: A setting, and the words of a key that may state it with the number of parts before them, more words first.
Meaning = tuple[SettingKeys, tuple[tuple[str, int], ...]]
#: What W&B keeps of the last values logged: results, not settings.
_RESULTS = "summary."


def settings_of(config: Mapping[str, Scalar], table: Signals) -> dict[str, Scalar]:
    """The settings that the configuration states, in the order of signals.yaml, and what follows from them.

    Of several keys for one setting the one on the shortest path wins (lr before optimizer.lr before head.lr), then the
    one that stands first in signals.yaml. Values that cannot be the thing (num_classes: 0) are left out.
    """
    best: dict[str, tuple[tuple[int, int, int], Scalar]] = {}
    for at, (key, raw) in enumerate(config.items()):
        for setting, takes in () if key.startswith(_RESULTS) else _meanings(key, table):
            found = next((f for f in (_taken(raw, setting, *take) for take in takes) if f is not None), None)
            if found is not None:
                rank = (*found[0], at)
                if setting.name not in best or rank < best[setting.name][0]:
                    best[setting.name] = (rank, found[1])
    out = {s.name: best[s.name][1] for s in table.settings if s.name in best}
    _imply(out, table)
    _derive(out)
    return out


def _meanings(key: str, table: Signals) -> tuple[Meaning, ...]:
    """The settings that a key may state, each with the ways to read its path; remembered in the table."""
    at = ("config", key)
    if at not in table.memo:
        parts = [plain(p) for p in key.split(".")]
        ways: list[tuple[str, int]] = []
        for take in range(min(_MAX_PARTS, len(parts)), 0, -1):
            if table.asides.intersection(parts[:-take]):
                break
            ways.append(("_".join(parts[-take:]), len(parts) - take))
        every = ((s, tuple(w for w in ways if w[0] in s.keys or w[0] in s.flags)) for s in table.settings)
        table.memo[at] = tuple((s, takes) for s, takes in every if takes)
    found: tuple[Meaning, ...] = table.memo[at]
    return found


def _taken(raw: Scalar, setting: SettingKeys, key: str, depth: int) -> tuple[tuple[int, int], Scalar] | None:
    """What a key's last words say of the setting: how far down the path and in its names they stand, and the value."""
    order = setting.keys.get(key)
    value = None if order is None else _value(raw, setting)
    if value is None and key in setting.flags:
        order, value = len(setting.keys), setting.flags[key] if _flag(raw) else None
    return None if value is None or order is None else ((depth, order), value)


def _value(raw: Scalar, setting: SettingKeys) -> Scalar | None:
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
