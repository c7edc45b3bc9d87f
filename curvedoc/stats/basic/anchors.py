"""Anchors: the levels that theory gives: chance, the floor of a doubled softmax, powers of two."""

from __future__ import annotations

import math


def chance_level(classes: float) -> float | None:
    """Cross-entropy of a uniform guess over `classes` classes: ln C. None below two classes.

    >>> round(chance_level(10.0), 6)
    2.302585
    """
    return math.log(classes) if 2.0 <= classes < math.inf else None


def chance_accuracy(classes: float) -> float | None:
    """Accuracy of a uniform guess: 1 / C. None below two classes.

    >>> chance_accuracy(10.0)
    0.1
    """
    return 1.0 / classes if 2.0 <= classes < math.inf else None


def double_softmax_floor(classes: float) -> float | None:
    """Lowest cross-entropy over inputs that went through softmax already: ln(e + C - 1) - 1.

    Probabilities taken for logits differ by 1 at most, so the true class never gets more than e / (e + C - 1).

    >>> round(double_softmax_floor(10.0), 6)
    1.46115
    """
    return math.log(math.e + classes - 1.0) - 1.0 if 2.0 <= classes < math.inf else None


def double_softmax_ceiling(classes: float) -> float | None:
    """Highest cross-entropy over inputs that went through softmax already: one above its floor.

    >>> round(double_softmax_ceiling(10.0), 6)
    2.46115
    """
    floor = double_softmax_floor(classes)
    return None if floor is None else floor + 1.0


def smoothing_floor(classes: float, smoothing: float) -> float | None:
    """Lowest cross-entropy against labels smoothed by `smoothing` over all classes: their entropy.

    >>> round(smoothing_floor(10.0, 0.1), 4)
    0.5003
    """
    if not (2.0 <= classes < math.inf and 0.0 <= smoothing < 1.0):
        return None
    rest = smoothing / classes
    top = 1.0 - smoothing + rest
    return -top * math.log(top) - (classes - 1.0) * (rest * math.log(rest) if rest > 0.0 else 0.0)


def classes_at_chance(level: float) -> float | None:
    """How many classes a uniform guess at this cross-entropy has: e to the level. None when not between 1 and 1e9.

    >>> round(classes_at_chance(2.302585), 3)
    10.0
    """
    return math.exp(level) if 0.0 < level < 20.7 else None


def classes_at_floor(level: float) -> float | None:
    """How many classes a doubled softmax with this floor has: the inverse of `double_softmax_floor`.

    >>> round(classes_at_floor(1.46115), 3)
    10.0
    """
    return math.exp(level + 1.0) - math.e + 1.0 if 0.0 < level < 20.7 else None


def init_excess(first: float, classes: float) -> float | None:
    """Spread of random logits that would lift the first loss to `first`: sqrt(2 (loss - ln C)); 0 at or below ln C.

    About 1 or less in ordinary initializations. Holds for many classes; over-states for few.

    >>> round(init_excess(11.0092, 50304.0), 1)
    0.6
    """
    chance = chance_level(classes)
    if chance is None or not abs(first) < 1e300:
        return None
    return math.sqrt(2.0 * max(0.0, first - chance))


def in_nats(bits: float) -> float:
    """Bits as nats: times ln 2.

    >>> round(in_nats(1.0), 6)
    0.693147
    """
    return bits * math.log(2.0)


def power_of_two_factor(value: float, expected: float, rel: float) -> float | None:
    """The power of two that `value` is of `expected`, within `rel` of it: 2, 4, 8 ... or 1/2, 1/4 ...; None if none.

    1 is no factor and gives None.

    >>> power_of_two_factor(65536.0 * 2.3, 2.302585, 0.01)
    65536.0
    """
    if not (0.0 < value < math.inf and 0.0 < expected < math.inf):
        return None
    power = math.log2(value) - math.log2(expected)
    whole = round(power)
    if whole == 0 or abs(whole) > 1000 or abs(2.0 ** (power - whole) - 1.0) > rel:
        return None
    return 2.0**whole


def integer_factor(value: float, expected: float, rel: float) -> float | None:
    """The whole number above 1 that `value` is of `expected`, within `rel`: a sum logged for a mean; None if none.

    >>> integer_factor(9.2103, 2.302585, 0.01)
    4.0
    """
    if not (0.0 < value < math.inf and 0.0 < expected < math.inf) or value / 1e9 > expected:
        return None
    times = value / expected
    whole = round(times)
    return float(whole) if whole > 1 and abs(times / whole - 1.0) <= min(rel, 0.5 / whole) else None
