"""What lies where no log was found, in words, and what to point at instead."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

#: Files that are looked at; a tree of data has millions.
MOST = 2_000
#: Names that a sentence gives as examples, and the folders of a kind offered for a path that is not there.
_NAMED = 2
#: What files of a kind are called, by their endings.
KINDS: Mapping[str, frozenset[str]] = {
    "model": frozenset((".pt", ".pth", ".bin", ".ckpt", ".safetensors", ".h5", ".keras", ".onnx", ".pkl", ".joblib",
                        ".gguf", ".msgpack", ".pdparams", ".tflite", ".mar")),
    "settings": frozenset((".yaml", ".yml", ".toml", ".ini", ".cfg", ".json", ".gin", ".hydra")),
    "code": frozenset((".py", ".sh", ".ipynb", ".cpp", ".cu", ".h", ".rs", ".js", ".ts", ".go", ".slurm", ".sbatch")),
    "document": frozenset((".md", ".rst", ".html", ".docx", ".bib", ".tex")),
    "picture": frozenset((".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".webp")),
}  # fmt: skip
_WORDS = {"model": ("model file", "model files"), "settings": ("settings file", "settings files"),
          "code": ("code file", "code files"), "picture": ("picture", "pictures"),
          "document": ("document", "documents"), "": ("other file", "other files")}  # fmt: skip
_LOGS = (
    "the log: what the training printed, events.out.tfevents files, trainer_state.json, metrics.csv or a wandb folder"
)
#: What to do where files of one kind are all there is.
_NEXT: Mapping[str, str] = {
    "model": f"a checkpoint holds no curve; give {_LOGS}",
    "settings": f"settings hold no curve; give {_LOGS}",
    "code": "keep what the training prints (python train.py 2>&1 | tee train.log) and give that file",
    "picture": "a picture of a curve cannot be read; give the log that it was drawn from",
}


def contents(paths: Sequence[Path]) -> tuple[str, str]:
    """What these paths hold instead of a log, and what to do: ("2 model files (a.pt, b.pt)", "a checkpoint ..."); both
    empty where something else lies there as well that might have been a log.
    """
    found: dict[str, list[str]] = {}
    names = list(_files(paths))
    for name in names:
        found.setdefault(_kind(name), []).append(name)
    if not found:
        return "an empty folder" if any(p.is_dir() for p in paths) else "", f"give {_LOGS}"
    from curvedoc.ingest.csv.runs_table import is_runs_table
    from curvedoc.ingest.find.pointed_at import map_option  # reads tables, which a path with runs in it asks for later

    told = ", ".join(_counted(kind, found[kind]) for kind in sorted(found, key=lambda k: (not k, -len(found[k]))))
    told = f"at least {told}" if len(names) >= MOST else told
    if len(paths) == 1 and is_runs_table(paths[0]):
        return f"{paths[0].name}: a table with a row for each run", (
            f"its rows are runs: curvedoc diff {paths[0]} says which settings part them; for curves give {_LOGS}"
        )
    if len(paths) == 1 and (option := map_option(paths[0])):
        return told, f"if its rows are moments of a training, say what its columns are: {option}; else give {_LOGS}"
    known = [kind for kind in _NEXT if kind in found]
    return told, _NEXT[known[0]] if known and "" not in found else f"give {_LOGS}"


def absent(path: Path) -> tuple[str, str]:
    """What is wrong with a path that is not there, and what is: a like name, or the last folder that exists."""
    from difflib import get_close_matches  # where there is something to correct

    parent = path.parent
    names = _names(parent)
    near = get_close_matches(path.name, names, 1)
    if near:
        return f"no such file or folder: {path}", f"did you mean {parent / near[0]}?"
    there = next((p for p in path.absolute().parents if p.is_dir()), Path("/"))
    held = [n for n in _names(there) if not n.startswith(".")]
    shown = ", ".join(held[: 2 * _NAMED]) + (" ..." if len(held) > 2 * _NAMED else "")
    return f"no such file or folder: {path}", f"{there} exists and holds {shown or 'nothing'}"


def _names(folder: Path) -> list[str]:
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        return []
    return sorted(p.name for p in folder.iterdir())


def _files(paths: Sequence[Path]) -> Iterator[str]:
    left = MOST
    for path in paths:
        if not path.is_dir():
            yield path.name
            continue
        for _, folders, names in os.walk(path):
            folders.sort()
            yield from sorted(names)[:left]
            left -= len(names)
            if left <= 0:
                return


def _kind(name: str) -> str:
    end = Path(name).suffix.lower()
    return next((kind for kind, ends in KINDS.items() if end in ends), "")


def _counted(kind: str, names: Sequence[str]) -> str:
    one, many = _WORDS[kind]
    examples = [name for name, _ in Counter(names).most_common(_NAMED)]
    more = " ..." if len(set(names)) > len(examples) else ""
    return f"{len(names):,} {one if len(names) == 1 else many} ({', '.join(examples)}{more})"
