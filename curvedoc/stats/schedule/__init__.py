"""What a logged learning rate did."""
