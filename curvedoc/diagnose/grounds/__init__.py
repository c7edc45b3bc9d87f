"""Grounds: what can earn a run the word healthy, and what stands against that."""
