"""The embedder as questions use it: where the model is down, search goes by words alone."""

import logging
import time
from collections.abc import Sequence

import numpy as np

from graphs.errors import EmbedderUnavailable
from graphs.ports import Embedder, Matrix

_log = logging.getLogger(__name__)

REST_SECONDS = 10.0
"""How long a model that failed is left alone, so that a question does not wait for it at each node."""


class TolerantEmbedder:
    """Gives zero rows while the model is down: then no text is near any other. Thread-safe.

    Never for indexing: a zero row must not be stored.
    """

    def __init__(self, embedder: Embedder, rest: float = REST_SECONDS) -> None:
        self._embedder = embedder
        self._rest = rest
        self._resting_until = 0.0
        self._reason = ""

    @property
    def fingerprint(self) -> str:
        """The embedder's fingerprint."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    @property
    def silent_because(self) -> str:
        """Why the model is left alone, or nothing where it works."""
        return self._reason

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text, or zero rows where the model fails."""
        if time.monotonic() >= self._resting_until:
            try:
                rows = self._embedder.embed(texts)
                self._reason = ""
                return rows
            except EmbedderUnavailable as error:
                self._fell_silent(error)
        return np.zeros((len(texts), self.dimension), dtype=np.float32)

    def _fell_silent(self, error: EmbedderUnavailable) -> None:
        self._resting_until = time.monotonic() + self._rest
        self._reason = str(error)
        _log.warning("questions are searched by words alone for %.0f s: %s", self._rest, error)
