"""The diagnosis as a piece of HTML without scripts: for a notebook (inline styles) or a wiki (a scoped style sheet)."""

from __future__ import annotations

import base64
from typing import Literal

from markupsafe import Markup, escape

from curvedoc.core.diagnosis import Diagnosis, RankedCause, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.advice import missing, signal_name
from curvedoc.report.charts.panels import picture
from curvedoc.report.escape import clip, visible, visible_block
from curvedoc.report.figures.figure import Figure, figures, flagged, svg
from curvedoc.report.limits import limits
from curvedoc.report.redact import redact
from curvedoc.report.summary import (
    First,
    explains_nothing,
    first_thing,
    last_value,
    lead_finding,
    onset,
    ranked_findings,
    sentence,
    summarize,
    where,
    why,
    worst_first,
)
from curvedoc.report.tree import tree

Styling = Literal["inline", "sheet"]

#: Runs told in full, with their curves; the table lists the rest.
FULL = 3
_ROWS = 100
_TEXT = 600
_PROBE = 4  # lines of code that stand open
_STYLES = {
    "box": "font:14px/1.5 system-ui,sans-serif;color:#1d1b18;background:#fff;max-width:940px;padding:12px 16px;"
    "overflow-x:auto;border:1px solid #e5e2da;border-radius:8px",
    "head": "font-size:19px;font-weight:650;line-height:1.3;margin:4px 0 8px",
    "sub": "font-size:15px;font-weight:650;margin:14px 0 4px",
    "text": "margin:4px 0;padding:0;border:0;text-indent:0",
    "first": "margin:8px 0;padding:8px 12px;background:#e6f0f8;border-radius:6px",
    # a page around it may say otherwise of every list and table
    "list": "margin:4px 0;padding-left:20px;list-style:disc",
    "numbers": "margin:4px 0;padding-left:20px;list-style:decimal",
    "item": "list-style:inherit;margin:0;padding:0;border:0;background:none;text-indent:0",
    "fixed": "white-space:nowrap",
    "table": "border-collapse:collapse;border:0;width:100%;margin:8px 0;font-size:13px",
    "cell": "text-align:left;vertical-align:top;padding:4px 8px;border:0;border-bottom:1px solid #e5e2da;"
    "overflow-wrap:break-word",
    "pic": "display:block;max-width:100%;height:auto;margin:6px 0",
    "muted": "color:#69645b;padding:0;border:0;text-indent:0",
    "foot": "color:#69645b;font-size:12px;margin:12px 0 0;padding:0;border:0;text-indent:0",
    "fail": "color:#a33600;font-weight:650;white-space:nowrap",
    "warn": "color:#7a5600;font-weight:650;white-space:nowrap",
    "unsure": "color:#5d4a86;font-weight:650;white-space:nowrap",
    "early": "color:#5d4a86;font-weight:650;white-space:nowrap",
    "ok": "color:#00695a;font-weight:650;white-space:nowrap",
    "code": "font:12px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:6px 0",
}


def to_fragment(d: Diagnosis, *, styling: Styling = "inline", title: str = "") -> str:
    """One `<div>` that tells the diagnosis: verdict, first thing to do, curves, findings, causes, checks, limits.

    With `inline` every style stands in its element and the curves are images with their data inside, which is what
    sanitizers of notebooks let through. With `sheet` one style sheet, scoped to the class `curvedoc`, stands at the
    top and the curves are inline SVG. Never a script, a link or a request. The same diagnosis gives the same bytes.
    """
    out = _Writer(styling)
    head = summarize(d)
    many = len(d.runs) != 1
    if many:
        tally = ", ".join(f"{n:,} {words.VERDICTS[v][1].lower()}" for v, n in head.counts)
        place = f" in {title}" if title else ""
        out.add("p", "muted", f"{words.count(len(d.runs), 'run')}{place}" + (f": {tally}" if tally else ""))
        out.add("div", "head", head.headline)
        for text in head.details:
            out.add("p", "text", text)
        out.first(head.first, named=True)
        out.runs(worst_first(d))
    pictures: dict[str, list[Figure]] = {}
    for figure in figures(d, FULL):
        pictures.setdefault(figure.run, []).append(figure)
    told = flagged(d)
    for run in told[:FULL]:
        _run(out, run, pictures.get(run.run, []), many)
    if len(told) > FULL:
        out.add("p", "muted", f"{words.count(len(told) - FULL, 'more flagged run')} in the full report.")
    for u in d.unreadable[:10]:
        out.add("p", "muted", f"Could not be read: {u.path}: {u.reason}")
    out.add("p", "foot", f"curvedoc {d.version}" + (f", rules {d.rules_digest[:12]}" if d.rules_digest else ""))
    return out.close()


