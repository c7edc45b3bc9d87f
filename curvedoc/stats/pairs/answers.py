"""Answers: what loss and accuracy say together, and how often evaluations give the same answers."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.series import Series
from curvedoc.stats.basic.anchors import double_softmax_floor
from curvedoc.stats.pairs.train_val import difference

LEAST = 4  # evaluations: three are equal by chance too often
#: Values of a set of fewer examples are equal by chance: with so many its accuracies scatter over a dozen and more.
EXAMPLES = 50.0


def entropy_of_answers(right: float, classes: float) -> float | None:
    """Cross-entropy of a model that is right in `right` of all cases and knows of its errors only how many there are.

    A model that also knows which answers are doubtful loses less, one whose probabilities mean nothing loses more.
    None unless 0 < right < 1 with two classes and more.

    >>> round(entropy_of_answers(0.9, 10.0), 3)
    0.545
    """
    if not (0.0 < right < 1.0 and 2.0 <= classes < math.inf):
        return None
    wrong = 1.0 - right
    return -right * math.log(right) - wrong * math.log(wrong / (classes - 1.0))


def above_error_line(loss: Series, accuracy: Series, classes: float) -> Series | None:
    """The loss minus what a doubled softmax costs when it is sure of its answers: its floor, and 1 for each error.

    On the steps of the sparser of the two, the denser one averaged around them; accuracies are shares of 1. Behind two
    softmaxes this stays at 0 or a little above while the accuracy climbs; elsewhere the curve runs down through 0.
    None below two classes.

    >>> above_error_line(Series.of([2.3, 1.96, 1.56]), Series.of([0.1, 0.5, 0.9]), 10.0).value.round(2).tolist()
    [-0.06, -0.0, -0.0]
    """
    floor = double_softmax_floor(classes)
    if floor is None:
        return None
    errors = Series(accuracy.step, floor + 1.0 - accuracy.value, accuracy.metric)
    return difference(loss, errors)


def repeated_share(s: Series) -> float | None:
    """Share of evaluations that give a value to the last digit which another gives too: 1 for a constant, 0 for none.

    Answers that depend on the input change with the weights. A model that gives one answer to all inputs takes only the
    shares of the classes. None below four finite values, or where the values lie so far apart (fewer than 50 examples)
    that chance makes many of them equal.

    >>> repeated_share(Series.of([0.073, 0.073, 0.078, 0.073, 0.083]))
    0.5
    """
    ordered = np.sort(s.finite().value)
    if len(ordered) < LEAST:
        return None
    apart = np.diff(ordered)
    moves = apart[apart > 0.0]
    scale = 100.0 if ordered[-1] > 1.5 else 1.0
    if len(moves) and float(moves.min()) * EXAMPLES > scale * (1.0 + 1e-9):
        return None
    return 1.0 - len(moves) / (len(ordered) - 1)
