"""What sentences quote of the message that ended a run, and of the code that it stands for."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from curvedoc.core.diagnosis import NextAction
from curvedoc.core.late_regex import late_regex
from curvedoc.core.run import Run
from curvedoc.diagnose.ending.ending import Ending
from curvedoc.diagnose.ending.frame import user_frame
from curvedoc.diagnose.ending.said import Said
from curvedoc.diagnose.ending.shapes import apart
from curvedoc.diagnose.ending.source_line import call_of, of_line
from curvedoc.diagnose.judge.transcript import shortened
from curvedoc.diagnose.sentence.spoken import SILENT, Spoken

#: Characters that a sentence takes of what a message names.
_LONGEST = 120
#: In anomaly mode PyTorch shows where in the forward pass the operation was called whose backward pass failed.
_FORWARD = "Traceback of forward call that caused the error"
#: How backward nodes are named after their operations: SqrtBackward0, LinalgVectorNormBackward0.
_NODE = late_regex(r"\b([A-Z]\w*?)Backward\d*\b")
#: The cause of messages that tell why no GPU is used.
_DRIVER = "driver-mismatch"
_FEET = late_regex(r"(?<=[a-z0-9])(?=[A-Z])")


def spoken(run: Run, ending: Ending) -> Spoken:
    """What the last message says, for sentences."""
    m = ending.message
    if m is None:
        return SILENT
    place = {"said.at": f" at {m.frame}" if m.frame else ""}
    if m.frame is not None:
        place |= {"said.place": str(m.frame)} | {f"said.{k}": v for k, v in of_line(m.frame).items()}
    place |= {f"said.{k}": v for k, v in (apart(m.line) | _forward(run, m.line)).items()}
    named = {f"said.{k}": shortened(v, _LONGEST) for k, v in m.captured.items() if v}
    return Spoken(place, m.group.cause, named | {"said.line": shortened(m.line, _LONGEST)})


def unused_gpu(told: Sequence[Said]) -> NextAction | None:
    """What to do about a run that left its GPU alone, as a warning of its start says; None where none does."""
    for m in told:
        if m.group.cause == _DRIVER and m.ending == "note":
            said = shortened(m.line.rpartition("Warning: ")[2], _LONGEST)
            return NextAction(
                f"Make the GPU usable first, since the log says “{said}”: "
                "update the driver or install a build for it, and start again once torch.cuda.is_available() is True."
            )
    return None


def _forward(run: Run, line: str) -> dict[str, str]:
    """forward: where the operation was called whose backward pass failed; call: that call, where its line shows it."""
    if not len(run.messages):
        return {}
    told = run.messages.filter(pl.col("text").str.contains(_FORWARD, literal=True))
    called = user_frame(str(told["text"][-1])) if len(told) else None
    node = _NODE.search(line)
    if called is None:
        return {}
    found = {"forward": str(called)}
    changed = of_line(called)
    call = call_of(_FEET.sub("_", node[1]).lower(), called.code) if node is not None else ""
    return found | {k: changed[k] for k in ("old", "new") if k in changed} | ({"call": call} if call else {})
