# ruff: noqa: E501 (files as people write them)
"""Values under numbered keys, and JSON that names its columns apart from their values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from folder_of_files import EPOCHS, LOSS, ROWS, VAL, runs, table, values

from curvedoc.ingest.keyed.paths import records

pytestmark = pytest.mark.fast


def rows(form: str) -> str:
    return "".join(form.format(e=e, a=a, b=b) for e, a, b, _ in ROWS)


LISTED = [[e, a, b] for e, a, b, _ in ROWS]
NAMES = ["epoch", "loss", "val_loss"]
STEPS = ({str(100 * e): v for e, v in zip(EPOCHS, curve, strict=True)} for curve in (LOSS, VAL))
BY_STEP, VAL_BY_STEP = STEPS
CURVES = [{"label": "train loss", "data": LOSS}, {"label": "val loss", "data": VAL}]
FILES: dict[str, dict[str, str]] = {
    "properties": {"e.properties": "#Tue Mar 05\n" + rows("epoch.{e}.train.loss={a}\nepoch.{e}.val.loss={b}\n")},
    "number behind": {"e.properties": rows("train.loss.{e}={a}\nval.loss.{e}={b}\n")},
    "brackets": {"e.properties": rows("loss[{e}] = {a}\nval_loss[{e}] = {b}\n")},
    "environment": {"run.env": rows("EPOCH_{e}_LOSS={a}\nEPOCH_{e}_VAL_LOSS={b}\n")},
    "colons": {"log.txt": rows("epoch{e}.loss: {a}\nepoch{e}.val_loss: {b}\n")},
    "sections": {"verlauf.ini": rows("[Epoche {e}]\nVerlust={a}\nVerlust_Test={b}\n\n")},
    "sections in French": {"suivi.ini": rows("[Époque {e}]\nperte={a}\nperte_val={b}\n\n")},
    "sections in Spanish": {"registro.cfg": rows("[epoca_{e}]\nperdida = {a}\nperdida_val = {b}\n")},
    "a file a metric": {"loss_by_step.json": json.dumps(BY_STEP, indent=1),
                        "val_loss_by_step.json": json.dumps(VAL_BY_STEP)},
    "by metric": {"metrics.json": json.dumps({"loss": BY_STEP, "val_loss": VAL_BY_STEP})},
    "by metric in YAML": {"metrics.yaml": "loss:\n" + rows("  {e}00: {a}\n") + "val_loss:\n" + rows("  {e}00: {b}\n")},
    "keys of words": {"h.json": json.dumps({f"epoch_{e}_{k}": v for e, a, b, _ in ROWS
                                            for k, v in (("loss", a), ("val_loss", b))})},
    "lists of settings": {"hist.ini": f"[history]\nloss = {str(LOSS)[1:-1]}\nval_loss = {str(VAL)[1:-1]}\n"},
    "frame in three": {"h.json": json.dumps({"columns": NAMES, "index": EPOCHS, "data": LISTED})},
    "frame with a schema": {"h.json": json.dumps({"schema": {"fields": [{"name": n} for n in NAMES]}, "data": [
        dict(zip(NAMES, row, strict=True)) for row in LISTED]})},
    "header and rows": {"h.json": json.dumps({"header": NAMES, "rows": LISTED}, indent=1)},
    "names in the first row": {"h.json": json.dumps([["Epoch", "Train loss", "Val loss"], *LISTED])},
    "a row a line": {"log.jsonl": "\n".join(map(json.dumps, [NAMES, *LISTED]))},
    "comment ahead": {"h.json": f"// columns: epoch, train_loss, val_loss\n{json.dumps(LISTED)}"},
    "comment of words": {"h.json": f"# epoch loss val_loss\n{json.dumps(LISTED)}"},
    "Google's table": {"h.json": json.dumps({"cols": [{"id": str(i), "label": n} for i, n in enumerate(NAMES)],
                                             "rows": [{"c": [{"v": v} for v in row]} for row in LISTED]})},
    "Chart.js": {"c.json": json.dumps({"type": "line", "data": {"labels": EPOCHS, "datasets": CURVES}})},
    "Highcharts": {"c.json": json.dumps({"xAxis": {"categories": [f"Epoch {e}" for e in EPOCHS]},
                                         "series": [{"name": c["label"], "data": c["data"]} for c in CURVES]})},
    "points": {"c.json": json.dumps({"series": [{"name": c["label"], "data": [
        [e, v] for e, v in zip(EPOCHS, c["data"], strict=True)]} for c in CURVES]})},
    "Plotly": {"c.json": json.dumps({"data": [{"x": EPOCHS, "y": c["data"], "name": c["label"]} for c in CURVES],
                                     "layout": {}})},
    "Prometheus": {"m.prom": "# TYPE train_loss gauge\n" + rows('train_loss{{epoch="{e}"}} {a}\nval_loss{{epoch="{e}"}} {b}\n')},
    "EDN": {"log.edn": "[\n" + rows(" {{:epoch {e} :loss {a} :val-loss {b}}}\n") + "]\n"},
    "Ruby": {"log.txt": "[\n" + rows("  {{:epoch=>{e}, :loss=>{a}, :val_loss=>{b}}},\n") + "]\n"},
    "protocol buffers": {"log.pbtxt": rows("epoch {{\n  number: {e}\n  loss: {a}\n  val_loss: {b}\n}}\n")},
    "JSON5": {"log.json5": "[\n" + rows("  {{epoch: {e}, loss: {a}, valLoss: {b}}},\n") + "]\n"},
    "tables of TOML": {"h.toml": "history = [\n" + rows("  {{ epoch = {e}, loss = {a}, val_loss = {b} }},\n") + "]\n"},
    "values by name": {"h.json": json.dumps({"metrics": [{"name": c["label"], "values": c["data"]} for c in CURVES]})},
    "points by name": {"h.json": json.dumps([{"id": c["label"], "data": [{"x": e, "y": v} for e, v in
                       zip(EPOCHS, c["data"], strict=True)]} for c in CURVES])},
    "Grafana": {"h.json": json.dumps([{"target": c["label"], "datapoints": [[v, 1709629927000 + 60000 * e] for e, v in
                zip(EPOCHS, c["data"], strict=True)]} for c in CURVES])},
    "columns behind names": {"h.json": json.dumps({"names": NAMES, "columns": [EPOCHS, LOSS, VAL]})},
    "Vega": {"c.vl.json": json.dumps({"$schema": "x", "data": {"values": [
        dict(zip(NAMES, row, strict=True)) for row in LISTED]}, "mark": "line"})},
}  # fmt: skip


@pytest.mark.parametrize("form", FILES)
def test_a_training_under_keys_or_names(tmp_path: Path, form: str) -> None:
    (run,) = runs(tmp_path, FILES[form])
    assert (values(run, "loss"), values(run, "val_loss")) == (LOSS, VAL)


PER_CLASS = {str(i): round(0.7 + (i * 37 % 23) / 100, 3) for i in range(12)}


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.json", json.dumps({"class_accuracy": {f"c{k}": v for k, v in PER_CLASS.items()}})),
        ("b.properties", "".join(f"class.{k}.accuracy={v}\n" for k, v in PER_CLASS.items())),
        ("c.properties", "".join(f"server.{i}.port={8000 + i}\n" for i in range(12))),
        ("d.ini", "".join(f"[epoch {i}]\nseed = {i}\n" for i in range(12))),
        ("e.env", "".join(f"LAYER_{i}_LOSS_WEIGHT={i}.5\n" for i in range(12))),
        ("f.json", json.dumps({"columns": ["id", "text"], "data": [[i, "x"] for i in range(12)]})),
        ("g.json", json.dumps({"labels": ["cat", "dog", "cow"], "datasets": [{"label": "n", "data": [1, 2, 3]}]})),
        ("i.json", json.dumps({"columns": ["name", "score"], "data": [["a", 0.5], ["b", 0.6], ["c", 0.7]]})),
        (
            "j.json",
            json.dumps({"labels": ["Jan", "Feb", "Mar"], "datasets": [{"label": "loss", "data": [1.5, 2.5, 3]}]}),
        ),
        ("h.json", json.dumps([["loss", "lr"], [0.3, 0.1]])),
    ],
)
def test_things_under_keys_are_none(tmp_path: Path, name: str, text: str) -> None:
    assert runs(tmp_path, {name: text, "train.py": "", "notes.md": "x"}) == []


def test_a_number_counts_where_a_word_says_so() -> None:
    pairs = [(f"fold.1.epoch.{e}.loss", v) for e, v in zip(EPOCHS, LOSS, strict=True)]
    assert records(pairs, "x")[0] == {"epoch": 1, "fold.1.loss": LOSS[0]}
    assert records([(f"a.1.b.{i}", 0.5) for i in range(20)], "x") == []
    assert records([("loss", 0.5)], "x") == []


def test_a_table_of_columns_alone_is_read_as_before(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, {"h.csv": table(NAMES, EPOCHS, LOSS, VAL)})
    assert values(run, "loss") == LOSS
