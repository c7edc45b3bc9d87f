"""One made-up run, 300 steps with a validation every ten, written in more than sixty ways."""

# ruff: noqa: E501  one spelling a line reads better than four
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

N = 300
_RNG = np.random.default_rng(3)
_STEP = np.arange(N)


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


LOSS = [_digits(v) for v in 0.5 + 1.8 * np.exp(-_STEP / 70) + 0.05 * _RNG.standard_normal(N)]
VAL = {s: _digits(LOSS[s] + 0.08 + 0.01 * float(_RNG.standard_normal())) for s in range(9, N, 10)}
LR = [_digits(v) for v in np.minimum((_STEP + 1) / 20, 1) * 1e-3 * (0.55 + 0.45 * np.cos(np.pi * _STEP / N))]
NORM = [_digits(v) for v in np.exp(0.35 * _RNG.standard_normal(N))]

Row = dict[str, Any]
PLAIN = ("train/loss", "lr", "grad_norm", "val/loss")
ODD = ("train.nll", "opt.eta", "opt.||g||", "dev.nll")
GERMAN = ("Trainingsverlust", "Lernrate", "Gradientennorm", "Validierungsverlust")


def _long(
    keys: Sequence[str], names: Sequence[str] = PLAIN, order: Sequence[str] = (), blocks: bool = False
) -> list[Row]:
    """A row for each value: its name, itself and its step under these keys."""
    out: list[Row] = []
    for s in range(N):
        cells = [
            (names[0], LOSS[s]),
            (names[1], LR[s]),
            (names[2], NORM[s]),
            *([(names[3], VAL[s])] if s in VAL else []),
        ]
        out += [dict(zip(keys, (name, value, s), strict=True)) for name, value in cells]
    if blocks:
        out.sort(key=lambda row: list(names).index(row[keys[0]]))
    return [{k: row[k] for k in order} for row in out] if order else out


def _wide(step: str | None, loss: str, lr: str, norm: str, val: str, apart: bool = False) -> list[Row]:
    """A row for each step, the validation in it or in a row of its own."""
    out: list[Row] = []
    for s in range(N):
        count = {} if step is None else {step: s}
        own = {val: VAL[s]} if s in VAL else {}
        out.append({**count, loss: LOSS[s], lr: LR[s], norm: NORM[s], **({} if apart else own)})
        if apart and own:
            out.append({**count, **own})
    return out


