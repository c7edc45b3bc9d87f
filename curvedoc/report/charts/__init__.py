"""Curves drawn: panels, marks, pictures."""
