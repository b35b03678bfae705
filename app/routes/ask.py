"""The main door: one question."""

import hashlib

from fastapi import APIRouter
from fastapi.responses import Response

from app.deps import IdempotencyKey, RunsDep, ServicesDep, SettingsDep
from app.errors import WebUnavailable
from app.questions import AskRequest
from app.replies import RESPONSES, ReplyDep
from app.run_records import NewRun

router = APIRouter(tags=["ask"])


def _hash(body: AskRequest) -> str:
    # how somebody waits for an answer makes no other question of it
    asked = body.model_dump_json(exclude={"on_disconnect"})
    return hashlib.sha256(asked.encode()).hexdigest()


@router.post("/ask", response_model=None, responses=RESPONSES)
async def ask(
    body: AskRequest,
    runs: RunsDep,
    services: ServicesDep,
    settings: SettingsDep,
    key: IdempotencyKey,
    reply: ReplyDep,
) -> Response:
    """Answer a question from one knowledge base, with verified citations or a useful refusal."""
    if body.options.web and settings.web_provider == "off":
        raise WebUnavailable("There is no provider for web search.")
    body_hash = _hash(body)
    run = await runs.known(key, body_hash)
    if run is None:
        kb = body.kb
        if kb is None and body.thread_id is not None:
            kb = (await runs.store.thread(body.thread_id)).kb
        kb = kb or settings.default_kb
        await services.library.open(kb)
        options = body.options.model_dump(exclude_defaults=True)
        run = await runs.submit(NewRun(kb, body.question, options, body_hash, body.thread_id, key))
    return await reply.to(run, leaving_cancels=body.on_disconnect == "cancel")
