"""The secret of a folder of results, from which draws and ids of people's sheets come.

Blind ids follow from configuration, code and text, which anybody may have who holds the page. What
is not to be worked out from these must rest on something that is in none of them.
"""

import contextlib
import re
import secrets
from pathlib import Path

from vlmtom.errors import BadData, FileExists
from vlmtom.store.files import write_bytes

# Beside the folder rating/, which is deleted and made again.
NAME = "rating.secret"
_BYTES = 32


def kept_secret(path: str | Path) -> str:
    """The secret kept at PATH, as 64 hex digits; drawn and written first where there is none.

    Its owner alone may read it. It is never drawn a second time while the file is there, so that a
    sheet made again has the same ids. Raises BadData for a file that holds anything else.
    """
    path = Path(path)
    if not path.exists():
        with contextlib.suppress(FileExists):  # another process was quicker; its secret holds
            write_bytes(path, f"{secrets.token_hex(_BYTES)}\n".encode(), private=True)
    found = path.read_bytes().decode("ascii", "replace").strip()
    if not re.fullmatch(f"[0-9a-f]{{{2 * _BYTES}}}", found):
        raise BadData(
            f"{path}: expected {2 * _BYTES} hex digits. Put back the file as it was when raters "
            "and coders got their sheet; without it, delete the file: the next sheet has other "
            "ids, and what comes back of the old one is refused."
        )
    return found
