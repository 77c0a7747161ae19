"""The reference agent: projective appraisal, expected free energy, and an order of mind reading."""
