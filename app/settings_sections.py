"""Groups of settings: presets, weights and the profiles of the rounds."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(ge=0, le=1)]
PresetName = Literal["critical", "general", "research", "recall"]


class Section(BaseModel):
    """A group of settings; its variables are joined with two underscores."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Presets(Section):
    """The confidence that each preset asks for before it answers in full."""

    critical: Share = 0.8
    general: Share = 0.7
    research: Share = 0.6
    recall: Share = 0.5


class Weights(Section):
    """The parts of `evidence_score`; they add up to 1."""

    relevance: Share = 0.40
    coverage: Share = 0.25
    consistency: Share = 0.20
    freshness: Share = 0.15

    @model_validator(mode="after")
    def _add_up(self) -> Self:
        total = self.relevance + self.coverage + self.consistency + self.freshness
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the four weights add up to {total:g}; make them add up to 1")
        return self


class Profile(Section):
    """How one kind of retrieval searches. `threshold` applies to the calibrated score."""

    threshold: Share = 0.2
    top_n: int = Field(default=10, ge=1, le=16)
    dense: Share = 0.6
    keyword: Share = 0.4
    rerank: bool = True


class BroadenProfile(Profile):
    """The defaults of the broadening round, its own class so that one override keeps the rest."""

    threshold: Share = 0.15
    top_n: int = Field(default=16, ge=1, le=16)
    dense: Share = 0.7
    keyword: Share = 0.3


class Profiles(Section):
    """The profile of each round."""

    initial: Profile = Profile()
    precise: Profile = Profile()
    broaden: BroadenProfile = BroadenProfile()
