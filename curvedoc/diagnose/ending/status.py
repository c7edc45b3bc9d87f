"""How a store says that the job ended: the exit status or state that readers leave in the configuration."""

from __future__ import annotations

from collections.abc import Mapping

from curvedoc.core.run import Scalar
from curvedoc.diagnose.ending.words import EndingWord

#: What stores call a state.
STATES: Mapping[str, EndingWord] = {
    "FINISHED": "finished", "COMPLETED": "finished", "SUCCESS": "finished", "SUCCEEDED": "finished",
    "FAILED": "crash", "CRASHED": "crash", "ERROR": "crash", "KILLED": "killed", "INTERRUPTED": "by-hand",
}  # fmt: skip
#: Where readers put it, and what the store is called.
_WORDS = {"mlflow.status": "MLflow", "sacred.status": "Sacred"}
_CODES = {"wandb.exit_code": "W&B's exit record"}
#: The Trainer writes its closing row when the training is over.
_CLOSING = "summary.train_runtime"
#: Shells tell a signal as 128 + its number, launchers as minus the number.
_BY_HAND, _KILLED = (2,), (1, 9, 15)


def status(config: Mapping[str, Scalar]) -> tuple[EndingWord, str] | None:
    """(ending, the sentence that says so), None where no store says how the run ended.

    >>> status({"mlflow.status": "KILLED"})
    ('killed', 'MLflow says that the run is KILLED')
    >>> status({"wandb.exit_code": 137})
    ('killed', "W&B's exit record says exit status 137")
    """
    for key, store in _WORDS.items():
        word = str(config.get(key, "")).strip().upper()
        if word in STATES:
            return STATES[word], f"{store} says that the run is {word}"
    for key, store in _CODES.items():
        code = config.get(key)
        if isinstance(code, int) and not isinstance(code, bool):
            return _of_code(code), f"{store} says exit status {code}"
    if _CLOSING in config:
        return "finished", "the Trainer wrote its closing row"
    return None


def _of_code(code: int) -> EndingWord:
    signal = code - 128 if 128 < code < 160 else -code if -65 < code < 0 else 0
    if signal in _BY_HAND:
        return "by-hand"
    if signal in _KILLED:
        return "killed"
    return "crash" if code else "finished"
