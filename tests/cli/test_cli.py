"""The command line: exit codes, several outputs at once, errors that say what to do, an instant start."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from curvedoc.cli.app import app

RUNNER = CliRunner()
COMMANDS = [c.name or (c.callback.__name__ if c.callback else "") for c in app.registered_commands]


def call(*args: str | Path) -> Result:
    return RUNNER.invoke(app, [str(a) for a in args])


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    """A run whose loss climbs for thirty steps and then is NaN."""
    run = tmp_path / "run"
    run.mkdir()
    rows = []
    for step in range(200):
        loss = 2.0 - step / 200 if step < 120 else 1.4 * 1.5 ** (step - 119)
        rows.append(json.dumps({"step": step, "loss": loss if step < 150 else float("nan"), "lr": 0.1}))
    (run / "metrics.jsonl").write_text("\n".join(rows) + "\n")
    return run


def test_a_failed_run_is_told_verdict_first_and_a_report_is_written(
    failed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("curvedoc.cli.outputs.at_terminal", lambda: True)
    result = call("analyze", failed)
    assert result.exit_code == 0, result.output
    assert "Failed" in result.stdout.splitlines()[0]
    assert result.stdout.rstrip().endswith("curvedoc-report.html")
    assert (tmp_path / "curvedoc-report.html").stat().st_size > 100_000


def test_a_pipe_gets_the_summary_and_no_page_that_nobody_asked_for(
    failed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("analyze", failed)
    assert "Failed" in result.stdout.splitlines()[0] and "report  " not in result.stdout
    assert not (tmp_path / "curvedoc-report.html").exists()
    assert "--html FILE" in result.stderr
    assert "page" not in call("analyze", failed, "--no-html").stderr


def test_triage_takes_no_html_and_refuses_it_beside_a_page(failed: Path, tmp_path: Path) -> None:
    assert call("triage", failed, "--no-html", "--no-cache").exit_code == 0
    assert call("triage", failed, "--no-html", "--html", tmp_path / "r.html").exit_code == 2


def test_several_outputs_come_from_one_run(failed: Path, tmp_path: Path) -> None:
    html, js, md = tmp_path / "r.html", tmp_path / "r.json", tmp_path / "r.md"
    result = call("analyze", failed, "--html", html, "--json", js, "--markdown", md, "--format", "json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document == json.loads(js.read_text())
    assert document["schema"] == "curvedoc/1"
    assert document["runs"][0]["verdict"] == "failed"
    assert "nan-after-blowup" in {f["symptom"] for f in document["runs"][0]["findings"]}
    assert (html.exists() and "NaN" in md.read_text()) or md.read_text()


def test_the_same_input_gives_the_same_bytes(failed: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    call("analyze", failed, "--json", first)
    call("analyze", failed, "--json", second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("extra", "code"),
    [([], 0), (["--fail-on", "failed"], 1), (["--fail-on", "warning"], 1), (["--fail-on", "never"], 0)],
)
def test_fail_on_sets_the_exit_code(failed: Path, extra: list[str], code: int) -> None:
    assert call("analyze", failed, "--no-html", *extra).exit_code == code


def test_nothing_to_analyse_is_its_own_exit_code(tmp_path: Path) -> None:
    result = call("analyze", tmp_path)
    assert result.exit_code == 4
    assert "no training run found" in result.stderr and "doctor" in result.stderr


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    result = call("analyze", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "no such file or folder" in result.stderr and f"{tmp_path} exists and holds" in result.stderr


def test_a_foreign_html_file_is_not_overwritten(failed: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("<p>my own page</p>")
    result = call("analyze", failed, "--html", mine)
    assert result.exit_code == 2 and "--force" in result.stderr
    assert mine.read_text() == "<p>my own page</p>"
    assert call("analyze", failed, "--html", mine, "--force").exit_code == 0
    assert call("analyze", failed, "--html", mine).exit_code == 0, "our own report is replaced without asking"


def test_a_page_that_nobody_asked_for_costs_no_diagnosis_where_its_place_is_taken(
    failed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("curvedoc.cli.outputs.at_terminal", lambda: True)
    (tmp_path / "curvedoc-report.html").write_text("<p>mine</p>")
    result = call("analyze", failed)
    assert result.exit_code == 0 and "Failed" in result.stdout.splitlines()[0]
    assert "no page written" in result.stderr and "--html FILE" in result.stderr
    assert (tmp_path / "curvedoc-report.html").read_text() == "<p>mine</p>"


@pytest.mark.parametrize("command", ["analyze", "triage", "diff", "doctor", "watch", "explain"])
def test_the_usage_names_what_it_takes_as_people_write_it(command: str) -> None:
    usage = next(line for line in call(command, "--help").stdout.splitlines() if "Usage:" in line)
    assert "{" not in usage, usage


def test_one_run_is_titled_by_its_place_in_markdown(failed: Path) -> None:
    result = call("analyze", failed, "--markdown", "-")
    assert failed.name in result.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--select", "nan-after-blowupp"], "did you mean 'nan-after-blowup'"),
        (["--signal", "loss"], "is not ROLE=METRIC"),
        (["--signal", "loss=lss"], "lss"),
        (["--set", "divergence.lostt=1"], "no threshold divergence.lostt"),
    ],
)
def test_mistyped_names_get_near_matches(failed: Path, args: list[str], says: str) -> None:
    result = call("analyze", failed, "--no-html", *args)
    assert result.exit_code == 2
    assert says in result.stderr


def test_selecting_one_rule_judges_only_that(failed: Path) -> None:
    result = call("analyze", failed, "--format", "json", "--select", "divergence")
    assert not json.loads(result.stdout)["runs"][0]["findings"]


def test_a_saved_diagnosis_is_redrawn(failed: Path, tmp_path: Path) -> None:
    saved = tmp_path / f"{failed.name}.json"
    direct = call("analyze", failed, "--json", saved, "--format", "markdown")
    again = call("render", saved, "--format", "markdown")
    assert again.exit_code == 0, again.output
    assert again.stdout == direct.stdout
    saved.write_text('{"not": "ours"}')
    assert call("render", saved).exit_code == 2


def test_explain_tells_of_symptoms_and_causes() -> None:
    symptom, cause = call("explain", "overfitting"), call("explain", "lr-too-high")
    assert symptom.exit_code == cause.exit_code == 0
    assert "Not to be taken for" in symptom.stdout and "fires:" in symptom.stdout
    assert "What to do" in cause.stdout
    wrong = call("explain", "overfiting")
    assert wrong.exit_code == 2 and "did you mean overfitting" in wrong.stderr


def test_rules_are_listed_with_their_thresholds() -> None:
    listed = json.loads(call("rules", "--json").stdout)
    assert {"divergence", "overfitting", "nan-sudden"} <= {r["id"] for r in listed}
    assert all(p["why"] for r in listed for p in r["params"].values())
    words = call("rules", "--vocabulary").stdout
    assert "smooth(" in words and "sure(p: true/false)" in words and " Used by " in words
    assert words.index("What a logged learning rate did") < words.index("warmup_steps(")


def test_rules_of_a_user_are_judged_too(failed: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine" / "shape"
    mine.mkdir(parents=True)
    (mine / "long-run.yaml").write_text(
        "id: long-run\ntitle: The run is long\nkind: notice\nseverity: note\nwhat: Many steps were logged.\n"
        "why: It took a while.\nlookalikes: A short run.\nneeds: {loss: loss}\n"
        'params: {enough: {value: 100, unit: rows, why: "a hundred rows are many here"}}\n'
        "measure: {rows: count_rows(loss)}\nwhen: [rows > enough]\n"
        'evidence: [{say: "{rows:.0f} rows"}]\ncauses: []\n'
        "tests:\n  - {name: many, series: {loss: [[0, 1], [300, 1]]}, points: 300, expect: fires}\n"
        "  - {name: few, series: {loss: [[0, 1], [30, 1]]}, points: 30, expect: silent}\n"
        "references: [{title: mine}]\n"
    )
    result = call("analyze", failed, "--format", "json", "--rules", tmp_path / "mine")
    assert "long-run" in {f["symptom"] for f in json.loads(result.stdout)["runs"][0]["findings"]}
    tested = call("test-rules", tmp_path / "mine")
    assert tested.exit_code == 0 and "2 of 2 cases of 1 rules hold" in tested.stdout


def test_a_configuration_file_sets_signals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.jsonl").write_text(
        "".join(f'{{"step": {i}, "mine": {2 - i / 100}, "other": 1}}\n' for i in range(100))
    )
    (tmp_path / "curvedoc.toml").write_text('[signals]\nloss = "mine"\n')
    monkeypatch.chdir(tmp_path)
    document = json.loads(call("analyze", "m.jsonl", "--format", "json").stdout)
    assert document["runs"][0]["signals"]["loss"]["metric"] == "mine"
    (tmp_path / "curvedoc.toml").write_text("sgnals = 1\n")
    assert call("analyze", "m.jsonl").exit_code == 2


def test_doctor_tells_the_schedule_of_a_learning_rate_and_what_the_log_did_to_the_loss(tmp_path: Path) -> None:
    rows = []
    for i in range(600):
        rate = 3e-4 * (i / 50 if i < 50 else 0.5 * (1 + math.cos(math.pi * (i - 50) / 750)))
        loss = 0.0 if i in (100, 300) else 2.0 * math.exp(-i / 100) + 0.4 + 0.05 * math.sin(7.7 * i * i)
        rows.append(json.dumps({"step": i, "loss": loss, "lr": rate}))
    (tmp_path / "log.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    said = call("doctor", tmp_path).stdout
    assert (
        "rate   lr: cosine decay, warm-up to step 50, peak 0.0003, would end at step 800 (the log stops at 599)" in said
    )
    assert "zero-values" in said


def test_doctor_lists_the_files_in_which_it_found_no_metric(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("E00 B000 of nothing\n" * 7)
    for i in range(60):
        (tmp_path / f"words{i:02d}.txt").write_text("no log at all\n")
    said = call("doctor", tmp_path).stdout.splitlines()
    assert said[0] == "left out  train.log: 7 lines of text, and no metric"
    assert said[-4] == "left out  11 more" and said[-3].startswith("holds     61 other files")
    assert said[-2].startswith("next      give the log")
    assert said[-1] == "0 runs, 0 files not read, 61 left out"


def test_doctor_shows_what_was_taken_for_what(failed: Path) -> None:
    result = call("doctor", failed)
    assert result.exit_code == 0, result.output
    assert re.search(r"role\s+loss\s+<- loss\s+200 points", result.stdout)


def test_schema_describes_the_document(failed: Path) -> None:
    schema = json.loads(call("schema").stdout)
    document = json.loads(call("analyze", failed, "--format", "json").stdout)
    assert set(document) <= set(schema["properties"])


def test_the_start_imports_nothing_heavy() -> None:
    # what makes --help slow is imports; their absence is what can be tested on a noisy machine
    code = (
        "import sys, curvedoc.cli.app as a; from typer.main import get_command; get_command(a.app);"
        "heavy = {'polars', 'numpy', 'altair', 'scipy', 'vl_convert', 'tensorboard', 'pydantic', 'yaml'};"
        "heavy &= set(sys.modules);"
        "sys.exit(str(sorted(heavy)) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_text_and_stands_in_the_readme(command: str) -> None:
    result = call(command, "--help")
    assert result.exit_code == 0 and "Usage" in result.stdout
    readme = Path(__file__).resolve().parents[2] / "README.md"
    assert f"curvedoc {command}" in readme.read_text(encoding="utf-8")
