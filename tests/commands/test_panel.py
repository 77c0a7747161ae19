"""Whose a folder of results is."""

import resource

import pytest

from vlmtom.commands.panel import NAME, claim, refuse_other_panel
from vlmtom.errors import BadData


def test_a_folder_is_claimed_whole_or_not_at_all(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))  # as a disk without room
    try:
        with pytest.raises(OSError, match="large"):
            claim(tmp_path, "mine")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    refuse_other_panel(tmp_path, "mine")
    claim(tmp_path, "mine")
    claim(tmp_path, "other")
    assert (tmp_path / NAME).read_text() == "mine\n"
    with pytest.raises(BadData, match="belongs to the panel 'mine'"):
        refuse_other_panel(tmp_path, "other")
