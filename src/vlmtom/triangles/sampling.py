"""Which frames of a clip are shown."""

SAMPLES = 16


def sample_indices(count: int, samples: int = SAMPLES) -> list[int]:
    """So many indices (two or more) spread evenly over count frames, first and last included.

    Rounded half up in whole numbers. Raises ValueError below so many frames: some would repeat.
    """
    if count < samples:
        raise ValueError(f"{count} frames, but {samples} different ones are to be shown")
    steps = samples - 1
    return [(2 * i * (count - 1) + steps) // (2 * steps) for i in range(samples)]
