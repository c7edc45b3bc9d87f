"""What is said first, in every view: the verdict sentence, the order of the runs, and the one thing to do next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from curvedoc.core.diagnosis import Cost, Curve, Diagnosis, Finding, Group, RankedCause, RunDiagnosis, Verdict
from curvedoc.core.frozen import dataclass
from curvedoc.diagnose.main_curve import main_curve as main_curve
from curvedoc.diagnose.sentence.ties import tied
from curvedoc.diagnose.sentence.titles import beyond, lower_first
from curvedoc.report import words
from curvedoc.report.advice import missing, signal_name
from curvedoc.report.log_trainings import IN_ONE_LOG, last_training, number, of_one_log

_SEVERITY = {"fatal": 0, "error": 1, "warning": 2, "note": 3}
_VERDICT = {"failed": 0, "warning": 1, "ended-early": 2, "inconclusive": 3, "healthy": 4}
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
#: What the headline of a sound run begins with, which is said already where all are sound.
SOUND = "No problem found: "


@dataclass(frozen=True, slots=True)
class First:
    """The one thing to do first."""

    run: str
    ask: str
    how: str
    cost: Cost | None  # None for a fix or a signal to log: it is not a question
    probe: str = ""
    label: str = "Do this first"


@dataclass(frozen=True, slots=True)
class Summary:
    """The head of a report."""

    headline: str
    details: tuple[str, ...]  # sentences that stand under the headline
    counts: tuple[tuple[Verdict, int], ...]  # (verdict, how many runs), worst first, zeros left out
    first: First | None
    cause: RankedCause | None  # the likeliest cause behind the headline
    lead: RunDiagnosis | None  # the run that the headline is about
    asserts: bool = False  # the headline itself names the cause


def ranked_findings(run: RunDiagnosis) -> tuple[Finding, ...]:
    """Pathologies that nothing explains, worst first and else in the order of the diagnosis, as the headline tells
    them; then explained ones, notices and gaps.
    """
    kind = {"pathology": 0, "notice": 2, "gap": 3}

    def key(f: Finding) -> tuple[object, ...]:
        place = kind[f.kind] + (1 if f.kind == "pathology" and f.explained_by else 0)
        return place, _SEVERITY[f.severity]

    return tuple(sorted(run.findings, key=key))


def decides(run: RunDiagnosis, finding: Finding) -> bool:
    """Whether the verdict rests on a finding: a pathology, or the notice of a run that ended early."""
    return finding.kind == "pathology" or (run.verdict == "ended-early" and finding.symptom == run.verdict)


def lead_finding(run: RunDiagnosis) -> Finding | None:
    """The finding that the verdict rests on, or None."""
    return next((f for f in ranked_findings(run) if decides(run, f)), None)


def where(f: Finding, axis: str) -> str:
    """The steps of a finding: `step 7,508 to 12,959`."""
    if f.first_step is None or f.first_step < 0:
        return ""
    return f"{words.unit(axis)} {f.first_step:,}" + (
        f" to {f.last_step:,}" if f.last_step is not None and f.last_step != f.first_step else ""
    )


def told_first(run: RunDiagnosis) -> str:
    """What a table says of a run: what its verdict rests on, else why there is none."""
    lead = lead_finding(run)
    return lead.title if lead else run.headline.rstrip(".") if run.verdict == "inconclusive" else "No problem found"


def onset(run: RunDiagnosis) -> int | None:
    """The first step at which the failure could be seen; None where no step is known (a text log spells that -1)."""
    lead = lead_finding(run)
    at = lead.first_step if lead and lead.first_step is not None else run.cost.first_detectable_step
    return at if at is not None and at >= 0 else None


def last_value(run: RunDiagnosis) -> float | None:
    """The last value of the main curve, NaN where it ended so; None without a curve."""
    curve = main_curve(run)
    if not curve or not curve.mean:
        return None
    # a bucket knows its mean only, the signal table the very last finite value
    known = next((s.last_value for s in run.signals if s.metric == curve.metric), None)
    return known if known is not None and math.isfinite(curve.mean[-1]) else curve.mean[-1]


def last_step(run: RunDiagnosis, curve: Curve) -> int:
    """The last step of a curve: the signal table knows it, a bucket knows only its first step."""
    known = [s.last_step for s in run.signals if s.metric == curve.metric and s.last_step is not None]
    ends = [b for _, b in curve.nonfinite]
    return max([curve.step[-1], *known, *ends]) if curve.step else 0


def group_of(d: Diagnosis) -> dict[str, Group]:
    """The group of each run that went the same way as another, by the run's name; one alone is no group."""
    return {name: g for g in d.groups if len(g.runs) > 1 for name in g.runs}


