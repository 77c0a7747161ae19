"""Tables and figures as they go into a paper."""
