"""The retrieval evaluation on small sets, through the real stores and the search as shipped."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from question_files import write_hotpot, write_rgb

from app.adapters.embed_use import UseEmbedder
from app.commands import evaluating
from app.commands.boundary import CommandFailed
from app.evaluation import reporting
from app.evaluation.corpus import CorpusStore
from app.evaluation.crossfit import FOLDS, Labelled, cross_fit, fold_of
from app.evaluation.datasets import load
from app.evaluation.redundancy import LISTS
from app.evaluation.retrieval import MODES, open_set, run
from app.evaluation.vectors import KeptVectors
from app.settings import Settings
from app.wiring import OpenServices, open_services
from graphs.ports import Matrix
from graphs.retrieval.hybrid import HybridSearch


def _settings(folder: Path) -> Settings:
    return Settings(_env_file=None, data_dir=folder, llm="off")


def _silent(what: str, done: int, total: int) -> None:
    assert 0 < done <= total, what


class NoEmbedder:
    """An embedder that must not be needed any more."""

    fingerprint = UseEmbedder().fingerprint
    dimension = UseEmbedder().dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        assert not texts, texts
        return np.zeros((0, self.dimension), dtype=np.float32)


@asynccontextmanager
async def _opened(folder: Path) -> AsyncIterator[tuple[OpenServices, CorpusStore]]:
    async with open_services(_settings(folder)) as services:
        with closing(CorpusStore(services, folder / "vectors.sqlite")) as corpora:
            yield services, corpora


async def test_questions_of_a_small_set_are_scored_in_every_mode(tmp_path: Path) -> None:
    questions = write_rgb(tmp_path / "sets")
    told: list[tuple[str, int, int]] = []
    async with _opened(tmp_path / "work") as (services, corpora):
        sets, _ = load(tmp_path / "sets", ["rgb-zh"])
        search = services.searcher.search_with
        outcomes = await run(corpora, sets, search, None, lambda *each: told.append(each))
    found = reporting.as_json(outcomes[0])
    assert found["questions"] == questions
    assert found["passages"] == 2 * questions + 1  # the passage that all rows share counts once
    assert {*found["modes"]} == {*MODES}
    for mode in ("keyword", "fused", "fused + rerank"):  # every part is named in two passages
        figures = found["modes"][mode]
        assert figures["hit_5"]["mean"] == 1
        assert 0.5 < figures["ndcg_10"]["low"] <= figures["ndcg_10"]["high"] <= 1
    assert {*found["redundancy"]} == {*LISTS}
    assert found["redundancy"][LISTS[0]]["gold_recall_kept"] == 1
    assert found["difference"]["low"] <= found["difference"]["mean"] <= found["difference"]["high"]
    assert told[-1] == ("rgb-zh: questions", questions, questions)
    assert ("rgb-zh: passages", 2 * questions + 1, 2 * questions + 1) in told
    titles = [title for title, _, _ in reporting.tables(outcomes)]
    assert len(titles) == 3


async def test_second_run_in_the_same_folder_embeds_no_passage(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    write_hotpot(tmp_path / "sets")
    sets, _ = load(tmp_path / "sets", ["hotpotqa"])
    async with _opened(tmp_path / "work") as (_, corpora):
        first = await open_set(corpora, sets[0], _silent)
    async with _opened(tmp_path / "work") as (services, _):
        stores = replace(services.library.stores, embedder=NoEmbedder())
        services.library.stores = stores
        with closing(CorpusStore(services, tmp_path / "other.sqlite")) as corpora:
            second = await open_set(corpora, sets[0], _silent)
        await services.library.delete("hotpotqa")
        with closing(CorpusStore(services, tmp_path / "work" / "vectors.sqlite")) as corpora:
            third = await open_set(corpora, sets[0], _silent)
    assert first.keys == second.keys == third.keys
    assert len(first.keys) == len(sets[0].documents)


async def test_changed_corpus_is_made_anew(tmp_path: Path) -> None:
    write_hotpot(tmp_path / "sets")
    sets, _ = load(tmp_path / "sets", ["hotpotqa"])
    fewer = replace(sets[0], documents=sets[0].documents[:4])
    async with _opened(tmp_path / "work") as (services, corpora):
        await open_set(corpora, sets[0], _silent)
        opened = await open_set(corpora, fewer, _silent)
        left = await services.library.documents("hotpotqa")
    assert {info.name for info in left} == {each.key for each in fewer.documents}
    assert {*opened.keys.values()} == {each.key for each in fewer.documents}


async def test_passages_keep_their_titles(tmp_path: Path) -> None:
    write_hotpot(tmp_path / "sets")
    sets, _ = load(tmp_path / "sets", ["hotpotqa"])
    async with _opened(tmp_path / "work") as (_, corpora):
        opened = await open_set(corpora, sets[0], _silent)
        passages = await opened.kb.passages(list(opened.keys))
    documents = {each.key: each for each in sets[0].documents}
    for passage in passages:
        document = documents[opened.keys[passage.id]]
        assert (passage.title, passage.text) == (document.title, document.text)


class RecordingFitter:
    """Gives every fold a search of its own and keeps what it was given to learn from."""

    def __init__(self) -> None:
        self.trained: list[set[tuple[str, str]]] = []
        self.searches: list[HybridSearch] = []

    async def fit(self, search: HybridSearch, training: Sequence[Labelled]) -> HybridSearch:
        assert all(each.golds and set(each.golds.values()) == {1} for each in training)
        self.trained.append({(each.set_name, each.question.id) for each in training})
        self.searches.append(replace(search))
        return self.searches[-1]


async def test_no_fold_is_asked_with_parameters_that_saw_its_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_hotpot(tmp_path / "sets")
    sets, _ = load(tmp_path / "sets", ["hotpotqa"])
    asked: dict[str, HybridSearch] = {}
    original = HybridSearch.search

    async def search(self: HybridSearch, kb, text: str, *given, **more):  # type: ignore[no-untyped-def]
        asked[text] = self
        return await original(self, kb, text, *given, **more)

    monkeypatch.setattr(HybridSearch, "search", search)
    fitter = RecordingFitter()
    async with _opened(tmp_path / "work") as (services, corpora):
        opened = await open_set(corpora, sets[0], _silent)
        outcomes = await cross_fit([opened], services.searcher.search_with, fitter, None, _silent)
    assert len(fitter.trained) == FOLDS
    everything = {("hotpotqa", question.id) for question in sets[0].questions}
    for question in sets[0].questions:
        fold = fold_of("hotpotqa", question.id)
        assert asked[question.text] is fitter.searches[fold]
        assert ("hotpotqa", question.id) not in fitter.trained[fold]
    assert set().union(*fitter.trained) == everything
    assert len(outcomes[0].outcomes) == len(everything)


async def test_cross_fitting_without_fitted_parameters_is_refused(tmp_path: Path) -> None:
    write_rgb(tmp_path / "sets")
    settings = _settings(tmp_path).model_copy(update={"reranker": "none"})
    with pytest.raises(CommandFailed, match="no fitted parameters"):
        await evaluating.evaluate(settings, tmp_path / "sets", [], None, None, True)


def test_kept_vectors_are_those_of_the_embedder(tmp_path: Path, embedder: UseEmbedder) -> None:
    texts = ["水泵", "a pump", "水泵"]
    with closing(KeptVectors(embedder, tmp_path / "v.sqlite")) as kept:
        first = kept.embed(texts)
    with closing(KeptVectors(NoEmbedder(), tmp_path / "v.sqlite")) as kept:
        again = kept.embed(texts)
        assert kept.embed([]).shape == (0, embedder.dimension)
    assert np.array_equal(first, again)
    assert np.allclose(first, embedder.embed(texts), atol=1e-6)
