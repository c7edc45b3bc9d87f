"""Weights & Biases: offline logs, run folders, exports."""
