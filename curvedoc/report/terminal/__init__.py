"""The views for the terminal."""
