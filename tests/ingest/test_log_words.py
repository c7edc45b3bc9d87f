"""The words of outcomes are one list, which knows what `signals.yaml` calls a loss, an accuracy or a reward."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from curvedoc.ingest.naming.log_words import MEASURES, QUALITIES, is_outcome, names_curve, names_record, spaced
from curvedoc.ingest.naming.signals import load_signals
from curvedoc.ingest.read import read_runs
from curvedoc.rulebook.location import signals_file

FAMILIES = {f.name: f for f in load_signals(signals_file()).families}
#: Too short or too common to make a line a record by themselves; beside a counter they are read as any name.
ELSEWHERE = {
    "lm", "oa", "em", "ent", "ret", "ep_ret", "risk", "empirical_risk", "l_pix", "l_total", "nats", "bits", "surprisal",
    "accuray", "neg_sisnr", "avg_fit", "best_fit", "max_fit", "mean_fit", "fit_avg", "fit_best", "fit_max", "fit_mean",
}  # fmt: skip


@pytest.mark.parametrize("family", ["loss", "accuracy", "perplexity", "reward", "entropy", "kl", "aux_loss"])
def test_a_name_of_what_training_is_measured_by_makes_a_line_a_record(family: str) -> None:
    names = {*FAMILIES[family].names, *FAMILIES[family].exact} - ELSEWHERE
    assert sorted(n for n in names if not is_outcome(n)) == []


def test_what_is_looked_for_first_misses_no_outcome() -> None:
    pieces = re.compile(f"{MEASURES}|{QUALITIES}", re.IGNORECASE)
    names = {spaced(n) for f in FAMILIES.values() for n in (*f.names, *f.exact) if n.isascii() and is_outcome(n)}
    assert sorted(n for n in names if not pieces.search(n)) == []


def test_what_makes_an_object_a_record_makes_a_list_a_curve_or_a_line_a_record() -> None:
    for key in ("loss", "train_acc", "reward", "ppl", "auc", "val_f1", "mse", "bleu", "metric", "grad_norm"):
        assert names_record(key) and (names_curve(key) or is_outcome(key)), key
    for key in ("variance", "distance", "accumulation", "reconnects", "criterions_met"):
        assert not is_outcome(key), key
    assert not names_record("score") and not names_record("error")  # answers and requests have these too


@pytest.mark.parametrize("name", ["xent", "bce", "objective", "smooth_l1", "acc1", "exact_match", "ep_rew_mean"])
def test_lines_of_a_name_alone_are_records(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.log").write_text("".join(f"{name}: {2 * math.exp(-i / 30) + 0.2:.4f}\n" for i in range(60)))
    (run,) = read_runs([tmp_path], signals_file=signals_file()).runs
    assert [(b.metric, len(b.value)) for b in run.blocks] == [(name, 60)]
