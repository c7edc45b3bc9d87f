"""Loading rule files: all errors of all files at once, each with its place; nothing in a file can run or explode."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from curvedoc.core.errors import RuleError, RuleErrors, UsageError
from curvedoc.diagnose.cases import judge
from curvedoc.diagnose.cause_cases import check_cause
from curvedoc.rulebook.load import load, rules_dir, tune
from curvedoc.rulebook.rule import Answer
from curvedoc.rulebook.yaml12 import parse

GOOD = """
id: too-slow
title: The loss hardly moves
kind: pathology
severity: warning
what: It hardly moves.
why: It costs time.
lookalikes: A run near its floor.
needs: {loss: loss}
params:
  least: {value: 0.1, unit: ratio, why: "below a tenth nothing was learned", loose: 0.2, strict: 0.05}
measure:
  fell: 1 - last(loss) / first(loss)
when: [fell < least]
onset: began
evidence:
  - say: "fell by {fell:.0%}"
causes: []
tests:
  - {name: flat, series: {loss: [[0, 1], [100, 1]]}, expect: fires}
  - {name: falls, series: {loss: [[0, 1], [100, 0.1]]}, expect: silent}
references: [{title: a paper}]
""".replace("onset: began\n", "")

CAUSE = """
id: too-cold
title: The room is too cold
mechanism: Cold rooms slow the fans down.
needs: {step_size: config.lr?}
params: {high: {value: 0.5, unit: rate, why: "far above what is usual"}, least: {value: 0.01, unit: rate, why: "usual"}}
measure: {fast: step_size > high, slow: step_size < least}
checks:
  - {ask: Is it cold in there?, how: look, cost: look, yes: confirmed, no: ruled-out, answer: {yes: fast, no: slow}}
fix: [heat it]
"""


def folder(tmp_path: Path, **files: str) -> Path:
    place = tmp_path / "mine" / "shape"
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / f"{name.replace('_', '-')}.yaml").write_text(text)
    return tmp_path / "mine"


def errors(tmp_path: Path, **files: str) -> list[str]:
    with pytest.raises(RuleErrors) as caught:
        load([folder(tmp_path, **files)], builtin=False)
    return [str(e) for e in caught.value.errors]


def test_a_good_file_loads(tmp_path: Path) -> None:
    book = load([folder(tmp_path, too_slow=GOOD)], builtin=False)
    assert [r.id for r in book.rules] == ["too-slow"]
    assert book.rules[0].family == "shape"


def test_a_rule_is_silent_where_an_excuse_is_known_and_judged_where_none_is(tmp_path: Path) -> None:
    text = GOOD.replace("needs: {loss: loss}", "needs: {loss: loss, tuned: 'config.model? ~ \"tuned\"'}").replace(
        "when: [fell < least]", "when: [fell < least]\nexcused_by: [tuned]"
    )
    rule = load([folder(tmp_path, too_slow=text)], builtin=False).rules[0]
    flat = rule.tests[0]
    assert judge(rule, flat).outcome == "fires"
    assert judge(rule, flat.model_copy(update={"config": {"model": "a plain one"}})).outcome == "fires"
    assert judge(rule, flat.model_copy(update={"config": {"model": "a tuned one"}})).outcome == "silent"


def test_a_question_may_have_a_measure_for_yes_and_another_for_no(tmp_path: Path) -> None:
    causes = tmp_path / "causes"
    causes.mkdir()
    (causes / "too-cold.yaml").write_text(CAUSE)
    check = load([tmp_path], builtin=False).causes["too-cold"].checks[0]
    assert check.answer == Answer("fast", "slow")
    for answer, says in (("{}", "'yes', 'no' or both"), ("{yes: high}", "is not true/false"), ("{no: cold}", "is not")):
        (causes / "too-cold.yaml").write_text(CAUSE.replace("{yes: fast, no: slow}", answer))
        with pytest.raises(RuleErrors) as caught:
            load([tmp_path], builtin=False)
        assert any(says in str(e) for e in caught.value.errors)


CAUSE_CASE = """tests:
  - name: fast
    config: {lr: 0.9}
    expect: {for: [fast], answers: {Is it cold: yes}}
