"""What the routes need from the wiring."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.models import Standin
from app.runs import Graph
from app.searching import Searcher
from graphs.policy import Policy


class Services(Protocol):
    """The opened parts of one data folder. The wiring opens and closes them."""

    @property
    def graph(self) -> Graph:
        """The graph, compiled with a checkpointer on the runs file."""
        ...

    @property
    def library(self) -> StoredLibrary:
        """All knowledge bases."""
        ...

    @property
    def indexer(self) -> Indexer:
        """Takes files into knowledge bases."""
        ...

    @property
    def searcher(self) -> Searcher:
        """Retrieval without an answer."""
        ...

    @property
    def models(self) -> Mapping[str, str]:
        """Which models take part: embedder, reranker, reasoner, calibration."""
        ...

    @property
    def policy(self) -> Policy:
        """The limits of the evidence logic."""
        ...

    def standins(self) -> Sequence[Standin]:
        """Return what does not run as it is configured, and what runs instead."""
        ...
