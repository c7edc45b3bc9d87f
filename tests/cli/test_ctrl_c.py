"""Ctrl-C, whatever the code that it hits makes of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from curvedoc.cli.exits import Exit, reported_errors
from curvedoc.cli.output import ctrl_c


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ctrl_c, "_pressed", [])
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
