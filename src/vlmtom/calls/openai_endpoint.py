"""Any OpenAI-compatible server, by HTTP: one attempt a call, its body seen as it came."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2  # the transport of the openai package
import openai

from vlmtom.calls.failures import http_failure, undecodable
from vlmtom.calls.types import CallFailure, RawCompletion
from vlmtom.errors import BadConfig

_NO_KEY = "not-needed"  # the client refuses to start without any; local servers read none
_REDACTED = "[key]"
_SHORTEST_SECRET = 8  # below it, a "key" such as EMPTY is a placeholder, and a common word


def key_from(environment: Mapping[str, str], variable: str | None) -> str | None:
    """The key that a variable holds; None for an endpoint that needs none.

    Raises BadConfig, naming the variable and never a key, if it is not set or no key can look
    like that: one with white space or control characters inside would be refused by the client,
    in a message that shows it.
    """
    if variable is None:
        return None
    key = environment.get(variable, "").strip()
    if not key:
        raise BadConfig(
            f"the environment variable {variable} is not set; the endpoint's key is read from "
            f"it. Run `export {variable}=…` first, or set api_key_env to null for a server "
            "without keys."
        )
    if not all(char.isascii() and char.isprintable() and char != " " for char in key):
        raise BadConfig(
            f"the environment variable {variable} holds white space, a line break or a character "
            "beyond ASCII inside the key. Set it to the key alone."
        )
    return key


class OpenAIEndpoint:
    """A server reached by HTTP. It never retries, and never shows its key."""

    def __init__(
        self, base_url: str, api_key: str | None, timeout_s: float, concurrency: int
    ) -> None:
        # A pool as large as the number in flight stalls under load; give it room.
        connections = max(1000, 4 * concurrency)
        limits = httpx2.Limits(
            max_connections=connections, max_keepalive_connections=max(100, 2 * concurrency)
        )
        self._key = api_key
        self._timeout_s = timeout_s
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or _NO_KEY,
            max_retries=0,
            timeout=timeout_s,
            http_client=openai.DefaultAsyncHttpxClient(limits=limits, timeout=timeout_s),
        )
        self._url = str(self._client.base_url)

    async def complete(self, body: dict[str, Any]) -> RawCompletion:
        """One attempt. Raises CallFailure for whatever is not a whole JSON body of status 2xx.

        An echoed key is blotted out of everything that comes back, however it was written.
        """
        try:
            raw = await self._attempt(body)
        except CallFailure as failure:
            raise CallFailure(
                failure.error_kind,
                self._blotted(failure.message),
                retryable=failure.retryable,
                retry_after_s=failure.retry_after_s,
                status_code=failure.status_code,
                filtered=failure.filtered,
                parameter=failure.parameter,
            ) from None
        return replace(raw, body=self._blotted(raw.body), request_id=self._blotted(raw.request_id))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _attempt(self, body: dict[str, Any]) -> RawCompletion:
        try:
            # The raw response: gateways add fields that the client's types would drop.
            response = await self._client.post(
                "/chat/completions", body=body, cast_to=httpx2.Response
            )
        except openai.APIStatusError as error:
            failed = error.response
            content = self._without_key(failed.content)
            raise http_failure(failed.status_code, content, failed.headers) from None
        except openai.APITimeoutError:
            raise CallFailure(
                "network", f"no reply from {self._url} within {self._timeout_s:g} s", retryable=True
            ) from None
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            what = f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
            raise CallFailure(
                "network", f"connection to {self._url}: {what}", retryable=True
            ) from None
        return _decoded(self._without_key(response.content), response.headers)

    def _without_key(self, content: bytes) -> bytes:
        """A raw body without the key, before it is cut anywhere; escapes are undone later."""
        if not self._key or len(self._key) < _SHORTEST_SECRET:
            return content
        return content.replace(self._key.encode(), _REDACTED.encode())

    def _blotted(self, value: Any) -> Any:
        """A decoded value without the key, in any string of it."""
        if not self._key or len(self._key) < _SHORTEST_SECRET:
            return value
        if isinstance(value, str):
            return value.replace(self._key, _REDACTED)
        if isinstance(value, list):
            return [self._blotted(part) for part in value]
        if isinstance(value, dict):
            return {self._blotted(name): self._blotted(part) for name, part in value.items()}
        return value


def _decoded(content: bytes, headers: Mapping[str, str]) -> RawCompletion:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        start = " ".join(content[:80].decode("utf-8", "replace").split())
        kind = headers.get("content-type", "no content type")
        raise undecodable(f"the reply is not JSON ({kind}): {start!r}") from None
    return RawCompletion(body, headers.get("x-request-id"), headers)
