"""How a process of the command line ends."""

import os
import sys
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End now, with an exit code, everything printed.

    Threads of native libraries are not torn down. Now and then, on a busy machine, that ends in an
    abort, and a job whose table is written would count as failed.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):  # nobody reads any more, or it is closed
            code = code or 1
    os._exit(code)
