"""BGE-M3's adapter with FlagEmbedding's real loader, on a tiny encoder that is built here."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from test_rerank_bge import EN, ZH
from tiny_embedder import HIDDEN, build

from app.adapters.embed_bge import MAX_CHARACTERS, BgeEmbedder
from graphs.errors import EmbedderUnavailable


@pytest.fixture(scope="module", autouse=True)
def _offline() -> Iterator[None]:
    # the library reads HF_HUB_OFFLINE once, when it is imported
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def bge(folder: Path) -> BgeEmbedder:
    return BgeEmbedder(str(folder))


@pytest.mark.parametrize("pairs", [ZH, EN], ids=["zh", "en"])
def test_passage_that_shares_words_is_nearest(
    bge: BgeEmbedder, pairs: list[tuple[str, str]]
) -> None:
    queries = bge.embed([query for query, _ in pairs])
    passages = bge.embed([passage for _, passage in pairs])
    best = np.argmax(queries @ passages.T, axis=1)
    assert np.mean(best == np.arange(len(pairs))) >= 0.8, best


def test_rows_have_unit_length_and_the_models_dimension(bge: BgeEmbedder) -> None:
    rows = bge.embed([passage for _, passage in ZH])
    assert rows.shape == (len(ZH), HIDDEN) == (len(ZH), bge.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_no_text_gives_no_row(bge: BgeEmbedder) -> None:
    assert bge.embed([]).shape == (0, HIDDEN)


def test_order_is_kept_across_batches_of_different_lengths(folder: Path) -> None:
    small = BgeEmbedder(str(folder), batch=5)
    texts = [passage * (1 + n % 4) for n, (_, passage) in enumerate(ZH + EN)]
    alone = np.concatenate([small.embed([text]) for text in texts])
    assert np.allclose(small.embed(texts), alone, atol=1e-4)


def test_eight_threads_get_the_rows_of_one(bge: BgeEmbedder) -> None:
    texts = [[passage * (1 + n % 3)] for n, (_, passage) in enumerate(ZH + EN)]
    expected = [bge.embed(each) for each in texts]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(bge.embed, texts))
    assert np.allclose(found, expected, atol=1e-4)


def test_long_blank_and_broken_texts_are_embedded(bge: BgeEmbedder) -> None:
    rows = bge.embed(["水泵" * MAX_CHARACTERS, "水泵" * MAX_CHARACTERS * 2, "", "泵\ud83d"])
    assert np.allclose(rows[0], rows[1], atol=1e-5)
    assert np.isfinite(rows).all()


def test_embedding_many_texts_writes_no_progress_bar(
    bge: BgeEmbedder, capfd: pytest.CaptureFixture[str]
) -> None:
    bge.embed([passage for _, passage in ZH + EN] * 3)
    assert capfd.readouterr() == ("", "")


def test_fingerprint_follows_the_weights(folder: Path, tmp_path: Path) -> None:
    same = shutil.copytree(folder, tmp_path / "same")
    other = build(tmp_path / "other", seed=8)
    prints = [BgeEmbedder(str(each)).fingerprint for each in (folder, same, other)]
    assert prints[0] == prints[1] != prints[2]
    assert prints[0].startswith("bge-m3:")


def test_missing_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"no folder.*YOUJU_EMBEDDER_MODEL"):
        BgeEmbedder(str(tmp_path / "nothing"))


def test_model_that_is_not_on_the_machine_is_refused_offline() -> None:
    with pytest.raises(EmbedderUnavailable, match="YOUJU_EMBEDDER_MODEL"):
        BgeEmbedder("BAAI/bge-m3-not-here")


@pytest.mark.parametrize("damaged", ["config.json", "model.safetensors", "tokenizer.json"])
def test_damaged_folder_is_refused(folder: Path, tmp_path: Path, damaged: str) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / damaged).write_bytes((copy / damaged).read_bytes()[:300])
    with pytest.raises(EmbedderUnavailable):
        BgeEmbedder(str(copy))


def test_model_that_fails_while_embedding_is_reported(folder: Path) -> None:
    broken = BgeEmbedder(str(folder))
    dense = broken._model.model.model.encoder.layer[0].output.dense
    dense.weight.data = dense.weight.data[:, :-1]
    with pytest.raises(EmbedderUnavailable, match=r"failed on 1 text\(s\)"):
        broken.embed(["真空"])
