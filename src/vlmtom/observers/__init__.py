"""Embedded testers: each sees what a model would see, and answers by a stated policy.

They take the same message as a model (text and PNG bytes) and know the camera, the palette, the
typeface and the partition's grey. They import nothing that makes scenes, keys or scores.
"""

from vlmtom.observers.chat import answer
from vlmtom.observers.policies import OBSERVERS

__all__ = ["OBSERVERS", "answer"]
