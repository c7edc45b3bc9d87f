"""What names of metrics and settings mean."""
