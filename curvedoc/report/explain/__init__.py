"""Pages of the reference."""
