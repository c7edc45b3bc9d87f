"""Several trainings in one log: where the next one begins."""
