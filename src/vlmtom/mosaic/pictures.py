"""The pictures of a job: drawn when they are asked about, and again when they are sent.

A picture is a pure function of the public state, so that its pixel hash stands for it; no picture
is stored.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from vlmtom.errors import BadData
from vlmtom.mosaic.world import PublicState, Role
from vlmtom.settings import MosaicArm

HELD = 64  # files that are likely to be sent soon


@dataclass(frozen=True)
class _Seen:
    state: PublicState
    role: Role


@dataclass(frozen=True)
class _Drawn:
    name: str
    content: bytes


class Views:
    """What the roles of one pair see, in one arm; a source of pictures for the engine.

    Pictures are drawn in threads, so that nobody's call waits for them.
    """

    def __init__(self, arm: MosaicArm) -> None:
        self._arm = arm
        self._seen: dict[str, _Seen] = {}
        self._known: dict[_Seen, str] = {}
        self._files: OrderedDict[str, bytes] = OrderedDict()
        self._holding = Lock()

    def show(self, state: PublicState, role: Role) -> str:
        """The pixel SHA-256 of what a role sees."""
        seen = _Seen(state, role)
        if seen not in self._known:
            drawn = self._draw(seen)
            self._known[seen] = drawn.name
            self._seen.setdefault(drawn.name, seen)
        return self._known[seen]

    def png(self, pixel_sha256: str) -> bytes:
        """The picture file of a hash that was shown. Raises BadData for any other."""
        held = self._files.get(pixel_sha256)
        if held is not None:
            return held
        seen = self._seen.get(pixel_sha256)
        if seen is None:
            raise BadData(f"picture {pixel_sha256[:16]}…: this job has shown no such picture.")
        return self._draw(seen).content

    def film(self, file_sha256: str) -> bytes:
        """Raise BadData: the game shows no films."""
        raise BadData(f"film {file_sha256[:16]}…: this job was given no films.")

    def close(self) -> None:
        """Nothing to let go."""

    def _draw(self, seen: _Seen) -> _Drawn:
        # Here, because most jobs show nothing, and drawing loads much.
        from vlmtom.mosaic.view import picture
        from vlmtom.rendering.images import encode_png, pixel_sha256

        rgb = picture(seen.state, seen.role, self._arm)
        drawn = _Drawn(pixel_sha256(rgb), encode_png(rgb))
        with self._holding:
            self._files[drawn.name] = drawn.content
            if len(self._files) > HELD:
                self._files.popitem(last=False)
        return drawn
