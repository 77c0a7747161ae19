"""Which sixteen frames of a clip are shown."""

SAMPLES = 16


def sample_indices(count: int) -> list[int]:
    """Sixteen indices spread evenly over count frames, first and last included.

    Rounded half up in whole numbers. Raises ValueError below sixteen frames: some would repeat.
    """
    if count < SAMPLES:
        raise ValueError(f"{count} frames, but a sheet shows {SAMPLES} different ones")
    steps = SAMPLES - 1
    return [(2 * i * (count - 1) + steps) // (2 * steps) for i in range(SAMPLES)]
