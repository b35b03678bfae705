"""What tests of several folders share."""

import pytest

from app.adapters.embed_use import UseEmbedder


@pytest.fixture(scope="session")
def embedder() -> UseEmbedder:
    """Return the real embedder, loaded once."""
    model = UseEmbedder()
    model.load()
    return model
