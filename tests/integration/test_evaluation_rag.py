"""The evaluation of answers on small made-up sets, through the real stores and the compiled graph."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rag_question_files import (
    months,
    write_cmrc,
    write_conflicting,
    write_hops,
    write_integrated,
    write_zh,
)
from scripted_openai import Reply, serve

from app.commands import evaluating_rag
from app.commands.boundary import CommandFailed
from app.evaluation.corpus import CorpusStore
from app.evaluation.datasets import load
from app.evaluation.rag import reporting
from app.evaluation.rag.asking import Asker, OpenSet
from app.evaluation.rag.compare import NothingToCompare, compare
from app.evaluation.rag.given import noisy
from app.evaluation.rag.measured import Measured, Row
from app.evaluation.rag.running import run
from app.evaluation.rag.views import GivenPassages
from app.settings import Settings
from app.wiring import Core, open_core
from graphs.evidence.text import query_terms


def _settings(folder: Path) -> Settings:
    return Settings(_env_file=None, data_dir=folder, llm="off")


def _silent(what: str, done: int, total: int) -> None:
    assert 0 < done <= total, what


def _ignore(done: int, total: int) -> None:
    assert 0 < done <= total


@asynccontextmanager
async def _opened(folder: Path) -> AsyncIterator[tuple[Core, CorpusStore]]:
    async with open_core(_settings(folder)) as core:
        with closing(CorpusStore(core, folder / "vectors.sqlite")) as corpora:
            yield core, corpora


async def _measured(
    folder: Path, names: Sequence[str], protocols: Sequence[str] = ()
) -> dict[str, Measured]:
    async with _opened(folder / "work") as (core, corpora):
        sets, _ = load(folder, names)
        found = await run(Asker(core), corpora, sets, protocols, None, _silent)
    return {each.protocol: each for each in found}


async def _set(core: Core, corpora: CorpusStore, folder: Path) -> tuple[Asker, OpenSet]:
    sets, _ = load(folder, ["rgb-zh"])
    asker = Asker(core)
    return asker, await asker.open(corpora, sets[0], "zh", _ignore)


async def test_given_passages_are_all_that_a_question_sees(tmp_path: Path) -> None:
    write_zh(tmp_path)
    async with _opened(tmp_path / "work") as (core, corpora):
        asker, opened = await _set(core, corpora, tmp_path)
        question = opened.questions.questions[0]
        given = noisy(question, 0.8)
        held = await asker.ask(opened, question, given)
        empty = await asker.ask(opened, question, noisy(question, 1.0))
    seen = {key for groups in held.evidence for group in groups for key in group}
    assert seen <= {*given}
    assert not {key for groups in empty.evidence for g in groups for key in g} & {*question.gains}
    assert f"{months(0)}个月" in held.text
    assert f"{months(0)}个月" not in empty.text
    assert held.confidence > empty.confidence
    assert held.citations == held.valid_citations > 0
    assert {*held.cited} <= {*given}


async def test_view_keeps_the_order_and_statistics_of_its_base(tmp_path: Path) -> None:
    write_zh(tmp_path)
    async with _opened(tmp_path / "work") as (core, corpora):
        _, opened = await _set(core, corpora, tmp_path)
        kb = await core.library.open("rgb-zh")
        question = opened.questions.questions[1]
        ids = [opened.ids[key] for key in noisy(question, 0.4)]
        passages = await kb.passages(ids)
        view = GivenPassages(kb, passages)
        terms = query_terms(question.text)
        vector = core.loaded.embedders.indexing.embed([question.text])[0]
        count = len(opened.questions.documents)
        for whole, part in (
            (await kb.keyword(terms, count), await view.keyword(terms, count)),
            (await kb.dense(vector, count), await view.dense(vector, count)),
        ):
            assert [hit.id for hit in part] == [hit.id for hit in whole if hit.id in ids]
        found = await view.keyword_search(terms, 2)
        assert len(found.hits) == 2
        assert found.passages == count
        assert found.frequency == await kb.document_frequency(terms)
        other = next(id_ for id_ in opened.keys if id_ not in ids)
        assert await view.passages([other, ids[0]]) == passages[:1]
        assert await view.sentence_vectors([other]) == {}
        excluded = passages[0].document_id
        assert ids[0] not in {hit.id for hit in await view.dense(vector, count, [excluded])}
        document = next(p for p in await kb.passages([other]))
        assert await view.canonical_text(document.document_id, document.version) is None


async def test_noise_and_rejection_are_measured_on_the_given_passages(tmp_path: Path) -> None:
    questions = write_zh(tmp_path)
    found = await _measured(tmp_path, ["rgb-zh"])
    noise, rejection = found["noise"], found["rejection"]
    assert [*noise.conditions[:5]] == ["0 own", "0.2 own", "0.4 own", "0.6 own", "0.8 own"]
    figures = noise.means("0.8 own")
    assert figures["contained"][1] == questions
    assert figures["contained"][0].mean > 0.5
    assert figures["conflict"][0].mean == 0
    for row in noise.rows:
        if row.run.refused:
            assert row.scores["contained"] == 0
    assert sum(each.answerable for each in rejection.judged) == questions
    told = rejection.abstention()
    assert told["auroc"].mean > 0.5
    for figure, condition in (("falsely_refused", "0.8 own"), ("rejected", "1 own")):
        assert told[figure].mean == rejection.means(condition)["refused"][0].mean
    same = {row.id: row.run for row in noise.of("0.8 own")}
    assert all(row.run is same[row.id] for row in rejection.of("0.8 own"))  # asked once


async def test_golds_of_every_other_question_are_excluded(tmp_path: Path) -> None:
    questions = write_zh(tmp_path)
    found = (await _measured(tmp_path, ["rgb-zh"], ["open"]))["open"]
    sets, _ = load(tmp_path, ["rgb-zh"])
    golds = {each.id: {*each.gains} for each in sets[0].questions}
    assert len(found.of("golds held")) == questions // 2
    for row in found.rows:
        seen = {key for groups in row.run.evidence for group in groups for key in group}
        assert bool(seen & golds[row.id]) is row.answerable
        assert row.scores["second"] == (len(row.run.retrieved_by) > 1)
    assert found.abstention()["auroc"].mean > 0.5


async def test_question_whose_answer_still_stands_elsewhere_is_dropped(tmp_path: Path) -> None:
    write_zh(tmp_path)
    path = tmp_path / "rgb" / "zh_refine.dev.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["negative"][0] = f"{rows[1]['query']}有人说{months(1)}个月检修一次。"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    found = (await _measured(tmp_path, ["rgb-zh"], ["open"]))["open"]
    removed = {row.id for row in found.of("golds removed")}
    assert str(rows[1]["id"]) not in removed
    assert str(rows[5]["id"]) in removed


async def test_disputed_passages_are_told_from_true_ones(tmp_path: Path) -> None:
    questions = write_conflicting(tmp_path)
    found = (await _measured(tmp_path, ["rgb-zh-fact"]))["conflict"]
    disputed, clean = found.means("disputed"), found.means("true passages only")
    assert disputed["both_sides"][1] == clean["conflict"][1] == questions
    assert clean["conflict"][0].mean == 0
    assert disputed["conflict"][0].mean > 0
    assert disputed["both_sides"][0].mean > 0


async def test_every_part_of_an_answer_is_looked_for(tmp_path: Path) -> None:
    questions = write_integrated(tmp_path)
    found = (await _measured(tmp_path, ["rgb-zh-int"]))["integration"]
    figures = found.means("0 own")
    assert figures["parts"][1] == questions
    assert 0 < figures["parts"][0].mean <= 1
    assert figures["contained"][0].mean <= figures["parts"][0].mean


async def test_answers_of_paragraphs_are_found_at_the_beginning(tmp_path: Path) -> None:
    questions = write_cmrc(tmp_path)
    found = (await _measured(tmp_path, ["cmrc2018"], ["extraction"]))["extraction"]
    assert found.means("own")["contained"][1] == questions
    assert found.means("open")["contained"][0].mean > 0.5


async def test_searches_over_several_hops_are_counted(tmp_path: Path) -> None:
    questions = write_hops(tmp_path)
    found = (await _measured(tmp_path, ["hotpotqa"], ["hops"]))["hops"]
    figures = found.means("own")
    assert figures["all_gold_10"][1] == questions
    assert figures["all_gold_10"][0].mean >= figures["all_gold_10_first"][0].mean
    assert figures["repeated"][0].mean == 0
    counted = [figures[name][1] for name in ("taken_needed", "taken_unneeded") if name in figures]
    assert sum(counted) == questions
    for row in found.rows:
        assert row.scores["searches"] == len(row.run.retrieved_by)
        assert ("second_gained" in row.scores) is (row.scores["searches"] > 1)


async def test_open_gates_answer_what_the_service_refuses(tmp_path: Path) -> None:
    write_zh(tmp_path)
    async with _opened(tmp_path / "work") as (core, corpora):
        strict = replace(
            core.collaborators, policy=replace(core.collaborators.policy, min_passage=1.0)
        )
        asker, opened = await _set(replace(core, collaborators=strict), corpora, tmp_path)
        question = opened.questions.questions[0]
        given = noisy(question, 0.0)
        own = await asker.ask(opened, question, given)
        forced = await asker.ask(opened, question, given, gate="open")
    assert own.refused
    assert forced.status == "answered"
    assert f"{months(0)}个月" in forced.text


def _numbers(prompt: str, right: str) -> tuple[list[int], int]:
    """Return the numbers of the passages in a prompt, and of the one that states what is right."""
    shown = prompt[prompt.rindex("Passages:\n") :]
    found = re.findall(r"<passage n=(\d+)[^>]*>\n(.*?)\n</passage>", shown, re.DOTALL)
    return [int(n) for n, _ in found], next(int(n) for n, text in found if right in text)


async def test_model_is_asked_where_it_is_wanted_and_its_costs_are_counted(tmp_path: Path) -> None:
    write_zh(tmp_path)
    right = f"{months(0)}个月"

    def analysis(_: str) -> dict[str, Any]:
        facet = {"kind": "field", "text": "给水泵多久检修一次", "required": True, "field": "amount"}
        return {
            "language": "zh", "intent": "retrieve", "direct_reason": "", "sub_questions": [],
            "question_resolved": "给水泵多久检修一次？", "first_query": "给水泵 检修",
            "facets": [facet | {"sub_question": 0}],
        }  # fmt: skip

    def grade(prompt: str) -> dict[str, Any]:
        shown, best = _numbers(prompt, right)
        return {
            "facets": [{"facet": "f1", "passages": [best]}],
            "relevance": [5 if n == best else 1 for n in shown],
            "contradictions": [], "subject_found": True, "retrieve": False, "verdict": "answer", "reason": "写明了。",
        }  # fmt: skip

    def draft(prompt: str) -> str:
        return f"给水泵每{right}检修一次。[P{_numbers(prompt, right)[1]}]\n"

    check = {"verdicts": [{"index": 1, "supported": True, "modality_kept": True}], "useful": 5}
    with serve() as server:
        for said, when in (
            (analysis, "You read questions"),
            (grade, "You judge whether excerpts"),
            (draft, "You answer a question from passages"),
            (check, "You check statements"),
        ):
            server.script(Reply(said))
            server.replies[-1].when = when
        settings = _settings(tmp_path / "work").model_copy(
            update={
                "llm": "on",
                "llm_model": "scripted",
                "openai_base_url": server.url,
                "llm_cascade": False,
            }
        )
        async with open_core(settings) as core:
            with closing(CorpusStore(core, tmp_path / "work" / "vectors.sqlite")) as corpora:
                asker, opened = await _set(core, corpora, tmp_path)
                question = opened.questions.questions[0]
                found = await asker.ask(opened, question, noisy(question, 0.8))
        requests = len(server.requests)
    assert found.status == "answered"
    assert found.text == f"给水泵每{right}检修一次。"
    costs = reporting.costs([Row(question.id, "0.8 own", found, {})])
    assert costs["calls"] == requests >= 3
    assert costs["tokens"] > 0
    assert costs["citations"] == costs["valid_citations"] > 0


async def test_command_writes_rows_that_can_be_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = write_zh(tmp_path / "sets")
    settings = _settings(tmp_path)
    given = (tmp_path / "sets", ["rgb-zh"], ["rejection"], 4, tmp_path / "kept")
    outcomes = await evaluating_rag.evaluate(settings, *given)
    result: dict[str, Any] = json.loads(
        json.dumps(evaluating_rag.as_json(outcomes, settings), allow_nan=False)
    )
    rows = result["outcomes"][0]["rows"]
    assert questions > 4
    assert len(rows) == 8
    assert {"id", "status", "confidence", "assessment", "text", "scores", "seconds"} <= {*rows[0]}
    costs = result["outcomes"][0]["costs"]
    assert costs["citations"] == costs["valid_citations"] > 0
    better = json.loads(json.dumps(result))
    for row in better["outcomes"][0]["rows"]:
        row["confidence"] = float(row["answerable"])
        row["scores"] = dict.fromkeys(row["scores"], 1.0)
    found = {(each.condition, each.figure): each for each in compare(result, better)}
    assert found["both", "AUROC"].second == 1
    assert found["0.8 own", "contained"].second == 1
    assert found["both", "AUROC"].questions == 8
    assert all(each.difference.mean == 0 for each in compare(result, result))
    with pytest.raises(NothingToCompare):
        compare(result, {"outcomes": []})


async def test_tables_hold_no_text_of_the_data(tmp_path: Path) -> None:
    write_zh(tmp_path)
    found = await _measured(tmp_path, ["rgb-zh"], ["rejection"])
    tables = reporting.tables(list(found.values()))
    shown = json.dumps(tables, ensure_ascii=False)
    assert not any(row.run.text and row.run.text in shown for row in found["rejection"].rows)
    assert next(title for title, _, _ in tables) == "rejection on rgb-zh"
    for _, columns, rows in tables:
        assert {len(row) for row in rows} == {len(columns)}


async def test_unknown_protocol_or_pairing_is_refused(tmp_path: Path) -> None:
    write_zh(tmp_path)
    with pytest.raises(CommandFailed, match="no protocol named"):
        await evaluating_rag.evaluate(_settings(tmp_path), tmp_path, [], ["nois"], None, None)
    with pytest.raises(CommandFailed, match="None of these sets"):
        await evaluating_rag.evaluate(
            _settings(tmp_path), tmp_path, ["rgb-zh"], ["hops"], None, None
        )
    with pytest.raises(CommandFailed, match="no question set named"):
        await evaluating_rag.evaluate(_settings(tmp_path), tmp_path, ["rgb"], [], None, None)


def test_file_that_holds_no_result_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text("{}")
    other.write_text("not json")
    with pytest.raises(CommandFailed, match=r"a\.json holds no result"):
        evaluating_rag.compared(one, other)
    with pytest.raises(CommandFailed, match=r"b\.json is not JSON"):
        evaluating_rag.compared(other, one)
