"""The line that started a run, as tokens. A log is untrusted: a line that is not plainly a launch is none."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.core.source import Scalar

#: Characters that a shell would act on; a command that is shown holds none of them, quoted or not.
FORBIDDEN = frozenset(";|&$()<>`\n\r\\")
#: A token by itself that ends the launch: what follows is another command, or where the output goes.
_OPERATOR = late_regex(r"^(?:[0-9]*>>?(?:&[0-9])?|<|\||\|&|&|&&|\|\||;)$|^[0-9]*>>?[^\s>]*$|^&>")
_PROGRAM = late_regex(r"^(?:[\w./-]*/)?(?:python[0-9.]*|torchrun|accelerate|deepspeed|uv|poetry|srun|horovodrun)$")
_SCRIPT = late_regex(r"^[\w./@+~-]+\.py$|^-m$")
#: What may stand before the launch: a prompt, `+` of a shell that tells its commands, a word and a colon.
_LEAD = late_regex(r"^\s*(?:(?:[\w ]{0,30}(?:command|cmd|launch|running|executing)[\w ]{0,20}:)|[+$#>%]+)?\s*", re.I)
#: Settings of the environment that belong to the launch; others may be secrets.
_ENVIRONMENT = late_regex(r"^(?:CUDA_VISIBLE_DEVICES|OMP_NUM_THREADS|WORLD_SIZE|HF_HOME)=[\w,.:/-]*$")
_ASSIGNMENT = late_regex(r"^[A-Za-z_]\w*=")
#: Last part of a key of the configuration that holds a launch line.
_KEYS = frozenset(("launch", "launch_command", "command", "cmd", "cmdline", "command_line"))
_WORDS = r"(?i)\.py\b|\btorchrun\b|\bpython[0-9.]* +-m\b"
_LONGEST, _MOST, _LINES = 4_000, 200, 200


def launch(run: Run) -> tuple[str, ...]:
    """The tokens of the line that started the run; () where none is known for sure."""
    for line in (*_configured(run.config), *_logged(run)):
        tokens = parsed(line)
        if tokens:
            return tokens
    return ()


def parsed(line: str) -> tuple[str, ...]:
    """The tokens of a launch line up to the first operator of the shell; () where it is none or is not safe to show.

    >>> parsed("+ CUDA_VISIBLE_DEVICES=0 python train.py --lr 0.1 2>&1 | tee log.txt")
    ('CUDA_VISIBLE_DEVICES=0', 'python', 'train.py', '--lr', '0.1')
    >>> parsed("python train.py --name $(whoami)"), parsed("python train.py --name 'a;b'"), parsed("rm -rf train.py")
    ((), (), ())
    """
    if len(line) > _LONGEST or "\n" in line.strip():
        return ()
    try:
        tokens = shlex.split(_LEAD.sub("", line, count=1))
    except ValueError:  # a quote that is never closed
        return ()
    end = next((i for i, t in enumerate(tokens) if _OPERATOR.match(t)), len(tokens))
    kept = [t for t in tokens[:end] if not _ASSIGNMENT.match(t) or _ENVIRONMENT.match(t) or t not in _first(tokens)]
    command = next((t for t in kept if not _ASSIGNMENT.match(t)), "")
    if "-c" in kept or not _PROGRAM.match(command) or not any(_SCRIPT.match(t) for t in kept) or len(kept) > _MOST:
        return ()
    return tuple(kept) if all(t.isprintable() and not FORBIDDEN & set(t) for t in kept) else ()


def _first(tokens: list[str]) -> list[str]:
    """The assignments before the command."""
    end = next((i for i, t in enumerate(tokens) if not _ASSIGNMENT.match(t)), len(tokens))
    return tokens[:end]


def _configured(config: Mapping[str, Scalar]) -> Iterator[str]:
    for key, value in config.items():
        if isinstance(value, str) and key.rsplit(".", 1)[-1].lower() in _KEYS:
            yield value


def _logged(run: Run) -> Iterator[str]:
    if len(run.messages):
        found = run.messages.filter(pl.col("level") != "TRACEBACK").filter(pl.col("text").str.contains(_WORDS))
        yield from found["text"].head(_LINES).to_list()
