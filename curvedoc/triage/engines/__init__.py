"""Where the map over shards runs."""