class _Writer:
    """Elements one after another; every text is freed of credentials, made visible and escaped on its way in."""

    def __init__(self, styling: Styling) -> None:
        self.styling = styling
        self.parts: list[Markup] = []

    def style(self, name: str) -> Markup:
        """The attribute that gives an element its look."""
        if self.styling == "sheet":
            return Markup(' class="cd-{}"').format(name)
        return Markup(' style="{}"').format(_STYLES[name])

    def text(self, text: str) -> Markup:
        """Foreign text, harmless."""
        return escape(clip(visible(redact(text)), _TEXT))

    def markup(self, tag: str, style: str, inner: Markup) -> Markup:
        """An element around finished markup."""
        return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), self.style(style), inner)

    def add(self, tag: str, style: str, text: str) -> None:
        """An element with a text."""
        self.parts.append(self.markup(tag, style, self.text(words.cap(text))))

    def items(self, heading: str, texts: list[str], tag: str = "ul") -> None:
        """A list, under a heading unless that is empty; nothing for an empty list."""
        if not texts:
            return
        if heading:
            self.add("div", "sub", heading)
        rows = Markup("").join(self.markup("li", "item", self.text(words.cap(t))) for t in texts)
        self.parts.append(self.markup(tag, "numbers" if tag == "ol" else "list", rows))

    def first(self, first: First | None, named: bool) -> None:
        """The one thing to do."""
        if first is None:
            return
        cost = f" ({words.COSTS[first.cost]})" if first.cost else ""
        on = f" on {words.run_name(first.run)}" if named and words.run_name(first.run) else ""
        lead = Markup("<b>{}</b>").format(self.text(f"{first.label}{on}{cost}:"))
        said = self.text(f"{words.cap(first.ask)} {sentence(words.cap(first.how))}".strip())
        inner = Markup("{} {}").format(lead, said)
        if first.probe:
            code = self.markup("pre", "code", escape(visible_block(redact(first.probe.strip("\n")))[:3000]))
            lines = first.probe.strip("\n").count("\n") + 1
            folded = Markup("<details><summary>Code for it, {}</summary>{}</details>")
            inner += folded.format(words.count(lines, "line"), code) if lines > _PROBE else code
        self.parts.append(self.markup("div", "first", inner))

    def table(self, names: tuple[str, ...], rows: list[tuple[Markup, ...]]) -> None:
        """A table of finished cells."""
        head = Markup("").join(self.markup("th", "cell", self.text(n)) for n in names)
        body = Markup("").join(
            Markup("<tr>{}</tr>").format(Markup("").join(self.markup("td", "cell", c) for c in row)) for row in rows
        )
        inner = Markup("<thead><tr>{}</tr></thead><tbody>{}</tbody>").format(head, body)
        self.parts.append(self.markup("table", "table", inner))

    def verdict(self, run: RunDiagnosis) -> Markup:
        """Glyph and word of a verdict."""
        glyph, word, style = words.VERDICTS[run.verdict]
        return self.markup("span", style, self.text(f"{glyph} {word}"))

    def runs(self, runs: tuple[RunDiagnosis, ...]) -> None:
        """The table of runs."""
        rows = []
        for r in runs[:_ROWS]:
            lead = lead_finding(r)
            found = lead.title if lead else ""
            cells: tuple[str, ...] = (
                words.run_name(r.run),
                found,
                why(r),
                words.step(onset(r)) if onset(r) is not None else "",
                words.value(last_value(r)) if last_value(r) is not None else "",
            )
            rows.append((self.verdict(r), *(self.text(c) for c in cells)))
        if rows:
            self.table(("Verdict", "Run", "Finding", "Likeliest cause", "Onset", "Last value"), rows)
        if len(runs) > _ROWS:
            self.add("p", "muted", f"{len(runs) - _ROWS:,} more runs not shown.")

    def picture(self, figure: Figure) -> None:
        """A figure: an image with its data inside, or the SVG itself."""
        alt = escape(visible(redact(figure.alt)))
        if self.styling == "inline":
            data = base64.b64encode(svg(figure).encode("utf-8")).decode("ascii")
            self.parts.append(
                Markup('<img alt="{}" src="data:image/svg+xml;base64,{}"{}>').format(alt, data, self.style("pic"))
            )
            return
        own = svg(figure, f"{figure.name}c0")  # a figure's name is unique in the document
        opened = Markup('<svg role="img" aria-label="{}"{} ').format(alt, self.style("pic"))
        self.parts.append(Markup(own.replace("<svg ", opened, 1)))

    def close(self) -> str:
        """The fragment as text."""
        body = Markup("\n").join(self.parts)
        if self.styling == "inline":
            return str(Markup("<div{}>\n{}\n</div>\n").format(self.style("box"), body))
        rules = "".join(f".curvedoc .cd-{n}{{{css}}}" for n, css in _STYLES.items() if n != "box")
        sheet = Markup("<style>.curvedoc{{{}}}{}</style>").format(Markup(_STYLES["box"]), Markup(rules))
        return str(Markup('<div class="curvedoc">{}\n{}\n</div>\n').format(sheet, body))


