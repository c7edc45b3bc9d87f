"""Lines of a text log, and the template (the line with its numbers masked) that each one follows."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import polars as pl

from curvedoc.core.late_regex import late_regex
from curvedoc.ingest.table.clock import CLOCK_RE
from curvedoc.ingest.text.line.foreign import as_usual
from curvedoc.ingest.text.line.glued import GLUED_HEAD, HABIT, counted_apart, parted
from curvedoc.ingest.text.line.spelling import COULD, spelled

#: Longer lines are cut: no logger writes a record of this size, a dumped tensor or a hostile file does.
LINE_CAP = 65_536
#: In templates: a plain number, a clock or date, a fraction such as 10/500.
NUMBER, CLOCK, FRACTION = "\x01", "\x02", "\x03"
#: In templates: the word nan inside a name ("number of nan iterations"), which is no value.
NAN_WORD = "\x04"

_ANSI = late_regex(r"\x1b\[[0-9;?:]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_=>78]")
#: No byte of these is a part of a longer character in UTF-8.
_CONTROL = bytes([*range(8), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
#: The other ones below the space.
_BLANKS = (b"\t", b"\n", b"\r")
#: What stood in the line so far, backspaces, and what was written behind them.
_REWRITE = late_regex("(?<![^\x08\r\n])([^\x08\r\n]*)(\x08+)([^\x08\r\n]*)")
_DRAWN = late_regex(r" ?\[([=>.]{20,400})\]")
#: A message that another stream wrote into the middle of a line, right behind a number or a bracket.
_GLUED = late_regex(
    r"(?<=[0-9)\]}%])(?=(?:/[\w.+-]{1,80}){1,20}\.py:[0-9]{1,6}: \w{0,40}Warning|(?:WARNING|ERROR):[a-z]\w{1,40}:"
    r"|slurmstepd[\w.-]{0,80}: error:|Traceback \(most recent call last\))"
)
_GLUES = ("Warning", "WARNING:", "ERROR:", "slurmstepd", "Traceback")
#: Records written one behind the other: "train_acc: 0.39epoch: 2/100, train_loss: 6.4".
#: Each with the letters before it that belong to the record. One that begins with letters is found at the speed of a
#: search, which an alternative of both is not.
_UNBROKEN = (
    (late_regex(r"poch(?<=[0-9)\]}%][Ee]poch)(?=[ :=\[]{1,3}[0-9])"), 1),
    (late_regex(r"第(?<=[0-9)%秒]第)(?=[0-9]{1,6} ?[轮回])"), 0),
)
#: Keras' lines, copied into one: "... - val_acc: 0.84 Epoch 27/30 - 67s - loss: 0.1", "... Epoch 2/9 60/60 [====] ...".
_RUN_ON = late_regex(r"(?<=[0-9)\]}%]) +(?=Epoch [0-9]{1,6}/[0-9]{1,6} (?:- |[0-9]{1,9}/[0-9]{1,9} \[))")
#: A record that was printed over several lines, one pair on each.
_SPREAD = late_regex(r'\{[ \t]*\n(?:[ \t]*"[^"\n]{1,80}": ?[^\n{}\[\]]{1,120},?[ \t]*\n){2,40}[ \t]*\}')
#: Paddle's first trainer prints a dot a batch, and its record behind them.
_DOTS = late_regex(r"\n\.+(?=I[0-9]{4} )")
#: "-----12-----", above what is told of the twelfth epoch.
_RULED = late_regex(r"\n[ \t]*([-=*#~_+])\1+ ?(\d{1,7}) ?\1{2,}[ \t]*(?=[\r\n]|$)")
#: Words in bold, in notes that are kept as a page; "32**0.5" is a power.
_BOLD = late_regex(r"(?<![\w)\]*])\*\*(?=[^\s*])([^*\n]{1,100}?)(?<=[^\s*])\*\*(?![\w(])")
#: Numbers as code ("train loss `2.44`").
_QUOTED = late_regex(r"`([-+]?[0-9.][0-9.eE+-]{0,30}%?)`")
#: Julia's single precision: "2.459884f0", "1.2f-5".
_FLOAT32 = late_regex(r"f(?<=[0-9]f)(-?[0-9]{1,2})\b")
#: In every text of them one is about 1, or less; "3fa85f64" is a hash.
_SINGLE = late_regex(r"f(?<=[0-9]f)(?:0|-[0-9])")
#: Fortran's double precision: "2.3D-02".
_FLOAT64 = late_regex(r"D(?<=[0-9]D)(?=[+-][0-9]{2,3}\b)")
_WIDE = {ord(a): b for a, b in zip("：，；（）＝｜　【】‖∥", ":,;()=| []||", strict=True)}
#: The upright lines of a drawn table.
UPRIGHT = "[│┃║]"

# Rust syntax from here on: polars' engine is linear in the length of the line whatever it holds.
_NUM = (
    r"(?:[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?-u:\b)|[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?(?i:nan|infinity|inf)(?-u:\b))"
)
#: A number is a value only after one of these; digits inside a word, a path or a version are part of that word.
_BEFORE = r"(^|[\s=:;,(\[{'\"|<>~$*#])"
#: What `slots` extracts: the mark before the number, the number, and the total of a fraction.
SLOT_RE = rf"{_BEFORE}{_NUM}(?: */ *{_NUM})?"
_FRACTION_RE = rf"{_BEFORE}{_NUM} */ *{_NUM}"
_NUMBER_RE = rf"{_BEFORE}{_NUM}"

_BARS = "\u2500-\u259f\u25a0\u25a1\u25cf\u25cb\u2501"
_BAR_RE = rf"[{_BARS}]+(?:[ #0-9]*[{_BARS}]+)*"
_ASCII_BAR_RE = r"%\|[# 0-9=>.-]*\|"
_KERAS_BAR_RE = r"\[[=>.#-][=>.# -]{2,}\]"
#: What every fraction has in it.
_TOTAL = late_regex(r"/ *[-+.0-9nNiI]")
#: The name of a file of data, other in each line that tells of one.
_FILE_RE = (
    r"(?i)[^\s=:,;()\[\]'\"|]{1,200}\.(?:jpe?g|png|bmp|tiff?|webp|dcm|nii|nrrd|mha|gz|npy|npz|mat|h5|hdf5|pkl|pt|pth|wav|flac|mp3"
    r"|mp4|avi|txt|csv|json|xml|parquet|tfrecord)\b"
)
#: So many kinds of lines, and so large a part of all, show that each line names its own.
_FILES, _MOST = 20, 0.5
#: The shape of an array measures nothing: "torch.Size([64, 10])", "shape: (64, 10)".
_SHAPES = ("torch.Size(", "hape")
_SHAPE_RE = r"(^|[^\w.])(?:torch\.Size\(\[[0-9, ]*\]\)|[Ss]hapes?[ :=]{1,3}[(\[][0-9, ]*[)\]])"
#: What torch, jax and numpy print after the number of a scalar tensor.
_TENSORS = ("tensor(", "rray(")
_TENSOR_TAIL_RE = r", (?:device='[a-z]+(?::[0-9]+)?'|grad_fn=<[\w.]+>|dtype=[\w.]+|requires_grad=\w+|weak_type=\w+)"


def clean(text: str) -> str:
    """The text without color codes and control characters; what backspaces let a program write into a line stands in
    it, where it takes the place of the end of the line behind a carriage return; a number within a rule is an epoch.

    One character is found in a long text at a hundred times the speed of two, so that it is asked first.
    """
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\x08" in text:
        text = _REWRITE.sub(_written_over, text)
    if any(word[0] in text and word in text for word in _GLUES):
        text = _GLUED.sub("\r", text)
    if not text.isascii() and not _WIDE.keys().isdisjoint(map(ord, set(text))):
        text = text.translate(_WIDE)
    text = parted(as_usual(text))
    for unbroken, before in _UNBROKEN:
        if at := [m.start() - before for m in unbroken.finditer(text)]:
            text = "\n".join(text[a:b] for a, b in pairwise([0, *at, len(text)]))
    if "E" in text and " Epoch " in text:
        text = _RUN_ON.sub("\n", text)
    if "`" in text or ("*" in text and "**" in text):
        text = _QUOTED.sub(r"\1", _BOLD.sub(r"\1", text))
    text = _FLOAT64.sub("E", _FLOAT32.sub(r"e\1", text) if _SINGLE.search(text) else text)
    if "{" in text and "{\n" in text:
        text = _SPREAD.sub(lambda m: " ".join(m[0].split()) + "\n" * m[0].count("\n"), text)
    text = _RULED.sub(r"\nepoch \2", _DOTS.sub(r"\n", f"\n{text}"))[1:]
    raw = text.encode("utf-8", "surrogatepass")
    if b"\x7f" not in raw and np.count_nonzero(np.frombuffer(raw, np.uint8) < ord(" ")) == sum(map(raw.count, _BLANKS)):
        return text
    return raw.translate(None, _CONTROL).decode("utf-8", "surrogatepass")


def _written_over(m: re.Match[str]) -> str:
    """What a terminal shows of a line that the cursor went back in: "[=====.....]" and " 5/10 " written into it."""
    line, more = m[1], m[3]
    at = len(line) - len(m[2])
    bar = _DRAWN.match(line) if more.strip() else None
    if bar is not None and not bar.start(1) < at < bar.end(1) - len(more):
        at = bar.start(1) + (len(bar[1]) - len(more)) // 2  # a line that is longer than the terminal is wide
    elif at < 0 or at + len(more) >= len(line):
        return f"{line}\r{m[3]}"
    return line[:at] + more + line[at + len(more) :]


def lines_of(text: str) -> pl.DataFrame:
    """One row a line: `line` (1-based), `text`, `part` (True for what a carriage return overwrote or wrote),
    `long` (the line was cut).

    Parts of one line share its number. Trailing blanks are gone, lines are cut at `LINE_CAP`.
    """
    rows = text.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    frame = pl.DataFrame({"text": pl.Series("text", rows, dtype=pl.String)})
    if "\r" not in text and 4 * max(map(len, rows), default=0) <= LINE_CAP:  # most texts: no line is cut
        at = np.arange(len(rows))
        no = pl.Series(np.zeros(len(rows), bool))
        bare = text.isascii() and " \n" not in text and "\t\n" not in text and text[-1:] not in " \t"
        kept = frame["text"] if bare else frame["text"].str.strip_chars_end()
        return pl.DataFrame({"idx": at, "text": kept, "line": at + 1, "part": no, "long": no})
    cut = pl.col("text").str.slice(0, LINE_CAP).str.strip_chars_end()
    long = (pl.col("text").str.len_bytes() > LINE_CAP).alias("long")
    row = pl.int_range(pl.len(), dtype=pl.Int64).alias("idx")
    count = (row + 1).alias("line")
    if "\r" in text:
        frame = frame.with_columns(count)
        part = pl.col("text").str.strip_chars_end("\r").str.contains("\r", literal=True)
        frame = frame.with_columns(part.alias("part"), pl.col("text").str.split("\r")).explode("text")
        frame = frame.filter(~pl.col("part") | (pl.col("text").str.strip_chars() != ""))
        return frame.select(row, cut, "line", "part", long)
    return frame.select(row, cut, count, pl.lit(False).alias("part"), long)  # at once: each step takes as long


def unknown(name: str, dtype: pl.DataType, n: int) -> pl.Series:
    """A column of nothing but nulls."""
    return pl.Series(name, [None], dtype).new_from_index(0, n)


def _masked(whole: str) -> pl.Expr:
    """The lines without clocks and bars, as a column; what the whole text has none of is not looked for."""
    masked = pl.col("text").str.replace_all(CLOCK_RE, CLOCK)
    if "%|" in whole:
        masked = masked.str.replace_all(_ASCII_BAR_RE, "%||")
    if "[" in whole:
        masked = masked.str.replace_all(_KERAS_BAR_RE, "\u2592")
    if not whole.isascii():
        masked = (
            pl.when(pl.col("text").str.contains(rf"[{_BARS}]"))
            .then(
                masked.str.replace_all(UPRIGHT, "|")
                .str.replace_all(r"\|" + _BAR_RE + r"[ ]*\|", "||")
                .str.replace_all(_BAR_RE, "\u2592")
            )
            .otherwise(masked)
        )
    if any(word in whole for word in _TENSORS):
        masked = (
            pl.when(pl.col("text").str.contains(r"(?:tensor|rray)\("))
            .then(masked.str.replace_all(_TENSOR_TAIL_RE, ""))
            .otherwise(masked)
        )
    if any(word in whole for word in _SHAPES):
        masked = masked.str.replace_all(_SHAPE_RE, "${1} ")
    if " nan " in whole:
        masked = masked.str.replace_all(r"\b(number of|no|any) nan ", "${1} " + NAN_WORD + " ")
    return masked.alias("masked")


def _template(fractions: bool = True, blanks: bool = True) -> pl.Expr:
    """The masked lines without their numbers, as a column; whether any may hold fractions, and blanks side by side."""
    out = pl.col("masked")
    if fractions:
        out = out.str.replace_all(_FRACTION_RE, "${1}" + FRACTION)
    out = out.str.replace_all(_NUMBER_RE, "${1}" + NUMBER)
    if blanks:
        out = out.str.replace_all(r"[ \t]*\t[ \t]*|[ ]{2,}", "  ")
    return out.alias("template")


def with_templates(frame: pl.DataFrame, whole: str) -> pl.DataFrame:
    """Adds `masked` (clocks and bars out) and `template` (numbers out too, runs of blanks as two).

    whole: the text that the lines are of
    """
    cut = any(word in whole for word in _TENSORS + _SHAPES)  # what stood apart may then stand side by side
    template = _template(cut or _TOTAL.search(whole) is not None, cut or "  " in whole or "\t" in whole)
    frame = frame.with_columns(_masked(whole)).with_columns(template)
    kinds = frame["template"].unique()
    of_files = kinds.filter(kinds.str.contains(_FILE_RE)) if len(kinds) >= _FILES else kinds[:0]
    if len(of_files) >= max(_FILES, _MOST * len(kinds)):  # or each line would be of a kind of its own, and no record
        frame = frame.with_columns(pl.col("masked").str.replace_all(_FILE_RE, "file")).with_columns(_template())
        kinds = frame["template"].unique()
    headed = kinds.filter(kinds.str.contains(GLUED_HEAD)) if len(kinds) >= HABIT else kinds[:0]
    if len(headed) >= HABIT:
        anew = frame["template"].is_in(headed.implode())
        again = frame.filter(anew).with_columns(counted_apart(frame.filter(anew)["masked"])).with_columns(_template())
        frame = pl.concat([frame.filter(~anew), again]).sort("idx")
        kinds = frame["template"].unique()
    odd = kinds.filter(kinds.str.contains(COULD))
    if not len(odd):
        return frame
    anew = frame["template"].is_in(odd.implode())
    # a condition within an expression would be asked of every line: most of the time that a text takes
    again = (
        frame.filter(anew).with_columns(spelled(pl.col("masked"), "\n".join(odd.to_list()))).with_columns(_template())
    )
    return pl.concat([frame.filter(~anew), again]).sort("idx")


def slots(masked: pl.Expr) -> pl.Expr:
    """The numbers of a masked line in order, each still with the mark before it, as a list of strings."""
    return masked.str.extract_all(SLOT_RE)
