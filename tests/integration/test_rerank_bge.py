"""The BGE adapter with FlagEmbedding's real loader, on a cross-encoder that is trained here."""

import json
import math
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tiny_cross_encoder import train

from app.adapters.rerank_bge import MAX_CHARACTERS, BgeReranker
from graphs.errors import RerankerUnavailable
from graphs.evidence.passages import Passage
from graphs.ports import Background, Candidate, RerankQuery

ZH = [
    (
        "循环水旋转滤网压差升高怎么处理",
        "先提高冲洗水压力，再人工清理旋转滤网，直到滤网压差恢复正常。",
    ),
    ("真空泵抽气能力不足的原因", "真空泵工作水温过高会使抽气能力下降，应检查冷却器和分离器水位。"),
    ("锅炉炉膛负压波动", "炉膛负压大幅波动时，运行人员应稳定燃烧，检查引风机调节挡板。"),
    ("给水泵振动大如何停运", "给水泵轴承振动超过限值时，应启动备用泵并停运故障泵。"),
    ("出差住宿费标准是多少", "住宿费按城市级别报销，一线城市每晚标准不超过六百元。"),
    ("年假可以跨年使用吗", "当年未休完的年假可顺延至次年三月底，逾期作废。"),
    ("合同审批流程", "合同须经法务审核和财务会签，金额较大的由总经理审批。"),
    ("电脑丢失后如何报告", "发现电脑丢失，应在一天之内向信息安全部门报告。"),
    ("新员工试用期多长", "试用期一般为三个月，新员工可以申请提前转正。"),
    ("发票遗失能不能报销", "发票遗失的，凭销售方盖章的复印件报销。"),
    ("会议室预订规则", "会议室须提前一天预订，超过十五分钟未到自动取消。"),
    ("危险化学品存放要求", "危险化学品应分类存放在通风的专用仓库，并张贴标识。"),
]
EN = [
    ("reset a forgotten password", "Open the account page to reset a password you have forgotten."),
    ("hotel cost when a flight is cancelled", "A cancelled flight means the hotel cost is repaid."),
    ("maximum meal allowance per day", "Staff may claim a meal allowance of forty dollars a day."),
    ("who approves overtime work", "Overtime is approved by the line manager beforehand."),
    ("warranty period of the pump", "The pump carries a warranty of two years from delivery."),
    ("how to clean the filter", "Clean the filter monthly: rinse with water and let it dry."),
    ("parental leave length", "New parents are entitled to sixteen weeks of paid leave."),
    ("reporting a lost laptop", "A lost laptop is reported to the security desk at once."),
    ("visitor badge rules", "Every visitor wears a badge and is met at the reception."),
    ("backup schedule of the database", "The database backup runs every night at two o'clock."),
    ("fire alarm procedure", "When the fire alarm sounds, leave by the nearest stairs."),
    ("parking permit renewal", "A parking permit expires in June; renewal is done online."),
]


@pytest.fixture(scope="module", autouse=True)
def _offline() -> Iterator[None]:
    # the library reads HF_HUB_OFFLINE once, when it is imported
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("cross-encoder"))


@pytest.fixture(scope="module")
def reranker(folder: Path) -> BgeReranker:
    return BgeReranker(str(folder))


def _query(text: str) -> RerankQuery:
    return RerankQuery(text=text, vector=np.zeros(2, np.float32), passages=0, frequency={})


def _candidates(texts: Sequence[str], section: tuple[str, ...] = ()) -> list[Candidate]:
    nothing = np.zeros((0, 2), np.float32)
    return [
        Candidate(
            passage=Passage(
                id=f"p{number}",
                document_id="d",
                title="d",
                section=section,
                text=text,
                start=0,
                end=len(text),
                version="v",
                ordinal=number,
                content_hash="h",
            ),
            dense=0.0,
            keyword=0.0,
            sentence_vectors=nothing,
        )
        for number, text in enumerate(texts)
    ]


@pytest.mark.parametrize("pairs", [ZH, EN], ids=["zh", "en"])
def test_unseen_pairs_rank_the_matching_passage_first(
    reranker: BgeReranker, pairs: list[tuple[str, str]]
) -> None:
    candidates = _candidates([passage for _, passage in pairs])
    best = [int(np.argmax(reranker.score(_query(query), candidates))) for query, _ in pairs]
    hits = sum(found == expected for expected, found in enumerate(best))
    assert hits / len(pairs) >= 0.8, best


def test_heading_that_names_the_subject_raises_the_score(reranker: BgeReranker) -> None:
    query = _query("真空泵抽气能力不足")
    text = "应检查冷却器和水位。"
    named = reranker.score(query, _candidates([text], section=("设备缺陷", "真空泵抽气能力不足")))
    other = reranker.score(query, _candidates([text], section=("差旅制度", "住宿费")))
    assert named[0] > other[0] + 1


