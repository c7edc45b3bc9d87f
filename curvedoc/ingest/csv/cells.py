"""Numbers in the cells of a CSV, where NaN, infinity, missing and unreadable are four different things."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from curvedoc.core.frozen import dataclass

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Spelled-out "nothing here": no value was logged (Keras writes NA, Python None, spreadsheets the others).
_MISSING = ("", "na", "n/a", "#n/a", "none", "null", "nil", "-", "--", "\u2013", "\u2014", "<na>", "nat", "missing")
_NAN = ("nan", "+nan", "-nan", "1.#qnan", "-1.#ind", "1.#ind", "nan(ind)", "-nan(ind)")
_INF = {
    "inf": "inf",
    "+inf": "inf",
    "infinity": "inf",
    "1.#inf": "inf",
    "-inf": "-inf",
    "-infinity": "-inf",
    "-1.#inf": "-inf",
    "∞": "inf",
}
#: A column with fewer readable cells than this is text, not a metric with damage.
_TEXT_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class CellColumn:
    """One column read as numbers.

    value: NaN where missing or unreadable, too; there: which cells are numbers (None: all of them);
    bad: which cells should have been one (None: none); text: no metric at all
    """

    value: Floats
    there: Bools | None = None
    bad: Bools | None = None
    text: bool = False

    def kept(self) -> Floats:
        """The numbers alone."""
        return self.value if self.there is None else self.value[self.there]


def numbers(cells: pl.Series, comma: bool = False) -> CellColumn:
    """The numbers of one column of strings.

    comma: the decimal mark is a comma. Thousands separators, a percent sign and True/False are read too.
    """
    if not comma:
        quick = cells.cast(pl.Float64, strict=False)
        if quick.null_count() == cells.null_count() and not quick.is_nan().any():
            return all_numbers(quick)
    low = cells.str.to_lowercase()
    missing = low.is_null() | low.is_in(list(_MISSING))
    plain = cells.str.replace(",", ".", literal=True) if comma else cells
    values = plain.cast(pl.Float64, strict=False)
    rest = (values.is_null() & ~missing) | values.is_nan().fill_null(False)
    if bool(rest.any()):
        values = values.zip_with(~rest, _odd(low.set(~rest, None), comma))
    values = values.set(missing, None)
    bad = values.is_null() & ~missing
    filled = int((~missing).sum())
    text = filled > 0 and int(bad.sum()) > (1 - _TEXT_SHARE) * filled
    return CellColumn(*_parts(values), bad.to_numpy() if bool(bad.any()) else None, text)


def all_numbers(values: pl.Series) -> CellColumn:
    """A column in which every filled cell is a number (null: a blank one)."""
    return CellColumn(*_parts(values))


def _parts(values: pl.Series) -> tuple[Floats, Bools | None]:
    return values.to_numpy(), values.is_not_null().to_numpy() if values.null_count() else None


def _odd(low: pl.Series, comma: bool) -> pl.Series:
    """Numbers in the spellings that a plain cast does not take; null for what is none."""
    nan = low.is_in(list(_NAN))
    swap = low.replace(_INF).replace({"true": "1", "false": "0"})
    thousands = swap.str.contains(r"^[-+]?[0-9]{1,3}([,_ ][0-9]{3})+(\.[0-9]+)?%?$")
    tidy = swap.str.replace_all("[,_ ]", "").zip_with(thousands.fill_null(False), swap)
    tidy = tidy.str.strip_chars_end("%").str.strip_chars_start("$").str.replace(r"^tensor\(([^,)]*).*$", "${1}")
    values = tidy.cast(pl.Float64, strict=False)
    values = values.set(values.is_nan().fill_null(False), None)
    return values.set(nan.fill_null(False), float("nan"))


def is_comma_decimal(cells: pl.DataFrame, sep: str) -> bool:
    """Whether numbers carry a decimal comma: only where the comma does not separate cells."""
    if sep == ",":
        return False
    sample = cells.head(200)
    with_comma = sum(
        int(sample[c].str.contains(r"^[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?$").sum()) for c in sample.columns
    )
    with_point = sum(int(sample[c].str.contains(r"^[-+]?[0-9]*\.[0-9]+").sum()) for c in sample.columns)
    return with_comma > with_point


def nan_for_missing(known: Floats) -> bool:
    """Whether NaN in a sparse column only says that nothing was logged there.

    A loss that is lost stays lost; here finite values come back after most of the gaps, and the gaps are the rule.
    """
    gap = np.isnan(known)
    if len(known) < 6 or not gap.any():
        return False
    return float(gap.mean()) >= 0.5 and int((gap[:-1] & ~gap[1:]).sum()) >= 3


def list_items(cells: pl.Series, cap: int = 32) -> list[CellColumn]:
    """The elements of cells such as "[0.1, 0.2]", one column each; none where no cell is a list."""
    listed = cells.str.contains(r"^\[[^\[\]]*\]$").fill_null(False)
    if not bool(listed.any()):
        return []
    parts = (
        cells.set(~listed, None).str.strip_chars("[]").str.replace_all(r"[\s,;]+", " ").str.strip_chars().str.split(" ")
    )
    width = min(cap, int(parts.list.len().fill_null(0).to_numpy().max()))
    return [numbers(parts.list.get(i, null_on_oob=True)) for i in range(width)]
