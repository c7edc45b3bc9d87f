"""The diagnosis as GitHub-flavored Markdown, for an issue, a pull request or a job summary."""

from __future__ import annotations

from collections.abc import Sequence

from curvedoc.core.diagnosis import Diagnosis, Evidence, RunDiagnosis
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.judge.transcript import shortened
from curvedoc.diagnose.sentence.titles import whole
from curvedoc.report import words
from curvedoc.report.abort import told
from curvedoc.report.advice import how_to_log, missing, recorder_line, signal_name
from curvedoc.report.charts.spark import blocks
from curvedoc.report.escape import clip, markdown, markdown_block, markdown_code
from curvedoc.report.event_order import in_order
from curvedoc.report.inbox import inbox, lost_of, lost_unit, lost_words, top_sentence
from curvedoc.report.limits import limits
from curvedoc.report.redact import redact
from curvedoc.report.summary import (
    First,
    explains_nothing,
    first_thing,
    group_of,
    last_step,
    last_value,
    main_curve,
    onset,
    ranked_findings,
    sentence,
    summarize,
    told_first,
    where,
    why,
    worst_first,
)
from curvedoc.report.tree import tree

#: GitHub refuses a comment above 65,536 characters; sections are left out from the end to stay below.
MOST = 60_000
_ROWS = 100
_GROUPS = 10
_TEXT = 600  # characters of one sentence: a log line can be thousands long
_NAME = 160


def to_markdown(d: Diagnosis, title: str = "") -> str:
    """The diagnosis as Markdown of at most `MOST` bytes; what did not fit is named in a last line.

    title: what was analyzed (a path); it names a run that has no name of its own.
    Names stand in code spans, so that `@name` and `#12` neither notify nor link; no text of a log can become markup.
    """
    if len(d.runs) == 1:
        return _fit([run_to_markdown(d.runs[0], d, title)], [], d)
    head, runs = summarize(d), worst_first(d)
    top = [f"## {markdown(clip(redact(top_sentence(d, head)), _TEXT))}", ""]
    tally = ", ".join(f"{n:,} {words.VERDICTS[v][1].lower()}" for v, n in head.counts)
    if runs:
        top += [f"{words.count(len(runs), 'run')}: {tally}.", ""]
    if head.first:
        top += [*_first(head.first, True), ""]
    top += _groups(d)
    for c in d.contrasts[:5]:
        top.append(f"- {markdown_code(clip(c.key, _NAME))}: {_text(c.text)} (p = {spelled(c.p_value, '.2g')})")
    if d.contrasts:
        top.append("")
    top += [*_table(d, runs), ""] if runs else []
    if d.unreadable:
        top += ["Could not be read:", ""]
        top += [f"- {markdown_code(clip(u.path, _NAME))}: {_text(u.reason)}" for u in d.unreadable[:20]]
        top.append("")
    flagged = [r for r in runs if r.verdict in ("failed", "warning")]
    return _fit(["\n".join(top)], [run_to_markdown(r, d) for r in flagged], d)


def brief(run: RunDiagnosis, d: Diagnosis, title: str = "") -> str:
    """One run in three lines: what happened, why, what to do first."""
    glyph, word, _ = words.VERDICTS[run.verdict]
    name = markdown_code(clip(words.run_name(run.run) or title or "this run", _NAME))
    out = [f"### {glyph} {word}: {name}", "", _text(run.headline), ""]
    if why(run):
        out += [f"Likeliest cause: {_text(why(run))}.", ""]
    first = first_thing(run)
    return "\n".join([*out, *(_first(first, False) if first else ())]).rstrip() + "\n"


def _groups(d: Diagnosis) -> list[str]:
    """The groups as a list: what, why, what it cost, and the first thing to do."""
    unit, out = lost_unit(d.runs), []
    for g in inbox(d)[:_GROUPS]:
        lost = lost_words(g.lost, unit)
        cause = f" ({g.why})" if g.names_cause else f"; cause: {g.why}" if g.why else ""
        said = f"{words.cap(g.what)}{cause}{f'; {lost} lost' if lost else ''}"
        first = f" {g.first_label}: {words.cap(g.first.ask)}" if g.first else ""
        out.append(f"- **{g.group.name}**, {words.count(len(g.runs), 'run')}: {_text(said)}.{_text(first)}")
    return ["**What to fix**", "", *out, ""] if out else []


