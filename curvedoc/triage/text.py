"""The terminal view of many runs: groups of one failure, then one line a run, worst first, then what was not read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from curvedoc.core.diagnosis import Diagnosis
from curvedoc.core.numbers import spelled
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.report import words
from curvedoc.report.escape import visible
from curvedoc.report.summary import summarize
from curvedoc.report.terminal.lines import Lines
from curvedoc.triage.rows import Row, rows

#: Lines of a table unless all were asked for.
LISTED = 60
_GROUPS, _UNREAD, _CONTRASTS = 20, 10, 5
_STYLE = {
    "failed": "bold red", "warning": "yellow", "ended-early": "blue", "inconclusive": "magenta", "healthy": "green",
}  # fmt: skip


def to_text(
    d: Diagnosis, *, width: int = 100, color: bool = False, ascii_only: bool = False, everything: bool = False
) -> str:
    """The triage as terminal text, lines at most `width` (60 or more) columns, ending with a newline.

    Healthy runs are counted and listed only with `everything`, as are lines beyond the first `LISTED`.
    """
    out = Lines(max(60, width), ascii_only)
    head = summarize(d)
    out.add((head.headline, "bold"), most=3)
    tally: list[tuple[str, str]] = [(f"{words.count(len(d.runs), 'run')}: ", "")]
    for i, (verdict, n) in enumerate(head.counts):
        tally += [(", " if i else "", ""), (words.verdicts(verdict, n), _STYLE[verdict])]
    if d.runs:
        out.add(*tally)
    for contrast in d.contrasts[:_CONTRASTS]:
        out.add(
            ("+ ", "green"), (contrast.text, ""), (f" (p = {spelled(contrast.p_value, '.2g')})", "dim"), hang=2, most=2
        )
    table = rows(d)
    _groups(out, d, {str(r["run"]): r for r in table})
    shown = table if everything else [r for r in table if r["verdict"] != "healthy"][:LISTED]
    if shown:
        _table(out, shown, {g.name for g in d.groups if len(g.runs) > 1})
    if len(table) > len(shown):
        out.add((f"   {words.count(len(table) - len(shown), 'run')} not shown, --all lists them", "dim"))
    if d.unreadable:
        out.blank()
        out.add((f"{words.count(len(d.unreadable), 'path')} could not be read", "yellow"))
        listed = d.unreadable if everything else d.unreadable[:_UNREAD]
        for u in listed:
            out.add((u.path, ""), (f": {u.reason}", "dim"), indent=3, hang=2, most=3)
        if len(d.unreadable) > len(listed):
            out.add((f"and {len(d.unreadable) - len(listed):,} more, --all lists them", "dim"), indent=3)
    return out.render(color)


def _groups(out: Lines, d: Diagnosis, known: dict[str, Row]) -> None:
    several = sorted((g for g in d.groups if len(g.runs) > 1), key=lambda g: -len(g.runs))
    if not several:
        return
    titles = {c.cause: c.title for r in d.runs for c in r.causes}
    out.blank()
    out.add(("Went wrong the same way", "bold"))
    for g in several[:_GROUPS]:
        row = known[g.representative]
        what = f"{g.name:<3}{words.count(len(g.runs), 'run'):>11}  "
        text = f"{row['finding'] or row['headline']}{_titled(row, titles)}"
        out.add((what, "cyan"), (text, ""), (f"  see {g.representative}", "dim"), indent=1, hang=16, most=3)
    if len(several) > _GROUPS:
        out.add((f"and {len(several) - _GROUPS:,} smaller groups", "dim"), indent=3)


def _titled(row: Row, titles: Mapping[str, str]) -> str:
    """The cause of a group with its likelihood, after its finding; "" where none is even possible."""
    chance = row["probability"]
    if not row["cause"] or not isinstance(chance, float) or chance < words.POSSIBLE:
        return ""
    return f"; {words.likelihood(chance)} cause: {lower_first(titles.get(str(row['cause']), _words(row['cause'])))}"


def _cause(row: Row) -> str:
    """A cause id in words with its probability; "" where none is even possible."""
    chance = row["probability"]
    if not row["cause"] or not isinstance(chance, float) or chance < words.POSSIBLE:
        return ""
    return f"{_words(row['cause'])} {words.percent(chance)}"


def _words(id_: object) -> str:
    """An id as words: a table has no room for titles."""
    return str(id_).replace("-", " ") if id_ else ""


def _lost(row: Row) -> str:
    hours, steps = row["hours_wasted"], row["steps_wasted"]
    if isinstance(hours, float) and hours > 0:
        return words.hours(hours)
    return f"{steps:,} steps" if isinstance(steps, int) and steps else ""


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def _last(row: Row) -> str:
    value = row["last_value"]
    return words.value(value) if isinstance(value, float) else ""


def _table(out: Lines, table: list[Row], several: Collection[str]) -> None:
    """Run, group, finding, cause, onset, last value, what came after the onset; the first four share the room.

    several: the groups of more than one run. How a run differs from a healthy one is told in full once for each.
    """
    right = [(_number(r["onset"]), _last(r), _lost(r)) for r in table]
    heads = ("onset", "last", "lost")
    wide = [max(len(h), *(len(c[i]) for c in right)) for i, h in enumerate(heads)]
    marks = [str(r["group"]) if r["group"] in several else "" for r in table]
    letters = max(map(len, marks), default=0)
    told: set[str] = set()
    free = out.width - 3 - (letters + 1) - sum(wide) - 3 * 2 - 4
    name = min(max(4, *(len(visible(r["run"])) for r in table)), max(12, free // 3))
    what = (free - name + 1) // 2
    cause = free - name - what
    out.blank()
    cells = [f"{h:>{w}}" for h, w in zip(heads, wide, strict=True)]
    gap = " " * (letters + 1)
    out.add(
        (f"   {'run':<{name}}  {gap}{'finding':<{what}}  {'cause':<{cause}}  {'  '.join(cells)}", "dim"), wrap=False
    )
    for row, mark, numbers in zip(table, marks, right, strict=True):
        verdict = str(row["verdict"])
        said = _words(row["symptom"]) or ("too little was logged" if verdict == "inconclusive" else "no problem found")
        tail = "  ".join(f"{n:>{w}}" for n, w in zip(numbers, wide, strict=True))
        out.add(
            (f"{words.VERDICTS[verdict][0]:<3}", _STYLE[verdict]),  # type: ignore[index]
            (out.fit(str(row["run"]), name) + "  ", ""),
            (f"{mark:<{letters + 1}}", "cyan"),
            (out.fit(str(said), what, end=True) + "  ", ""),
            (out.fit(_cause(row), cause, end=True) + "  ", "dim"),
            (tail, ""),
            wrap=False,
        )
        if row["differs"]:
            # in full for the first of a group
            most = 1 if mark in told else 2
            told |= {mark} if mark else set()
            out.add((str(row["differs"]), "dim"), indent=5, hang=2, most=most)
