"""`kb.yaml`: what a knowledge base says of itself."""

import yaml
from pydantic import ValidationError

from app.adapters.catalogue_sqlite import KnowledgeBaseCard
from app.ingest.loading import FileRejected

CARD = "kb.yaml"
_HINT = "see the README for the fields of kb.yaml: description, contact, glossary, unrelated"


def is_card(name: str) -> bool:
    """Tell whether a file describes the knowledge base instead of being a document."""
    return name.rsplit("/", 1)[-1] == CARD


def read_card(data: bytes) -> KnowledgeBaseCard:
    """Return the content of a `kb.yaml`; raise FileRejected where it is not as described."""
    try:
        content = yaml.safe_load(data.decode("utf-8-sig"))
        return KnowledgeBaseCard.model_validate(content or {})
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise FileRejected("invalid_card", "kb.yaml is not YAML in UTF-8", _HINT) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        why = first["msg"].removeprefix("Value error, ")
        raise FileRejected("invalid_card", f"{where}: {why}", _HINT) from error
