"""The curves of a run that are worth drawing: its rewards and losses, what the findings mark, then the usual ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from curvedoc.core.diagnosis import Curve, Signal
from curvedoc.core.run import Run
from curvedoc.diagnose.thinning import thin

#: Roles that a report draws in any case, and how many metrics of each: what a policy is for, and every data set that is
#: validated on.
ALWAYS = {"reward": 1, "loss": 1, "val_loss": 4, "game_loss": 2}
#: Roles that are drawn beside what the findings mark, in the order of panels.
ALSO = {"accuracy": 1, "val_accuracy": 2, "val_metric": 1, "metric": 1, "grad_norm": 1, "lr": 1, "weight_norm": 1,
        "loss_scale": 1, "memory": 1, "throughput": 1, "step_time": 1, "gpu_utilization": 1}  # fmt: skip
BUCKETS = 420
#: A healthy run is drawn small: its sparkline and one look at its loss.
BUCKETS_HEALTHY = 120
MOST_CURVES = 16


def curves(run: Run, marked: Collection[str], flagged: bool, near: Sequence[int] = ()) -> tuple[Curve, ...]:
    """The curves worth drawing: the losses, every metric that a finding marks, then the usual roles.

    near: where findings begin, the leading one first; rows around them are kept one by one.
    """
    buckets = BUCKETS if flagged else BUCKETS_HEALTHY
    by_metric = {m.metric: m for m in run.roles}
    chosen = {m.metric: (role, m.label) for role, most in ALWAYS.items() for m in run.matches(role)[:most]}
    for metric in marked:
        known = by_metric.get(metric)
        chosen.setdefault(metric, (known.role, known.label) if known else ("", ""))
    for role, most in ALSO.items() if flagged else ():
        for match in run.matches(role)[:most]:
            chosen.setdefault(match.metric, (role, match.label))
    found = ((role, label, run.metric(metric)) for metric, (role, label) in chosen.items())
    drawn = [thin(s, role, label, buckets, near) for role, label, s in found if s is not None and len(s)]
    return tuple(drawn[:MOST_CURVES])


def signals(run: Run) -> tuple[Signal, ...]:
    """Every role as it was found, with the extent of its metric."""
    out = []
    for match in run.roles:
        series = run.metric(match.metric)
        if series is None:
            continue
        finite = series.finite()
        last = float(finite.value[-1]) if len(finite) else None
        out.append(
            Signal(
                match.role, match.metric, len(series), int(series.step[0]), int(series.step[-1]), last, match.label,
                match.why, match.trust,
            )
        )  # fmt: skip
    return tuple(out)
