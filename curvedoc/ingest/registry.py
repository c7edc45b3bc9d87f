"""The log formats that are read, in the order in which they are asked: the specific before the generic."""

from __future__ import annotations

from curvedoc.ingest import (
    column_json,
    csv_table,
    headless,
    hf_state,
    jsonl,
    mlflow_db,
    mlflow_files,
    numpy_log,
    tensorboard,
    text_log,
    trackio_db,
    wandb_dir,
    wandb_export,
    wandb_log,
)
from curvedoc.ingest.contract import Reader

READERS: tuple[Reader, ...] = (
    tensorboard,
    wandb_log,
    wandb_dir,
    mlflow_files,
    mlflow_db,
    trackio_db,
    numpy_log,
    hf_state,
    wandb_export,
    column_json,
    jsonl,
    csv_table,
    headless,
    text_log,
)
