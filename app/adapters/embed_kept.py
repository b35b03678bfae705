"""An embedder behind a server whose vectors of questions are kept: asking it again costs nothing."""

from collections.abc import Sequence

import numpy as np

from app.adapters.model_cache import ModelCache
from graphs.ports import Embedder, Matrix


class KeptEmbedder:
    """Asks `embedder` for texts that `cache` does not hold for `owner` and this embedder."""

    def __init__(self, embedder: Embedder, cache: ModelCache, owner: str) -> None:
        self._embedder = embedder
        self._cache = cache
        self._owner = owner

    @property
    def fingerprint(self) -> str:
        """The embedder's fingerprint."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text."""
        wanted = list(dict.fromkeys(texts))
        found = self._cache.vectors(self._owner, self.fingerprint, wanted)
        if missing := [text for text in wanted if text not in found]:
            made = dict(zip(missing, self._embedder.embed(missing), strict=True))
            self._cache.keep_vectors(self._owner, self.fingerprint, made)
            found |= made
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([found[text] for text in texts])
