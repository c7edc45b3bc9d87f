"""The command that starts a run again with what its first action changes."""
