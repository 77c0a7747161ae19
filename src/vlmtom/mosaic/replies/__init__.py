"""What models reply in the game, read by closed rules: tolerant of form, never guessing."""
