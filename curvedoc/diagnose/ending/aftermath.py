"""A message is what it did: one after which training went on is a note, and what a stop from outside leaves is none.

A failed allocation that was retried, a NaN that was replaced, an earlier start that died: the words are those of a
fatal error, but rows of finite loss follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.diagnosis import Evidence, Finding
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.diagnose.ending.ending import Ending
from curvedoc.diagnose.ending.said import FEW, Said, rows_after
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.judge.transcript import shortened
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.rulebook.rule import Rule

#: The rules that read messages.
FAMILY, CRASH = "log-message", "crash-traceback"
#: Endings that someone or something outside the program made.
OUTSIDE = frozenset(("by-hand", "time-limit", "preempted", "killed"))
#: Time, level and source file before a message, as "2024-05-22 00:52:15.2: W core/device.cc:256] ".
_LOGGER = late_regex(r"^[^\]]{0,120}\.(?:cc|cpp|py|cu|h):\d+\] ")
#: A message that is quoted in a title.
_LONGEST = 80
#: What the program says of such an end: it is none of its own.
_ECHOES = frozenset(("crash-traceback", "worker-died", "collective-timeout"))


def survived(
    findings: Sequence[Finding], rules: Mapping[str, Rule], bench: Bench, ending: Ending
) -> tuple[Finding, ...]:
    """The findings with fatal messages judged by what they did."""
    out: list[Finding] = []
    notes: list[Finding] = []
    for f in findings:
        rule = rules[f.symptom]
        fatal = rule.family == FAMILY and f.kind == "pathology" and f.severity == "fatal"
        if fatal and ending.value in OUTSIDE and f.symptom in _ECHOES:
            continue
        settled = _settled(f, rule, bench) if fatal else f
        (notes if settled.kind != f.kind else out).append(settled)
    # what did not stop the run says nothing beside what did
    died = any(rules[f.symptom].family == FAMILY and f.severity == "fatal" for f in out)
    return (*out, *(() if died else notes))


def unspoken(findings: Sequence[Finding], rules: Mapping[str, Rule], ending: Ending) -> tuple[Finding, ...]:
    """The findings, with one for an error that ended the run and that no rule's own pattern knows."""
    m = ending.message
    if m is None or ending.value in OUTSIDE - {"killed"} or ending.value not in ("crash", "disk", "killed"):
        return tuple(findings)
    wanted = m.group.symptoms
    own = ending.value != "killed" or CRASH not in wanted  # a kill from outside is no fault, one for memory is
    if not own or any(rules[f.symptom].family == FAMILY and f.severity == "fatal" for f in findings):
        return tuple(findings)
    rule = rules.get(CRASH if CRASH in wanted else wanted[-1])
    if rule is None:
        return tuple(findings)
    made = Finding(
        rule.id, _quoting(rule, m), rule.kind, rule.severity, 1.0, m.step, None, None,
        evidence=(Evidence(f"the log says: {m.line}"),),
        causes=_prior(rule),
        general=rule.title,
    )  # fmt: skip
    return (*(f for f in findings if f.symptom != rule.id), made)


def _quoting(rule: Rule, m: Said) -> str:
    """The title of a rule whose pattern does not know the message: that of a crash is what the program said."""
    place = f" at {m.frame}" if m.frame else ""
    return f"{'Crashed' if rule.id == CRASH else rule.title}{place}: {_LOGGER.sub('', m.line)}"


def _prior(rule: Rule) -> tuple[tuple[str, float], ...]:
    total = sum(link.weight for link in rule.causes)
    return tuple((link.cause, link.weight / total) for link in rule.causes)


def _settled(f: Finding, rule: Rule, bench: Bench) -> Finding:
    """The finding as a note where rows of finite loss follow its last message; else dated by the first that stopped."""
    rows: list[tuple[int | None, int]] = []
    for name, regex in rule.program.patterns.items():
        hits = bench.transcript.hits(name, regex, rule.program.excepted.get(name))
        if hits is not None and len(hits.messages):
            rows += zip(rows_after(bench.run, hits.messages), hits.series.step.tolist(), strict=True)
    if not rows:
        return f
    last = [step for after, step in rows if after is None or after <= FEW]
    if last:
        first = min(last)
        return replace(f, first_step=first) if f.first_step is not None and first > f.first_step else f
    if not _alive(bench.run):
        return f
    went_on = min(after for after, _ in rows if after is not None)
    said = next((e.text for e in f.evidence), f.title)
    return replace(
        f,
        kind="notice",
        severity="note",
        title=f"An error did not stop the training: {_named(f, said)}",
        evidence=(Evidence(said), Evidence(f"training went on for {went_on:,} logged rows after it")),
        causes=(),
    )


def _named(f: Finding, said: str) -> str:
    """What did not stop the run: where its title says that it ended so, the message itself."""
    if f.title != f.general:
        return lower_first(f.title.partition(": ")[0])
    return shortened(_LOGGER.sub("", said.removeprefix("the log says: ")), _LONGEST)


def _alive(run: Run) -> bool:
    """Whether the loss ends in finite numbers, or anything else was logged."""
    if not run.metrics():
        return False
    loss = run.series("loss") or run.series("val_loss")
    return loss is None or not len(loss) or bool(np.isfinite(loss.value[-FEW:]).any())
