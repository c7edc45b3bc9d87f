"""A model that learns several tasks one after another is one run, and what it still knows of the old ones is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from curvedoc.core.run import Run
from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

HEADINGS = {
    "on the record": ("", "Task {t}, Epoch {e}/6 => Loss {v:.3f}, Train_accy {a:.1f}\n"),
    "on a line ahead": ("======== task {t} ========\n", "epoch {e} loss {v:.3f} acc {a:.1f}\n"),
    "an experience": ("Start of experience: {t}\n", "Epoch {e}/6 | loss: {v:.3f} | acc: {a:.1f}\n"),
    "a session": ("Session {t} begins\n", "epoch={e} loss={v:.3f} accuracy={a:.1f}\n"),
}


def read(text: str, tmp_path: Path) -> list[Run]:
    path = tmp_path / "train.log"
    path.write_text(text)
    return list(read_runs([path], signals_file=signals_file()).runs)


def tasks(heading: str, record: str) -> str:
    text = "seed 3\n"
    for t in range(4):
        text += heading.format(t=t)
        text += "".join(record.format(t=t, e=e, v=(2 + t / 5) * 0.5**e, a=90 - 60 * 0.5**e) for e in range(1, 7))
    return text


@pytest.mark.parametrize("title", HEADINGS)
def test_tasks_one_after_another_are_one_run_whose_epochs_are_counted_on(title: str, tmp_path: Path) -> None:
    (run,) = read(tasks(*HEADINGS[title]), tmp_path)
    loss = run.series("loss")
    assert loss is not None
    assert loss.step.tolist() == list(range(1, 25))
    assert [n.count for s in run.sources for n in s.notes if n.kind == "several-tasks"] == [4]


def test_folds_are_trainings_of_their_own(tmp_path: Path) -> None:
    assert len(read(tasks("Fold {t} of 4\n", "epoch {e} loss {v:.3f} acc {a:.1f}\n"), tmp_path)) == 4


def test_one_task_is_no_sequence(tmp_path: Path) -> None:
    (run,) = read("task 7\n" + "".join(f"epoch {e} loss {2.0 * 0.5**e:.3f}\n" for e in range(1, 9)), tmp_path)
    assert "several-tasks" not in {n.kind for s in run.sources for n in s.notes}


def test_shares_of_old_and_new_classes_are_two_accuracies(tmp_path: Path) -> None:
    text = ""
    for t in range(3):
        text += "".join(f"Task {t}, Epoch {e}/5 => Loss {0.5**e:.3f}, Train_accy 90.0\n" for e in range(1, 6))
        text += f"CNN: {{'total': {80 - 9 * t}.5, '00-09': 70.1, 'old': {60 - t}.2, 'new': 91.3}}\n"
    (run,) = read(text, tmp_path)
    assert {m.label for m in run.matches("val_accuracy")} == {"total", "old", "new"}


def test_a_federated_server_tells_the_loss_of_each_round(tmp_path: Path) -> None:
    head = "INFO flwr 2024-02-03 10:00:00,111 | server.py:"
    text = f"{head}91 | initial parameters (loss, other metrics): 2.31, {{'accuracy': 0.1}}\n"
    for r in range(1, 9):
        text += f"{head}222 | fit_round {r}: strategy sampled 5 clients (out of 9)\n"
        text += f"{head}125 | fit progress: ({r}, {2.3 * 0.7**r:.4f}, {{'accuracy': 0.{r}}}, {9.5 * r})\n"
    (run,) = read(text, tmp_path)
    loss, accuracy = run.series("loss"), run.series("accuracy")
    assert loss is not None and accuracy is not None
    assert loss.step.tolist()[-8:] == list(range(1, 9))
    assert loss.value.tolist()[-8:] == [round(2.3 * 0.7**r, 4) for r in range(1, 9)]
    assert len(accuracy) >= 8


def test_a_pace_on_lines_of_its_own_is_read_and_how_often_an_agent_explores_is_no_rate(tmp_path: Path) -> None:
    text = ""
    for e in range(1, 40):
        text += f"Episode {e}/40, Score: {20 + e + e % 3}, Eps: {max(0.01, 0.5 * 0.8**e):.3f}\n"
        text += f"SPS: {900 - e}\n" if e % 3 == 0 else ""
    (run,) = read(text, tmp_path)
    assert {"reward", "throughput"} <= {m.role for m in run.roles}
    assert "lr" not in {m.role for m in run.roles}


def test_evaluations_on_several_experiences_tell_that_a_training_goes_on(tmp_path: Path) -> None:
    text = ""
    for t in range(3):
        text += "-- >> Start of training phase << --\n"
        text += "".join(f"Epoch {e} ended.\n\tLoss_Epoch/train_phase = {(t + 1) * 0.5**e:.4f}\n" for e in range(5))
        for x in range(3):
            text += (
                f"> Eval on experience {x} (Task 0) ended.\n\tTop1_Acc_Exp/eval_phase/Exp00{x} = {0.9 - 0.1 * t:.4f}\n"
            )
    (run,) = read(text, tmp_path)
    assert [n.count for s in run.sources for n in s.notes if n.kind == "several-tasks"] == [3]
    assert len(run.matches("val_accuracy")) == 3


def test_a_list_that_grows_by_a_task_gives_the_answers_of_each(tmp_path: Path) -> None:
    text = ""
    for t in range(1, 5):
        text += "".join(
            f"Task {t} - Epoch {e}: 100%|████| 9/9 [00:01<00:00, 9.1it/s, loss={0.5**e:.3f}]\n" for e in (1, 2, 3)
        )
        text += f"Accuracy for {t} task(s): \t [Class-IL]: {90 - 9 * t}.5 % \t [Task-IL]: 9{t}.1 %\n"
        text += f"\tRaw accuracy values: Class-IL {[40.5 + t] * (t - 1) + [98.5]} | Task-IL {[95.5] * t}\n"
    (run,) = read(text, tmp_path)
    of_tasks = [
        run.metric(m.metric) for m in run.matches("val_accuracy") if "task" in m.metric and "il" not in m.metric
    ]
    assert [len(s) for s in of_tasks if s is not None] == [4, 3, 2, 1]
    loss = run.series("loss")
    assert loss is not None and len(loss) == 12


def test_what_features_are_good_for_is_a_quality_and_their_spread_is_no_statistic_of_another_metric(
    tmp_path: Path,
) -> None:
    text = "".join(
        f"epoch {e} sim-loss {-0.9 + 0.5**e:.4f} std(z) {0.12 - e / 1000:.4f} kNN@20 {50 + 2 * e}.1\n"
        for e in range(12)
    )
    (run,) = read(text, tmp_path)
    assert {m.role: m.metric for m in run.roles if m.role in ("feature_std", "val_metric")} == {
        "feature_std": "std(z)",
        "val_metric": "kNN@20",
    }


@pytest.mark.parametrize("head", ["ep{e:02d}\t", "[ep{e}] ", "it{e} ", "round{e}: "])
def test_a_counter_that_is_grown_to_its_word_counts(head: str, tmp_path: Path) -> None:
    (run,) = read("".join(head.format(e=e) + f"loss {2 * 0.8**e:.4f}\tacc 0.{e}\n" for e in range(1, 10)), tmp_path)
    loss = run.series("loss")
    assert loss is not None and loss.step.tolist() == list(range(1, 10))


def test_a_test_of_each_task_is_an_accuracy_of_each(tmp_path: Path) -> None:
    text = ""
    for t in range(3):
        text += f"{'*' * 40}\nTask  {t}\n{'*' * 40}\n"
        text += "".join(
            f"| Epoch  {e}, time= 0.2s | Train: loss={0.5**e:.3f}, TAw acc= 9{e}.0% |\n" for e in range(1, 6)
        )
        for x in range(t + 1):
            share = f"{90 - 30 * (t - x)}.5%, forg= {30 * (t - x)}.0%"
            text += f">>> Test on task  {x} : loss=0.4{x} | TAw acc= {share}| TAg acc= {share} <<<\n"
    (run,) = read(text, tmp_path)
    first = next(m for m in run.matches("val_accuracy") if m.label == "task0")
    series = run.metric(first.metric)
    assert series is not None and [round(v, 3) for v in series.value.tolist()] == [0.905, 0.605, 0.305]


AGENTS = {
    "bars and letters": "U {u} | F {f:06d} | FPS 0911 | rR:μσmM {r:.2f} 0.66 0.10 0.90 | H 0.69 | pL 0.01 | vL 0.14\n",
    "letters and colons": "| train | F: {f} | S: {u} | E: {u} | L: 500 | R: {r:.2f} | FPS: 101.2 | T: 0:01:10\n",
}


@pytest.mark.parametrize("title", AGENTS)
def test_the_codes_that_agents_are_told_by_are_read(title: str, tmp_path: Path) -> None:
    text = "".join(AGENTS[title].format(u=u, f=100 * u, r=10 + 2 * u) for u in range(1, 12))
    (run,) = read(text, tmp_path)
    reward = run.series("reward")
    assert reward is not None and reward.value.tolist() == [10.0 + 2 * u for u in range(1, 12)]
    assert reward.step.tolist() == list(range(1, 12))


def test_pairs_that_are_told_in_sentences_are_read(tmp_path: Path) -> None:
    text = "".join(
        f"[INFO] Walker. Step: {1000 * i}. Time Elapsed: {3 * i}.5 s. Mean Reward: {i}.250. Std of Reward: 0.5. Go.\n"
        for i in range(1, 9)
    )
    (run,) = read(text, tmp_path)
    reward = run.series("reward")
    assert reward is not None and reward.value.tolist() == [i + 0.25 for i in range(1, 9)]
    assert reward.step.tolist() == [1000 * i for i in range(1, 9)]


def test_a_folder_of_losses_holds_an_entropy_and_a_divergence(tmp_path: Path) -> None:
    text = ""
    for i in range(1, 9):
        rows = {"eprewmean": 20 + i, "loss/approxkl": 0.01, "loss/policy_entropy": 1.3 - i / 10, "misc/nupdates": i}
        text += "-" * 40 + "\n" + "".join(f"| {k:<23}| {v:<8.4g} |\n" for k, v in rows.items()) + "-" * 40 + "\n"
    (run,) = read(text, tmp_path)
    assert {"entropy", "kl", "reward"} <= {m.role for m in run.roles}


def test_names_of_tasks_that_are_graded_elsewhere_are_their_losses_and_the_heaviest_is_judged(tmp_path: Path) -> None:
    text = "".join(
        f"==> {e:02d} || digit {2.3 * 0.8**e:.3f} odd {0.69 + e / 1000:.3f} "
        f"|| val: digit_acc {1 - 0.8**e:.3f} odd_acc 0.4{e % 7}\n"
        for e in range(1, 16)
    )
    (run,) = read(text, tmp_path)
    assert [(m.metric, m.label) for m in run.matches("loss")] == [("odd", "odd"), ("digit", "digit")]
    assert [m.label for m in run.matches("val_accuracy")] == ["odd", "digit"]


@pytest.mark.parametrize(("sign", "role"), [(1, "loss"), (-1, "reward")])
def test_the_mean_of_a_population_is_judged_and_its_spread_is_none_of_features(
    sign: int, role: str, tmp_path: Path
) -> None:
    text = "".join(
        f"gen {g} best {sign * 40 * 0.9**g:.3f} mean {sign * (50 * 0.9**g + 1):.3f} std {9 * 0.9**g:.3f}\n"
        for g in range(30)
    )
    (run,) = read(text, tmp_path)
    assert [m.metric for m in run.matches(role)] == ["mean"]
    assert not run.matches("feature_std")


@pytest.mark.parametrize(
    ("record", "batches"),
    [
        ("| Global Round : {r} | Local Epoch : {e} | [{b}/90 (3%)]\tLoss: {v:.4f}\n", (0, 30, 60)),
        ("Round {r}, local epoch {e}: loss={v:.4f}\n", (0,)),
    ],
)
def test_clients_that_train_one_after_the_other_in_each_round_are_one_training(
    record: str, batches: tuple[int, ...], tmp_path: Path
) -> None:
    text, told = "Federated averaging\n", []
    for r in range(6):
        for client in range(3):
            for e in range(4):
                for b in batches:
                    told.append(round(2.3 * 0.8**r * 0.97**e + 0.1 * (7 * (client + 5 * e + b) % 5), 4))
                    text += record.format(r=r, e=e, b=b, v=told[-1])
        text += f"Accuracy of the rounds so far: {40 + 5 * r}.0%\n"
    runs = read(text, tmp_path)
    assert len(runs) == 1
    loss = runs[0].series("loss")
    assert loss is not None
    assert loss.value.tolist() == told
    assert (loss.step[1:] > loss.step[:-1]).all()
