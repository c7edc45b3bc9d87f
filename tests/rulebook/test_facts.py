"""Facts of one's own: what a file may say, what is refused and where, what the user tells, what rules make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import curvedoc
from curvedoc.core.errors import RuleErrors, UsageError
from curvedoc.core.run import Run
from curvedoc.diagnose.cases import build, judge
from curvedoc.diagnose.judge.inputs import Bench
from curvedoc.diagnose.run import diagnose
from curvedoc.report.exchange.json_document import from_json, to_json
from curvedoc.rulebook.facts.fact import tell
from curvedoc.rulebook.load import load, tune
from curvedoc.rulebook.rule import Rulebook
from curvedoc.rulebook.schema.case import Case

CASES = """
tests:
  - {name: here, series: {loss: [[0, 2], [10, 1]]}, expect: {value: 1}}
  - {name: there, expect: unknown}
"""

HEIGHT = """
id: height
title: How high it starts
type: number
unit: nats
what: The level of an untrained model.
needs: {loss: loss?, set: config.lr?, other: config.min_lr?, log: log?}
patterns: {said: 'height (?P<value>[\\d.,]+)'}
params:
  apart: {value: 0.1, unit: ratio, why: "closer ones are the same"}
known_by:
  - {value: set, say: "the configuration says {value:.3g}"}
  - {value: other + first(loss) - first(loss), say: "the other setting says {value:.3g}"}
  - {value: first(said), say: "the log says {value:.3g}"}
  - {value: first(loss), trust: guess, say: "it starts there"}
doubt: apart
"""

COLOR = """
id: color
title: Which color it is
type: word
what: A word.
words: {red: crimson red, blue: deep blue}
known_by:
  - {value: red, given: height > 2, say: "at a height of {height:.3g} it is {value}"}
  - {value: blue, given: height <= 2, say: "at a height of {height:.3g} it is {value}"}
"""

RULE = """
id: too-high
title: It is too high
kind: pathology
severity: {severity}
what: It starts too high.
why: It matters.
lookalikes: Nothing is like it.
needs: {{loss: loss}}
measure: {{tall: "{condition}"}}
when: [tall]
evidence: [{{say: "it is {{color}}"}}]
causes: []
tests:
  - {{name: fires, series: {{loss: [[0, 3], [10, 1]]}}, expect: fires}}
  - {{name: silent, series: {{loss: [[0, 1], [10, 1]]}}, expect: silent}}
"""


SPELLED = """
id: color
title: What color it is
type: word
words: {red: crimson red, blue: deep blue}
what: A color.
needs: {set: 'config.precision? ~ "(?P<blue>deep)|(?P<red>crims)"', log: log?}
patterns: {said: "painted (?:(?P<red>red)|(?P<blue>blue))"}
known_by:
  - {value: set, say: "the configuration says {value}"}
  - {value: said, trust: guess, say: "a message says {value}"}
"""


def book_of(folder: Path, rule: str = "", **facts: str) -> Rulebook:
    """The shipped rules with these facts, and a rule, of one's own."""
    (folder / "facts").mkdir()
    for name, text in facts.items():
        (folder / "facts" / f"{name}.yaml").write_text(text + CASES, encoding="utf-8")
    if rule:
        (folder / "mine").mkdir()
        (folder / "mine" / "too-high.yaml").write_text(rule, encoding="utf-8")
    return load([folder])


def run_of(start: float = 3.0, log: list[str] | None = None, **config: float) -> Run:
    case = Case(name="case", series={"loss": [(0, start), (10, 1.0)]}, config=config, log=log, expect="silent")
    return build(case, case)


def test_the_first_sure_way_is_taken_and_a_guess_only_where_there_is_none(tmp_path: Path) -> None:
    book = book_of(tmp_path, height=HEIGHT)
    sure = Bench(run_of(lr=5.0), facts=book.facts).fact("height")
    assert sure is not None and (sure.value, sure.trust, sure.known_by) == (5.0, "sure", "configuration")
    assert sure.because == "the configuration says 5" and sure.doubt is None and sure.unit == "nats"
    guess = Bench(run_of(), facts=book.facts).fact("height")
    assert guess is not None and (guess.value, guess.trust, guess.known_by) == (3.0, "guess", "curves")


