"""The evaluation as plain tables, which the terminal and the Markdown page both draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curvedoc.evaluate.rates import Rate
from curvedoc.evaluate.run import Evaluation
from curvedoc.evaluate.totals import PLACED, Totals

NONE = "-"


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A titled table; the first column is text, the others are figures."""

    title: str
    about: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def percent(value: float | None) -> str:
    """A share in whole percents.

    >>> percent(0.456), percent(None)
    ('46 %', '-')
    """
    return NONE if value is None else f"{100 * value:.0f} %"


def counted(r: Rate | None) -> str:
    """A rate with its count.

    >>> counted(Rate(3, 4)), counted(Rate(0, 0))
    ('75 % (3/4)', '-')
    """
    return f"{percent(r.value)} ({r.k}/{r.n})" if r is not None and r.n else NONE


def within(r: Rate | None) -> str:
    """The interval of a rate.

    >>> within(Rate(3, 4))
    '30 to 95 %'
    """
    if r is None or r.interval is None:
        return NONE
    low, high = r.interval
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def _share(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.1f} %"


def _figures(t: Totals) -> FigureTable:
    def row(name: str, r: Rate, macro: float | None = None) -> tuple[str, ...]:
        return name, counted(r), within(r), percent(macro)

    hit, top1, top3 = t.macro
    rows = (
        row("fault named (any accepted symptom)", t.hit, hit),
        row("cause first", t.top1, top1),
        row("cause among the first three", t.top3, top3),
        row("false alarm on a healthy run", t.healthy_alarms),
        row("false alarm on a benign peculiarity", t.benign_alarms),
        row("plainly wrong symptom on any run", t.forbidden),
        row("benign peculiarity noticed", t.notices),
        row(f"onset within {percent(PLACED)} of the run", t.onset_placed),
        ("onset error, median, of the run's length", _share(t.onset_median), NONE, NONE),
        ("pathologies named on faults that are right", percent(t.precision), NONE, NONE),
    )
    about = f"{t.units} units; {t.missing} without a result; {t.quiet} faults that did not show are not counted."
    return FigureTable("Figures", about, ("what", "rate", "95 % interval", "mean over families"), rows)


def _calibration(t: Totals) -> FigureTable:
    rows = tuple(
        (f"{100 * b.low:.0f} to {100 * b.high:.0f} %", str(b.right.n), percent(b.said), percent(b.right.value),
         within(b.right))
        for b in t.reliability
    )  # fmt: skip
    error = "-" if t.calibration_error is None else f"{t.calibration_error:.3f}"
    about = f"The leading cause's probability against how often it was right. Expected calibration error {error}."
    return FigureTable("Calibration", about, ("stated", "runs", "mean stated", "right", "95 % interval"), rows)


def _held_out(e: Evaluation) -> FigureTable:
    rows = tuple(
        (r.task or "all tasks", counted(r.right), percent(r.shipped), percent(r.held), _number(r.shipped_error),
         _number(r.held_error), f"{r.shipped_surprise:.2f}", f"{r.held_surprise:.2f}")
        for r in e.held_out
    )  # fmt: skip
    about = (
        "Held out: the two constants that turn a cause's score into its probability, the only ones that a program fits "
        "to labels. Here those of each task are fitted on the other tasks (benchmarks/calibrate.py has the exponent as "
        "well). They change no order of causes. Not held out: rules, thresholds, prior weights and the evidence of "
        "causes, which were written with every task in view; so naming, ranking and false alarms are nowhere on this "
        "page figures for a task that was not seen. Surprise: negative log-likelihood of the accepted causes, per run."
    )
    head = (
        "task",
        "cause first",
        "stated, shipped",
        "stated, held out",
        "error, shipped",
        "error, held out",
        "surprise, shipped",
        "surprise, held out",
    )
    return FigureTable("Held out by task", about, head, rows)


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


def _sensitivities(e: Evaluation) -> FigureTable:
    rows = tuple(
        (f"{s:+g}" if s else "0", counted(t.hit), counted(t.top1), counted(t.healthy_alarms),
         within(t.healthy_alarms), counted(t.benign_alarms), counted(t.forbidden))
        for s, t in e.sensitivities
    )  # fmt: skip
    head = ("sensitivity", "fault named", "cause first", "alarm, healthy", "95 % interval", "alarm, benign", "wrong")
    return FigureTable("False-alarm budget", "What `--sensitivity` buys and costs.", head, rows)


def _symptoms(e: Evaluation) -> FigureTable:
    rows = tuple(
        (r.symptom, r.kind or "no rule", counted(r.itself), within(r.itself), counted(r.any), counted(r.right),
         within(r.right), str(r.alarms), _share(r.onset_median))
        for r in e.symptoms
    )  # fmt: skip
    about = (
        "Recall: of the units that accept it, those where it was named; by any: where any accepted symptom was. "
        "Precision, of pathologies: of the units where it was named, those whose label accepts it or calls it fine."
    )
    head = (
        "symptom",
        "kind",
        "recall",
        "95 % interval",
        "by any",
        "precision",
        "95 % interval",
        "alarms",
        "onset error",
    )
    return FigureTable("Symptoms", about, head, rows)


def _families(e: Evaluation) -> FigureTable:
    rows = tuple((r.family, counted(r.hit), counted(r.top1), counted(r.top3)) for r in e.families)
    return FigureTable("Faults", "By what was injected.", ("fault", "named", "cause first", "cause in three"), rows)


def tables(e: Evaluation) -> tuple[FigureTable, ...]:
    """Every table, in the order it is read; tables without a row are left out."""
    split = [
        FigureTable(
            f"By {by}",
            "",
            (by, "fault named", "cause first", "false alarm"),
            tuple((r.part, counted(r.hit), counted(r.top1), counted(r.alarms)) for r in rows),
        )
        for by, rows in e.parts
    ]
    made = (
        _figures(e.totals),
        _calibration(e.totals),
        _held_out(e),
        _sensitivities(e),
        _families(e),
        _symptoms(e),
        *split,
    )
    return tuple(t for t in made if t.rows)


def mistakes(e: Evaluation) -> tuple[FigureTable, ...]:
    """The single runs that were missed, raised a false alarm or were called something plainly wrong."""

    def words(ids: Sequence[str] | frozenset[str]) -> str:
        return " ".join(sorted(ids) if isinstance(ids, frozenset) else ids) or "nothing"

    missed = tuple(
        (o.unit.name, o.unit.label.family, words(o.unit.label.accept_symptoms), words(o.said))
        for o in e.outcomes
        if o.sort == "fault" and not o.hit
    )
    causes = tuple(
        (o.unit.name, o.unit.label.family, words(o.unit.label.accept_causes), words(o.causes[:3]))
        for o in e.outcomes
        if o.top3 is False
    )
    alarms = tuple((o.unit.name, o.unit.label.family, words(o.alarms)) for o in e.outcomes if o.alarms)
    forbidden = tuple((o.unit.name, o.unit.label.family, words(o.forbidden)) for o in e.outcomes if o.forbidden)
    made = (
        FigureTable("Faults that were missed", "", ("run", "fault", "accepted", "named"), missed),
        FigureTable("Causes not among the first three", "", ("run", "fault", "accepted", "ranked"), causes),
        FigureTable("False alarms", "", ("run", "family", "named"), alarms),
        FigureTable("Plainly wrong", "", ("run", "family", "named"), forbidden),
    )
    return tuple(t for t in made if t.rows)
