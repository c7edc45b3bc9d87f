"""A recorder of what a report needs, as JSON lines; of the standard library alone.

from curvedoc.record import Recorder

with Recorder("runs/a", config=vars(args)) as rec:
    rec.attach(model, optimizer)                    # torch: rate, gradient norm, norms and zeros of each layer
    for step, batch in enumerate(rec.timed(loader)):  # how long the step waited for its data
        loss = train_on(batch)                      # forward and backward
        rec.log(step, loss=loss)
        optimizer.step()
"""

from __future__ import annotations

from curvedoc.record.recorder import Recorder

__all__ = ["Recorder"]
