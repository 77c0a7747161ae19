"""A real HTTP server on 127.0.0.1 that answers, or fails, as it is told."""
