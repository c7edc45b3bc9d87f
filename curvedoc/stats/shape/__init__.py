"""The shape of a curve: its trend, decay, plateaus, turns and end."""
