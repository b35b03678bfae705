"""Forks: a question replayed from one of its checkpoints on a thread of its own, with values changed."""

import time
from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from app.errors import InvalidRequest, UnknownCheckpoint
from app.history import history
from app.questions import ForkRequest
from app.run_records import NewRun, Run
from app.runs import Graph, RunManager
from graphs.policy import Policy

_GRADER = "grade_"


async def fork(
    manager: RunManager, graph: Graph, policy: Policy, thread_id: str, body: ForkRequest, key: str
) -> Run:
    """Copy a checkpoint to a new thread, apply what changes, and start a run there.

    `key` is a hash of the request. The original thread is only read. Raises UnknownThread,
    UnknownCheckpoint, InvalidRequest.
    """
    thread = await manager.store.thread(thread_id)
    saver = graph.checkpointer
    if not isinstance(saver, BaseCheckpointSaver):
        raise UnknownCheckpoint("This service keeps no checkpoints.")
    node = await _node_of(graph, thread_id, body.checkpoint_id)
    source = await saver.aget_tuple(_at(thread_id, body.checkpoint_id))
    if source is None:
        raise UnknownCheckpoint("The thread has no such checkpoint.")
    values: Mapping[str, Any] = source.checkpoint["channel_values"]
    changed = body.values.options.model_dump(exclude_unset=True) if body.values.options else {}
    options = {**values.get("options", {}), **changed}
    _check_decision(graph, node, body)
    # what was found depends on the question and on the documents that may be read
    asks_anew = body.values.question is not None or "exclude_documents" in changed
    question = body.values.question or values["question"]
    new = NewRun(thread.kb, question, options, key)

    async def prepare(run: Run) -> None:
        if asks_anew:
            # with the run's own id langgraph would take the question for a resume
            await _copy(saver, source, run.thread_id, "", _turns_alone(values))
        else:
            await _copy(saver, source, run.thread_id, run.id, values)
            update = _update(options, policy, body)
            await graph.aupdate_state(_where(run), update, as_node=node)

    return await manager.submit_forked(new, prepare, from_start=asks_anew)


async def _node_of(graph: Graph, thread_id: str, checkpoint_id: str) -> str:
    for entry in await history(graph, thread_id):
        if entry.checkpoint_id == checkpoint_id:
            return entry.node
    raise UnknownCheckpoint("The thread has no such checkpoint, or its steps are no longer kept.")


def _check_decision(graph: Graph, node: str, body: ForkRequest) -> None:
    """Raise InvalidRequest where the checkpoint's node decides nothing, or could not decide so."""
    decision = body.values.decision
    if decision is None:
        return
    if not node.startswith(_GRADER):
        raise InvalidRequest("values.decision needs a checkpoint of a grading (grade_…).")
    known = {key for branch in graph.builder.branches[node].values() for key in (branch.ends or {})}
    if decision not in known:
        raise InvalidRequest(f"{node} can't decide {decision}: it knows {', '.join(sorted(map(str, known)))}.")  # fmt: skip
    if body.values.question is not None or (
        body.values.options is not None and body.values.options.exclude_documents
    ):
        raise InvalidRequest("values.decision can't stand where the question is asked anew.")


def _update(options: Mapping[str, Any], policy: Policy, body: ForkRequest) -> dict[str, Any]:
    """Return the fields that change: what the options stand for, the decision, a deadline anew."""
    update: dict[str, Any] = {"options": dict(options), "started_at": time.time(), "usage": {}}
    given = body.values.options
    if given and given.max_rounds is not None:
        update["max_rounds"] = given.max_rounds
    if given and given.threshold is not None:
        update["threshold"] = given.threshold
    elif given and given.preset is not None:
        update["threshold"] = policy.presets[given.preset]
    if body.values.decision is not None:
        update["decision"] = body.values.decision
    return update


async def _copy(
    saver: BaseCheckpointSaver[Any],
    source: CheckpointTuple,
    thread_id: str,
    run_id: str,
    values: Mapping[str, Any],
) -> None:
    """Write a checkpoint as the first one of a thread, whole."""
    where: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    checkpoint = {**source.checkpoint, "channel_values": dict(values)}
    metadata: Any = {"source": "fork", "step": -1, "parents": {}, "run_id": run_id}
    versions = source.checkpoint["channel_versions"]
    await saver.aput(where, checkpoint, metadata, versions)  # type: ignore[arg-type]  # a whole one


def _turns_alone(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"turns": values["turns"]} if "turns" in values else {}


def _at(thread_id: str, checkpoint_id: str) -> RunnableConfig:
    where = {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}
    return {"configurable": where}


def _where(run: Run) -> RunnableConfig:
    return {"configurable": {"thread_id": run.thread_id}, "metadata": {"run_id": run.id}}
