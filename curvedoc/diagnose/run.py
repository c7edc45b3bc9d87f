"""Run -> RunDiagnosis: every rule judged, findings folded, causes ranked, the verdict drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from curvedoc.core.diagnosis import (
    Evidence,
    Finding,
    Message,
    NextAction,
    NotJudged,
    RankedCause,
    RunDiagnosis,
    Verdict,
)
from curvedoc.core.run import Note, Run
from curvedoc.diagnose.curves import curves, signals
from curvedoc.diagnose.ending.aftermath import survived, unspoken
from curvedoc.diagnose.ending.course import Course, course
from curvedoc.diagnose.ending.ending import ending
from curvedoc.diagnose.ending.notices import OUTSIDE, as_note, happened, record, with_causes, with_reason
from curvedoc.diagnose.ending.quotes import spoken, unused_gpu
from curvedoc.diagnose.ending.said import Said, said
from curvedoc.diagnose.grounds.grounds import grounds
from curvedoc.diagnose.judge.action import next_action
from curvedoc.diagnose.judge.detect import detect
from curvedoc.diagnose.judge.fold import fold
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.inventory import inventory_of
from curvedoc.diagnose.judge.rank import rank
from curvedoc.diagnose.judge.verdict import left_open, next_check, verdict, waste
from curvedoc.diagnose.members import member_curves
from curvedoc.diagnose.restart.command import with_command
from curvedoc.diagnose.story.abort import abort_rules
from curvedoc.diagnose.story.choice import TURNED, when_unsure
from curvedoc.diagnose.story.gain import gain
from curvedoc.diagnose.story.headline import headline, until_then
from curvedoc.diagnose.story.hygiene import hygiene
from curvedoc.diagnose.story.lead import led, unexplained
from curvedoc.diagnose.story.quality import quality
from curvedoc.diagnose.story.remedy import after_range_test, asks_for_a_change, doubted, lowered, remedy, resume
from curvedoc.diagnose.story.timeline import timeline
from curvedoc.rulebook.messages.catalog import catalog
from curvedoc.rulebook.rule import Rulebook

#: Messages shown: tracebacks and errors first, then warnings.
SHOWN_MESSAGES = 12
#: Causes whose evidence is drawn.
DRAWN_CAUSES = 2
_LEVELS = ("TRACEBACK", "CRITICAL", "ERROR", "WARNING")


def _messages(run: Run) -> tuple[Message, ...]:
    if not len(run.messages):
        return ()
    found = run.messages.filter(pl.col("level").is_in(_LEVELS))
    rows = sorted(found.iter_rows(named=True), key=lambda r: (_LEVELS.index(r["level"]), -r["line"]))[:SHOWN_MESSAGES]
    return tuple(Message(r["source"], r["line"], r["level"], r["step"], r["text"]) for r in rows)


# the runs of a tree mostly lack the same, which is then held once and sent to another process in fewer bytes
_not_judged = lru_cache(maxsize=1024)(NotJudged)


def _seen_on(evidence: Evidence) -> tuple[str, ...]:
    """The metrics that a sentence can be seen on."""
    return (*((evidence.metric,) if evidence.metric else ()), *(m.metric for m in evidence.marks))


def _beginnings(findings: Sequence[Finding]) -> list[int]:
    """Where findings begin, in the order in which they are told: what leads, then what follows from it."""
    told = [f for f in findings if f.kind == "pathology"] + [f for f in findings if f.kind == "notice"]
    return list(dict.fromkeys(f.first_step for f in told if f.first_step is not None and f.first_step >= 0))


def _last_step(run: Run) -> int | None:
    loss = run.series("loss") or run.series("val_loss")
    return int(loss.step[-1]) if loss is not None and len(loss) else None


def _first(
    bench: Bench,
    result: Verdict,
    findings: Sequence[Finding],
    causes: Sequence[RankedCause],
    told: Sequence[Said],
    way: Course | None = None,
    left: Course | None = None,
) -> NextAction | None:
    run = bench.run
    if result in ("inconclusive", "ended-early") and grounds(run).curve is None and (spared := unused_gpu(told)):
        return spared
    # where the rate is far from what its optimizer takes, nothing else is worth a longer training
    asking = {f.symptom for f in findings if asks_for_a_change(f)}
    unusual = bool(causes) and bool(asking.intersection(causes[0].findings))
    if result == "healthy":
        turned = any(f.kind == "notice" and f.symptom == TURNED for f in findings)
        return after_range_test(findings) or (
            next_action(causes) if unusual else gain(run, grounds(run), bench, left, turned)
        )
    if result == "inconclusive":
        return next_action(causes) if unusual and not grounds(run).lacking else remedy(run, grounds(run), findings)
    # what would merely have been logged better is not what ended it
    if result == "ended-early" and not any(result in c.findings for c in causes[:1]):
        lacking = remedy(run, grounds(run)) if grounds(run).lacking else None
        return lacking or resume(bench.counter, way, _last_step(run))
    lead = next((f for f in findings if f.kind == "pathology"), None)
    action, unsure = next_action(causes), when_unsure(bench, lead, causes)
    if action is None or unsure is not None:
        return unsure
    onset = None if lead is None else lead.first_step
    return with_command(action, causes[0].action_settings, run, onset)


@np.errstate(all="ignore")  # a log may hold any double: what overflows is not finite, and judged as that
def diagnose(
    run: Run,
    book: Rulebook,
    group: Sequence[Run] = (),
    strict: bool = False,
    alive: bool = False,
) -> RunDiagnosis:
    """The diagnosis of one run. group: the run and its repeats, where there are any; alive: its files are watched."""
    # most runs say nothing, and the catalog takes a while to read
    told, way = said(run, catalog()) if len(run.messages) else (), course(run)
    ended = ending(run, told, way, alive)
    known = () if alive and ended.early else as_note(ended)
    kind = inventory_of(run, known, book)
    bench = Bench(run, facts=book.facts, known=known, spoken=spoken(run, ended), inventory=kind)
    judged = [detect(rule, bench, group, strict) for rule in book.rules]
    rules = {r.id: r for r in book.rules}
    seen = lowered(run, [j.finding for j in judged if j.finding is not None])
    fired = unspoken(survived(seen, rules, bench, ended), rules, ended)
    # a plan that was not done, of a run whose files nobody watches and that says nothing of its end
    left = way if ended.value == "running" and not alive and way is not None and not way.complete else None
    title = happened(ended, way, bench.counter, _last_step(run))
    findings = fold(with_causes(fired, told, ended, title), rules)
    findings, causes = led(findings, rank(findings, book.causes, bench))
    open_ = left_open(run, findings, rules, bench.fact)
    result = verdict(run, findings, ended.early and not alive, bool(open_))
    early = result == "ended-early"
    # a run that was cut off has no fault of which causes could share the whole
    shared = result in ("failed", "warning") or (early and ended.value != "cut-off")
    sentence = (
        f"{title}; {until_then(run, open_)}."
        if early
        else headline(
            run, result, findings, causes, open_, bench, left, title if ended.value in OUTSIDE and not alive else ""
        )
    )
    result, sentence = doubted(run, result, sentence)
    shown = [e for f in findings for e in f.evidence]
    weighed = [e for c in causes[:DRAWN_CAUSES] for e in (*c.supports, *c.against)]
    marked = [m for e in shown for m in _seen_on(e)]
    marked += [f.metric for f in findings if f.metric] + [m for e in weighed for m in _seen_on(e)]
    cost = waste(run, findings)
    rated = quality(run, bench)  # what the headline tells is drawn
    right = run.series("accuracy")
    marked += ([rated.series.metric] if rated else []) + ([right.metric] if right else [])
    broken = tuple(Note("rule-failed", f"{j.rule.id}: {j.reason}") for j in judged if j.outcome == "broken")
    return RunDiagnosis(
        run=run.name,
        verdict=result,
        headline=sentence,
        sources=run.sources,
        signals=signals(run),
        findings=findings,
        causes=causes,
        not_judged=tuple(
            _not_judged(j.rule.id, j.reason, j.needs) for j in judged if j.outcome in ("not-judged", "broken")
        ),
        next_check=next_check(causes) if result in ("failed", "warning", "ended-early") else None,
        cost=cost,
        curves=(
            *curves(run, marked, result in ("failed", "warning"), _beginnings(findings)),
            *member_curves(run, findings, rules),
        ),
        messages=_messages(run),
        notes=(*run.notes, *broken, *hygiene(run, book.remarks)),
        config=dict(run.config),
        axis=bench.counter.axis,
        timeline=timeline(run, findings, bench.restarts(), book.remarks.get("timeline")),
        facts=with_reason(bench.facts(), ended),
        next_action=_first(bench, result, findings, causes, told, way, left),
        ending=record(ended, way),
        none_of_these=unexplained(causes) if shared else None,
        abort_rules=abort_rules(run, cost.first_detectable_step) if result == "failed" else (),
    )
