"""The order of the tests: files that take minutes come first, so that no worker ends alone."""

import pytest

LONGEST = ("tests/workflow/test_slurm.py", "tests/workflow/", "tests/real_model/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by file; within one the order stays."""
    places = {prefix: place for place, prefix in enumerate(LONGEST)}

    def place(item: pytest.Item) -> int:
        found = (places[prefix] for prefix in LONGEST if item.nodeid.startswith(prefix))
        return next(found, len(LONGEST))

    items.sort(key=place)
