"""Whose a folder of results is."""

import os
import resource

import pytest

from vlmtom.commands.panel import NAME, at_work, claim, hold, refuse_other_panel
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


def test_a_folder_is_one_runs_at_a_time(tmp_path):
    assert at_work(tmp_path) is None
    held = hold(tmp_path / "results")
    assert at_work(tmp_path / "results").startswith(f"process {os.getpid()} on ")
    with pytest.raises(BadData, match=f"another run is at work .*process {os.getpid()}"):
        hold(tmp_path / "results")
    os.close(held)
    assert at_work(tmp_path / "results") is None
    os.close(hold(tmp_path / "results"))
