"""One line of a text log: what its words and numbers mean."""
