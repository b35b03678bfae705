"""Quotes and offsets on arbitrary Unicode text: they count code points and never miss."""

from evidence_parts import passage, statement
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from app.ingest.atoms import SplitLimits
from app.ingest.converters.converted import Converted
from app.ingest.preparing import prepare
from graphs.evidence.blocks import plain
from graphs.evidence.citations import quote_of, quote_text, unsupported
from graphs.evidence.text import sentences
from graphs.evidence.writing import AnswerWriter
from graphs.reasoners.llm_draft import quotes

SCALARS = st.characters(exclude_categories=("Cs",))
PIECES = st.sampled_from(
    ["循环水泵", "压力为 5 kPa", "。", "\n", "\n\n", "# 标题\n", "| 甲 | 5 |\n", "|---|---|\n", "- ",
     "；", "𠮷", "👩‍👧", "é", "\u2028", "\r", "\ufeff", "not ", "12%", "2025年6月", " "]
)  # fmt: skip
TEXT = st.lists(st.one_of(PIECES, st.text(SCALARS, max_size=6)), max_size=30).map("".join)


@settings(max_examples=80, deadline=None)
@given(TEXT, st.booleans())
@example("𠮷" * 50 + "\n\n# 节\n\n压力为 5 kPa。", True)
def test_every_sentence_of_every_passage_is_quoted_at_its_place_in_the_document(
    text: str, markdown: bool
) -> None:
    assume(text.strip())
    found = prepare("kb", "a.md", Converted(text, markdown), SplitLimits(), "made")
    for piece in found.passages:
        for start, end in sentences(piece.text):
            cited = quote_of(piece, start, end)
            assert text[cited["start"] : cited["end"]] == quote_text(cited, piece)
            assert quote_text(cited, piece) == piece.text[start:end]


@settings(max_examples=80, deadline=None)
@given(TEXT, st.integers(0, 10_000))
@example("1号泵 5 kPa，不得超过；2号泵 6 kPa。", 7)
def test_word_for_word_statement_always_stands_and_is_found_in_the_answer(
    text: str, start: int
) -> None:
    source = passage(text, "p", start=start)
    writer = AnswerWriter("zh")
    for begin, end in sentences(text):
        said = statement(plain(text[begin:end]), source)
        said["citations"] = [quote_of(source, begin, end)]
        assert unsupported(said, {"p": source}, "") is None
        writer.statement(said)
    for entry in writer.statements:
        assert writer.text[entry["start"] : entry["end"]] == entry["text"]  # type: ignore[misc]


@settings(max_examples=80, deadline=None)
@given(TEXT, st.lists(TEXT, min_size=1, max_size=3), st.integers(0, 10_000))
def test_quotes_chosen_for_a_draft_stand_at_their_places_without_repeats(
    drafted: str, texts: list[str], start: int
) -> None:
    sources = [passage(text, f"p{n}", start=start) for n, text in enumerate(texts)]
    chosen = quotes(drafted, sources)
    by_id = {source.id: source for source in sources}
    for citation in chosen:
        quote = quote_text(citation, by_id[citation["passage"]])
        assert quote is not None
        assert quote in by_id[citation["passage"]].text
    places = [(c["passage"], c["start"], c["end"]) for c in chosen]
    assert len(places) == len(set(places))


@settings(max_examples=80, deadline=None)
@given(TEXT, st.integers(-3, 60), st.integers(-3, 60), st.integers(0, 50))
def test_quote_outside_its_passage_is_never_read(
    text: str, start: int, end: int, offset: int
) -> None:
    source = passage(text, "p", start=offset)
    cited = quote_of(source, 0, 1) | {"start": start, "end": end}
    inside = offset <= start < end <= offset + len(text)
    found = quote_text(cited, source)  # type: ignore[arg-type]
    assert found == (text[start - offset : end - offset] if inside else None)
