"""What a log answers is asked of nobody: of a first cause no question stays open whose inputs are all known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from curvedoc.core.diagnosis import Check, Diagnosis
from curvedoc.diagnose.judge.answers import UNSHOWN
from curvedoc.pipeline import Options, analyze
from curvedoc.rulebook.load import load

HERE = Path(__file__)
CORPUS = Path(os.environ.get("CURVEDOC_CORPUS", str(HERE.parents[3] / "shared" / "corpus")))
LOGS = (HERE.parents[2] / "sample_logs", CORPUS, CORPUS.with_name(f"{CORPUS.name}-torch"))
#: How a question begins that reads what a log may hold; each says which measure, fact or message answers it.
READS_THE_LOG = (
    "Does the log ",
    "Does the message ",
    "Does the loss ",
    "Does the training loss ",
    "Does the gradient norm ",
    "Does the logged ",
    "Is the logged ",
    "Is the peak rate ",
    "Is the first loss ",
    "Does validation loss ",
)
#: Asked of another place than the log, or of another run.
ELSEWHERE = ("Does the log end at the job's time limit?", "Does the loss pass the floor without the last softmax?")


def test_what_a_log_may_answer_says_what_answers_it() -> None:
    asked = [
        (c.id, k.ask)
        for c in load().causes.values()
        for k in c.checks
        if k.answer is None and k.cost == "look" and k.ask.startswith(READS_THE_LOG) and k.ask not in ELSEWHERE
    ]
    assert asked == []


def told_what_is_missing(check: Check) -> bool:
    return check.because.startswith(("not logged:", "not in the configuration:", "not known:"))


@pytest.fixture(scope="module", params=LOGS, ids=lambda p: p.name)
def diagnosis(request: pytest.FixtureRequest) -> Diagnosis:
    if not request.param.is_dir():
        pytest.skip("these logs are not beside this checkout")
    return analyze(request.param, Options())


def test_an_open_question_lacks_an_input(diagnosis: Diagnosis) -> None:
    asked = {
        (run.run, check.ask, check.because)
        for run in diagnosis.runs
        for check in (run.causes[0].checks if run.causes else ())
        if check.answer == "unanswerable" and not told_what_is_missing(check) and check.because != UNSHOWN
    }
    assert asked == set()


def test_the_next_check_is_no_look_at_what_was_looked_at(diagnosis: Diagnosis) -> None:
    for run in diagnosis.runs:
        checks = {k.ask: k for c in run.causes for k in c.checks}
        if run.next_check is not None:
            check = checks[run.next_check.ask]
            assert check.answer in ("open", "unanswerable"), run.run
            assert check.answer == "open" or told_what_is_missing(check) or check.cost != "look", run.run
