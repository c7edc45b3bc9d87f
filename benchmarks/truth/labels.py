"""What a correct diagnosis of a run is: symptoms, causes that this log cannot tell apart, whether the fault shows."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.truth.effect import column, finite, scatter, tail
from benchmarks.truth.logs.written import Log

#: Groups of symptoms and causes, and what each fault shows and means.
_DATA = tomllib.loads((Path(__file__).parent / "answers.toml").read_text())
GROUPS: Mapping[str, str] = _DATA["groups"]


def words(text: str) -> list[str]:
    """The words of a text, groups written out."""
    return [w for word in text.split() for w in (words(GROUPS[word]) if word in GROUPS else [word])]


@dataclass(frozen=True)
class Answer:
    """Accepted symptoms and causes, the effects (effect.py) any of which shows the fault, and what else is no error."""

    symptoms: tuple[str, ...]
    causes: tuple[str, ...]
    seen: tuple[str, ...]
    fine: tuple[str, ...] = ()


ANSWERS = {k: Answer(**{name: tuple(words(text)) for name, text in v.items()}) for k, v in _DATA["faults"].items()}
STUCK, OVERFIT = words("STUCK"), words("OVERFIT")
#: What no diagnosis may say of curves alone, and of a healthy run.
NEVER = words(_DATA["never"]["always"])
SICK = words(_DATA["never"]["healthy"])


def undecided(fault: str, level: float, log: Log, seen: set[str], flat: bool) -> list[str]:
    """Causes that this very log cannot tell from the fault, beside those that no log can."""
    row = log.rows[0]
    gradient = "grad_norm" in row or any(k.startswith("gradients/") for k in row)
    weights = "weight_norm" in row or any(k.startswith("weights/") for k in row)
    out: list[str] = []
    if fault in [*STUCK, "bad-init", "epsilon-too-large"] and flat and not gradient and not weights:
        out += STUCK + (["bad-init"] if fault in ("shrinking-gradients", "dead-relu", "bad-init") else [])
    elif (
        fault in ("optimizer-not-connected", "lr-zero", "lr-too-low", "epsilon-too-large")
        and flat
        and not (gradient and weights)
    ):
        out += ["optimizer-not-connected", "lr-zero", "lr-too-low"] + (
            [] if gradient else ["frozen-layers", "detached-graph"]
        )
    elif fault in ("dead-relu", "bad-init", "shrinking-gradients") and flat:
        out += ["dead-relu", "bad-init", "shrinking-gradients"]
    if "lr" in row and fault != "lr-zero":
        out = [c for c in out if c != "lr-zero"]
    if "lr" in row and fault == "lr-zero":
        out = ["lr-zero"]
    if fault in ("frozen-layers", "detached-graph", "dead-relu") and not flat and "layers" not in seen:
        out += ["capacity-too-low", "lr-too-low", "undertrained"]
    if fault in ("optimizer-not-connected", "lr-zero") and gradient and weights and "lr" not in row:
        out += ["optimizer-not-connected", "lr-zero"]
    if fault in ("label-noise", "label-mismatch") and "val-worse" in seen and "poor" not in seen:
        out += OVERFIT
    if fault == "label-noise" and "poor" in seen and "val-worse" not in seen:
        out += ["capacity-too-low", "over-regularization"]
    if fault == "label-mismatch" and "val-worse" in seen:
        out += ["distribution-shift", "preprocessing-mismatch"]
    if fault == "premature-decay" and "lr" not in row:
        out += ["capacity-too-low", "lr-too-low"]
    if fault == "wrong-loss-function" and seen & {"poor"}:
        out += ["lr-too-high"]
    if fault == "over-regularization" and flat:
        out += ["lr-too-low", "label-mismatch"]
    if fault == "fp16-overflow" and "scale" not in seen:
        out += ["numerical-instability"] + ([] if "gradient" in seen else ["premature-decay", "capacity-too-low"])
    return out


def true_of(log: Log) -> list[str]:
    """What a strict eye may say of any of these curves, healthy or not."""
    out = ["noise-growth", "weight-norm-growth", "slow-convergence", "val-better-than-train", "warmup-missing"]
    val, loss = finite(column(log.evaluations, "val_loss")), finite(column(log.rows, "loss"))
    if len(val) > 3 and loss:
        end, low = median(tail(val, 0.15)), min(val)
        rise, grain = end - low, scatter(val)
        if rise > 2 * grain and rise > 0.03 * abs(low):
            out += ["overfitting", "generalization-gap"]
        if end - median(tail(loss, 0.2)) > 0.3 * abs(median(tail(loss, 0.2))):
            out += ["generalization-gap"]
        if grain > 0.05 * (max(val) - low):
            out += ["noisy-validation"]
    if loss and scatter(loss) > 0.15 * (max(loss) - min(loss)):
        out += ["oscillation", "loss-spike-recovered"]
    return out


def label(fault: str, level: float, log: Log, seen: set[str], last_step: int, onset: int | None) -> dict[str, Any]:
    """The label of a run, but for its name."""
    loss = finite(column(log.rows, "loss")) or [0.0]
    fine = true_of(log)
    if fault == "none":
        return {
            "fault": "none", "family": "healthy", "benign": True, "manifested": False, "accept_symptoms": [],
            "also_fine": sorted(set(fine)), "forbidden": [*NEVER, *SICK], "accept_causes": [], "strict_causes": [],
            "onset_step": None, "last_step": last_step, "note": "healthy",
        }  # fmt: skip
    answer = ANSWERS[fault]
    moved = abs(median(tail(loss, 0.1)) - median(loss[: max(1, len(loss) // 10)]))
    flat = moved < 0.05 * abs(loss[0]) + 2 * scatter(loss)
    manifested = bool(seen & set(answer.seen))
    benign = fault == "restarted-run"
    accept = list(answer.symptoms)
    causes = list(dict.fromkeys([*answer.causes, *undecided(fault, level, log, seen, flat)]))
    also = sorted({*fine, *answer.fine, "vanishing-gradients", "update-ratio-unhealthy"} - set(accept))
    return {
        "fault": fault, "family": fault, "benign": benign, "manifested": manifested,
        "accept_symptoms": accept if manifested else [], "also_fine": also if manifested else sorted({*also, *accept}),
        "forbidden": [f for f in NEVER if f not in accept], "accept_causes": causes if manifested else [],
        "strict_causes": list(answer.causes[:1]), "onset_step": onset, "last_step": last_step,
        "note": f"{fault} {level:g}", "seen": sorted(seen),
    }  # fmt: skip
