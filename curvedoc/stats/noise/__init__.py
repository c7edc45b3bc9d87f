"""Noise, averages and oscillation about a trend."""
