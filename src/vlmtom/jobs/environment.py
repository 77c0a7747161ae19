"""What a call job keeps of the environment: its own key, and no other provider's."""

import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence

_KEPT = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TMPDIR|TZ|PYTHON\w*|VIRTUAL_ENV|LD_LIBRARY_PATH"
    r"|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|VLMTOM_WALL|(OMP|OPENBLAS)_NUM_THREADS"
    r"|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy"
)
_CLEANED = "VLMTOM_CLEANED"  # holds the process id: it outlives exec, and no child inherits it


def kept(environment: Mapping[str, str], key_variables: Collection[str]) -> dict[str, str]:
    """The variables that a job may see."""
    return {
        name: value
        for name, value in environment.items()
        if name in key_variables or _KEPT.fullmatch(name)
    }


def start_clean(module: str, arguments: Sequence[str], key_variables: Collection[str]) -> None:
    """Start this program again with only the kept variables; return if that was done.

    Deleting from os.environ would not do: /proc/self/environ keeps what the process was
    started with.
    """
    if os.environ.pop(_CLEANED, None) == str(os.getpid()):
        return
    clean = kept(os.environ, key_variables) | {_CLEANED: str(os.getpid())}
    os.execve(sys.executable, [sys.executable, "-m", module, *arguments], clean)
