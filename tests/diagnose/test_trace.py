"""`explain ID --run PATH`: what each line of a rule or cause said of one run, and what excused it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.diagnose.cases import build, judge
from curvedoc.diagnose.judge.trace import trace_cause, trace_rule
from curvedoc.rulebook.load import load
from curvedoc.rulebook.schema.case import Case

BOOK = load()
CASES = [(rule, case) for rule in BOOK.rules for case in rule.tests]
RUN = "sample_logs/overfitting"
ROOT = Path(__file__).parents[2]


def test_a_trace_says_what_the_rule_says_of_every_case() -> None:
    for rule, case in CASES:
        group = [build(case, case, ranks=case.ranks)]
        group += [build(m, case, f"sibling {i}") for i, m in enumerate(case.siblings, 1)]
        traces = trace_rule(rule, group[0], group)
        said = {t.outcome.partition(":")[0].replace(" ", "-") for t in traces}
        wanted = judge(rule, case).outcome
        assert wanted in said or (wanted == "not-judged" and not traces), (rule.id, case.name, said)
        for trace in traces:
            if trace.outcome == "fires":
                assert not [e.name for e in trace.excuses if e.value == "true"]
                names = dict.fromkeys(c.name for c in trace.conditions)
                assert any({c.value for c in trace.conditions if c.name == name} == {"true"} for name in names)
            elif trace.outcome.startswith("silent"):
                assert "is false" in trace.outcome or "excused by" in trace.outcome, (rule.id, case.name)


def test_an_excuse_is_named_with_what_it_stood_for() -> None:
    rule = BOOK.rule("underfitting")
    assert rule is not None
    flat = next(c for c in rule.tests if c.expect == "fires")
    later = {"loss": [[1000, 2.3], [1100, 1.8]], "val_loss": [[1000, 2.3], [1100, 1.8]]}
    (trace,) = trace_rule(rule, build(flat, flat))
    assert trace.outcome == "fires" and {e.name for e in trace.excuses} == set(rule.excused_by)
    resumed = flat.model_copy(update={"series": later})
    (trace,) = trace_rule(rule, build(resumed, resumed))
    assert "excused by" in trace.outcome and "`warm_start`" in trace.outcome


def test_a_cause_tells_its_lines_and_answers() -> None:
    case = Case(name="a huge rate", config={"optimizer": "adam", "lr": 0.5}, expect="fires")
    trace = trace_cause(BOOK.causes["lr-too-high"], build(case, case))
    assert {line.name: line.value for _, _, line in trace.evidence}["rate_wild"] == "true"
    assert trace.checks[0].answer == "yes"


@pytest.mark.parametrize("id_", ["overfitting", "nan-sudden", "update-ratio-unhealthy", "lr-too-high"])
def test_the_command_prints_a_page(id_: str) -> None:
    result = CliRunner().invoke(app, ["explain", id_, "--run", str(ROOT / RUN)])
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"{id_}  [on overfitting]")


def test_the_command_says_when_it_cannot(tmp_path: Path) -> None:
    for args, code in ((["explain", "nothing", "--run", RUN], 2), (["explain", "--run", RUN], 2)):
        assert CliRunner().invoke(app, args).exit_code == code
    assert CliRunner().invoke(app, ["explain", "overfitting", "--run", str(tmp_path)]).exit_code == 4
    for i in range(9):
        rows = [json.dumps({"step": s, "loss": 2.0 - 0.01 * s}) for s in range(30)]
        (tmp_path / f"run{i}").mkdir()
        (tmp_path / f"run{i}" / "log.jsonl").write_text("\n".join(rows))
    result = CliRunner().invoke(app, ["explain", "overfitting", "--run", str(tmp_path)])
    assert result.exit_code == 2


def test_what_the_user_says_of_a_run_is_taken_as_true(tmp_path: Path) -> None:
    rows = [json.dumps({"step": i, "train/loss": 2.303 - 0.0005 * (i % 3)}) for i in range(100)]
    (tmp_path / "log.jsonl").write_text("\n".join(rows), encoding="utf-8")
    args = ["explain", "stuck-at-chance", "--run", str(tmp_path)]
    assert "chance_loss unknown" in CliRunner().invoke(app, args).stdout
    assert "chance_loss 2.303" in CliRunner().invoke(app, [*args, "--fact", "classes=10"]).stdout
