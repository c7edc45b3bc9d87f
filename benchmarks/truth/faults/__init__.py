"""The faults, by where they strike."""
