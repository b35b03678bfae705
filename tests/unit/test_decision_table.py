"""The decision table of the contract: its rules, the order among them, an example for each row."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from graphs.ask.records import Assessment, Dimensions, Facet
from graphs.evidence.decision import Verdict, clamp, decide, partial_allowed
from graphs.evidence.messages import RULES, reason
from graphs.policy import Policy

POLICY = Policy()
FACETS = [
    Facet(
        id=id_, kind="field", text=id_, terms=[id_], required=id_ != "extra", sub_question="q1",
        field="fact",
    )
    for id_ in ("f1", "f2", "extra")
]  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One example. The defaults are evidence that suffices on all counts."""

    expected: str
    rule: str
    round_left: bool = True
    best: float = 0.9
    covering: float = 0.9
    holds_subject: bool = True
    bindable: bool = True
    covered: tuple[str, ...] = ("f1", "f2")
    confidence: float = 0.9
    confidence_covered: float = 0.9
    threshold: float = 0.7
    facets: list[Facet] = field(default_factory=lambda: FACETS)

    def assessment(self) -> Assessment:
        return Assessment(
            evidence_score=0.5,
            confidence=self.confidence,
            confidence_covered=self.confidence_covered,
            calibrated=False,
            threshold=self.threshold,
            best=self.best,
            holds_subject=self.holds_subject,
            dimensions=Dimensions(relevance=0.5, coverage=0.5, consistency=1.0, freshness=1.0),
            features={"best": self.best},
            covered={facet: ["p"] for facet in self.covered},
            gaps=[],
        )

    def verdict(self) -> Verdict:
        return decide(
            self.assessment(), self.facets, self.round_left, self.bindable, POLICY, self.covering
        )


TABLE: dict[str, Row] = {
    # 1: nothing near enough, or the subject is not held
    "weak, a round, a known word": Row("retry_broaden", "1", best=0.34),
    "weak, a round, no known word": Row("insufficient", "1", best=0.34, bindable=False),
    "weak, no round": Row("insufficient", "1", best=0.34, round_left=False),
    "no subject, a round, a known word": Row("retry_broaden", "1", holds_subject=False),
    "no subject, a round, no known word": Row(
        "insufficient", "1", holds_subject=False, bindable=False
    ),
    "no subject, no round": Row("insufficient", "1", holds_subject=False, round_left=False),
    "nothing found": Row("retry_broaden", "1", best=0.0, covered=(), confidence=0.0),
    # 2: everything is covered
    "all covered": Row("answer", "2"),
    "all covered, no round": Row("answer", "2", round_left=False),
    "only what is optional is open": Row("answer", "2", covered=("f1", "f2")),
    "nothing is required": Row("answer", "2", covered=(), facets=[FACETS[2]]),
    # 3: something is missing and a round is left
    "one facet open": Row("rewrite", "3", covered=("f1",)),
    "an optional facet can not stand in": Row("rewrite", "3", covered=("f1", "extra")),
    "all covered, passages too weak": Row("rewrite", "3", best=0.54),
    "all covered, confidence too low": Row("rewrite", "3", confidence=0.69),
    "nothing covered": Row("rewrite", "3", covered=()),
    # 4: no round is left
    "half covered": Row("partial_answer", "4", covered=("f1",), round_left=False),
    "all covered, low confidence, no round": Row(
        "partial_answer", "4", confidence=0.69, round_left=False
    ),
    "half covered by a weak passage": Row(
        "insufficient", "4", covered=("f1",), covering=0.54, round_left=False
    ),
    "half covered, not sure of the half": Row(
        "insufficient", "4", covered=("f1",), confidence_covered=0.49, round_left=False
    ),
    "nothing covered, no round": Row("insufficient", "4", covered=(), round_left=False),
    "only an optional facet covered": Row(
        "insufficient", "4", covered=("extra",), round_left=False
    ),
    # The limits themselves count as reached
    "best at min_passage is no longer weak": Row("rewrite", "3", best=0.35, covered=("f1",)),
    "best at answer_passage is strong": Row("answer", "2", best=0.55),
    "confidence at the threshold is enough": Row("answer", "2", confidence=0.7),
    "covering passage at answer_passage": Row(
        "partial_answer", "4", covered=("f1",), covering=0.55, round_left=False
    ),
    "confidence at min_confidence": Row(
        "partial_answer", "4", covered=("f1",), confidence_covered=0.5, round_left=False
    ),
    "a caller's own threshold": Row("rewrite", "3", confidence=0.79, threshold=0.8),
    # First match wins
    "1 before 2": Row("retry_broaden", "1", best=0.34, confidence=1.0),
    "1 before 3": Row("retry_broaden", "1", holds_subject=False, covered=("f1",)),
    "2 before 3": Row("answer", "2", round_left=True),
    "3 before 4": Row("rewrite", "3", covered=("f1",), round_left=True),
}


