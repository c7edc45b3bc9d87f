"""Event files of Keras, which calls what it writes once an epoch by it and counts epochs where others count steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from curvedoc.core.block import Block
from curvedoc.core.series import Ints

_EPOCH, _BATCH = "epoch_", "batch_"
#: The validation once more, against the batches trained so far.
_AGAIN, _AGAINST = "evaluation_", "_vs_iterations"


def on_one_axis(blocks: Sequence[Block]) -> tuple[list[Block], str]:
    """The curves on one axis, and what it counts: "epoch" where no curve goes on beyond the epochs, else "step".

    Curves called by the epoch that go on by one are placed at the ends of epochs where the file has batches as well.
    What repeats the validation against batches is left out: its values stand at epochs.
    """
    own = [b for b in blocks if b.metric.startswith(_EPOCH)]
    if not own or not all(bool((np.diff(b.step) == 1).all()) and (len(b) > 1 or b.step[0] in (0, 1)) for b in own):
        return list(blocks), "step"
    by_name = {b.metric: b for b in own}
    kept = [b for b in blocks if not _repeats(b, by_name)]
    last = max(int(b.step[-1]) for b in own)
    if all(int(b.step.max()) <= last for b in kept):
        return kept, "epoch"
    batches = max((int(b.step.max()) + 1 for b in kept if b.metric.startswith(_BATCH)), default=0)
    length = batches / (last + 1)
    if length <= 1 or any(b.step[0] for b in own):  # a resumed training counts its batches anew, but not its epochs
        return kept, "step"
    return [replace(b, step=_ends(b, length)) if b.metric in by_name else b for b in kept], "step"


def _ends(b: Block, length: float) -> Ints:
    return np.asarray(np.rint((b.step + 1) * length - 1), dtype=np.int64)


def _repeats(b: Block, epochs: dict[str, Block]) -> bool:
    if not (b.metric.startswith(_AGAIN) and b.metric.endswith(_AGAINST)):
        return False
    of = epochs.get(_EPOCH + b.metric.removeprefix(_AGAIN).removesuffix(_AGAINST))
    return of is not None and len(b) == len(of) and bool(np.array_equal(b.value, of.value, equal_nan=True))
