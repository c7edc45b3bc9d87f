"""Whether a log says that weights were saved on the way."""

from __future__ import annotations

from curvedoc.core.run import Run, once_a_run

#: What programs say of weights that they keep, with or without a path.
_SAVES = (
    r"(?i)\b(?:sav(?:e|ed|ing)|writ(?:ten|ing|e)|wrote|stor(?:ed|ing))\b"
    r"[^\n]{0,40}\b(?:model|weights|checkpoints?|best|ckpt)\b"
)


@once_a_run
def writes_weights(run: Run) -> bool:
    """Whether the log says that weights were saved, under whatever name."""
    return len(run.messages) > 0 and bool(run.messages["text"].str.contains(_SAVES).any())
