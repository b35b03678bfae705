import numpy as np
import pytest
from evidence_parts import passage

from graphs.evidence.bearing import SHIPPED, SIGNS, Asked, Bearing
from graphs.ports import Candidate, RerankQuery

AXIS = np.eye(4, dtype=np.float32)


def asked(text: str, **frequency: int) -> Asked:
    return Asked.of(RerankQuery(text, AXIS[0], 1000, frequency))


def candidate(text: str, count: int, **more: str) -> Candidate:
    return Candidate(passage(text, **more), 0.0, 0.0, np.stack([AXIS[1]] * count))


def sign(name: str, question: Asked, one: Candidate) -> list[float]:
    return [float(x) for x in question.signs(one)[:, SIGNS.index(name)]]


def test_a_new_amount_is_of_the_kind_and_a_known_one_is_not() -> None:
    question = asked("1200 吨的水泵有多少台？", 水泵=5)
    found = sign("kind", question, candidate("水泵流量 1200 吨。\n水泵共 3 台。", 2))
    assert found == [0.0, 1.0]


def test_a_new_person_is_of_the_kind_and_the_one_asked_about_is_not() -> None:
    question = asked("Who succeeded Anna Berg?", succeeded=5)
    lines = "Anna Berg left. She was followed by Karl Winter."
    assert sign("kind", question, candidate(lines, 2, language="en")) == [0.0, 1.0]


def test_a_neighbour_lends_its_words_in_part() -> None:
    question = asked("循环水泵", 循环水泵=5)
    found = sign("around", question, candidate("循环水泵。\n流量 5 吨。\n食堂。", 3))
    assert found == pytest.approx([1.0, 0.6, 0.0])


def test_the_rarest_word_is_looked_for_beside_the_sentence_too() -> None:
    question = asked("循环水泵的流量", 循环水泵=2, 流量=400)
    found = sign("rarest", question, candidate("循环水泵。\n流量 5 吨。", 2))
    assert found == pytest.approx([1.0, 0.6])


def test_meaning_is_the_cosine_of_each_sentence() -> None:
    rows = np.stack([AXIS[0], AXIS[1]])
    one = Candidate(passage("一段。\n二段。"), 0.0, 0.0, rows)
    assert sign("meaning", asked("水泵", 水泵=5), one) == [1.0, 0.0]


def test_a_passage_without_sentences_has_no_signs() -> None:
    empty = Candidate(passage("——"), 0.0, 0.0, np.zeros((0, 4), dtype=np.float32))
    assert asked("水泵", 水泵=5).signs(empty).shape == (0, len(SIGNS))


def test_an_answering_sentence_is_likelier_than_its_neighbour() -> None:
    question = asked("循环水泵的额定流量是多少？", 循环水泵=3, 额定=30, 流量=40)
    one = candidate("循环水泵额定流量为 1200 吨每小时。\n每班检查一次油位。", 2)
    likely = SHIPPED.probabilities(question.signs(one))
    assert likely[0] > 5 * likely[1]


def test_probabilities_follow_the_logistic_curve() -> None:
    model = Bearing(-1.0, (2.0,) + (0.0,) * (len(SIGNS) - 1))
    rows = np.zeros((2, len(SIGNS)), dtype=np.float32)
    rows[1, 0] = 0.5
    assert model.probabilities(rows) == pytest.approx([0.26894, 0.5], abs=1e-4)
