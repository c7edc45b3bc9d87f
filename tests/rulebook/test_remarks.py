"""What is said of a run beside its findings is set, ignored and explained by its file, as a finding is."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc.core.errors import RuleErrors, UsageError
from curvedoc.diagnose.cases import build
from curvedoc.diagnose.remark_cases import check_remark
from curvedoc.diagnose.run import diagnose
from curvedoc.diagnose.story.hygiene import MAKERS
from curvedoc.options import Options, rulebook
from curvedoc.report.explain.markdown import to_markdown
from curvedoc.report.explain.rule_page import page
from curvedoc.rulebook.load import load
from curvedoc.rulebook.schema.remark import RemarkCase

BOOK = load()
ZEROS = RemarkCase.model_validate(
    {"name": "never logged", "series": {"loss": [[0, 0], [100, 0]]}, "points": 20, "expect": "says"}
)
FAULT = RemarkCase.model_validate(
    {
        "name": "blows up",
        "series": {"loss": {"knots": [[0, 4], [600, 1], [680, 60], [720, 60]], "log": True}},
        "noise": 0.02, "points": 400, "expect": "says",
    }
)  # fmt: skip


def test_every_remark_has_a_file_and_every_file_one_who_makes_it() -> None:
    assert set(BOOK.remarks) == {*MAKERS, "timeline"}


@pytest.mark.parametrize("id_", sorted(BOOK.remarks))
def test_its_cases_hold(id_: str) -> None:
    remark = BOOK.remarks[id_]
    assert [r.problem for case in remark.tests if not (r := check_remark(remark, case, BOOK)).passed] == []


@pytest.mark.parametrize("id_", sorted(BOOK.remarks))
def test_its_page_tells_its_thresholds_and_their_grounds(id_: str) -> None:
    text = to_markdown(page(id_, BOOK))
    for param in BOOK.remarks[id_].program.params:
        assert param.name in text and param.why.split(",")[0][:40] in text


def test_it_is_silent_where_it_is_ignored() -> None:
    run = build(FAULT, FAULT)
    assert diagnose(run, BOOK).timeline
    assert diagnose(run, rulebook(Options(ignore=("timeline",)))).timeline == ()


def test_its_limits_can_be_set() -> None:
    run = build(ZEROS, ZEROS)

    def kinds(*said: str) -> set[str]:
        return {n.kind for n in diagnose(run, rulebook(Options(set=said))).notes}

    assert "zero-values" in kinds()
    assert "zero-values" not in kinds("zero-values.rows_min=30")


def test_selected_symptoms_leave_remarks_alone_and_a_remark_is_no_symptom() -> None:
    assert rulebook(Options(select=("divergence",))).remarks == rulebook(Options()).remarks
    with pytest.raises(UsageError):
        rulebook(Options(select=("timeline",)))


def test_a_file_of_a_user_moves_limits_and_invents_nothing(tmp_path: Path) -> None:
    shipped = (Path(BOOK.remarks["zero-values"].path)).name
    text = (Path(load.__code__.co_filename).parents[2] / "rules" / "remarks" / shipped).read_text(encoding="utf-8")
    own = tmp_path / "remarks" / shipped
    own.parent.mkdir()
    own.write_text(text.replace("value: 8, unit: rows", "value: 30, unit: rows"), encoding="utf-8")
    assert load((tmp_path,)).remarks["zero-values"].program.given["rows_min"] == 30
    own.rename(own.with_name("odd-values.yaml"))
    own.with_name("odd-values.yaml").write_text(text.replace("id: zero-values", "id: odd-values"), encoding="utf-8")
    with pytest.raises(RuleErrors, match="no remark 'odd-values'"):
        load((tmp_path,))
