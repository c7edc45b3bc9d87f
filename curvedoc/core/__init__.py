"""What every floor shares: a run, its curves and sources, the diagnosis, errors, numbers."""
