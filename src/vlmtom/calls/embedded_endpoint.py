"""Observers, asked with the very body that a model would get."""

import asyncio
from collections.abc import Callable
from typing import Any

from vlmtom.calls.types import RawCompletion


class EmbeddedEndpoint:
    """An endpoint in this process; it reports no usage, because it has none.

    answer: a chat completion for a body; the observers' own unless another is given.
    """

    def __init__(self, answer: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> None:
        if answer is None:
            # Late, because observers load image processing that no other call needs.
            from vlmtom.observers import answer
        self._answer = answer

    async def complete(self, body: dict[str, Any]) -> RawCompletion:
        """The observer's answer, worked out in a thread. An observer's error is not retried."""
        return RawCompletion(await asyncio.to_thread(self._answer, body))

    async def close(self) -> None:
        """Nothing to let go."""
