"""From a YAML file, or Snakemake's mapping, to settings; errors name the nearest known key."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import (
    BaseModel,
    ValidationError,
)

from vlmtom.errors import BadConfig
from vlmtom.settings.base import Frozen, nearest
from vlmtom.settings.registry import Registry
from vlmtom.settings.root import Settings


def load_settings(source: str | Path | Mapping[str, Any]) -> Settings:
    """Settings from a YAML file, or from a mapping such as Snakemake's `config`.

    Raises BadConfig naming the key, what was expected and the nearest known key.
    """
    return _validated(Settings, _mapping(source), _name(source))


def load_layered(path: str | Path, base: str | Path = "config/config.yaml") -> Settings:
    """Settings of a configuration laid over the default one, as `snakemake --configfile` does.

    Mappings are merged key by key, everything else is replaced. Without a default there (or for
    the default itself) the file stands alone. Raises BadConfig.
    """
    content = _mapping(path)
    if Path(base).exists() and not Path(base).samefile(path):
        content = _laid_over(_mapping(base), content)
    return _validated(Settings, content, str(path))


def load_registry(settings: Settings, base: str | Path = ".") -> Registry:
    """The registry that a configuration names, which must hold every tester and judge.

    Raises BadConfig.
    """
    path = Path(base) / settings.models
    registry = _validated(Registry, _mapping(path), str(path))
    for role, slugs in (("tester", settings.asked_testers), ("judge", settings.asked_judges)):
        for slug in slugs:
            if slug not in registry.models:
                raise BadConfig(
                    f"{role} {slug!r} is not in {path}. {nearest(slug, registry.models)} "
                    "Add an entry for it under `models:`, or correct the name."
                )
    if settings.budget is not None:
        _refuse_unpriced(settings, registry, path)
    return registry


def _refuse_unpriced(settings: Settings, registry: Registry, path: Path) -> None:
    """A budget holds only where it is known what a call may cost."""
    slugs = (*settings.asked_testers, *settings.asked_judges)
    unpriced = [
        slug
        for slug, model in ((slug, registry.models[slug]) for slug in slugs)
        if model.price is None and registry.endpoints[model.endpoint].kind != "embedded"
    ]
    if unpriced:
        raise BadConfig(
            f"{path}: budget: {settings.budget:g} USD, but no price is given for "
            f"{', '.join(unpriced)}. Add `price:` with input_usd_per_mtok and "
            "output_usd_per_mtok to each entry (0 for a model of your own), or leave budget out."
        )


def _laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = _laid_over(below, value)
        merged[key] = value
    return merged


def _mapping(source: str | Path | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    try:
        content = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadConfig(
            f"{source}: no such file. Give the path of a YAML configuration."
        ) from error
    except yaml.YAMLError as error:
        raise BadConfig(f"{source}: not valid YAML: {error}") from error
    if not isinstance(content, Mapping):
        raise BadConfig(f"{source}: expected keys and values, found {type(content).__name__}.")
    return content


def _name(source: str | Path | Mapping[str, Any]) -> str:
    return "the configuration" if isinstance(source, Mapping) else str(source)


def _validated(kind: type[Frozen], content: Mapping[str, Any], name: str) -> Any:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        problems = "\n".join(f"  {_problem(kind, detail)}" for detail in error.errors())
        raise BadConfig(f"{name} cannot be used:\n{problems}") from error


def _problem(kind: type[BaseModel], detail: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "(top level)"
    if detail["type"] == "extra_forbidden":
        known = _keys_at(kind, detail["loc"])
        return f"{where}: unknown key. {nearest(str(detail['loc'][-1]), known)}"
    # A key that was written where its variable's name belongs is not repeated.
    silent = detail["type"] == "missing" or "api_key_env" in detail["loc"]
    found = "" if silent else f" (found {detail['input']!r})"
    return f"{where}: {detail['msg'].removeprefix('Value error, ')}{found}"


def _keys_at(kind: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """Known keys beside the one at this location, found by walking the models' annotations."""
    for part in location[:-1]:
        field = kind.model_fields.get(str(part)) if issubclass(kind, BaseModel) else None
        inner = _models_in(field.annotation) if field is not None else [kind]
        if inner:
            kind = inner[0]
    return list(kind.model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
