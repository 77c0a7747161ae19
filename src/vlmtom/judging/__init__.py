"""Free text to scores: rubric, blinding, the judges' prompt, verdicts, and how judges are checked.

An experiment's descriptions come in as replies and keys; nothing here knows which experiment it is.
"""

from vlmtom.judging.blinding import blind_rows, blind_salt, blind_together, descriptions
from vlmtom.judging.prompts import OVERLAYS, every_prompt, instruments, prompt
from vlmtom.judging.rubric import Rubric, read_rubric

__all__ = [
    "OVERLAYS",
    "Rubric",
    "blind_rows",
    "blind_salt",
    "blind_together",
    "descriptions",
    "every_prompt",
    "instruments",
    "prompt",
    "read_rubric",
]