def worst_first(d: Diagnosis) -> tuple[RunDiagnosis, ...]:
    """Runs by verdict, then by group (its representative first), severity, hours and steps wasted, and name."""
    groups = group_of(d)

    def key(run: RunDiagnosis) -> tuple[object, ...]:
        lead, group = lead_finding(run), groups.get(run.run)
        return (
            _VERDICT[run.verdict],
            (0, len(group.name), group.name) if group else (1, 0, ""),
            not (group and group.representative == run.run),
            _SEVERITY[lead.severity] if lead else 9,
            -(run.cost.hours_wasted or 0.0),
            -(run.cost.steps_wasted or 0),
            run.run,
        )

    return tuple(sorted(d.runs, key=key))


def explains_nothing(run: RunDiagnosis) -> bool:
    """Whether the causes are not worth telling: those of a notice of a sound run, of one not judged an unlikely one,
    and of one that ended early what may have ended it, where the log does not say so: that is no fault to explain.
    """
    if run.verdict == "ended-early" and run.ending.value == "cut-off":
        return True
    first = run.causes[0].probability if run.causes else 0.0
    least = {"healthy": math.inf, "inconclusive": words.POSSIBLE, "ended-early": words.ASSERTED}
    return first < least.get(run.verdict, 0.0)


def weighed_causes(run: RunDiagnosis) -> tuple[RankedCause, ...]:
    """The causes whose evidence is drawn: the first two, as far as they are possible and told at all."""
    return () if explains_nothing(run) else tuple(c for c in run.causes[:2] if c.probability >= words.POSSIBLE)


def why(run: RunDiagnosis) -> str:
    """The likeliest cause of a flagged run in words, with its likelihood while it is only possible; "" without one."""
    if not run.causes or run.verdict == "inconclusive" or explains_nothing(run):
        return ""
    cause = run.causes[0]
    if cause.probability < words.POSSIBLE:
        return "no cause stands out"
    return (
        cause.title if cause.probability >= words.ASSERTED else f"{words.likelihood(cause.probability)}: {cause.title}"
    )


def first_thing(run: RunDiagnosis) -> First | None:
    """The action on this run, else the signal that is missing most."""
    if run.verdict == "healthy":
        return First(run.run, run.next_action.text, "", None, label="Worth doing") if run.next_action else None
    if run.next_action:
        a = run.next_action
        tests = next((c.title for c in run.causes if c.cause == a.tests), "")
        told = lower_first(tests) in run.headline  # a reader has just read it
        how = [f"Tests: {lower_first(tests)}."] if tests and not told and not explains_nothing(run) else []
        how += [
            f"As likely: {lower_first(c.title)}. {beyond(c.action, a.text)}".strip()
            for c in tied(run.causes)
            if c.cause != a.tests
        ]
        how += [f"Changed in the command: {', '.join(a.changed)}."] if a.changed else []
        return First(run.run, a.text, " ".join(how), None, a.command or a.code)
    needs = missing(run)
    if needs:
        name, symptoms = needs[0]
        tail = f" It decides {words.count(len(symptoms), 'question')} that this log leaves open."
        return First(run.run, f"Log {signal_name(name)} next time.{tail}", "", None)
    return None


