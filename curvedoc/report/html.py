"""The HTML report: one file that holds everything, loads nothing, and is complete with scripts off."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from markupsafe import Markup

from curvedoc.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.model import Note
from curvedoc.report import view, words
from curvedoc.report.drawing import drawing
from curvedoc.report.escape import visible, visible_block
from curvedoc.report.marks import notes
from curvedoc.report.order import in_order
from curvedoc.report.panels import Picture
from curvedoc.report.redact import redact
from curvedoc.report.summary import Summary, last_value, main_curve, onset, sentence, summarize, worst_first

_HERE = Path(__file__).parent
#: Runs with a section of their own; the table lists all. Keeps the file under 4 MB and the page quick.
SECTIONS = 60
#: Bytes of curve data in the page; with many runs the buckets of the unflagged ones are merged until it fits.
_DATA_BUDGET = 1_500_000
_BUCKET_BYTES, _RAW_BYTES = 24, 12  # of one bucket (step, mean, low, high) and one raw value (step, value) as JSON
_FULL, _LEAST = 420, 60

Figure = tuple[str, str, str]  # label, figure, unit or word


def to_html(d: Diagnosis, *, title: str = "", baked: int = 5) -> str:
    """The report as one HTML document.

    `title` says what was analyzed (a path). `baked` is the number of flagged runs whose curves are drawn as static
    pictures, worst first, so that they show with scripts off; 0 for none, and a single run has them whatever its
    verdict. The same diagnosis gives the same bytes.
    """
    head, runs = summarize(d), worst_first(d)
    chosen = _with_sections(runs)
    ids = {r.run: f"r{i + 1}" for i, r in enumerate(chosen)}
    pictures = view.pictures(chosen)
    refs = _references(chosen, pictures, ids)
    templates = json.loads((_HERE / "assets" / "panels.json").read_text("utf-8"))["templates"]
    drawn = _drawings(chosen, pictures, baked)
    table = view.rows(d, runs, ids)
    by_name = {row.run.run: row for row in table}
    sections = []
    for i, (run, pic, data) in enumerate(zip(chosen, pictures, drawn, strict=True)):
        alone = len(runs) == 1
        still = baked > 0 and (alone or (run.verdict in ("failed", "warning") and i < baked))
        sections.append(
            view.section(by_name[run.run], pic, _baked(run, pic, data, templates, f"r{i + 1}") if still else [])
        )
    payload = _payload(d, chosen, drawn, refs, templates)
    css, script = _asset("page.css"), _asset("bundle.js")
    single = table[0] if len(table) == 1 else None
    context = {
        "d": d,
        "head": head,
        "title": title,
        "tab": _tab(head, single, title),
        "single": single,
        "details": head.details if not single else (),
        "rows": table,
        "tally": [(words.VERDICTS[v][2], words.VERDICTS[v][1], n) for v, n in head.counts],
        "stats": stats(d, head),
        "sections": sections,
        "refs": {ids[k]: v for k, v in refs.items()},
        "hidden": len(runs) - len(chosen),
        "nav": _nav(sections, many=len(runs) > 1),
        "read": _read(d),
        "notes": sum(len(r.notes) + sum(len(s.notes) for s in r.sources) for r in d.runs),
        "report": hashlib.sha256(payload.encode()).hexdigest()[:12],
        "policy": policy(script, css),
        "css": Markup(css),
        "script": Markup(script),
        "data": Markup(payload),
    }
    return str(_environment().get_template("page.html.j2").render(context))


def policy(script: str, css: str) -> str:
    """The content policy: this script and this style by their hashes, data images, nothing else at all."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(css)}; img-src data:; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types default"
    )


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def _asset(name: str) -> str:
    return (_HERE / "assets" / name).read_text("utf-8")


def _with_sections(runs: tuple[RunDiagnosis, ...]) -> tuple[RunDiagnosis, ...]:
    """The worst runs, and one healthy one to compare them with."""
    if len(runs) <= SECTIONS:
        return runs
    best = next((r for r in reversed(runs) if r.verdict == "healthy"), None)
    chosen = runs[:SECTIONS]
    return chosen if best is None or best in chosen else (*chosen[:-1], best)


