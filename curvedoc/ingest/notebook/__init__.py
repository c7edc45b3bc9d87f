"""Notebooks: what the cells of a Jupyter notebook printed."""