def run_to_markdown(run: RunDiagnosis, d: Diagnosis, title: str = "") -> str:
    """One run in full: what was found, the causes with their evidence, fixes and checks as a task list."""
    glyph, word, _ = words.VERDICTS[run.verdict]
    out = [
        f"### {glyph} {word}: {markdown_code(clip(words.run_name(run.run) or title or 'this run', _NAME))}",
        "",
        _text(run.headline),
        "",
    ]
    if run.nearest:
        out += [f"{_text(run.nearest.text)}.", ""]
    curve = main_curve(run)
    if curve:
        line = blocks(curve, 40, curve.step[-1])
        ends = f"{words.unit(run.axis)} {last_step(run, curve):,}"
        extent = f"{words.value(curve.mean[0])} → {words.value(last_value(run))}, {ends}"
        out += [f"`{line}` {markdown_code(clip(curve.metric, _NAME))} {extent}", ""]
    found = [f for f in ranked_findings(run) if f.kind != "gap"]
    if found:
        out += ["**What was found**", ""]
    for f in found[:12]:
        at = where(f, run.axis)
        note = ", ".join(x for x in (at, f"follows from `{f.explained_by}`" if f.explained_by else "") if x)
        out.append(f"- **{_text(f.title)}**{f' ({note})' if note else ''}")
        out += [f"  - {_text(e.text)}" for e in f.evidence[:3]]
    out += [""] if found else []
    if events := in_order(run):
        out += ["**In order**", "", *(f"1. {markdown(at)}: {_text(what)}" for at, what in events), ""]
    if run.causes and not explains_nothing(run):
        out += [*_causes(run), ""]
    out += _tasks(run) if run.verdict != "healthy" else []
    first = first_thing(run)
    if first:
        out += [*_first(first, False), ""]
    if run.abort_rules:
        out += ["**What would have stopped it**", "", *(f"- {_text(told(r, run))}" for r in run.abort_rules), ""]
    needs = missing(run)
    if needs and run.verdict != "healthy":
        out += ["Not logged: " + ", ".join(markdown_code(signal_name(n)) for n, _ in needs[:10]) + ".", ""]
        lines = [f"{how_to_log(n)}  # {signal_name(n)}" for n, _ in needs[:10] if how_to_log(n)]
        lines = [line for line in (recorder_line([n for n, _ in needs]), *lines) if line]
        out += ["<details><summary>The lines that log them</summary>", "", markdown_block("\n".join(lines)), ""]
        out += ["</details>", ""]
    for m in run.messages[:2]:
        text = redact(m.text)
        out += [
            f"<details><summary>{_summary(m.source, m.line)}</summary>",
            "",
            markdown_block(text[-3000:]),
            "",
            "</details>",
            "",
        ]
    out += ["**What these curves cannot show**", "", *(f"- {_text(text)}" for text in limits(run)), ""]
    return "\n".join(out).rstrip("\n") + "\n"


def _summary(source: str, line: int) -> str:
    # Inside an HTML tag Markdown is not parsed, so its text is escaped as HTML.
    from markupsafe import escape

    from curvedoc.report.escape import visible

    return f"<code>{escape(clip(visible(source), _NAME)).replace('`', '&#96;')}:{line}</code>"


def _text(text: str) -> str:
    return markdown(words.cap(clip(redact(text), _TEXT)))


