import numpy as np
from evidence_parts import evidence, passage

from graphs.evidence.noise import KEPT, adds_nothing, without_noise
from graphs.evidence.passages import Evidence

AXIS = np.eye(8, dtype=np.float32)
FAR = [evidence(f"第{i}段讲别的事。", 0.3, order=9.0 - i, meaning=AXIS[i]) for i in range(KEPT)]


def texts(items: list[Evidence]) -> list[str]:
    return [item.passage.text for item in items]


def test_a_passage_far_below_the_best_one_is_noise() -> None:
    low = evidence("食堂菜单。", 0.3, order=1.0, meaning=AXIS[6])
    assert low not in without_noise([*FAR, low], margin=5.0)
    assert low in without_noise([*FAR, low], margin=9.0)


def test_a_strong_passage_is_never_beside_the_question() -> None:
    low = evidence("水泵流量。", 0.7, order=1.0, meaning=AXIS[6])
    assert low in without_noise([*FAR, low], margin=5.0)


def test_the_first_passages_stay_however_far_below() -> None:
    few = [
        evidence("一。", 0.3, order=9.0, meaning=AXIS[0]),
        evidence("二。", 0.3, order=0.0, meaning=AXIS[1]),
    ]
    assert without_noise(few, margin=1.0) == few


def test_a_passage_that_tells_the_same_and_nothing_more_is_noise() -> None:
    best = evidence("泵的出口压力为 5 MPa，由运行班检查。", order=9.0, meaning=AXIS[0])
    again = evidence("泵的出口压力为 5 MPa。", order=8.9, meaning=AXIS[0])
    assert texts(without_noise([best, again], 4.0)) == [best.passage.text]


def test_a_passage_with_another_number_stays() -> None:
    best = evidence("泵的压力为 5 MPa。", order=9.0, meaning=AXIS[0])
    other = evidence("泵的压力为 6 MPa。", order=1.0, score=0.3, meaning=AXIS[0])
    assert len(without_noise([best, other], 4.0)) == 2


def test_a_passage_in_other_words_stays() -> None:
    best = evidence("泵的压力由运行班检查。", order=9.0, meaning=AXIS[0])
    other = evidence("巡视时要看压力表。", order=8.9, meaning=AXIS[0])
    assert len(without_noise([best, other], 4.0)) == 2


def test_a_denial_stays() -> None:
    best = evidence("泵可以投运。", order=9.0, meaning=AXIS[0])
    other = evidence("泵不可以投运。", order=8.0, meaning=AXIS[0])
    assert len(without_noise([best, other], 4.0)) == 2


def test_another_version_of_the_document_stays() -> None:
    old, new = passage("泵可以投运。", "a"), passage("泵可以投运。", "b", version="v2")
    assert not adds_nothing(new, old)
    assert adds_nothing(passage("泵可以投运。", "c"), old)


def test_passages_without_vectors_are_no_repeats() -> None:
    pair = [evidence("泵可以投运。", order=9.0), evidence("泵可以投运。", order=8.9)]
    assert len(without_noise(pair, 4.0)) == 2


def test_nothing_gives_nothing() -> None:
    assert without_noise([], 4.0) == []
