"""What the name of a file or folder tells of its place in a run: split, rank, restart, rotation, checkpoint."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.naming.split_words import PLAIN_SPLITS
from curvedoc.ingest.naming.split_words import SPLITS as ALL_SPLITS
from curvedoc.ingest.naming.word_set import word_set

#: Folders that hold no log of a run, whatever their files look like.
SKIP_FOLDERS = word_set(
    "__pycache__ node_modules site-packages venv env wandb-media media plugins profile profiler lost+found"
)
#: Folder and file words that name the part of the data a log is about, and the prefix its metrics get.
SPLITS: dict[str, str] = {
    word: {"train_inner": "train/", "eval": "val/"}.get(split, f"{split}/") for word, split in PLAIN_SPLITS.items()
}
#: What says so in the name of a file beside another of the same name.
_TERSE_SPLITS = {word: f"{'val' if split == 'eval' else split}/" for word, split in ALL_SPLITS.items()}
#: Folders that a logger or a habit puts between a run and its log, without a meaning of their own.
CONTAINERS = word_set(
    """wandb tensorboard tb tb_logs tensorboard_logs tblogs tb_log logs log logging runs lightning_logs csv_logs csv
    metrics events event summaries summary vis_data files output outputs history results stats jsonl json
    artifacts out"""
)
#: Folders without a log that hold the configuration of the run beside them.
CONFIG_FOLDERS = word_set(".hydra config configs conf cfg params hparams args files settings meta")
#: A run folder that some logger names by itself: Lightning's versions, W&B's and Hugging Face's time stamps.
_STAMPED = late_regex(
    r"version_\d+|(offline-)?run-\d{8}_\d{6}-\w+|latest-run|[A-Z][a-z]{2}\d{2}_\d{2}-\d{2}-\d{2}_.+|\d{8}[-_]\d{4,6}"
    r"|\d{4}-\d{2}-\d{2}([_T-]\d{2}[-_.:h]?\d{2}([-_.:]?\d{2})?)?|\d{2}-\d{2}-\d{2}"
)
_WANDB_RUN = late_regex(r"(?:offline-)?run-(\d{8}_\d{6})-(\w+)")
_GHOST = late_regex(r"\d{9,11}\.\d+(\.\d+)?")
_CHECKPOINT = late_regex(r"(?:checkpoint|ckpt|global_?step|step|iter|epoch)[-_]?(\d+)", re.IGNORECASE)
_ATTEMPT = late_regex(r"(?:attempt|restart)[-_]?(\d+)", re.IGNORECASE)
_RANK_WORD = r"(?:global_?rank|rank|replica|worker|process|proc|device|gpu|node|local_?rank)"
_RANK_FOLDER = late_regex(rf"{_RANK_WORD}[-_]?(\d{{1,5}})", re.IGNORECASE)
#: A rank word inside a file name. "global" wins over "local"; a node number alone is no rank of a file.
_RANK_FILE = (
    late_regex(r"global_?rank[-_=]?(\d{1,5})(?!\d)", re.IGNORECASE),
    late_regex(r"(?<![a-z])rank[-_=]?(\d{1,5})(?!\d)", re.IGNORECASE),
    late_regex(r"(?<![a-z])(?:replica|worker|process|proc|device|gpu)[-_=]?(\d{1,5})(?!\d)", re.IGNORECASE),
)
#: Names that number their ranks without saying so: out-1, stderr_0, slurm-4711_1.
_RANK_BARE = late_regex(r"((?:out|stdout|stderr|err|output|console|slurm-\d+|job-\d+)[-_.])(\d{1,5})", re.IGNORECASE)
_ROTATED = late_regex(r"(.+\.(?:log|txt|out|err|jsonl|ndjson|csv))\.(\d{1,3})", re.IGNORECASE)
_ENDINGS = late_regex(
    r"\.(gz|zst|log|txt|out|err|jsonl|ndjson|json|csv|tsv|parquet|wandb|yaml|yml)(?=$|\.)", re.IGNORECASE
)
_WORDS = late_regex(r"[^A-Za-z0-9]+")
#: The files of a tree have a few names between them, which are looked at once.
_BY_NAME = lru_cache(maxsize=4096)


def relative_name(path: Path, base: Path) -> str:
    """A path relative to a folder, with forward slashes, as text that can be written anywhere: bytes of a name that
    are no UTF-8 become U+FFFD.

    >>> relative_name(Path("/a/b/c.log"), Path("/a"))
    'b/c.log'
    """
    text, above = str(path), f"{base}{os.sep}"
    # the usual case by itself: relpath takes as long as reading a small file does
    text = text[len(above) :] if text.startswith(above) and ".." not in text else os.path.relpath(path, base)
    text = text.replace(os.sep, "/")
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def split_of(name: str) -> str:
    """The metric prefix that a folder's name stands for, "" for none.

    >>> split_of("validation"), split_of("exp1")
    ('val/', '')
    """
    return SPLITS.get(name.lower(), "")


@_BY_NAME
def file_split(stem: str) -> tuple[str, str]:
    """The metric prefix that a word of a file's stem stands for, and the stem without that word.

    >>> file_split("metrics_val"), file_split("metrics")
    (('val/', 'metrics'), ('', 'metrics'))
    """
    words = [w for w in _WORDS.split(stem) if w]
    for known in (SPLITS, _TERSE_SPLITS):
        for i, word in enumerate(words):
            if word.lower() in known:
                return known[word.lower()], "_".join(words[:i] + words[i + 1 :]).lower()
    return "", stem.lower()


@_BY_NAME
def stem(name: str) -> str:
    """A file's name without its endings, compressed and rotated ones too.

    >>> stem("train.log.1"), stem("m.jsonl.gz"), stem("slurm-12_1.out")
    ('train', 'm', 'slurm-12_1')
    """
    name = rotation(name)[0]
    while (cut := _ENDINGS.sub("", name)) != name:
        name = cut
    return name


@_BY_NAME
def rotation(name: str) -> tuple[str, int]:
    """The name that a rotated log had, and how many rotations ago (0: not rotated).

    >>> rotation("train.log.2"), rotation("train.log.2.gz"), rotation("train.log")
    (('train.log', 2), ('train.log', 2), ('train.log', 0))
    """
    bare = re.sub(r"\.(gz|zst)$", "", name)
    found = _ROTATED.fullmatch(bare)
    return (found[1], int(found[2])) if found else (name, 0)


@_BY_NAME
def rank_of_file(name: str) -> int | None:
    """The rank that a file's name states in so many words."""
    for pattern in _RANK_FILE:
        found = pattern.search(name)
        if found:
            return int(found[1])
    return None


