"""The entry points of call jobs, each behind its wall."""
