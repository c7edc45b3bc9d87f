"""What a program puts ahead of all that it prints, and rows of a table behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from test_first_contact_shapes import CURVES, EPOCHS, told, values
from text_log import read

from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.text.line.prefix import without_heads

pytestmark = pytest.mark.fast

HEADS = {
    "[worker] ": "[worker] ", "(job) ": "(job) ", "box7: ": "box7: ", ">> ": ">> ", "# ": "# ", "": "",
    "clock": "[2031-05-01 08:{m:02}:00] ", "logger": "2031-05-01 08:{m:02}:00,120 - INFO - ",
    "source": "INFO 2031-05-01 08:{m:02}:00,1 loop.py:77 ", "angled": "<08:{m:02}:00> ", "elapsed": "[{m}s] ",
}  # fmt: skip


@pytest.mark.parametrize("gap", ["\t", ",", " | ", "    "], ids=["tab", "comma", "bar", "blanks"])
@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("way", ["falls", "rests"])
def test_rows_of_a_table_stand_behind_what_is_ahead_of_its_title(tmp_path: Path, head: str, gap: str, way: str) -> None:
    curve = CURVES[way]
    lines = [gap.join(("epoch", "tr:nll", "[dev] nll"))]
    lines += [gap.join((str(i), str(curve(i)), str(round(1.1 * curve(i), 4)))) for i in range(EPOCHS)]
    run = read(tmp_path, "".join(head.format(m=i) + line + "\n" for i, line in enumerate(lines)))[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


@pytest.mark.parametrize("mark", [" := ", " == ", " > ", " ~ ", " → "])
def test_marks_that_few_write_link_a_name_to_its_number(tmp_path: Path, mark: str) -> None:
    curve = CURVES["rests"]
    text = "".join(
        f"epoch {i}\nloss{mark}{curve(i)}\nval_loss{mark}{round(1.1 * curve(i), 4)}\n" for i in range(EPOCHS)
    )
    run = read(tmp_path, text)[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_a_split_a_level_or_a_measure_ahead_of_all_lines_stays() -> None:
    for head in ("[train] ", "val: ", "INFO: ", "loss: ", "[epoch] ", "Epoch7: ", "[step12] ", "dev_loss: ", "tr: "):
        text = "".join(f"{head}x {i}.5\n" for i in range(20))
        assert without_heads(text) == text, head


def test_heads_of_two_kinds_stay() -> None:
    text = "".join(f"{'north' if i % 2 else 'south'}: x {i}.5\n" for i in range(20))
    assert without_heads(text) == text


@pytest.mark.parametrize(
    ("work", "piece"),
    [(without_heads, ","), (without_heads, ",|"), (without_heads, " ,"), (in_english, "a"), (in_english, "train")],
)
def test_the_work_grows_as_a_line_or_a_name_does(work: Callable[[str], str], piece: str) -> None:
    def least(size: int) -> float:
        text = "[a] 1" + piece * (size // len(piece))
        took = []
        for _ in range(3):
            start = process_time()
            work(text)
            took.append(process_time() - start)
        return min(took)

    # eight times the length: eight times the work, and not sixty-four
    assert least(24_000) < 30 * max(least(3_000), 1e-4)


PLACES = {
    "named clock": "[2031-05-01 08:{m:02}:00 net_b4_w7] (loop.py 77): INFO ", "aside": "08:{m:02}:00 loop.py(77) INFO ",
    "dashes": "[2031-05-01 08:{m:02}:00] - loop.py[line:77] - INFO: ", "at": "[0501 08:{m:02}:00 @loop.py:77] ",
    "apart": "INFO 2031-05-01 08:{m:02}:00 loop.py: 77: ", "word": "2031-05-01 08:{m:02}:00 loop.py line 77 INFO: ",
    "colon": "[2031-05-01 08:{m:02}:00 root] (loop.py:77) INFO: ",
}  # fmt: skip


@pytest.mark.parametrize("head", PLACES.values(), ids=PLACES)
def test_the_line_of_code_that_printed_a_record_is_no_part_of_it(tmp_path: Path, head: str) -> None:
    curve, rows = CURVES["rests"], []
    for i in range(EPOCHS):
        for batch in (0, 40, 80):
            record = f"Train: [{i}/{EPOCHS}][{batch}/90]  eta 0:01:02  lr 0.100  "
            rows.append(head.format(m=i) + record + f"loss {curve(i)} ({curve(i)})  scale 64.00 (64.00)  mem 90MB")
        rows.append(head.format(m=i) + f"Test: [5/6]  loss {1.1 * curve(i):.4f} ({1.1 * curve(i):.4f})")
    runs = read(tmp_path, "\n".join(rows) + "\n")
    assert len(runs) == 1
    assert [v for i, v in enumerate(values(runs[0], "loss")) if i % 3 == 0] == told(curve)
    assert values(runs[0], "val_loss") == told(curve, 1.1)
    assert runs[0].series("loss").step.tolist()[3] == 90
