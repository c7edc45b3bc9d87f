"""formats, diff, watch, init, new-rule, and the configuration from file, environment and command line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from rule_format import has_both_cases, keeps_house_format
from typer.testing import CliRunner, Result

from curvedoc.cli.app import app
from curvedoc.cli.exits import Exit
from curvedoc.cli.settings.config import KEYS, FileConfig, checked, load
from curvedoc.cli.skeletons.new_files import CI, TEMPLATE
from curvedoc.cli.watch import World, stamp, watch
from curvedoc.core.errors import NothingToAnalyse, UsageError
from curvedoc.ingest.registry import READERS
from curvedoc.pipeline import analyze
from curvedoc.rulebook import load as loading

SAMPLES = Path(__file__).resolve().parents[2] / "sample_logs"


def call(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args])


@pytest.fixture(autouse=True)
def in_an_empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration of the checkout or of the caller reaches a test."""
    monkeypatch.chdir(tmp_path)
    for key in KEYS:
        monkeypatch.delenv(f"CURVEDOC_{key.upper()}", raising=False)


@pytest.fixture(autouse=True, scope="module")
def shipped_rules_are_read_once() -> Iterator[None]:
    """A quarter of a second a command, spent on files that do not change."""
    read, kept = loading._load_file, {}

    def once(*args: Any) -> Any:
        if args[-1] is not True:
            return read(*args)
        if args[0] not in kept:
            kept[args[0]] = read(*args)
        return kept[args[0]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "_load_file", once)
        yield


def losses(steps: int, bump: Callable[[int], float] = lambda step: 0.0) -> list[dict[str, float]]:
    """A falling loss with a little fixed noise, plus a bump."""
    noise = [((i * i * 7919) % 101 - 50) / 2500 for i in range(steps)]
    return [{"step": i, "loss": 2.0 / (1 + i / 50) + noise[i] + bump(i), "lr": 0.1} for i in range(steps)]


def put(place: Path, rows: list[dict[str, float]], **config: object) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "metrics.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    if config:
        (place / "config.json").write_text(json.dumps(config))
    return place


# formats


def test_formats_names_every_reader_with_files_and_a_line() -> None:
    listed = json.loads(call("formats", "--json").stdout)
    assert [f["name"] for f in listed] == [r.NAME for r in READERS]
    assert all(f["files"] and 20 < len(f["about"]) <= 110 for f in listed)
    text = call("formats").stdout
    assert all(f["name"] in text and f["about"] in text for f in listed)


def test_the_files_of_the_samples_have_names_that_formats_tells() -> None:
    files = {f["name"]: f["files"] for f in json.loads(call("formats", "--json").stdout)}
    for run in analyze(SAMPLES).runs:
        for s in run.sources:
            if s.points:
                assert any(fnmatch(Path(s.path).name, pattern) for pattern in files[s.format]), (s.path, s.format)


# diff


def test_diff_tells_where_two_runs_part_and_how_far_they_end_apart(tmp_path: Path) -> None:
    a = put(tmp_path / "a", losses(200), lr=0.1, seed=1)
    b = put(tmp_path / "b", losses(200, lambda i: 0.0 if i < 80 else 0.5), lr=0.1, seed=2)
    found = json.loads(call("diff", a, b, "--format", "json").stdout)
    assert found["first_difference"] == found["parting_step"] == 80
    loss, lr = (next(s for s in found["signals"] if s["role"] == role) for role in ("loss", "lr"))
    assert (loss["first"], loss["parting"], loss["steps"]) == (80, 80, 200)
    assert loss["apart"] == pytest.approx(-0.5, abs=1e-6) and loss["z"] < -10
    assert loss["values"][1] - loss["values"][0] == pytest.approx(0.5)
    assert lr["first"] is None and lr["apart"] == 0
    assert found["one_order"] is True
    text = call("diff", a, b).stdout
    assert "The runs part at step 80: loss" in text and "one order" in text and "clear of the noise" in text


def test_diff_writes_a_page_with_one_run_drawn_beside_the_other(tmp_path: Path) -> None:
    a = put(tmp_path / "a", losses(200), lr=0.1, seed=1)
    b = put(tmp_path / "b", losses(200, lambda i: 0.0 if i < 80 else 0.5), lr=0.2, seed=1)
    page = tmp_path / "diff.html"
    assert call("diff", a, b, "--html", page).exit_code == 0
    text = page.read_text("utf-8")
    assert "The runs part at step 8" in text and "lr 0.1, there 0.2" in text
    assert text.count('data-act="ref"') == 2 and "they part at" in text
    page.write_text("mine", "utf-8")
    assert call("diff", a, b, "--html", page).exit_code == 2 and page.read_text("utf-8") == "mine"


