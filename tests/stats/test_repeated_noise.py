"""Noise that comes again with each epoch, as batches in a fixed order make it, is no swing of the model."""

import numpy as np
import pytest

from curvedoc.core.series import Series
from curvedoc.stats.noise.oscillation import oscillating
from curvedoc.stats.noise.period import period


@pytest.mark.parametrize("seed", range(5))
def test_batches_in_a_fixed_order_have_a_period_and_no_wave(seed: int) -> None:
    rng = np.random.default_rng(seed)
    batches, epochs = 46, 24
    fall = 0.3 * np.exp(-np.arange(batches * epochs) / 60.0)
    y = 1.0 + fall + np.tile(rng.normal(0.0, 0.2, batches), epochs) + rng.normal(0.0, 0.02, batches * epochs)
    curve = Series.of(y)
    assert period(curve) is not None
    assert oscillating(curve, 0.6) is False


@pytest.mark.parametrize("seed", range(5))
def test_a_wave_as_high_as_the_noise_is_seen(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.arange(1000)
    y = 1.0 + 0.3 * np.exp(-x / 60.0) + 0.3 * np.sin(x / 8.0) + rng.normal(0.0, 0.1, len(x))
    assert oscillating(Series.of(y), 0.6) is True
