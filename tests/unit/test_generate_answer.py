from graphs.ask.nodes.generate_answer import passages_to_read
from graphs.ask.records import Facet, Note


def note(passage: str, kind: str = "bridge") -> Note:
    return Note(
        id=passage, start=0, end=1, kind=kind, round=0, weight=0.5, facets=[], sub_question=""
    )  # type: ignore[typeddict-item]


def facet(name: str) -> Facet:
    return {"id": name, "field": "amount", "required": True}  # type: ignore[typeddict-item]


def test_passages_that_cover_nothing_fill_up_what_is_read() -> None:
    notes = [note("b", "direct"), note("x"), note("y")]
    assert passages_to_read(notes, {"f": ["b"]}, [facet("f")], limit=5) == ["b", "x", "y"]


def test_passages_that_cover_nothing_take_no_place_of_covering_ones() -> None:
    notes = [note("x"), note("a", "direct"), note("b", "direct")]
    covered = {"f": ["a"], "g": ["b", "c"]}
    assert passages_to_read(notes, covered, [facet("f"), facet("g")], limit=3) == ["a", "b", "c"]
