"""The cause files that ship: one for each cause of the taxonomy, checks that lead somewhere, code that compiles."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

from curvedoc.rulebook.load import load, rules_dir
from curvedoc.rulebook.rule import Cause
from curvedoc.rulebook.schema.cause import CauseFile, PredictionFile
from curvedoc.rulebook.schema.rule import MarkFile
from curvedoc.rulebook.yaml12 import read

#: The causes of the taxonomy, which are a contract; copied, since the taxonomy itself is not part of the package.
IDS = """
lr-too-high lr-too-low no-warmup missing-clipping clip-too-tight bad-init numerical-instability fp16-overflow
scaled-loss masked-nan bad-data bad-batch label-mismatch label-noise label-encoding data-pipeline-bug
data-not-shuffled data-change detached-graph frozen-layers optimizer-not-connected missing-zero-grad
wrong-loss-function double-softmax shrinking-gradients dead-relu missing-weight-decay batch-too-small
batch-too-large-for-memory capacity-too-low over-capacity too-little-data insufficient-regularization
over-regularization trained-too-long undertrained distribution-shift preprocessing-mismatch leakage
train-time-regularization metric-averaging-lag missing-eval-mode missing-train-mode val-augmentation
val-set-too-small epochwise-double-descent delayed-generalization forgetting-finetune breakthrough
lr-schedule-step lr-restart premature-decay lr-zero scheduler-not-stepped scheduler-misaligned
running-average-reset memory-leak input-bottleneck host-sync anomaly-mode-left-on input-workers shape-bug
silent-broadcast inplace-on-leaf inplace-on-saved-tensor stale-graph-reference wrong-dtype wrong-device
rank-desync slow-rank seeding nondeterministic-kernels environment-drift restarted-run killed-run logging-gap
"""
TAXONOMY = tuple(re.findall(r"\S+", IDS))
FOLDER = rules_dir() / "causes"
FILES = {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}
MOST_WORDS = 12
WIDEST = 120
COSTS = ("look", "code", "short-run", "full-run")


@pytest.fixture(scope="module")
def causes() -> dict[str, Cause]:
    return dict(load([FOLDER], builtin=False).causes)


def file_of(name: str) -> CauseFile:
    return CauseFile.model_validate(read(FILES[name], name))


def lines(file: CauseFile) -> list[PredictionFile]:
    return [line for channel in file.predicts.values() for line in channel]


def marks_of(file: CauseFile) -> list[MarkFile]:
    return [line.mark for line in lines(file) if line.mark is not None]


def test_every_cause_of_the_taxonomy_has_a_file() -> None:
    assert len(TAXONOMY) == len(set(TAXONOMY)) == 76
    assert sorted(set(TAXONOMY) - set(FILES)) == []


def test_the_copied_ids_are_those_of_the_taxonomy() -> None:
    corpus = os.environ.get("CURVEDOC_CORPUS", str(Path(__file__).parents[3] / "shared" / "corpus"))
    taxonomy = Path(corpus).parent / "taxonomy.yaml"
    if not taxonomy.is_file():
        pytest.skip("the taxonomy is not beside this checkout")
    listed = taxonomy.read_text(encoding="utf-8").split("\ncauses:\n")[1]
    assert sorted(re.findall(r"^  ([a-z0-9-]+):", listed, re.MULTILINE)) == sorted(TAXONOMY)


def test_all_cause_files_load(causes: dict[str, Cause]) -> None:
    assert sorted(causes) == sorted(FILES)


@pytest.mark.parametrize("name", sorted(FILES))
def test_questions_are_short_and_cheap_ones_come_first(name: str) -> None:
    file = file_of(name)
    for check in file.checks:
        assert len(check.ask.split()) <= MOST_WORDS, check.ask
        assert check.ask.endswith("?"), check.ask
        assert check.yes != check.no, check.ask
    order = [COSTS.index(check.cost) for check in file.checks]
    assert order == sorted(order)
    assert any({check.yes, check.no} & {"confirmed"} for check in file.checks)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_says_what_to_do_and_where_it_comes_from(name: str) -> None:
    file = file_of(name)
    assert 2 <= len(file.fix) <= 4
    assert 2 <= len(file.checks) <= 4
    assert len(file.mechanism.split()) >= 20
    assert not any(title.say.endswith(".") for title in file.title)
    for reference in file.references:
        assert reference.url, reference.title


@pytest.mark.parametrize("name", sorted(n for n in FILES if file_of(n).probe))
def test_a_probe_is_python_that_compiles(name: str) -> None:
    probe = file_of(name).probe or ""
    tree = ast.parse(probe)
    compile(probe, name, "exec")
    assert any(isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef)) for node in tree.body)
    assert len(probe.splitlines()) <= 30


def test_following_the_checks_never_comes_back_to_a_cause(causes: dict[str, Cause]) -> None:
    leads_to = {
        c.id: {end for check in c.checks for end in (check.yes, check.no)} & set(causes) for c in causes.values()
    }
    done: set[str] = set()
    while ready := {name for name, ends in leads_to.items() if name not in done and ends <= done}:
        done |= ready
    assert sorted(set(causes) - done) == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_declared_name_is_used_and_lines_fit_a_screen(name: str) -> None:
    text = FILES[name].read_text(encoding="utf-8")
    prose = text.partition("\ntests:\n")[0]  # a case is a row of a table
    assert max(len(line) for line in prose.splitlines()) <= WIDEST
    file = file_of(name)
    read_by = [*file.measure.values()]
    read_by += [line.given for line in lines(file)]
    read_by += [str(c.answer) for c in file.checks]
    read_by += [text for line in lines(file) for text in re.findall(r"\{(\w+)", line.say)]
    read_by += [text for c in file.checks for text in re.findall(r"\{(\w+)", c.because or "")]
    read_by += [text for act in file.act for text in (str(act.given), *act.set.values(), act.say)]
    read_by += [text for title in file.title for text in (str(title.given), title.say)]
    read_by += [f"{m.metric} {m.point} {m.start} {m.end} {m.level}" for m in marks_of(file)]
    code = "\n".join(read_by)
    for word in (*file.needs, *file.patterns, *file.params, *file.measure):
        if word != "log":
            assert re.search(rf"(?<!\w){word}(?!\w)", code), f"{word} is declared and never used"


def test_signals_of_a_cause_are_all_optional(causes: dict[str, Cause]) -> None:
    required = [(c.id, n.name) for c in causes.values() for n in c.program.needs if not n.optional]
    assert required == []


def test_a_cause_that_looks_at_the_log_has_a_case_of_it(causes: dict[str, Cause]) -> None:
    looks = [c for c in causes.values() if c.predicts or any(check.answer for check in c.checks)]
    assert [c.id for c in looks if not c.tests] == []