def _run(out: _Writer, run: RunDiagnosis, pictures: list[Figure], many: bool) -> None:
    name = words.run_name(run.run)
    line = out.verdict(run) + (Markup(" <code>{}</code>").format(out.text(name)) if name else Markup(""))
    out.parts.append(out.markup("p", "text", line))
    out.add("div", "sub" if many else "head", run.headline)
    if not many:
        out.first(first_thing(run), named=False)
    for figure in pictures:
        out.picture(figure)
    if pictures:
        out.items("", [f"{p.text}, {words.unit(run.axis)} {p.step:,}" for p in picture(run).pins], "ol")
    found = [f for f in ranked_findings(run) if f.kind != "gap"][:8]
    said = []
    for f in found:
        at = where(f, run.axis)
        proof = "; ".join(e.text for e in f.evidence[:2])
        said.append(f"{f.title}" + (f" ({at})" if at else "") + (f": {proof}" if proof else ""))
    out.items("What was found", said)
    if run.causes and not explains_nothing(run):
        likely = run.causes[0].probability >= words.ASSERTED
        out.add("div", "sub", "Likely causes" if likely else "Possible causes")
        shown = run.causes[:4]
        columns = 4 if any(c.against for c in shown) else 3
        names = ("Cause", "Likelihood", "For", "Against")
        out.table(names[:columns], [_cause(out, run, c)[:columns] for c in shown])
        out.items("Fix", [f for c in run.causes[:2] if c.probability >= words.POSSIBLE for f in c.fix][:5], "ol")
        path = tree(run)
        open_ = [n for n in path.nodes if n.state in ("next", "leaning", "later")][:4] if path else []
        out.items("Check", [f"{n.ask} ({words.COSTS[n.cost]})" for n in open_])
    if run.verdict != "healthy" and (needs := missing(run)):
        out.add("p", "muted", f"Not logged: {', '.join(signal_name(n) for n, _ in needs[:8])}.")
    out.items("What these curves cannot show", list(limits(run)))


def _cause(out: _Writer, run: RunDiagnosis, c: RankedCause) -> tuple[Markup, ...]:
    def told(texts: list[str]) -> Markup:
        return Markup("<br>").join(out.text(words.cap(t)) for t in texts)

    return (
        out.text(words.cap(c.title)),
        Markup("{},<br>{}").format(
            out.markup("span", "fixed", out.text(words.cap(words.likelihood(c.probability)))),
            out.markup("span", "fixed", out.text(words.percent(c.probability))),
        ),
        told([words.cap(e.text) for e in c.supports[:4]]),
        told([e.text for e in c.against[:4]]),
    )
