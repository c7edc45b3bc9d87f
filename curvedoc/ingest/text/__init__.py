"""Text logs: what a training prints."""
