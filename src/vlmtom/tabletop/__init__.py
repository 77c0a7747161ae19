"""Labelled blocks on a table, a partition, and a director who may not see all of them."""
