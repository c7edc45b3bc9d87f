"""Records deep inside a file of results, and behind the settings that a program printed first."""

import json
import math

from curvedoc import read


def _history(first, n=12, **more):
    return [{"epoch": i, "train_loss": first * math.exp(-i / 6), "val_acc": 20 + 3 * i, **more} for i in range(n)]


def _curves(run):
    return {b.metric: b.value.tolist() for b in run.blocks}


def test_a_history_three_levels_deep_is_read(tmp_path):
    results = {
        "training": {"cnn": {"kind": "small", "history": _history(1.4), "best": 53.0}},
        "contest": {"ranking": [{"rank": 1, "name": "ants", "score": 0.0}, {"rank": 2, "name": "cnn", "score": 0.1}]},
        "mazes": [{"id": f"m{i}", "size": [3, 3], "steps": [{"iteration": k} for k in range(30)]} for i in range(9)],
    }
    (tmp_path / "results.json").write_text(json.dumps(results, indent=1))
    (run,) = read(tmp_path)
    curves = _curves(run)
    assert curves["train_loss"] == [r["train_loss"] for r in _history(1.4)]
    assert len(curves["val_acc"]) == 12


def test_histories_under_several_names_are_a_training_each(tmp_path):
    results = {"models": {n: {"seed": 1, "log": _history(f)} for n, f in (("lstm", 2.0), ("gru", 3.0), ("cnn", 4.0))}}
    (tmp_path / "all.json").write_text(json.dumps(results))
    runs = read(tmp_path)
    assert len(runs) == 3
    assert sorted(max(_curves(r)["train_loss"]) for r in runs) == [2.0, 3.0, 4.0]


def test_records_of_quoted_numbers_behind_printed_settings_are_a_log(tmp_path):
    settings = {"run": {"init_lr": 5e-5, "accum_grad_iters": 8, "sizes": [3, 4]}, "model": {"arch": "blip"}}
    rows = [json.dumps({"train_lr": "0.000", "train_loss": f"{2 * 0.9**i:.3f}"}) for i in range(20)]
    (tmp_path / "log.txt").write_text(json.dumps(settings, indent=4) + "\n" + "\n".join(rows) + "\n")
    (run,) = read(tmp_path)
    curves = _curves(run)
    assert curves["train_loss"][:2] == [2.0, 1.8] and len(curves["train_loss"]) == 20
    assert not any("init_lr" in name for name in curves)
