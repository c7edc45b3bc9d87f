"""From paths to the files that form a run."""
