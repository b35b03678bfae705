from collections.abc import Sequence

import numpy as np
import pytest

from app.adapters.embed_tolerant import TolerantEmbedder
from graphs.errors import EmbedderUnavailable
from graphs.ports import Matrix


class Flaky:
    """Fails as often as `failures` says."""

    fingerprint, dimension = "flaky", 3

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.calls += 1
        if self.failures > 0:
            self.failures -= 1
            raise EmbedderUnavailable("the server sleeps")
        return np.eye(len(texts), 3, dtype=np.float32)


def test_failing_model_gives_zero_rows_and_says_why() -> None:
    tolerant = TolerantEmbedder(Flaky(1))
    assert not tolerant.embed(["a", "b"]).any()
    assert tolerant.embed(["a"]).shape == (1, 3)
    assert tolerant.silent_because == "the server sleeps"


def test_model_that_failed_is_left_alone_for_a_while() -> None:
    flaky = Flaky(1)
    tolerant = TolerantEmbedder(flaky, rest=60)
    for _ in range(5):
        assert not tolerant.embed(["a"]).any()
    assert flaky.calls == 1


def test_model_that_came_back_is_used_again() -> None:
    tolerant = TolerantEmbedder(Flaky(2), rest=0)
    assert [tolerant.embed(["a"]).any() for _ in range(3)] == [False, False, True]
    assert tolerant.silent_because == ""


def test_mistake_in_the_program_is_not_taken_for_a_failing_model() -> None:
    class Wrong(Flaky):
        def embed(self, texts: Sequence[str]) -> Matrix:
            raise KeyError("mistake")

    with pytest.raises(KeyError):
        TolerantEmbedder(Wrong(0)).embed(["a"])