def test_diff_of_a_run_with_itself_finds_nothing(tmp_path: Path) -> None:
    rows = losses(100)
    rows[50]["loss"] = float("nan")
    a = put(tmp_path / "a", rows, lr=0.1)
    text = call("diff", a, a).stdout
    assert "same at every common step" in text
    assert "Configurations: no difference" in text and "Findings: the same" in text


def test_diff_lists_settings_once_and_masks_secrets(tmp_path: Path) -> None:
    a = put(tmp_path / "a", losses(60), learning_rate=0.1, hub_token="first-secret", width=64, flag=True)
    b = put(tmp_path / "b", losses(60), learning_rate=0.2, hub_token="other-secret", width=64, flag=1)
    result = call("diff", a, b, "--format", "json")
    keys = {s["key"]: s["values"] for s in json.loads(result.stdout)["settings"]}
    assert keys["lr"] == [0.1, 0.2] and "learning_rate" not in keys, "the canonical key stands for the raw one"
    assert keys["flag"] == [True, 1] and "width" not in keys
    assert "hub_token" in keys
    assert "secret" not in result.stdout + call("diff", a, b).stdout


def test_diff_tells_which_findings_only_one_run_has(tmp_path: Path) -> None:
    a = put(tmp_path / "a", losses(300))
    b = put(tmp_path / "b", losses(300, lambda i: 0.0 if i < 200 else float("nan")))
    found = json.loads(call("diff", a, b, "--format", "json").stdout)
    ours, theirs = ({f["symptom"] for f in side} for side in found["findings"])
    assert any(s.startswith("nan-") for s in theirs) and not ours & theirs
    assert found["verdicts"][1] == "failed"
    assert "Only B: fatal nan-" in call("diff", a, b).stdout


def test_diff_takes_rounding_for_no_parting(tmp_path: Path) -> None:
    rounded = [{**r, "loss": round(r["loss"], 4)} for r in losses(100)]
    text = call("diff", put(tmp_path / "a", losses(100)), put(tmp_path / "b", rounded)).stdout
    assert "never part: values differ in the last digit only" in text and "0 but for rounding" in text


def test_diff_of_runs_without_a_common_step_says_so(tmp_path: Path) -> None:
    late = [{**r, "step": r["step"] + 1000} for r in losses(60)]
    text = call("diff", put(tmp_path / "a", losses(60)), put(tmp_path / "b", late)).stdout
    assert "A: healthy, B: healthy. No step in common" in text


def test_diff_calls_no_setting_different_that_one_run_never_logged(tmp_path: Path) -> None:
    a, b = put(tmp_path / "a", losses(60)), put(tmp_path / "b", losses(60))
    (tmp_path / "b" / "config.json").write_text('{"lr": 0.1, "batch_size": 8}', encoding="utf-8")
    assert "Configurations: none was logged with A." in call("diff", a, b).stdout
    page = tmp_path / "page.html"
    call("diff", a, b, "--html", str(page))
    assert "there 0.1" not in page.read_text(encoding="utf-8")


def test_diff_needs_one_run_on_each_side(tmp_path: Path) -> None:
    a = put(tmp_path / "two" / "a", losses(60))
    put(tmp_path / "two" / "b", losses(60))
    (tmp_path / "empty").mkdir()
    several = call("diff", tmp_path / "two", a)
    assert several.exit_code == 2 and "holds 2 runs: a, b" in several.stderr
    assert call("diff", a, tmp_path / "empty").exit_code == 4
    assert call("diff", a, tmp_path / "nowhere").exit_code == 2
    assert call("diff", f"{tmp_path / 'two'}::a", f"{tmp_path / 'two'}::b").exit_code == 0
    assert call("diff", f"{tmp_path / 'two'}::a", f"{tmp_path / 'two'}::c").exit_code == 4


# watch


class Screen:
    """A world with a clock of its own; `acts` are done one by one in place of sleeping, then Ctrl-C comes."""

    def __init__(self, path: Path, *acts: Callable[[], object]) -> None:
        self.lines: list[str] = []
        self.remarks: list[str] = []
        self.looks = 0
        self.slept: list[float] = []
        self._acts = iter(acts)
        self._path = path
        self.world = World(
            lambda: stamp([path]), self._look, self._sleep, lambda: 1_000_000.0, self.lines.append, self.remarks.append
        )

    def _look(self):  # type: ignore[no-untyped-def]
        self.looks += 1
        return analyze(self._path)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        act = next(self._acts, None)
        if act is None:
            raise KeyboardInterrupt
        act()


GOOD = losses(300)
BAD = losses(300, lambda i: 0.0 if i < 200 else float("nan"))


