"""What a headline must not mix up: luck and a level, a beginning and a verdict, an error and what went wrong before."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
from helpers.drawn import run_of

import curvedoc
from curvedoc.core.diagnosis import RunDiagnosis
from curvedoc.core.series import Series
from curvedoc.diagnose.grounds.grounds import grounds
from curvedoc.diagnose.story.gain import gain
from curvedoc.diagnose.story.progress import course_of, moved


def judged(place: Path, rows: list[dict[str, float]], tail: str = "") -> RunDiagnosis:
    (place / "run.jsonl").write_text("\n".join(json.dumps(r) for r in rows) + "\n")
    if tail:
        (place / "train.log").write_text(tail)
    (run,) = curvedoc.analyze(place).runs
    return run


def test_the_first_row_of_a_loss_that_scatters_as_widely_as_its_level_is_luck() -> None:
    r = Random(3)
    value = [9.58, *(r.uniform(2.0, 8.0) for _ in range(400))]
    run = run_of({"loss": Series.of(value)})
    curve = run.series("loss")
    assert curve is not None and not moved(curve)
    assert "stayed at about" in course_of(run, grounds(run))


def test_a_loss_that_comes_down_in_its_first_rows_is_told_from_there() -> None:
    r = Random(3)
    value = [9.0, 8.0, 7.5, 7.0, *(r.uniform(1.0, 3.0) for _ in range(400))]
    run = run_of({"loss": Series.of(value)})
    assert "went from 9 to" in course_of(run, grounds(run))


def test_a_validation_that_is_infinite_at_its_first_evaluation_alone_decides_nothing(tmp_path: Path) -> None:
    rows = [{"epoch": i, "loss": 2.3 * 0.95**i, "val_loss": np.inf if i == 0 else 2.4 * 0.95**i} for i in range(40)]
    assert judged(tmp_path, rows).verdict == "healthy"


def test_a_beginning_is_told_with_how_far_the_loss_fell_and_what_to_do_if_it_ended(tmp_path: Path) -> None:
    (tmp_path / "args.json").write_text(json.dumps({"max_steps": 70_950}))
    run = judged(tmp_path, [{"step": i, "loss": 2000.0 * 0.98**i} for i in range(300)])
    assert run.headline.startswith("The log does not decide it: step 299 of 70,950 is but the beginning (the loss went")
    assert run.next_action is not None and "else find out what ended it" in run.next_action.text


def test_the_weights_of_the_best_evaluation_are_named_where_the_last_is_far_below_it() -> None:
    v = np.interp(np.arange(100), [0, 20, 50, 99], [0.01, 0.25, 0.318, 0.245]) + 0.004 * np.sin(np.arange(100) ** 2)
    run = run_of({"loss": Series.of(np.linspace(2.2, 0.9, 100)), "val_metric": Series.of(v)})
    told = gain(run, grounds(run))
    assert told is not None and told.text.startswith("Use the weights of step 49, not the last")


def test_a_loss_and_a_validation_that_fall_by_one_amount_at_every_epoch_were_not_measured(tmp_path: Path) -> None:
    r = Random(1)
    loss = [0.5 * 0.995**i + 0.2 + r.gauss(0, 0.002) for i in range(300)]
    val = [600 * 0.995**i + 90 + r.gauss(0, 3) for i in range(300)]
    loss += [loss[-1] - 0.00015 * i for i in range(1, 151)]
    val += [val[-1] - 0.046 * i for i in range(1, 151)]
    rows = [
        {"epoch": i, "loss": round(a, 5), "val_loss": round(b, 3)}
        for i, (a, b) in enumerate(zip(loss, val, strict=True))
    ]
    run = judged(tmp_path, rows)
    assert run.verdict == "inconclusive"
    assert "from epoch 299 on the loss falls by 0.00015 and validation by 0.046 at every row" in run.headline
    assert judged(tmp_path, rows[:300]).verdict != "inconclusive"


def test_of_a_game_whose_losses_swing_to_the_end_it_is_said_that_it_has_not_settled() -> None:
    r = Random(5)
    run = run_of({"game_loss": Series.of([r.uniform(0.5, 6.0) for _ in range(200)])})
    assert "so the game has not settled" in course_of(run, grounds(run))


def test_nobody_asks_whether_a_model_of_text_tells_more_than_a_constant(tmp_path: Path) -> None:
    r = Random(2)
    rows = [
        {
            "step": 10 * i,
            "loss": 4.1 + r.gauss(0, 0.05),
            "mfu": 0.4,
            **({"val_loss": 4.0 + r.gauss(0, 0.02)} if i % 20 == 0 else {}),
        }
        for i in range(5_000, 5_600)
    ]
    run = judged(tmp_path, rows)
    assert run.next_action is None or "constant answer" not in run.next_action.text


def test_a_part_that_rises_while_another_takes_all_the_steps_asks_for_other_weights(tmp_path: Path) -> None:
    fell, port = np.geomspace(3e6, 287.0, 200), np.interp(np.arange(200), [0, 60, 199], [17.0, 0.61, 0.84])
    rows = [
        {"step": i, "mean_loss": (a + b) / 2, "air_loss": a, "port_loss": b}
        for i, (a, b) in enumerate(zip(fell.tolist(), port.tolist(), strict=True))
    ]
    run = judged(tmp_path, rows)
    assert run.next_action is not None and run.next_action.text.startswith(
        "Weight the parts of the loss anew: air_loss"
    )
    even = [{**r, "port_loss": r["air_loss"] / 2} for r in rows]
    other = judged(tmp_path, even)
    assert other.next_action is not None and "Weight the parts" not in other.next_action.text
