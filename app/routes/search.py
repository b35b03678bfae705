"""Searching a knowledge base without answering, and why a search missed a document."""

from fastapi import APIRouter

from app.deps import ServicesDep
from app.document_lookup import meant
from app.search_resources import (
    AnsweringOut,
    PlaceOut,
    SearchHitOut,
    SearchOut,
    SearchRequest,
    SearchWarningOut,
    StagesOut,
    WhyNotOut,
    WhyNotRequest,
)
from app.searching import Answering, Place, Placed
from app.why_not import explain
from graphs.evidence.messages import warn
from graphs.evidence.text import language

router = APIRouter(prefix="/kb", tags=["search"])


def _place(place: Place | None) -> PlaceOut | None:
    return PlaceOut(position=place.position, score=round(place.score, 3)) if place else None


def _answering(found: Answering | None) -> AnsweringOut | None:
    if found is None:
        return None
    return AnsweringOut(start=found.start, end=found.end, probability=round(found.probability, 3))


def _hit(placed: Placed) -> SearchHitOut:
    evidence, passage, stages = placed.evidence, placed.evidence.passage, placed.stages
    return SearchHitOut(
        passage=passage.id,
        document_id=passage.document_id,
        title=passage.title,
        section=list(passage.section),
        text=passage.text,
        start=passage.start,
        end=passage.end,
        version=passage.version,
        page=passage.page,
        date=passage.date,
        superseded=passage.superseded_by is not None,
        score=round(evidence.score, 3),
        dense=round(evidence.dense, 3),
        keyword=round(evidence.keyword, 3),
        variants=list(evidence.variants),
        stages=StagesOut(
            dense=_place(stages.dense),
            keyword=_place(stages.keyword),
            fused=_place(stages.fused),
            reranked=_place(stages.reranked),
        ),
        dropped_by=placed.dropped_by,
        duplicate_of=placed.duplicate_of,
        answering=_answering(placed.answering),
    )


def _warning(code: str, query: str) -> SearchWarningOut:
    message = warn(code, "zh" if language(query) == "zh" else "en")
    return SearchWarningOut.model_validate({"code": code, "message": message})


@router.post("/{kb}/search")
async def search(kb: str, body: SearchRequest, services: ServicesDep) -> SearchOut:
    """Search as the first retrieval does, without answering; every hit shows each stage."""
    opened = await services.library.open(kb)
    found = await services.searcher.search(
        opened, body.query, body.top_k, body.exclude_documents, body.include_duplicates
    )
    return SearchOut(
        query=body.query,
        hits=[_hit(placed) for placed in found.hits],
        warnings=[_warning(code, body.query) for code in found.degraded],
    )


@router.post("/{kb}/why-not")
async def why_not_found(kb: str, body: WhyNotRequest, services: ServicesDep) -> WhyNotOut:
    """Tell where an expected document stood in each stage, what dropped it, and what would help."""
    document = meant(await services.library.documents(kb), body.document)
    return await explain(services, kb, body.question, document, body.exclude_documents)