def summarize(d: Diagnosis) -> Summary:
    """The head of a report of any number of runs."""
    runs = worst_first(d)
    tally = {v: sum(r.verdict == v for r in runs) for v in words.VERDICTS}
    counts = tuple((v, n) for v, n in tally.items() if n)
    if not runs:
        return Summary("No run could be read.", (), counts, None, None, None)
    if len(runs) == 1:
        run = runs[0]
        return Summary(run.headline, (), counts, first_thing(run), _first_cause(run), run)
    flagged = [r for r in runs if r.verdict in ("failed", "warning")]
    contrasts = tuple(sentence(c.text) for c in d.contrasts[:2])
    last = last_training(d)
    runs_word = "runs" if last is None else IN_ONE_LOG
    if not flagged and last is not None:
        told = f"{words.cap(of_one_log(last, last))}: {last.headline.removeprefix(SOUND)}"
        return Summary(_calm(len(runs), tally, runs_word), (*contrasts, told), counts, first_thing(last), None, None)
    if not flagged:
        first = first_thing(runs[0]) if runs[0].verdict != "healthy" else None
        return Summary(_calm(len(runs), tally, runs_word), contrasts, counts, first, None, None)
    group = _main_group(d, flagged)
    lead = next((r for r in flagged if group and r.run == group.representative), flagged[0])
    if last is not None:
        alike_runs = [r for r in flagged if r.verdict == lead.verdict and (group is None or r.run in group.runs)]
        lead = max(alike_runs, key=number)
    cause = _first_cause(lead)
    # A group speaks for the whole only where it is most of what failed.
    worst = sum(r.verdict == lead.verdict for r in flagged)
    speaks = group is not None and 2 * len(group.runs) > worst
    alike = _alike(group, lead, cause, len(runs), runs_word) if group else ""
    headline = alike if speaks else _several(tally, len(runs), runs_word)
    asserts = speaks and cause is not None and cause.probability >= words.ASSERTED
    name = words.run_name(lead.run) if last is None else words.cap(of_one_log(lead, last))
    worst_said = f"{name}: {lead.headline}" if name else lead.headline
    details = (*contrasts, alike if alike and not speaks else worst_said)
    return Summary(headline, details, counts, first_thing(lead), cause, lead, asserts)


def _first_cause(run: RunDiagnosis) -> RankedCause | None:
    """The likeliest cause of what went wrong; what explains a mere notice of a healthy run is none, and of causes that
    are all unlikely none is the likeliest.
    """
    if not run.causes or explains_nothing(run) or run.causes[0].probability < words.POSSIBLE:
        return None
    return run.causes[0]


def _main_group(d: Diagnosis, flagged: Iterable[RunDiagnosis]) -> Group | None:
    """The largest group of two or more among the runs with the worst verdict."""
    runs = tuple(flagged)
    worst = {r.run for r in runs if r.verdict == runs[0].verdict}
    fit = [g for g in d.groups if len(g.runs) > 1 and g.representative in worst]
    return min(fit, key=lambda g: (-len(g.runs), g.name), default=None)


def _alike(group: Group, lead: RunDiagnosis, cause: RankedCause | None, total: int, runs: str) -> str:
    n, finding = len(group.runs), lead_finding(lead)
    who = f"{_all(n)} {runs}" if n == total else f"{_word(n).capitalize()} of {total:,} {runs}"
    did = "failed" if lead.verdict == "failed" else "went wrong"
    what = f": {lower_first(finding.general or finding.title)}" if finding else ""
    if cause and cause.probability >= words.ASSERTED:
        return (
            f"{who} {did} the same way{what}; {words.likelihood(cause.probability)} cause: {lower_first(cause.plain)}."
        )
    return f"{who} {did} the same way{what}."


def _several(tally: Mapping[Verdict, int], total: int, runs: str) -> str:
    failed, warned = tally["failed"], tally["warning"]
    if failed == total or (not failed and warned == total):
        return f"{_all(total)} {runs} {'failed' if failed else 'have a warning'}."
    if failed:
        tail = f", {_word(warned)} more {'has' if warned == 1 else 'have'} a warning" if warned else ""
        return f"{_word(failed).capitalize()} of {total:,} {runs} failed{tail}."
    return f"None of {total:,} {runs} failed; {_word(warned)} {'has' if warned == 1 else 'have'} a warning."


def _calm(total: int, tally: Mapping[Verdict, int], runs: str) -> str:
    unsure, early = tally["inconclusive"], tally["ended-early"]
    if early:
        rest = f"; {_word(unsure)} could not be judged" if unsure else ""
        who = f"{_all(total)} {runs}" if early == total else f"{_word(early).capitalize()} of {total:,} {runs}"
        return f"{who} ended early; no other problem found{rest}."
    if not unsure:
        return f"{_all(total)} {runs} look healthy."
    if unsure == total:
        return f"None of the {_word(total)} {runs} could be judged."
    return f"No problem found in {_word(total - unsure)} of {total:,} {runs}; {_word(unsure)} could not be judged."


def _all(n: int) -> str:
    return "Both" if n == 2 else f"All {_word(n)}"


def _word(n: int) -> str:
    return _SMALL[n] if n < len(_SMALL) else f"{n:,}"


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends in a mark of its own or is empty."""
    return text if not text or text.endswith((".", "!", "?", ":")) else text + "."
