"""curvedoc: what a training run left behind, diagnosed offline."""

__version__ = "0.1.0"
