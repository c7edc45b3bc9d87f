"""Which runs are siblings, and in which configuration keys they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from curvedoc.core.frozen import dataclass
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Scalar
from curvedoc.diagnose.siblings.outline import Sibling

#: Fewer runs cannot tell a key from chance after correction.
FEWEST_RUNS = 5
#: A sweep varies few keys. Runs of unrelated trainings differ in more, even when they share model and data.
MOST_KEYS = 4
#: Runs that name one sweep belong together even when it searches many settings at once.
MOST_KEYS_OF_SWEEP = 8
#: What must agree before runs are compared at all.
IDENTITY = ("model", "dataset", "num_classes", "vocab_size")
_SWEEP = late_regex(r"(?:^|[._/-])sweep(?:_id|_name)?$", re.IGNORECASE)
_PROJECT = late_regex(r"(?:^|[._/-])(?:project|project_name|experiment_name|sweep(?:_id|_name)?)$", re.IGNORECASE)
#: Keys that name or place a run, or that tell how it went, instead of saying what was tried.
NAMING = late_regex(
    r"^(?:wandb|trainer|_wandb|mlflow|slurm|env|system|git|summary)[._/]"
    r"|(?:^|[._/-])(?:seed|id|ids|uuid|guid|name|names|path|paths|dir|dirs|directory|folder|file|files|filename|root|"
    r"output|logdir|url|uri|host|hostname|user|port|pid|tag|tags|note|notes|group|version|commit|sha|hash|timestamp|"
    r"time|date|datetime|started|created|device|rank|local_rank|node|resume|checkpoint|ckpt|job|command|cmd|argv)$"
    r"|(?:_id|_dir|_path|_name|_file|_seed|_time|_date|_url|_hash|_timestamp|^seed_.*|_host|_key|_token)$",
    re.IGNORECASE,
)
#: Lengths that assembly works out from the log: a run that died early differs in them because it died.
LENGTHS = ("steps_per_epoch", "max_steps", "epochs", "train_size")
#: Known by the files that a trainer writes: nobody set it.
DERIVED = ("hugging_face",)
#: An integer this large is an identifier or a time, not a setting.
_IDENTIFIER = 100_000_000
ABSENT = None

Value = Scalar | None


@dataclass(frozen=True, slots=True)
class Key:
    """One configuration key over the runs of a family; a value is None where a run does not have it."""

    name: str
    values: tuple[Value, ...]
    canonical: bool  # a key of signals.yaml, whatever the log called it


@dataclass(frozen=True, slots=True)
class SiblingFamily:
    """Runs of one model on one data set that differ in few keys."""

    runs: tuple[Sibling, ...]
    keys: tuple[Key, ...]


def identity(run: Sibling) -> tuple[object, ...]:
    """What must agree before runs are compared: model, data set and project."""
    project = tuple(sorted(str(v) for k, v in run.config.items() if _PROJECT.search(k)))
    return (*(run.settings.get(k) for k in IDENTITY), project)


def normal(value: Scalar) -> Value:
    """Numbers of one size are one value however they were written; NaN is none."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value.strip()[:200]
        return number if number == number else ABSENT
    if isinstance(value, bool):
        return value
    return float(value) if value == value else ABSENT


def _settings(run: Sibling) -> Mapping[tuple[bool, str], Value]:
    """(canonical or not, key) -> value, names and lengths left out."""
    canonical = {
        (True, k): normal(v) for k, v in run.settings.items() if k not in (*LENGTHS, *DERIVED, *IDENTITY, "seed")
    }
    raw = {(False, k): normal(v) for k, v in run.config.items() if not NAMING.search(k)}
    return canonical | raw


def is_identifier(values: Sequence[Value]) -> bool:
    """Whether a key names the runs instead of choosing between a few values."""
    words = [v for v in values if isinstance(v, str)]
    if len(words) > 3 and len(set(words)) > len(words) / 2:
        return True
    numbers = [v for v in values if isinstance(v, float)]
    return any(v.is_integer() and abs(v) >= _IDENTIFIER for v in numbers)


def keys_of(runs: Sequence[Sibling]) -> tuple[Key, ...]:
    """The keys with more than one value; of keys that change together value by value, the canonical one."""
    settings = [_settings(run) for run in runs]
    found: dict[tuple[int, ...], Key] = {}
    for canonical, name in sorted({k for s in settings for k in s}, key=lambda k: (not k[0], k[1])):
        values = tuple(s.get((canonical, name)) for s in settings)
        order: dict[Value, int] = {}
        # True == 1.0 in Python, and a flag is not a number here; strings apart
        pattern = tuple(order.setdefault(str(v), len(order)) for v in values)
        if len(order) > 1 and not is_identifier(values):
            found.setdefault(pattern, Key(name, values, canonical))
    return tuple(found.values())


def families(runs: Sequence[Sibling]) -> tuple[SiblingFamily, ...]:
    """The families of siblings among these runs, each with the keys in which its members differ.

    A family agrees in model, data set and project where these are known, has at least `FEWEST_RUNS` runs with a
    configuration and differs in at most `MOST_KEYS` keys, `MOST_KEYS_OF_SWEEP` where the runs name one sweep; more says
    that they only happen to lie side by side.
    """
    by: dict[tuple[object, ...], list[Sibling]] = {}
    for run in runs:
        if run.config:
            by.setdefault(identity(run), []).append(run)
    out = []
    for members in by.values():
        if len(members) < FEWEST_RUNS:
            continue
        keys = keys_of(members)
        most = MOST_KEYS_OF_SWEEP if any(_SWEEP.search(k) for k in members[0].config) else MOST_KEYS
        if len(keys) <= most:
            out.append(SiblingFamily(tuple(members), keys))
    return tuple(out)