@_BY_NAME
def unnamed_rank(name: str) -> tuple[str, int] | None:
    """(what precedes it, number) of a name that may number ranks without saying so.

    >>> unnamed_rank("slurm-4711_1.out"), unnamed_rank("exp-1.jsonl")
    (('slurm-4711_', 1), None)
    """
    found = _RANK_BARE.fullmatch(stem(name))
    return (found[1], int(found[2])) if found else None


def rank_of_folder(name: str) -> int | None:
    """The rank that a folder is about."""
    found = _RANK_FOLDER.fullmatch(name)
    return int(found[1]) if found else None


def attempt_of(name: str) -> int | None:
    """The attempt (of torchrun's restarts) that a folder is about."""
    found = _ATTEMPT.fullmatch(name)
    return int(found[1]) if found else None


def checkpoint_of(name: str) -> int | None:
    """The step of a checkpoint folder."""
    found = _CHECKPOINT.fullmatch(name)
    return int(found[1]) if found and len(found[1]) < 19 else None


def is_ghost(name: str) -> bool:
    """Whether a folder is the sub-run that TensorBoard's hparams writer makes (a time in seconds as its name)."""
    return _GHOST.fullmatch(name) is not None


def is_container(name: str) -> bool:
    """Whether a folder stands between a run and its log without a meaning of its own."""
    return name.lower() in CONTAINERS or _STAMPED.fullmatch(name) is not None


def wandb_run(name: str) -> tuple[str, str] | None:
    """(time stamp, run id) of a W&B run folder."""
    found = _WANDB_RUN.fullmatch(name)
    return (found[1], found[2]) if found else None
