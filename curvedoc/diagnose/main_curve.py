"""The curve that leads: the one a run is known by."""

from __future__ import annotations

from curvedoc.core.diagnosis import Curve, RunDiagnosis


def main_curve(run: RunDiagnosis) -> Curve | None:
    """The curve that stands for a run in one small picture: its loss where it has one, a sound policy's reward."""
    # the loss of a policy rises and falls whatever is learned; where it fails, the loss may be what shows it
    first = ("reward",) if run.verdict in ("healthy", "ended-early", "inconclusive") else ()
    for role in (*first, "loss", "val_loss", "accuracy", "val_accuracy"):
        for curve in run.curves:
            if curve.role == role and curve.step:
                return curve
    return next((c for c in run.curves if c.step), None)
