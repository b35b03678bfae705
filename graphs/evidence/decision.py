"""The decision table: first match wins, the same for both reasoners."""

from dataclasses import dataclass

from graphs.ask.records import Assessment, DecisionKey, Facet
from graphs.policy import Policy

KEYS: tuple[DecisionKey, ...] = (
    "answer", "rewrite", "retry_broaden", "partial_answer", "insufficient", "unrecognized",
)  # fmt: skip
_CAUTION: dict[str, int] = {
    "answer": 0, "partial_answer": 1, "rewrite": 2, "retry_broaden": 2, "insufficient": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision with the rule that led to it."""

    decision: DecisionKey
    rule: str


def decide(
    assessment: Assessment,
    facets: list[Facet],
    round_left: bool,
    bindable: bool,
    policy: Policy,
    covering: float,
) -> Verdict:
    """Apply the table to an assessment; `covering` is the best score of a covering passage.

    1. best < min_passage or the subject is not held: `retry_broaden` if a round is left and a term
       of the question is bindable, else `insufficient`. 2. every required facet covered, best ≥
       answer_passage, confidence ≥ θ: `answer`. 3. a round is left: `rewrite`. 4. a required facet
       covered by a passage ≥ answer_passage, confidence_covered ≥ min_confidence:
       `partial_answer`; else `insufficient`.
    """
    if assessment["best"] < policy.min_passage or not assessment["holds_subject"]:
        rule = "1: nothing near enough" if assessment["holds_subject"] else "1: subject not held"
        return Verdict("retry_broaden" if round_left and bindable else "insufficient", rule)
    complete = answers_if_sure(assessment, facets, policy)
    if complete and assessment["confidence"] >= assessment["threshold"]:
        return Verdict("answer", "2: every required facet covered")
    if round_left and complete:
        return Verdict(
            "rewrite", "3: everything is covered, not surely enough, and a round is left"
        )
    if round_left:
        return Verdict("rewrite", "3: something is missing and a round is left")
    if partial_allowed(assessment, facets, policy, covering):
        return Verdict("partial_answer", "4: a part is covered")
    return Verdict("insufficient", "4: too little is covered")


def answers_if_sure(assessment: Assessment, facets: list[Facet], policy: Policy) -> bool:
    """Tell whether rule 2 would answer if only the confidence reached θ."""
    nothing = assessment["best"] < policy.min_passage or not assessment["holds_subject"]
    required = [facet["id"] for facet in facets if facet["required"]]
    held = all(assessment["covered"].get(facet) for facet in required)
    return not nothing and held and assessment["best"] >= policy.answer_passage


def clamp(
    verdict: Verdict,
    proposed: str | None,
    round_left: bool,
    may_be_partial: bool,
) -> Verdict:
    """Let a reasoner's own verdict make the decision more cautious, never bolder.

    A word outside the enum is `unrecognized`. `answer` against any doubt becomes a search while a
    round is left (the one proposed, else a rewrite), then a partial answer where it `may_be_partial`
    (rule 4 holds) and not even that is doubted, else `insufficient`.
    """
    if proposed is None:
        return verdict
    if proposed not in _CAUTION:
        return Verdict("unrecognized", f"unrecognized verdict {proposed[:40]!r}")
    if _CAUTION[proposed] <= _CAUTION[verdict.decision]:
        return verdict
    rule = f"{verdict.rule}; reasoner: {proposed}"
    if round_left:
        if verdict.decision in ("rewrite", "retry_broaden"):
            return verdict
        return Verdict("retry_broaden" if proposed == "retry_broaden" else "rewrite", rule)
    if may_be_partial and proposed != "insufficient":
        return Verdict("partial_answer", rule)
    return Verdict("insufficient", rule)


def partial_allowed(
    assessment: Assessment, facets: list[Facet], policy: Policy, covering: float
) -> bool:
    """Tell whether rule 4 would allow a partial answer."""
    held = any(f["required"] and assessment["covered"].get(f["id"]) for f in facets)
    firm = covering >= policy.answer_passage
    return held and firm and assessment["confidence_covered"] >= policy.min_confidence
