"""Sentences: their fields, and how steps, titles and what a message names read in them."""
