# ruff: noqa: E501 (files as people write them)
"""Tables of documents and the data of plots: pages, wikis, papers, sets of rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from folder_of_files import ACC, EPOCHS, LOSS, ROWS, VAL, runs, values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curvedoc.ingest.grids.dumps import dump_grids
from curvedoc.ingest.grids.pages import page_grids, page_text
from curvedoc.ingest.grids.papers import paper_grids
from curvedoc.ingest.grids.sets import set_grids
from curvedoc.ingest.grids.wikis import wiki_grids

pytestmark = pytest.mark.fast


def rows(form: str) -> str:
    return "".join(form.format(e=e, a=a, b=b) for e, a, b, _ in ROWS)


PAGE = "<html><head><title>x</title></head><body><h1>Run</h1>\n<table border=1>\n"
PLOT = "\\begin{axis}[xlabel={Epoch},ylabel={Loss}]\n"
PAIRS = [" ".join(f"({e},{v})" for e, v in zip(EPOCHS, curve, strict=True)) for curve in (LOSS, VAL)]
SETS = ["".join(f"{e} {v}\n" for e, v in zip(EPOCHS, curve, strict=True)) for curve in (LOSS, VAL)]
FILES = {
    "page": ("report.html", PAGE + "<tr><th>Epoch</th><th>Training Loss</th><th>Validation Loss</th></tr>\n"
             + rows("<tr><td>{e}</td><td>{a}</td><td>{b}</td></tr>\n") + "</table></body></html>"),
    "frame as a page": ("training.html", PAGE + "<thead><tr style='x'>\n<th></th>\n<th>epoch</th>\n<th>loss</th>\n"
                        "<th>val_loss</th>\n</tr></thead><tbody>\n"
                        + rows("<tr>\n<th>{e}</th>\n<td>{e}</td>\n<td>{a}</td>\n<td>{b}</td>\n</tr>\n") + "</table>"),
    "page alone": ("x.html", PAGE + "<tr><td>Step</td><td>Loss</td><td>Test loss</td></tr>"
                   + rows("<tr><td>{e}00</td><td>{a}</td><td>{b}&nbsp;</td></tr>") + "</table>"),
    "board": ("post.txt", "[table][tr][th]Epoch[/th][th]Loss[/th][th]Val loss[/th][/tr]\n"
              + rows("[tr][td]{e}[/td][td]{a}[/td][td]{b}[/td][/tr]\n") + "[/table]\n"),
    "DocBook": ("log.xml", "<tgroup cols='3'><row><entry>Epoch</entry><entry>Loss</entry><entry>Val loss</entry></row>\n"
                + rows("<row><entry>{e}</entry><entry>{a}</entry><entry>{b}</entry></row>\n") + "</tgroup>\n"),
    "MediaWiki": ("page.wiki", '{| class="wikitable"\n! Epoch !! Train loss !! Test loss\n'
                  + rows("|-\n| {e} || {a} || {b}\n") + "|}\n"),
    "MediaWiki, a cell a line": ("page.wiki", "== Run ==\n{|\n|-\n! Epoch\n! Train loss\n! Val loss\n"
                                 + rows('|-\n| {e}\n| align="right" | {a}\n| {b}\n') + "|}\n"),
    "DokuWiki": ("page.txt", "====== Run ======\n^ Epoch ^ Loss ^ Val loss ^\n" + rows("| {e} | {a} | {b} |\n")),
    "Creole": ("page.txt", "|=Epoch|=Loss|=Val loss|\n" + rows("|{e}|{a}|{b}|\n")),
    "Trac": ("page.txt", "||= Epoch =||= Loss =||= Val loss =||\n" + rows("|| {e} || {a} || {b} ||\n")),
    "Markdown": ("notes.md", "## Run 3\n\n| Epoch | Loss (train) | **Loss (val, nats)** |\n|:-:|:-:|--:|\n"
                 + rows("| {e} | {a} | {b} |\n") + "\nThe best was 17.\n"),
    "read me": ("README.md", "# Run\n\n| Epoch | Loss | Val loss |\n|---|---|---|\n" + rows("| {e} | {a} | {b} |\n")),
    "AsciiDoc": ("run.adoc", "= Run\n\n|===\n|Epoch |Train loss |Val loss\n\n" + rows("|{e} |{a} |{b}\n") + "|===\n"),
    "csv-table": ("run.rst", '.. csv-table:: Run\n   :header: "Epoch", "Loss", "Val loss"\n\n' + rows("   {e}, {a}, {b}\n")),
    "list-table": ("run.rst", ".. list-table:: Run\n   :header-rows: 1\n\n   * - Epoch\n     - Loss\n     - Val loss\n"
                   + rows("   * - {e}\n     - {a}\n     - {b}\n")),
    "tabular": ("table.tex", "\\begin{tabular}{rrr}\n\\toprule\nEpoch & Train loss & Val.\\ loss \\\\\n\\midrule\n"
                + rows("{e} & {a} & {b} \\\\\n") + "\\bottomrule\n\\end{tabular}\n"),
    "tabular of two heads": ("table.tex", "\\begin{tabular}{r|rr}\n & \\multicolumn{2}{c}{Loss} \\\\\nEpoch & train & val"
                             " \\\\ \\hline\n" + rows("{e} & ${a}$ & \\textbf{{{b}}} \\\\\n") + "\\end{tabular}\n"),
    "plot": ("fig.tex", PLOT + f"\\addplot coordinates {{\n{PAIRS[0]}\n}};\n\\addlegendentry{{Training loss}}\n"
             f"\\addplot[red] coordinates {{{PAIRS[1]}}};\n\\addlegendentry{{Validation loss}}\n\\end{{axis}}\n"),
    "plot with a legend": ("fig.tex", PLOT + f"\\addplot coordinates {{{PAIRS[0]}}};\n\\addplot coordinates {{{PAIRS[1]}}};"
                           "\n\\legend{Train, Test}\n\\end{axis}\n"),
    "plotted rows": ("fig.tex", PLOT + f"\\addplot table {{\nx y\n{SETS[0]}}};\n\\addlegendentry{{loss}}\n\\addplot table {{\n"
                     f"x y\n{SETS[1]}}};\n\\addlegendentry{{val loss}}\n\\end{{axis}}\n"),
    "gnuplot": ("curves.dat", f"# block 0: training loss\n# epoch loss\n{SETS[0]}\n\n# block 1: validation loss\n"
                f"# epoch loss\n{SETS[1]}"),
    "gnuplot, names alone": ("curves.dat", f"# epoch train_loss\n{SETS[0]}\n\n# epoch val_loss\n{SETS[1]}"),
    "gnuplot, titles": ("loss.dat", f'"train loss"\n{SETS[0]}\n\n"val loss"\n{SETS[1]}'),
    "Grace": ("curves.agr", '@ s0 legend "Train loss"\n@ s1 legend "Val loss"\n@target G0.S0\n@type xy\n'
              f"{SETS[0]}&\n@target G0.S1\n@type xy\n{SETS[1]}&\n"),
    "frame of polars": ("out.txt", "shape: (20, 3)\n┌───────┬────────┬──────────┐\n│ epoch ┆ loss   ┆ val_loss │\n│ ---   ┆ ---    ┆"
                        " ---      │\n│ i64   ┆ f64    ┆ f64      │\n╞═══════╪════════╪══════════╡\n"
                        + rows("│ {e} ┆ {a} ┆ {b} │\n") + "└───────┴────────┴──────────┘\n"),
    "page on its side": ("report.html", "<table>" + "".join(
        f"<tr><th>{n}</th>" + "".join(f"<td>{v}</td>" for v in c) + "</tr>"
        for n, c in (("Epoch", EPOCHS), ("Loss", LOSS), ("Val loss", VAL))) + "</table>"),
    "page of lines": ("log.html", "<html><head><style>p{}</style></head><body><pre>\n"
                      + rows("Epoch {e}: loss={a} val_loss={b}\n") + "</pre></body></html>"),
    "page of entries": ("log.html", "<html><body><ul>\n"
                        + rows("<li><b>Epoch {e}</b>: loss {a}, val loss {b}</li>\n") + "</ul></body></html>"),
    "SQL": ("dump.sql", "CREATE TABLE h (epoch INTEGER PRIMARY KEY, loss REAL, val_loss REAL);\nINSERT INTO h VALUES\n"
            + rows("({e},{a},{b}),\n").rstrip(",\n") + ";\n"),
    "SQL, a row each": ("dump.sql", rows("INSERT INTO `m` (`epoch`, `loss`, `val_loss`) VALUES ({e}, {a}, {b});\n")),
    "ARFF": ("log.arff", "@relation x\n@attribute epoch numeric\n@attribute loss numeric\n@attribute val_loss numeric\n"
             "@data\n" + rows("{e},{a},{b}\n")),
    "matrix": ("hist.m", "% epoch train_loss val_loss\nM = [\n" + rows("{e} {a} {b};\n") + "];\n"),
    "gnuplot's script": ("plot.gp", "set xlabel 'Epoch'\n$d << EOD\n" + rows("{e} {a} {b}\n") + "EOD\n"
                         "plot $d using 1:2 title 'train loss', '' using 1:3 title 'val loss'\n"),
    "Octave": ("log.txt", "# Created by Octave\n# name: train_loss\n# type: matrix\n# rows: 20\n# columns: 1\n"
               + "".join(f" {v}\n" for v in LOSS) + "\n\n# name: val_loss\n# type: matrix\n# rows: 20\n# columns: 1\n"
               + "".join(f" {v}\n" for v in VAL)),
}  # fmt: skip


@pytest.mark.parametrize("form", FILES)
def test_a_training_in_a_table_or_plot(tmp_path: Path, form: str) -> None:
    name, text = FILES[form]
    (run,) = runs(tmp_path, {name: text})
    assert (values(run, "loss"), values(run, "val_loss")) == (LOSS, VAL)


def test_a_table_under_each_heading_is_a_training(tmp_path: Path) -> None:
    head = "| Epoch | Loss | Val loss |\n|---|---|---|\n"
    one, other = rows("| {e} | {a} | {b} |\n"), rows("| {e} | {b} | {a} |\n")
    text = f"## ResNet\n\n{head}{one}\n## VGG\n\n{head}{other}"
    found = runs(tmp_path, {"runs.md": text})
    assert [r.name.partition("::")[2] for r in found] == ["ResNet", "VGG"]
    assert [values(r, "loss") for r in found] == [LOSS, VAL]


def test_cells_that_reach_over_rows_and_columns(tmp_path: Path) -> None:
    heads = "<tr><th rowspan=2>Epoch</th><th colspan=2>CNN</th><th colspan=2>RNN</th></tr>"
    heads += "<tr><th>loss</th><th>val loss</th><th>loss</th><th>val loss</th></tr>"
    body = rows("<tr><td>{e}</td><td>{a}</td><td>{b}</td><td>{b}</td><td>{a}</td></tr>")
    one, other = runs(tmp_path, {"report.html": f"<table>{heads}{body}</table>"})
    assert values(one, "loss") == values(other, "val_loss") == LOSS
    assert values(one, "val_loss") == values(other, "loss") == VAL


def test_sets_of_models_in_a_file_of_losses(tmp_path: Path) -> None:
    one, other = runs(tmp_path, {"loss.dat": f"# ResNet\n{SETS[0]}\n\n# VGG\n{SETS[1]}"})
    assert [values(one, "loss"), values(other, "loss")] == [LOSS, VAL]


def test_tables_of_other_columns_and_of_the_splits_are_one_training(tmp_path: Path) -> None:
    pages = "".join(
        f"<h2>{title}</h2><table><tr><th>Epoch</th><th>{name}</th></tr>"
        + "".join(f"<tr><td>{e}</td><td>{v}</td></tr>" for e, v in zip(EPOCHS, curve, strict=True))
        + "</table>"
        for title, name, curve in (("Training", "Loss", LOSS), ("Validation", "Loss", VAL), ("Validation", "Accuracy", ACC))
    )  # fmt: skip
    (run,) = runs(tmp_path, {"report.html": pages})
    assert values(run, "loss") == LOSS
    assert values(run, "val_loss") == VAL
    assert values(run, "val_accuracy") == ACC


RESULTS = "".join(f"| model{i} | {i} | 0.{i}5 |\n" for i in range(1, 9))


@pytest.mark.parametrize(
    "name, text",
    [
        ("results.md", f"| Model | Layers | Loss |\n|---|---|---|\n{RESULTS}"),
        ("classes.wiki", "{|\n! Class !! Accuracy\n" + "".join(f"|-\n| {i} || 0.9{i}\n" for i in range(9)) + "|}\n"),
        ("index.html", PAGE + "<tr><th>#</th><th>Name</th></tr>" + "<tr><td>1</td><td>2.5</td></tr>" * 9 + "</table>"),
        (
            "ranks.md",
            "| Epochs | Model | Accuracy |\n|---|---|---|\n"
            + "".join(f"| {e} | net{e} | 0.{e} |\n" for e in (10, 20, 50, 70, 80)),
        ),
        (
            "ranks.html",
            "<table><tr><th>Epochs</th><th>Model</th><th>Accuracy</th></tr>"
            + "".join(f"<tr><td>{e}</td><td>net{e}</td><td>0.{e}</td></tr>" for e in (10, 20, 50, 70, 80))
            + "</table>",
        ),
        ("results.tex", "\\begin{tabular}{lr}\nMethod & Accuracy \\\\\n" + "ours & 0.9 \\\\\n" * 9 + "\\end{tabular}"),
        ("spectrum.tex", PLOT.replace("Epoch", "Hz") + f"\\addplot coordinates {{{PAIRS[0]}}};\n\\end{{axis}}"),
        ("points.dat", f"# set 1\n{SETS[0]}\n\n# set 2\n{SETS[1]}"),
        ("settings.wiki", "{|\n! Epoch !! Width\n" + "".join(f"|-\n| {i} || {i}.5\n" for i in range(9)) + "|}\n"),
    ],
)
def test_what_does_not_count_or_measure_is_none(tmp_path: Path, name: str, text: str) -> None:
    assert runs(tmp_path, {name: text, "train.py": "", "b.md": "x"}) == []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(alphabet="|^=-{}<>/trd\\&$ab \n019.,:*#!\"'()[]", max_size=400))
def test_no_text_breaks_a_table_apart(text: str) -> None:
    for find in (page_grids, wiki_grids, paper_grids, set_grids):
        for grid in find(text):
            assert all(len(row) == len(grid.names) for row in grid.rows)


@pytest.mark.parametrize(
    "piece",
    [
        "<td>",
        "| a ",
        "\\addplot ",
        "\\begin{tabular}",
        "1 2\n\n\n",
        "(1,2)",
        "{| \n",
        "^ a ",
        "<script>",
        "INSERT INTO a (b",
        "│ 1 ",
    ],
)
def test_long_texts_of_marks_take_no_longer_than_their_length(piece: str) -> None:
    text = piece * 20_000
    for find in (page_grids, wiki_grids, paper_grids, set_grids, dump_grids, page_text):
        find(text)
