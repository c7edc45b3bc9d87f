"""The rules that would have stopped a run, in words and as code for a training loop."""

from __future__ import annotations

from curvedoc.core.abort_rule import AbortRule
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.numbers import spelled
from curvedoc.report import words

_NORM = """from collections import deque
from statistics import median

norms = deque(maxlen={window})

def stop(grad_norm):  # once a step, before optimizer.step()
    high = len(norms) >= 10 and grad_norm > {factor} * median(norms)
    norms.append(grad_norm)
    return high"""
_LOSS = """best, high = float("inf"), 0

def stop(loss):  # whenever the loss is logged
    global best, high
    high = high + 1 if not loss <= {factor} * best else 0
    best = min(best, loss)
    return high >= {window}"""
_BAD = """import math

def stop(loss):  # every step
    return not math.isfinite(loss)"""
_CODE = {"grad-norm": _NORM, "loss": _LOSS, "non-finite": _BAD}


def told(rule: AbortRule, run: RunDiagnosis) -> str:
    """`A gradient norm over 20 times its median stops it at step 291: 1,105 steps, 8.1 h saved.`"""
    factor = spelled(rule.factor, ".3g")
    what = {
        "grad-norm": f"a gradient norm over {factor} times its median of {rule.window} values",
        "loss": f"a loss over {factor} times its best for {rule.window} values",
        "non-finite": "a loss of NaN or Inf",
    }.get(rule.kind, rule.kind)
    hours = rule.hours_saved or 0.0
    time = f", {words.hours(hours)}" if hours >= words.SHOWN_HOURS else ""
    known = run.facts.get("ranks")
    ranks = known.value if known is not None and isinstance(known.value, int | float) else 1
    gpus = f", {hours * ranks:,.0f} GPU-hours" if ranks > 1 and hours * ranks >= 1 else ""
    saved = f"{words.count(rule.steps_saved, words.unit(run.axis))}{time}{gpus} saved"
    return f"{words.cap(what)} stops it at {words.unit(run.axis)} {rule.step:,}: {saved}."


def code(rule: AbortRule) -> str:
    """The rule as a few lines of Python."""
    text = _CODE.get(rule.kind, "")
    return text.replace("{factor}", spelled(rule.factor, ".3g")).replace("{window}", str(rule.window))
