"""Run x rulebook -> findings, ranked causes, diagnosis."""
