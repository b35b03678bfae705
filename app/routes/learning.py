"""Learning from confirmed question → document links."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.deps import ServicesDep
from app.learning.links import Link
from app.learning.report import LearnReport
from app.learning.teaching import Teacher
from app.questions import Named, Question, Request

router = APIRouter(prefix="/kb", tags=["learning"])


class LinkIn(Request):
    """A question and the ids, names, titles or codes of the documents that answer it."""

    question: Question
    documents: Annotated[list[Named], Field(min_length=1, max_length=100)]
    line: Annotated[int, Field(ge=0)] = 0
    """Where it stands in the caller's file: errors name it."""


class LearnRequest(Request):
    """Confirmed links; without any the known questions are learned anew."""

    links: list[LinkIn] = Field(default_factory=list, max_length=20_000)


class LearnProgressOut(BaseModel):
    """What a running trial does; `questions` is 0 where none runs."""

    step: str
    done: int
    questions: int


class LearningOut(BaseModel):
    """What a knowledge base has learned, and whether that was with the embedder in use."""

    kb: str
    learned: LearnReport | None
    outdated: bool
    running: LearnProgressOut


@router.post("/{kb}/learn")
async def learn(kb: str, body: LearnRequest, services: ServicesDep) -> LearnReport:
    """Learn from confirmed links; replies when the trial is over, minutes for a thousand questions."""
    links = [Link(one.question, tuple(one.documents), one.line) for one in body.links]
    return await Teacher(services).learn(kb, links)


@router.get("/{kb}/learn")
async def learned(kb: str, services: ServicesDep) -> LearningOut:
    """Tell what counts at the moment, and how far a running trial is."""
    return await _state(Teacher(services), kb)


@router.delete("/{kb}/learn")
async def undo_learning(kb: str, services: ServicesDep) -> LearningOut:
    """Undo the newest learning: what counted before it counts again."""
    teacher = Teacher(services)
    await teacher.undo(kb)
    return await _state(teacher, kb)


async def _state(teacher: Teacher, kb: str) -> LearningOut:
    report = await teacher.state(kb)
    step, done, questions = teacher.progress(kb)
    return LearningOut(
        kb=kb,
        learned=report,
        outdated=report is not None and report.embedder != teacher.embedder,
        running=LearnProgressOut(step=step, done=done, questions=questions),
    )
