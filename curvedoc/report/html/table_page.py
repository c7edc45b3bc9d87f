"""A TableContrast as a page: each setting that parts the runs, with the share of either side as a bar. No script."""

from __future__ import annotations

from markupsafe import Markup

from curvedoc.core.version import __version__
from curvedoc.diagnose.siblings.table_contrast import ResultContrast, TableContrast
from curvedoc.report import words
from curvedoc.report.comparison.table_contrast import NONE, NOTHING, head_of, held_of
from curvedoc.report.escape import clip, visible
from curvedoc.report.redact import redact

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root{color-scheme:light dark;--ink:#1d1b18;--muted:#69645b;--line:#e5e2da;--page:#f6f5f1;--card:#fff;--one:#b23c00;
--other:#0072b2}
@media(prefers-color-scheme:dark){:root{--ink:#ece9e2;--muted:#a8a296;--line:#3a3731;--page:#191815;--card:#22201c;
--one:#ff8a5c;--other:#5cb2e6}}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:860px;margin:0 auto;padding:28px 16px}
h1{font-size:25px;line-height:1.2;margin:0 0 6px;overflow-wrap:anywhere}h2{font-size:18px;margin:0 0 8px}
p{margin:4px 0}.muted{color:var(--muted)}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;margin:18px 0}
.part{border-top:1px solid var(--line);padding:10px 0}h2+.part{border-top:0}b{overflow-wrap:anywhere}
.bar{display:grid;grid-template-columns:minmax(60px,1fr) 11em;gap:10px;align-items:center;font-size:13px}
.track{height:10px;border-radius:5px;background:var(--line);overflow:hidden}.fill{height:100%}
.one .fill{background:var(--one)}.other .fill{background:var(--other)}
"""


def to_html(made: TableContrast) -> str:
    """One file that loads nothing: what the table holds, then what each outcome has to do with the settings."""
    title = clip(visible(made.path), 120)
    body = Markup("").join(_part(part) for part in made.parts) or Markup("<section><p>{}</p></section>").format(NOTHING)
    page = Markup(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}"><meta name="referrer" content="no-referrer">'
        '<meta name="generator" content="curvedoc {version}"><title>{title} · curvedoc</title>'
        "<style>{style}</style></head><body><main><h1>What parts the runs of {title}</h1>"
        '<p class="muted">{held}</p>{body}</main></body></html>\n'
    )
    return str(
        page.format(
            policy=_POLICY,
            version=__version__,
            title=title,
            style=Markup(_STYLE),
            held=words.cap(held_of(made)),
            body=body,
        )
    )


def _part(part: ResultContrast) -> Markup:
    rows = [
        Markup('<div class="part"><p><b>{}</b>: {} <span class="muted">(p = {:.2g})</span></p>{}{}</div>').format(
            clip(visible(c.key), 80), visible(redact(c.text)), c.p_value, _bar("one", c.failed_of),
            _bar("other", c.healthy_of),
        )
        for c in part.contrasts
    ]  # fmt: skip
    told = Markup("").join(rows) if rows else Markup("<p>{}</p>").format(NONE)
    return Markup("<section><h2>{}</h2>{}</section>").format(head_of(part), told)


def _bar(side: str, counted: tuple[int, int]) -> Markup:
    """The share of one side; its words say the same, so that nothing hangs on the color."""
    hit, of = counted
    share = 100 * hit / of if of else 0.0
    name = "with it" if side == "one" else "the others"
    track = Markup('<div class="track"><div class="fill" style="width:{:.1f}%"></div></div>').format(share)
    return Markup('<div class="bar {}">{}<span>{}</span></div>').format(side, track, f"{hit:,} of {of:,} {name}")
