"""What a knowledge base has learned, made ready for searching."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.adapters.chunks_sqlite import ChunkStore
from app.adapters.database import Database
from app.adapters.dense_chroma import DenseIndex
from app.adapters.learned_sqlite import KnownLink, LearnedStore, expansion_of
from graphs.evidence.learned import Learned
from graphs.ports import Vector

logger = logging.getLogger(__name__)


class LearnedReader:
    """Reads the newest run of each knowledge base. Raises DenseUnavailable."""

    def __init__(
        self, database: Database, chunks: ChunkStore, dense: DenseIndex, embedder: str
    ) -> None:
        self._database = database
        self._store = LearnedStore(database)
        self._chunks = chunks
        self._dense = dense
        self._embedder = embedder

    def read(self, kb: str) -> Learned | None:
        """Return what counts at the moment; None where nothing was learned with this embedder."""
        newest = self._store.newest(kb)
        if newest is None or not newest[1].applied:
            return None
        number, run = newest
        if run.embedder != self._embedder:
            logger.warning(
                "knowledge base %s learned with %s, the service uses %s: what it learned rests; "
                "run `youju learn --kb %s` to learn its known questions again",
                kb, run.embedder, self._embedder, kb,
            )  # fmt: skip
            return None
        links = self.placed(kb, self._store.links(number))
        if not links:
            return None
        return Learned(run.adapter, expansion_of(links), run.weights, feedback=not run.fitted)

    def placed(self, kb: str, links: Sequence[KnownLink]) -> list[tuple[KnownLink, Vector]]:
        """Return links with the vector of their passage; one that is gone is replaced.

        The passage of its document that lies nearest to the question takes its place.
        """
        visible = self._chunks.visible([link.passage_id for link in links], ())
        lost = {link.document_id for link in links if link.passage_id not in visible}
        inside = {document: self._passages(document) for document in lost}
        wanted = {*visible, *(id_ for ids in inside.values() for id_ in ids)}
        vectors = self._dense.vectors(kb, sorted(wanted))
        found = []
        for link in links:
            placed = link if link.passage_id in visible else _nearest(link, inside, vectors)
            if placed is not None and placed.passage_id in vectors:
                found.append((placed, vectors[placed.passage_id]))
        return found

    def _passages(self, document_id: str) -> list[str]:
        with self._database.read() as connection:
            ids = list(self._chunks.numbers(connection, document_id))
        return sorted(self._chunks.visible(ids, ()))


def _nearest(
    link: KnownLink, inside: dict[str, list[str]], vectors: dict[str, Vector]
) -> KnownLink | None:
    ids = [id_ for id_ in inside[link.document_id] if id_ in vectors]
    if not ids:
        return None
    best = int(np.argmax(np.stack([vectors[id_] for id_ in ids]) @ link.vector))
    return replace(link, passage_id=ids[best])
