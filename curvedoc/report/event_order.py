"""The timeline of a run in words: which channel moved first, when and how far."""

from __future__ import annotations

from curvedoc.core.diagnosis import Event, RunDiagnosis
from curvedoc.core.numbers import spelled

#: Channels whose name in a sentence is not the role with its underscores taken out.
_NAMES = {
    "lr": "the learning rate",
    "loss": "the loss",
    "val_loss": "the validation loss",
    "val_accuracy": "the validation accuracy",
    "grad_norm": "the gradient norm",
    "log": "the log",
}


def in_order(run: RunDiagnosis) -> tuple[tuple[str, str], ...]:
    """(where, what) of each event: `("step 1,200", "the gradient norm began to rise, to 340 times its level")`.

    Empty where the run has no timeline, and for a single event, which is no order.
    """
    if len(run.timeline) < 2:
        return ()
    from curvedoc.diagnose.sentence.counter import Counter  # brings polars: a kept answer is told without

    return tuple(
        (f"{Counter(run.axis).noun} {e.step:,}" if e.step >= 0 else "before the first step", _said(e))
        for e in run.timeline
    )


def _said(e: Event) -> str:
    if e.channel == "log":
        return e.what
    name = _NAMES.get(e.channel, f"the {e.channel.replace('_', ' ')}")
    # a rise of less than the digits tell is a rise, and no number
    if e.factor is None or not e.factor > 0 or spelled(e.factor, ".2g") == "1":
        return f"{name} {e.what}"
    if e.factor >= 1:
        return f"{name} {e.what}, to {_times(e.factor)} its level"
    return f"{name} {e.what}, to {spelled(e.factor, '.2g')} of its level"


def _times(factor: float) -> str:
    return f"{spelled(factor, '.0f' if factor >= 20 else '.2g')} times"
