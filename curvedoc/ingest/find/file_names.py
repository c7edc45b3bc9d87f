"""Names of files and folders: which hold runs, which are never opened, which are logs or archives or foreign stores."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.find.path_words import SKIP_FOLDERS
from curvedoc.ingest.naming.word_set import word_set

#: Hidden folders that belong to a run (Hydra's configuration, old W&B stores); every other hidden one is skipped.
HIDDEN_FOLDERS = frozenset((".hydra", ".wandb", ".aim", ".neptune"))
#: Weights, code, prose, pictures, archives: never opened.
SKIP_SUFFIXES = word_set(
    """.pt .pth .bin .safetensors .ckpt .npz .npy .h5 .hdf5 .keras .onnx .gguf .pkl .pickle .msgpack .distcp .joblib
    .model .pb .tflite .py .pyc .pyx .so .c .cc .cpp .cu .h .hpp .sh .bat .sbatch .slurm
    .html .htm .css .js .ts .patch .diff .lock .png .jpg .jpeg .gif .svg .pdf .webp .mp4 .wav .mp3 .flac .ttf
    .tif .tiff .bmp .zip .tar .tgz .bz2 .xz .7z .whl .egg .jar .arrow .feather .tfrecord .mdb .lmdb .idx .vocab
    .spm .profile-empty .pid .sock .tmp .swp .crc .etag"""
)
#: Of arrays, pages and scripts, most of which are data, weights, prose and code, those that are called by what a
#: training logs.
CURVE_NAMES = late_regex(
    r"(.*[_. -])?(loss|losses|acc|accs|accuracy|accuracies|hist|history|histories|metrics?|logs?|curves?|evaluations)"
    r"([_. -].*)?\.(?:np[yz]|html?)|(.*[_. -])?(reports?|results?|train(ing)?|epochs?|runs?|index)([_. -].*)?\.html?"
    r"|(.*[_. -])?(loss|losses|acc|accs|accuracy|history|curves?"
    r"|(charts?|plots?|train(ing)?)[_. -]?data)([_. -].*)?\.js"
)
#: Text files with a fixed meaning that is not a log.
SKIP_NAMES = late_regex(
    r"(requirements.*|readme([._-][a-z]{2}([_-][a-z]{2})?)?|licen[cs]e.*|notice|changelog.*|vocab|merges|authors|cmakelists|conda-environment|diff|MANIFEST)"
    r"(\.(txt|json|yaml|yml))?|tokenizer.*|special_tokens_map\.json|added_tokens\.json|preprocessor_config\.json"
    r"|package(-lock)?\.json|.*\.index\.json|\.(?!monitor\.csv$).*",
    re.IGNORECASE,
)
#: CatBoost's record, and what it writes beside it, which says the same.
_CATBOOST = "catboost_training.json"
_BESIDE = frozenset(("learn_error.tsv", "test_error.tsv", "time_left.tsv"))
#: What is a folder in one file.
ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz")
#: W&B's own diary, not the run's.
_WANDB_DIARY = late_regex(r"debug(-internal|-core|-cli)?(\..+)?\.log")
#: A file of this name is a log, so one that nothing can read is told.
LOG_NAME = late_regex(
    r".*tfevents.*|.*\.(wandb|log|jsonl|ndjson)(\.\d+)?(\.(gz|zst))?|trainer_state\.json|.*\.log\.json", re.IGNORECASE
)
#: The folder of an Aim store, and the file in it that stands for the store.
AIM_FOLDER, AIM_INDEX = ".aim", "run_metadata.sqlite"
AIM = "an Aim store: pip install 'curvedoc[aim]' reads it, or export the run's metrics to CSV"
#: Stores of other tools that curvedoc knows by name and does not read, and what to do instead.
FOREIGN: tuple[tuple[re.Pattern[str], str], ...] = (
    (late_regex(r".*\.aim|\.aim_.*"), AIM),
    (late_regex(r".*\.xplane\.pb"), "a profiler trace holds no curves"),
)


def natural(name: str) -> list[tuple[int, int, str]]:
    """A sort key that puts run2 before run10.

    >>> sorted(["run10", "run2"], key=natural)
    ['run2', 'run10']
    """
    return [(1, int(p), "") if p.isdecimal() and len(p) < 19 else (0, 0, p) for p in re.split(r"(\d+)", name) if p]


def entered(name: str) -> bool:
    """Whether a folder of this name may hold runs."""
    if name.startswith("."):
        return name in HIDDEN_FOLDERS
    return name not in SKIP_FOLDERS and not name.endswith(".egg-info")


def told_again(folder: str, names: Collection[str]) -> Collection[str]:
    """Of the files and folders in a folder, those that say what CatBoost's record beside them does; its clock says
    nothing of a training anywhere."""
    if _CATBOOST not in names:
        return _BESIDE - {"learn_error.tsv", "test_error.tsv"}
    return {*names} - {_CATBOOST} if folder == "catboost_info" else _BESIDE


def skipped(name: str, folder: Sequence[str]) -> bool:
    """Whether a file of this name, in the folder of these parts, is no log or configuration whatever it holds."""
    if "swanlog" in folder[-4:] and {"logs", "debug"} & {*folder[-2:]}:  # what its own log of the run holds as well
        return True
    if _is_diary(name) and "wandb" in (*folder[-1:], *folder[-3:-2]):
        return True
    return _skipped(name)


@lru_cache(maxsize=4096)  # the files of a tree have a few names between them
def _is_diary(name: str) -> bool:
    return _WANDB_DIARY.fullmatch(name.lower()) is not None


@lru_cache(maxsize=4096)
def foreign(name: str) -> str:
    """What to say of a file that another tool's store is known by, "" for the others."""
    return next((reason for pattern, reason in FOREIGN if pattern.fullmatch(name)), "")


@lru_cache(maxsize=4096)
def _skipped(name: str) -> bool:
    low = name.lower()
    if ("tfevents" in low and not low.endswith(".profile-empty")) or CURVE_NAMES.fullmatch(low):
        return False
    return os.path.splitext(low)[1] in SKIP_SUFFIXES or SKIP_NAMES.fullmatch(name) is not None  # noqa: PTH122
