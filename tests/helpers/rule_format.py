"""What every rule file must keep, shipped or just begun."""

from __future__ import annotations

from curvedoc.rulebook.compile import FIELD
from curvedoc.rulebook.rule import Rule


def has_both_cases(rule: Rule) -> None:
    outcomes = {c.expect for c in rule.tests}
    assert "fires" in outcomes
    assert outcomes & {"silent", "not-judged"}
    assert len({c.name for c in rule.tests}) == len(rule.tests), "two cases of one name"


def keeps_house_format(rule: Rule) -> None:
    assert rule.title[0].isupper() and not rule.title.endswith(".")
    for prose in (rule.what, rule.why, rule.lookalikes):
        assert prose.endswith("."), "prose is made of sentences"
    for param in rule.program.params:
        assert len(param.why) > 10 and param.unit
    if rule.kind != "pathology":
        assert rule.severity == "note", "notices and gaps never change a verdict"
    else:
        assert rule.severity != "note", "a pathology is at least a warning"
    if rule.over == "run":
        needed = {n.name for n in rule.program.needs} | set(rule.program.patterns)
        read = {name for _, group in rule.when for e in group for name in e.names}
        measured = dict(rule.program.measures)
        seen: set[str] = set()
        while read - seen:
            name = (read - seen).pop()
            seen.add(name)
            if name in measured:
                read |= set(measured[name].names)
        assert seen & needed, "the conditions read none of the inputs"


def uses_what_it_declares(rule: Rule) -> None:
    read = {name for _, e in rule.program.measures for name in e.names}
    read |= {name for _, group in rule.when for e in group for name in e.names} | set(rule.strength.names)
    read |= {*rule.excused_by, rule.onset or "", rule.until or ""} | {m for link in rule.causes for m in link.times}
    texts = [rule.what, rule.lookalikes, *(s.text for s in rule.evidence)]
    read |= {field.partition(":")[0] for text in texts for field in FIELD.findall(text)}
    read |= {s.given or "" for s in rule.evidence} | {name for case in rule.tests for name in case.near}
    marks = [s.mark for s in rule.evidence if s.mark is not None]
    read |= {name or "" for m in marks for name in (m.metric, m.point, m.start, m.end, m.level)}
    declared = [p.name for p in rule.program.params] + [name for name, _ in rule.program.measures]
    assert [name for name in declared if name not in read] == []
