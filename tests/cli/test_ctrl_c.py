"""Ctrl-C, whatever the code that it hits makes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from curvedoc.cli.exits import Exit, reported_errors
from curvedoc.cli.output import ctrl_c

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ctrl_c, "_pressed", [])
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    ctrl_c.listen()
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_an_error_that_c_code_makes_of_it_is_an_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, reported_errors():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("expected a message argument") from None
    assert ended.value.code == Exit.INTERRUPTED and capsys.readouterr().err == "interrupted\n"


@pytest.mark.usefixtures("listening")
def test_an_error_without_it_is_an_internal_one() -> None:
    with pytest.raises(SystemExit) as ended, reported_errors():
        raise TypeError("expected a message argument")
    assert ended.value.code == Exit.INTERNAL


def test_a_caller_that_takes_it_itself_keeps_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ctrl_c.listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a timer asks again after an import; this system has none")
def test_an_import_is_ended_before_ctrl_c_is_heard(tmp_path: Path) -> None:
    # interrupted in the middle, numpy and polars can end the process with a segmentation fault
    (tmp_path / "slow.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nsum(range(1_000_000))\nprint('whole', flush=True)\n"
    )
    code = "from curvedoc.cli.output.ctrl_c import listen; listen(); import slow\nwhile True: pass"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "whole\n" and done.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in done.stderr and "slow.py" not in done.stderr


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a timer repeats what was lost; this system has none")
def test_ctrl_c_that_is_lost_in_c_code_comes_again(tmp_path: Path) -> None:
    # an error in here can be raised to nobody, as one in a callback of C code
    (tmp_path / "gone.py").write_text(
        "import os, signal\n"
        "class Gone:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        sum(range(1000))\n"
    )
    code = (
        "from gone import Gone\nfrom curvedoc.cli.output.ctrl_c import listen\nlisten()\nGone()\n"
        "try:\n    while True: sum(range(1000))\nexcept KeyboardInterrupt:\n    print('heard')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("heard\n", "")
