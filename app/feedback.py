"""What users say of answers, and the labels that follow from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from app.calibration.labels import Label
from graphs.ask.records import Status
from graphs.evidence.text import fold

Verdict = Literal["right", "wrong", "should_have_refused"]


@dataclass(frozen=True, slots=True)
class NewFeedback:
    """What a user says of a finished run; `document_id` is the right document where known."""

    run_id: str
    verdict: Verdict
    document_id: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a user said of a run, with what the run had answered.

    `number` rises with every feedback that is given; `question` is the self-contained one; `cited`
    are the documents of the answer; `given` is Unix seconds.
    """

    number: int
    run_id: str
    kb: str
    question: str
    status: Status
    cited: tuple[str, ...]
    verdict: Verdict
    document_id: str | None
    note: str
    given: float


def labels_of(found: Iterable[Feedback]) -> list[Label]:
    """Return the labels that `youju calibrate` reads; of one question the newest feedback counts.

    | the run said | right | wrong | should have refused |
    |---|---|---|---|
    | an answer | answerable by the right document, else by the cited ones | by the right document if the answer did not cite it, else unanswerable | unanswerable |
    | a part | no label | as above | unanswerable |
    | a refusal | unanswerable | answerable, by the right document where known | (not accepted) |
    | a courtesy, an error | no label | no label | no label |

    A wrong answer whose right document is unknown, or was cited and misread, becomes unanswerable:
    no other label counts that answer as the error that it was, and leaving it out would let a
    threshold promise fewer errors than there were. A part that is right leaves open whether the
    question can be answered in full. An expected answer is never made up from a confirmed one: the
    same said in other words would count as wrong.
    """
    newest: dict[str, Feedback] = {}
    for feedback in sorted(found, key=lambda each: each.number):
        newest[fold(feedback.question)] = feedback
    labels = (label_of(feedback) for feedback in newest.values())
    return [label for label in labels if label is not None]


def label_of(feedback: Feedback) -> Label | None:
    """Return the label that follows from one feedback, None where none does."""
    right, cited = feedback.document_id, feedback.cited
    named = (right,) if right is not None else ()
    if feedback.status == "insufficient":
        return _label(feedback, answerable=feedback.verdict == "wrong", documents=named)
    if feedback.status not in ("answered", "partial"):
        return None
    if feedback.verdict == "right":
        if feedback.status == "partial":
            return None
        return _label(feedback, answerable=True, documents=named or cited)
    elsewhere = feedback.verdict == "wrong" and right is not None and right not in cited
    return _label(feedback, answerable=elsewhere, documents=named)


def _label(feedback: Feedback, *, answerable: bool, documents: tuple[str, ...]) -> Label:
    return Label(
        question=feedback.question,
        answerable=answerable,
        documents=documents if answerable else (),
    )
