"""The HTML report: one file that holds everything, loads nothing, and is complete with scripts off."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from markupsafe import Markup

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.report import words
from curvedoc.report.charts.drawing import drawing
from curvedoc.report.charts.panels import RunPicture, picture
from curvedoc.report.escape import visible
from curvedoc.report.html.boxes import boxes, share_bar
from curvedoc.report.html.detail import left_out, thinned
from curvedoc.report.html.key_figures import read, stats
from curvedoc.report.html.levels import INLINE, LEVELS, LIMIT, Detail
from curvedoc.report.html.neighbor import Neighbor, references, with_sections
from curvedoc.report.html.reference import entries
from curvedoc.report.html.rows import Row, rows
from curvedoc.report.html.section import RunSection, section
from curvedoc.report.html.section_cache import Pieces
from curvedoc.report.html.stills import Still, with_stills
from curvedoc.report.html.template import environment
from curvedoc.report.inbox import top_sentence
from curvedoc.report.redact import redact
from curvedoc.report.summary import Summary, explains_nothing, lead_finding, sentence, summarize, worst_first

_HERE = Path(__file__).parent


def to_html(
    d: Diagnosis,
    *,
    title: str = "",
    baked: int | None = None,
    pairs: Mapping[str, str] | None = None,
    headline: str = "",
) -> str:
    """The report as one HTML document of at most `detail.LIMIT` bytes, or as near to it as its least detail comes.

    `title` says what was analyzed (a path). `baked` is the number of flagged runs whose curves are drawn as static
    pictures, worst first, so that they show with scripts off; 0 for none, and a single run has them whatever its
    verdict. The same diagnosis gives the same bytes. What was left out for size is
    said at the end of the page. `pairs` says beside which run another is to be drawn, where that is not for the page to
    choose; `headline` stands in place of its own.
    """
    pieces = Pieces()
    for level in LEVELS:
        wanted = level if baked is None else replace(level, baked=baked)
        last = len(d.runs) < 2 or level is LEVELS[-1]
        most = None if last else LIMIT
        text = _page(d, title, wanted, pieces, most, pairs, headline)
        if last or (text and len(text.encode("utf-8", "surrogatepass")) <= LIMIT):
            break
    return text


def _page(
    d: Diagnosis,
    title: str,
    detail: Detail,
    pieces: Pieces,
    most: int | None,
    pairs: Mapping[str, str] | None,
    headline: str,
) -> str:
    """The page at one level of detail; "" as soon as it is longer than `most`. pieces: what other levels made."""
    head, runs = summarize(d), worst_first(d)
    chosen = with_sections(runs, detail.sections)
    held = {r.run for r in chosen}
    texts = tuple(r for r in runs[: detail.rows] if r.verdict in ("failed", "warning") and r.run not in held)
    texts = texts[: detail.texts]
    ids = {r.run: f"r{i + 1}" for i, r in enumerate((*chosen, *texts))}
    pictures = tuple(pieces.once(("picture", r.run), partial(picture, r)) for r in chosen)
    beside = references(chosen, pictures, pairs or {})
    refs = {name: other.run for name, other in beside.items()}
    refs_of = {ids[name]: other for name, other in beside.items()}
    about = pieces.once("about", partial(entries, chosen))
    known = frozenset(e.id for e in about)
    templates = json.loads((_HERE / "assets" / "panels.json").read_text("utf-8"))["templates"]
    thin = thinned(chosen, pictures, detail, pieces)
    stills = {}
    for i, (run, pic) in enumerate(zip(chosen, pictures, strict=True)):
        if detail.baked > 0 and (len(runs) == 1 or (run.verdict in ("failed", "warning") and i < detail.baked)):
            stills[i] = Still(run, pic, _drawing(run, pic, thin.each[i], pieces), f"r{i + 1}")
    listed = runs[: detail.rows]
    table = rows(d, (*listed, *(r for r in chosen[-1:] if r not in listed)), ids, pieces.once("sparks", dict))
    by_name = {row.run.run: row for row in table}
    sections = []
    for i, (run, pic) in enumerate(zip(chosen, pictures, strict=True)):
        whole, places = i < detail.whole, stills[i].places if i in stills else []
        make = partial(section, by_name[run.run], pic, places, whole)
        sections.append(pieces.once(("section", run.run, i, whole, i in stills), make))
    short = [by_name[r.run] for r in texts]
    css, script = _asset("page.css"), _asset("bundle.js")
    if most is not None and not _fits(most, (css, script), _largest(table, sections, short, refs_of, known, pieces)):
        return ""  # before the curves are drawn, which is more work
    drawings = [_drawing(r, p, thin.each[i], pieces) for i, (r, p) in enumerate(zip(chosen, pictures, strict=True))]
    named = title if len(runs) == 1 else ""
    payload = _payload(d, chosen, drawings, refs, templates, pieces, named, detail.whole, texts)
    single = table[0] if len(table) == 1 else None
    context = {
        "d": d,
        "head": head,
        "headline": headline or (top_sentence(d, head) if len(runs) > 1 else head.headline),
        "inline": INLINE,
        "groups": boxes(d, ids),
        "bar": share_bar(head) if len(runs) > 1 else (),
        "flagged": sum(r.verdict in ("failed", "warning") for r in runs),
        "title": title,
        "tab": _tab(head, single, title),
        "single": single,
        "details": head.details if not single else (),
        "rows": table,
        "tally": [(words.VERDICTS[v][2], words.VERDICTS[v][1], n) for v, n in head.counts],
        "stats": stats(d, head),
        "sections": sections,
        "texts": short,
        "first_id": ids.get(head.first.run, "") if head.first else "",
        "refs": refs_of,
        "about": about,
        "known": known,
        "hidden": len(runs) - len(ids),
        "nav": _nav(sections, many=len(runs) > 1, grouped=bool(boxes(d, ids))),
        "left_out": left_out(detail, thin, len(runs), len(chosen), len(texts)),
        "read": read(d),
        "notes": sum(len(r.notes) + sum(len(s.notes) for s in r.sources) for r in d.runs),
        "report": hashlib.sha256(payload.encode()).hexdigest()[:12],
        "policy": policy(script, css),
        "css": Markup(css),
        "script": Markup(script),
        "data": Markup(payload),
        "pieces": pieces,
    }
    parts: list[str] = []
    room = float("inf") if most is None else most
    for part in environment().get_template("page.html.j2").generate(context):
        parts.append(part)
        room -= len(part)
        if room < 0:
            return ""
    # last, since a page that is too long needs none
    return with_stills("".join(parts), stills.values(), pieces, room)


def _largest(
    table: Iterable[Row],
    sections: Iterable[RunSection],
    texts: Iterable[Row],
    refs: Mapping[str, Neighbor],
    known: frozenset[str],
    pieces: Pieces,
) -> Iterator[str]:
    """What a page of several runs is mostly made of: the lines of its table and its sections, as the template asks."""
    yield from (pieces.row(row, n) for n, row in enumerate(table, 1))
    yield from (pieces.section(s, True, refs.get(s.row.id), known) for s in sections)
    yield from map(pieces.told, texts)


def _fits(most: int, *parts: Iterable[str]) -> bool:
    """Whether so many characters hold all the parts; makes none after the one that is too much."""
    room = most
    for part in chain(*parts):
        room -= len(part)
        if room < 0:
            return False
    return True


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


def _drawing(run: RunDiagnosis, pic: RunPicture, thin: tuple[int, bool], pieces: Pieces) -> dict[str, Any]:
    return pieces.once(("drawing", run.run, *thin), partial(drawing, pic, *thin))


def _payload(
    d: Diagnosis,
    runs: tuple[RunDiagnosis, ...],
    drawn: Sequence[dict[str, Any]],
    refs: dict[str, str],
    templates: dict[str, Any],
    pieces: Pieces,
    title: str,
    whole: int,
    texts: tuple[RunDiagnosis, ...],
) -> str:
    """What the script reads, as JSON that cannot end its own element."""
    from curvedoc.report.markdown import brief, run_to_markdown

    ids = {r.run: f"r{i + 1}" for i, r in enumerate(runs)}
    table = {
        ids[r.run]: data
        | {
            "n": visible(words.run_name(r.run) or title),
            "axis": r.axis,
            **(_answerable(r) if i < whole else {}),
            "ref": ids.get(refs.get(r.run, ""), ""),
            "md": pieces.once(
                ("markdown", r.run, i < whole), partial(run_to_markdown if i < whole else brief, r, d, title)
            ),
        }
        for i, (r, data) in enumerate(zip(runs, drawn, strict=True))
    }
    for i, r in enumerate(texts, len(runs) + 1):
        md = pieces.once(("markdown", r.run, False), partial(brief, r, d))
        table[f"r{i}"] = {"n": visible(words.run_name(r.run)), "axis": r.axis, "md": md}
    text = json.dumps({"runs": table, "templates": templates}, separators=(",", ":"), allow_nan=False)  # ASCII only
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _answerable(run: RunDiagnosis) -> dict[str, Any]:
    """What answers to checks can change: the causes, what they leave over, and the headline without a cause."""
    if not run.causes or explains_nothing(run):
        return {}
    lead = lead_finding(run)

    def said(text: str) -> str:
        return visible(redact(words.cap(text)))

    causes = [
        {
            "id": c.cause,
            "title": said(c.title),
            "p": words.json_number(c.probability),
            "beside": bool(c.beside),
            "action": said(c.action),
        }
        for c in run.causes
    ]
    return {
        "causes": causes,
        "none": words.json_number(run.none_of_these),
        "story": said(sentence(lead.title if lead else run.headline)),
    }


def _tab(head: Summary, single: Row | None, title: str) -> str:
    what = (
        f"{single.word}: {visible(words.run_name(single.run.run))}".rstrip(": ")
        if single
        else head.headline.rstrip(".")
    )
    return " · ".join(part for part in (what[:120], visible(title)[:80], "curvedoc") if part)


def _nav(sections: Iterable[RunSection], many: bool, grouped: bool) -> list[tuple[str, str, str]]:
    made = list(sections)
    first = made[0].row.id if made else "verdict"
    present = [
        ("verdict", "Verdict", "verdict", True),
        ("groups", "What to fix", "groups", grouped),
        ("runs", "Runs", "runs", many),
        ("curves", "Curves", first, bool(made)),
        ("found", "Findings", first, any(s.found for s in made)),
        ("causes", "Causes", first, any(s.causes for s in made)),
        ("checks", "Checks", first, any(s.tree for s in made)),
        ("missing", "Missing signals", first, any(s.missing for s in made)),
    ]
    return [(key, word, target) for key, word, target, there in present if there]
