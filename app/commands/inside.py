"""The service inside this process, for commands that find the data folder free."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI

from app.commands.client import Client
from app.main import Opener, create_app
from app.settings import Settings
from app.wiring import open_services


@asynccontextmanager
async def running(settings: Settings, opener: Opener = open_services) -> AsyncIterator[FastAPI]:
    """Open the service without serving it; raises DataFolderBusy."""
    app = create_app(settings, opener)
    async with app.router.lifespan_context(app):
        yield app


def client_of(app: FastAPI) -> Client:
    """Return a client that calls the service without a socket: the same contract, the same code."""
    transport = httpx.ASGITransport(app)
    return Client(httpx.AsyncClient(transport=transport, base_url="http://youju", timeout=None))
