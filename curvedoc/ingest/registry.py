"""The log formats that are read, in the order in which they are asked: the specific before the generic."""

from __future__ import annotations

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.contract import Reader
from curvedoc.ingest.json import catboost, hf_state
from curvedoc.ingest.json import columns as json_columns
from curvedoc.ingest.json import records as json_records
from curvedoc.ingest.late_reader import LateReader
from curvedoc.ingest.outside_readers import outside_readers
from curvedoc.ingest.stores import mlflow_files
from curvedoc.ingest.wandb import export, folder

_SQLITE = b"SQLite format 3\x00"


#: What is in a text that holds vectors as consoles print them, where no bracket is.
_VECTORS = (
    b" =\n",
    b" =\r\n",
    b"-element ",
    b"dtype: float",
    b"c(",
    b"= {",
    b"={",
    b"= (",
    b" ;\n",
    b"DATASET ",
    b"-> ",
    "→ ".encode(),
)
#: Numbers on end, by themselves or behind a name; what stands between the latter is looked for first, at many times
#: the speed.
_ROW = late_regex(rb"\d\.\d+ \d+\.\d+ \d+\.\d+ \d+\.\d+ \d+\.\d+")
_COMMAS = late_regex(rb", ?\d+\.\d+, ?\d+\.\d+, ?\d")
_NAMED_ROW = late_regex(rb"[=:] ?\d+\.\d+, ?\d+\.\d+, ?\d+\.\d+, ?\d")
#: What is in a document that holds tables, or in the data of plots that have several sets; and how documents end.
_TABULAR = (
    b"<tr", b"<TR", b"<row", b"<Row", b"<table:table-row", b"[tr]", b"[TR]", b"\\begin{", b"\\addplot", b"{|",
    b"<html", b"<HTML", b"<!doctype html", b"<!DOCTYPE html", b"\n\n\n", b"\n&\n", b"\n\n#", b'\n\n"', b"^ ", b"|=",
    b"INSERT INTO", b"insert into", b"@data", b"@DATA", b"= [\n", b"<< EOD", "│".encode(), "┆".encode(),
)  # fmt: skip
_WRITTEN = (".md", ".markdown", ".rst", ".wiki", ".mediawiki", ".textile", ".adoc", ".asciidoc", ".creole")
#: Files of records and sources, of which no reader of documents takes any; those of records hold no numbered keys.
_NO_DOCUMENTS = (".ipynb", ".csv", ".tsv", ".json", ".jsonl", ".py")
_RECORDS = (".csv", ".tsv", ".jsonl", ".ndjson")
#: A key or a section with a number in it, and its value; one stands among the first so many bytes.
_OPENING = 1 << 12
_NUMBERED_KEYS = tuple(
    late_regex(key)
    for key in (
        rb"\n(?:[ \t]{0,8}(?:export )?[^\s=:{}\d]{0,60}\d[^\s=:{}]{0,120}[ \t]{0,8}[=:][ \t]{0,8}[-+]?\d"
        rb"|\w{1,80}\{[^}\n]{0,200}\d\"?[^}\n]{0,100}\} |\w{1,40}:? ?\{\s{0,9}\w{1,40}:? ?\d|\[[^\]\n]{0,40}\d\])",
        rb"\{\s{0,9}(?::\w|\w{1,40} ?[=:] ?\d)",
        rb"=> ?\d",
        rb"\"[^\"\n\d]{0,60}\d[^\"\n]{0,120}\"[ \t]{0,8}:[ \t]{0,8}-?\d",
    )
)
#: What names columns, or the curves of a chart, apart from their values.
_COLUMNS = late_regex(
    rb"\"(?:columns|headers?|fields|names|cols|datasets|series|layout|labels|schema|values|points"
    rb"|data|datapoints|\$schema)\"[ \t]{0,8}:"
)
#: Rows of values, below a comment or not.
_ROWS_OF_VALUES = late_regex(rb"\s{0,80}(?:(?://|#)[^\n]{0,400}\n\s{0,80}[\[{]|\[\s{0,80}\[?\s{0,80}\")")
#: What counts the records of an XML log.
_COUNTS = (b"epoch", b"step", b"iter", b"round", b"episode")


