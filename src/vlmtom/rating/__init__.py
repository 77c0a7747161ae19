"""Ratings by people: which descriptions they are shown, and what comes back from them."""
