"""A Difference as text and as JSON. Secrets of configurations are masked in both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from curvedoc.core.run import Scalar
from curvedoc.diagnose.siblings.difference import Difference, OnlyIn, SettingDifference, SignalDifference
from curvedoc.report.escape import clip, visible
from curvedoc.report.redact import kept_setting, redact
from curvedoc.report.words import VERDICTS, count, run_name, step, value
from curvedoc.serialize.dataclass_json import to_plain

#: Signals and settings listed before the rest is a count.
SHOWN = 12
#: Characters of one configuration value.
WIDE = 48
#: Standard errors from which two ends are told apart.
CLEAR = 4.0


def to_json(d: Difference) -> str:
    """One JSON document: sorted keys, null for non-finite, ends with a newline."""
    a, b = (redact(text) for text in d.headlines)
    found_a, found_b = (tuple(replace(f, title=redact(f.title)) for f in found) for found in d.findings)
    shown = replace(d, settings=tuple(map(_masked, d.settings)), headlines=(a, b), findings=(found_a, found_b))
    document = to_plain(shown)
    document["first_difference"] = None if d.first is None else d.first.first
    document["parting_step"] = None if d.parted is None else d.parted.parting
    return json.dumps({"schema": "curvedoc-diff/1", **document}, sort_keys=True, allow_nan=False, indent=1) + "\n"


def to_text(d: Difference, everything: bool = False) -> str:
    """What differs, the first step first; everything: no list is cut."""
    a, b = _shown_names(d)
    out = [f"A  {a}: {_verdict(d, 0)}", f"B  {b}: {_verdict(d, 1)}", "", opening(d), ""]
    if d.signals:
        out.append(f"{'signal':28} {'common':>7} {'differs':>9} {'parts':>9} {'end of A':>10} {'end of B':>10}  apart")
        listed = d.signals if everything else [s for s in d.signals if s.first is not None or s.role][:SHOWN]
        out += [_signal(s) for s in listed]
        out += _more(len(d.signals) - len(listed), "signal")
        out.append("Ends are levels over the last quarter of the common finite steps.")
    for side, names in zip("AB", d.unshared, strict=True):
        if names:
            shown = names if everything else names[:SHOWN]
            rest = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
            out.append(f"only {side} logged  {', '.join(visible(n) for n in shown)}{rest}")
    out += ["", *_settings(d, everything), "", *_findings(d)]
    return "\n".join(out) + "\n"


def _shown_names(d: Difference) -> tuple[str, str]:
    a, b = (visible(run_name(name)) or "." for name in d.runs)
    return a, b


def _verdict(d: Difference, side: int) -> str:
    return f"{VERDICTS[d.verdicts[side]][1]}. {visible(redact(d.headlines[side]))}"


def opening(d: Difference) -> str:
    """Where the two runs part, in a sentence or two."""
    if not d.signals:
        return "No signal in common."
    if not any(s.steps for s in d.signals):
        a, b = (VERDICTS[v][1].lower() for v in d.verdicts)
        return f"A: {a}, B: {b}. No step in common, so values are not compared one by one."
    order = {True: " Both saw their data in one order.", False: " They saw their data in another order.", None: ""}
    parted, first = d.parted, d.first
    if parted is not None:
        others = sum(s.parting == parted.parting for s in d.signals) - 1
        also = f" and {count(others, 'other signal')}" if others else ""
        at = (
            f" ({value(parted.values[0])} and {value(parted.values[1])})"
            if parted.first == parted.parting and parted.values
            else ""
        )
        return f"The runs part at step {step(parted.parting)}: {_name(parted)}{at}{also}.{order[d.one_order]}"
    if first is not None:
        at = f"first at step {step(first.first)} ({_name(first)})"
        return f"The runs never part: values differ in the last digit only, {at}."
    return "Every common signal is the same at every common step."


def _name(s: SignalDifference) -> str:
    role = f"{s.role} [{s.label}]" if s.label else s.role
    return visible(role or s.metrics[0])


def _signal(s: SignalDifference) -> str:
    ends = ("none", "none") if s.ends is None else (value(s.ends[0]), value(s.ends[1]))
    first = "never" if s.first is None else step(s.first)
    parting = "never" if s.parting is None else step(s.parting)
    if not s.steps:
        first = parting = "-"
    return (
        f"{clip(_name(s), 28):28} {s.steps:7,} {first:>9} {parting:>9} {ends[0]:>10} {ends[1]:>10}  {_apart(s)}"
    ).rstrip()


def _apart(s: SignalDifference) -> str:
    if s.apart is None or s.ends is None or s.first is None:
        return ""
    if s.apart == 0 or s.parting is None:
        return "0" if s.apart == 0 else "0 but for rounding"
    size = max(abs(s.ends[0]), abs(s.ends[1]))
    share = f" ({s.apart / size:+.1%})" if 0 < size < float("inf") else ""
    noise = "" if s.z is None else ", clear of the noise" if abs(s.z) >= CLEAR else ", within the noise"
    return f"{'+' if s.apart > 0 else ''}{value(s.apart)}{share}{noise}"


def _more(rest: int, noun: str) -> list[str]:
    return [f"and {count(rest, f'more {noun}')}; --all lists them"] if rest > 0 else []


def unlogged(settings: Sequence[SettingDifference]) -> int | None:
    """The side, 0 or 1, that logged no setting at all, which is not the same as unset; None where both did."""
    absent = [side for side in (0, 1) if settings and all(s.values[side] is None for s in settings)]
    return absent[0] if absent else None


def _settings(d: Difference, everything: bool) -> list[str]:
    if not d.settings:
        return ["Configurations: no difference."]
    silent = unlogged(d.settings)
    if silent is not None:
        return [f"Configurations: none was logged with {'AB'[silent]}."]
    listed = d.settings if everything else d.settings[: 2 * SHOWN]
    out = [f"Configurations: {count(len(d.settings), 'key differs', 'keys differ')}."]
    for s in listed:
        a, b = (_value(v) for v in _masked(s).values)
        out.append(f"  {clip(visible(s.key), 32):32} {a}  ->  {b}{'' if s.canonical else '  (as logged)'}")
    return out + _more(len(d.settings) - len(listed), "key")


def _masked(s: SettingDifference) -> SettingDifference:
    a, b = (kept_setting(s.key, v) for v in s.values)
    return replace(s, values=(a, b))


def _value(v: Scalar | None) -> str:
    return "absent" if v is None else clip(visible(v), WIDE)


def _findings(d: Difference) -> list[str]:
    out = []
    for side, found in zip("AB", d.findings, strict=True):
        out += [f"Only {side}: {_finding(f)}" for f in found]
    return out or ["Findings: the same in both."]


def _finding(f: OnlyIn) -> str:
    place = "" if f.first_step is None else f" from step {step(f.first_step)}"
    scope = "".join(f" [{visible(v)}]" for v in f.scope.values())
    return f"{f.severity} {f.symptom}{scope}{place}. {visible(redact(f.title))}"