@pytest.mark.parametrize("name", TABLE)
def test_table_decides(name: str) -> None:
    row = TABLE[name]
    verdict = row.verdict()
    assert verdict.decision == row.expected
    assert verdict.rule.startswith(f"{row.rule}:")


# table's decision, proposal, round left, rule 4 holds -> decision
CLAMPED: list[tuple[str, str | None, bool, bool, str]] = [
    # Without a proposal, or with the same one, the table stands
    ("answer", None, True, True, "answer"),
    ("answer", "answer", True, True, "answer"),
    ("rewrite", "rewrite", True, True, "rewrite"),
    # A bolder proposal changes nothing
    ("insufficient", "answer", True, True, "insufficient"),
    ("insufficient", "rewrite", True, True, "insufficient"),
    ("insufficient", "partial_answer", False, True, "insufficient"),
    ("retry_broaden", "answer", True, True, "retry_broaden"),
    ("rewrite", "partial_answer", True, True, "rewrite"),
    ("partial_answer", "answer", False, True, "partial_answer"),
    # A doubt searches on while a round is left
    ("answer", "rewrite", True, True, "rewrite"),
    ("answer", "retry_broaden", True, True, "retry_broaden"),
    ("answer", "partial_answer", True, True, "rewrite"),
    ("answer", "insufficient", True, True, "rewrite"),
    ("rewrite", "insufficient", True, True, "rewrite"),
    ("retry_broaden", "insufficient", True, True, "retry_broaden"),
    ("rewrite", "retry_broaden", True, True, "rewrite"),
    ("retry_broaden", "rewrite", True, True, "retry_broaden"),
    # No round is left: a part, or nothing
    ("answer", "partial_answer", False, True, "partial_answer"),
    ("answer", "rewrite", False, True, "partial_answer"),
    ("answer", "retry_broaden", False, True, "partial_answer"),
    ("answer", "partial_answer", False, False, "insufficient"),
    ("answer", "rewrite", False, False, "insufficient"),
    ("answer", "insufficient", False, True, "insufficient"),
    ("partial_answer", "insufficient", False, True, "insufficient"),
    ("partial_answer", "rewrite", False, True, "partial_answer"),
    # A word outside the enum
    ("answer", "maybe", True, True, "unrecognized"),
    ("insufficient", "maybe", False, False, "unrecognized"),
    ("answer", "", True, True, "unrecognized"),
    ("answer", "Answer", True, True, "unrecognized"),
    ("answer", "unrecognized", True, True, "unrecognized"),
]
CAUTION = {"answer": 0, "partial_answer": 1, "rewrite": 2, "retry_broaden": 2, "insufficient": 3}


@pytest.mark.parametrize(("table", "proposed", "left", "partial", "expected"), CLAMPED)
def test_proposal_makes_the_decision_more_cautious_or_nothing(
    table: Any, proposed: str | None, left: bool, partial: bool, expected: str
) -> None:
    verdict = clamp(Verdict(table, "rule"), proposed, left, partial)
    assert verdict.decision == expected
    if expected != table:
        assert (proposed or "''") in verdict.rule


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("partial", [True, False])
def test_no_proposal_ever_makes_the_decision_bolder(left: bool, partial: bool) -> None:
    for table in CAUTION:
        for proposed in CAUTION:
            decision = clamp(Verdict(table, "rule"), proposed, left, partial).decision  # type: ignore[arg-type]
            assert CAUTION[decision] >= CAUTION[table]
            # Where no round is left, nothing searches on that did not before.
            assert left or decision == table or decision not in ("rewrite", "retry_broaden")


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.rule == "4"])
def test_partial_answer_is_allowed_exactly_where_rule_four_gives_one(name: str) -> None:
    row = TABLE[name]
    allowed = partial_allowed(row.assessment(), row.facets, POLICY, row.covering)
    assert allowed == (row.expected == "partial_answer")


def test_every_rule_has_a_reason_in_both_languages() -> None:
    rules = {row.verdict().rule for row in TABLE.values()}
    assert rules == set(RULES)
    for rule in rules:
        assert reason(rule, "zh") != reason(rule, "en")
    assert reason("2: every required facet covered; reasoner: rewrite", "en").endswith(
        "; reasoner: rewrite"
    )
