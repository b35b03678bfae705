"""A whole service around the scripted graph; run as a program it serves until it is killed.

python tests/api/scripted_app.py DATA_DIR PORT
"""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import uvicorn
from scripted_graph import Script, compile_script

from app.adapters.checkpoints import open_checkpoints
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.main import Opener, create_app
from app.models import Standin
from app.runs import Graph
from app.searching import Searcher
from app.settings import Settings
from graphs.policy import Policy
from graphs.retrieval.hybrid import HybridSearch


@dataclass(frozen=True)
class ScriptedServices:
    graph: Graph
    library: StoredLibrary
    indexer: Indexer
    searcher: Searcher
    models: Mapping[str, str]
    policy: Policy = field(default_factory=Policy)

    def standins(self) -> list[Standin]:
        return []


one_embedder = cache(UseEmbedder)
"""The weights are 120 MB and take a second to read: every service of a process shares them."""


def scripted_services(script: Script) -> Opener:
    """Return a factory of real stores around the scripted graph."""

    @asynccontextmanager
    async def opened(settings: Settings) -> AsyncIterator[ScriptedServices]:
        embedder = one_embedder()
        library = StoredLibrary(settings.data_dir, embedder)
        await library.create("plant")
        await library.create("other")
        async with open_checkpoints(settings.data_dir / "runs.sqlite") as saver:
            models = {"embedder": embedder.fingerprint, "reasoner": "embedded"}
            models |= {"reranker": "none", "calibration": "default"}
            graph = compile_script(script, saver)
            searcher = Searcher(HybridSearch(embedder, None, Policy()))
            indexer = Indexer(library, max_bytes=settings.max_upload_bytes)
            yield ScriptedServices(graph, library, indexer, searcher, models)
            indexer.close()
        library.close()

    return opened


if __name__ == "__main__":
    data_dir, port = Path(sys.argv[1]), int(sys.argv[2])
    settings = Settings(_env_file=None, data_dir=data_dir, default_kb="plant")
    services = scripted_services(Script(data_dir / "journal.txt"))
    uvicorn.run(create_app(settings, services), port=port, log_level="warning", ws="none")
