"""Two curves beside each other: train and validation, two runs, repeats."""
