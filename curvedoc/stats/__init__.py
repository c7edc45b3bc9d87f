"""Curve statistics. Knows numpy and Series, nothing of runs, files or rules; `words` lists what rules may call."""
