"""What callers send: strict types, no unknown fields, nothing that a store can't keep."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from app.settings_sections import PresetName
from graphs.ask.records import DecisionKey


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not hold a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("must be valid Unicode without lone surrogates")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text.strip()


Text = Annotated[str, AfterValidator(_storable)]
Question = Annotated[
    str,
    Field(min_length=1, max_length=4000),
    AfterValidator(_storable),
    AfterValidator(_not_blank),
]
Named = Annotated[Text, Field(min_length=1), AfterValidator(_not_blank)]
Id = Annotated[Text, Field(min_length=1, max_length=100)]


class Request(BaseModel):
    """A request body: unknown fields and loosely typed values are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AskOptions(Request):
    """What a caller may set for one question; what is left out comes from the settings."""

    max_rounds: Annotated[int, Field(ge=0, le=3)] | None = None
    preset: PresetName | None = None
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    exclude_documents: list[Id] = Field(default_factory=list, max_length=1000)
    web: bool = False


class AskRequest(Request):
    """One question."""

    question: Question = Field(examples=["凝汽器真空下降时，运行人员应优先检查哪些系统？"])
    kb: Id | None = None
    thread_id: Id | None = None
    options: AskOptions = Field(default_factory=AskOptions)
    on_disconnect: Literal["continue", "cancel"] = "continue"
    """What becomes of the question when who asked it leaves before the answer."""


class ForkOptions(Request):
    """Options that change; what is left out stays as it was."""

    max_rounds: Annotated[int, Field(ge=0, le=3)] | None = None
    preset: PresetName | None = None
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    exclude_documents: list[Id] = Field(default_factory=list, max_length=1000)


class ForkValues(Request):
    """What a fork changes: the question (it is asked anew), options, or what a grading decided."""

    question: Question | None = None
    options: ForkOptions | None = None
    decision: DecisionKey | None = None


class ForkRequest(Request):
    """From which checkpoint a question is replayed, and with what changed."""

    checkpoint_id: Id
    values: ForkValues = Field(default_factory=ForkValues)
