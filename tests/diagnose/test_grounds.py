"""What a run is called healthy by, and what forbids it though no rule speaks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.drawn import run_of

import curvedoc
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.grounds import grounds
from curvedoc.diagnose.run import diagnose
from curvedoc.diagnose.story.progress import course_of
from curvedoc.options import Options, rulebook


def falling(n: int, low: float = 0.3) -> Series:
    return Series.of(low + 2.0 * np.exp(-np.arange(n) / max(1.0, n / 4)))


def level(n: int, value: float) -> Series:
    return Series.of(value * (1 + 0.002 * np.sin(7.0 * np.arange(n))))


@pytest.mark.parametrize("n", [7, 40])
@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"loss": "falls", "val_loss": "falls", "val_accuracy": "rises"}, ""),
        ({"loss": "falls", "val_accuracy": "guess"}, "the loss falls, and the share of right answers never exceeds"),
        ({"loss": "rests", "val_accuracy": "rises"}, "the loss stays at about 2.3 while more answers become right"),
        ({"loss": "rests", "val_loss": "falls"}, "the loss stays at about 2.3 while the validation loss falls"),
        ({"loss": "returns", "val_loss": "falls"}, "the loss was best, about"),
        ({"loss": "vanishes"}, "the loss ends at exactly 0"),
        ({"loss": "returns", "val_loss": "falls", "lr": "climbs"}, ""),
    ],
)
def test_curves_that_contradict_each_other_earn_no_health(n: int, others: dict[str, str], said: str) -> None:
    ahead = np.linspace(0.0, 1.0, n)
    made = {
        "falls": falling(n), "rests": level(n, 2.3), "guess": level(n, 0.1),
        "rises": Series.of(0.1 + 0.8 * (1 - np.exp(-5 * ahead))), "climbs": Series.of(1e-5 * 10 ** (4 * ahead)),
        "returns": Series.of(np.where(ahead < 0.5, 2.3 - 3.6 * ahead, 0.5 + 4 * (ahead - 0.5))),
        "vanishes": Series.of(np.maximum(2.3 - 4 * ahead, 0.0)),
    }  # fmt: skip
    lacking = grounds(run_of({role: made[kind] for role, kind in others.items()})).lacking
    assert lacking.startswith(said) and bool(lacking) == bool(said)


@pytest.mark.parametrize(
    ("series", "lacking"),
    [
        ({}, "no loss was found"),
        ({"loss": falling(4)}, "4 logged values of the loss"),
        ({"loss": falling(5)}, ""),
        ({"val_loss": falling(8)}, "8 logged values of the validation loss"),
        ({"val_loss": falling(12)}, ""),
        ({"reward": Series.of(range(30))}, ""),
        ({"loss": falling(2), "accuracy": Series.of(np.linspace(0.1, 0.9, 30))}, ""),
        ({"loss": Series.of([1.0, np.nan] * 20)}, "the loss is not a number in 50% of the logged points"),
        ({"loss": Series.of(np.linspace(1.0, 1.2, 40))}, "the loss ends above where it began"),
    ],
)
def test_what_is_lacking(series: dict[str, Series], lacking: str) -> None:
    assert grounds(run_of(series)).lacking == lacking


def test_the_first_percent_of_what_was_planned_says_nothing(tmp_path: Path) -> None:
    rows = "".join(f'{{"step": {10 * i}, "loss": {10.8 - 0.02 * i}}}\n' for i in range(10))
    (tmp_path / "metrics.jsonl").write_text(rows)
    for planned, begun in ((100_000, False), (100, True)):
        (tmp_path / "config.json").write_text(f'{{"max_steps": {planned}}}')
        assert (curvedoc.analyze(tmp_path).runs[0].verdict != "inconclusive") is begun


def test_noise_around_a_level_does_not_end_above_where_it_began() -> None:
    rng = np.random.default_rng(3)
    said = [grounds(run_of({"loss": Series.of(1.0 + 0.1 * rng.standard_normal(60))})).lacking for _ in range(200)]
    assert said.count("") >= 199


def test_a_run_too_short_says_how_many_checks_could_be_judged() -> None:
    told = diagnose(run_of({"loss": Series.of([2.3, 2.0])}), rulebook(Options()), strict=True)
    assert told.verdict == "inconclusive"
    assert told.headline == "Too little to judge: 2 logged values of the loss (the loss went from 2.3 to 2)."


def test_a_policy_is_called_healthy_by_its_reward() -> None:
    reward = Series.of(20.0 + 2.0 * np.arange(30) + np.random.default_rng(0).standard_normal(30))
    told = diagnose(run_of({"reward": reward}), rulebook(Options()), strict=True)
    assert told.verdict == "healthy" and "the reward went from" in told.headline


def test_a_few_rewards_that_go_up_and_down_are_no_progress() -> None:
    few = [5.1, -0.9, 3.6, -0.7, 2.4, 4.9, 3.1, 1.2]
    told = diagnose(run_of({"reward": Series.of(few)}), rulebook(Options()), strict=True)
    assert told.verdict == "inconclusive" and "8 rewards between -0.9 and 5.1 show no rise" in told.headline
    assert told.next_action is not None and told.next_action.text.startswith("Test on 20 episodes")
    risen = diagnose(run_of({"reward": Series.of(sorted(few))}), rulebook(Options()), strict=True)
    assert risen.verdict == "healthy"


def test_a_range_whose_ends_are_equal_is_no_way_that_a_curve_went() -> None:
    run = run_of({"reward": Series.of([0.0] * 200), "loss": falling(200)})
    assert course_of(run, grounds(run), brief=True) == "the reward stayed at 0"


def test_a_loss_that_is_no_number_is_never_healthy_whatever_the_accuracy_does(tmp_path: Path) -> None:
    rows = [f"step={20 * i} loss={'nan' if i > 6 else 2.0 / i:} accuracy={0.5 + 0.05 * i:.3f}" for i in range(1, 9)]
    path = tmp_path / "train.log"
    path.write_text("\n".join(rows) + "\n")
    assert curvedoc.analyze(path).runs[0].verdict != "healthy"


def test_pairs_that_are_told_apart_by_a_hair_contradict_nothing(tmp_path: Path) -> None:
    rows = [
        f"{{'loss': {0.6926 - 0.0008 * i + 0.0006 * (i % 2):.4f}, 'grad_norm': 0.3, 'learning_rate': 2e-06, "
        f"'rewards/accuracies': {min(0.92, 0.48 + 0.06 * i):.3f}, 'rewards/margins': {0.001 + 0.0018 * i:.4f}, "
        f"'epoch': {0.05 * (i + 1):.2f}}}"
        for i in range(18)
    ]
    path = tmp_path / "dpo.log"
    path.write_text("\n".join(rows) + "\n")
    assert curvedoc.analyze(path).runs[0].verdict == "healthy"


def test_what_may_be_fine_tuning_or_nothing_is_told_and_left_open() -> None:
    drawn = np.random.default_rng(3)
    loss = Series(np.arange(1, 121, dtype=np.int64) * 10, 1.2 * (1.0 + 0.12 * drawn.standard_normal(120)))
    book = rulebook(Options())

    open_ = diagnose(run_of({"loss": loss}), book, strict=True)
    assert open_.verdict == "inconclusive"
    assert open_.headline.startswith("The log does not decide it: the loss stays at about 1.16, as it should if")
    assert [(f.symptom, f.kind) for f in open_.findings if f.kind != "gap"] == [("plateau-from-start", "notice")]

    # a rate that no fine-tuning has decides it, and so does a number of classes
    rate = Series(loss.step, np.full(len(loss), 0.02))
    assert diagnose(run_of({"loss": loss, "lr": rate}), book, strict=True).verdict == "failed"
    assert diagnose(run_of({"loss": loss}, settings={"num_classes": 3}), book, strict=True).verdict == "failed"


def test_a_loss_whose_scatter_hides_whether_it_came_down_is_left_open_whatever_it_began_with() -> None:
    drawn = np.random.default_rng(5)
    loss = Series(np.arange(1, 121, dtype=np.int64) * 10, 1.5 * drawn.exponential(size=120))
    rate = Series(loss.step, np.full(len(loss), 0.036))
    rests = {"loss": loss, "lr": rate}
    book = rulebook(Options())

    told = diagnose(run_of(rests), book, strict=True)
    assert told.verdict == "inconclusive"
    assert told.headline.startswith("The log does not decide it: the scatter of the loss hides whether it came down")

    # validation that falls shows that something is learned, and so do right answers
    falls = Series(loss.step[::12], np.linspace(1.4, 0.9, 10))
    right = Series(loss.step[::12], np.full(10, 0.97))
    for shown in ({"val_loss": falls}, {"val_accuracy": right}):
        assert "hides whether" not in diagnose(run_of(rests | shown), book, strict=True).headline


@pytest.mark.parametrize(("first", "last", "open_"), [(0.11, 0.126, True), (0.11, 0.6, False), (0.9, 0.91, False)])
def test_right_answers_alone_that_hardly_rise_earn_no_healthy(first: float, last: float, open_: bool) -> None:
    found = grounds(run_of({"accuracy": Series.of(np.linspace(first, last, 26))}))
    assert bool(found.lacking) == open_


def test_a_loss_that_is_summed_before_it_is_printed_is_worth_knowing_and_no_fault() -> None:
    fell = falling(50).value * (1 + 0.01 * np.sin(np.arange(50) * 3.0))
    run = run_of({"loss": Series.of(690 * fell), "val_loss": Series.of(fell)})  # no power of two, as loss scales are
    found = diagnose(run, rulebook(Options()), strict=True)
    assert found.verdict == "healthy"
    assert ("scaled-loss-logged", "notice") in [(f.symptom, f.kind) for f in found.findings]


def test_a_measure_of_what_is_found_that_stays_at_zero_earns_no_healthy(tmp_path: Path) -> None:
    # a few evaluations are a warning, many with a training loss that falls meanwhile a failure
    for rows, best, verdict in ((6, 0.002, "warning"), (30, 0.002, "failed"), (30, 0.6, "healthy")):
        path = tmp_path / f"{rows}-{best}.jsonl"
        logged = [{"epoch": e, "loss": 2.0 / (e + 1) + 0.01 * (e % 3), "val_dice": best * e / 30} for e in range(rows)]
        path.write_text("".join(json.dumps(r) + "\n" for r in logged))
        (run,) = curvedoc.analyze(path).runs
        assert run.verdict == verdict, run.headline
        assert (" 0.00" in run.headline) == (verdict != "healthy")


def test_accuracies_that_nothing_counts_and_that_do_not_rise_may_be_those_of_folds(tmp_path: Path) -> None:
    of_folds = [0.92, 0.81, 0.88, 0.79, 0.9, 0.83, 0.86, 0.91, 0.77, 0.82]
    rising = [0.5 + 0.04 * i for i in range(10)]
    for values, verdict in ((of_folds, "inconclusive"), (rising, "healthy")):
        lines = (f"Fold done\nsensitivity: {v - 0.1:.3f}\naccuracy: {v:.3f}\n" for v in values)
        (tmp_path / "results.log").write_text("".join(lines))
        (run,) = curvedoc.analyze(tmp_path).runs
        assert run.verdict == verdict, run.headline
    (tmp_path / "results.log").write_text("".join(f"epoch {i} accuracy {v:.3f}\n" for i, v in enumerate(of_folds)))
    assert curvedoc.analyze(tmp_path).runs[0].verdict == "healthy"


def test_what_contradicts_the_loss_is_drawn_beside_it() -> None:
    ahead = np.linspace(0.0, 1.0, 12)
    curves = {"loss": level(12, 2.3), "val_accuracy": Series.of(0.1 + 0.8 * ahead)}
    told = diagnose(run_of(curves), rulebook(Options()), strict=True)
    assert told.verdict == "inconclusive"
    assert "val_accuracy" in {c.role for c in told.curves}
