"""Headlines and first actions with the values, units and places of the run that they are about."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import curvedoc
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.report.charts.panels import picture


def told(folder: Path, text: str) -> RunDiagnosis:
    (folder / "run.jsonl" if text.startswith("{") else folder / "train.log").write_text(text)
    return curvedoc.analyze(folder).runs[0]


def lines(**columns: np.ndarray) -> str:
    n = len(next(iter(columns.values())))
    rows = ({"step": 10 * i, **{k: float(v[i]) for k, v in columns.items()}} for i in range(n))
    return "\n".join(json.dumps(r) for r in rows)


def wave(n: int, size: float) -> np.ndarray:
    return size * np.sin(np.arange(n) ** 2.0)


def test_memory_that_climbs_is_told_in_its_unit(tmp_path: Path) -> None:
    i = np.arange(60.0)
    run = told(tmp_path, lines(loss=2.3 * np.exp(-i / 30) + wave(60, 0.01), gpu_mem_gb=4 + i / 20))
    growth = next(f for f in run.findings if f.symptom == "memory-growth")
    assert "from 4 to 6.95 GB" in growth.title and "GB" in growth.evidence[0].text


def test_what_fills_the_memory_is_named_where_its_line_failed(tmp_path: Path) -> None:
    rows = [f"step {i} loss {2.3 * 0.97**i + 0.01 * np.sin(i * i):.4f} mem_mb {400 + 9 * i}" for i in range(80)]
    end = [
        "Traceback (most recent call last):",
        '  File "fit.py", line 71, in <module>',
        "    history.append(net(x))",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.",
    ]
    run = told(tmp_path, "\n".join([*rows, *end]) + "\n")
    assert run.next_action is not None
    assert run.next_action.text.startswith("Detach what history.append(net(x)) keeps at fit.py:71")


def test_a_loss_that_a_resume_lost_for_good_is_no_mere_divergence(tmp_path: Path) -> None:
    fell = 2.3 * np.exp(-np.arange(100) / 30) + 0.1
    again = 0.3 + 1.6 * np.exp(-np.arange(60) / 90)
    rows = [(i, v) for i, v in enumerate(fell)] + [(70 + i, v + 0.6) for i, v in enumerate(again)]
    log = "\n".join(f"step {i} loss {v + 0.01 * np.sin(i * i):.4f}" for i, v in rows)
    run = told(tmp_path, log + "\n")
    assert run.headline.startswith("When the run was taken up again at step 70 the loss stood at about 2.4")
    assert "never came back" in run.headline and "without all of its state" in run.headline
    assert run.next_action is not None and "before step 70" in run.next_action.text


def test_a_rate_that_was_too_high_in_its_warm_up_is_told_as_it_was_then(tmp_path: Path) -> None:
    i = np.arange(200.0)
    lr = np.where(i < 100, 0.008 * i, 0.8)
    loss = np.where(i < 60, 2.3 * np.exp(-i / 25) + 0.4, np.minimum(0.6 * np.exp((i - 60) / 6), 9.0))
    run = told(tmp_path, lines(loss=loss + wave(200, 0.02), lr=lr))
    assert "0.48 when the loss turned and 0.8 at its peak" in run.headline, run.headline


def test_a_rate_that_leaps_as_the_loss_ends_is_what_ended_it(tmp_path: Path) -> None:
    i = np.arange(120.0)
    loss = np.where(i < 80, 2.1 * np.exp(-i / 20) + 0.02, np.nan) * (1 + wave(120, 0.02))
    run = told(tmp_path, lines(loss=loss, lr=np.where(i < 80, 0.03, 2.4)))
    assert "when the learning rate leaped from 0.03 to 2.4" in run.headline and run.causes[0].cause == "lr-too-high"
    assert run.next_action is not None and "Find what raised the learning rate" in run.next_action.text


def test_a_first_batch_that_is_cheap_by_luck_is_no_best_level(tmp_path: Path) -> None:
    i = np.arange(40.0)
    loss = 0.61 + wave(40, 0.05)
    loss[0] = 0.4
    run = told(tmp_path, lines(loss=loss, val_loss=0.612 - 0.0001 * i))
    assert not any(f.symptom == "divergence" for f in run.findings)


def test_actions_at_random_are_what_holds_a_reward_down(tmp_path: Path) -> None:
    i = np.arange(150.0)
    run = told(tmp_path, lines(episode_reward=21 + wave(150, 9), epsilon=np.ones(150), td_loss=0.2 + i / 40))
    assert run.next_action is not None and run.next_action.text.startswith("Let epsilon come down: it is still 1")
    assert run.headline.endswith("epsilon is still 1 at the end.") and "It may be" not in run.headline


def test_a_reward_that_sinks_from_its_best_to_the_end_is_not_trained_on(tmp_path: Path) -> None:
    i = np.arange(40.0)
    reward = np.where(i < 36, 20 + 4 * i + wave(40, 6), 164 - 22 * (i - 35))
    run = told(tmp_path, lines(episode_reward=reward))
    assert run.next_action is not None
    assert run.next_action.text.startswith("Use a checkpoint from near step 350") and "to 76" in run.next_action.text


def test_a_loss_that_falls_within_its_scatter_is_not_said_to_stay(tmp_path: Path) -> None:
    i = np.arange(60.0)
    run = told(tmp_path, lines(loss=0.6 - i / 170 + wave(60, 0.11), val_loss=0.42 - i / 290))
    assert "stays at" not in run.headline


def test_boosted_errors_are_compared_with_their_like(tmp_path: Path) -> None:
    rows = [
        f"[{i}]\ttraining's l2: {9 * 0.93**i:.5f}\ttraining's l1: {2.4 * 0.96**i:.5f}\t"
        f"holdout's l2: {90 * 0.9**i + 100:.4f}\tholdout's l1: {4 * 0.92**i + 9:.4f}"
        for i in range(1, 90)
    ]
    run = told(tmp_path, "\n".join(rows) + "\n")
    assert "181, at the last 100, while training fell from 8.37" in run.headline


def test_a_rate_that_wraps_around_with_its_last_step_threw_nothing(tmp_path: Path) -> None:
    i = np.arange(100.0)
    lr = np.r_[np.linspace(1, 40, 20), np.linspace(40, 1, 79), 40.0]
    loss = np.where(i < 6, 3.8, 3.8 * np.exp(np.minimum(i - 5, 30)))
    run = told(tmp_path, lines(loss=loss * (1 + wave(100, 0.1)), lr=lr))
    assert run.causes[0].cause == "lr-too-high" and "at step 990" not in run.headline


def test_what_never_beat_its_first_evaluation_is_not_stopped_there(tmp_path: Path) -> None:
    rows = [f"[{i}]\ttrain-mlogloss:{1.6 * 0.98**i:.5f}\tval-mlogloss:{1.57 + 0.002 * i:.5f}" for i in range(100)]
    run = told(tmp_path, "\n".join(rows) + "\n")
    assert run.next_action is not None and "round 0" not in run.next_action.text


def test_memory_that_rose_from_row_to_row_answers_its_question(tmp_path: Path) -> None:
    rows = [f"step {i} loss {2.3 * 0.9**i + 0.01 * np.sin(i * i):.4f} mem_gb {3 + 0.3 * i:.2f}" for i in range(24)]
    end = "Traceback (most recent call last):\n" + '  File "fit.py", line 71, in <module>\n' + "    loss.backward()\n"
    run = told(
        tmp_path,
        "\n".join(rows) + "\n" + end + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB.\n",
    )
    assert run.causes[0].checks[0].answer == "yes"
    assert [e.step for e in run.timeline if e.channel == "memory"] < [23]


def test_a_slow_rank_is_named_with_its_step(tmp_path: Path) -> None:
    for rank in range(4):
        slow = 0.4 if rank == 2 else 0.0
        rows = [
            f"[rank {rank}] step {i} loss {3 * 0.99**i + 0.01 * np.sin(i + rank):.4f} "
            f"step_time {0.2 + slow * (i >= 90) + 0.004 * np.sin(7 * i + rank):.4f}"
            for i in range(0, 240, 3)
        ]
        (tmp_path / f"rank{rank}.log").write_text("\n".join(rows) + "\n")
    run = curvedoc.analyze(tmp_path).runs[0]
    assert "Steps of rank 2 take about" in run.headline and " from step 9" in run.headline
    assert run.next_action is not None and "rank 2" in run.next_action.text


def test_evaluations_do_not_tell_where_a_resumed_run_came_from(tmp_path: Path) -> None:
    """A counter that goes on over a resume says nothing of how far the steps before it had come."""
    train = [*range(10, 380, 10), *range(310, 810, 10)]
    rows = [f"step {s} | train loss {3 - s / 400 + 0.01 * np.sin(s * s):.4f}" for s in train]
    for s in range(100, 801, 100):
        rows.insert(rows.index(next(r for r in reversed(rows) if r.startswith(f"step {s} |"))) + 1, "")
        rows[rows.index("")] = f"step {s} | val loss {3.1 - s / 400:.4f}"
    run = told(tmp_path, "\n".join(rows) + "\n")
    seam = next(f for f in run.findings if f.symptom == "step-rewind")
    assert seam.title == "The step counter went from 370 back to 310"


def test_a_quality_that_the_headline_tells_is_drawn(tmp_path: Path) -> None:
    rows = [
        f"epoch {i}: loss {1.5 * 0.8**i + 0.1:.4f} val_loss {1.6 * 0.8**i + 0.11:.4f} val_auc {0.95 - 0.4 * 0.8**i:.4f}"
        for i in range(1, 16)
    ]
    run = told(tmp_path, "\n".join(rows) + "\n")
    assert run.verdict == "healthy" and "auc" in run.headline
    assert [p.key for p in picture(run).panels] == ["loss", "metric"]


def test_an_action_tells_the_end_of_the_loss_as_the_headline_does(tmp_path: Path) -> None:
    i = np.arange(120.0)
    loss = (2.0 * np.exp(-i / 8) + 0.3) * (1 + wave(120, 0.4))
    loss[80:] = 0.3 + wave(40, 0.1)
    loss[-1] = 0.12
    run = told(tmp_path, lines(loss=loss))
    assert run.verdict == "healthy" and run.next_action is not None
    level = run.headline.partition(" to ")[2].partition(";")[0]
    assert level.startswith("about") and level in run.next_action.text


def test_boosting_that_runs_off_is_told_without_weights_and_steps(tmp_path: Path) -> None:
    rows = [
        f"[{i}]\ttrain-logloss:{0.9 if not i else 15.2 + 0.01 * i:.5f}\teval-logloss:{0.9 if not i else 15.4:.5f}"
        for i in range(40)
    ]
    run = told(tmp_path, "\n".join(rows) + "\n")
    assert run.headline.startswith("From round 0 on the loss rose from its first value of 0.9 and never came back")
    assert run.next_action is not None and "weights" not in run.next_action.text


def test_of_several_losses_the_headline_names_the_one_it_is_about(tmp_path: Path) -> None:
    rows = [
        f"epoch {i} train/box_loss {2 + 14 * (1 - 0.7**i):.4f} train/cls_loss {1.4 * 0.6**i + 0.01:.4f} "
        f"train/obj_loss {0.9 * 0.6**i + 0.01:.4f}"
        for i in range(26)
    ]
    assert "the box loss rose from its first value" in told(tmp_path, "\n".join(rows) + "\n").headline


def test_rows_that_have_an_epoch_are_drawn_over_epochs(tmp_path: Path) -> None:
    rows = [str({"loss": f"{2.5 - 0.02 * i + 0.1 * (i % 2):.4g}", "epoch": f"{(i + 1) / 4:.4g}"}) for i in range(24)]
    run = told(tmp_path, "\n".join(rows) + "\n")
    assert run.axis == "row" and (picture(run).axis, picture(run).per) == ("epoch", 4.0)


def test_one_jump_has_one_step(tmp_path: Path) -> None:
    """The norm begins to jump a step before its largest value: headline and mark are of the first."""
    loss, norm = 1.0 + wave(400, 0.02), 1.0 + wave(400, 0.05)
    loss[201:205], norm[200:204] = [2.9, 3.4, 2.2, 1.4], [12.0, 16.0, 34.0, 11.0]
    run = told(tmp_path, lines(loss=loss, grad_norm=norm))
    jump = next(f for f in run.findings if f.symptom == "exploding-gradients")
    assert jump.title.startswith(f"At step {jump.first_step:,} the gradient norm jumped")


def test_representations_that_collapse_are_to_be_kept_apart(tmp_path: Path) -> None:
    i = np.arange(80.0)
    run = told(tmp_path, lines(ssl_loss=0.09 * np.exp(-i / 8) + 3e-4, feature_std=0.07 * np.exp(-i / 12) + 0.004))
    assert "collapse" in run.headline and "share one representation" in run.headline
    assert run.next_action is not None and run.next_action.text.startswith("Keep unlike samples apart")


def test_targets_far_from_zero_are_brought_there_before_the_rate_is_raised(tmp_path: Path) -> None:
    rows = [
        f"epoch {i}: loss {30500 - 116 * i:.1f} val_loss {30510 - 115 * i:.1f} val_r2 {-690 + 2.7 * i:.2f}"
        for i in range(1, 31)
    ]
    run = told(tmp_path, "\n".join(rows) + "\n")
    assert run.next_action is not None and run.next_action.text.startswith("Standardize the targets")


def test_an_accuracy_of_training_that_the_headline_tells_is_drawn(tmp_path: Path) -> None:
    i = np.arange(60.0)
    run = told(tmp_path, lines(loss=np.exp(-i / 15) + 0.05 + wave(60, 0.004), accuracy=0.97 - 0.6 * np.exp(-i / 15)))
    assert "accuracy 9" in run.headline and "accuracy" in [p.key for p in picture(run).panels]
