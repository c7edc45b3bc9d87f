"""Guessing: what the rows of a classifier that guesses say about the number of its classes."""

from __future__ import annotations

import math

import numpy as np

from curvedoc.core.series import Series

#: Opening rows whose loss is within this share of the first one belong to a model that still guesses.
_UNTRAINED = 0.01
#: And no more than these, for with a doubled softmax an accuracy rises long before the loss falls.
_ROWS = 5
#: A guess is right once in C. A model that has learned to a cross-entropy of L is right more than e to the -L, and
#: about twice that often once a tenth of ln C is gone; the accuracy of one small batch scatters by the second number.
_MORE_OFTEN = 1.35
_SCATTER = 0.08
#: No share is as large: above this an accuracy is in percent.
_WHOLE = 1.5
#: Classes, tokens: more are not heard of.
_MOST = 1e6
#: At the end of a run: the share of its rows that counts, and how far e to the loss may lie from a whole number.
_REST = 0.5
#: Answers as often right in so many evaluations, within this share of it, and so many standard errors more often than a
#: guess among as many classes, of which there are no fewer than this.
_ENOUGH, _SAME, _SURELY, _FEWEST = 5, 0.05, 2.5, 3.0
_WHOLE_NUMBER = 0.04
#: Below a guess by more than this the accuracy and the loss do not speak of the same classes.
_LESS_OFTEN = 0.65
#: Above so many classes every loss lies near the logarithm of a whole number.
_FEW = 20.0


def classes_at_start(loss: Series, accuracy: Series) -> float | None:
    """How many classes an untrained model guessed among, told alike by its first loss (ln C) and accuracy (1 / C).

    loss, accuracy: of training, over the same rows or not; accuracies above 1.5 count as percentages. None where the
    first rows contradict each other (the model had learned before the log begins, another loss, a spread of
    logits), below two classes, or without a finite row of both.

    >>> classes_at_start(Series.of([2.31, 2.2, 1.9]), Series.of([0.11, 0.2, 0.4]))
    10.0
    >>> classes_at_start(Series.of([1.2, 1.0, 0.9]), Series.of([0.55, 0.6, 0.7])) is None
    True
    """
    lost, right = loss.finite(), accuracy.finite()
    if not len(lost) or not len(right) or not 0.0 < lost.value[0] < math.log(_MOST):
        return None
    first = float(lost.value[0])
    classes = float(round(math.exp(first)))
    if classes < 2.0:
        return None
    learned = np.flatnonzero(lost.value[:_ROWS] < first * (1.0 - _UNTRAINED))
    end = lost.step[int(learned[0]) if len(learned) else min(_ROWS, len(lost)) - 1]
    rows = max(1, int(right.step.searchsorted(end)))
    unit = 100.0 if float(np.max(right.value)) > _WHOLE else 1.0
    guessed = float(np.mean(right.value[:rows])) / unit
    return classes if guessed <= _MORE_OFTEN / classes + _SCATTER / math.sqrt(rows) else None


def classes_at_rest(loss: Series, accuracy: Series) -> float | None:
    """How many classes a model guesses among that ends at chance, told alike by its loss (ln C) and accuracy (1 / C).

    loss, accuracy: over the same rows or not; accuracies above 1.5 count as percentages. The medians of the last half
    of the finite rows count. None where the two contradict each other (a model that has learned to a cross-entropy of
    L is right clearly more often than e to the -L), where e to the loss is no whole number from 3 to 20, or without a
    finite row of both.

    >>> classes_at_rest(Series.of([4.4, 1.62, 1.61, 1.61]), Series.of([0.2, 0.19, 0.22, 0.2]))
    5.0
    >>> classes_at_rest(Series.of([4.4, 1.62, 1.61, 1.61]), Series.of([0.2, 0.3, 0.4, 0.4])) is None
    True
    """
    lost, right = loss.finite().value, accuracy.finite().value
    if not len(lost) or not len(right):
        return None
    level = float(np.median(lost[int(len(lost) * _REST) :]))
    if not math.log(2.5) < level < math.log(_FEW + 1.0):
        return None
    guesses = math.exp(level)
    classes = float(round(guesses))
    if abs(guesses / classes - 1.0) > _WHOLE_NUMBER:
        return None
    end = right[int(len(right) * _REST) :]
    unit = 100.0 if float(np.max(right)) > _WHOLE else 1.0
    share = float(np.mean(end)) / unit
    if not _LESS_OFTEN < share * classes < _MORE_OFTEN:
        return None
    # outputs that rest above a guess cost what one among more classes does: the same share of right answers, evaluation
    # after evaluation, tells how many there are
    scatter = float(np.std(end)) / unit
    fewer = float(round(1.0 / share))
    rests = len(end) >= _ENOUGH and scatter < _SAME * share
    surely = share - 1.0 / classes > _SURELY * scatter / math.sqrt(len(end))
    return fewer if rests and surely and _FEWEST <= fewer < classes else classes
