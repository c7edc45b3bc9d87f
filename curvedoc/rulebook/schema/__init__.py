"""What the files of the rulebook may contain: pydantic models, used at the file door only."""
