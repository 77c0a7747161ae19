"""Real servers, started once for all tests of this folder that need one."""

import pytest

from tests.real_model.parts import HERE, RealServer, make_projector, missing


def pytest_collection_modifyitems(items):
    """Skip where the parts are not here; by a plain mark, which a summary says once for all."""
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    reason = missing() if ours else None
    if reason is not None:
        for item in ours:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def seeing(tmp_path_factory):
    """A server that takes pictures."""
    folder = tmp_path_factory.mktemp("seeing")
    make_projector(folder / "projector.gguf")
    with RealServer(folder / "log", folder / "projector.gguf") as server:
        yield server


@pytest.fixture(scope="session")
def blind_server(tmp_path_factory):
    """The same one, started without its projector."""
    with RealServer(tmp_path_factory.mktemp("blind") / "log") as server:
        yield server