def _event_file(name: str, head: bytes) -> bool:
    """The name, or a length of eight bytes that a first record may have."""
    return "tfevents" in name or (len(head) > 8 and 8 < int.from_bytes(head[:8], "little") < 1 << 16)


def _has_numbered_key(text: bytes) -> bool:
    return any(key.search(text) for key in _NUMBERED_KEYS)


_TENSORBOARD = LateReader(
    "tensorboard.reader", "tensorboard", ("*tfevents*",),
    "TensorBoard event files: scalars of every encoding, histograms, hyper-parameters, text, restarts", _event_file,
)  # fmt: skip
_WANDB = LateReader(
    "wandb.reader", "wandb", ("*.wandb",),
    "Weights & Biases offline logs: history, settings, system metrics, console output",
    lambda name, head: name.endswith(".wandb") or head.startswith(b":W&B"),
)  # fmt: skip
_SWANLAB = LateReader(
    "wandb.swanlab", "swanlab", ("*.swanlab",), "SwanLab's logs of a run: its scalars",
    lambda name, head: head.startswith(b":SWL"),
)  # fmt: skip
_MLFLOW_DB = LateReader(
    "stores.mlflow_db", "mlflow-db", ("mlflow.db", "*.db", "*.sqlite"),
    "MLflow's SQLite store: every run in it with its metrics and parameters; deleted runs are left out",
    lambda name, head: head.startswith(_SQLITE),
)  # fmt: skip
_TRACKIO_DB = LateReader(
    "stores.trackio_db", "trackio", ("trackio/<project>.db",),
    "trackio's SQLite projects: every run in one with its metrics, settings and machine metrics",
    lambda name, head: head.startswith(_SQLITE),
)  # fmt: skip
_AIM = LateReader(
    "stores.aim", "aim", (".aim/run_metadata.sqlite",),
    "Aim's store: every run in it with its metrics, contexts and parameters (extra `aim`)",
    lambda name, head: name == "run_metadata.sqlite",
)  # fmt: skip
_SACRED = LateReader(
    "stores.sacred", "sacred", ("run.json",),
    "Sacred's run.json: how the run ended, and the traceback of one that failed",
    lambda name, head: name == "run.json",
)  # fmt: skip
_NUMPY = LateReader(
    "stores.numpy_log", "numpy", ("*loss*.npy", "*history*.npz", "*metrics*.npz", "evaluations.npz"),
    "curves as numpy arrays: .npz of one array a metric, .npy called by its metric, Stable-Baselines' evaluations",
    lambda name, head: head.startswith((b"PK\x03\x04", b"\x93NUMPY")),
)  # fmt: skip
_LISTS = LateReader(
    "json.number_lists", "lists", ("*history*.txt", "*loss*.txt", "*.txt", "*.json"),
    "lists of numbers as Python prints them, each called by the key before it or by the file",
    lambda name, head: b"[" in head or b"\n" not in head.strip() or any(sign in head for sign in _VECTORS)
    or _ROW.search(head) is not None or (_COMMAS.search(head) is not None and _NAMED_ROW.search(head) is not None),
)  # fmt: skip
_SERIES = (".json", ".yaml", ".yml", ".txt", ".csv")
_NUMBERED = LateReader(
    "json.numbered", "json-epochs", ("metrics_epoch_<n>.json",),
    "one JSON object a file, numbered by epoch, step or round: AllenNLP's metrics and others of that kind",
    lambda name, head: name.lower().endswith(_SERIES) and name.rpartition(".")[0][-1:].isdecimal(),
)  # fmt: skip
_SCALARS = LateReader(
    "json.scalars", "scalar-json", ("*.json",),
    "TensorBoard's JSON downloads: a list of wall time, step and value, called as the file is",
    lambda name, head: head.lstrip()[:1] == b"[",
)  # fmt: skip
# From here on no more specific format has taken the file.
_CSV = LateReader(
    "csv.reader", "csv", ("*.csv", "*.tsv", "*.txt", "*.log"),
    "CSV and TSV of metrics: Lightning, Keras and any other header over rows of numbers",
    lambda name, head: True, ("guesses", "read_mapped"),
)  # fmt: skip
_HEADLESS = LateReader(
    "csv.headless", "headless",
    ("*loss*.txt", "*loss*.csv", "*acc*.txt", "*acc*.dat", "*reward*.txt", "*reward*.csv", "*fitness*.csv"),
    "rows of a counter and a value, or of values alone, without a header, in a file called by its metric",
    lambda name, head: True,
)  # fmt: skip
_NOTEBOOK = LateReader(
    "notebook.reader", "notebook", ("*.ipynb",),
    "outputs of Jupyter notebooks: printed epochs, progress bars, the Trainer's tables, tracebacks",
    lambda name, head: name.lower().endswith(".ipynb"),
)  # fmt: skip
_TRACKERS = LateReader(
    "stores.tracker_json", "tracker-json", ("messages.json", "data-*.log", "metrics.jsonl"),
    "what Comet, Neptune and ClearML keep offline: metrics and parameters as JSON",
    lambda name, head: head[:1] in (b"{", b"["),
)  # fmt: skip
_YAML = LateReader(
    "json.yaml_log", "yaml", ("*.yaml", "*.yml"),
    "YAML of training records: a list, a document for each, or lists of values under their names",
    lambda name, head: name.lower().endswith((".yaml", ".yml", ".yaml.gz", ".yml.gz")), ("guesses",),
)  # fmt: skip
_XML = LateReader(
    "json.xml_log", "xml", ("*.xml",),
    "XML of training records: an element for each, with its values as attributes or as elements within it",
    lambda name, head: head.lstrip()[:1] == b"<" and any(w in head.lower() for w in _COUNTS),
)  # fmt: skip
_KEYED = LateReader(
    "keyed.reader", "numbered-keys", ("*.properties", "*.ini", "*_by_step.json", "*.env"),
    "values under numbered keys: `epoch.3.loss=0.5`, sections by epoch, {\"300\": 0.5} in a file called by its metric",
    lambda name, head: not name.lower().endswith(_RECORDS) and _has_numbered_key(b"\n" + head[:_OPENING]),
)  # fmt: skip
_SHAPED = LateReader(
    "keyed.shaped", "json-tables", ("*.json",),
    "JSON that names its columns apart from their values: frames split in three, rows below names, charts",
    lambda name, head: head.lstrip()[:1] in (b"{", b"[", b"/", b"#")
    and (_ROWS_OF_VALUES.match(head) is not None or _COLUMNS.search(head) is not None),
)  # fmt: skip
_TABLES = LateReader(
    "grids.reader", "tables", ("*.html", "*.md", "*.rst", "*.tex", "*.wiki", "*.agr", "*.dat"),
    "tables of documents (HTML, wikis, Markdown, reStructuredText, LaTeX) and the data of plots (pgfplots, gnuplot)",
    lambda name, head: not name.lower().endswith(_NO_DOCUMENTS)
    and (name.lower().endswith(_WRITTEN) or any(sign in head for sign in _TABULAR)),
)  # fmt: skip
_TEXT = LateReader(
    "text.reader", "text", ("*.log", "*.out", "*.err", "*.txt"),
    "text logs: key=value lines, progress bars and tables of the common trainers, tracebacks, warnings",
    lambda name, head: True,
)  # fmt: skip

READERS: tuple[Reader, ...] = (
    *outside_readers(),
    _TENSORBOARD,
    _WANDB,
    _SWANLAB,
    folder,
    mlflow_files,
    _AIM,
    _MLFLOW_DB,
    _TRACKIO_DB,
    _SACRED,
    _TRACKERS,
    _NUMPY,
    hf_state,
    catboost,
    export,
    _NUMBERED,
    _SCALARS,
    _YAML,
    _XML,
    _SHAPED,
    json_columns,
    _KEYED,
    _LISTS,
    json_records,
    _TABLES,
    _CSV,
    _HEADLESS,
    _NOTEBOOK,
    _TEXT,
)
