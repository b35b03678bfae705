import json

from hypothesis import given
from hypothesis import strategies as st

from app.run_log import RunLog
from app.run_records import Draft, Event
from app.transcript import Transcript

PIECES = st.lists(st.sampled_from(["a\n", "b\n", "cc", "\n", "d e\u2028f\r"]), max_size=6)


def _held(drafts: list[Draft]) -> str:
    text = ""
    for draft in drafts:
        text = "" if draft.type == "reset" else text + draft.data.get("text", "")
    return text


@given(PIECES, PIECES, PIECES)
def test_whatever_was_sent_the_client_ends_with_the_answer(
    first: list[str], repeated: list[str], final: list[str]
) -> None:
    transcript = Transcript()
    drafts = [draft for piece in first for draft in transcript.line(piece)]
    transcript.rewind()
    drafts += [draft for piece in repeated for draft in transcript.line(piece)]
    drafts += transcript.settle("".join(final))
    assert _held(drafts) == "".join(final)
    attempt, seq = 1, 0
    for draft in drafts:
        if draft.type == "reset":
            attempt, seq = attempt + 1, 0
            assert draft.data == {"attempt": attempt}
        else:
            assert (draft.data["attempt"], draft.data["seq"]) == (attempt, seq)
            seq += 1


def test_repeated_lines_are_not_sent_twice() -> None:
    transcript = Transcript()
    transcript.line("a\n")
    transcript.line("b\n")
    transcript.rewind()
    assert transcript.line("a\n") == []
    assert transcript.line("b\n") == []
    assert [draft.data["text"] for draft in transcript.line("c\n")] == ["c\n"]


def test_repeated_line_that_differs_resets_at_once() -> None:
    transcript = Transcript()
    transcript.line("a\n")
    transcript.rewind()
    drafts = transcript.line("x\n")
    assert [draft.type for draft in drafts] == ["reset", "token"]
    assert drafts[1].data == {"attempt": 2, "seq": 0, "text": "x\n"}


def _task(name: str, **result: object) -> dict[str, object]:
    data = {"name": name, "result": result, "error": None} if result else {"name": name}
    return {"type": "tasks", "data": data}


def _line(text: str) -> dict[str, object]:
    return {"type": "custom", "data": {"type": "line", "text": text}}


def _stored(parts: list[dict[str, object]]) -> list[Event]:
    log = RunLog()
    drafts = [draft for part in parts for draft in log.take(part)]
    return [Event(i, d.type, json.dumps(dict(d.data))) for i, d in enumerate(drafts, 1)]


def test_node_killed_after_its_checkpoint_gets_its_end() -> None:
    events = _stored([_task("analyze_query"), _task("analyze_query", path=["x"]), _task("check_x")])
    log = RunLog.restore(events, ("finalize",))
    assert [draft.data for draft in log.unfinished()] == [
        {"node": "check_x", "phase": "end", "attempt": 1, "elapsed_ms": None}
    ]
    assert log.unfinished() == []
    assert log.take(_task("finalize"))[0].data["attempt"] == 1


def test_node_killed_between_its_end_and_its_checkpoint_starts_as_second_attempt() -> None:
    events = _stored([_task("generate_x"), _line("a\n"), _task("generate_x", path=["x"])])
    log = RunLog.restore(events, ("generate_x",))
    assert log.unfinished() == []
    assert log.take(_task("generate_x"))[0].data["attempt"] == 2
    assert log.take(_line("a\n")) == []


def test_check_that_releases_held_lines_repeats_only_its_own() -> None:
    events = _stored(
        [
            _task("generate_x"),
            _line("a\n"),
            _task("generate_x", path=["x"]),
            _task("check_x"),
            _line("b\n"),
        ]
    )
    log = RunLog.restore(events, ("check_x",))
    log.take(_task("check_x"))
    assert log.take(_line("b\n")) == []
    assert log.take(_line("c\n"))[0].data == {"attempt": 1, "seq": 2, "text": "c\n"}


def test_node_of_a_later_round_is_no_second_attempt() -> None:
    log = RunLog()
    for _ in range(2):
        log.take(_task("rewrite_precise"))
        log.take(_task("rewrite_precise", queries=["q"]))
    assert log.take(_task("rewrite_precise"))[0].data["attempt"] == 1


def test_node_that_restarts_by_itself_does_not_repeat_its_lines() -> None:
    log = RunLog()
    log.take(_task("generate_x"))
    log.take(_line("a\n"))
    log.take({"type": "custom", "data": {"type": "restart"}})
    assert log.take(_line("a\n")) == []
    assert log.take(_line("b\n"))[0].data["text"] == "b\n"
