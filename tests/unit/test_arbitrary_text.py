"""Whatever a document or a question holds, nothing of the evidence logic crashes."""

from collections.abc import Callable

import pytest
from evidence_parts import evidence, facet, passage, statement
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphs.evidence.blocks import header_of, plain, row_at, rows
from graphs.evidence.citations import modality, unsupported
from graphs.evidence.consistency import contradictions
from graphs.evidence.dedupe import collapse
from graphs.evidence.freshness import freshness
from graphs.evidence.numbers import claims
from graphs.evidence.plainness import self_evident
from graphs.evidence.text import codes, index_terms, language, query_terms, tagged, trigrams, words

# Lone surrogates, NUL, right-to-left marks and letters, emoji with joiners, combining marks,
# full-width digits, other digits that `int` takes, superscripts, numerals of other scripts.
ODD = "\x00\ud800\udfff\u202e\u200b\u200fאבجد🙂👩\u200d👩\u200d👧é\u0301０９%٣४²½Ⅻ①㊿〇万亿-−/.:|年月日\n\r\u2028ßİ"
ANY = st.text(
    st.one_of(st.characters(codec=None, exclude_categories=()), st.sampled_from(ODD)), max_size=60
)
PLAIN: list[Callable[[str], object]] = [
    claims, codes, index_terms, query_terms, words, language, tagged, trigrams, modality, plain,
]  # fmt: skip


@pytest.mark.parametrize("read", PLAIN, ids=lambda f: f.__name__)
def test_odd_text_is_read(read: Callable[[str], object]) -> None:
    for text in (ODD, ODD[::-1], "", "\x00", "\ud800", "٣४ kPa", "² 年", "第①条", "A" * 5000):
        read(text)


@settings(max_examples=60, deadline=None)
@given(ANY)
@example(ODD)
@example("ß-1 QX-2025-094")
def test_any_text_is_read_and_every_claim_stands_at_its_place(text: str) -> None:
    for read in PLAIN:
        read(text)
    last = 0
    for claim in claims(text):
        assert last <= claim.start < claim.end <= len(text)
        last = claim.end
    for row in rows(text):
        assert row_at(rows(text), row.start) == row
        header_of(rows(text), row)


@settings(max_examples=60, deadline=None)
@given(ANY, ANY, st.integers(0, 60), st.integers(0, 60))
@example(ODD, ODD, 0, 10)
def test_any_statement_and_quote_are_judged(text: str, quote: str, start: int, end: int) -> None:
    source = passage(quote, "p", start=start, end=end)
    said = statement(text, source)
    said["citations"][0].update(start=start, end=end)
    unsupported(said, {"p": source}, text)
    self_evident(said, {"p": source})


@settings(max_examples=40, deadline=None)
@given(st.lists(ANY, max_size=4))
def test_any_passages_are_compared(texts: list[str]) -> None:
    items = [evidence(passage(text, f"p{n}")) for n, text in enumerate(texts)]
    collapse(items)
    pairs, compared = contradictions(items)
    assert len(pairs) <= compared
    assert 0.0 <= freshness(items, [facet("t", "time", text="2025")]) <= 1.0


@settings(max_examples=40, deadline=None)
@given(ANY)
def test_a_copy_of_a_passage_never_contradicts_it(text: str) -> None:
    items = [evidence(passage(text, id_, document_id=id_)) for id_ in ("a", "b")]
    assert contradictions(items)[0] == []
