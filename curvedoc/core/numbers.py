"""A number -> how it is written for people: few digits, grouped thousands, powers of ten beyond a million."""

from __future__ import annotations

import math

#: From here on digits say less than the power of ten.
_GREAT = 1e6
#: Below it a number without a form of its own is written as a power of ten.
_SMALL = 1e-3
#: Digits kept where a power of ten carries the rest.
_FEW = 2
#: More digits than this are not written of a number that a form leaves open.
_MOST_DIGITS = 6
#: From here on a number is written whole.
_WHOLE = 1000.0
#: A share is read as one up to a million percent.
_GREAT_SHARE = 1e4


def spelled(value: float | None, form: str = "") -> str:
    """The number as text of at most a dozen characters, whatever its size.

    form: as in rule files: `.3g` (significant digits), `.1f` (decimals), `.0%`, `.1e`, each with a `+` or `,` before
    it, or `step` (a whole number). Without one: three digits, thousands grouped. None is "none", NaN "NaN", infinity
    "inf". A form never makes a number that is not 0 read as 0, and never writes out the digits of a number of 1e6
    or more.

    >>> [spelled(v) for v in (2.10812, 3e-7, 12345.6, math.nan, None, 0.0)]
    ['2.11', '3e-07', '12,346', 'NaN', 'none', '0']
    >>> spelled(8.1e14, ".0f"), spelled(4.96e29, ".1f"), spelled(0.004, ".0%"), spelled(1234.5, ".3g")
    ('8.1e+14', '5e+29', '0.4%', '1,234')
    >>> spelled(20.0, ".1f"), spelled(0.25, "+.0%"), spelled(12_000, "step"), spelled(1e300, ".0%")
    ('20.0', '+25%', '12,000', '1e+302%')
    """
    if value is None:
        return "none"
    v = float(value)
    if math.isnan(v):
        return "NaN"
    sign = "+" if form.startswith("+") and v >= 0 else ""
    if math.isinf(v):
        return f"{sign}inf" if v > 0 else "-inf"
    if v == 0:
        return f"{sign}0%" if form.endswith("%") else f"{sign}0"
    if form == "step":
        return f"{round(v):,}" if abs(v) < 1e15 else _power(v)
    bare = form.lstrip("+").lstrip(",")
    kind = bare[-1:] or "g"
    digits = int(bare[1:-1]) if bare.startswith(".") and bare[1:-1].isdigit() else None
    told = _WRITERS[kind](v, digits)
    if kind == "%" and not form.startswith("+") and 0 < v < 1 and told.startswith("100"):
        return "over 99%"  # not all of them, which a reader would take 100% for
    return sign + told


def _power(v: float, digits: int = _FEW) -> str:
    return f"{v:.{digits}g}"


def _percent(v: float, digits: int | None) -> str:
    if abs(v) >= _GREAT_SHARE:
        # as text, because 100 times the largest numbers overflows
        mantissa, _, power = f"{v:.{_FEW - 1}e}".partition("e")
        return f"{_trimmed(mantissa)}e+{int(power) + 2:02d}%"
    shown = f"{100 * v:,.{0 if abs(v) >= 10 else min(digits or 0, 3)}f}"
    return f"{shown if float(shown.replace(',', '')) else _power(100 * v, 1)}%"


def _fixed(v: float, digits: int | None) -> str:
    if abs(v) >= _GREAT:
        return _power(v)
    # decimals of a number of thousands would be noise
    shown = f"{v:,.{0 if abs(v) >= _WHOLE else min(3 if digits is None else digits, 3)}f}"
    return shown if float(shown.replace(",", "")) else _power(v)


def _general(v: float, digits: int | None) -> str:
    if abs(v) >= _GREAT or (digits is None and abs(v) < _SMALL):
        return _power(v)
    shown = f"{v:.{min(digits or 3, _MOST_DIGITS)}g}"
    return f"{v:,.0f}" if abs(float(shown)) >= _WHOLE else shown


def _scientific(v: float, digits: int | None) -> str:
    if _SMALL <= abs(v) < _WHOLE:
        return _general(v, _FEW)
    return f"{v:.{min(_FEW if digits is None else digits, 3)}e}"


def _trimmed(mantissa: str) -> str:
    return mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa


_WRITERS = {"g": _general, "f": _fixed, "%": _percent, "e": _scientific}
