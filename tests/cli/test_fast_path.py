"""The usual calls of triage are read without Typer, and mean the same there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from curvedoc.cli.app import app
from curvedoc.cli.exits import Exit
from curvedoc.cli.fast_path import fast_arguments, run

WORDS = (
    "triage", "runs", "a/b", ".", "-", "--", "", "-q", "--quiet", "--all", "--force", "--no-cache", "--cache", "--html",
    "--json", "--csv", "--markdown", "--parquet", "--html=x.html", "-f", "--format", "text", "json", "jsonl", "html",
    "-j", "--jobs", "1", "2", "0", "-3", "007", "1e3", "x.html", "-fjson", "-qf", "--strict", "--fail-on", "--help",
    "--engine", "local", "--time-limit", "parquet",
)  # fmt: skip


class Asked(list[tuple[tuple[Any, ...], dict[str, Any]]]):
    """What `judged` was called with."""

    def __call__(self, *args: Any, **named: Any) -> Exit:
        since, limits, engine, strict = (named.pop(k, None) for k in ("since", "limits", "engine", "strict"))
        assert since is None and engine in (None, "local") and not strict
        assert limits is None or (limits.seconds, limits.memory) == (120.0, 4 << 30)
        self.append((args, {"jobs": None, "cache": True, **named}))
        return Exit.FINDINGS


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    found = Asked()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("curvedoc.cli.triage.run_triage", found)
        patch.chdir(tmp_path_factory.mktemp("empty"))
        yield found


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=7))
def test_what_is_read_without_typer_is_read_by_it_in_the_same_way(asked: Asked, rest: list[str]) -> None:
    arguments = ["triage", *rest]
    call = fast_arguments(arguments)
    if call is None:
        return
    asked.clear()
    with pytest.raises(SystemExit) as ended:
        run(*call)
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, ended.value.code) == (1, 1), result.output
    assert len(asked) == 2 and asked[0] == asked[1]


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["triage", "a"], {"paths": [Path("a")]}),
        (["triage", "a", "--html", "h", "b"], {"paths": [Path("a"), Path("b")], "html": Path("h")}),
        (["triage", "a", "--no-cache", "-j", "2"], {"paths": [Path("a")], "cache": False, "jobs": 2}),
        (["triage", "a", "-f", "csv"], {"paths": [Path("a")], "format_": "csv"}),
        (["triage"], None),
        (["analyze"], None),
        (["doctor", "a"], None),
        (["analyze", "-"], None),
        (["analyze", "a", "--json", "-"], None),
        (["analyze", "a", "--select", "divergence"], None),
        (["triage", "a", "--since", "3d"], None),
        (["triage", "a", "--html"], None),
        (["triage", "a", "-f", "yaml"], None),
        (["triage", "a", "-q", "--quiet"], None),
    ],
)  # fmt: skip
def test_only_calls_of_the_plainest_kind_are_taken(arguments: list[str], want: dict[str, Any] | None) -> None:
    assert fast_arguments(arguments) == (None if want is None else (arguments[0], want))


ANALYZE_WORDS = (
    "runs", "a/b", "-", "", "-q", "--quiet", "-v", "--verbose", "--all", "--force", "--no-html", "--strict",
    "--no-siblings", "--html", "--json", "--sarif", "--junit", "--markdown", "--html=x.html", "-f", "--format", "text",
    "json", "brief", "github", "gitlab", "junit", "html", "jsonl", "-j", "--jobs", "1", "0", "007", "x.html", "-qf",
    "--fail-on", "failed", "never", "note", "fatal", "error", "--select", "--embed", "--help",
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ANALYZE_WORDS), max_size=7))
def test_a_usual_call_of_analyze_is_read_in_the_same_way(rest: list[str]) -> None:
    arguments = ["analyze", *rest]
    call = fast_arguments(arguments)
    if call is None:
        return
    asked: list[object] = []

    def judged(paths: list[Path], options: object, out: object, jobs: int, limits: object) -> object:
        asked.append((paths, options, out, jobs, limits))
        return "the diagnosis"

    def code(d: object, fail_on: str, strict: bool) -> int:
        asked.append((d, fail_on, strict))
        return 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("curvedoc.cli.analyze.run", judged)
        patch.setattr("curvedoc.cli.exits.exit_code", code)
        with pytest.raises(SystemExit) as ended:
            run(*call)
        result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, ended.value.code) == (1, 1), result.output
    assert len(asked) == 4 and asked[:2] == asked[2:]


def test_a_usual_call_of_analyze_needs_no_typer(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f'{{"step": {i}, "loss": {1 / (i + 1)}}}\n' for i in range(60)))
    code = (
        "import sys, atexit; from curvedoc.cli import main; sys.argv[1:] = ['analyze', 'a.jsonl', '-q', '--no-html'];"
        "atexit.register(lambda: print(sorted({'typer', 'pydantic', 'rich.console'} & set(sys.modules)), flush=True));"
        "main()"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert said[1] == "[]\n"


def test_an_unchanged_tree_is_told_without_readers_rules_or_frames(tmp_path: Path, monkeypatch: Any) -> None:
    # what such a call waits for is imports; their absence is what can be tested on a noisy machine
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "runs" / "a"
    place.mkdir(parents=True)
    (place / "metrics.jsonl").write_text("".join(f'{{"step": {i}, "loss": {1 / (i + 1)}}}\n' for i in range(60)))
    code = (
        "import sys, atexit; from curvedoc.cli import main; sys.argv[1:] = ['triage', 'runs'];"
        "atexit.register(lambda: print(sorted({'polars', 'numpy', 'pydantic', 'yaml', 'typer', 'rich.console',"
        " 'curvedoc.ingest.registry', 'multiprocessing'} & set(sys.modules)), flush=True));"
        "main()"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    first, again = (text.rpartition("\n[") for text in said)
    assert "polars" in first[2] and again[2] == "]\n" and first[0] == again[0]


def test_what_hands_runs_out_imports_neither_polars_nor_what_judges(tmp_path: Path, monkeypatch: Any) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("workers are forked there alone")
    monkeypatch.setenv("CURVEDOC_CACHE", str(tmp_path / "cache"))
    for i in range(45):
        place = tmp_path / "runs" / str(i)
        place.mkdir(parents=True)
        (place / "metrics.jsonl").write_text(
            "".join(f'{{"step": {k}, "loss": {i + 1 / (k + 1)}}}\n' for k in range(60))
        )
    code = (
        "import sys, atexit; from curvedoc.cli import main; sys.argv[1:] = ['triage', 'runs', '-j', '2'];"
        "atexit.register(lambda: print(sorted({'polars.dataframe', 'curvedoc.diagnose.run'} & set(sys.modules)),"
        " flush=True)); main()"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.endswith("\n[]\n") and "45 runs" in said


def test_a_module_that_is_imported_late_is_whole_when_it_is_asked() -> None:
    code = (
        "import sys; from curvedoc.triage.run.fork_server import import_polars_late; import_polars_late();"
        "import polars as pl; before = 'polars.dataframe' in sys.modules;"
        "from polars.exceptions import PolarsError;"
        "print(before, pl.DataFrame({'a': [1]}).height, issubclass(pl.exceptions.PolarsError, PolarsError))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False 1 True\n"
