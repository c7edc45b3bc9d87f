"""Configuration files and settings as flat dotted keys."""
