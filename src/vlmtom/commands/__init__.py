"""What the commands of `vlmtom` do that look after a folder of results, or ask beside it."""
