"""How a run ended: what was said, what the stores know, how far it came."""
