"""Labelled questions of the caller's: JSON lines of a question and whether it can be answered."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from graphs.errors import YoujuError

_NAME = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_REASONS = 5
"""Bad lines that one message names."""


class LabelsUnreadable(YoujuError):
    """A file of labels that can't be used; the message names the lines."""


class Label(BaseModel):
    """One line. `documents` and `answer` let a wrong answer be told from a right one.

    `documents`: id, name or title of those that hold the answer; citing any of them is right.
    `answer`: what the answer must contain; several strings are alternatives.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)
    ]
    answerable: bool
    documents: Sequence[_NAME] = Field(default=())
    answer: _NAME | Sequence[_NAME] = Field(default=())

    @property
    def answers(self) -> Sequence[str]:
        """The alternatives, none where the label does not say."""
        return (self.answer,) if isinstance(self.answer, str) else self.answer


def read_labels(path: Path) -> list[Label]:
    """Return the labels of a file, each question once: of equal ones the last line counts.

    Lines that call one question answerable and not answerable are bad. Raises LabelsUnreadable with the numbers of bad lines and what is wrong with them.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise LabelsUnreadable(f"{path} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise LabelsUnreadable(f"{path} is not UTF-8 text.") from error
    labels: dict[str, Label] = {}
    bad: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            label = Label.model_validate(json.loads(line))
        except json.JSONDecodeError as error:
            bad.append(f"line {number} is not JSON ({error.msg})")
        except ValidationError as error:
            bad.append(f"line {number}: {_reason(error)}")
        else:
            known = labels.get(label.question)
            if known is not None and known.answerable is not label.answerable:
                bad.append(f"line {number} contradicts an earlier line on the same question")
            labels[label.question] = label
    if bad:
        more = f", and {len(bad) - _REASONS} more" if len(bad) > _REASONS else ""
        raise LabelsUnreadable(f"{path}: {'; '.join(bad[:_REASONS])}{more}.")
    if not labels:
        raise LabelsUnreadable(f"{path} holds no labels.")
    return list(labels.values())


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
