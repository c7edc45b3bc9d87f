"""The catalog of messages: each template takes its case and nothing else does, and what it names is there."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl
import pytest

from curvedoc.core.errors import RuleErrors
from curvedoc.core.run import MESSAGES, Run, empty_points
from curvedoc.diagnose.ending.said import said
from curvedoc.rulebook.load import load
from curvedoc.rulebook.messages.catalog import catalog
from curvedoc.rulebook.messages.template import template

CATALOGUE = catalog()


def of(lines: list[str], level: str = "") -> Run:
    rows = [("train.log", i, None, level, None, 0, line, 0) for i, line in enumerate(lines, 1)]
    return Run("r", empty_points(), pl.DataFrame(rows, schema=dict(MESSAGES), orient="row"), (), {}, {}, ())


def test_there_are_several_hundred_messages_and_no_group_twice() -> None:
    assert len(CATALOGUE.sayings) >= 600
    ids = [g.id for g in CATALOGUE.groups]
    assert len(ids) == len(set(ids)) >= 30


def test_every_case_is_told_by_its_own_group() -> None:
    cases = [s.case for s in CATALOGUE.sayings]
    found = {s.row: s for s in said(of(cases), CATALOGUE)}
    # a line may hold the words of two groups (a launcher's line that quotes an error): then the longer words speak
    wrong = [
        f"{s.group.id}: {s.case} -> {found[i].group.id if i in found else None}"
        for i, s in enumerate(CATALOGUE.sayings)
        if i not in found or found[i].group.id != s.group.id
    ]
    assert wrong == []


def test_causes_and_symptoms_of_the_catalog_are_in_the_rulebook() -> None:
    book = load(lazy=True)
    rules = {r.id for r in book.rules}
    assert [g.id for g in CATALOGUE.groups if g.cause is not None and g.cause not in book.causes] == []
    assert [g.id for g in CATALOGUE.groups if not set(g.symptoms) <= rules] == []


def test_what_stands_in_a_slot_is_captured() -> None:
    [told] = said(of(["torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has"]), CATALOGUE)
    assert dict(told.captured) == {"asked": "20.00 MiB"}
    [told] = said(of(["KeyError: 'ckpt_dir'"]), CATALOGUE)
    assert dict(told.captured) == {"key": "'ckpt_dir'"}


def test_the_frame_is_the_innermost_of_the_users_own_code() -> None:
    block = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/project/train.py", line 39, in main\n'
        "    step(model, batch)\n"
        '  File "/home/u/project/steps.py", line 7, in step\n'
        "    loss = model(batch)\n"
        '  File "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1736, in _wrapped_call_impl\n'
        "    return self._call_impl(*args, **kwargs)\n"
        "RuntimeError: CUDA error: an illegal memory access was encountered"
    )
    [told] = said(of([block], "TRACEBACK"), CATALOGUE)
    assert str(told.frame) == "steps.py:7" and told.frame is not None and told.frame.code == "loss = model(batch)"
    assert told.group.id == "illegal-memory-access"


def test_the_source_lines_of_a_traceback_say_nothing() -> None:
    block = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 3, in <module>\n'
        '    raise SystemError("x")  # not CUDA out of memory. Tried to allocate 2 GiB\n'
        "SystemError: x"
    )
    assert said(of([block], "TRACEBACK"), CATALOGUE) == ()


def test_a_warning_or_information_stops_nothing() -> None:
    line = "UserWarning: libnuma.so: cannot open shared object file: No such file or directory"
    [told] = said(of([line], "WARNING"), CATALOGUE)
    assert told.ending == "note"
    [told] = said(of([line.replace("UserWarning", "ImportError")], "ERROR"), CATALOGUE)
    assert told.ending == "crash"


def test_hostile_lines_are_matched_in_linear_time() -> None:
    text = "DataLoader worker (pid " * 300 + "CUDA out of memory. Tried to allocate " * 100 + "Killed " * 1000
    begun = time.process_time()
    said(of([text[:8000]] * 500), CATALOGUE)
    once = time.process_time() - begun
    assert once < 20.0


@pytest.mark.parametrize(
    ("say", "word"), [("{a:n} {a:n} xyz", "twice"), ("{a:strange} xyz", "kind"), ("{anything}", "words")]
)
def test_a_template_that_cannot_be_read_says_why(say: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        template(say)


def test_all_errors_of_message_files_are_told_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "messages"
    folder.mkdir()
    (folder / "one.yaml").write_text("about: nothing much\ngroups: [{id: a, title: An a, ending: crash}]\n")
    (folder / "two.yaml").write_text(
        "about: nothing much\n"
        "groups:\n"
        "  - {id: b, title: A b, ending: crash, templates: [{say: '{x:y} abc', case: 'x abc'}]}\n"
    )
    with pytest.raises(RuleErrors) as told:
        catalog(tmp_path)
    assert "templates" in str(told.value) and "kind" in str(told.value)
