"""JSON logs of every shape give the points that were written, and damage costs only what it hit."""

import gzip
import json
import math
import os
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from curvedoc import read as read_path
from curvedoc.core.run import MESSAGES, POINTS, Flag
from curvedoc.ingest.json import bulk as json_bulk
from curvedoc.ingest.json import chunks as json_chunks
from curvedoc.ingest.json import columns as json_columns
from curvedoc.ingest.json import hf_state
from curvedoc.ingest.json import objects as json_objects
from curvedoc.ingest.json import records as json_records
from curvedoc.ingest.table import columns as table_columns

CORPUS = Path(os.environ.get("CURVEDOC_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))


def put(tmp_path, text, name="log.jsonl"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(*rows):
    return "".join(json.dumps(r) + "\n" for r in rows)


def read(tmp_path, text, name="log.jsonl"):
    log = json_records.read([put(tmp_path, text, name)])[0]
    assert dict(log.points.schema) == dict(POINTS)
    assert dict(log.messages.schema) == dict(MESSAGES)
    return log


def curve(log, metric):
    rows = log.points.filter(pl.col("metric") == metric)
    return dict(zip(rows["step"].to_list(), rows["value"].to_list(), strict=True))


def kinds(log):
    return {n.kind: n for n in log.notes}


def flags(log, metric):
    return log.points.filter(pl.col("metric") == metric)["flags"].to_list()


PLAIN = [{"step": i, "loss": 2.0 - i / 100, "lr": 0.1} for i in range(100)]


def test_flat_records_become_one_point_for_each_number(tmp_path):
    log = read(tmp_path, lines(*PLAIN))
    assert curve(log, "loss") == {r["step"]: r["loss"] for r in PLAIN}
    assert set(log.points["metric"]) == {"loss", "lr"}
    assert (log.notes, log.axis, log.rank) == ((), "step", None)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_encoding_line_end_and_packing_change_nothing(tmp_path, end, codec, pack):
    text = lines(*PLAIN).replace("\n", end)
    path = put(tmp_path, pack(text.encode(codec)))
    log = json_records.read([path])[0]
    assert curve(log, "loss") == {r["step"]: r["loss"] for r in PLAIN} and log.notes == ()


def test_nested_records_are_joined_by_slashes_and_keys_with_slashes_stay(tmp_path):
    log = read(tmp_path, lines({"step": 1, "train": {"loss": 2.5, "opt": {"lr": 0.1}}, "val/acc": 0.5}))
    assert set(log.points["metric"]) == {"train/loss", "train/opt/lr", "val/acc"}


def test_one_record_a_metric_is_read_by_its_name(tmp_path):
    rows = [
        {"name": n, "value": i * 1.5, "step": i, "timestamp": 1.7e9 + i} for i in range(50) for n in ("loss", "acc")
    ]
    log = read(tmp_path, lines(*rows))
    assert curve(log, "loss") == curve(log, "acc") == {i: i * 1.5 for i in range(50)}
    assert log.points["time"].to_list()[:2] == [1.7e9, 1.7e9 + 1]


@pytest.mark.parametrize(
    ("name", "value"), [("metric", "value"), ("tag", "value"), ("key", "value"), ("name", "scalar")]
)
def test_other_words_for_name_and_value_are_known(tmp_path, name, value):
    log = read(tmp_path, lines(*({"iter": i, name: "loss", value: float(i)} for i in range(3))))
    assert curve(log, "loss") == {0: 0.0, 1: 1.0, 2: 2.0}


def test_a_container_that_says_nothing_is_left_out_of_the_name(tmp_path):
    log = read(tmp_path, lines({"step": 1, "data": {"actor/loss": 0.5, "val": {"acc": 1.0}}}))
    assert set(log.points["metric"]) == {"actor/loss", "val/acc"}


def test_keys_that_come_late_or_go_away_leave_gaps_and_lose_nothing(tmp_path):
    rows = [{"step": i, "loss": 1.0, **({"val_loss": 2.0} if i % 10 == 9 and i > 500 else {})} for i in range(1000)]
    log = read(tmp_path, lines(*rows))
    assert len(curve(log, "loss")) == 1000
    assert list(curve(log, "val_loss")) == list(range(509, 1000, 10))


def test_every_record_with_keys_of_its_own_stays_quick(tmp_path):
    rows = [{"step": i, f"layer{i}/norm": 1.0, "loss": 2.0} for i in range(3000)]
    started = time.process_time()
    log = read(tmp_path, lines(*rows))
    assert len(curve(log, "loss")) == 3000 and log.points["metric"].n_unique() == 3001
    assert time.process_time() - started < 5


@pytest.mark.parametrize("literal", ["NaN", "nan", '"NaN"', '"nan"'])
def test_nan_is_a_value_however_it_is_spelled(tmp_path, literal):
    text = f'{{"step": 1, "loss": 1.0}}\n{{"step": 2, "loss": {literal}}}\n{{"step": 3, "loss": 3.0}}\n'
    got = curve(read(tmp_path, text), "loss")
    assert math.isnan(got[2]) and got[1] == 1.0 and got[3] == 3.0


@pytest.mark.parametrize("literal", ["Infinity", "inf", '"Infinity"', '"inf"', "1e999"])
def test_infinity_is_a_value_however_it_is_spelled(tmp_path, literal):
    bare = literal.replace('"', "")
    got = curve(read(tmp_path, f'{{"step": 1, "loss": -{bare}}}\n{{"step": 2, "loss": 1}}\n'), "loss")
    assert got == {1: -math.inf, 2: 1.0}
    got = curve(read(tmp_path, f'{{"step": 1, "loss": {literal}}}\n{{"step": 2, "loss": 1}}\n'), "loss")
    assert got == {1: math.inf, 2: 1.0}


def test_null_keeps_its_place_as_a_flagged_nan(tmp_path):
    log = read(tmp_path, lines({"step": 1, "loss": 1.5}, {"step": 2, "loss": None}, {"step": 3, "loss": 2}))
    assert math.isnan(curve(log, "loss")[2])
    assert flags(log, "loss") == [0, Flag.NULL, 0]
    assert kinds(log)["null-values"].count == 1


def test_a_key_that_is_always_null_is_no_metric(tmp_path):
    log = read(tmp_path, lines(*({"step": i, "loss": 1.0, "best": None} for i in range(5))))
    assert set(log.points["metric"]) == {"loss"} and log.notes == ()


def test_numbers_in_quotes_are_read_and_flagged(tmp_path):
    rows = [{"step": str(i), "loss": f"{2 + i}.5", "tps": "1,234", "mfu": "31.5%"} for i in range(4)]
    log = read(tmp_path, lines(*rows))
    assert curve(log, "loss") == {0: 2.5, 1: 3.5, 2: 4.5, 3: 5.5}
    assert set(curve(log, "tps").values()) == {1234.0} and set(curve(log, "mfu").values()) == {31.5}
    assert set(flags(log, "loss")) == {Flag.WAS_STRING} and "numbers-as-strings" in kinds(log)


def test_texts_with_units_and_durations_are_no_metrics(tmp_path):
    row = {"step": 1, "loss": 1.0, "elapsed_time": "0:00:10", "mem": "3.2GiB", "run": "a1", "percentage": 5.0}
    log = read(tmp_path, lines(row, {**row, "step": 2}))
    assert set(log.points["metric"]) == {"loss", "percentage"}


def test_a_type_that_changes_keeps_its_numeric_part(tmp_path):
    rows = [{"step": 1, "x": 1.5}, {"step": 2, "x": "off"}, {"step": 3, "x": {"a": 2.0}}, {"step": 4, "x": 4}]
    log = read(tmp_path, lines(*rows))
    assert curve(log, "x") == {1: 1.5, 4: 4.0} and curve(log, "x/a") == {3: 2.0}


def test_integers_past_64_bits_and_denormals_are_floats(tmp_path):
    text = '{"step": 1, "n": 123456789012345678901234567890, "d": 5e-324}\n{"step": 2, "n": 1, "d": 0.0}\n'
    log = read(tmp_path, text)
    assert curve(log, "n")[1] == pytest.approx(1.2345678901234568e29) and curve(log, "d")[1] == 5e-324
    huge = '{"step": 1, "n": 1%s}\n{"step": 2, "n": 2}\n' % ("0" * 400)
    assert curve(read(tmp_path, huge), "n") == {1: math.inf, 2: 2.0}


def test_a_step_past_64_bits_is_unknown_and_crashes_nothing(tmp_path):
    log = read(tmp_path, lines({"step": 1, "loss": 1.0}, {"step": 2**70, "loss": 2.0}, {"step": 3, "loss": 3.0}))
    assert log.points["value"].to_list() == [1.0, 2.0, 3.0]


def test_a_truncated_last_line_is_told_with_its_place(tmp_path):
    text = lines(*PLAIN) + '{"step": 100, "lo'
    log = read(tmp_path, text)
    note = kinds(log)["truncated"]
    assert len(curve(log, "loss")) == 100
    assert (note.line, note.offset) == (101, len(lines(*PLAIN)))
    assert list(kinds(log)) == ["truncated"] and not len(log.messages)


def test_a_whole_last_line_without_its_end_is_kept(tmp_path):
    log = read(tmp_path, lines(*PLAIN).rstrip("\n"))
    assert len(curve(log, "loss")) == 100 and log.notes == ()


def test_damage_in_the_middle_costs_the_lines_it_hit(tmp_path):
    text = lines(*PLAIN[:50]) + '{"step": 50, "loss"\n' + lines(*PLAIN[51:])
    log = read(tmp_path, text)
    assert len(curve(log, "loss")) == 99 and 50 not in curve(log, "loss")
    assert (kinds(log)["damaged"].line, kinds(log)["damaged"].count) == (51, 1)


def test_two_broken_lines_never_fuse_into_one_record(tmp_path):
    log = read(tmp_path, '{"step": 1, "loss": 1}\n{"step": 2\n"loss": 5}\n{"step": 3, "loss": 3}\n')
    assert curve(log, "loss") == {1: 1.0, 3: 3.0} and "damaged" in kinds(log)


def test_a_restarted_writer_behind_a_torn_record_loses_only_that_record(tmp_path):
    log = read(
        tmp_path, '{"step": 1, "loss": 1.0}\n{"step": 2, "los{"step": 2, "loss": 7.0}\n{"step": 3, "loss": 3.0}\n'
    )
    assert curve(log, "loss") == {1: 1.0, 2: 7.0, 3: 3.0} and kinds(log)["damaged"].line == 2


def test_a_hole_of_zero_bytes_costs_the_record_it_hit(tmp_path):
    text = lines(*PLAIN[:10]).encode() + b'{"step": 10, "loss": 1' + bytes(40) + b"9}\n" + lines(*PLAIN[11:]).encode()
    log = read(tmp_path, text)
    assert 10 not in curve(log, "loss") and len(curve(log, "loss")) == 99
    assert {"nul-bytes", "damaged"} <= set(kinds(log))


def test_printed_lines_between_records_become_messages_with_place_and_step(tmp_path):
    text = lines(*PLAIN[:3]) + "WARNING: loss is rising\n\nsaving checkpoint\n" + lines(*PLAIN[3:])
    log = read(tmp_path, text)
    assert len(curve(log, "loss")) == 100
    assert log.messages.select("line", "level", "step", "text").rows() == [
        (4, "WARNING", 2, "WARNING: loss is rising"),
        (6, "", 2, "saving checkpoint"),
    ]
    assert (kinds(log)["garbage-lines"].line, kinds(log)["garbage-lines"].count) == (4, 2)


def test_a_traceback_is_one_message_with_all_of_its_lines(tmp_path):
    trace = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 3, in <module>\n'
        "    loss.backward()\n"
        "ZeroDivisionError: first\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n"
        '  File "train.py", line 9, in <module>\n'
        "RuntimeError: CUDA out of memory\n"
    )
    log = read(tmp_path, lines(*PLAIN) + trace + "bye\n")
    assert log.messages["level"].to_list() == ["TRACEBACK", ""]
    assert log.messages["step"].to_list() == [99, 99] and log.messages["line"][0] == 101
    text = log.messages["text"][0]
    assert text.startswith("Traceback") and text.endswith("RuntimeError: CUDA out of memory")
    assert log.is_text


def test_a_traceback_longer_than_the_records_before_it_is_read_with_them(tmp_path):
    trace = "Traceback (most recent call last):\n" + '  File "train.py", line 3, in step\n    f(x)\n' * 20
    log = read(tmp_path, lines(*PLAIN[:2]) + trace + "IndexError: Target 5 is out of bounds.\n")
    assert log.messages["level"].to_list() == ["TRACEBACK"]
    assert log.messages["text"][0].endswith("Target 5 is out of bounds.")
    assert len(curve(log, "loss")) == 2 and "damaged" not in kinds(log)


def test_loguru_records_give_metrics_from_extra_and_from_the_text(tmp_path):
    def record(i, message, extra, level="INFO", exception=None):
        when = {"repr": "2026-01-01 00:00:00", "timestamp": 1.75e9 + i}
        body = {"message": message, "time": when, "extra": extra, "level": {"name": level, "no": 20}}
        return {"text": f"{message}\ntrace" if exception else message, "record": {**body, "exception": exception}}

    log = read(
        tmp_path,
        lines(
            record(0, "starting", {}),
            record(1, "train", {"step": 1, "loss": 2.5}),
            record(2, "step=2 | loss=2.25 lr=1e-3", {}),
            record(3, "gradient overflow", {}, "WARNING"),
            record(4, "it broke", {}, "ERROR", {"type": "RuntimeError"}),
        ),
    )
    losses = log.points.filter(pl.col("metric").str.contains("loss"))
    assert dict(zip(losses["value"], losses["time"], strict=True)) == {2.5: 1.75e9 + 1, 2.25: 1.75e9 + 2}
    assert log.messages["level"].to_list() == ["INFO", "WARNING", "TRACEBACK"]
    assert log.messages["time"].to_list() == [1.75e9, 1.75e9 + 3, 1.75e9 + 4]
    assert log.messages["step"].to_list() == [None, 2, 2] and log.is_text


def test_structlog_and_json_logging_records_give_metrics_and_messages(tmp_path):
    log = read(
        tmp_path,
        lines(
            {"event": "begin", "level": "info", "timestamp": "2026-01-01T00:00:00Z"},
            {"event": "train_step", "level": "info", "step": 1, "loss": 2.5, "timestamp": "2026-01-01T00:00:01Z"},
            {"message": "step 2 loss=2.0", "levelname": "INFO", "lineno": 77, "asctime": "2026-01-01 00:00:02,500"},
            {"event": "slow data", "level": "warning", "step": 2, "wait": 3.0, "timestamp": "2026-01-01T00:00:03Z"},
            {"message": "died", "levelname": "ERROR", "exc_info": "Traceback (most recent call last):\nValueError: x"},
        ),
    )
    assert set(log.points["metric"]) == {"train/loss", "loss", "wait"} and "lineno" not in log.points["metric"]
    assert log.messages.select("level", "text").rows() == [
        ("INFO", "begin"),
        ("WARNING", "slow data"),
        ("TRACEBACK", "died\nTraceback (most recent call last):\nValueError: x"),
    ]
    assert curve(log, "loss") == {2: 2.0}
    assert log.points.filter(pl.col("metric") == "loss")["time"].to_list() == [1767225602.5]


def test_a_string_without_an_end_is_looked_at_once(tmp_path):
    for end in ("", "\\"):
        text = '{\n"a": "' + '\\"' * 32_000 + end
        assert not json_records.claims(put(tmp_path, text, "x.json"), text.encode())
    text = '{"c": {"s": "x\\"{[y"},\n"rows": [\n{"step": 1, "loss": 2.0},\n{"step": 2, "loss"'
    assert json_records.claims(put(tmp_path, text, "y.json"), text.encode())


def test_records_by_number_are_epochs_or_steps(tmp_path):
    for numbers, kind in ((range(1, 6), "epoch"), (range(0, 500, 100), "step")):
        text = json.dumps({str(i): {"loss": 2.0 - i / 1000, "val_loss": 2.1} for i in numbers}, indent=1)
        path = put(tmp_path, text, f"{kind}.json")
        assert json_records.claims(path, text.encode())
        log = json_records.read([path])[0]
        assert log.axis == kind and curve(log, "loss") == {i: 2.0 - i / 1000 for i in numbers}


def test_records_inside_of_an_event_are_records(tmp_path):
    text = "".join(json.dumps({"event": "step", "data": {"step": i, "loss": 2.0}}) + "\n" for i in range(5))
    path = put(tmp_path, text, "events.jsonl")
    assert json_records.claims(path, text.encode())
    assert curve(json_records.read([path])[0], "loss") == dict.fromkeys(range(5), 2.0)


def test_a_counter_before_a_record_of_json_is_its_step(tmp_path):
    text = "".join(f'global_step {i * 10}: {{"loss": {2 - i / 10}, "lr": 0.001}}\n' for i in range(5))
    log = json_records.read([put(tmp_path, text, "train.log")])[0]
    assert log.axis == "step" and curve(log, "loss") == {i * 10: 2 - i / 10 for i in range(5)}


def test_fairseq_json_behind_a_prefix_gives_metrics_by_split(tmp_path):
    head = "2026-01-01 00:00:0%d | INFO | %s | "
    row = {"epoch": 1, "update": 0.5, "loss": "10.1", "num_updates": "100", "lr": "0.0001"}
    valid = {"epoch": 1, "valid_loss": "9.5", "valid_num_updates": "100"}
    text = (
        "2026-01-01 00:00:00 | INFO | fairseq_cli.train | task: x\n"
        + head % (1, "train_inner") + json.dumps(row) + "\n"
        + head % (2, "train_inner") + json.dumps({**row, "loss": "9.9", "num_updates": "200"}) + "\n"
        + head % (3, "valid") + json.dumps(valid) + "\n"
    )  # fmt: skip
    path = put(tmp_path, text, "train.log")
    assert json_records.claims(path, text.encode())
    log = json_records.read([path])[0]
    assert curve(log, "train_inner/loss") == {100: 10.1, 200: 9.9} and curve(log, "valid_loss") == {100: 9.5}
    assert log.messages["text"].to_list() == ["2026-01-01 00:00:00 | INFO | fairseq_cli.train | task: x"]


def test_lists_of_values_become_one_curve_an_entry(tmp_path):
    rows = [{"step": i, "class_acc": [0.1, 0.2, 0.3], "lr": [0.5], "hist": list(range(500))} for i in range(3)]
    log = read(tmp_path, lines(*rows))
    assert set(log.points["metric"]) == {"class_acc[0]", "class_acc[1]", "class_acc[2]", "lr"}
    assert kinds(log)["long-lists"].count == 3


def test_media_of_loggers_are_skipped(tmp_path):
    row = {"step": 1, "loss": 1.0, "w": {"_type": "histogram", "values": [1, 2], "bins": [0, 1, 2]}}
    log = read(tmp_path, lines(row))
    assert set(log.points["metric"]) == {"loss"} and "media-skipped" in kinds(log)


def test_the_last_of_two_equal_keys_wins_and_is_told(tmp_path):
    log = read(tmp_path, '{"step": 1, "loss": 1, "loss": 2}\n{"step": 2, "loss": 3, "note": "a\\":b"}\n')
    assert curve(log, "loss") == {1: 2.0, 2: 3.0} and kinds(log)["duplicate-keys"].count == 1


def test_texts_and_clocks_with_colons_are_no_duplicate_keys(tmp_path):
    rows = [{"step": i, "ts": "2026-01-01T00:00:00", "s": 'a":', "n": {"a": 1, "b": [{"c": 1}]}} for i in range(3)]
    assert "duplicate-keys" not in kinds(read(tmp_path, lines(*rows)))


@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting_costs_its_own_line(tmp_path, depth):
    deep = '{"step": 5, "x": ' + '{"x": ' * depth + "1" + "}" * depth + "}\n"
    log = read(tmp_path, lines(*PLAIN[:5]) + deep + lines(*PLAIN[6:]))
    assert len(curve(log, "loss")) == 99 and set(kinds(log)) & {"too-deep", "damaged"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAIN),
        json.dumps(PLAIN, indent=2),
        "".join(json.dumps(r, indent=2) + "\n" for r in PLAIN),
        "".join(json.dumps(r) for r in PLAIN),
        "".join(json.dumps(r) + " " for r in PLAIN) + "\n",
        ",\n".join(json.dumps(r) for r in PLAIN),
        "\n\n".join(json.dumps(r) for r in PLAIN),
        "\n".join(json.dumps([r]) for r in PLAIN),
        "".join(str(r) + "\n" for r in PLAIN),
    ],
    ids=["array", "pretty-array", "pretty", "glued", "one-line", "commas", "blank-lines", "list-lines", "python"],
)
def test_every_layout_of_the_same_records_gives_the_same_points(tmp_path, text):
    log = read(tmp_path, text, "metrics.json")
    assert curve(log, "loss") == {r["step"]: r["loss"] for r in PLAIN} and log.notes == ()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "wrap", [lambda x: {"lr": 0.1, "history": x}, lambda x: {"lr": 0.1, "run": {"id": "a", "log": x}}]
)
def test_records_inside_an_object_are_read_and_its_fields_are_settings(tmp_path, wrap, indent):
    text = json.dumps(wrap(PLAIN), indent=indent)
    assert json_records.claims(Path("out.json"), text.encode())
    log = read(tmp_path, text, "out.json")
    assert len(curve(log, "loss")) == 100 and log.config == {"lr": 0.1}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_torn_array_keeps_its_whole_records(tmp_path, indent):
    text = json.dumps(PLAIN, indent=indent)
    log = read(tmp_path, text[: len(text) // 2], "history.json")
    assert 45 <= len(curve(log, "loss")) <= 55
    assert set(kinds(log)) == {"truncated"}


def test_one_line_of_megabytes_is_read_in_linear_time(tmp_path):
    rows = [{"step": i, "loss": 1.0, "note": "x" * 100} for i in range(20_000)]
    started = time.process_time()
    log = read(tmp_path, json.dumps(rows))
    torn = read(tmp_path, json.dumps(rows)[:-40])
    assert len(curve(log, "loss")) == 20_000 and len(curve(torn, "loss")) == 19_999
    assert time.process_time() - started < 6


@pytest.mark.parametrize("bad", ['{"a": [1, 2\n', "[[[[[\n", '{"a":{\n', '"', '{"step": 1, "loss"}\n'])
def test_megabytes_of_broken_json_end_quickly_with_a_note(tmp_path, bad):
    started = time.process_time()
    log = read(tmp_path, (bad * (1 << 20))[: 1 << 20])
    assert log.notes and time.process_time() - started < 8


def test_a_step_key_is_chosen_by_trust_and_the_others_stay_metrics(tmp_path):
    rows = [{"epoch": i // 10, "iter": i * 2, "step": i, "loss": 1.0} for i in range(50)]
    log = read(tmp_path, lines(*rows))
    assert list(curve(log, "loss")) == list(range(50)) and set(log.points["metric"]) == {"epoch", "iter", "loss"}


def test_a_constant_or_fractional_step_key_is_passed_over(tmp_path):
    rows = [{"step": 1, "update": i / 7, "num_updates": i * 5, "loss": 1.0} for i in range(30)]
    assert list(curve(read(tmp_path, lines(*rows)), "loss")) == list(range(0, 150, 5))


def test_evaluation_rows_under_another_counter_join_the_axis(tmp_path):
    rows = [{"iter": i, "loss": 1.0} for i in range(0, 50, 5)] + [{"step": 50, "val_loss": 2.0}]
    assert curve(read(tmp_path, lines(*rows)), "val_loss") == {50: 2.0}


def test_a_record_without_the_step_takes_the_one_before_it(tmp_path):
    rows = [r for i in range(5) for r in ({"step": i, "loss": 1.0}, {"val_loss": 2.0 + i})]
    assert curve(read(tmp_path, lines(*rows)), "val_loss") == {i: 2.0 + i for i in range(5)}


def test_a_counter_that_starts_over_each_epoch_is_counted_on(tmp_path):
    rows = []
    for epoch in (1, 2, 3):
        rows += [{"mode": "train", "epoch": epoch, "iter": i, "loss": 1.0} for i in (10, 20, 30)]
        rows.append({"mode": "val", "epoch": epoch, "iter": 7, "acc": 0.5})
    log = read(tmp_path, lines(*rows))
    assert list(curve(log, "train/loss")) == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert list(curve(log, "val/acc")) == [30, 60, 90]
    assert "step-from-epoch" in kinds(log)


def test_a_resumed_run_goes_back_and_is_left_as_it_was_logged(tmp_path):
    rows = [{"step": i, "epoch": i // 50, "loss": 1.0} for i in (*range(100), *range(60, 120))]
    steps = read(tmp_path, lines(*rows)).points.filter(pl.col("metric") == "loss")["step"].to_list()
    assert steps == [*range(100), *range(60, 120)]


def test_epochs_stand_in_for_steps_only_where_they_are_whole_and_few_rows_share_one(tmp_path):
    log = read(tmp_path, lines(*({"epoch": i, "loss": 1.0, "val_loss": 2.0} for i in range(5))))
    assert (log.axis, list(curve(log, "loss"))) == ("epoch", [0, 1, 2, 3, 4])
    many = read(tmp_path, lines(*({"epoch": i // 20, "loss": float(i)} for i in range(100))))
    assert (many.axis, list(curve(many, "loss"))) == ("row", list(range(100)))
    part = read(tmp_path, lines(*({"epoch": i / 7, "loss": float(i)} for i in range(20))))
    assert part.axis == "row" and "step-from-row" in kinds(part)


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ("timestamp", 1.75e9),
        ("_timestamp", 1.75e12),
        ("ts", "2025-06-15T15:06:40+00:00"),
        ("created_at", "2025-06-15T15:06:40.000Z"),
        ("asctime", "2025-06-15 15:06:40,000"),
        ("time", 1.75e9),
    ],
)
def test_clocks_of_every_spelling_are_seconds_since_1970_and_no_metric(tmp_path, key, first):
    log = read(tmp_path, lines({"step": 1, "loss": 1.0, key: first}))
    assert log.points["time"].to_list() == [1.75e9] and set(log.points["metric"]) == {"loss"}


def test_a_duration_called_time_is_a_metric_and_no_clock(tmp_path):
    log = read(tmp_path, lines(*({"step": i, "loss": 1.0, "time": 0.3 + i % 2} for i in range(6))))
    assert log.points["time"].null_count() == len(log.points) and "time" in set(log.points["metric"])


def test_a_growing_elapsed_time_is_a_clock_from_the_start(tmp_path):
    log = read(tmp_path, lines(*({"step": i, "loss": 1.0, "elapsed": 2.0 * i} for i in range(4))))
    assert log.points.filter(pl.col("metric") == "loss")["time"].to_list() == [0.0, 2.0, 4.0, 6.0]


def test_ranks_go_to_their_column(tmp_path):
    rows = [{"step": i, "rank": r, "loss": float(r)} for i in range(3) for r in (0, 1)]
    log = read(tmp_path, lines(*rows))
    assert log.points.select("rank", "step").rows() == [(r, i) for r in (0, 1) for i in range(3)]
    assert set(log.points["metric"]) == {"loss"} and log.rank is None
    assert read(tmp_path, lines(*(r for r in rows if r["rank"] == 1))).rank == 1


@pytest.mark.parametrize(("key", "train", "val"), [("split", "train", "val"), ("type", "train_step", "evaluation")])
def test_a_split_named_in_the_record_goes_before_the_metric(tmp_path, key, train, val):
    rows = [{key: train, "step": 1, "loss": 1.0}, {key: val, "step": 1, "loss": 2.0, "val_acc": 0.5}]
    names = set(read(tmp_path, lines(*rows)).points["metric"])
    assert (
        "train/loss" in names and "val_acc" in names and names - {"train/loss", "val_acc"} <= {"val/loss", "eval/loss"}
    )


def test_an_opening_dump_of_arguments_is_configuration_and_a_closing_one_a_summary(tmp_path):
    head = {"config": {"lr": 0.1, "model": "mlp", "betas": [0.9, 0.99]}, "seed": 1}
    log = read(tmp_path, lines(head, *PLAIN, {"best_acc": 0.9, "minutes": 3}))
    assert log.config["lr"] == 0.1 and log.config["model"] == "mlp" and log.config["seed"] == 1
    assert log.config["summary.best_acc"] == 0.9
    assert set(log.points["metric"]) == {"loss", "lr"} and len(curve(log, "lr")) == 100


def test_a_configuration_repeated_in_each_record_is_no_curve(tmp_path):
    rows = [{"training_iteration": i, "loss": 1.0, "config": {"lr": 0.1, "env": "x"}} for i in range(5)]
    log = read(tmp_path, lines(*rows))
    assert set(log.points["metric"]) == {"loss"} and log.config == {"lr": 0.1, "env": "x"}


def test_a_configuration_printed_ahead_of_the_records_is_read(tmp_path):
    log = read(tmp_path, "config: {'lr': 0.1, 'amp': True}\n" + lines(*PLAIN))
    assert log.config == {"lr": 0.1, "amp": True} and len(curve(log, "loss")) == 100


def test_many_records_of_another_clock_ahead_of_the_first_step_stay_points(tmp_path):
    rows = [{"gpu_mem": 1.0, "timestamp": 1.75e9 + i} for i in range(20)] + PLAIN
    assert len(read(tmp_path, lines(*rows)).points.filter(pl.col("metric") == "gpu_mem")) == 20


def test_a_first_evaluation_without_a_step_stays_a_point(tmp_path):
    rows = [{"val_loss": 2.3}, *({"step": i, "loss": 1.0, **({"val_loss": 1.5} if i % 2 else {})} for i in range(6))]
    assert len(read(tmp_path, lines(*rows)).points.filter(pl.col("metric") == "val_loss")) == 4


def test_a_loss_of_zero_beside_a_nan_gradient_norm_is_marked_as_filtered(tmp_path):
    rows = [{"step": i, "loss": 0.0 if i > 2 else 1.0, "grad_norm": math.nan if i > 2 else 1.0} for i in range(5)]
    log = read(tmp_path, lines(*rows))
    assert flags(log, "loss") == [0, 0, 0, Flag.FILTERED, Flag.FILTERED] and kinds(log)["nan-filtered"].count == 2


def test_pointers_empty_files_and_data_sets_are_told_apart(tmp_path):
    lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    assert "lfs-pointer" in kinds(read(tmp_path, lfs))
    assert "empty" in kinds(read(tmp_path, ""))
    assert "not-a-log" in kinds(read(tmp_path, lines({"text": "hello"}, {"text": "world"})))


def test_lone_surrogates_and_strange_names_reach_the_frame(tmp_path):
    text = '{"step": 1, "\\ud800x": 1.0, "": 2.0, "a\\nb": 3.0, "%s": 4.0}\n' % ("k" * 10_000)
    log = read(tmp_path, text)
    assert len(log.points) == 4


def claims(name, text):
    return json_records.claims(Path(name), text.encode()[: 1 << 16])


def test_claims_takes_logs_and_leaves_settings_data_and_text():
    assert claims("metrics.jsonl", lines(*PLAIN)) and claims("metrics.json", lines(*PLAIN))
    assert claims("train.log", lines(*PLAIN)) and claims("hist.json", json.dumps(PLAIN))
    assert claims("x.jsonl", lines({"step": 0, "loss": 1.0})) and claims("x.json", json.dumps({"step": 0, "loss": 1.0}))
    assert claims("big.jsonl", lines(*PLAIN * 100))
    assert not claims("config.json", json.dumps({"lr": 0.1, "steps": [1, 2]}, indent=1))
    assert not claims("data.jsonl", lines({"text": "a", "label": 1}, {"text": "b", "label": 0}))
    assert not claims("train.log", 'config: {"lr": 0.1}\nstep 0 | loss 1.5\nstep 1 | loss 1.4\n')
    assert not claims("a.csv", "step,loss\n1,2\n") and not claims("a.jsonl", "")
    assert not claims("package.json", json.dumps({"name": "x", "version": "1"}, indent=2))


numbers_ = st.floats(allow_nan=False, allow_infinity=False, width=32)
records = st.lists(
    st.dictionaries(st.sampled_from(["loss", "acc", "lr", "train/x"]), numbers_, min_size=1), min_size=1, max_size=40
)


@settings(max_examples=40, deadline=None)
@given(records)
def test_any_records_come_back_number_for_number(tmp_path_factory, rows):
    rows = [{"step": i, **r} for i, r in enumerate(rows)]
    log = json_records.read([put(tmp_path_factory.mktemp("p"), lines(*rows))])[0]
    want = Counter((k, r["step"], float(v)) for r in rows for k, v in r.items() if k != "step")
    got = Counter(zip(log.points["metric"], log.points["step"], log.points["value"], strict=True))
    assert got == want


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 4000))
def test_a_prefix_of_a_log_gives_a_prefix_of_its_points(tmp_path_factory, cut):
    data = lines(*PLAIN).encode()[:cut]
    log = json_records.read([put(tmp_path_factory.mktemp("p"), data)])[0]
    got = curve(log, "loss")
    whole = data.count(b"}")
    assert got == {r["step"]: r["loss"] for r in PLAIN[:whole]}


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 3000))
@example(b"\xfe\xff", 0)
def test_bytes_thrown_into_a_log_never_raise_and_cost_few_records(tmp_path_factory, noise, at):
    data = lines(*PLAIN).encode()
    log = json_records.read([put(tmp_path_factory.mktemp("p"), data[:at] + noise + data[at:])])[0]
    packed = at == 0 and noise.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))  # then it is a damaged archive
    assert len(log.points) >= 2 * 100 - 8 or b"\x00" in noise or b"\r" in noise or packed


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(max_size=4), x, max_size=4),
        max_leaves=20,
    )
)
def test_any_json_value_is_read_without_an_error(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("p")
    for reader in (json_records, hf_state, json_columns):
        reader.read([put(folder, json.dumps(value))])
        reader.claims(Path("x.json"), json.dumps(value).encode())


cells_ = st.floats() | st.integers(-(2**63), 2**63) | st.booleans() | st.sampled_from(["NaN", "x: Infinity", None, [1]])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abcdefgh"), cells_, min_size=1, max_size=4), min_size=1, max_size=60),
    st.sampled_from([64, 300, 1 << 18]),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_records_parsed_together_equal_those_parsed_line_by_line(rows, size, end):
    text = "\n".join(json.dumps(r) for r in rows) + end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_chunks, "CHUNK_BYTES", size)
        patch.setattr(json_chunks, "FIRST_BYTES", size)
        patch.setattr(json_bulk, "schema_of", lambda rows: None)
        found = [row for batch in json_objects.batches(text.encode()) for row in batch.rows]
        numbered = [n for batch in json_objects.batches(text.encode()) for n in batch.lines]
    want = [json.loads(line) for line in text.split("\n") if line.strip()]
    assert repr(found) == repr(want)
    assert numbered == list(range(1, len(rows) + 1))


