"""What earlier calls found, kept on disk."""
