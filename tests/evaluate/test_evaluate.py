"""The accuracy command counts what its definitions say, and what the corpus' own scorer counts."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from corpus import CORPUS, needs_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.cli.evaluate import numbers
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.errors import NothingToAnalyse, UsageError
from curvedoc.core.run import Run
from curvedoc.diagnose.judge.rank import calibrate
from curvedoc.diagnose.run import diagnose
from curvedoc.diagnose.siblings.contrast import partings, worse_than_siblings
from curvedoc.evaluate.holdout import held_out, score_of
from curvedoc.evaluate.judge import judge
from curvedoc.evaluate.labels import Label, read_labels, units
from curvedoc.evaluate.predict import UnitPrediction, label_key, read_labeled, united
from curvedoc.evaluate.rates import Rate, calibration_error, reliability
from curvedoc.evaluate.render import to_json, to_markdown, to_text
from curvedoc.evaluate.run import Evaluation, evaluate
from curvedoc.evaluate.totals import parts, symptoms, totals
from curvedoc.pipeline import Options, rulebook

KINDS: dict[str, Any] = {"nan-sudden": "pathology", "overfitting": "pathology", "step-decay": "notice"}


def row(run: str, **fields: Any) -> dict[str, Any]:
    return {
        "run": run,
        "task": "t",
        "logger": "jsonl",
        "arch": "mlp",
        "family": fields.get("fault", "healthy"),
        **fields,
    }


def write_run(folder: Path, losses: list[float]) -> None:
    folder.mkdir(parents=True)
    lines = [json.dumps({"step": 10 * i, "loss": x}) for i, x in enumerate(losses)]
    (folder / "train.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def labeled(tmp_path: Path) -> Path:
    """A healthy run, a run that turns NaN, and a label without a run."""
    falling = [2.3 * math.exp(-i / 40) + 0.2 + 0.01 * math.sin(7.3 * i) for i in range(200)]
    write_run(tmp_path / "calm", falling)
    write_run(tmp_path / "nested" / "broken", [*falling[:120], *[float("nan")] * 60])
    rows = [
        row("calm", benign=True),
        row("nested/broken", fault="bad-data", accept_symptoms=["nan-sudden"], accept_causes=["numerical-instability"],
            onset_step=1200, last_step=1790),
        row("gone", fault="lr-too-high", accept_symptoms=["divergence"]),
    ]  # fmt: skip
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return tmp_path


def outcome(said: list[tuple[str, float, int | None]], causes: list[tuple[str, float]] | None = None, **fields: Any):  # type: ignore[no-untyped-def]
    (unit,) = units([Label.model_validate(row("r", **fields))])
    return judge(unit, UnitPrediction(tuple(said), tuple(causes or ()), 1), KINDS)


def test_the_command_tells_a_found_fault_from_a_missing_run_and_a_calm_one(labeled: Path) -> None:
    made = evaluate(labeled, Options())
    t = made.totals
    assert (t.units, t.missing) == (3, 1)
    assert t.hit == Rate(1, 2)
    assert t.healthy_alarms == Rate(0, 1)
    assert t.onset_placed == Rate(1, 1)


def test_the_pages_are_the_same_twice_and_name_no_path_and_no_run(labeled: Path) -> None:
    first, second = (evaluate(labeled, Options(), ["task"], [0.0]) for _ in range(2))
    assert to_markdown(first) == to_markdown(second) and to_json(first) == to_json(second)
    page = to_markdown(first)
    assert str(labeled) not in page and "broken" not in page
    assert "broken" in to_json(first)


def test_the_command_writes_what_it_is_asked_for(labeled: Path, tmp_path: Path) -> None:
    page, data = tmp_path / "accuracy.md", tmp_path / "figures.json"
    args = ["evaluate", str(labeled / "labels.jsonl"), "--markdown", str(page), "--json", str(data), "-v",
            "--split-by", "logger", "--sensitivities", "-1,0"]  # fmt: skip
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    assert "gone" in result.output  # -v names what was missed
    assert "By logger" in page.read_text(encoding="utf-8")
    document = json.loads(data.read_text(encoding="utf-8"))
    assert [s["sensitivity"] for s in document["sensitivities"]] == [-1.0, 0.0]
    assert document["totals"]["hit"]["n"] == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("{}", "line 1: run"), ("nonsense", "line 1: not JSON"), ("", "no label"), ('{"run": 3}', "line 1: run")],
)
def test_labels_that_cannot_be_used_are_refused_with_their_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=complaint):
        read_labels(path)


def test_labels_without_any_run_beside_them_are_no_result(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text('{"run": "a"}\n', encoding="utf-8")
    with pytest.raises(NothingToAnalyse):
        evaluate(tmp_path, Options())


def test_a_missing_labels_file_is_a_usage_error(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["evaluate", str(tmp_path / "no.jsonl")]).exit_code == 2


@pytest.mark.parametrize("text", ["2", "a", "0,nan"])
def test_sensitivities_outside_the_range_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        numbers(text)


def test_members_of_one_group_are_one_unit() -> None:
    labels = [Label.model_validate(row(r, group=g)) for r, g in (("a", "g"), ("b", None), ("c", "g"))]
    assert [u.members for u in units(labels)] == [("a", "c"), ("b",)]


@pytest.mark.parametrize(
    ("run", "key"),
    [("a", "a"), ("a/.", "a"), ("a/version_0/x", "a"), ("ab", None), ("a/all.csv::r", "a::r"), ("b::r", None)],
)
def test_a_run_below_a_labeled_directory_belongs_to_its_label(run: str, key: str | None) -> None:
    assert label_key(run, frozenset({"a"})) == key


def test_a_pathology_on_a_healthy_run_is_an_alarm_unless_the_label_calls_it_fine() -> None:
    said = [("nan-sudden", 1.0, 3), ("overfitting", 0.5, None), ("step-decay", 0.5, None)]
    assert outcome(said, benign=True, also_fine=["overfitting"]).alarms == ("nan-sudden",)


def test_a_fault_that_did_not_show_counts_for_plainly_wrong_symptoms_only() -> None:
    found = outcome([("overfitting", 1.0, 0)], fault="x", manifested=False, forbidden=["overfitting"])
    assert (found.hit, found.top1, found.alarms, found.forbidden) == (None, None, (), ("overfitting",))


def test_the_onset_is_that_of_the_clearest_accepted_symptom() -> None:
    said = [("overfitting", 1.0, 5), ("nan-sudden", 0.9, None), ("nan-sudden", 0.5, 60)]
    found = outcome(said, fault="x", accept_symptoms=["nan-sudden"], onset_step=10, last_step=100)
    assert found.onset == 0.5


def test_precision_is_not_asked_of_notices() -> None:
    rows = symptoms([outcome([("step-decay", 1.0, 0), ("nan-sudden", 1.0, 0)], fault="x")], KINDS)
    assert {r.symptom: r.right for r in rows} == {"step-decay": None, "nan-sudden": Rate(0, 1)}


@given(st.integers(0, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=40, deadline=None)
def test_the_interval_is_wilsons(kn: tuple[int, int]) -> None:
    rate = Rate(*kn)
    if not rate.n:
        assert rate.interval is None and rate.value is None
        return
    oracle = binomtest(*kn).proportion_ci(method="wilson")
    assert rate.interval == pytest.approx((oracle.low, oracle.high), abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60))
@settings(max_examples=40, deadline=None)
def test_every_statement_falls_into_one_bin_and_the_error_is_a_share(pairs: list[tuple[float, bool]]) -> None:
    bins = reliability(pairs)
    assert sum(b.right.n for b in bins) == len(pairs)
    error = calibration_error(bins)
    assert error is None if not pairs else error is not None and 0 <= error <= 1


def test_statements_that_hold_as_often_as_they_say_have_no_calibration_error() -> None:
    assert calibration_error(reliability([(0.5, True), (0.5, False)])) == 0
    assert calibration_error(reliability([(0.9, False)])) == pytest.approx(0.9)


def scorer() -> ModuleType:
    """The scorer that lies beside the corpus: an independent implementation of the definitions."""
    spec = importlib.util.spec_from_file_location("corpus_score", CORPUS / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_corpus
@pytest.mark.parametrize("seed", range(5))
def test_the_figures_equal_those_of_the_scorer_beside_the_corpus(seed: int) -> None:
    random = Random(seed)
    raw = [json.loads(line) for line in (CORPUS / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = {r.id: r.kind for r in rulebook(Options()).rules}
    _, labels = read_labels(CORPUS)
    all_causes = sorted({c for label in labels for c in label.accept_causes})
    outcomes, predicted = [], {}
    for unit in units(labels):
        # half of what is said is drawn from the label, so that hits, alarms and errors all occur
        likely = [*unit.label.accept_symptoms, *unit.label.also_fine, *unit.label.forbidden[:2]]
        said = [
            (random.choice(likely if likely and random.random() < 0.5 else list(kinds)), random.random(), step)
            for step in random.choices([None, 0, 40, 700], k=random.randrange(4))
        ]
        said = sorted({s[0]: s for s in said if s[0] in kinds}.values(), key=lambda s: -s[1])
        names = [*unit.label.accept_causes[:1], *random.sample(all_causes, 4)]
        causes = sorted({c: random.random() for c in names}.items(), key=lambda c: -c[1])
        outcomes.append(judge(unit, UnitPrediction(tuple(said), tuple(causes), 1), kinds))
        predicted[unit.members[0]] = {"symptoms": said, "causes": causes}
    theirs = scorer().score(predicted, raw, kinds, split_by="task")
    ours = totals(outcomes)
    assert (ours.hit.value, ours.top1.value, ours.top3.value) == pytest.approx(tuple(theirs["micro"].values()))
    assert ours.macro == pytest.approx(tuple(theirs["macro"].values()))
    assert ours.healthy_alarms.value == theirs["false_alarm_rate"]
    assert ours.benign_alarms.value == theirs["false_alarm_rate_benign"]
    assert ours.forbidden.value == theirs["forbidden_rate"]
    assert ours.notices.value == theirs["notice_recall"]
    assert ours.precision == pytest.approx(theirs["precision_on_faults"])
    assert ours.onset_median == pytest.approx(theirs["onset_error_median"])
    assert ours.onset_placed.n == theirs["onset_n"]
    split = {r.part: (r.hit.n, r.hit.value, r.alarms.n, r.alarms.value) for r in parts(outcomes, "task")}
    assert split == {k: tuple(v.values()) for k, v in theirs["split"].items()}


def test_an_evaluation_without_outcomes_still_prints() -> None:
    empty = Evaluation("0", "x", (), totals([]), (), (), (), (), ())
    assert "Figures" in to_text(empty, True) and json.loads(to_json(empty))["totals"]["hit"]["value"] is None


@given(st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_the_map_to_probabilities_never_changes_an_order(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 0 < calibrate(low) <= calibrate(high) < 1


@pytest.fixture(scope="module")
def corpus_runs() -> tuple[Sequence[Run], Sequence[RunDiagnosis]]:
    """Every run of the corpus and its diagnosis, each on its own: the one slow thing here."""
    runs = read_labeled(CORPUS, Options())
    book = rulebook(Options())
    return runs, [diagnose(run, book) for run in runs]


@needs_corpus
def test_probabilities_of_causes_hold_on_the_corpus(
    corpus_runs: tuple[Sequence[Run], Sequence[RunDiagnosis]],
) -> None:
    """No bin is over-confident."""
    _, labels = read_labels(CORPUS)
    directories = frozenset(label.run for label in labels)
    said: dict[str, list[RunDiagnosis]] = {}
    for run in corpus_runs[1]:
        said.setdefault(label_key(run.run, directories) or "", []).append(run)
    made = totals(
        [judge(unit, united([r for key in unit.members for r in said.get(key, ())]), KINDS) for unit in units(labels)]
    )
    assert sum(b.right.n for b in made.reliability) > 100
    # A label accepts every cause that its log cannot tell apart, while what is stated is shared among them and "none of
    # these": so the first may be right more often than it says, never less by more than 12 points.
    over = {(b.low, b.high): b.said - b.right.k / b.right.n for b in made.reliability if b.right.n >= 10}
    assert len(over) >= 3 and max(over.values()) <= 0.12, over
    doubted = [b.right for b in made.reliability if b.high <= 0.6]
    sure = [b.right for b in made.reliability if b.low >= 0.8]
    assert sum(r.k for r in doubted) / sum(r.n for r in doubted) < sum(r.k for r in sure) / sum(r.n for r in sure)


@needs_corpus
def test_unrelated_runs_that_share_a_directory_show_no_contrast(
    corpus_runs: tuple[Sequence[Run], Sequence[RunDiagnosis]],
) -> None:
    assert partings(*corpus_runs) == ()
    assert worse_than_siblings(*corpus_runs) == {}


def stated_unit(run: str, task: str, ranked: list[tuple[float, bool]]) -> Any:
    fields = {"fault": "x", "accept_symptoms": ["nan-sudden"], "accept_causes": ["right"]}
    (unit,) = units([Label.model_validate({**row(run, **fields), "task": task})])
    causes = tuple(("right" if r else f"wrong{i}", p) for i, (p, r) in enumerate(ranked))
    return judge(unit, UnitPrediction((("nan-sudden", 1.0, 0),), causes, 1), KINDS)


def test_constants_of_a_task_are_fitted_without_it() -> None:
    doubtful = [(0.6, True), (0.3, False)]
    outcomes = [stated_unit(f"{t}{i}", t, doubtful) for t in ("a", "b") for i in range(20)]
    outcomes += [stated_unit(f"c{i}", "c", [(0.6, False), (0.3, True)]) for i in range(20)]
    rows = {r.task: r for r in held_out(outcomes)}
    assert set(rows) == {"a", "b", "c", ""}
    # a and b are right, so the probabilities of c rise; c is wrong, so those of a and b rise less
    assert rows["c"].held > rows["a"].held == pytest.approx(rows["b"].held)
    assert rows["c"].shipped == pytest.approx(0.6)
    assert rows["c"].held_surprise > rows["c"].shipped_surprise
    assert rows[""].right == Rate(40, 60) and rows["a"].held_error is None and rows[""].held_error is not None


def test_two_tasks_are_too_few_to_hold_one_out() -> None:
    assert held_out([stated_unit(t, t, [(0.6, True)]) for t in ("a", "b")]) == ()


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.99))
def test_the_score_behind_a_probability_is_found_again(score: float) -> None:
    assert score_of(calibrate(score)) == pytest.approx(score, abs=1e-9)


def test_the_page_says_what_was_held_out_and_what_was_not(labeled: Path) -> None:
    made = evaluate(labeled, Options())
    page = to_markdown(made)
    assert "Cross-validated is one thing only" in page and "with all of these runs in view" in page
    assert "Held out by task" not in page.replace('"Held out\nby task"', "").split("## Figures")[1]
    rows = held_out([stated_unit(t, t, [(0.6, True)]) for t in "abc"])
    full = to_markdown(dataclasses.replace(made, held_out=rows))
    assert "## Held out by task" in full and "| all tasks | 100 % (3/3) |" in full
    assert json.loads(to_json(dataclasses.replace(made, held_out=rows)))["held_out"][-1]["slope"] is None
