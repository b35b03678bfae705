"""What every embedder does before and after its model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphs.errors import EmbedderUnavailable
from graphs.ports import Matrix

_BLANK = "-"
"""Stands for a text without a character, which some models refuse."""


def clean(texts: Sequence[str], longest: int) -> list[str]:
    """Return the texts cut to `longest` code points, without lone surrogates, none of them blank."""
    cut = (text[:longest].encode("utf-8", "replace").decode() for text in texts)
    return [text if text.strip() else _BLANK for text in cut]


def unit_rows(rows: Any, count: int) -> Matrix:
    """Return the rows at length 1. Raises EmbedderUnavailable where they are no `count` vectors."""
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderUnavailable("the embedding model's reply holds no vectors") from error
    if matrix.ndim != 2 or len(matrix) != count or not matrix.shape[1]:
        raise EmbedderUnavailable(f"the embedding model gave no {count} vectors of one length")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderUnavailable("the embedding model gave a vector without a direction")
    return np.asarray(matrix / lengths, dtype=np.float32)
