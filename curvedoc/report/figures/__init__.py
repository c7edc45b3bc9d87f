"""Figures that leave the page: as files, and in a notebook."""
