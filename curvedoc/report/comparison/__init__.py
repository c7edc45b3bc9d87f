"""Two runs beside each other, and the runs of a table, as text and as JSON."""