def _references(runs: tuple[RunDiagnosis, ...], pictures: tuple[Picture, ...], ids: dict[str, str]) -> dict[str, str]:
    """For each run the name of a healthy sibling that shares its first panel and its axis."""
    out = {}
    healthy = [(r, p) for r, p in zip(runs, pictures, strict=True) if r.verdict == "healthy" and p.panels]
    for r, p in zip(runs, pictures, strict=True):
        for h, hp in healthy:
            if h is not r and p.panels and hp.axis_key(h.axis) == p.axis_key(r.axis):
                out[r.run] = h.run
                break
    return out


def _drawings(runs: tuple[RunDiagnosis, ...], pictures: tuple[Picture, ...], baked: int) -> list[dict[str, Any]]:
    curves = [c for p in pictures for panel in p.panels for c in panel.curves]
    total = sum(len(c.step) * _BUCKET_BYTES + len(c.raw[0]) * _RAW_BYTES for c in curves)
    if total <= _DATA_BUDGET:
        return [drawing(p, _FULL) for p in pictures]
    bare = sum(len(c.step) for c in curves) * _BUCKET_BYTES
    most = max(_LEAST, min(_FULL, int(_FULL * _DATA_BUDGET / max(1, bare))))
    first = [i < baked and r.verdict == "failed" for i, r in enumerate(runs)]
    return [drawing(p, _FULL if f else most, raw=f) for f, p in zip(first, pictures, strict=True)]


def _baked(run: RunDiagnosis, pic: Picture, data: dict[str, Any], templates: dict[str, Any], name: str) -> list[Markup]:
    from curvedoc.report.bake import bake

    return bake(data, templates, name, [f"{p.title} against {run.axis}. {run.headline}" for p in pic.panels])


def _payload(
    d: Diagnosis,
    runs: tuple[RunDiagnosis, ...],
    drawn: list[dict[str, Any]],
    refs: dict[str, str],
    templates: dict[str, Any],
) -> str:
    """What the script reads, as JSON that cannot end its own element."""
    from curvedoc.report.markdown import run_to_markdown

    ids = {r.run: f"r{i + 1}" for i, r in enumerate(runs)}
    table = {
        ids[r.run]: data
        | {
            "n": visible(words.run_name(r.run)),
            "axis": r.axis,
            "ref": ids.get(refs.get(r.run, ""), ""),
            "md": run_to_markdown(r, d),
        }
        for r, data in zip(runs, drawn, strict=True)
    }
    text = json.dumps({"runs": table, "templates": templates}, separators=(",", ":"), allow_nan=False)  # ASCII only
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def stats(d: Diagnosis, head: Summary) -> tuple[Figure, ...]:
    """The four figures beside the verdict, each (label, figure, its unit or word)."""
    c = head.cause
    sure = ("Likeliest cause", words.percent(c.probability), words.likelihood(c.probability)) if c else None
    if not d.runs:
        return ()
    if len(d.runs) == 1:
        return _stats_of_one(d, d.runs[0], sure)
    tally = dict(head.counts)
    rows = [("Failed", f"{tally.get('failed', 0):,}", f"of {len(d.runs):,}")]
    rows.append(("Warnings", f"{tally.get('warning', 0):,}", ""))
    if any(_lost(d)):
        rows.append(("After it first showed", *_lost(d)))
    elif tally.get("inconclusive"):
        rows.append(("Could not be judged", f"{tally['inconclusive']:,}", ""))
    rows.append(sure if sure and head.asserts else ("Healthy", f"{tally.get('healthy', 0):,}", ""))
    return tuple(rows)


