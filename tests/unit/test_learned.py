from collections import Counter

import numpy as np
import pytest

from app.adapters.documents_sqlite import DocumentInfo
from app.adapters.learned_sqlite import KnownLink, expansion_of
from app.errors import InvalidRequest
from app.learning.fitting import PRIOR, adapter_of, weights_of
from app.learning.links import Confirmed, Link, parse, resolved
from app.learning.report import parts_of, verdict_of
from app.learning.trial import Tried
from graphs.evidence.learned import GAINS, Adapter, Asked, Learned, gains_of
from graphs.ports import Vector

AXIS = np.eye(4, dtype=np.float32)


def document(name: str, title: str) -> DocumentInfo:
    return DocumentInfo(
        id=f"id-{name}", kb="kb", name=name, version="v", title=title, date=None, language="zh",
        codes=(), supersedes=(), superseded_by=None, chunks=1, updated=0.0, fingerprint="f",
    )  # fmt: skip


def link(question: str, passage: str, vector: Vector) -> tuple[KnownLink, Vector]:
    return KnownLink(question, f"doc-{passage}", passage, vector), AXIS[0]


def learned(*links: tuple[KnownLink, Vector], adapter: Adapter | None = None) -> Learned:
    return Learned(adapter or Adapter.none(4), expansion_of(links), PRIOR)


def test_adapter_without_rank_leaves_vectors_alone() -> None:
    rows = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
    assert Adapter.none(4).apply(rows) is rows


def test_fitted_adapter_turns_a_new_question_towards_where_answers_lay() -> None:
    chance = np.random.default_rng(1)
    noise = chance.normal(scale=0.05, size=(200, 4)).astype(np.float32)
    links = [
        (KnownLink(f"q{i}", "d", "p", (AXIS[0] + row).astype(np.float32)), AXIS[1])
        for i, row in enumerate(noise)
    ]
    turned = adapter_of(links).apply(AXIS[0])
    assert float(turned @ AXIS[1]) > 0.7
    assert np.linalg.norm(turned) == pytest.approx(1.0, abs=1e-5)
    assert adapter_of(links).apply(AXIS[3]) @ AXIS[3] > 0.95


def test_zero_vector_of_a_silent_embedder_stays_zero_and_leads_nowhere() -> None:
    links = [(KnownLink(f"q{i}", "d", "p", AXIS[i % 2]), AXIS[2]) for i in range(60)]
    zero = np.zeros(4, dtype=np.float32)
    taught = Learned(adapter_of(links), expansion_of(links), PRIOR)
    assert not taught.adapter.apply(zero).any()
    assert taught.nearest(zero, 5, ()) == []


def test_passage_with_several_questions_is_expanded_once_with_their_mean() -> None:
    held = expansion_of([link("迟到 罚款", "a", AXIS[1]), link("迟到 处罚", "a", AXIS[2])])
    assert held.ids == ("a",)
    assert held.vectors[0] @ AXIS[1] == pytest.approx(held.vectors[0] @ AXIS[2])
    assert held.vectors[0] @ AXIS[0] > held.vectors[0] @ AXIS[1] > 0.3
    assert held.terms[0]["迟到"] == 2


def test_nearest_skips_excluded_documents() -> None:
    taught = learned(link("q", "a", AXIS[1]), link("r", "b", AXIS[2]))
    assert taught.nearest(AXIS[1], 5, ()) == ["a", "b"]
    assert taught.nearest(AXIS[1], 5, {"doc-a"}) == ["b"]
    assert taught.nearest(AXIS[1], 1, ()) == ["a"]


def gains(taught: Learned, ids: list[str], terms: list[Counter[str]]) -> dict[str, list[float]]:
    cosines = np.full(len(ids), 0.2, dtype=np.float32)
    asked = Asked(AXIS[1], cosines, cosines, {"迟到": 2, "罚款": 1}, 100)
    found = gains_of(taught, asked, ids, terms)
    return {name: found[:, at].tolist() for at, name in enumerate(GAINS)}


def test_words_of_a_known_question_count_for_its_passage_alone() -> None:
    taught = learned(link("迟到 罚款", "a", AXIS[1]))
    own = Counter({"打卡": 5})
    found = gains(taught, ["a", "b"], [own, own])
    assert found["words"][0] > 0.3
    assert found["meaning"][0] > 0.3
    assert found["unasked"] == [0.0, 1.0]
    assert (found["words"][1], found["meaning"][1]) == (0.0, 0.0)


