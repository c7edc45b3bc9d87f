"""Shipped rule files as they were read, checked and compiled once."""
