import pytest
from evidence_parts import evidence, passage
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.evidence.dedupe import collapse, near_duplicates, protected
from graphs.evidence.text import jaccard, trigrams

LONG = (
    "运行人员应先检查循环水系统的出口压力和滤网压差，再检查抽真空系统的工作情况，"
    "然后核对凝汽器水位和端差，最后按照规程控制机组负荷并通知检修班组到现场处理，{}"
)


ENGLISH = (
    "Every employee who travels for the company keeps the receipts of all nights and sends "
    "them with the travel form to the office that settles the costs of the journey and of "
    "the meals on the way there and back again in the evening of the last day. "
)


def _pair(left: str, right: str) -> tuple[str, str]:
    return LONG.format(left), LONG.format(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("压差达到 8 kPa。", "压差达到 9 kPa。"),
        ("压差达到 8 kPa。", "压差达到 8 MPa。"),
        ("压差达到八千帕。", "压差达到九千帕。"),
        ("下降 5% 时停机。", "下降 6% 时停机。"),
        ("于 2025年6月12日完成。", "于 2025年6月13日完成。"),
        ("见 QX-2025-094 号记录。", "见 QX-2025-095 号记录。"),
        ("随后可以投运。", "随后不可以投运。"),
        ("随后允许投运。", "随后禁止投运。"),
        ("设备已经检修。", "设备未经检修。"),
        ("由张建国负责。", "由李建国负责。"),
        ("送北京检验。", "送上海检验。"),
        ("软件版本 2.10 已安装。", "软件版本 2.1 已安装。"),
        ("软件 v2.3.1 已安装。", "软件 v2.3.2 已安装。"),
        ("温度为 -5 ℃。", "温度为 5 ℃。"),
        ("共 3 万元。", "共 3 亿元。"),
    ],
)
def test_passages_that_differ_in_what_matters_are_never_collapsed(left: str, right: str) -> None:
    a, b = _pair(left, right)
    assert jaccard(trigrams(a), trigrams(b)) >= 0.75, "the pair is no near-duplicate by its words"
    kept = collapse([evidence(passage(a)), evidence(passage(b))], 0.75)
    assert len(kept) == 2


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (
            "The supervisor approves the trip before it starts.",
            "The supervisor does not approve it.",
        ),
        ("Employees may book it.", "Employees can't book it."),
        ("Employees may book it.", "Employees cannot book it."),
        ("Approval comes from Berlin.", "Approval comes from Madrid."),
        ("It costs $200.", "It costs $300."),
    ],
)
def test_english_passages_that_differ_in_what_matters_are_never_collapsed(
    left: str, right: str
) -> None:
    a, b = passage(ENGLISH + left, language="en"), passage(ENGLISH + right, language="en")
    assert jaccard(trigrams(a.text), trigrams(b.text)) >= 0.75
    assert not near_duplicates(a, b, 0.75)


def test_english_copies_that_differ_in_a_plain_word_collapse() -> None:
    a = passage(ENGLISH + "The supervisor approves the trip.", "a", language="en")
    b = passage(ENGLISH + "The supervisor approves each trip.", "b", language="en")
    assert [item.variants for item in collapse([evidence(a), evidence(b)])] == [("b",)]


def test_versions_of_one_document_are_never_collapsed() -> None:
    old, new = (passage(LONG.format("完成。"), v, version=v) for v in ("v1", "v2"))
    assert len(collapse([evidence(old), evidence(new)])) == 2


def test_documents_of_different_dates_or_codes_are_never_collapsed() -> None:
    text = LONG.format("完成。")
    a = passage(text, "a", date="2024-01-01", document_id="a")
    b = passage(text, "b", date="2025-01-01", document_id="b")
    c = passage(text, "c", date="2024-01-01", document_id="c", codes=("QX-1",))
    assert len(collapse([evidence(item) for item in (a, b, c)])) == 3


def test_copies_collapse_into_the_best_and_stay_attached() -> None:
    a, b = _pair("完成后汇报。", "完成后汇报值长。")
    items = [
        evidence(passage(a, "a"), 0.9),
        evidence(passage("另一件事，与此无关的描述。", "x"), 0.8),
        evidence(passage(b, "b"), 0.7, variants=("c",)),
    ]
    kept = collapse(items)
    assert [item.passage.id for item in kept] == ["a", "x"]
    assert kept[0].variants == ("b", "c")
    assert kept[0].score == 0.9


@pytest.mark.parametrize(("threshold", "kept"), [(0.70, 1), (0.999, 2)])
def test_threshold_tells_how_alike_is_the_same(threshold: float, kept: int) -> None:
    a, b = _pair("完成后汇报。", "完成后汇报值长。")
    assert len(collapse([evidence(passage(a)), evidence(passage(b))], threshold)) == kept


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=6))
def test_no_passage_is_lost_whatever_the_text(texts: list[str]) -> None:
    items = [evidence(passage(text, f"p{n}")) for n, text in enumerate(texts)]
    kept = collapse(items)
    found = [id_ for item in kept for id_ in (item.passage.id, *item.variants)]
    assert sorted(found) == sorted(f"p{n}" for n in range(len(texts)))


@given(
    st.lists(
        st.sampled_from("凝汽器 真空 过低 时 检查 循环水 压差 the pump runs warm".split()),
        min_size=4,
    )
)
def test_texts_with_alike_word_grams_are_never_taken_for_strangers(words: list[str]) -> None:
    left = " ".join(words)
    for right in (" ".join(words[1:]), " ".join((*words, "检查")), left.upper() + "。"):
        alike = jaccard(trigrams(left), trigrams(right)) >= 0.75
        same = protected(passage(left)) == protected(passage(right))
        found = near_duplicates(passage(left), passage(right), 0.75)
        assert found == (alike and same)