def test_scores_are_logits_of_the_model(reranker: BgeReranker) -> None:
    scores = reranker.score(_query(ZH[0][0]), _candidates([passage for _, passage in ZH]))
    assert min(scores) < 0 < max(scores)


def test_no_candidate_gives_no_score(reranker: BgeReranker) -> None:
    assert reranker.score(_query("真空"), []) == []


def test_one_candidate_gives_a_list_of_one(reranker: BgeReranker) -> None:
    scores = reranker.score(_query(ZH[0][0]), _candidates([ZH[0][1]]))
    assert len(scores) == 1
    assert isinstance(scores[0], float)


def test_order_of_the_candidates_is_kept_across_batches(reranker: BgeReranker) -> None:
    texts = [passage * (1 + number % 3) for number, (_, passage) in enumerate(ZH + EN)]
    query = _query(ZH[3][0])
    together = reranker.score(query, _candidates(texts))
    alone = [reranker.score(query, _candidates([text]))[0] for text in texts]
    assert together == pytest.approx(alone, abs=1e-3)


def test_eight_threads_get_the_same_scores_as_one(reranker: BgeReranker) -> None:
    candidates = _candidates([passage for _, passage in ZH + EN])
    queries = [_query(query * (1 + number % 4)) for number, (query, _) in enumerate(ZH + EN)]
    expected = [reranker.score(query, candidates) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: reranker.score(query, candidates), queries))
    assert np.allclose(found, expected, atol=1e-3)


def test_texts_longer_than_the_model_are_cut(reranker: BgeReranker) -> None:
    query = _query("真空泵抽气能力不足" * 400)
    long, longer = _candidates(["水" * MAX_CHARACTERS, "水" * 3 * MAX_CHARACTERS])
    scores = reranker.score(query, [long, longer])
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_scoring_many_pairs_writes_no_progress_bar(
    reranker: BgeReranker, capfd: pytest.CaptureFixture[str]
) -> None:
    reranker.score(_query("真空"), _candidates([passage for _, passage in ZH + EN]))
    assert capfd.readouterr() == ("", "")


def test_fingerprint_follows_the_weights(folder: Path, tmp_path: Path) -> None:
    same = shutil.copytree(folder, tmp_path / "same")
    other = train(tmp_path / "other", seed=8, steps=1)
    prints = [BgeReranker(str(each)).fingerprint for each in (folder, same, other)]
    assert prints[0] == prints[1] != prints[2]
    assert prints[0].startswith("bge:")


@pytest.mark.parametrize(
    ("background", "midpoint"),
    [
        (Background(mean=-9.0, deviation=1.5, pairs=500), 0.0),
        (Background(mean=0.5, deviation=1.0, pairs=500), 2.5 + math.log(4)),
        (Background(mean=0.5, deviation=1.0, pairs=199), 0.0),
    ],
    ids=["far-below", "above-the-model's-own", "too-few-pairs"],
)
def test_background_moves_the_midpoint_only_upwards(
    reranker: BgeReranker, background: Background, midpoint: float
) -> None:
    sigmoid = reranker.calibrate(background)
    assert sigmoid.midpoint == pytest.approx(midpoint)
    assert sigmoid.scale == 1.0


def test_missing_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(RerankerUnavailable, match=r"no folder.*YOUJU_BGE_MODEL"):
        BgeReranker(str(tmp_path / "nothing"))


def test_model_that_is_not_on_the_machine_is_refused_offline() -> None:
    with pytest.raises(RerankerUnavailable, match="YOUJU_BGE_MODEL"):
        BgeReranker("BAAI/bge-reranker-v2-m3-not-here")


@pytest.mark.parametrize("damaged", ["config.json", "model.safetensors", "tokenizer.json"])
def test_damaged_folder_is_refused(folder: Path, tmp_path: Path, damaged: str) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / damaged).write_bytes((copy / damaged).read_bytes()[:500])
    with pytest.raises(RerankerUnavailable):
        BgeReranker(str(copy))


@pytest.mark.parametrize(
    "change",
    [{"architectures": ["XLMRobertaModel"]}, {"num_labels": 2}],
    ids=["no-head", "two-scores"],
)
def test_model_that_is_no_cross_encoder_is_refused(
    folder: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text())
    config.pop("id2label", None)
    config.pop("label2id", None)
    (copy / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(RerankerUnavailable):
        BgeReranker(str(copy))


def test_model_that_fails_while_scoring_is_reported(folder: Path) -> None:
    broken = BgeReranker(str(folder))
    head = broken._model.model.classifier.out_proj
    head.weight.data = head.weight.data[:, :-1]
    with pytest.raises(RerankerUnavailable, match="YOUJU_RERANKER=lexical"):
        broken.score(_query("真空"), _candidates(["真空"]))
