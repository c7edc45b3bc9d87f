"""The tasks, by what they are trained for."""