def test_two_sure_ways_that_disagree_are_told_both(tmp_path: Path) -> None:
    book = book_of(tmp_path, height=HEIGHT)
    near = Bench(run_of(lr=5.0, min_lr=5.2), facts=book.facts).fact("height")
    assert near is not None and near.doubt is None
    far = Bench(run_of(lr=5.0, min_lr=7.0), facts=book.facts).fact("height")
    assert far is not None and far.value == 5.0 and far.doubt == "the other setting says 7" and not far.firm


def test_a_number_is_taken_from_the_first_message_that_holds_one(tmp_path: Path) -> None:
    book = book_of(tmp_path, height=HEIGHT)
    log = ["no number here", "height .", "the height 1,200.5 of it", "height 7"]
    known = Bench(run_of(log=log), facts=book.facts).fact("height")
    assert known is not None and known.value == 1200.5 and known.known_by == "log text"


def test_what_rests_on_a_guess_is_a_guess(tmp_path: Path) -> None:
    book = book_of(tmp_path, height=HEIGHT, color=COLOR)
    guess = Bench(run_of(), facts=book.facts).fact("color")
    assert guess is not None and (guess.value, guess.trust) == ("red", "guess")
    assert guess.because == "at a height of 3 it is crimson red"
    sure = Bench(run_of(lr=1.0), facts=book.facts).fact("color")
    assert sure is not None and (sure.value, sure.trust) == ("blue", "sure")


@pytest.mark.parametrize(
    ("condition", "severity", "config", "expected"),
    [
        ("height > 2", "warning", {}, "warning"),
        ("height > 2", "error", {}, "warning"),  # a guess must not fail a run
        ("height > 2", "error", {"lr": 3.0}, "error"),
        ("height > 2", "error", {"lr": 3.0, "min_lr": 9.0}, "warning"),  # nor a fact in doubt
        ("sure(height > 2)", "error", {}, "warning"),
        ("firm(height > 2)", "error", {}, None),
        ("firm(height > 2)", "error", {"lr": 3.0}, "error"),
        ("color == red", "warning", {}, "warning"),
        ("color == blue", "warning", {}, None),
        ("color in (blue, red)", "fatal", {"lr": 1.0}, "fatal"),
    ],
)
def test_a_rule_reads_facts_by_their_names(
    tmp_path: Path, condition: str, severity: str, config: dict[str, float], expected: str | None
) -> None:
    book = book_of(tmp_path, RULE.format(condition=condition, severity=severity), height=HEIGHT, color=COLOR)
    rule = book.rule("too-high")
    assert rule is not None
    case = Case(name="case", series={"loss": [(0, 3.0), (10, 1.0)]}, config=config, expect="silent")
    finding = judge(rule, case, book.facts).finding
    assert (None if finding is None else finding.severity) == expected
    if finding is not None:
        assert finding.evidence[0].text == ("it is deep blue" if config.get("lr") == 1.0 else "it is crimson red")


def test_a_measure_of_a_rule_stands_before_a_fact_of_its_name(tmp_path: Path) -> None:
    rule = (
        RULE.format(condition="first(loss) > 100", severity="error").replace("tall", "height").replace("{color}", "x")
    )
    book = book_of(tmp_path, rule, height=HEIGHT)
    found = book.rule("too-high")
    assert found is not None and found.program.facts == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("height > 2", "height == red", "only < <= > >= compare"),
        ("value: red", "value: green", "'green' is not in its list of words"),
        ("words: {red: crimson red, blue: deep blue}", "", "lists its words"),
        ("height > 2", "hight > 2", "unknown name 'hight'"),
        ("{value}", "{value:.2f}", "is text and takes no format"),
        ("(?P<red>crims)", "(?P<green>crims)", "a group of 'set' is no word of its list: green"),
        ("(?P<blue>deep)|(?P<red>crims)", "deep|crims", "'set' is not in its list of words, nor a regex"),
        ("value: said", "value: sad", "'sad' is not in its list of words, nor a regex"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(RuleErrors, match=r"color\.yaml:") as caught:
        book_of(tmp_path, height=HEIGHT, color=(COLOR if old in COLOR else SPELLED).replace(old, new, 1))
    assert said in str(caught.value)


def test_a_rule_that_compares_with_a_word_outside_the_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleErrors, match="'blu' is not in its list of words"):
        book_of(tmp_path, RULE.format(condition="color == blu", severity="error"), height=HEIGHT, color=COLOR)


