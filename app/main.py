"""The HTTP service."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from app import error_responses
from app.adapters.checkpoint_pruning import CheckpointPruner, Retention
from app.adapters.checkpoints import CompactSaver
from app.adapters.dense_chroma import FingerprintMismatch
from app.adapters.library import InvalidKnowledgeBaseName
from app.body_limit import BodyLimit
from app.pulse import Pulse
from app.routes import (
    ask,
    calibration,
    documents,
    feedback,
    graph,
    health,
    learning,
    runs,
    search,
    text,
    threads,
)
from app.run_store import RunStore
from app.runs import RunManager
from app.schemas import ErrorOut
from app.services import Services
from app.settings import Settings
from app.step_keeper import StepKeeper
from app.text_keeper import TextKeeper
from app.wiring import RUNS_FILE, open_services
from graphs.errors import EmbedderUnavailable

logger = logging.getLogger(__name__)

_MULTIPART_FRAME = 64 * 1024
"""What boundaries and part headers may add to a file of the largest size."""

_STORE_ERRORS: dict[type[Exception], tuple[int, str, str]] = {
    InvalidKnowledgeBaseName: (400, "invalid_kb_name", "Choose a name such as power-plant."),
    FingerprintMismatch: (
        409,
        "kb_needs_reindex",
        "Stop the service first where one serves the folder (Ctrl-C), then reindex: --all takes every "
        "knowledge base. Or set the embedder back to the former one, which needs no reindexing.",
    ),
    EmbedderUnavailable: (
        503,
        "embedder_unavailable",
        "Nothing is lost: send it again later. What was stored up to here may show up before that.",
    ),
}

Opener = Callable[[Settings], AbstractAsyncContextManager[Services]]


@asynccontextmanager
async def _lifespan(app: FastAPI, opener: Opener) -> AsyncIterator[None]:
    """Open what the routes need, in the order in which it depends on each other."""
    settings: Settings = app.state.settings
    workers = settings.jobs or os.cpu_count() or 1
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(workers, "youju"))
    async with opener(settings) as services:
        store = RunStore(settings.data_dir / RUNS_FILE, settings.synchronous)
        manager = RunManager(services.graph, store)
        await manager.recover()
        app.state.services, app.state.runs, app.state.pulse = services, manager, Pulse()
        app.state.keeper = TextKeeper(services.library.stores.old_texts, store)
        keeping = [app.state.pulse.run(), app.state.keeper.run()]
        if isinstance(services.graph.checkpointer, CompactSaver):
            keeping.append(_steps(settings, services.graph.checkpointer).run())
        ticking = asyncio.gather(*keeping)
        logger.info("ready; the %s reasoner answers", services.models["reasoner"])
        try:
            yield
        finally:
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking
            await manager.close(settings.shutdown_seconds)
            await store.close()
            # FastAPI's caches keep the app itself; stores and models must not stay with it
            del app.state.services, app.state.runs, app.state.pulse, app.state.keeper


def _steps(settings: Settings, saver: CompactSaver) -> StepKeeper:
    retention = Retention(settings.checkpoint_days * 86_400, settings.checkpoint_questions)
    return StepKeeper(CheckpointPruner(settings.data_dir / RUNS_FILE, saver, retention))


def create_app(settings: Settings, opener: Opener = open_services) -> FastAPI:
    """Build the service; nothing is opened before it starts, and `opener` opens what it needs."""
    app: FastAPI = FastAPIOffline(
        redoc_url=None,
        title="Youju 有据",
        summary="Answers from your own documents that stand on evidence.",
        version=health.VERSION,
        # Exporters are configured by variables that belong to other programs of the machine.
        telemetry={
            "auto_configure": False,
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
        },
        lifespan=lambda app: _lifespan(app, opener),
        # "default" also keeps the framework's 422 out of the description: bad input is a 400.
        responses={
            "default": {"model": ErrorOut, "description": "An error, with a way to mend it."}
        },
    )
    app.state.settings = settings
    error_responses.install(app, _STORE_ERRORS)
    app.add_middleware(BodyLimit, limit=settings.max_upload_bytes + _MULTIPART_FRAME)
    for module in (
        ask, runs, threads, feedback, documents, text, search, calibration, learning,
        graph, health
    ):  # fmt: skip
        app.include_router(module.router)
    return app