def _causes(run: RunDiagnosis) -> list[str]:
    causes = run.causes
    title = "Likely causes" if causes[0].probability >= words.ASSERTED else "Possible causes"
    out = [f"**{title}**", "", "| Cause | Likelihood | For | Against |", "| --- | --- | --- | --- |"]
    for c in causes[:6]:
        chance = f"{words.likelihood(c.probability)}, {words.percent(c.probability)}"
        chance += ", beside another trouble" if c.beside else ""
        out.append(f"| {_text(c.title)} | {markdown(chance)} | {_cell(run, c.supports)} | {_cell(run, c.against)} |")
    if run.none_of_these is not None:
        out.append(f"| None of these | {markdown(words.percent(run.none_of_these))} | | |")
    return out


def _cell(run: RunDiagnosis, evidence: Sequence[Evidence]) -> str:
    return "<br>".join(_text(words.cap(e.text)) for e in evidence[:4])


def _tasks(run: RunDiagnosis) -> list[str]:
    """Fixes and open checks as a task list."""
    fixes = [f for c in run.causes[:2] if c.probability >= words.POSSIBLE for f in c.fix][:6]
    path = tree(run)
    checks = [n for n in path.nodes if n.state in ("next", "leaning", "later")][:6] if path else []
    out = []
    if fixes:
        out += ["**Fix**", "", *(f"- [ ] {_text(f)}" for f in fixes), ""]
    if checks:
        out += ["**Check**", ""]
        out += [f"- [ ] {_text(n.ask)} {markdown(f'({words.COSTS[n.cost]})')}" for n in checks]
        out.append("")
    return out


def _first(first: First, named: bool) -> list[str]:
    cost = f" ({words.COSTS[first.cost]})" if first.cost else ""
    on = f" on {markdown_code(clip(words.run_name(first.run), _NAME))}" if named else ""
    out = [f"**{first.label}**{on}{cost}: {_text(first.ask)} {_text(sentence(first.how))}".rstrip()]
    return [*out, "", markdown_block(first.probe[:3000], "python")] if first.probe else out


def _table(d: Diagnosis, runs: Sequence[RunDiagnosis]) -> list[str]:
    groups, unit = group_of(d), lost_unit(d.runs)
    out = [
        "| | Run | Finding | Likeliest cause | Onset | Last value | Lost |",
        "| --- | --- | --- | --- | ---: | ---: | ---: |",
    ]
    for r in runs[:_ROWS]:
        what = told_first(r)
        letter = f"{groups[r.run].name}: " if r.run in groups else ""
        start = words.step(onset(r)) if onset(r) is not None else ""
        final = words.value(last_value(r)) if last_value(r) is not None else ""
        lost = lost_words(lost_of(r, unit), unit)
        cells = (
            f"{words.VERDICTS[r.verdict][0]} {words.VERDICTS[r.verdict][1]}",
            markdown_code(clip(words.run_name(r.run), 80)),
            markdown(letter + shortened(whole(redact(what), 120), 200)),
            markdown(shortened(whole(redact(why(r)), 120), 200)),
            start,
            final,
            lost,
        )
        out.append("| " + " | ".join(cells) + " |")
    if len(runs) > _ROWS:
        out.append(f"\n{len(runs) - _ROWS:,} more runs not shown.")
    return out


def _fit(must: list[str], may: list[str], d: Diagnosis) -> str:
    """The parts that fit, in order; then a line that says how many did not, and the versions."""
    foot = f"_curvedoc {markdown(d.version)}, rules {markdown_code(d.rules_digest[:12])}_\n"
    text, left = "\n".join(must), 0
    for i, part in enumerate(may):
        if len((text + part + foot).encode("utf-8", "replace")) > MOST - 200:
            left = len(may) - i
            break
        text += "\n" + part
    if len(text.encode("utf-8", "replace")) > MOST - 400:
        text = text.encode("utf-8", "replace")[: MOST - 400].decode("utf-8", "ignore").rsplit("\n", 1)[0]
        text += "\n\n" + ("```\n" if text.count("\n```") % 2 else "") + "Cut off here: the rest did not fit.\n"
    if left:
        text += f"\n{words.count(left, 'more flagged run')} left out: they did not fit.\n"
    return text.rstrip("\n") + "\n\n" + foot
