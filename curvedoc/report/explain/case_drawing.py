"""A test case of a rule as a small picture's data: its curves by panel, and what the rule marks on them."""

from __future__ import annotations

from dataclasses import dataclass

from curvedoc.core.diagnosis import Curve
from curvedoc.core.run import Run
from curvedoc.diagnose.cases import build, judge
from curvedoc.diagnose.thinning import thin
from curvedoc.report.charts.panels import family
from curvedoc.rulebook.rule import Rule
from curvedoc.rulebook.schema.case import Case

BUCKETS = 96
_MOST_PANELS = 3
_MOST_LINES = 5
_MOST_LOG = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One curve of a panel."""

    name: str
    curve: Curve


@dataclass(frozen=True, slots=True)
class Strip:
    """One panel: curves on one scale, and the levels that the rule names on it."""

    name: str
    lines: tuple[Line, ...]
    levels: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One case of a rule: what was logged, and what the rule says of it."""

    rule: str
    name: str
    expect: str
    axis: str
    strips: tuple[Strip, ...]
    start: int
    end: int
    onset: int | None
    until: int | None
    points: tuple[int, ...]  # steps that the evidence marks
    log: tuple[str, ...]
    said: tuple[str, ...]


def drawn(rule: Rule, case: Case) -> Drawn:
    """The picture of a case; without a series it has no panel."""
    run = build(case, case, ranks=case.ranks)
    finding = judge(rule, case).finding
    marks = [m for e in finding.evidence for m in e.marks] if finding else []
    members = [("", run), *((f"repeat {i}", build(m, case, f"sibling {i}")) for i, m in enumerate(case.siblings, 1))]
    lines = [line for name, member in members for line in _lines(name, member)]
    by_panel: dict[str, list[Line]] = {}
    # the training curve first, as in a report
    for line in sorted(lines, key=lambda x: family(x.curve.role) != x.curve.role):
        by_panel.setdefault(family(line.curve.role), []).append(line)
    wanted = [family(n.target) for n in rule.program.needs if n.source == "role"]
    order = sorted(by_panel, key=lambda k: (k != "loss", wanted.index(k) if k in wanted else len(wanted)))
    strips = []
    for key in order[:_MOST_PANELS]:
        metrics = {line.curve.metric for line in by_panel[key]}
        levels = tuple(dict.fromkeys(m.level for m in marks if m.level is not None and m.metric in metrics))
        strips.append(Strip(key.replace("_", " "), tuple(by_panel[key][:_MOST_LINES]), levels))
    known = [c.curve for s in strips for c in s.lines]
    start = min((c.step[0] for c in known), default=0)
    end = max((_last(lines, c) for c in known), default=1)
    onset = finding.first_step if finding else None
    return Drawn(
        rule.id,
        case.name,
        case.expect,
        case.axis,
        tuple(strips),
        min(0, start),
        max(end, start + 1),
        onset if onset is not None and onset >= 0 else None,
        finding.last_step if finding else None,
        tuple(sorted({m.start for m in marks if m.start is not None and m.end is None and m.start != onset})),
        tuple((case.log or [])[:_MOST_LOG]),
        tuple(e.text for e in finding.evidence) if finding else (),
    )


def _lines(member: str, run: Run) -> list[Line]:
    """The curves of a run in the order of its roles, each rank on its own."""
    out = []
    ranks = run.ranks()
    for match in run.roles:
        for rank in ranks:
            series = run.metric(match.metric, rank)
            if series is None:
                continue
            # of a layer the panel names the role
            name = match.label if match.role.startswith("layer_") else f"{match.role} {match.label}".strip()
            name += f", rank {rank}" if len(ranks) > 1 else ""
            out.append(Line(f"{name}, {member}" if member else name, thin(series, match.role, match.label, BUCKETS)))
    return out


def _last(lines: list[Line], curve: Curve) -> int:
    # a bucket knows its first step only; the others of the panel end where the case does
    width = curve.step[-1] - curve.step[-2] if len(curve.step) > 1 else 0
    return curve.step[-1] + (width if curve.points > len(curve.step) else 0)
