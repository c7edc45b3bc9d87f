"""What every rule file must keep, shipped or just begun."""

from __future__ import annotations

import math
import re

from curvedoc.rulebook.compiler import FIELD
from curvedoc.rulebook.rule import Cause, Rule

#: More than this in one file must be explained.
MOST_PARAMS, MOST_MEASURES = 14, 24
_NUMBER = re.compile(r"(?<![\w.-])(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)(?: ?(%))?(?!\w)")


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
        needed = {n.name for n in rule.program.needs} | set(rule.program.patterns) | set(rule.program.facts)
        read = {name for _, group in rule.when for e in group for name in e.names}
        measured = rule.program.formulas
        seen: set[str] = set()
        while read - seen:
            name = (read - seen).pop()
            seen.add(name)
            if name in measured:
                read |= set(measured[name].names)
        assert seen & needed, "the conditions read none of the inputs and no fact"


def says_why_it_is_complex(file: Rule | Cause) -> None:
    own = [p for p in file.program.params if not p.shared]
    many = len(own) > MOST_PARAMS or len(file.program.measures) - len(file.program.shared) > MOST_MEASURES
    assert file.complex_because or not many, "more params or measures than a reader holds: split it, or say why"


def names_its_thresholds(rule: Rule) -> None:
    """A number in prose that is a param's value names the param, so that page and rule cannot part ways."""
    for prose in (rule.what, rule.why, rule.lookalikes):
        for number, percent in _NUMBER.findall(FIELD.sub("", prose)):
            value = float(number.replace(",", "")) / (100 if percent else 1)
            own = (p for p in rule.program.params if not p.shared)
            same = [p.name for p in own if math.isclose(p.value, value, rel_tol=1e-9)]
            assert not same, f"{number}{percent} in prose is the param {' or '.join(same)}: write {{{same[0]}}}"


def uses_what_it_declares(rule: Rule) -> None:
    read = {name for e in rule.program.formulas.values() for name in e.names}
    read |= {name for _, group in rule.when for e in group for name in e.names} | set(rule.strength.names)
    read |= {
        *rule.excused_by,
        *rule.harmless_if,
        *rule.undecided_if,
        rule.onset or "",
        rule.until or "",
        *(at or "" for at in rule.title_steps),
    } | {m for link in rule.causes for m in link.times}
    said = (*rule.titles, *rule.evidence)
    texts = [rule.what, rule.why, rule.lookalikes, *(s.text for s in said)]
    read |= {field.partition(":")[0] for text in texts for field in FIELD.findall(text)}
    read |= {s.given or "" for s in said} | {name for case in rule.tests for name in case.near}
    marks = [s.mark for s in rule.evidence if s.mark is not None]
    read |= {name or "" for m in marks for name in (m.metric, m.point, m.start, m.end, m.level)}
    declared = [p.name for p in rule.program.params] + [name for name, _ in rule.program.measures]
    assert [name for name in declared if name not in read] == []