def test_watch_looks_again_only_when_files_change_and_tells_only_what_is_new(tmp_path: Path) -> None:
    run = put(tmp_path / "run", GOOD[:150])
    screen = Screen(run, lambda: None, lambda: put(run, GOOD[:199]), lambda: put(run, BAD), lambda: None)
    with pytest.raises(KeyboardInterrupt):
        watch(screen.world, 2.0, once=False, fail_on="never")
    assert screen.looks == 3 and screen.slept == [2.0] * 5
    first, *later = screen.lines
    assert re.match(r"\d\d:\d\d:\d\d  step 149  Healthy", first)
    assert re.search(r"step 299  Healthy -> Failed", later[0])
    assert any(re.search(r"step 200  fatal nan-", line) for line in later[1:])
    assert not any("step 198" in line for line in screen.lines), "a healthy run that grew is no news"


def test_watch_tells_a_finding_that_is_gone(tmp_path: Path) -> None:
    run = put(tmp_path / "run", BAD)
    screen = Screen(run, lambda: put(run, GOOD))
    with pytest.raises(KeyboardInterrupt):
        watch(screen.world, 1.0, once=False, fail_on="never")
    assert any("no longer nan-" in line for line in screen.lines)
    assert any("Failed -> Healthy" in line for line in screen.lines)


def test_watch_waits_for_a_run_and_ends_at_the_first_finding_asked_for(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    screen = Screen(run, lambda: None, lambda: put(run, GOOD[:150]), lambda: put(run, BAD))
    assert watch(screen.world, 1.0, once=False, fail_on="failed") == Exit.FINDINGS
    assert len(screen.remarks) == 1 and "waiting" in screen.remarks[0]
    assert len(screen.slept) == 3


def test_watch_goes_on_when_the_files_vanish_and_come_back(tmp_path: Path) -> None:
    run = put(tmp_path / "run", GOOD)
    screen = Screen(run, (run / "metrics.jsonl").unlink, lambda: put(run, GOOD))
    with pytest.raises(KeyboardInterrupt):
        watch(screen.world, 1.0, once=False, fail_on="never")
    assert len(screen.remarks) == 1 and "no training run" in screen.remarks[0]
    assert len(screen.lines) == 1


def test_watch_once_looks_once(tmp_path: Path) -> None:
    screen = Screen(put(tmp_path / "run", BAD))
    assert watch(screen.world, 1.0, once=True, fail_on="never") == Exit.DONE
    assert screen.looks == 1 and not screen.slept
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingToAnalyse):
        watch(Screen(tmp_path / "empty").world, 1.0, once=True, fail_on="never")


def test_the_watch_command_sets_exit_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = put(tmp_path / "run", BAD)
    assert call("watch", run, "--once").exit_code == 0
    assert call("watch", run, "--once", "--fail-on", "failed").exit_code == 1
    assert call("watch", tmp_path / "nowhere").exit_code == 2

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("curvedoc.cli.watch.time.sleep", interrupt)
    stopped = call("watch", run)
    assert stopped.exit_code == 130 and "fatal nan-" in stopped.stdout


# init


def test_init_writes_a_configuration_once_and_prints_a_job(tmp_path: Path) -> None:
    result = call("init")
    assert result.exit_code == 0 and result.stdout == CI
    path = tmp_path / "curvedoc.toml"
    assert load(tmp_path) == FileConfig()
    path.write_text("# mine\n")
    again = call("init")
    assert again.exit_code == 2 and "--force" in again.stderr and path.read_text() == "# mine\n"
    assert call("init", "--force").exit_code == 0 and path.read_text() == TEMPLATE


def test_every_key_of_a_configuration_stands_in_the_template_and_works() -> None:
    live = re.sub(r"^# (?=\[?[a-z-]+(\]$| = ))", "", TEMPLATE, flags=re.MULTILINE)
    table = tomllib.loads(live)
    assert set(table) == {name.replace("_", "-") for name in KEYS}
    config = checked(table, "")
    book = loading.load()
    assert {*config.select, *config.ignore} <= {r.id for r in book.rules}
    loading.tune(book, config.set, config.sensitivity)


def test_the_job_that_init_prints_uses_options_that_exist(tmp_path: Path) -> None:
    put(tmp_path / "runs" / "a", GOOD)
    (line,) = re.findall(r"run: curvedoc (.*)", CI)
    assert call(*line.split()).exit_code == 0


# new-rule


def test_a_new_rule_loads_keeps_the_house_format_and_its_cases_hold(tmp_path: Path) -> None:
    result = call("new-rule", "loss-up-late")
    path = tmp_path / "rules" / "mine" / "loss-up-late.yaml"
    assert result.exit_code == 0 and "test-rules rules/mine" in result.stdout and path.exists()
    tested = call("test-rules", "rules/mine")
    assert tested.exit_code == 0 and "4 of 4 cases of 1 rules hold" in tested.stdout
    rule = loading.load([Path("rules/mine")]).rule("loss-up-late")
    assert rule is not None
    keeps_house_format(rule)
    has_both_cases(rule)


