"""Pictures from triangles: the same pixels on every machine, with no graphics library."""
