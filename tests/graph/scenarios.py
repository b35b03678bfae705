"""Every path through the graph, as what the reasoner says on it."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from fakes import (
    Draft,
    FakeReasoner,
    Given,
    Judge,
    analysis,
    drop_all,
    drop_last,
    foreign,
    full,
    half,
    keep_all,
    off_topic,
    strange,
)

from graphs.reasoners.base import Analysis


@dataclass(frozen=True)
class Scenario:
    """One path: what goes in, and what must come out."""

    path: tuple[str, ...]
    status: str
    readings: tuple[Given, ...] = ()
    check: Judge = keep_all
    max_rounds: int = 1
    generated: int = 0
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    analysis: Analysis | None = None
    drafts: tuple[Draft, ...] = field(default=())

    def reasoner(self) -> FakeReasoner:
        """Return a reasoner that leads along this path."""
        return FakeReasoner(
            readings=deque(self.readings),
            checks=deque([self.check]),
            analyses=deque([self.analysis] if self.analysis else []),
            drafts=deque(self.drafts),
        )


START = ("analyze_query", "retrieve_initial", "grade_initial")
PRECISE = ("rewrite_precise", "retrieve_precise", "grade_precise")
BROADEN = ("rewrite_broaden", "retrieve_broaden", "grade_broaden")
BRANCHES: dict[str, tuple[tuple[str, ...], tuple[Given, ...], int]] = {
    "initial": (START, (), 0),
    "precise": ((*START, *PRECISE), (half,), 1),
    "broaden": ((*START, *BROADEN), (off_topic,), 1),
}
BOTH = ("额定压力", "处理措施")
ALL = (*BOTH, "一号泵")


def _on_branch(branch: str) -> dict[str, Scenario]:
    start, before, rounds = BRANCHES[branch]

    def answer(kind: str, status: str, check: Judge, missing: tuple[str, ...]) -> Scenario:
        report = (
            ("finalize",)
            if status != "insufficient"
            else (f"report_insufficient_{branch}", "finalize")
        )
        return Scenario(
            path=(*start, f"generate_{kind}{branch}", f"check_{kind}{branch}", *report),
            status=status,
            readings=(*before, half if kind else full),
            check=check,
            max_rounds=rounds,
            generated=1,
            missing=missing,
            warnings=("low_confidence_generation",) if kind else (),
        )  # fmt: skip

    def refused(last: str, status: str, reading: Given, missing: tuple[str, ...]) -> Scenario:
        return Scenario((*start, last, "finalize"), status, (*before, reading),
                        max_rounds=rounds, missing=missing)  # fmt: skip

    return {
        f"{branch}-supported": answer("", "answered", keep_all, ()),
        f"{branch}-partly": answer("", "partial", drop_last, ("处理措施",)),
        f"{branch}-unsupported": answer("", "insufficient", drop_all, BOTH),
        f"{branch}-partial-supported": answer("partial_", "partial", keep_all, ("处理措施",)),
        f"{branch}-partial-unsupported": answer("partial_", "insufficient", drop_all, BOTH),
        f"{branch}-insufficient": refused(
            f"report_insufficient_{branch}", "insufficient", foreign, ALL
        ),
        f"{branch}-unrecognized": refused("report_unrecognized", "error", strange, ()),
    }


def _answered(branch: str) -> tuple[str, ...]:
    return (f"generate_{branch}", f"check_{branch}", "finalize")


SCENARIOS: dict[str, Scenario] = {
    **_on_branch("initial"),
    **_on_branch("precise"),
    **_on_branch("broaden"),
    "direct": Scenario(
        path=("analyze_query", "answer_directly", "finalize"),
        status="direct",
        analysis=analysis("你好", intent="direct", direct_reason="courtesy", facets=[],
                          sub_questions=[], first_query=""),
    ),
    "precise-again": Scenario(
        path=(*START, *PRECISE, *PRECISE, *_answered("precise")),
        status="answered", readings=(half, half, full), max_rounds=2, generated=1,
    ),
    "precise-three-times": Scenario(
        path=(*START, *PRECISE, *PRECISE, *PRECISE, "generate_partial_precise",
              "check_partial_precise", "finalize"),
        status="partial", readings=(half, half, half, half), max_rounds=3, generated=1,
        missing=("处理措施",), warnings=("low_confidence_generation",),
    ),
    "precise-then-broaden": Scenario(
        path=(*START, *PRECISE, *BROADEN, *_answered("broaden")),
        status="answered", readings=(half, off_topic, full), max_rounds=2, generated=1,
    ),
    "broaden-then-precise": Scenario(
        path=(*START, *BROADEN, *PRECISE, *_answered("precise")),
        status="answered", readings=(off_topic, half, full), max_rounds=2, generated=1,
    ),
    "broaden-again": Scenario(
        path=(*START, *BROADEN, *BROADEN, "report_insufficient_broaden", "finalize"),
        status="insufficient", readings=(off_topic, off_topic, off_topic), max_rounds=2,
        missing=ALL,
    ),
}  # fmt: skip


def options(scenario: Scenario) -> dict[str, Any]:
    """Return the caller's options on this path."""
    return {"max_rounds": scenario.max_rounds}
