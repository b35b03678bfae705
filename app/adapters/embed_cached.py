"""An embedder that remembers short texts: a question's facets come back in every node."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from graphs.ports import Embedder, Matrix, Vector


class CachedEmbedder:
    """Keeps the vectors of the last `size` texts. Thread-safe."""

    def __init__(self, embedder: Embedder, size: int = 4096) -> None:
        self._embedder = embedder
        self._size = size
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """The embedder's fingerprint."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text; only texts not seen lately are embedded."""
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            rows = self._embedder.embed(missing)
            found |= {text: rows[i] for i, text in enumerate(missing)}
            self._remember(missing, found)
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([found[text] for text in texts])

    def _remember(self, texts: Sequence[str], found: dict[str, Vector]) -> None:
        with self._lock:
            for text in texts:
                self._known[text] = found[text]
                self._known.move_to_end(text)
            while len(self._known) > self._size:
                self._known.popitem(last=False)
