"""JSON logs: records of every layout, columns in one object, Hugging Face states."""
