"""What the messages of a run say of its end, by the catalog of messages, and whether training went on after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
import polars as pl

from curvedoc.core.frozen import dataclass
from curvedoc.core.run import Run
from curvedoc.diagnose.ending.frame import Frame, user_frame
from curvedoc.diagnose.judge.transcript import shortened
from curvedoc.rulebook.messages.catalog import Catalog, MessageGroup, SaidEnding, Saying

#: Messages that are looked at closely: the head and the tail of what holds the words of a template.
MOST = 2_000
#: Output that is held back can print a few rows after an error; more of them mean that training went on.
FEW = 3
_TRACEBACK = "TRACEBACK"
#: The indented lines below the last line of a traceback that names an error.
_GOES_ON = r"(?m)^[A-Za-z_][\w.]*(?:Error|Exception)\b[^\n]*((?:\n[ \t][^\n]*)+)\s*\z"
#: Lines of a traceback that are no error of the program: its frames, and that a worker passed one on.
_NO_ERROR = (
    r"(?m)^(?:[ \t>\x{2502}].*|(?:Original )?Traceback \(most recent call last\):"
    r"|[\w.]{1,80}: Caught \w{1,80} in (?:DataLoader worker process|replica) \d.*)$\n?"
)
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the catalog in one run.

    row: its row of `Run.messages`; line: the words themselves; after: rows logged after it, None where nothing tells
    """

    row: int
    saying: Saying
    line: str
    step: int | None
    after: int | None
    level: str = ""
    captured: Mapping[str, str] = field(default_factory=dict)
    frame: Frame | None = None

    @property
    def group(self) -> MessageGroup:
        """What it means."""
        return self.saying.group

    @property
    def ending(self) -> SaidEnding:
        """How a run ends that says this last. What is told as information or as a warning stops nothing."""
        mild = self.level in ("DEBUG", "INFO", "WARNING") and self.saying.ending in ("crash", "hardware", "disk")
        return "note" if mild else self.saying.ending

    @property
    def last(self) -> bool:
        """Whether no real progress followed, as far as is known."""
        return self.after is None or self.after <= FEW


def said(run: Run, catalog: Catalog) -> tuple[Said, ...]:
    """Every message that the catalog knows, in the order of the log; of several templates the one with most words."""
    if not len(run.messages):
        return ()
    table = run.messages.with_row_index("row").with_columns(_errors(pl.col("level"), pl.col("text")).alias("text"))
    words = list(catalog.by_words)
    table = table.filter(pl.col("text").str.contains_any(words))
    if not len(table):
        return ()
    if len(table) > MOST:
        table = pl.concat([table.head(MOST // 2), table.tail(MOST // 2)])
    table = table.with_columns(
        pl.col("text").str.extract_many(words, overlapping=True).list.unique(maintain_order=True).alias("words")
    )
    best: dict[int, Said] = {}
    after = rows_after(run, table)
    for word in table["words"].explode().unique(maintain_order=True).drop_nulls().to_list():
        at = table["words"].list.contains(word).arg_true()
        for saying in catalog.by_words[word]:
            for i in at.filter(table["text"].gather(at).str.contains(saying.template.regex)).to_list():
                row = table.row(i, named=True)
                known = best.get(row["row"])
                if known is None or _weight(saying) > _weight(known.saying):
                    best[row["row"]] = _said(row, saying, after[i], run)
    return tuple(best[row] for row in sorted(best))


def _weight(saying: Saying) -> int:
    """What a saying counts where a message holds several: a remark beside an error is never what ended the run."""
    return 0 if saying.ending == "note" else saying.template.weight


def _errors(level: pl.Expr, text: pl.Expr) -> pl.Expr:
    """The text of a message; of a traceback the errors' own lines, since its source lines may say anything.

    What is indented after the last error belongs to it: a state that does not fit is told key by key below its error.
    """
    bare = text.str.replace_all(_NO_ERROR, "")
    more = text.str.extract(_GOES_ON).fill_null("")
    whole = (level != _TRACEBACK) | (bare.str.len_chars() == 0)
    bare = pl.concat_str(bare.str.strip_chars_end("\n"), more)
    return pl.when(whole).then(text).otherwise(bare)


def _said(row: Mapping[str, object], saying: Saying, after: int | None, run: Run) -> Said:
    text = str(row["text"])
    groups = pl.Series([text]).str.extract_groups(saying.template.regex).struct.unnest()
    found = groups.row(0, named=True) if groups.width else {}
    captured = {k: shortened(str(v).strip(), _LONGEST) for k, v in found.items() if v is not None and not k.isdigit()}
    line = next((part for part in text.splitlines() if saying.template.words in part), text)
    at = row["row"]
    whole = str(run.messages["text"][at]) if isinstance(at, int) and row["level"] == _TRACEBACK else ""
    step = row["step"]
    return Said(
        row=int(str(at)),
        saying=saying,
        line=shortened(line.strip(), _LONGEST),
        step=step if isinstance(step, int) else None,
        after=after,
        level=str(row["level"]),
        captured=captured,
        frame=user_frame(whole) if whole else None,
    )


def rows_after(run: Run, messages: pl.DataFrame) -> list[int | None]:
    """For each message the rows logged after it: as counted in its own file, else by the clock, else by the step.

    Where a run counts by steps again after a restart, what the file itself says is the only certain order.
    """
    counted: list[int | None] = messages["after"].to_list()
    if all(n is not None for n in counted):
        return counted
    loss = run.series("loss") or run.series("val_loss")
    if loss is None or not len(loss):
        return counted
    time = loss.time[np.isfinite(loss.time)] if loss.time is not None else np.array([])
    out: list[int | None] = []
    for n, clock, step in zip(counted, messages["time"], messages["step"], strict=True):
        if n is None and clock is not None and _same_clock(clock, time):
            n = int((time > clock).sum())
        elif n is None and step is not None:
            n = int((loss.step > step).sum())
        out.append(n)
    return out


def _same_clock(clock: float, time: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    """Whether a moment and the times of a curve are of one clock: both since the epoch, or both since the start."""
    return bool(len(time)) and (clock > 1e8) == (float(time[-1]) > 1e8)