def test_test_rules_runs_the_cases_of_its_directory_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("new-rule", "loss-up-late", "--dir", "rules")
    assert "of 1 rules" in call("test-rules", "rules").stdout, "the shipped rules lie in a folder of that name too"
    monkeypatch.chdir(tmp_path / "rules")
    assert "of 1 rules" in call("test-rules", ".").stdout


def test_a_new_rule_judges_runs(tmp_path: Path) -> None:
    call("new-rule", "loss-up-late", "--dir", "mine")
    run = put(tmp_path / "run", losses(300, lambda i: max(0, i - 150) / 400))
    found = call("analyze", run, "--rules", "mine", "--select", "loss-up-late", "--format", "json")
    assert [f["symptom"] for f in json.loads(found.stdout)["runs"][0]["findings"]] == ["loss-up-late"]


def test_a_new_rule_never_overwrites(tmp_path: Path) -> None:
    assert call("new-rule", "mine", "--dir", "r").exit_code == 0
    (tmp_path / "r" / "mine.yaml").write_text("edited")
    assert call("new-rule", "mine", "--dir", "r").exit_code == 2
    assert (tmp_path / "r" / "mine.yaml").read_text() == "edited"
    assert call("new-rule", "mine", "--dir", "r", "--force").exit_code == 0
    shipped = call("new-rule", "divergence", "--dir", "r")
    assert shipped.exit_code == 2 and "shipped" in shipped.stderr


@pytest.mark.parametrize("name", ["Loss", "../x", "a_b", "a--b", "", "x" * 61])
def test_a_new_rule_needs_an_id(name: str, tmp_path: Path) -> None:
    assert call("new-rule", "--", name).exit_code == 2
    assert not list(tmp_path.rglob("*.yaml"))


# configuration


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("curvedoc.toml").write_text('fail-on = "note"\nsensitivity = -0.5\nignore = ["divergence"]\n')
    monkeypatch.setenv("CURVEDOC_SENSITIVITY", "0.5")
    monkeypatch.setenv("CURVEDOC_SIGNALS", "loss=a/b,lr=c")
    monkeypatch.setenv("CURVEDOC_SELECT", "")
    shown = call("analyze", "--show-config", "--fail-on", "error")
    assert shown.exit_code == 0, shown.output
    in_force = tomllib.loads(shown.stdout)
    assert in_force == {
        "rules": [], "select": [], "ignore": ["divergence"], "set": [], "sensitivity": 0.5,
        "signals": {"loss": "a/b", "lr": "c"}, "facts": {}, "map": {}, "fail-on": "error",
    }  # fmt: skip
    source = dict(re.findall(r"^\[?([a-z-]+).*  # (.*)$", shown.stdout, re.MULTILINE))
    assert source["fail-on"] == "command line" and source["sensitivity"] == "CURVEDOC_SENSITIVITY"
    assert source["ignore"].endswith("curvedoc.toml") and source["select"] == "default"


def test_what_show_config_prints_is_a_configuration_file(tmp_path: Path) -> None:
    shown = call("analyze", "--show-config", "--signal", 'loss=my "odd" ü\\name', "--set", "divergence.lost=0.6").stdout
    Path("curvedoc.toml").write_text(shown, encoding="utf-8")
    assert load(tmp_path).signals == {"loss": 'my "odd" ü\\name'}
    assert load(tmp_path).set == ["divergence.lost=0.6"]


def test_the_environment_sets_the_exit_code_and_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = put(tmp_path / "run", BAD)
    assert call("analyze", run, "--no-html").exit_code == 0
    monkeypatch.setenv("CURVEDOC_FAIL_ON", "failed")
    assert call("analyze", run, "--no-html").exit_code == 1
    monkeypatch.setenv("CURVEDOC_RULES", str(tmp_path / "nowhere"))
    assert call("analyze", run, "--no-html").exit_code == 2


@pytest.mark.parametrize(
    ("key", "value"), [("FAIL_ON", "sometimes"), ("SENSITIVITY", "2"), ("SENSITIVITY", "nan"), ("SIGNALS", "loss")]
)
def test_a_wrong_variable_is_named(key: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"CURVEDOC_{key}"):
        load(tmp_path, {f"CURVEDOC_{key}": value})


def test_analyze_without_a_path_is_a_usage_error() -> None:
    result = call("analyze")
    assert result.exit_code == 2 and "no path given" in result.stderr


def test_a_path_without_a_command_is_analyzed() -> None:
    said = call(SAMPLES / "diverged", "--no-html")
    assert said.exit_code == Exit.DONE, said.output
    assert said.stdout == call("analyze", SAMPLES / "diverged", "--no-html").stdout
    assert "No such command" in call("no-such-thing").output


def test_a_command_is_a_command_where_a_folder_has_its_name() -> None:
    Path("formats").mkdir()
    assert "tensorboard" in call("formats").stdout.lower()
