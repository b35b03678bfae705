import re
from typing import Any

import pytest
from evidence_parts import passage, statement
from hypothesis import given
from hypothesis import strategies as st

from graphs.ask.records import Missing, Statement
from graphs.evidence.messages import OPENING, WARNINGS, warn
from graphs.evidence.writing import AnswerWriter, unmarked

A, B, C = (
    passage(text, id_, document_id=id_) for text, id_ in (("甲", "a"), ("乙", "b"), ("丙", "c"))
)
MISSING = [Missing(type="missing_field", content="处理措施", suggestion="", searched=[])]


def _drafts() -> st.SearchStrategy[list[Statement]]:
    one = st.builds(
        lambda text, cited, heading: statement(text, *cited, heading=heading),
        st.text(),
        st.lists(st.sampled_from([A, B, C]), min_size=1, max_size=3),
        st.sampled_from(["", "处理措施", "原因"]),
    )
    return st.lists(one, max_size=6)


@given(_drafts(), st.sets(st.sampled_from(sorted(WARNINGS))), st.sampled_from(["zh", "en"]))
def test_every_statement_stands_at_its_offsets_whatever_its_text(
    drafts: list[Statement], codes: set[str], language: Any
) -> None:
    writer = AnswerWriter(language)
    pieces = [writer.open(sorted(codes)), *(writer.statement(s) for s in drafts)]
    pieces.append(writer.missing(MISSING))
    assert "".join(pieces) == writer.text
    assert len(writer.statements) == len(drafts)
    for said, draft in zip(writer.statements, drafts, strict=True):
        assert writer.text[said["start"] : said["end"]] == said["text"]  # type: ignore[misc]
        assert said["text"] == unmarked(draft["text"])
        assert len(str(said["text"])) == len(draft["text"])


@given(_drafts(), st.integers(0, 6))
def test_lines_that_were_sent_early_are_a_prefix_of_the_final_text(
    drafts: list[Statement], sent: int
) -> None:
    early, final = AnswerWriter("zh"), AnswerWriter("zh")
    early.open(["potential_noise"])
    final.open(["potential_noise"])
    for draft in drafts[:sent]:
        early.statement(draft)
    for draft in drafts:
        final.statement(draft)
    final.missing(MISSING)
    assert final.text.startswith(early.text)


@given(_drafts())
def test_markers_are_given_in_order_of_first_use_without_a_gap(drafts: list[Statement]) -> None:
    writer = AnswerWriter("zh")
    for draft in drafts:
        writer.statement(draft)
    used = [n for said in writer.statements for n in said["citations"]]  # type: ignore[attr-defined]
    assert list(dict.fromkeys(used)) == list(range(1, len(writer.citations) + 1))
    for said, draft in zip(writer.statements, drafts, strict=True):
        cited = [writer.citations[n - 1] for n in said["citations"]]  # type: ignore[attr-defined]
        assert cited == list({c["passage"]: c for c in draft["citations"]}.values())


def test_same_quote_keeps_its_number_and_stands_once_in_a_statement() -> None:
    writer = AnswerWriter("zh")
    lines = [
        writer.statement(statement("一", B, A)),
        writer.statement(statement("二", A, A)),
        writer.statement(statement("三", C, B)),
    ]
    assert lines == ["一 [1][2]\n", "二 [2]\n", "三 [3][1]\n"]
    assert [c["passage"] for c in writer.citations] == ["b", "a", "c"]


def test_quotes_of_other_versions_or_places_have_numbers_of_their_own() -> None:
    writer = AnswerWriter("zh")
    newer = passage("甲", "a2", document_id="a", version="v2")
    later = passage("甲", "a3", document_id="a", start=7)
    assert writer.statement(statement("一", A, newer, later)) == "一 [1][2][3]\n"


def test_heading_stands_once_above_its_statements() -> None:
    writer = AnswerWriter("zh")
    for text, heading in (("一", "原因"), ("二", "原因"), ("三", "措施"), ("四", "")):
        writer.statement(statement(text, A, heading=heading))
    assert writer.text == "**原因**\n一 [1]\n二 [1]\n\n**措施**\n三 [1]\n四 [1]\n"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_only_the_opening_warnings_open_an_answer_in_their_order(language: Any) -> None:
    writer = AnswerWriter(language)
    opening = writer.open(list(reversed(WARNINGS)))
    assert opening == writer.text
    assert opening.count("\n") == len(OPENING) == 4
    places = [opening.index(warn(code, language)) for code in OPENING]
    assert places == sorted(places)


def test_missing_section_names_each_entry_and_is_left_out_where_nothing_is_missing() -> None:
    writer = AnswerWriter("en")
    writer.statement(statement("one", A))
    assert writer.missing([]) == ""
    assert writer.missing(MISSING) == "\nNot supported by the knowledge base:\n- 处理措施\n"


NOISE = st.text(st.sampled_from("[]P0123456789 ，a[1]［"), max_size=20)


@given(st.lists(st.tuples(NOISE, NOISE, st.sampled_from([A, B, C])), max_size=5), NOISE)
def test_every_marker_in_the_answer_is_one_of_its_citations(
    said: list[tuple[str, str, Any]], noise: str
) -> None:
    writer = AnswerWriter("en")
    for text, heading, cited in said:
        writer.statement(statement(text, cited, heading=heading))
    writer.missing([Missing(type="missing_field", content=noise, suggestion="", searched=[])])
    found = [(int(m[1]), m.start()) for m in re.finditer(r"\[(\d+)\]", writer.text)]
    given_ = [n for entry in writer.statements for n in entry["citations"]]  # type: ignore[attr-defined]
    assert [number for number, _ in found] == given_
    assert all(1 <= number <= len(writer.citations) for number, _ in found)
    for _, place in found:
        assert not any(s["start"] <= place < s["end"] for s in writer.statements)  # type: ignore[operator]


def test_footnote_of_a_source_is_told_from_a_marker() -> None:
    writer = AnswerWriter("en")
    writer.statement(statement("The valve opens at 5 kPa.[3]", A))
    assert writer.text == "The valve opens at 5 kPa.［3］ [1]\n"
