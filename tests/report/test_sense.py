"""What a page says makes sense: it contradicts neither itself nor the log, in the samples and in every labeled set."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import yaml

from curvedoc.core.diagnosis import Diagnosis, RunDiagnosis
from curvedoc.diagnose.judge.verdict import NEAR_CERTAIN
from curvedoc.diagnose.sentence.titles import lower_first
from curvedoc.diagnose.story.choice import FITTED, LIKELY, UNSURE
from curvedoc.diagnose.story.headline import same
from curvedoc.pipeline import Options, analyze
from curvedoc.report.charts.marks import levels, pins
from curvedoc.report.exchange.brief import MOST_BYTES, to_brief
from curvedoc.report.summary import first_thing, lead_finding, main_curve, onset
from curvedoc.rulebook.load import load
from tests.helpers.corpus import CORPUS
from tests.helpers.golden_headlines import GOLDEN, SAMPLES, told
from tests.helpers.quoted_numbers import unfounded

#: Further labeled sets, where they are at hand: folders, separated as in PATH.
MORE = [Path(p) for p in os.environ.get("CURVEDOC_SENSE_SETS", "").split(os.pathsep) if p]
#: Runs trained with the usual frameworks, and logs of others.
OTHERS = [CORPUS.parent / name for name in ("corpus-torch", "wild")]
_FIELD = re.compile(r"\{([^{}]*)\}")
#: What stands for many logged points.
_LEVELS = ("tail_level(", "head_level(", "median(", "quantile(", "best_level(", "at(smooth(", "low(smooth(")
#: Answers that rule the first cause out, if the log gives them.
_AGAINST = "ruled-out"


@pytest.fixture(scope="module", params=[SAMPLES, CORPUS, *OTHERS, *MORE], ids=lambda p: p.name)
def labeled(request: pytest.FixtureRequest) -> tuple[Path, Diagnosis]:
    if not request.param.is_dir():
        pytest.skip(f"{request.param} is not there")
    return request.param, analyze([request.param], Options())


@pytest.fixture
def diagnosis(labeled: tuple[Path, Diagnosis]) -> Diagnosis:
    return labeled[1]


def flagged(d: Diagnosis) -> list[RunDiagnosis]:
    return [r for r in d.runs if r.verdict in ("failed", "warning")]


def test_the_headline_names_a_cause_of_seventy_percent(diagnosis: Diagnosis) -> None:
    left_out = [
        (r.run, r.headline, c.title)
        for r in flagged(diagnosis)
        for c in r.causes[:1]
        for lead in (lead_finding(r),)
        if c.probability >= NEAR_CERTAIN
        and lower_first(c.title) not in r.headline
        and not (lead and same(c.title, f"{lead.title} {lead.general}"))
    ]
    assert not left_out


def test_the_first_action_is_an_action_that_tests_the_first_cause(diagnosis: Diagnosis) -> None:
    for r in flagged(diagnosis):
        if r.causes:
            first = r.causes[0]
            wanted = {first.cause}
            if first.probability < LIKELY:
                wanted |= {""}  # one that halves the rest
            if first.probability < UNSURE:
                wanted |= set(FITTED)  # where to stop, whichever of them it is
            assert r.next_action is not None and r.next_action.tests in wanted, r.run
            assert "?" not in r.next_action.text and r.next_action.text.endswith((".", "…")), r.next_action.text
            assert not r.next_action.code or r.next_action.code == r.causes[0].probe


def test_every_run_is_told_in_two_kilobytes(diagnosis: Diagnosis) -> None:
    assert max(len(line) for line in to_brief(diagnosis).splitlines(keepends=True)) <= MOST_BYTES


def test_no_answer_of_the_log_rules_the_first_cause_out(diagnosis: Diagnosis) -> None:
    refuted = [
        (r.run, c.cause, check.ask, check.because)
        for r in flagged(diagnosis)
        for c in r.causes[:1]
        for check in c.checks
        if (check.answer == "yes" and check.yes == _AGAINST) or (check.answer == "no" and check.no == _AGAINST)
    ]
    assert not refuted


def test_what_a_cause_does_in_theory_is_no_evidence_for_it(diagnosis: Diagnosis) -> None:
    theory = {link.because for rule in load().rules for link in rule.causes}
    told = [(r.run, e.text) for r in diagnosis.runs for c in r.causes for e in c.supports]
    assert not [(run, text) for run, text in told if text in theory or text.partition(": ")[2] in theory]


def test_no_share_is_negative_or_more_than_the_whole_fall(diagnosis: Diagnosis) -> None:
    """A share of a fall that the run did not make, as where the loss rose first, tells nobody anything."""
    told = [(r.run, e.text) for r in diagnosis.runs for f in r.findings for e in f.evidence]
    assert not [(run, text) for run, text in told if re.search(r"(^|\s)-\d[\d.]*%", text)]
    shares = [(run, int(n)) for run, text in told for n in re.findall(r"(\d+)% of (?:the|that) fall", text)]
    assert not [(run, n) for run, n in shares if n > 100]


def test_a_loss_that_still_falls_is_not_said_to_stay(diagnosis: Diagnosis) -> None:
    ends = {"slow-convergence", "plateau-after-progress"}
    assert not [r.run for r in diagnosis.runs if ends <= {f.symptom for f in r.findings}]


def test_what_was_found_is_not_told_again_as_evidence(diagnosis: Diagnosis) -> None:
    """A cause is told by evidence of its own; one that has none is by what it would explain."""
    for r in diagnosis.runs:
        found = {f.title for f in r.findings}
        for c in r.causes:
            again = [e.text in found for e in c.supports]
            assert all(again) or not any(again), (r.run, c.cause)


def test_what_came_first_leads(diagnosis: Diagnosis) -> None:
    """Of a loss and a gradient norm that jump together, the one that jumped first is told first."""
    pair = {"loss-spike-recovered", "exploding-gradients"}
    for r in flagged(diagnosis):
        jumps = [f for f in r.findings if f.symptom in pair and f.kind == "pathology" and f.first_step is not None]
        if len(jumps) == 2 and lead_finding(r) in jumps:
            assert lead_finding(r) is min(jumps, key=lambda f: f.first_step or 0), r.run


def test_a_page_has_one_onset(diagnosis: Diagnosis) -> None:
    for r in flagged(diagnosis):
        lead, at = lead_finding(r), onset(r)
        if lead and lead.first_step is not None and lead.first_step >= 0:
            assert at == lead.first_step, r.run


def test_no_sentence_is_cut_in_mid_word_or_has_a_gap(diagnosis: Diagnosis) -> None:
    for r in diagnosis.runs:
        # a message may say anything
        own = [f for f in r.findings if not any(e.text.startswith("the log says") for e in f.evidence)]
        said = [*([r.headline] if len(own) == len(r.findings) else []), *(f.title for f in own)]
        said += [c.action for c in r.causes]
        # what is quoted is not ours: a line of code may hold braces
        said += [
            e.text for f in r.findings for e in f.evidence if not e.text.startswith(("the user's code", "the log says"))
        ]
        for text in said:
            assert not re.search(r"\{|\}|\bNone\b|\.\.(?!\.)| ,|\s{2,}|step -1", text.replace("...", "…")), text


def test_every_flagged_run_has_something_to_do_first(diagnosis: Diagnosis) -> None:
    assert all(first_thing(r) for r in flagged(diagnosis))


def test_the_cause_of_the_headline_is_not_said_again_under_it(diagnosis: Diagnosis) -> None:
    for r in flagged(diagnosis):
        first = first_thing(r)
        for cause in r.causes[:1]:
            title = cause.title[0].lower() + cause.title[1:]
            assert first is None or title not in r.headline or f"Tests: {title}" not in first.how, r.run


def test_every_number_of_a_headline_is_on_the_page(diagnosis: Diagnosis) -> None:
    wrong = []
    for r in flagged(diagnosis):
        lead = lead_finding(r)
        # what a message says is quoted, wherever its numbers come from
        if lead and not any(e.text.startswith("the log says") for e in lead.evidence):
            wrong += [(r.run, number, r.headline) for number in unfounded(r, r.headline)]
    assert not wrong


def test_a_question_that_the_log_answers_is_not_open(diagnosis: Diagnosis) -> None:
    """What a finding says of a run is the answer to the question for it; a border case is told as one."""
    asked = [(r, check) for r in flagged(diagnosis) for c in r.causes[:1] for check in c.checks]
    falls = [
        r.run
        for r, check in asked
        if "still fall" in check.ask and check.answer != "yes" and r.findings[0].symptom == "slow-convergence"
    ]
    silent = [(r.run, check.ask) for r, check in asked if check.answer == "unanswerable" and not check.because]
    assert not falls and not silent


def test_the_nearest_healthy_run_has_the_same_task(labeled: tuple[Path, Diagnosis]) -> None:
    labels, diagnosis = labeled[0] / "labels.jsonl", labeled[1]
    if not labels.is_file():
        pytest.skip("no tasks are known")
    rows = map(json.loads, labels.read_text(encoding="utf-8").splitlines())
    task = {row["run"]: row.get("task") for row in rows}
    other = [(r.run, r.nearest.run) for r in diagnosis.runs if r.nearest and task.get(r.run) != task.get(r.nearest.run)]
    assert not other


def test_results_are_no_settings_that_part_two_runs(diagnosis: Diagnosis) -> None:
    assert not [r.nearest.text for r in diagnosis.runs if r.nearest and "summary." in r.nearest.text]


def test_a_level_in_a_title_is_said_to_be_about() -> None:
    """A value that no logged point has, quoted as exact, is searched for in vain on the chart."""
    exact = []
    said_so = ("about ", "median norm of ", "stays at ", "stayed at ")
    for rule in load().rules:
        for title in rule.titles:
            for field in _FIELD.finditer(title.text):
                name, _, form = field[1].partition(":")
                formula = rule.program.formulas.get(name)
                before = title.text[: field.start()]
                if formula and formula.text.startswith(_LEVELS) and not form.endswith(("%", "step")):
                    exact += [] if before.endswith(said_so) else [(rule.id, title.text)]
    assert not exact


def test_headlines_and_first_actions_are_the_golden_ones() -> None:
    assert told() == yaml.safe_load(GOLDEN.read_text(encoding="utf-8")), "python -m tests.helpers.golden_headlines"


def test_code_stands_beside_the_check_that_it_is_for(diagnosis: Diagnosis) -> None:
    """A run that is repeated with another rate needs no sweep of twenty lines beside it."""
    for r in flagged(diagnosis):
        check = r.next_check
        if check and check.probe:
            numbers = re.findall(r"check [a-z-]+ (\d+):", check.probe)
            cause = next(c for c in r.causes if c.cause == check.cause)
            place = [c.ask for c in cause.checks].index(check.ask) + 1
            assert str(place) in numbers if numbers else check.cost == "code" or "probe" in check.how, r.run


def test_the_next_check_tests_the_first_cause(diagnosis: Diagnosis) -> None:
    """A cheap question about an unlikely cause is no next check while one about the likeliest is open."""
    for r in flagged(diagnosis):
        asked = [c for c in r.causes[:1] for k in c.checks if k.answer in ("open", "unanswerable")]
        if asked:
            assert r.next_check is not None and r.next_check.cause == asked[0].cause, r.run


def test_a_run_goes_back_to_before_its_loss_began_to_rise(diagnosis: Diagnosis) -> None:
    """The checkpoint of the first action lies before the rise that the timeline tells."""
    late = []
    for r in flagged(diagnosis):
        rises = [e.step for e in r.timeline if e.channel == "loss" and e.what == "began to rise"]
        back = re.search(r"last checkpoint before step ([\d,]+)", r.next_action.text if r.next_action else "")
        if rises and back and r.causes[0].cause == "lr-too-high":
            late += [(r.run, back[1], rises)] if int(back[1].replace(",", "")) > rises[0] else []
    assert not late


def test_a_level_on_the_chart_is_of_a_finding_that_is_told(diagnosis: Diagnosis) -> None:
    for r in flagged(diagnosis):
        home = {c.metric: c.metric for c in r.curves}
        told = [e for f in r.findings if not f.explained_by for e in f.evidence]
        told += [e for c in r.causes[:2] for e in (*c.supports, *c.against)]
        names = {m.name for e in told for m in e.marks}
        assert {level.name for level in levels(r, home)} <= names, r.run


def test_what_broke_off_is_not_said_to_stay(diagnosis: Diagnosis) -> None:
    broke = {"nan-sudden", "nan-after-blowup"}
    found = {r.run: {f.symptom for f in r.findings} for r in diagnosis.runs}
    assert not [run for run, symptoms in found.items() if "plateau-after-progress" in symptoms and broke & symptoms]


def test_a_floor_that_holds_the_loss_up_leads_before_its_slow_fall(diagnosis: Diagnosis) -> None:
    for r in flagged(diagnosis):
        if {"double-softmax-floor", "slow-convergence"} <= {f.symptom for f in r.findings}:
            slow = next(f for f in r.findings if f.symptom == "slow-convergence")
            assert slow.explained_by, r.run


def test_a_share_of_units_is_told_as_one(diagnosis: Diagnosis) -> None:
    told = [e.text for r in diagnosis.runs for f in r.findings for e in f.evidence]
    assert not [text for text in told if re.match(r"[\d.]+ of the ", text)]


def test_steps_lost_are_those_since_the_onset(diagnosis: Diagnosis) -> None:
    """What is told as lost begins where the page says that the failure began."""
    for r in flagged(diagnosis):
        began, cost = onset(r), r.cost
        if began is not None and cost.first_detectable_step is not None:
            assert cost.first_detectable_step == began, r.run


def test_what_would_have_stopped_a_run_saves_of_what_was_spent_after_the_onset(diagnosis: Diagnosis) -> None:
    """A rule that stops a run before its failure began stops training that was wanted."""
    for r in diagnosis.runs:
        for rule in r.abort_rules:
            assert rule.step >= (r.cost.first_detectable_step or 0), (r.run, rule)
            assert rule.steps_saved <= (r.cost.steps_wasted or 0), (r.run, rule)


def test_an_action_goes_back_to_no_later_than_the_onset(diagnosis: Diagnosis) -> None:
    """Nobody resumes from a checkpoint that was saved after the trouble began."""
    for r in flagged(diagnosis):
        back = re.search(r"last checkpoint before step ([\d,]+)", r.next_action.text if r.next_action else "")
        began = onset(r)
        if back and began is not None and began > 0:
            assert int(back[1].replace(",", "")) <= began, (r.run, r.next_action)


def test_the_curve_of_the_first_finding_has_one_mark_for_its_event(diagnosis: Diagnosis) -> None:
    """Two marks a row apart on one curve are one event told twice."""
    for r in flagged(diagnosis):
        lead, main = lead_finding(r), main_curve(r)
        if lead is None or main is None or not main.step or not lead.first_step:
            continue
        rows = {s: i for i, s in enumerate(main.step)}
        near = [p for p in pins(r, main.step[0], main.step[-1]) if p.step in rows and lead.first_step in rows]
        close = [p for p in near if 0 < abs(rows[p.step] - rows[lead.first_step]) <= 1]
        told = {m.start for e in lead.evidence for m in e.marks if m.metric == lead.metric}
        assert not [p for p in close if p.step in told], r.run


def test_a_cause_is_told_by_one_sentence(diagnosis: Diagnosis) -> None:
    """The card, the headline and the groups of a cause speak of the same: its values or its plain title."""
    book = load()
    for r in diagnosis.runs:
        for c in r.causes:
            assert c.plain == book.causes[c.cause].title
            assert not re.search(r"[{}]|\bNone\b|\bnan\b", c.title), (r.run, c.title)
            assert len(c.title.split()) <= 20, c.title


def test_the_step_of_a_headline_is_the_onset(diagnosis: Diagnosis) -> None:
    """A title that names one step, and the mark on the chart, name the same."""
    parted = []
    for r in flagged(diagnosis):
        lead, at = lead_finding(r), onset(r)
        steps = (
            []
            if lead is None
            else re.findall(
                r"(?<![Bb]y )\bstep ([\d,]+)",
                re.sub(r"\(best .*?\)+|[Bb]y epoch [\d,.]+ \(step [\d,]+\)", "", lead.title),
            )
        )
        if lead is not None and at is not None and len(set(steps)) == 1 and not lead.scope:
            parted += [(r.run, lead.symptom, at, lead.title)] if int(steps[0].replace(",", "")) != at else []
    assert not parted


def test_places_are_told_as_the_log_counts_them(diagnosis: Diagnosis) -> None:
    """Rows and samples of a whole run mean nothing to a user where several epochs are logged beside them."""
    passed = [r for r in diagnosis.runs if any(s.role == "epoch" and (s.last_value or 0) > 1 for s in r.signals)]
    counted = [r for r in passed if r.axis in ("samples", "row")]
    bare = re.compile(r"\b(?:row [\d,]+(?! \()|sample [\d,]+(?! of epoch))")
    assert not [(r.run, r.headline) for r in counted if r.verdict in ("failed", "warning") and bare.search(r.headline)]


def test_a_sound_run_has_no_gap_behind_no_problem(diagnosis: Diagnosis) -> None:
    """What asks for a change of the run stands first, not as a thing worth knowing."""
    wrong = re.compile(r"^No problem found.*Worth knowing: .*(?:far above training|times what .* usually takes)")
    grown = "still falling at the end"
    assert not [(r.run, r.headline) for r in diagnosis.runs if wrong.search(r.headline) and grown not in r.headline]


def test_a_first_action_is_no_list_of_commands(diagnosis: Diagnosis) -> None:
    """One imperative: no more than one program of the machine is named in it."""
    tools = re.compile(r"\b(?:dmesg|sacct|df -h|nvidia-smi|journalctl)\b")
    assert not [
        (r.run, r.next_action.text)
        for r in diagnosis.runs
        if r.next_action and len(set(tools.findall(r.next_action.text))) > 1
    ]
