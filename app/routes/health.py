"""Whether the process lives, and whether it can answer."""

from dataclasses import asdict
from importlib.metadata import version

from fastapi import APIRouter, Response

from app.deps import PulseDep, RunsDep, ServicesDep
from app.metrics import MEDIA_TYPE
from app.resources import HealthOut, ReadyOut, StandinOut

router = APIRouter(tags=["service"])
VERSION = version("youju")


@router.get("/healthz")
async def healthz() -> HealthOut:
    """Say that the process is alive."""
    return HealthOut(status="ok", version=VERSION)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def metrics(runs: RunsDep) -> Response:
    """Return what Prometheus collects: runs, latencies of nodes, warnings, calls and tokens."""
    return Response(runs.metrics.render(), media_type=MEDIA_TYPE)


@router.get("/readyz")
async def readyz(
    services: ServicesDep, runs: RunsDep, pulse: PulseDep, verbose: bool = False
) -> ReadyOut:
    """Say which brain and models run; 503 while a store can't be read."""
    await runs.store.ping()
    bases = await services.library.list()
    return ReadyOut(
        status="ready",
        brain=services.models["reasoner"],
        models=dict(services.models),
        degraded=[StandinOut(**asdict(standin)) for standin in services.standins()],
        stores={"runs": "open", "knowledge_bases": "open"},
        knowledge_bases=len(bases),
        pulse=pulse.report() if verbose else None,
    )
