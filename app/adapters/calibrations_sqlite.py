"""What labelled questions taught about each knowledge base, kept per set of models."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.adapters.database import Database
from graphs.ports import Calibration

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Weight = Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]


class CalibrationRecord(BaseModel):
    """A calibration with the promise that it was chosen for.

    At `threshold`, `errors` of `answered` labelled questions were errors; with confidence
    1 - `delta` at most `bound` of the answered ones are, and `bound` is at most `alpha`. `labels`
    questions were at hand, of which `fitted_on` fitted the weights and the others chose θ.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: dict[Annotated[str, Field(max_length=60)], _Weight] = Field(max_length=60)
    threshold: _Share
    alpha: _Share
    delta: _Share
    answered: Annotated[int, Field(ge=1)]
    errors: Annotated[int, Field(ge=0)]
    bound: _Share
    labels: Annotated[int, Field(ge=1)]
    fitted_on: Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """A record with the models that it holds for; `created` is Unix seconds."""

    models: str
    created: float
    record: CalibrationRecord

    @property
    def name(self) -> str:
        """How answers name it: the day it was made, and how many labels it rests on."""
        day = datetime.fromtimestamp(self.created, UTC).strftime("%Y-%m-%d")
        return f"labels-{day}-{self.record.labels}"

    @property
    def calibration(self) -> Calibration:
        """What the graph reads of it."""
        return Calibration(self.name, self.record.weights, self.record.threshold)


class CalibrationStore:
    """The table of calibrations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def one(self, kb: str, models: str) -> StoredCalibration | None:
        """Return the calibration for these models, or None."""
        return next((each for each in self.all(kb) if each.models == models), None)

    def all(self, kb: str) -> list[StoredCalibration]:
        """Return the calibrations of a knowledge base, newest first."""
        sql = "SELECT models, created, body FROM calibrations WHERE kb = ? ORDER BY created DESC"
        with self._database.read() as connection:
            return [
                StoredCalibration(
                    row["models"],
                    row["created"],
                    CalibrationRecord.model_validate_json(row["body"]),
                )
                for row in connection.execute(sql, (kb,))
            ]

    def save(self, kb: str, models: str, record: CalibrationRecord) -> StoredCalibration:
        """Store a calibration in place of an earlier one for the same models."""
        stored = StoredCalibration(models, time.time(), record)
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO calibrations(kb, models, created, body) VALUES (?, ?, ?, ?)",
                (kb, models, stored.created, record.model_dump_json()),
            )
        return stored

    def remove(self, kb: str) -> int:
        """Delete all calibrations of a knowledge base and return how many there were."""
        with self._database.write() as connection:
            return connection.execute("DELETE FROM calibrations WHERE kb = ?", (kb,)).rowcount
