"""The logs of one run, put together."""
