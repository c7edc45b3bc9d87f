"""Layouts of a text that are written as one record a line before it is read."""
