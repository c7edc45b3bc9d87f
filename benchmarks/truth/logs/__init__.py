"""What is written of a run, and in which shape."""
