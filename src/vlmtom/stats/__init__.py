"""Statistics shared by the experiments; thin over scipy and statsmodels where those have it."""
