"""The log formats that are read, in the order in which they are asked: the specific before the generic."""

from __future__ import annotations

from curvedoc.ingest.contract import Reader
from curvedoc.ingest.csv import headless
from curvedoc.ingest.csv import reader as csv_reader
from curvedoc.ingest.json import catboost, hf_state
from curvedoc.ingest.json import columns as json_columns
from curvedoc.ingest.json import records as json_records
from curvedoc.ingest.notebook import reader as notebook_reader
from curvedoc.ingest.outside_readers import outside_readers
from curvedoc.ingest.stores import mlflow_db, mlflow_files, numpy_log, sacred, trackio_db
from curvedoc.ingest.tensorboard import reader as tensorboard_reader
from curvedoc.ingest.text import reader as text_reader
from curvedoc.ingest.wandb import export, folder
from curvedoc.ingest.wandb import reader as wandb_reader

READERS: tuple[Reader, ...] = (
    *outside_readers(),
    tensorboard_reader,
    wandb_reader,
    folder,
    mlflow_files,
    mlflow_db,
    trackio_db,
    sacred,
    numpy_log,
    hf_state,
    catboost,
    export,
    json_columns,
    json_records,
    csv_reader,
    headless,
    notebook_reader,
    text_reader,
)
