"""Log files of every format in, one polars frame per run out."""
