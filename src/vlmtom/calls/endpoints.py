"""Which endpoint answers a job's calls."""

import os
from typing import Any, Protocol

from vlmtom.calls.types import RawCompletion
from vlmtom.settings import CallSpec


class Endpoint(Protocol):
    """Whatever completes a chat: one attempt, no retries of its own."""

    async def complete(self, body: dict[str, Any]) -> RawCompletion:
        """One attempt. Raises CallFailure where no body came back."""

    async def close(self) -> None:
        """Let connections go."""


def endpoint_for(spec: CallSpec) -> Endpoint:
    """The endpoint that a job's specification names.

    Raises BadConfig if the variable that should hold its key is not set.
    """
    # Each is imported when it is used: a run on observers pays for no HTTP client.
    if spec.endpoint.kind == "embedded":
        from vlmtom.calls.embedded_endpoint import EmbeddedEndpoint

        return EmbeddedEndpoint()
    from vlmtom.calls.openai_endpoint import OpenAIEndpoint, key_from

    return OpenAIEndpoint(
        base_url=spec.endpoint.base_url or "",
        api_key=key_from(os.environ, spec.endpoint.api_key_env),
        timeout_s=spec.model.timeout_s,
        concurrency=spec.model.max_concurrency or spec.model.concurrency,
    )
