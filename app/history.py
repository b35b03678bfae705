"""The checkpoints of a thread as a list of steps."""

from langgraph.types import StateSnapshot

from app.resources import HistoryEntry
from app.run_log import projection
from app.runs import Graph


def _entry(node: str, snapshot: StateSnapshot) -> HistoryEntry:
    return HistoryEntry(
        checkpoint_id=str((snapshot.config.get("configurable") or {})["checkpoint_id"]),
        node=node,
        run_id=str((snapshot.metadata or {}).get("run_id", "")),
        created_at=snapshot.created_at or "",
        next=list(snapshot.next),
        summary=projection(node, snapshot.values),
    )


async def history(graph: Graph, thread_id: str) -> list[HistoryEntry]:
    """Return one entry per finished node, oldest first.

    The two checkpoints that open each run (its input, and the state before the first node) stand
    for no node and are left out.
    """
    config = {"configurable": {"thread_id": thread_id}}
    snapshots = [item async for item in graph.aget_state_history(config)]  # type: ignore[arg-type]
    entries: list[HistoryEntry] = []
    due: tuple[str, ...] = ()
    for snapshot in reversed(snapshots):
        source = (snapshot.metadata or {}).get("source")
        if source == "loop" and due and due != ("__start__",):
            entries.append(_entry(due[0], snapshot))
        due = snapshot.next
    return entries
