"""The work on many runs: shards over processes within limits."""
