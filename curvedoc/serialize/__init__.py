"""Frozen dataclasses to plain JSON values and back."""
