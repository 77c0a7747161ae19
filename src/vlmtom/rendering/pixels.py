"""A picture's identity and its PNG file, with nothing but numpy and the standard library.

What runs beside the calls imports this and no image library.
"""

import hashlib
import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
UP_FILTER = 2  # each byte is stored as its difference from the byte above


def checked(rgb: np.ndarray) -> np.ndarray:
    """The picture, contiguous. Raises ValueError unless it is (height, width, 3) uint8."""
    if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3:
        raise ValueError(f"a picture is (height, width, 3) uint8, not {rgb.shape} {rgb.dtype}")
    return np.ascontiguousarray(rgb)


def pixel_sha256(rgb: np.ndarray) -> str:
    """SHA-256 of `HEIGHTxWIDTHx3:` and the raw RGB bytes, as hex.

    The identity of a picture: it does not depend on how a PNG encoder compresses.
    """
    rgb = checked(rgb)
    height, width, _ = rgb.shape
    digest = hashlib.sha256(f"{height}x{width}x3:".encode())
    digest.update(rgb.data)  # not copied: a grid of whole frames has 177 MB
    return digest.hexdigest()


def plain_png(rgb: np.ndarray, level: int = 6) -> bytes:
    """A PNG file of a picture. level: of zlib, 1 (fast) to 9 (small)."""
    rgb = checked(rgb)
    height, width, _ = rgb.shape
    rows = rgb.reshape(height, width * 3)
    filtered = np.empty((height, width * 3 + 1), np.uint8)
    filtered[:, 0] = UP_FILTER
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(filtered, level)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(content, zlib.crc32(kind))
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
