"""Runs whose loss was guessed: judged all the same, but never lost and never healthy on a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curvedoc.core.diagnosis import Finding, Verdict
from curvedoc.core.run import RoleMatch, Run

#: Findings of these severities are lowered where they rest on a guessed metric.
_GRAVE = ("fatal", "error")


def guessed_loss(run: Run) -> RoleMatch | None:
    """The metric that was taken for the loss by its values alone; None where the loss is known, or none was found."""
    best = next(iter((*run.matches("loss"), *run.matches("val_loss"))), None)
    return best if best is not None and best.trust == "guess" else None


def lowered(run: Run, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, those that rest on guessed metrics as warnings at most; what a text says keeps its severity."""
    guessed = {m.metric for m in run.roles if m.trust == "guess"}
    if not guessed:
        return tuple(findings)
    return tuple(
        replace(f, severity="warning") if f.metric in guessed and f.severity in _GRAVE else f for f in findings
    )


def doubted(run: Run, result: Verdict, headline: str) -> tuple[Verdict, str]:
    """The verdict and its sentence with the guess said: a healthy curve that may not be the loss proves nothing."""
    match = guessed_loss(run)
    if match is None or result not in ("healthy", "warning"):
        return result, headline
    condition = f"if {match.metric} is the {'loss' if match.role == 'loss' else 'validation loss'}"
    told = f"--map {match.role}={match.metric} says so"
    if result == "healthy":
        return "inconclusive", f"No known name of a loss; {condition}, no problem was found ({told})."
    return result, f"{condition[0].upper()}{condition[1:]}: {headline[0].lower()}{headline[1:].rstrip('.')} ({told})."
