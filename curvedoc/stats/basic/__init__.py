"""Levels, windows, noise scales and plain arithmetic that the other statistics stand on."""
