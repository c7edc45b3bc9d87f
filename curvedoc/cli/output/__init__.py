"""Where results go: the two streams of the terminal."""
