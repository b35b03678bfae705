"""What labelled questions taught about a knowledge base: read, stored, dropped."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.adapters.calibrations_sqlite import CalibrationRecord, StoredCalibration
from app.deps import ServicesDep
from app.errors import InvalidRequest, OtherModels
from app.questions import Id, Request
from app.resources import moment
from app.services import Services
from graphs.ask.nodes.finalize import Models
from graphs.evidence.calibration import ConfidenceModel

router = APIRouter(prefix="/kb", tags=["calibration"])


class CalibrationIn(Request):
    """A calibration that was worked out with the models of this key."""

    models: Id
    calibration: CalibrationRecord


class CalibrationStateOut(BaseModel):
    """What a knowledge base is calibrated by.

    `models` is the key of the models in use. `weights` and `threshold` judge its questions:
    `calibration` where it is given, else the shipped ones. `outdated` counts calibrations that were
    made with other models and rest.
    """

    models: str
    name: str
    weights: dict[str, float]
    shipped: dict[str, float]
    """The shipped weights, which a new calibration starts from."""
    calibration: CalibrationRecord | None
    created_at: str | None
    outdated: int = Field(ge=0)


def _state(services: Services, found: list[StoredCalibration]) -> CalibrationStateOut:
    key = models_key(services)
    current = next((each for each in found if each.models == key), None)
    shipped = ConfidenceModel().weights
    return CalibrationStateOut(
        models=key,
        name=current.name if current else services.models["calibration"],
        weights=dict(current.record.weights if current else shipped),
        shipped=dict(shipped),
        calibration=current.record if current else None,
        created_at=moment(current.created) if current else None,
        outdated=sum(each.models != key for each in found),
    )


def models_key(services: Services) -> str:
    """Return the key of the models in use."""
    names = services.models
    return Models(names["embedder"], names["reranker"], names["reasoner"], names["calibration"]).key


@router.get("/{kb}/calibration")
async def calibration(kb: str, services: ServicesDep) -> CalibrationStateOut:
    """Tell by what the confidence of a knowledge base's answers is judged."""
    return _state(services, await services.library.calibrations(kb))


@router.put("/{kb}/calibration")
async def calibrate(kb: str, body: CalibrationIn, services: ServicesDep) -> CalibrationStateOut:
    """Store a calibration; `youju calibrate` works it out from labelled questions."""
    if body.models != models_key(services):
        raise OtherModels()
    weights = body.calibration.weights
    if unknown := set(weights) - set(ConfidenceModel().weights):
        raise OtherModels(f"The confidence has no feature {sorted(unknown)[0]!r}.")
    try:
        ConfidenceModel.of(weights)
    except ValueError as error:
        raise InvalidRequest(f"{str(error).capitalize()}.") from error
    await services.library.save_calibration(kb, body.models, body.calibration)
    return _state(services, await services.library.calibrations(kb))


@router.delete("/{kb}/calibration")
async def forget_calibration(kb: str, services: ServicesDep) -> CalibrationStateOut:
    """Go back to the shipped confidence and the threshold of the settings."""
    await services.library.forget_calibrations(kb)
    return _state(services, await services.library.calibrations(kb))
