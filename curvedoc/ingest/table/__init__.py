"""Tables of records of any origin: their axis, clock, splits and the log they become."""
