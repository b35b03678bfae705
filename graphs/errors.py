"""The errors that cross the ports. Adapters translate a vendor's errors into these."""


class YoujuError(Exception):
    """Base of every error that this product raises on purpose."""


class ModelUnavailable(YoujuError):
    """The language model can't be reached, timed out, or is over its budget."""


class ModelOutputInvalid(YoujuError):
    """The language model answered with something that can't be parsed."""


class StoreUnavailable(YoujuError):
    """A store failed in a way that a retry may mend."""


class DenseUnavailable(StoreUnavailable):
    """The vector index can't be read; keyword search still works."""


class EmbedderUnavailable(DenseUnavailable):
    """The embedding model can't be loaded or reached; the message says how to mend it."""


class RerankerUnavailable(YoujuError):
    """The reranking model can't be loaded or run; the message says how to mend it."""


class WebSearchFailed(YoujuError):
    """The provider of web search can't be reached, refuses, or answers with something else."""


class UnknownKnowledgeBase(YoujuError):
    """No knowledge base has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no knowledge base named {name!r}")
        self.name = name