def columns_of(text, size, bulk):
    """All numbers and texts of the records by key, as they come out of chunks of a size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_chunks, "CHUNK_BYTES", size)
        patch.setattr(json_chunks, "FIRST_BYTES", size)
        patch.setattr(json_chunks, "TRIAL_BYTES", 2 * size)
        patch.setattr(json_chunks, "BULK_BYTES", 3 * size)
        if not bulk:
            patch.setattr(json_bulk, "schema_of", lambda rows: None)
        found = table_columns.table(json_objects.batches(text.encode()))
    numbers = {k: (c.at.tolist(), repr(c.value.tolist()), c.flags.tolist()) for k, c in found.numbers.items()}
    texts = {k: (t.at.tolist(), list(t.text)) for k, t in found.texts.items()}
    return found.rows, numbers, texts, {n.kind for n in found.notes}


steady_ = st.fixed_dictionaries(
    {
        "step": st.integers(0, 2**53),
        "loss": st.floats() | st.integers(-5, 5),
        "on": st.booleans(),
        "split": st.sampled_from(["train", "val", "a:b", "is NaN", "é"]),
        "deep": st.fixed_dictionaries({"a": st.floats(), "b": st.fixed_dictionaries({"c": st.integers(0, 9)})}),
        "odd": st.floats(allow_nan=False),
    },
    optional={"late": st.floats(), "x:y": st.floats()},
)
upset_ = st.one_of(
    st.just(("odd", None)), st.just(("odd", "text")), st.just(("odd", [1.0, 2.0])), st.just(("late", {"z": 1})),
    st.just(("on", 7)), st.just(("split", 3)), st.just(("new", 1.5)), st.just(("deep", None)), st.just(("deep", {})),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(steady_, min_size=8, max_size=40),
    st.dictionaries(st.integers(0, 39), upset_, max_size=3),
    st.sampled_from(["odd", "late", "on", "none"]),
    st.sampled_from([200, 600, 3000]),
)
def test_records_parsed_as_columns_equal_those_parsed_one_by_one(rows, upsets, dropped, size):
    for i, (key, value) in upsets.items():
        if i < len(rows):
            rows[i][key] = value
    rows = [{k: v for k, v in r.items() if k != dropped or i % 3} for i, r in enumerate(rows)]
    text = "\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n"
    assert columns_of(text, size, bulk=True) == columns_of(text, size, bulk=False)


@pytest.mark.parametrize(
    "line",
    [
        '{"step": 1, "loss": 2, "loss": 3}', '{"step": 1, "loss": 2}{"step": 2, "loss": 3}', '{"step": 1, "loss"',
        '{"step": 1, "loss": 1.2345678912345e307}', '{"step": 1, "loss": "NaN"}', '{"step": 1, "loss": 1e999}', "",
        '{"step": 1, "loss": null}', '{"step": 1, "NaN": 2}', '{"step": 1, "loss": -Infinity}', "{}",
        '{"step" : 1, "loss" :2}',
        '{"step": 1, "loss": 2, "n": "a\\"b"}', "Epoch 3 begins", '{"step": 1, "loss": 2, "n": {"a": {"b": [1]}}}',
    ],
)  # fmt: skip
def test_one_odd_line_among_columns_loses_nothing(line):
    rows = [f'{{"step": {i}, "loss": {i}.5}}' for i in range(60)]
    text = "\n".join([*rows[:40], line, *rows[40:]])
    assert columns_of(text, 100, bulk=True) == columns_of(text, 100, bulk=False)


def test_steady_records_are_parsed_as_columns():
    text = "".join(
        json.dumps({"step": i, "loss": i / 3, "tag": "a", "in": {"x": math.nan}}) + "\n" for i in range(9000)
    )
    kinds = [batch.bulk is not None for batch in json_objects.batches(text.encode())]
    assert kinds == [False, True]


def test_columns_keep_the_order_in_which_keys_first_came(tmp_path):
    rows = [{"step": 0, "b": 1.0}, {"step": 1, "d": 1.0, "a": 2.0}, {"step": 2, "c": 1.0, "b": 0.5}]
    log = read(tmp_path, lines(*rows * 3))
    assert log.points["metric"].unique(maintain_order=True).to_list() == ["b", "d", "a", "c"]


def test_records_are_numbered_by_their_lines():
    data = b"hello\n" + lines(*PLAIN[:2]).encode()
    (batch,) = json_objects.batches(data)
    assert list(batch.lines) == [2, 3] and batch.loose[0].line == 1


# Trainer state -------------------------------------------------------------------------------------------------------


def state(**more):
    rows = [{"epoch": i / 10, "loss": 2.0 - i / 10, "grad_norm": 1.0, "step": i * 10} for i in range(1, 6)]
    rows.append({"epoch": 0.5, "eval_loss": 1.8, "eval_runtime": 3.0, "step": 50})
    rows.append({"epoch": 0.5, "step": 50, "total_flos": 1.0, "train_loss": 1.7, "train_runtime": 60.0})
    return {"best_metric": None, "global_step": 50, "max_steps": 50, "logging_steps": 10, "log_history": rows, **more}


def read_state(tmp_path, text, name="trainer_state.json"):
    path = put(tmp_path, text, name)
    assert hf_state.claims(path, path.read_bytes()[: 1 << 16])
    return hf_state.read([path])[0]


def test_trainer_state_gives_curves_and_its_closing_row_as_summary(tmp_path):
    log = read_state(tmp_path, json.dumps(state(), indent=2))
    assert list(curve(log, "loss")) == [10, 20, 30, 40, 50] and curve(log, "eval_loss") == {50: 1.8}
    assert "train_loss" not in set(log.points["metric"])
    assert log.config["summary.train_loss"] == 1.7 and log.config["trainer.max_steps"] == 50
    assert log.clean_end is True and log.notes == ()


def test_rows_under_a_damaged_key_of_a_trainer_state_are_read(tmp_path: Path) -> None:
    rows = [{"epoch": i / 10, "loss": 2.0 - i / 20, "learning_rate": 1e-4, "step": i * 10} for i in range(1, 21)]
    log = read_state(tmp_path, json.dumps(state(log_history=rows)).replace('"log_history"', '"log_hist0ry"'))
    assert log.points.filter(log.points["metric"] == "loss")["step"].to_list() == [i * 10 for i in range(1, 21)]
    assert "damaged" in kinds(log)


def test_trainer_state_with_nan_literals_marks_filtered_losses(tmp_path):
    rows = [{"loss": 0.0, "grad_norm": math.nan, "step": 10}, {"loss": 0.0, "grad_norm": 0.0, "step": 20}]
    log = read_state(tmp_path, json.dumps(state(log_history=rows)))
    assert flags(log, "loss") == [Flag.FILTERED, 0] and "nan-filtered" in kinds(log) and log.clean_end is None


@pytest.mark.parametrize("indent", [None, 2])
def test_a_torn_trainer_state_keeps_rows_and_fields(tmp_path, indent):
    text = json.dumps(state(), indent=indent)
    log = read_state(tmp_path, text[: text.index('"eval_loss"')])
    assert list(curve(log, "loss")) == [10, 20, 30, 40, 50] and "truncated" in kinds(log)
    if indent:
        assert log.config["trainer.max_steps"] == 50


def test_result_files_are_configuration_and_no_points(tmp_path):
    log = read_state(tmp_path, json.dumps({"eval_loss": 1.5, "epoch": 3.0}), "eval_results.json")
    assert log.config == {"results.eval_loss": 1.5, "results.epoch": 3.0} and not len(log.points)


def test_a_trainer_state_that_was_copied_into_itself_under_a_damaged_key_is_read(tmp_path):
    rows = [{"step": i, "loss": 5 - i / 10} for i in range(20)]
    text = json.dumps({"log_history": rows}, indent=2)
    at = text.index('"step": 9,') + 2
    log = read_state(tmp_path, text[:at] + text[text.index("tory") :])
    assert {v for b in [log] for v in b.points["value"].to_list()} >= {r["loss"] for r in rows if r["step"] != 9}


def test_a_trainer_state_without_rows_says_so(tmp_path):
    assert "empty" in kinds(read_state(tmp_path, json.dumps(state(log_history=[]))))


# Columns -------------------------------------------------------------------------------------------------------------


def read_columns(tmp_path, value, name="history.json", cut=None):
    text = value if isinstance(value, str) else json.dumps(value)
    path = put(tmp_path, text[:cut], name)
    assert json_columns.claims(path, path.read_bytes()[: 1 << 16])
    return json_columns.read([path])[0]


def test_a_keras_history_counts_epochs(tmp_path):
    log = read_columns(tmp_path, {"loss": [3.0, 2.0, math.nan], "val_loss": [3.0, 2.5, None]})
    assert log.axis == "epoch" and list(curve(log, "loss")) == [0, 1, 2]
    assert math.isnan(curve(log, "loss")[2]) and flags(log, "val_loss") == [0, 0, Flag.NULL]


def test_evals_result_of_boosting_counts_rounds(tmp_path):
    log = read_columns(tmp_path, {"train": {"rmse": [1.0, 0.5]}, "eval": {"rmse": [1.1, 0.7]}}, "evals_result.json")
    assert log.axis == "step" and curve(log, "eval/rmse") == {0: 1.1, 1: 0.7}


def test_sacred_metrics_keep_steps_and_times(tmp_path):
    value = {"train.loss": {"steps": [10, 20], "values": [2.0, 1.0], "timestamps": ["2025-06-15T15:06:40", "x"]}}
    log = read_columns(tmp_path, value, "metrics.json")
    assert curve(log, "train.loss") == {10: 2.0, 20: 1.0} and log.points["time"].to_list() == [1.75e9, None]


def test_columns_with_a_counter_among_them_use_it(tmp_path):
    log = read_columns(tmp_path, {"step": [5, 10, 15], "loss": [3.0, 2.0, 1.0]})
    assert log.axis == "step" and curve(log, "loss") == {5: 3.0, 10: 2.0, 15: 1.0}


def test_columns_as_pandas_writes_them_are_rows(tmp_path):
    log = read_columns(tmp_path, {"step": {"0": 5, "1": 10}, "val_loss": {"0": None, "1": 2.0}})
    assert curve(log, "val_loss") == {10: 2.0}


def test_lists_of_unlike_length_are_laid_side_by_side(tmp_path):
    log = read_columns(tmp_path, {"train_loss": list(range(20)), "val_loss": [1.0, 0.5], "lr": 0.1})
    assert log.axis == "row" and list(curve(log, "val_loss")) == [9, 19] and log.config == {"lr": 0.1}


def test_a_torn_history_keeps_its_lists_up_to_the_tear(tmp_path):
    value = {"loss": [float(i) for i in range(50)], "val_loss": [float(i) for i in range(50)]}
    path = put(tmp_path, json.dumps(value)[:-30], "history.json")
    log = json_columns.read([path])[0]
    assert len(curve(log, "loss")) == 50 and len(curve(log, "val_loss")) > 40 and "truncated" in kinds(log)


def test_settings_with_lists_are_no_columns():
    settings_ = json.dumps({"betas": [0.9, 0.999], "hidden": [64, 64, 64], "lr": 0.1})
    assert not json_columns.claims(Path("config.json"), settings_.encode())
    assert not json_columns.claims(Path("x.jsonl"), lines({"step": 1, "losses": [1.0, 2.0]}).encode())


# Corpus --------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_every_number_of_the_corpus_is_read():
    files = sorted(CORPUS.glob("*/*.jsonl"))[::6]
    assert files
    for path in files:
        want = Counter()
        for line in path.read_text(errors="replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if "value" in row:
                want[row["name"]] += 1
                continue
            for key, value in row.items():
                if isinstance(value, dict):
                    want.update(f"{key}/{k}" for k in value)
                elif key not in ("step", "global_step", "time", "ts", "rank", "timestamp"):
                    want[key] += 1
        assert Counter(json_records.read([path])[0].points["metric"]) == want


@pytest.mark.parametrize("rows", [20, 5000])
@pytest.mark.parametrize("deep", [False, True])
def test_records_behind_settings_in_one_pretty_printed_object_are_read(tmp_path, rows, deep):
    inside = {
        "config": {"lr": 0.1, "betas": [0.9, 0.99]},
        "history": [{"step": i, "loss": 2.0 / (i + 1)} for i in range(rows)],
    }
    path = put(tmp_path, json.dumps({"run": inside} if deep else inside, indent=1), "history.json")
    with path.open("rb") as f:
        assert json_records.claims(path, f.read(1 << 16))
    log = json_records.read([path])[0]
    assert len(curve(log, "loss")) == rows


def test_a_large_object_without_records_is_no_log(tmp_path):
    vocab = {"model": {"vocab": {f"token{i}": i for i in range(9000)}, "merges": [[f"a{i}", "b"] for i in range(99)]}}
    path = put(tmp_path, json.dumps(vocab, indent=1), "tokenizer.json")
    assert not json_records.claims(path, path.read_bytes()[: 1 << 16])


@pytest.mark.parametrize("said", ["Namespace(lr=0.1, optimizer='sgd')", "config: {'lr': 0.1, 'optimizer': 'sgd'}"])
def test_settings_printed_ahead_of_records_that_are_dicts_are_read(tmp_path, said):
    text = said + "\n" + "".join(f"{{'step': {i}, 'loss': {2 / (i + 1):.4f}}}\n" for i in range(30))
    log = read(tmp_path, text, "out.txt")
    assert (log.config["lr"], log.config["optimizer"]) == (0.1, "sgd")
    assert len(curve(log, "loss")) == 30


def test_records_that_several_writers_put_a_little_out_of_order_keep_their_steps(tmp_path):
    order = [8 * (i // 8) + (5 * i) % 8 for i in range(96)]
    log = read(tmp_path, lines(*({"step": i, "loss": 2.0 - i / 100} for i in order)))
    assert log.axis == "step"
    assert curve(log, "loss") == {i: 2.0 - i / 100 for i in range(96)}


def test_a_counter_in_no_order_at_all_is_no_step(tmp_path):
    order = [(59 * i) % 96 for i in range(96)]
    log = read(tmp_path, lines(*({"step": i, "loss": 2.0 - i / 100} for i in order)))
    assert log.axis == "row"


@pytest.mark.parametrize("every", [1, 2])
def test_nan_in_records_of_evaluations_is_missing(tmp_path, every):
    rows = []
    for i in range(60):
        on, seen = i % every == 0, i % 7 == 6
        if on or seen:
            train = {"loss": 2 / (i + 1), "lr": 0.1} if on else {"loss": math.nan, "lr": math.nan}
            rows.append({"step": i, **train, "val_loss": 0.5 if seen else math.nan})
    log = read(tmp_path, lines(*rows))
    assert list(curve(log, "loss")) == list(range(0, 60, every))
    assert list(curve(log, "val_loss")) == list(range(6, 60, 7))
    assert "nan-for-missing" in kinds(log)


def test_nan_that_comes_at_no_fixed_distance_is_a_value(tmp_path):
    lost = {3, 5, 6, 7, 11, 12, 17, 18, 19, 20, 27, 30, 31, 33, 35, 36, 37, 38, 39}
    rows = [{"step": i, "loss": 1.0, "grad_norm": math.nan if i in lost else 2.0} for i in range(40)]
    log = read(tmp_path, lines(*rows))
    assert {s for s, v in curve(log, "grad_norm").items() if math.isnan(v)} == lost


def test_evaluations_whose_step_is_the_epoch_stand_where_the_training_had_come(tmp_path):
    rows = []
    for i in range(20):
        rows.append({"loss": 2 / (i + 1), "epoch": i // 5 + 1, "iter": (i + 1) * 50, "step": (i + 1) * 50})
        if i % 5 == 4:
            rows.append({"coco/bbox_mAP": i / 40, "step": i // 5 + 1})
    log = read(tmp_path, lines(*rows))
    assert list(curve(log, "loss")) == list(range(50, 1050, 50))
    assert list(curve(log, "coco/bbox_mAP")) == [250, 500, 750, 1000]


def test_records_without_an_iteration_keep_a_step_that_is_no_epoch(tmp_path):
    rows = []
    for i in range(20):
        rows.append({"loss": 2 / (i + 1), "epoch": i // 5 + 1, "iter": i + 1, "step": i + 1})
        if i % 5 == 4:
            rows.append({"val_loss": 0.5, "step": i + 1})
    log = read(tmp_path, lines(*rows))
    assert list(curve(log, "val_loss")) == [5, 10, 15, 20]


CARRIERS = [
    lambda i, t: {"log": t + "\n", "stream": "stdout", "time": f"2024-05-01T10:00:{i:02d}.123456789Z"},
    lambda i, t: {"asctime": f"2024-05-01 10:00:{i:02d},123", "levelname": "INFO", "message": t, "name": "train"},
    lambda i, t: {"insertId": f"x{i}", "textPayload": t, "severity": "INFO", "timestamp": f"2024-05-01T10:00:{i:02d}Z"},
    lambda i, t: {"timestamp": 1714557600000 + 1000 * i, "message": t, "ingestionTime": 1714557600000 + 1000 * i},
]


@pytest.mark.parametrize("carrier", CARRIERS, ids=["docker", "logging", "google", "cloudwatch"])
def test_lines_of_output_that_records_carry_are_read(tmp_path, carrier):
    text = lines(*(carrier(i, f"step {i * 10}: loss {2 / (i + 1):.4f}, lr 0.001") for i in range(30)))
    assert json_records.claims(put(tmp_path, text), text.encode())
    log = read(tmp_path, text)
    assert list(curve(log, "loss")) == list(range(0, 300, 10))
    assert set(log.points["metric"]) == {"loss", "lr"}
    assert log.points["time"].null_count() == 0


def test_records_inside_what_google_keeps_of_them_are_read(tmp_path):
    rows = (
        {
            "insertId": f"x{i}", "jsonPayload": {"message": "step", "step": i, "loss": 2 / (i + 1)},
            "resource": {"type": "k8s_container", "labels": {"zone": 3}}, "timestamp": f"2024-05-01T10:00:{i:02d}Z",
            "severity": "INFO", "logName": "projects/x/logs/stdout",
        }
        for i in range(30)
    )  # fmt: skip
    log = read(tmp_path, lines(*rows))
    assert set(log.points["metric"]) == {"loss"}
    assert list(curve(log, "loss")) == list(range(30))


def history(n: int, unseen: bool = True) -> dict[str, list[float]]:
    loss = [0.3 + 2.0 * 0.9**i for i in range(n)]
    return {"loss": loss, **({"val_loss": [1.1 * v for v in loss]} if unseen else {})}


@pytest.mark.parametrize(("value", "runs"), [
    ({"adam": history(20), "sgd": history(20)}, 2),
    ({"results": {o: {"lr": 0.1, "history": history(20)} for o in ("adam", "sgd", "lion")}}, 3),
    ({f"lr{i}": history(12) for i in range(300)}, 300),
    ([{"params": {"lr": 0.1 * i}, "history": history(12)} for i in range(300)], 300),
    ({"train": history(20, False), "val": history(20, False)}, 1),
    ({"generator": history(20, False), "discriminator": history(20, False)}, 1),
])  # fmt: skip
def test_histories_of_several_trainings_in_one_file(tmp_path: Path, value: object, runs: int) -> None:
    (tmp_path / "history.json").write_text(json.dumps(value))
    found = read_path(tmp_path / "history.json")
    assert len(found) == runs
    if runs > 1:
        assert all({m.role for m in r.roles} == {"loss", "val_loss"} for r in found)
