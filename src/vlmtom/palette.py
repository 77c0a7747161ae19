"""The closed colour vocabulary: what prompts offer and what parsing reads."""

PALETTE_COLORS = ("yellow", "red", "blue", "purple", "green", "orange", "cyan")
