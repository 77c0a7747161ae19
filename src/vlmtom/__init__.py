"""Theory of mind in vision-language models, measured end to end."""

__version__ = "0.1.0"
