"""Sudden events: jumps, spikes, surges, blow-ups, climbs."""