def _stats_of_one(
    d: Diagnosis, run: RunDiagnosis, sure: tuple[str, str, str] | None
) -> tuple[tuple[str, str, str], ...]:
    curve = main_curve(run)
    rows = [("Onset", words.step(onset(run)), run.axis)] if onset(run) is not None else []
    rows += [("After it showed", *_lost(d))] if any(_lost(d)) and rows else []
    if curve:
        rows.append((f"Last {curve.role.replace('_', ' ')}", words.value(last_value(run)), ""))
    if sure:
        return (*rows[:3], sure)
    points, files = sum(s.points for s in run.sources), words.count(len(run.sources), "file")
    rows += [("Values read", f"{points:,}", f"in {files}")]
    rows += [("Left open", f"{len(run.not_judged):,}", "for lack of signals")] if run.not_judged else []
    return tuple(rows[:4])


def _lost(d: Diagnosis) -> tuple[str, str]:
    """What came after the first step at which a failure could be seen, in hours where a clock was logged."""
    hours = sum(r.cost.hours_wasted or 0.0 for r in d.runs)
    if hours >= 1:
        return f"{hours:,.1f}" if hours < 100 else f"{hours:,.0f}", "hours"
    if hours > 0:
        return words.hours(hours), ""
    steps = sum(r.cost.steps_wasted or 0 for r in d.runs)
    axes = {r.axis for r in d.runs if r.cost.steps_wasted}
    return (f"{steps:,}", f"{axes.pop()}s" if len(axes) == 1 else "steps") if steps else ("", "")


def _tab(head: Summary, single: view.Row | None, title: str) -> str:
    what = (
        f"{single.word}: {visible(words.run_name(single.run.run))}".rstrip(": ")
        if single
        else head.headline.rstrip(".")
    )
    return " · ".join(part for part in (what[:120], visible(title)[:80], "curvedoc") if part)


def _nav(sections: Iterable[view.Section], many: bool) -> list[tuple[str, str, str]]:
    made = list(sections)
    first = made[0].row.id if made else "verdict"
    present = [
        ("verdict", "Verdict", "verdict", True),
        ("runs", "Runs", "runs", many),
        ("curves", "Curves", first, bool(made)),
        ("found", "Findings", first, any(s.found for s in made)),
        ("causes", "Causes", first, any(s.causes for s in made)),
        ("checks", "Checks", first, any(s.tree for s in made)),
        ("missing", "Missing signals", first, any(s.missing for s in made)),
    ]
    return [(key, word, target) for key, word, target, there in present if there]


def _read(d: Diagnosis) -> str:
    sources = [s for r in d.runs for s in r.sources]
    files = {s.path: s for s in sources}
    kinds: dict[str, int] = {}
    for s in files.values():
        kinds[s.format] = kinds.get(s.format, 0) + 1
    listed = ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items()))
    total = sum(s.bytes for s in files.values())
    values = sum(s.points for s in sources)
    return (
        f"{words.count(len(files), 'file')} ({listed}), {words.size(total)}, {words.count(values, 'value')}"
        if files
        else "nothing"
    )


def _note(n: Note) -> str:
    where = f", line {n.line:,}" if n.line is not None else f", byte {n.offset:,}" if n.offset is not None else ""
    return n.text + where + (f" ({n.count:,} times)" if n.count > 1 else "")


@functools.cache
def _environment() -> Any:
    """Templates whose every expression is freed of credentials, made visible and escaped, unless it is `Markup`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    env = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "name": visible,
        "block": visible_block,
        "secret": redact,
        "sentence": sentence,
        "cap": words.cap,
        "run": lambda name: visible(words.run_name(name)),
        "step": words.step,
        "value": words.value,
        "size": words.size,
        "count": words.count,
        "cost": lambda c: words.COSTS.get(c, ""),
        "note": _note,
        "lastline": lambda text: next((x.strip() for x in reversed(text.splitlines()) if x.strip()), "")[:200],
        "in_order": in_order,
        "numbered": notes,
        "legend": lambda bands: dict.fromkeys((b.text, b.kind) for b in bands),
        "key": lambda text: "k" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10],
    }
    env.filters.update(filters)
    return env


def _shown(value: Any) -> Any:
    return value if isinstance(value, Markup) else visible_block(redact(str(value)))
