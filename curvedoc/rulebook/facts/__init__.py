"""Facts: what is true of a run, known by stated ways."""
