"""Launch tokens with settings changed, as one line that a shell takes for nothing but words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.frozen import dataclass
from curvedoc.core.numbers import spelled
from curvedoc.core.run import Run
from curvedoc.diagnose.restart.checkpoint import last_before
from curvedoc.diagnose.restart.launch import launch
from curvedoc.ingest.naming.canonical_settings import settings_of
from curvedoc.ingest.naming.signals import load_signals
from curvedoc.rulebook.location import signals_file

#: Options that name the checkpoint to go on from, as the launch line itself spells them.
_RESUME = frozenset(("resume", "resume_from", "resume_from_checkpoint", "ckpt", "ckpt_path", "checkpoint", "load"))


@dataclass(frozen=True, slots=True)
class Command:
    """A command and the tokens of it that differ from the launch."""

    text: str
    changed: tuple[str, ...]


def changed(tokens: tuple[str, ...], settings: Mapping[str, float], checkpoint: str = "") -> Command | None:
    """The launch with settings (canonical name -> value) changed where it has an option for each; else None.

    checkpoint: put in where the launch has an option for one.

    >>> changed(("python", "train.py", "--lr", "0.3"), {"lr": 0.03})
    Command(text='python train.py --lr 0.03', changed=('0.03',))
    >>> changed(("python", "train.py", "optim.lr=0.3", "--resume=a.pt"), {"lr": 0.03}, "b.pt").text
    'python train.py optim.lr=0.03 --resume=b.pt'
    >>> changed(("python", "train.py"), {"lr": 0.03})
    """
    out, marked, open_settings = list(tokens), [], dict(settings)
    for i, name, joined in list(_options(tokens)):
        value = None
        setting = next(iter(set(settings_of({name: "1"}, load_signals(signals_file()))) & set(open_settings)), None)
        if setting is not None:
            value = spelled(open_settings.pop(setting), ".6g").replace(",", "")
        elif checkpoint and name.rsplit(".", 1)[-1].lower() in _RESUME:
            value = checkpoint
        if value is not None:
            at = i if joined else i + 1
            out[at] = f"{out[i].partition('=')[0]}={value}" if joined else value
            marked.append(out[at])
    if open_settings or not marked:
        return None
    return Command(" ".join(shlex.quote(t) for t in out), tuple(marked))


def _options(tokens: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    """Place, name and whether its value is joined to it, of each option: `--lr 0.1`, `--lr=0.1`, `optim.lr=0.1`."""
    for i, token in enumerate(tokens):
        name, sign, _ = token.partition("=")
        bare = name.lstrip("-+").replace("-", "_")
        if sign and bare and not name.isupper():
            yield i, bare, True
        elif token.startswith("--") and i + 1 < len(tokens) and not tokens[i + 1].startswith("--"):
            yield i, bare, False


def with_command(action: NextAction, settings: Mapping[str, float], run: Run, onset: int | None) -> NextAction:
    """The action with the command that does it, and the last checkpoint before the onset, where the log has them."""
    saved = None if onset is None or onset <= 0 else last_before(run, onset)
    if saved is not None and settings:
        action = replace(action, text=f"{action.text} Last checkpoint before: {saved.path}, step {saved.step:,}.")
    made = changed(launch(run), settings, saved.path if saved is not None else "") if settings else None
    return action if made is None else replace(action, command=made.text, changed=made.changed)
