"""Runs beside each other: families, contrasts, groups, differences."""
