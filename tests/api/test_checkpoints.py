import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from scripted_graph import NODES, Script, compile_script

from app.adapters.checkpoint_dictionary import dictionary
from app.adapters.checkpoints import CompressingSerializer, open_checkpoints
from graphs.evidence.passages import Hit

STATE: dict[str, Any] = {
    "question": "凝汽器真空下降时，运行人员应优先检查哪些系统？",
    "evidence": [
        {"id": f"{number:032x}", "hash": f"{number:016x}", "score": 0.5, "round": 0, "variants": []}
        for number in range(16)
    ],
}


def _serializer(*nodes: str) -> CompressingSerializer:
    return CompressingSerializer({"z1": dictionary(nodes)}, "z1")


def test_state_comes_back_from_less_than_half_the_bytes() -> None:
    serializer = _serializer()
    kind, data = serializer.dumps_typed(STATE)
    assert serializer.loads_typed((kind, data)) == STATE
    assert len(data) < len(JsonPlusSerializer().dumps_typed(STATE)[1]) / 2


@pytest.mark.parametrize("value", [None, b"", b"x" * 500, bytearray(b"y" * 500), "a", [1, 2.5]])
def test_every_kind_of_value_survives(value: Any) -> None:
    serializer = _serializer()
    assert serializer.loads_typed(serializer.dumps_typed(value)) == value


def test_what_was_written_uncompressed_can_be_read() -> None:
    assert _serializer().loads_typed(JsonPlusSerializer().dumps_typed(STATE)) == STATE


def test_types_outside_the_allow_list_are_not_rebuilt() -> None:
    written = JsonPlusSerializer(allowed_msgpack_modules=True).dumps_typed(Hit("p", 0.5))
    assert not isinstance(_serializer().loads_typed(written), Hit)


async def test_checkpoints_of_an_older_graph_can_still_be_read(tmp_path: Path) -> None:
    async with open_checkpoints(tmp_path / "r.sqlite", nodes=("old", "nodes")) as saver:
        written = saver.serde.dumps_typed(STATE)
    async with open_checkpoints(tmp_path / "r.sqlite", nodes=NODES) as saver:
        assert saver.serde.loads_typed(written) == STATE
        assert saver.serde.dumps_typed(STATE)[0] != written[0]


async def test_finished_run_leaves_few_bytes_and_no_stale_results(tmp_path: Path) -> None:
    config: Any = {"configurable": {"thread_id": "t"}}
    async with open_checkpoints(tmp_path / "r.sqlite", nodes=NODES) as saver:
        graph = compile_script(Script(), saver)
        await graph.ainvoke({"question": "q", "kb": "k"}, config, durability="sync")
        async with saver.conn.execute("SELECT count(*) FROM writes") as rows:
            assert await anext(aiter(rows)) == (0,)
        async with saver.conn.execute("SELECT sum(length(checkpoint)) FROM checkpoints") as rows:
            (size,) = await anext(aiter(rows))
    assert size < 6_000


async def test_connection_writes_ahead_and_as_the_setting_says(tmp_path: Path) -> None:
    for synchronous, number in (("NORMAL", 1), ("FULL", 2)):
        async with open_checkpoints(tmp_path / "r.sqlite", synchronous) as saver:  # type: ignore[arg-type]
            async with saver.conn.execute("PRAGMA journal_mode") as mode:
                assert (await mode.fetchone()) == ("wal",)
            async with saver.conn.execute("PRAGMA synchronous") as level:
                assert (await level.fetchone()) == (number,)


async def test_graph_goes_on_after_the_file_was_reopened(tmp_path: Path) -> None:
    config: Any = {"configurable": {"thread_id": "t"}}
    script = Script()
    async with open_checkpoints(tmp_path / "r.sqlite") as saver:
        graph = compile_script(script, saver)
        with pytest.raises(ValueError, match="secret"):
            await graph.ainvoke(
                {"question": "fail check_initial", "kb": "plant"}, config, durability="sync"
            )
    script.entered.clear()
    async with open_checkpoints(tmp_path / "r.sqlite") as saver:
        graph = compile_script(script, saver)
        assert (await graph.aget_state(config)).next == ("check_initial",)
        await graph.aupdate_state(config, {"question": "q"}, as_node="generate_initial")
        await graph.ainvoke(None, config)
    assert script.entered == ["check_initial", "finalize"]


def test_strict_mode_reads_every_checkpoint(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from scripted_graph import Script, compile_script\n"
        "from app.adapters.checkpoints import open_checkpoints\n"
        "async def main():\n"
        "    config = {'configurable': {'thread_id': 't'}}\n"
        "    async with open_checkpoints(Path(sys.argv[1])) as saver:\n"
        "        graph = compile_script(Script(), saver)\n"
        "        done = await graph.ainvoke({'question': 'q', 'kb': 'k'}, config)\n"
        "        states = [s async for s in graph.aget_state_history(config)]\n"
        "        assert states[0].values['result'] == done['result'], states[0].values\n"
        "asyncio.run(main())\n"
    )
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(tmp_path / "r.sqlite")],
        env={"LANGGRAPH_STRICT_MSGPACK": "true", "PYTHONPATH": f"{here}:{here.parents[1]}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "unregistered" not in done.stderr
