"""Lines as trainings of many hands print them: the main curves are found in each, with the values that were printed."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from curvedoc.ingest import read_runs
from curvedoc.rulebook.load import signals_file

ROWS = 30


def loss(e: int) -> float:
    return round(0.4 + 1.9 * math.exp(-e / 8) + 0.03 * math.sin(e * 7.1), 4)


def val(e: int) -> float:
    return round(loss(e) + 0.08 + 0.02 * math.sin(e * 3), 4)


def acc(e: int) -> float:
    return round(1 - loss(e) / 2.6, 4)


def large(e: int) -> float:
    return round(300 * loss(e), 4)


def rough(e: int) -> float:
    return round(loss(e) + 0.15 * math.sin(e * 2.3), 4)


def paid(e: int) -> float:
    return round(100 * (1 - math.exp(-e / 10)) + 5 * math.sin(e * 5), 2)


@dataclass(frozen=True)
class Format:
    """What one epoch prints (e: epoch, s: step, the functions above by their first letters), and the curves in it."""

    name: str
    lines: tuple[str, ...]
    roles: str = "loss"
    ahead: tuple[str, ...] = ()
    file: str = "train.log"


FORMATS = (
    Format("loss is with a colon", ("Epoch: {e} loss is: {l} recon loss is: 0.2",)),
    Format("batch glued to its number", ("Epoch {e} Batch50 Loss {l}",)),
    Format("letters joined to their numbers", ("e{e} tl{l} vl{v}",), "loss val_loss"),
    Format("letters joined to their numbers, with a total", ("it{s} l{l} gn0.71 a{a}",), "loss accuracy"),
    Format("joined letters with commas", ("s{s}, l{l}, lr0.001",)),
    Format("ordinal epoch", ("The {e}th epoch: train loss {l}",)),
    Format("ordinal iteration", ("{e}-th iteration: loss = {l}",)),
    Format("means named for the epoch", (
        "Starting epoch {e}", "train_loss_epoch: {l}", "Starting eval epoch", "eval_loss_epoch: {v}"
    ), "loss val_loss"),
    Format("range of iterations", ("Average train loss for iteration 1-{s}: {l}",)),
    Format("loss glued to its value", ("EPOCH[{e}/1000] loss{l}-|Sample:3.21|",)),
    Format("is equal to", ("Running epoch {e}", "Avg loss after epoch {e}, is equal to {l}")),
    Format("Transformer-XL", (
        "| epoch   {e} step     {s} |    {s} batches | lr 0.00025 | ms/batch 500.12 | loss  {l} | ppl   370.12",
        "| Eval   {e} at step     {s} | time: 2000.12s | valid loss  {v} | valid ppl    55.1",
    ), "loss val_loss"),
    Format("Tacotron 2", (
        "Train loss {s} {l:.6f} Grad Norm 1.2{e} 1.31s/it", "Validation loss {s}: {v:.6f}  "
    ), "loss val_loss"),
    Format("DJL", (
        "Training:    100% |████████████████████████████████████████| speed: 28.26 items/sec",
        "[INFO ] - Epoch {e} finished.",
        "[INFO ] - Train: Accuracy: {a}, SoftmaxCrossEntropyLoss: {l}",
        "[INFO ] - Validate: Accuracy: {a}, SoftmaxCrossEntropyLoss: {v}",
    ), "loss val_loss accuracy"),
    Format("drawn table", ("│ {e:5d} │ {l:10} │ {v:8} │",), "loss val_loss", (
        "┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓", "┃ Epoch ┃ Train Loss ┃ Val Loss ┃", "┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩",
    )),
    Format("shares of each split", ("Epoch: {e:03d}, Train: {a}, Val: {a}, Test: {a}",), "accuracy"),
    Format("pairs", ("{e} {L}",)),
    Format("pairs with a colon", ("{e}: {L}",)),
    Format("pairs with a tab", ("{s}:\t{L:.9f}",)),
    Format("OrderedDict", ("OrderedDict([('epoch', {e}), ('lr', 0.001), ('loss', {l}), ('val_loss', {v})])",),
           "loss val_loss"),
    Format("tr and te", ("Epoch {e}: tr_loss={l} te_loss={v}",), "loss val_loss"),
    Format("CatBoost", ("{e}:\tlearn: {l}\ttest: {v}\tbest: {v} ({e})\ttotal: 10ms\tremaining: 1s",), "loss val_loss"),
    Format("CatBoost below 1", ("{e}:\tlearn: {S}\ttest: {S}\tbest: {S} ({e})\ttotal: 10ms\tremaining: 1s",), "small"),
    Format("a word of time in the tutorial on translation", ("0m 10s (- 10m 10s) ({s} 5%) {l}",)),
    Format("the same behind a logger's arrows, without the time left", (
        "INFO==>fit==>2024-03-01 10:10:{e:02d},123==>0m {e}s ({s} 5%) train loss = {l}",)),
    Format("TDL", ("{s}\tavg = {r}, max = 7050, ops = 1869333 (1271571|3819429)", "\t6\t100%\t(0.2%)"), "reward"),
    Format("a word of time in the tutorial on names", ("{s} 5% (0m 7s) {l} Horigome / Japanese",)),
    Format("DARTS", (
        "2019-01-01 10:00:{e:02d},123 epoch {e} lr 2.5e-02",
        "2019-01-01 10:00:{e:02d},123 train 000 {l:e} 50.100000 80.100000",
        "2019-01-01 10:00:{e:02d},123 valid 000 {v:e} 50.100000 80.100000",
    ), "loss val_loss"),
    Format("icefall", (
        "2022-01-01 10:00:{e:02d},123 INFO [train.py:800] Epoch {e}, batch 100, loss[loss={l}, simple_loss=0.1,"
        " over 1000.00 frames. ], tot_loss[loss=0.5, simple_loss=0.1, over 2000.00 frames. ], lr: 1.0e-03",
    )),
    Format("DeepXDE", ("{s}      [{l}, 1.0e-02]    [{v}, 1.1e-02]    [1.0e-01]",), "loss val_loss",
           ("Step      Train loss              Test loss               Test metric",)),
    Format("evaluation that names its epoch again", (
        "[Epoch: {e}, numImages:  1000]", "Loss: {l}", "Validation:", "[Epoch: {e}, numImages:   100]",
        "Acc:{a}, mIoU:{a}", "Loss: {v}",
    ), "loss val_loss"),
    Format("score of an agent", ("Episode: {e}, Score: {r}, Epsilon: 0.5, Steps: 200",), "reward"),
    Format("score and the letter of exploration", ("episode: {e}/1000, score: {r}, e: 0.5",), "reward"),
    Format("a tag in brackets that holds more than a split", (
        "2026-05-12 12:09:33,770 - INFO - [Train] Epoch {e:03d}: loss = {l}",
        "2026-05-12 12:09:42,781 - INFO - [Diff-Val(Test-Normal)] Epoch {e:03d} (Deterministic): loss = {v}",
    ), "loss val_loss"),
    Format("Catalyst", (
        "{e}/30 * Epoch (train): loss: {l} | accuracy01: {a} | lr: 0.01",
        "{e}/30 * Epoch (valid): loss: {v} | accuracy01: {a}",
    ), "loss val_loss"),
    Format("Catalyst 21", ("train ({e}/30) loss: {l} | lr: 0.01", "valid ({e}/30) loss: {v} | lr: 0.01"),
           "loss val_loss"),
    Format("Poutyne", ("Epoch: {e:2d}/30 Train steps: 100 Val steps: 10 3.21s loss: {l} acc: 80.1 val_loss: {v}",),
           "loss val_loss"),
    Format("Trax", (
        "Step  {s}: train WeightedCategoryCrossEntropy |  {l:.8f}",
        "Step  {s}: eval  WeightedCategoryCrossEntropy |  {v:.8f}",
    ), "loss val_loss"),
    Format("nnet of R", ("iter {e:3d} value {L:.6f}",)),
    Format("a policy's mean and median", (
        "Updates {e}, num timesteps {s}, FPS 1000 ",
        " Last 10 training episodes: mean/median reward {r}/20.0, min/max reward 1.0/50.0",
    ), "reward"),
    Format("a process of MPI under a job's name", ("[1,mpirank:0,algo-1]<stdout>:epoch {e} loss {l}",)),
    Format("a bare counter and names", ("{e} train_loss {l} val_loss {v}",), "loss val_loss"),
    Format("a bare counter and tabs", ("{e}\tloss {l}\tacc {a}",), "loss accuracy"),
    Format("a bare counter and a bar", ("{e:5d} | loss {l} | val {v}",), "loss val_loss"),
    Format("a bare counter and a colon", ("{e}: loss {l}",)),
    Format("a remark behind some records", ("{e} \ttrain loss={l} \tvalid loss={v} {best}",), "loss val_loss"),
    Format("a remark behind some epochs", ("Epoch {e}: train loss {l}, val loss {v} {best}",), "loss val_loss"),
    Format("splits with brackets", ("Epoch {e} train(loss={l}, acc={a}) val(loss={v}, acc=0.5)",),
           "loss val_loss accuracy"),
    Format("splits with brackets and colons", ("Epoch {e}: Train (loss: {l}, acc: {a}), Valid (loss: {v}, acc: 0.5)",),
           "loss val_loss accuracy"),
    Format("splits with letters", ("{e} \tTrain(L={l}  | A={a}) \tValid(L={v}  | A=0.5) \tTest(L={v}  | A=0.5)",),
           "loss val_loss accuracy"),
    Format("both splits in one fraction", ("Epoch {e}: loss (train/val): {l}/{v}",), "loss val_loss"),
    Format("both splits in a fraction with blanks", ("Epoch {e}, train/val loss: {l} / {v}",), "loss val_loss"),
    Format("so far", (
        "Starting epoch {e} current lr is 0.001", "Epoch {e}, Step 100, used time 10.5 (s), avg loss so far is {l}",
        "Epoch {e}, val loss is {v}, val mse is 0.5.",
    ), "loss val_loss"),
    Format("at an epoch and an iteration", (
        "Loss at epoch {e} and iteration 0 is {l}", "NCE Loss at epoch {e} and iteration 0 is 0.5",
    )),
    Format("the loss for an epoch", ("The average loss for epoch {e} is {l}",)),
    Format("Julia's @show", ("(epoch, loss) = ({e}, {l})",)),
    Format("a sum and its terms", ("Epoch {e} [10.0s + 5.0s]: train==[{l}=0.3 + 0.1]",)),
    Format("errors of two splits", ("Epoch {e} train_err {l} test_err {v}",), "loss val_loss"),
    Format("a title of many words", ("{p} \t",), "accuracy", ("% mean class accuracy (train set)\t",)),
    Format("a title that a logger wrote", (
        "saved", "2021-01-01 10:00:00 [INFO]:    Epoch       Batch       box     loss      time",
        "2021-01-01 10:00:00 [INFO]:    {e}/29     0/165    0.5    {l}    0.25",
    )),
    Format("values alone that fall below their noise", ("{l}",), "loss", (), "loss.txt"),
    Format("values behind two counters", ("epoch {e}, batch 0: {l}",), "loss", (), "loss_full.txt"),
    Format("sizes of sets ahead", ("{e} \ttrain loss={l} \tvalid loss={v}",), "loss val_loss", (
        "TRAIN on faces", "Data Prepared:", " \tTRAIN:129600", " \tVALID:560", " \tTEST:560",
    )),
    Format("a loss within the words of a bar", (
        "Training Epoch: {e}/30, step 10/10 completed (loss: {l}): 100%|\u2588\u2588| 10/10 [00:10<00:00, 1.0it/s]",
    )),
    Format("a sentence of nothing but the mean", ("Mean loss was {l}",)),
    Format("VITS", (
        "2021-01-01 10:00:{e:02d},123\tljs\tINFO\tTrain Epoch: {e} [10%]",
        "2021-01-01 10:00:{e:02d},124\tljs\tINFO\t[2.5, {l}, 3.1, 20.5, 1.2, 0.9, {s}, 0.0002]",
    ), "player"),
    Format("errors of a way that is foretold", ("Epoch {e} | Loss {l}", " * ADE  {v} FDE  2.388"), "loss metric"),
    Format("StyleGAN", (
        "tick {e}     kimg {s}.0    lod 0.00  minibatch 32   time 0h 10m 00s      sec/tick 100.0 sec/kimg 25.0",
        "network-snapshot-{s:06d}        time 5m 05s      fid50k {v:.4f}",
    ), "val_metric"),
    Format("a sentence that counts", ("Saved model at epoch {e} with loss: {l}",)),
    Format("a counter glued within a sentence", (
        "TRAIN in epoch {e} , step 0, loss = {l}", "TEST in epoch{e}, loss = {v}, acc = {a}",
    ), "loss val_loss"),
    Format("what a rate became", (
        "(epoch: {e}, iters: 100) , D_A: {l}, G_A: {v}, cycle_A: 0.5", "learning rate 0.5 -> {l}",
    ), "player rate"),
    Format("a rate behind a sentence", ("Now training epoch {e}. LR={l}", "----- Epoch[{e:03d}/100], Train Loss: {l}"),
           "loss rate"),
    Format("a quality with a unit", ("<epoch: {e}, lr:1e-4> loss: {l}", "<epoch: {e}, Average PSNR : {v}dB"),
           "loss metric"),
    Format("mean IU", ("Epoch: [{e}/52] Iter:[0/24], Loss: {l}", "Loss: {v}, MeanIU:  {v}, Best_mIoU:  0.9"),
           "loss metric"),
    Format("an evaluation whose batches are counted", (
        "**** EPOCH {e:03d} ****", " ---- batch: 010 ----", "mean loss: {l}", "mean IoU: {a}",
        "**** EVAL EPOCH {e:03d} START****", " ---- batch: 010 ----", "eval mean loss: {v}", "mean IoU: {v}",
    ), "loss val_loss val_metric"),
    Format("terms of a detector", (
        "     {e}/30        1G   {l}   {v}   0.25        10       640: 100%|##########| 54/54 [02:25<00:00,  2.69s/it]",
    ), "terms", ("     Epoch   gpu_mem       box       obj       cls    labels  img_size",)),
    Format("names of several words over rows that end in a tab", ("{l}\t0.5\t{v}\t",), "loss",
           ("total loss\tscore loss\tborder loss\t",), "train_log.txt"),
    Format("the same first column in each row", ("1,{l}",), "loss", (), "loss.csv"),
    Format("rows of an epoch, a loss and a share", ("{e} {n} {a}",), "rough"),
    Format("rows with commas and seconds", ("{e}, {n}, 26881171418161356.00000,49.857",), "rough"),
    Format("values alone and a crash", ("{n}",), "rough"),
    Format("a stage ahead of the epoch", ("Fine-Tune Epoch {e}/30 | Train Loss: {l} | Val Loss: {v}",),
           "loss val_loss"),
    Format("splits alone beside what a checkpoint says", (
        "step {s} | train {L} | val {V} | lr 9.83e-05 | sp 6.97 mag 0.65", "{third}",
    ), "large val_large"),
    Format("an epoch glued to its position", (
        "2022-06-24 15:53:{e:02d}.290 | INFO     | __main__:<module>:8 - epoch{e}/30:",
        "2022-06-24 15:53:{e:02d}.292 | INFO     | __main__:<module>:9 - train_loss:{l}",
    )),
    Format("qualities on lines of their own", ("Epoch {e}: loss {l}", "NDCG@10: {v}"), "loss val_metric"),
    Format("a rate of success in Chinese", ("Epoch {e} 完成 | 训练损失: {l} | 成功率: {v} | 累计: 9",),
           "loss metric"),
    Format("a summary behind the batches of a validation", (
        "- Train | Epoch {e} | 10/10 | 1.4 it/sec | Loss {l} | Reco 0.2",
        "- Valid | Epoch {e} | 1/2 | 0.3 it/sec | Loss 0.5",
        "- Valid | Epoch {e} | 2/2 | 0.3 it/sec | Loss 0.4{e}", "- Valid Summary | Epoch {e} | Loss={v} | Nsdr=2.7",
    ), "loss val_first"),
    Format("a complex energy", ("I | 05-10 22:37:41 |  train   | step={s}, energy={n}+0.0009j",), "rough"),
    Format("spaCy", ("Losses {{'ner': {L}}}",)),
    Format("over the last so many, in brackets", ("(α=0.1) | Episode {s} | Avg reward (last 1000): {r:+} | Steps: 9",),
           "reward"),
    Format("two splits and nothing else", ("Train:{l} | Val:{v}",), "loss val_loss", (), "loss_history.txt"),
    Format("letters of splits at the end", ("epoch  {s}  loss_t  {l}  loss_v  {v}  loss_min  0.3",), "loss val_loss"),
    Format("a text that is called a table", ("Epoch:{e} ", "0: 0.5 ", "miou: {a}", "Epoch:{e}, mask loss is {l}"),
           "loss", (), "val_log.csv"),
    Format("a text with commas that is called a table", ("Epoch: [{e}/30], train loss: {l}, train accuracy: {a}",),
           "loss accuracy", (), "train_log.csv"),
    Format("a loss and a share of each split", ("époque {e:>3}/30  train {l} / 81.2%   val {v} / 80.1%",),
           "loss val_loss"),
    Format("a table in another language", ("{e}\t{l}\t{v}\t{a}",), "loss val_loss accuracy",
           ("Эпоха\tTrain Loss\tVal Loss\tTrain Acc",)),
    Format("one measure of both splits", ("Epoch:  {e}  -----------", "MSE: train:  {l} , validation:  {v} "),
           "loss val_loss"),
    Format("an error on test data in Russian", ("Эпоха: {e} Ошибка: {l} Ошибка на тестовых данных: {v}",),
           "loss val_loss"),
    Format("four columns of values in a file called by them", ("{l:.18e} {l:.18e} {v:.18e} {v:.18e}",), "loss", (),
           "train_loss.txt"),
)  # fmt: skip
OF = {
    "loss": ("loss", (loss, large)),
    "large": ("loss", (large,)),
    "rough": ("loss", (rough,)),
    "val_large": ("val_loss", (lambda e: round(300 * val(e), 4),)),
    "val_loss": ("val_loss", (val,)),
    "accuracy": ("accuracy", (acc,)),
    "reward": ("reward", (paid,)),
    "player": ("game_loss", (loss,)),
    "metric": ("metric", (val,)),
    "val_metric": ("val_metric", (val,)),
    "rate": ("lr", (loss,)),
    "terms": ("loss", (val,)),
    "small": ("loss", (lambda e: round(loss(e) / 3, 4),)),
}


@pytest.mark.parametrize("how", FORMATS, ids=lambda f: f.name)
def test_the_main_curves_are_read(how: Format, tmp_path: Path) -> None:
    rows = list(how.ahead)
    for e in range(1, ROWS + 1):
        said = {"e": e, "s": 100 * e, "l": loss(e), "v": val(e), "a": acc(e), "L": large(e), "r": paid(e)}
        said |= {
            "n": rough(e),
            "V": round(300 * val(e), 4),
            "third": "" if e % 3 else f"Checkpoint saved: m.pt (iter={e}, loss={large(e)})",
        }
        said |= {"p": 100 * acc(e), "best": "\t> saved as the best model so far!" if e in (1, 2, 5, 9) else ""}
        rows += [line.format(**said, S=round(loss(e) / 3, 4)) for line in how.lines]
    if how.name.endswith("a crash"):
        rows += ["Traceback (most recent call last):", '  File "a.py", line 3, in <module>', "KeyError: 'x'"]
    (tmp_path / how.file).write_text("\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path / how.file], signals_file=signals_file()).runs
    for what in how.roles.split():
        if what == "val_first":
            first = run.series("val_loss")
            assert first is not None and first.value.tolist() == [val(e) for e in range(1, ROWS + 1)]
            continue
        role, meant = OF[what]
        found = [s.value.tolist() for m in run.roles if m.role == role and (s := run.metric(m.metric)) is not None]
        want = [[f(e) for e in range(1, ROWS + 1)] for f in meant]
        assert any(f == pytest.approx(w, abs=1e-6) for f in found for w in want), (what, run.roles)


def test_epochs_named_when_they_end_are_those_of_the_batches_before(tmp_path: Path) -> None:
    rows = []
    for e in range(20):
        rows += [f"train --- Current batch:{b}/600  loss:[ {loss(e + b / 600)}]" for b in (200, 400, 600)]
        rows += [f"Epoch [{e}]/[19] Training Phase Loss: {loss(e)} Accuracy: {acc(e)}"]
        rows += [f"val --- Current batch:200/400  loss:[ {val(e)}]"]
        rows += [f"Epoch [{e}]/[19] Validation Phase Loss: {val(e)} Accuracy: {acc(e)}"]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and len(found.value) == 60
    assert found.step.tolist() == list(range(200, 200 * 61, 200))


def test_a_training_that_tells_its_loss_by_another_name_is_another_one(tmp_path: Path) -> None:
    rows = [f"Epoch {e}/20 - accuracy: {acc(e)} - loss: {loss(e)} - val_loss: {val(e)}" for e in range(1, 21)]
    rows += [f"Epoch {e}/15 | Train Loss={loss(e)}, Val Loss={val(e)}" for e in range(1, 16)]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n")
    runs = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    assert [len(s.value) for r in runs if (s := r.series("loss")) is not None] == [20, 15]


def test_rounds_that_no_line_end_parts_are_records(tmp_path: Path) -> None:
    rows = [f"第{e}轮：训练损失：{loss(e)}, 验证准确率:{acc(e)}, 耗时16.3秒" for e in range(1, ROWS + 1)]
    (tmp_path / "train_log.txt").write_text("".join(rows), encoding="utf-8")
    (run,) = read_runs([tmp_path / "train_log.txt"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and found.value.tolist() == [loss(e) for e in range(1, ROWS + 1)]


def test_a_round_may_stand_with_how_many_there_are(tmp_path: Path) -> None:
    rows = [f"第 {e}/{ROWS} 轮 训练损失 {loss(e)} 验证损失 {val(e)}" for e in range(1, ROWS + 1)]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (run,) = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert run.axis == "epoch" and found is not None and found.step.tolist() == list(range(1, ROWS + 1))


def test_what_stands_behind_an_epoch_and_a_batch_may_have_any_name(tmp_path: Path) -> None:
    rows = [f"Epoch {e:02d}, Batch {b:03d}: TL {loss(e + b / 800)}" for e in range(ROWS) for b in (399, 799)]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and len(found.value) == 2 * ROWS


def test_batches_that_go_beyond_their_total_are_those_of_one_epoch(tmp_path: Path) -> None:
    rows = [
        f"Train Epoch: {e} [{b}/3825 ({b // 160}%)]\tLoss: {loss(e + b / 16000)}"
        for e in range(1, 5)
        for b in range(0, 16000, 2000)
    ]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n")
    (run,) = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    found = run.series("loss")
    assert found is not None and found.step.tolist() == list(range(0, 64000, 2000))


def test_a_printed_frame_has_an_index_without_a_name(tmp_path: Path) -> None:
    rows = [f"{e - 1}      {e}      {loss(e)}    {val(e)}" for e in range(1, ROWS + 1)]
    (tmp_path / "train.log").write_text("\n".join(["   epoch  train_loss  val_loss", *rows]) + "\n")
    (run,) = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    for role, curve in (("loss", loss), ("val_loss", val)):
        found = run.series(role)
        assert found is not None and found.value.tolist() == [curve(e) for e in range(1, ROWS + 1)]


RECORDS = {
    "epochs called so": {f"epoch_{e}": {"train_loss": loss(e), "val_loss": val(e)} for e in range(1, ROWS + 1)},
    "a list a split": {
        "train_log": [{"iteration": 10 * e, "loss": loss(e)} for e in range(1, ROWS + 1)],
        "eval_log": [{"iteration": 10 * e, "loss": val(e)} for e in range(1, ROWS + 1)],
    },
    "a list a split, one level below": {
        "metrics": {
            "train": [{"loss": loss(e)} for e in range(1, ROWS + 1)],
            "val": [{"loss": val(e)} for e in range(1, ROWS + 1)],
        }
    },
}


@pytest.mark.parametrize("how", RECORDS)
def test_records_of_a_document_keep_the_split_of_their_key(how: str, tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text(json.dumps(RECORDS[how]))
    (run,) = read_runs([tmp_path / "history.json"], signals_file=signals_file()).runs
    for role, curve in (("loss", loss), ("val_loss", val)):
        found = run.series(role)
        assert found is not None and found.value.tolist() == [curve(e) for e in range(1, ROWS + 1)]


def test_pairs_in_a_text_of_no_training_are_no_run(tmp_path: Path) -> None:
    (tmp_path / "points.txt").write_text("".join(f"{e} {large(e)}\n" for e in range(60)))
    assert not read_runs([tmp_path], signals_file=signals_file()).runs


def test_nameless_rows_in_a_text_of_no_training_are_no_run(tmp_path: Path) -> None:
    (tmp_path / "points.txt").write_text("".join(f"{e} {large(e)} {acc(e)}\n" for e in range(60)))
    (tmp_path / "values.txt").write_text("".join(f"{large(e)}\n" for e in range(60)))
    assert not read_runs([tmp_path], signals_file=signals_file()).runs


@pytest.mark.parametrize("many", [1, 10])
def test_a_return_told_twice_does_not_make_the_loss_one_of_an_agent(tmp_path: Path, many: int) -> None:
    rows = [f"Epoch {e} | Loss: {loss(e)}" for e in range(1, ROWS + 1)]
    told = ["Return: 0.0041", "Return: 0.0043"] * many
    (tmp_path / "train.log").write_text("\n".join([*rows, *told]) + "\n")
    (run,) = read_runs([tmp_path / "train.log"], signals_file=signals_file()).runs
    assert {m.metric: m.role for m in run.roles}["Loss"] == "loss"