def test_a_measure_may_not_take_the_name_of_a_fact_that_it_reads(tmp_path: Path) -> None:
    rule = RULE.format(condition="height > 2", severity="error").replace("{tall:", "{height: height / 2, tall:")
    with pytest.raises(RuleErrors, match="'height' was read above as a fact"):
        book_of(tmp_path, rule, height=HEIGHT, color=COLOR)


def test_facts_that_are_known_by_each_other_are_refused(tmp_path: Path) -> None:
    circle = HEIGHT.replace("value: first(loss)", 'value: "either(depth, first(loss))"')
    depth = HEIGHT.replace("id: height", "id: depth").replace("value: first(loss)", "value: height")
    with pytest.raises(RuleErrors, match="depth -> height -> depth"):
        book_of(tmp_path, height=circle, depth=depth)


@pytest.mark.parametrize(
    ("config", "log", "expected"),
    [
        ({"precision": "Crimson"}, [], ("red", "sure", "configuration", "the configuration says crimson red")),
        ({"precision": "pale"}, ["painted blue"], ("blue", "guess", "log text", "a message says deep blue")),
        ({}, ["unpainted"], None),
    ],
)  # fmt: skip
def test_a_word_may_be_spelled_out_by_a_setting_or_a_message(
    tmp_path: Path, config: dict[str, str], log: list[str], expected: tuple[str, ...] | None
) -> None:
    case = Case(name="case", series={"loss": [(0, 3.0), (10, 1.0)]}, config=config, log=log, expect="silent")
    known = Bench(build(case, case), facts=book_of(tmp_path, color=SPELLED).facts).fact("color")
    found = None if known is None else (known.value, known.trust, known.known_by, known.because)
    assert found == expected


def test_the_user_overrides_a_fact_and_is_told_of_a_wrong_one(tmp_path: Path) -> None:
    book = book_of(tmp_path, height=HEIGHT, color=COLOR)
    said = tell(book, ["height=1.5"])
    known = Bench(run_of(lr=5.0), facts=said.facts).fact("height")
    assert known is not None and (known.value, known.known_by, known.trust) == (1.5, "you said so", "sure")
    assert Bench(run_of(lr=5.0), facts=said.facts).value_of("color", firm=True) == "blue"
    assert said.digest != book.digest and tell(book, []).digest == book.digest
    assert tell(book, ["color=blue"]).facts["color"].told == "blue"
    for wrong, hint in (
        ("hight=2", "height"),
        ("height", "FACT=VALUE"),
        ("height=tall", "not a number"),
        ("height=nan", "finite"),
        ("color=green", "red, blue"),
    ):
        with pytest.raises(UsageError) as caught:
            tell(book, [wrong])
        assert hint in str(caught.value)


def test_thresholds_of_facts_are_set_like_those_of_rules(tmp_path: Path) -> None:
    book = tune(book_of(tmp_path, height=HEIGHT), ["height.apart=0.5"])
    known = Bench(run_of(lr=5.0, min_lr=7.0), facts=book.facts).fact("height")
    assert known is not None and known.doubt is None


def test_facts_are_in_the_diagnosis_and_come_back_from_its_json(tmp_path: Path) -> None:
    from curvedoc.diagnose.many import diagnose_all

    book = book_of(tmp_path, height=HEIGHT, color=COLOR)
    assert diagnose(run_of(lr=5.0), book).facts["height"].value == 5.0
    d = diagnose_all([run_of(lr=5.0, min_lr=7.0)], book)
    text = to_json(d)
    facts = json.loads(text)["runs"][0]["facts"]
    assert facts["height"] == {
        "value": 5.0, "unit": "nats", "trust": "sure", "known_by": "configuration",
        "because": "the configuration says 5", "doubt": "the other setting says 7",
    }  # fmt: skip
    assert facts["color"]["value"] == "red" and "classes" not in facts
    assert from_json(text).runs[0].facts == d.runs[0].facts


def test_a_checkpoint_that_a_setting_names_is_what_a_run_was_taken_up_from(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"resume_from_checkpoint": "out/last.ckpt", "lr": 0.1}')
    rows = (json.dumps({"step": 1000 + i, "loss": 2.3 * 0.99**i}) for i in range(100))
    (tmp_path / "log.jsonl").write_text("\n".join(rows))
    (run,) = curvedoc.analyze(tmp_path).runs
    assert run.facts["resumed_from"].value == "out/last.ckpt" and run.facts["resumed_from"].known_by == "configuration"
