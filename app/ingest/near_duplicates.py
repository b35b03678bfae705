"""Documents that say nearly the same: found by their signatures, kept with each document."""

from app.adapters.knowledge_base import Stores
from app.adapters.signatures_sqlite import Signed, Uncompared
from app.ingest.signatures import bands, likeness, signature

_ROWS = 100
"""Documents in one transaction."""


def compare_documents(stores: Stores, kb: str) -> None:
    """Work out for every new or changed document whether an earlier one says nearly the same.

    Versions of one document are linked elsewhere and are not copies: call it once that is done.
    """
    threshold = stores.signatures.threshold
    waiting = stores.signatures.uncompared(kb)
    for begin in range(0, len(waiting), _ROWS):
        _sign(stores, kb, waiting[begin : begin + _ROWS])
    for begin in range(0, len(waiting), _ROWS):
        with stores.database.write() as connection:
            for document in waiting[begin : begin + _ROWS]:
                own = stores.signatures.one(connection, document.id)
                others = stores.signatures.sharing(connection, kb, bands(own.signature), own.id)
                stores.signatures.decide(connection, own.id, _original(own, others, threshold))
                for copy in _new_copies(own, others, threshold):
                    stores.signatures.decide(connection, copy.id, own.id)


def _sign(stores: Stores, kb: str, documents: list[Uncompared]) -> None:
    signed = []
    for document in documents:
        text = stores.documents.canonical_text(document.id, document.version)
        signed.append(signature(text or ""))
    with stores.database.write() as connection:
        for document, made in zip(documents, signed, strict=True):
            stores.signatures.save(connection, kb, document, made, bands(made))


def _original(own: Signed, others: list[Signed], threshold: float) -> str | None:
    """Return the id of the earlier document that is most like `own`, or None below the threshold."""
    like = [
        (likeness(own.signature, other.signature), -other.place, other.id)
        for other in others
        if other.place < own.place and other.family != own.family
    ]
    best = max(like, default=None)
    return best[2] if best and best[0] >= threshold else None


def _new_copies(own: Signed, others: list[Signed], threshold: float) -> list[Signed]:
    """Return the later documents that a change of `own` made its copies."""
    return [
        other
        for other in others
        if other.place > own.place
        and other.near_duplicate_of is None
        and other.family != own.family
        and likeness(own.signature, other.signature) >= threshold
    ]
