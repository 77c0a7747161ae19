"""What every caption says about where its numbers come from."""

from collections.abc import Iterable


def testers_note(kinds: Iterable[str]) -> str:
    """Who was tested: observers are never shown as models."""
    kinds = set(kinds)
    if kinds == {"observer"}:
        return (
            "All testers are embedded observers with stated policies, not models: "
            "the numbers check the pipeline."
        )
    if "observer" in kinds:
        return "Testers marked (observer) follow stated policies; they are not models."
    return ""


def tester_label(slug: str, kind: str, kinds: Iterable[str]) -> str:
    """A tester's name in a row; observers are marked where models stand beside them."""
    return f"{slug} (observer)" if kind == "observer" and set(kinds) != {"observer"} else slug
