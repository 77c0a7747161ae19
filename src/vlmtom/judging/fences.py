"""How a text of somebody else's stands in a prompt: between two lines that it cannot hold."""

from vlmtom.store.digests import sha256_text

FENCE_DIGITS = 12


def fence_around(what: str, name: str, text: str) -> str:
    """A line that the text does not hold, such as `[description 0a1b2c3d4e5f]`.

    what: the word in it. name: the id that the text has in the prompt. The digits follow from a
    digest of the text itself, so that nobody can write them beforehand; should the text hold them
    all the same, the next ones are taken.
    """
    attempt = 0
    while True:
        digest = sha256_text(f"{attempt}\0{name}\0{text}")
        if digest[:FENCE_DIGITS] not in text.lower():
            return f"[{what} {digest[:FENCE_DIGITS]}]"
        attempt += 1
