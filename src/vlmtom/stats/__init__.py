"""Statistics shared by the experiments: majorities, references, bootstrap, rank correlation."""
