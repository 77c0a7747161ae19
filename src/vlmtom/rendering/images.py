"""Pictures as bytes: their PNG file, checked, and sheets of them for people."""

from collections.abc import Sequence

import cv2
import numpy as np

from vlmtom.rendering.pixels import checked, pixel_sha256


class PngMismatch(RuntimeError):
    """A PNG file does not hold the picture that was put into it."""


def decode_image(data: bytes) -> np.ndarray:
    """(height, width, 3) uint8 RGB of a PNG or JPEG file's bytes; ValueError if unreadable."""
    bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if bgr is None:
        raise ValueError(f"not an image that OpenCV can read ({len(data)} bytes)")
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)


def encode_png(rgb: np.ndarray) -> bytes:
    """A PNG file that is known to hold these pixels: it is decoded again and compared."""
    rgb = checked(rgb)
    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    ok, data = cv2.imencode(".png", bgr)
    if not ok:
        raise PngMismatch(f"OpenCV could not encode a picture of shape {rgb.shape} as PNG")
    data = data.tobytes()
    # Compared as they lie: of a grid of whole frames each further copy takes 177 MB.
    decoded = cv2.cvtColor(decode_image(data), cv2.COLOR_RGB2BGR)
    if decoded.shape != bgr.shape or cv2.norm(decoded, bgr, cv2.NORM_INF):
        raise PngMismatch(
            f"the PNG file of picture {pixel_sha256(rgb)[:12]} decodes to other pixels; "
            f"OpenCV {cv2.__version__} is not usable here, install the pinned version"
        )
    return data


def contact_sheet(
    images: Sequence[np.ndarray],
    captions: Sequence[str] | None = None,
    columns: int = 4,
    cell_width: int = 320,
) -> np.ndarray:
    """A sheet of small pictures, row by row, for people to look over: (h, w, 3) uint8 RGB.

    No tester sees it, so its scaling and its text are OpenCV's.
    """
    if not images:
        raise ValueError("a contact sheet needs at least one picture")
    if captions is not None and len(captions) != len(images):
        raise ValueError(f"{len(images)} pictures but {len(captions)} captions")
    heights = [max(1, round(i.shape[0] * cell_width / i.shape[1])) for i in images]
    caption_px, margin = (22 if captions is not None else 0), 4
    cell = max(heights) + caption_px + margin
    rows = -(-len(images) // columns)
    sheet = np.full((rows * cell + margin, columns * (cell_width + margin) + margin, 3), 255)
    sheet = sheet.astype(np.uint8)
    for i, (image, height) in enumerate(zip(images, heights, strict=True)):
        y = (i // columns) * cell + margin
        x = (i % columns) * (cell_width + margin) + margin
        small = cv2.resize(checked(image), (cell_width, height), interpolation=cv2.INTER_AREA)
        sheet[y + caption_px : y + caption_px + height, x : x + cell_width] = small
        if captions is not None:
            strip = np.full((caption_px, cell_width, 3), 255, np.uint8)
            text = captions[i].encode("ascii", "replace").decode()
            cv2.putText(
                strip, text, (2, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (20, 20, 20), 1, cv2.LINE_AA
            )
            sheet[y : y + caption_px, x : x + cell_width] = strip
    return sheet