"""
PREDICTS = (
    "predicts: {settings: [{given: fast, for: clear, say: it is fast}, {given: slow, against: weak, say: slow}]}\n"
)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("", ""), ""),
        (("lr: 0.9", "lr: 0.1"), "'fast' does not hold: False; 'Is it cold' is answered leaning-no, expected yes"),
        (("lr: 0.9", "steps: 9"), "'fast' does not hold: None; 'Is it cold' is answered unanswerable, expected yes"),
        (("{for: [fast]", "{without: [fast]"), "'fast' holds"),
        (("yes}", "no}"), "'Is it cold' is answered yes, expected no"),
        (("yes}", "yes}, rank: 1"), "not among the first 1: no cause is named"),
        (("yes}", "yes}, above: [too-cold]"), "its evidence of 3 is not above the 3 of too-cold"),
        (("expect:", "known: miss\n    expect:"), "marked known: miss, but it passes now: remove the mark"),
    ],
)
def test_a_cause_has_cases_of_its_own(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    (tmp_path / "causes").mkdir()
    (tmp_path / "causes" / "too-cold.yaml").write_text(CAUSE + PREDICTS + CAUSE_CASE.replace(*change))
    book = load([tmp_path], builtin=False)
    cause = book.causes["too-cold"]
    assert check_cause(cause, cause.tests[0], book).problem == problem


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("for: [fast]", "for: [slow]"), "'for': no such line is given 'slow'"),
        (("Is it cold: yes", "Is it warm: yes"), "not one question begins with 'Is it warm'"),
        (("{for: [fast], answers: {Is it cold: yes}}", "{}"), "nothing is expected"),
        (("Is it cold: yes", "Is it cold: maybe"), "'leaning-no' or 'open'"),
    ],
)
def test_a_mistake_in_a_case_of_a_cause_is_named(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    assert change[0] in CAUSE_CASE
    (tmp_path / "causes").mkdir()
    (tmp_path / "causes" / "too-cold.yaml").write_text(CAUSE + PREDICTS + CAUSE_CASE.replace(*change))
    with pytest.raises(RuleErrors) as caught:
        load([tmp_path], builtin=False)
    assert any(says in str(e) for e in caught.value.errors), caught.value.errors


def test_every_error_of_every_file_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    one = GOOD.replace("fell < least", "fel < least").replace("severity: warning", "severity: awful")
    two = GOOD.replace("id: too-slow", "id: other").replace("{fell:.0%}", "{fell:1000000000}")
    three = GOOD.replace("id: too-slow", "id: third").replace("when: [fell < least]", "when: [fel < least]")
    told = errors(tmp_path, too_slow=one, other=two, third=three)
    assert any("severity" in t and "too-slow.yaml:5" in t for t in told)
    assert any("1000000000" in t and "is not a format" in t for t in told)
    assert any("did you mean 'fell'?" in t and "third.yaml:14" in t for t in told)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("fell < least", "fell"), "must give true/false"),
        (("needs: {loss: loss}", "needs: {loss: Loss Curve}"), "is not a role"),
        (("when: [fell < least]", "when: [fell < least]\nspeed: 3"), "speed"),
        (("measure:\n", "measure:\n  least: first(loss)\n"), "is taken already"),
        (("causes: []", "causes: [{cause: nobody, weight: 1, because: why not}]"), "has no file"),
        (("{fell:.0%}", "{loss}"), "names no number"),
        (("{fell:.0%}", "{fell.real}"), "names no number"),
        (("id: too-slow", "id: slow"), "is not the file name"),
        (("needs: {loss: loss}", "needs: {loss: loss}\npatterns: {hit: '(('}"), "not a regex"),
        (("needs: {loss: loss}", "needs: {loss: each loss}"), "need over"),
        (("when: [fell < least]", "when: [fell < least]\nexcused_by: [fell]"), "is not true/false"),
        (("when: [fell < least]", "when: [fell < least]\nexcused_by: [tuned]"), "is not defined"),
        (("needs: {loss: loss}", "needs: {'true': loss}"), "is taken already"),
        (("needs: {loss: loss}", "needs: {loss: loss}\nexcept: {hit: oops}"), "no pattern 'hit'"),
        (("expect: silent", "expect: silent, shown: true"), "the shown case is one that fires"),
        (("what: It hardly moves.", "what: 'It moves by less than {fell:.0%}.'"), "'{fell:.0%}' names no param"),
        (("what: It hardly moves.", "what: 'It moves by less than {least:99d}.'"), "'99d' is not a format"),
        (("title: The loss hardly moves", "title: a\ntitle: b"), "twice"),
        (("title: The loss hardly moves", "title: &x The loss"), "anchors"),
        (('why: "below a tenth nothing was learned"', "why: wide, not narrow"), "put prose with a comma in quotes"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    assert change[0] in GOOD
    told = errors(tmp_path, too_slow=GOOD.replace(*change))
    assert any(says in t for t in told), told


@pytest.mark.parametrize("text", ["a: *b", "a: !!python/object/apply:os.system [ls]", "[" * 5000, "a: b: c", "\t- x"])
def test_hostile_yaml_is_an_error_and_nothing_else(text: str) -> None:
    with pytest.raises(RuleError):
        parse(text, "x.yaml")


def test_yaml_scalars_follow_version_1_2() -> None:
    assert parse("a: 1e-3\nb: off\nc: 010\nd: yes\ne: .nan", "x")["a"] == 0.001
    assert parse("b: off", "x") == {"b": "off"}
    assert parse("c: 010", "x") == {"c": 10}


def test_thresholds_move_by_name_and_along_their_range(tmp_path: Path) -> None:
    book = load([folder(tmp_path, too_slow=GOOD)], builtin=False)

    def least(tuned: object) -> float:
        return tuned.rules[0].program.params[0].value  # type: ignore[attr-defined]

    assert least(tune(book, ["too-slow.least=0.3"])) == 0.3
    assert least(tune(book, sensitivity=1)) == 0.2
    assert least(tune(book, sensitivity=-0.5)) == pytest.approx(0.075)
    assert tune(book, sensitivity=1).digest != book.digest
    for wrong in ("too-slow.most=1", "nobody.least=1", "too-slow.least", "too-slow.least=x"):
        with pytest.raises(UsageError):
            tune(book, [wrong])


def test_causes_read_when_asked_for_equal_those_read_at_once() -> None:
    whole, lazy = load(), load(lazy=True)
    assert lazy.digest == whole.digest
    assert sorted(lazy.causes) == sorted(whole.causes) and len(lazy.causes) == len(whole.causes)
    for id_ in ("lr-too-high", "bad-batch"):
        assert id_ in lazy.causes
        a, b = lazy.causes[id_], whole.causes[id_]
        assert (a.title, a.mechanism, a.checks, a.fix) == (b.title, b.mechanism, b.checks, b.fix)
        assert lazy.causes[id_] is a
    assert "no-such-cause" not in lazy.causes
    with pytest.raises(KeyError):
        lazy.causes["no-such-cause"]


def test_a_cause_of_a_further_folder_goes_before_the_shipped_one(tmp_path: Path) -> None:
    text = (rules_dir() / "causes" / "bad-batch.yaml").read_text(encoding="utf-8")
    causes = tmp_path / "causes"
    causes.mkdir()
    (causes / "bad-batch.yaml").write_text(re.sub(r"(?m)^title: .*$", "title: My own title", text), encoding="utf-8")
    assert load([tmp_path], lazy=True).causes["bad-batch"].title == "My own title"


def test_a_lazy_rulebook_goes_to_another_process(tmp_path: Path) -> None:
    book = pickle.loads(pickle.dumps(load(lazy=True)))
    assert book.causes["bad-batch"].id == "bad-batch"


def test_a_note_that_nobody_makes_is_an_error_with_the_likely_one(tmp_path: Path) -> None:
    text = GOOD.replace("{loss: loss}", "{loss: loss, cut: note.truncatd?}")
    with pytest.raises(RuleErrors) as caught:
        load([folder(tmp_path, too_slow=text)])
    assert "no note is called 'truncatd'; did you mean note.truncated?" in str(caught.value)
    case = GOOD.replace("expect: fires", "expect: fires, notes: {truncatd: 1}")
    with pytest.raises(RuleErrors, match="notes"):
        load([folder(tmp_path / "other", too_slow=case)])


def test_a_strength_may_be_written_as_a_number() -> None:
    from curvedoc.rulebook.location import rules_dir
    from curvedoc.rulebook.schema.rule import RuleFile
    from curvedoc.rulebook.yaml12 import read

    document = read(rules_dir() / "noise" / "oscillation.yaml", "oscillation.yaml")
    assert RuleFile.model_validate({**document, "strength": 1}).strength == "1"
