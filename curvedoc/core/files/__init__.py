"""Files that are written: what is kept between calls, and what a user asked for."""
