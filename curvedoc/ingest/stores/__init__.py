"""Stores of experiment trackers and numpy files."""
