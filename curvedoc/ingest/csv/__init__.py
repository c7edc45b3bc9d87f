"""Tables of text with separators, with a header or without."""
