"""Rule and cause files: language, schema, loading."""
