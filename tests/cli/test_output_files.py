"""Where results go: nothing is replaced that curvedoc did not make, nothing is half written, and errors say so."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from curvedoc.core.errors import UsageError
from curvedoc.core.files.output_file import check, is_own, write

LOG = "".join(f'{{"step": {i}, "loss": {2.3 * 0.99**i:.4f}}}\n' for i in range(60))


def call(*args: str | Path, cwd: Path, **streams: object) -> subprocess.CompletedProcess[str]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    command = [sys.executable, "-m", "curvedoc", *map(str, args)]
    return subprocess.run(command, cwd=cwd, text=True, timeout=120, check=False, **given)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_text(LOG)
    return path


# one file


def test_a_device_is_written_to_in_place() -> None:
    before = Path(os.devnull).stat()
    write(Path(os.devnull), "text")
    after = Path(os.devnull).stat()
    assert stat.S_ISCHR(after.st_mode) and after.st_ino == before.st_ino


def test_a_fifo_stays_one_and_its_reader_gets_all(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    write(fifo, "x" * 300_000)
    reader.join(20)
    assert got == [b"x" * 300_000] and stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_symlink_is_followed_and_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "kept" / "out.json", tmp_path / "out.json"
    target.parent.mkdir()
    target.write_text('{"schema":"curvedoc/1"}')
    link.symlink_to(target)
    write(link, '{"schema":"curvedoc/1","runs":[]}')
    assert link.is_symlink() and target.read_text() == '{"schema":"curvedoc/1","runs":[]}'


def test_a_symlink_to_nothing_yet_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link", "text")
    assert (tmp_path / "target").read_text() == "text"


def test_links_in_a_circle_are_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UsageError, match="cannot be written"):
        write(tmp_path / "a", "text")


def test_a_planted_link_of_a_temporary_name_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "out.json.part").symlink_to(victim)
    write(tmp_path / "out.json", "{}")
    assert victim.read_text() == "precious" and (tmp_path / "out.json").read_text() == "{}"


def test_a_file_of_somebody_else_is_kept_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text('{"mine": true}')
    with pytest.raises(UsageError, match="not written by curvedoc"):
        write(path, "{}")
    assert path.read_text() == '{"mine": true}'
    write(path, "{}", force=True)
    assert path.read_text() == "{}"


@pytest.mark.parametrize(
    "text",
    [
        'my notes\n"schema": "curvedoc/1" stands in each\n',
        '{"dependencies": {"curvedoc": "0.1.0"}}',
        '{"name": "curvedoc", "version": "1.0.0"}',
        "# Ours\n\nRun `curvedoc evaluate LABELS` first.\n",
        "they said:\n_curvedoc 0.1.0, rules `abc`_\nand I do not believe it\n",
        '<html><!-- <meta name="generator" content="curvedoc"> --></html>',
    ],
)
def test_a_file_that_only_quotes_us_is_somebody_elses(tmp_path: Path, text: str) -> None:
    path = tmp_path / "theirs"
    path.write_text(text)
    with pytest.raises(UsageError, match="not written by curvedoc"):
        check(path)


def test_a_stream_that_has_no_name_is_written_to(log: Path, tmp_path: Path) -> None:
    # /dev/stdout leads to "pipe:[123]", which is no path
    done = call("analyze", log, "--json", "/dev/stdout", "-q", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith('{"contrasts"'), done.stderr


@pytest.mark.parametrize("command", [("analyze", "--html"), ("triage", "--csv")])
def test_two_outputs_in_one_file_are_told_before_the_work(log: Path, tmp_path: Path, command: tuple[str, str]) -> None:
    name, option = command
    done = call(name, log, option, "same", "--json", "./same", cwd=tmp_path)
    assert done.returncode == 2 and "are to be written here" in done.stderr
    assert not (tmp_path / "same").exists()


def test_a_figure_of_somebody_else_is_kept(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(LOG.replace("2.3", "NaN", 1).replace('"loss": 1.', '"loss": NaN, "x": 1.'))
    done = call("analyze", "run.jsonl", "--assets", "figures", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    drawn = sorted((tmp_path / "figures").glob("*.svg"))
    assert drawn
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / drawn[0].name).write_text("mine")
    done = call("analyze", "run.jsonl", "--assets", "theirs", cwd=tmp_path)
    assert done.returncode == 2 and "not written by curvedoc" in done.stderr
    assert "run" in done.stdout, "the summary is printed whatever happens to a file"
    assert [p.name for p in (tmp_path / "theirs").iterdir()] == [drawn[0].name]


def test_an_empty_file_is_free(tmp_path: Path) -> None:
    path = tmp_path / "made-by-mktemp"
    path.touch()
    write(path, "text")
    assert path.read_text() == "text"


def test_an_input_is_not_overwritten_even_where_it_is_our_own(tmp_path: Path) -> None:
    saved = tmp_path / "d.json"
    saved.write_text('{"schema":"curvedoc/1"}')
    with pytest.raises(UsageError, match="is what is being analyzed"):
        check(saved, inputs=[saved])
    check(saved, force=True, inputs=[saved])


def test_rights_are_kept_and_a_new_file_gets_the_usual_ones(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch(mode=0o640)
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write(old, "text")
        write(new, "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640 and stat.S_IMODE(new.stat().st_mode) == 0o640


def test_what_could_not_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UsageError, match="No space left"):
        write(tmp_path / "out.json", "{}")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "message"), [("", "is a folder"), ("missing/out.json", "no such folder")])
def test_a_place_that_cannot_hold_a_file_is_told_before_the_work(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check(tmp_path / name)


# a whole call


def test_every_kind_of_output_is_known_as_our_own(log: Path, tmp_path: Path) -> None:
    names = ("html", "json", "markdown", "sarif", "junit", "embed")
    asked = [a for n in names for a in (f"--{n}", f"out.{n}")]
    for _ in range(2):  # the second call overwrites what the first one made
        done = call("analyze", log, *asked, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert all(is_own(tmp_path / f"out.{n}") for n in names)
    rows = [a for n in ("csv", "parquet", "html", "json") for a in (f"--{n}", f"rows.{n}")]
    for _ in range(2):
        done = call("triage", log, *rows, "--no-cache", cwd=tmp_path)
        assert done.returncode == 0, done.stderr


def test_the_log_is_not_overwritten_by_its_own_diagnosis(log: Path, tmp_path: Path) -> None:
    done = call("analyze", log, "--json", log, cwd=tmp_path)
    assert done.returncode == 2 and "is what is being analyzed" in done.stderr
    assert log.read_text() == LOG


def test_a_dash_is_standard_output(log: Path, tmp_path: Path) -> None:
    done = call("analyze", log, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("{") and not (tmp_path / "-").exists()
    both = call("analyze", log, "--json", "-", "--markdown", "-", cwd=tmp_path)
    assert both.returncode == 2 and "standard output" in both.stderr


def test_outputs_are_checked_before_the_work(log: Path, tmp_path: Path) -> None:
    done = call("analyze", log, "--html", tmp_path, "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 2 and "is a folder" in done.stderr and not (tmp_path / "out.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_the_summary_is_printed_whatever_happens_to_a_file(log: Path, tmp_path: Path) -> None:
    done = call("analyze", log, "--json", "/dev/full", cwd=tmp_path)
    assert done.returncode == 2 and "No space left on device" in done.stderr and "loss" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("asked", ["--help", "--version", "schema", "triage --help", "rules"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_what_needs_no_log_tells_a_full_output_as_well(tmp_path: Path, asked: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = call(*asked.split(), cwd=tmp_path, stdout=full)
    assert done.returncode == 2 and done.stderr == "error: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("asked", ["--help", "schema"])
def test_a_reader_that_went_away_is_no_error(tmp_path: Path, asked: str) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = call(asked, cwd=tmp_path, stdout=theirs)
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_difference_is_printed_whatever_happens_to_its_page(log: Path, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text(LOG.replace("0.0", "0.1"))

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))

    done = call("diff", log, "other.jsonl", "--html", "page.html", cwd=tmp_path, preexec_fn=small)
    assert done.returncode == 2 and "page.html: cannot be written" in done.stderr
    assert "other" in done.stdout and not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("command", ["analyze", "triage", "doctor"])
def test_a_full_standard_output_is_one_clear_error(log: Path, tmp_path: Path, command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = call(command, log, cwd=tmp_path, stdout=full)
    assert done.returncode == 2 and done.stderr.count("cannot be written") == 1, done.stderr
    assert "Traceback" not in done.stderr and "internal" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_standard_error_changes_nothing(log: Path, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = call("analyze", log, "--json", "out.json", cwd=tmp_path, stderr=full)
    assert done.returncode == 0 and (tmp_path / "out.json").exists()


@pytest.mark.parametrize(("closing", "code"), [(">&-", 2), ("2>&-", 0)])
def test_a_closed_stream_is_told_or_changes_nothing(log: Path, tmp_path: Path, closing: str, code: int) -> None:
    shell = f'"{sys.executable}" -m curvedoc analyze run.jsonl --json out.json {closing}'
    done = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    assert (tmp_path / "out.json").exists() and "Traceback" not in done.stderr


def test_a_metric_name_sends_no_control_to_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    name = "loss\\u001b]52;c;ZXZpbA==\\u0007"
    rows = "".join(f'{{"step": {i}, "{name}": {1 / (1 + i):.4f}}}\n' for i in range(60))
    (tmp_path / "run.jsonl").write_text(rows)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "curvedoc", "doctor", "run.jsonl"], cwd=tmp_path, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        got = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how a terminal says that nobody writes to it any more
                break
            if not piece:
                break
            got += piece
        process.wait(60)
    os.close(ours)
    assert b"loss" in got and b"\x1b]" not in got and b"\x07" not in got


@pytest.mark.parametrize("command", [["analyze", "--assets"], ["export", "--tensorboard"]])
def test_a_folder_that_nothing_fits_into_is_not_left_behind(tmp_path: Path, command: list[str]) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text("".join(f'{{"step": {i}, "loss": {2.3 * 1.1**i if i > 30 else 2.3 - i / 50}}}\n' for i in range(90)))

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))

    name, option = command
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = call(name, run, option, "new/deep", cwd=tmp_path, preexec_fn=small, env=environment)
    assert done.returncode == 2 and "cannot be written" in done.stderr, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["run.jsonl"]


@pytest.mark.parametrize("command", [["init"], ["new-rule", "my-symptom", "--dir", "."]])
def test_a_skeleton_that_does_not_fit_on_the_disk_leaves_no_file_behind(tmp_path: Path, command: list[str]) -> None:
    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))

    # -B: Python's own files would be cut at that length as well, and stay
    call = [sys.executable, "-B", "-m", "curvedoc", *command]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=small)
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_path_cannot_write_over_the_line_that_names_it(tmp_path: Path) -> None:
    from curvedoc.cli.output.streams import visible_text

    assert visible_text("could not read a\rall is well\r\n") == "could not read a\\x0dall is well\r\n"
    assert visible_text("\rreading 3 of 4\x1b[K") == "\rreading 3 of 4\x1b[K"