def _lines(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _csv(head: Sequence[str], sep: str = ",", decimal: str = ".", quote: str = "") -> str:
    rows = [[*head]] if head else []
    rows += [[str(v).replace(".", decimal) for v in (s, LOSS[s], LR[s], NORM[s], VAL.get(s, ""))] for s in range(N)]
    return "".join(sep.join(f"{quote}{cell}{quote}" for cell in row) + "\n" for row in rows)


def _nested() -> list[Row]:
    rows = [{"s": s, "train": {"loss": LOSS[s]}, "opt": {"lr": LR[s], "grad": {"norm": NORM[s]}}} for s in range(N)]
    return [{**row, "val": {"loss": VAL[s]}} if s in VAL else row for s, row in enumerate(rows)]


def _phases(key: str, train: str, val: str) -> list[Row]:
    out: list[Row] = []
    for s in range(N):
        out.append({key: train, "c": s, "nll": LOSS[s], "eta": LR[s], "gn": NORM[s]})
        out += [{key: val, "c": s, "nll": VAL[s]}] if s in VAL else []
    return out


def _long_phases() -> list[Row]:
    rows = _long(("q", "a", "w"))
    return [{**row, "q": row["q"].split("/")[-1], "part": "check" if "val" in row["q"] else "fit"} for row in rows]


def _clocked() -> list[Row]:
    rows = _wide(None, "loss", "lr", "grad_norm", "val_loss")
    return [{"at": 1.7e9 + 2.5 * s, **row} for s, row in enumerate(rows)]


def _columns() -> Row:
    return {"it": [*range(N)], "nll": LOSS, "eta": LR, "gn": NORM, "nll_dev": [*VAL.values()]}


ODD_WIDE = ("nll", "eta", "gn", "dev_nll")
_STEPS = ("x", "t", "i", "n", "optimizer_step", "nb_updates", "train_steps_completed", "minibatch", "opt_steps")

#: Title -> (file name, text); those whose title begins with * hold no step.
SPELLINGS: dict[str, tuple[str, str]] = {
    "long: metric, y, x, wall": ("m.jsonl", _lines([{**r, "wall": 1.7e9 + r["x"] / 2} for r in _long(("metric", "y", "x"), ODD)])),
    "long: k, v, t": ("m.jsonl", _lines(_long(("k", "v", "t")))),
    "long: what, number, at": ("m.jsonl", _lines(_long(("what", "number", "at"), ODD))),
    "long: series, data, n": ("m.jsonl", _lines(_long(("series", "data", "n")))),
    "long: reading, tick, var": ("m.jsonl", _lines(_long(("var", "reading", "tick"), ODD, ("reading", "tick", "var")))),
    "long: key, scalar, optimizer_step": ("m.jsonl", _lines(_long(("key", "scalar", "optimizer_step")))),
    "long: tag, val, i": ("m.jsonl", _lines(_long(("tag", "val", "i")))),
    "long: id, measurement, nb_updates": ("m.json", _lines(_long(("id", "measurement", "nb_updates"), ODD))),
    "long: one metric after the other": ("m.jsonl", _lines(_long(("quantity", "amount", "when"), blocks=True))),
    "long: an array": ("m.json", json.dumps(_long(("q", "a", "w")))),
    "long: with a split": ("m.jsonl", _lines(_long_phases())),
    "long: csv": ("m.csv", "q,a,w\n" + "".join(f"{r['q']},{r['a']},{r['w']}\n" for r in _long(("q", "a", "w")))),
    "long: German csv": ("m.csv", "Name;Wert;Schritt\n" + "".join(f"{r['q']};{str(r['a']).replace('.', ',')};{r['w']}\n" for r in _long(("q", "a", "w"), GERMAN))),
    "nll, eta, gn": ("m.jsonl", _lines(_wide("it", *ODD_WIDE))),
    "ce, step_size": ("m.jsonl", _lines(_wide("n", "ce", "step_size", "gradient magnitude", "val_ce"))),
    "objective, alpha": ("m.jsonl", _lines(_wide("k", "objective", "alpha", "||grad||", "validation objective"))),
    "camel case": ("m.jsonl", _lines(_wide("trainStep", "trainLoss", "learningRate", "gradNorm", "valLoss"))),
    "titles": ("m.jsonl", _lines(_wide("Optimizer Step", "Training Loss", "Learning Rate", "Gradient Norm", "Validation Loss"))),
    "upper case": ("m.jsonl", _lines(_wide("STEP", "LOSS", "LR", "GRAD_NORM", "VAL_LOSS"))),
    "paths of an experiment": ("m.jsonl", _lines(_wide("exp42.it", "exp42.train.loss", "exp42.opt.lr", "exp42.opt.grad_norm", "exp42.dev.loss"))),
    "risk": ("m.jsonl", _lines(_wide("t", "empirical_risk", "lrate", "g_norm", "heldout_risk"))),
    "error": ("m.jsonl", _lines(_wide("t", "err_train", "lr", "gnorm", "err_val"))),
    "negative log likelihood": ("m.jsonl", _lines(_wide("t", "neg_log_likelihood", "lr", "gnorm", "val_neg_log_likelihood"))),
    "obj": ("m.jsonl", _lines(_wide("i", "obj", "lr", "gnorm", "val_obj"))),
    "objective function": ("m.jsonl", _lines(_wide("i", "objective_function", "lr", "gnorm", "val_objective_function"))),
    "bce": ("m.jsonl", _lines(_wide("i", "bce", "lr", "grads_norm", "val_bce"))),
    "xent": ("m.jsonl", _lines(_wide("mb", "train_xent", "sched/lr", "l2/grad", "eval_xent"))),
    "mse": ("m.jsonl", _lines(_wide("update_no", "train_mse", "lr", "gn", "val_mse"))),
    "energy, rate": ("m.jsonl", _lines(_wide("u", "energy", "rate", "gradient", "energy_val"))),
    "tr, va": ("m.jsonl", _lines(_wide("s", "tr/loss", "lr", "gn", "va/loss"))),
    "loss_tr, loss_ev": ("m.jsonl", _lines(_wide("s", "loss_tr", "lr", "gn", "loss_ev"))),
    "nested": ("m.jsonl", _lines(_nested())),
    "German": ("m.jsonl", _lines(_wide("Schritt", "Trainingsverlust", "Lernrate", "Gradientennorm", "Validierungsverlust"))),
    "French": ("m.jsonl", _lines(_wide("étape", "perte", "taux_apprentissage", "norme_gradient", "perte_validation"))),
    "Spanish": ("m.jsonl", _lines(_wide("paso", "pérdida", "tasa_aprendizaje", "norma_gradiente", "pérdida_validación"))),
    "Portuguese": ("m.csv", _csv(["passo", "perda", "taxa_aprendizado", "norma_do_gradiente", "perda_validacao"])),
    "Russian": ("m.jsonl", _lines(_wide("шаг", "потери", "скорость обучения", "норма градиента", "потери валидация"))),
    "Chinese": ("m.jsonl", _lines(_wide("步数", "训练损失", "学习率", "梯度范数", "验证损失"))),
    "Japanese": ("m.jsonl", _lines(_wide("ステップ", "損失", "学習率", "勾配ノルム", "検証損失"))),
    **{f"step is {s}": ("m.jsonl", _lines(_wide(s, "loss", "lr", "grad_norm", "val_loss", apart=True))) for s in _STEPS},
    "*no step": ("m.jsonl", _lines(_wide(None, "loss", "lr", "grad_norm", "val_loss"))),
    "*a clock alone": ("m.jsonl", _lines(_clocked())),
    "csv": ("m.csv", _csv(["x", "nll", "eta", "gn", "nll_val"])),
    "csv: decimal commas": ("m.csv", _csv(["Schritt", "Verlust", "Lernrate", "Gradientennorm", "Validierungsverlust"], ";", ",")),
    "csv: tabs": ("m.tsv", _csv(["it", "obj", "eta", "gn", "obj_val"], "\t")),
    "csv: quoted": ("m.csv", _csv(["n", "nll", "eta", "gn", "nll_val"], quote='"')),
    "csv: bars": ("m.csv", _csv(["n", "nll", "eta", "gn", "nll_val"], "|")),
    "csv: blanks": ("m.csv", _csv(["step", "train loss", "learning rate", "grad norm", "val loss"], ", ")),
    "csv: called txt": ("m.txt", _csv(["it", "nll", "eta", "gn", "nll_val"])),
    "csv: no header": ("m.csv", _csv([])),
    "csv: signs": ("m.csv", _csv(["#it", "nll", "eta", "|g|", "nll(dev)"])),
    "columns of one object": ("m.json", json.dumps(_columns())),
    "numbers in quotes": ("m.jsonl", _lines([{k: v if k == "it" else str(v) for k, v in r.items()} for r in _wide("it", *ODD_WIDE)])),
    "pretty": ("m.json", "\n".join(json.dumps(r, indent=1) for r in _wide("it", *ODD_WIDE))),
    "wrapped": ("m.json", json.dumps({"experiment": "a", "records": _wide("it", *ODD_WIDE)})),
    "numbered": ("m.json", json.dumps({str(r.pop("it")): r for r in _wide("it", *ODD_WIDE)})),
    "split in rows": ("m.jsonl", _lines(_phases("part", "training", "validation"))),
    "split in rows, odd words": ("m.jsonl", _lines(_phases("kind2", "fit", "check"))),
}  # fmt: skip

#: Role -> (number of values, first step, last step) that each spelling must give.
EXPECTED = {"loss": (N, 0, N - 1), "val_loss": (N // 10, 9, N - 1), "lr": (N, 0, N - 1), "grad_norm": (N, 0, N - 1)}
VALUES: dict[str, Callable[[], list[float]]] = {
    "loss": lambda: LOSS, "val_loss": lambda: [*VAL.values()], "lr": lambda: LR, "grad_norm": lambda: NORM,
}  # fmt: skip