def test_shipped_weights_leave_the_order_of_unknown_passages_as_it_was() -> None:
    features = np.random.default_rng(2).random((6, 11)).astype(np.float32)
    taught = learned(link("迟到", "z", AXIS[1]))
    found = gains_of(
        taught,
        Asked(AXIS[1], features[:, 0], features[:, 0].copy(), {"迟到": 2}, 100),
        list("abcdef"),
        [Counter({"打卡": 1})] * 6,
    )
    plain = features @ np.asarray(PRIOR[:11], dtype=np.float32)
    assert np.argsort(taught.score(features, found)).tolist() == np.argsort(plain).tolist()


def test_weights_follow_the_feature_that_finds_the_document() -> None:
    chance = np.random.default_rng(3)
    examples = []
    for _ in range(200):
        features = chance.random((10, len(PRIOR))).astype(np.float32)
        examples.append((features, (features[:, 11] > 0.9).astype(np.float32)))
    fitted = weights_of(examples)
    assert fitted[11] > PRIOR[11]
    assert min(fitted) >= 0.0
    assert weights_of([(examples[0][0], np.zeros(10, dtype=np.float32))]) == PRIOR


def test_every_bad_line_is_named() -> None:
    text = '{"question": "甲", "document": "a.md"}\n\nno\n{"question": " "}\n{"question": "乙"}\n'
    with pytest.raises(InvalidRequest) as caught:
        parse(text)
    assert [f"line {n}" in str(caught.value) for n in (1, 3, 4, 5)] == [False, True, True, True]


def test_a_line_may_name_one_document_or_several() -> None:
    text = '{"question": "甲", "document": "a"}\n{"question": "乙", "documents": ["a", "b"]}'
    assert [one.documents for one in parse(text)] == [("a",), ("a", "b")]
    with pytest.raises(InvalidRequest):
        parse("\n")


def test_documents_are_found_by_id_name_title_and_equal_questions_are_joined() -> None:
    known = [document("a.md", "考勤 规定"), document("b.md", "报销办法")]
    links = [Link("甲", ("id-a.md",)), Link("甲 ", ("报销办法",)), Link("乙", ("b",))]
    assert resolved(links, known) == [
        Confirmed("甲", ("id-a.md", "id-b.md")),
        Confirmed("乙", ("id-b.md",)),
    ]


def test_unknown_and_doubtful_documents_are_told_with_their_lines() -> None:
    known = [document("x/a.md", "甲"), document("y/a.md", "乙")]
    with pytest.raises(InvalidRequest, match=r"line 7: There is no document 'c.md'") as caught:
        resolved([Link("q", ("c.md",), 7), Link("q", ("a.md",), 9)], known)
    assert "line 9: 2 documents are called 'a.md'" in str(caught.value)


def tried(count: int, before: float, after: float, seen: str = "all") -> list[Tried]:
    return [Tried(f"{seen}{i}", seen, (before, 0.0), (after, 1.0)) for i in range(count)]


@pytest.mark.parametrize(
    ("found", "applied"),
    [
        (tried(1, 0.9, 0.1), True),
        (tried(30, 0.5, 0.5), True),
        (tried(30, 0.5, 0.4), False),
        (tried(150, 0.5, 0.5), False),
        (tried(150, 0.5, 0.6), True),
        (tried(150, 0.5, 0.9) + tried(50, 0.5, 0.4, "none"), False),
    ],
)
def test_learning_is_applied_only_where_it_helps(found: list[Tried], applied: bool) -> None:
    assert verdict_of(found, len(found))[0] is applied


def test_report_keeps_seen_and_unseen_documents_apart() -> None:
    parts = parts_of(tried(2, 0.5, 0.7) + tried(1, 0.4, 0.4, "none"))
    assert [(part.documents, part.questions) for part in parts] == [
        ("every", 3), ("all", 2), ("none", 1),
    ]  # fmt: skip
    assert (parts[1].gain, parts[2].gain) == (0.2, 0.0)


@pytest.mark.parametrize(
    ("asked", "vector", "same"),
    [
        ("泵 P-101 多久检修一次？", AXIS[1], True),
        ("泵 P-101 是多久检修一次的呢", AXIS[1], True),
        ("泵 P-102 多久检修一次？", AXIS[1], False),
        ("泵 P-101 多久清洗一次？", AXIS[1], False),
        ("泵 P-101 多久检修一次？", (0.8 * AXIS[1] + 0.6 * AXIS[2]), False),
        ("泵 P-101 多久检修一次？", np.zeros(4, dtype=np.float32), False),
        ("谁？", AXIS[1], False),
    ],
)
def test_question_is_the_same_only_with_near_vector_and_equal_content(
    asked: str, vector: Vector, same: bool
) -> None:
    known = expansion_of([
        link("什么？", "b", AXIS[1]), link("泵 P-101 多久检修一次", "a", AXIS[1])
    ]).known  # fmt: skip
    assert [known.documents[i] for i in known.same(asked, vector)] == ["doc-a"] * same
