"""What happened over a run beside its findings: the timeline, and notes on how it was logged."""
