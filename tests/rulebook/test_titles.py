"""Titles and actions with fields: what is unknown is an error when loaded, or leads to the next way to say it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from curvedoc.core.errors import RuleErrors
from curvedoc.diagnose.sentence.counter import Counter
from curvedoc.diagnose.sentence.fields import first_that_holds
from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Sentence

DIVERGENCE = (rules_dir() / "shape" / "divergence.yaml").read_text(encoding="utf-8")
LR_ZERO = (rules_dir() / "causes" / "lr-zero.yaml").read_text(encoding="utf-8")


def test_the_first_way_that_holds_and_is_known_is_told() -> None:
    ways = [Sentence("leaped at step {leap:step}", "leapt", None), Sentence("rose to {end:.3g}", None, None)]
    ways.append(Sentence("rose", None, None))
    assert first_that_holds(ways, {"leapt": True, "leap": 12.0, "end": 3.0}, {}) == (0, "leaped at step 12")
    assert first_that_holds(ways, {"leapt": True, "end": 3.0}, {}) == (1, "rose to 3")
    assert first_that_holds(ways, {"leapt": False, "leap": 12.0}, {}) == (2, "rose")
    assert first_that_holds(ways, {"leapt": True, "leap": -1.0}, {}) == (2, "rose"), "before the first step is no step"
    assert first_that_holds(ways, {"leapt": True, "leap": 7.0}, {}, Counter("epoch")) == (0, "leaped at epoch 7")


@pytest.mark.parametrize(
    ("file", "folder", "was", "now", "said"),
    [
        (DIVERGENCE, "shape", "step {turn:step}", "step {trun:step}", "names no number"),
        (DIVERGENCE, "shape", "given: rate_leapt", "given: lowest", "is not true/false"),
        (
            DIVERGENCE,
            "shape",
            "  - say: The loss diverged",
            "  - say: The loss of {end:.3g} rises",
            "the last title",
        ),
        (LR_ZERO, "causes", 'say: "Set a learning', 'say: "Set {nothing} a learning', "names no number"),
        (LR_ZERO, "causes", "act:\n  - say:", "act:\n  - given: nothing\n    say:", "is not defined"),
    ],
)
def test_an_unknown_field_is_told_when_the_file_is_loaded(
    tmp_path: Path, file: str, folder: str, was: str, now: str, said: str
) -> None:
    assert was in file or "The loss diverged" in was
    text = (
        file.replace(was, now, 1)
        if was in file
        else re.sub(r'  - say: "The loss diverged', '  - say: "A {end} rises', file)
    )
    name = re.search(r"^id: (\S+)", file, re.M)
    assert name
    (tmp_path / folder).mkdir()
    (tmp_path / folder / f"{name[1]}.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(RuleErrors, match=said):
        load([tmp_path])
