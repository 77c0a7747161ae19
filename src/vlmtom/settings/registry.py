"""The registry of models and endpoints, and how calls are made."""

import re
import unicodedata
from typing import Any, Literal

from pydantic import (
    Field,
    field_validator,
    model_validator,
)

from vlmtom.settings.base import EndpointName, Frozen, TesterSlug


class EndpointEntry(Frozen):
    """Where models are reached."""

    kind: Literal["openai", "embedded"]
    base_url: str | None = None  # any OpenAI-compatible gateway, up to and including /v1
    api_key_env: str | None = None  # the variable's name; the key itself is never configured
    rpm: float | None = Field(default=None, gt=0)  # requests a minute, of all jobs together
    tpm: float | None = Field(default=None, gt=0)  # tokens a minute, of all jobs together

    @field_validator("api_key_env")
    @classmethod
    def _is_a_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise ValueError(
                "expected the name of an environment variable (letters, digits, underscores); "
                "the key itself is never written here"
            )
        return value

    @model_validator(mode="after")
    def _has_url(self) -> "EndpointEntry":
        if self.kind == "openai" and not self.base_url:
            raise ValueError(
                "an endpoint of kind 'openai' needs a base_url, such as http://127.0.0.1:8000/v1"
            )
        return self


class Sampling(Frozen):
    """What is asked for with each request; null leaves the provider's default."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=1024, gt=0)
    reasoning_effort: str | None = None  # "none", "minimal", "low", … where a model has one
    send_seed: bool = True  # the trial's own seed
    image_detail: Literal["low", "high", "auto"] | None = None  # of every picture
    extra: dict[str, Any] = {}  # provider-specific fields of the request body


REASONING_MAX_TOKENS = 8192  # at least, where a model's entry does not say


class ReasoningSampling(Frozen):
    """What changes in the requests of arms that allow reasoning."""

    # null: no limit where the sampling has none, else its own, or 8192 if that is more.
    max_tokens: int | None = Field(default=None, gt=0)
    reasoning_effort: str | None = None  # null: the model's own default
    extra: dict[str, Any] | None = None  # in place of the sampling's; null: the same


class Price(Frozen):
    """List price in US dollars for a million tokens."""

    input_usd_per_mtok: float = Field(ge=0)
    output_usd_per_mtok: float = Field(ge=0)


class ModelEntry(Frozen):
    """One model of the registry."""

    endpoint: str
    kind: Literal["model", "observer"] = "model"
    gateway_model: str  # the id that the endpoint knows
    family: str
    lab: str
    price: Price | None = None
    sampling: Sampling = Sampling()
    reasoning: ReasoningSampling = ReasoningSampling()  # in arms that allow it
    json_schema: bool = True  # as a judge, ask for its JSON schema as the response format
    served_as: tuple[str, ...] = ()  # other ids under which the gateway may serve this model
    timeout_s: float = Field(default=120, gt=0)
    max_media_bytes: int | None = Field(default=None, gt=0)  # of one picture or film, as base64
    max_message_bytes: int | None = Field(default=None, gt=0)  # of all of a request together
    probe: bool = True  # ask once whether the model sees pictures, before anything else
    concurrency: int = Field(default=8, ge=1)  # requests in flight at once
    # With it, concurrency is only the start: overloads lower it, successes raise it up to this.
    max_concurrency: int | None = Field(default=None, ge=1)

    def sampling_for(self, reasoning: bool) -> Sampling:
        """What is asked for with each request of an item, which may allow reasoning."""
        if not reasoning:
            return self.sampling
        limit = self.reasoning.max_tokens
        if limit is None and self.sampling.max_tokens is not None:
            limit = max(REASONING_MAX_TOKENS, self.sampling.max_tokens)
        extra = self.sampling.extra if self.reasoning.extra is None else self.reasoning.extra
        return self.sampling.model_copy(
            update={
                "max_tokens": limit,
                "reasoning_effort": self.reasoning.reasoning_effort,
                "extra": extra,
            }
        )

    @model_validator(mode="after")
    def _starts_below_its_limit(self) -> "ModelEntry":
        if self.max_concurrency is not None and self.max_concurrency < self.concurrency:
            raise ValueError(
                f"max_concurrency ({self.max_concurrency}) is below concurrency "
                f"({self.concurrency}), where the limit starts; raise it, or leave it out"
            )
        return self


class Registry(Frozen):
    """Every endpoint and model known (config/models.yaml)."""

    endpoints: dict[EndpointName, EndpointEntry]
    models: dict[TesterSlug, ModelEntry]

    @model_validator(mode="after")
    def _consistent(self) -> "Registry":
        for slug, entry in self.models.items():
            if entry.endpoint not in self.endpoints:
                raise ValueError(
                    f"model {slug!r} names the endpoint {entry.endpoint!r}; "
                    f"known are {', '.join(self.endpoints)}"
                )
        folded: dict[str, str] = {}
        for slug in self.models:
            other = folded.setdefault(unicodedata.normalize("NFC", slug).casefold(), slug)
            if other != slug:
                raise ValueError(f"models {other!r} and {slug!r} differ only in case")
        return self


class CallSettings(Frozen):
    """How calls are made; nothing of it is part of what is asked."""

    parallel_jobs: int = Field(default=4, ge=1)  # call jobs at once
    attempts: int = Field(default=6, ge=1)  # HTTP attempts for a request, the first included
    total_time_s: float = Field(default=1800, gt=0)  # for one request, waits included
    backoff_s: float = Field(default=1, gt=0)  # before the second attempt; doubles
    max_backoff_s: float = Field(default=60, gt=0)
    max_pause_s: float = Field(default=900, gt=0)  # a longer Retry-After ends the job


# The code of the embedded observers: its digest is part of what they are asked, and of the rules
# that ask them, because an observer's code is its weights.
OBSERVER_CODE = (
    "observers",
    "rendering/__init__.py",
    "rendering/labels.py",
    "rendering/vectors.py",
)
