"""What is read once and remembered must say the same as what is read each time."""

import numpy as np

from graphs.evidence.asks import asked_words
from graphs.evidence.lines import Lexicon, presence, presences, take_apart
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Passage
from graphs.evidence.script import half_width
from graphs.evidence.subject import Subject


def _passage(text: str) -> Passage:
    return Passage("p", "d", "水泵规程", ("启动",), text, 0, len(text), "v", 0, "h")


def test_a_weight_asked_twice_is_the_same() -> None:
    lexicon = Lexicon(100, {"水泵": 4})
    assert lexicon.weight("水泵") == lexicon.weight("水泵")
    assert lexicon.weight("未知词") > lexicon.weight("水泵")
    assert Lexicon(100, {"水泵": 4}) == lexicon  # what it remembers is no part of it


def test_presences_read_the_heading_first_and_then_every_line() -> None:
    text = take_apart(_passage("先开入口阀。再启动电机。"))
    for word in ("水泵", "电机", "阀门"):
        lines = (text.heading, *text.lines)
        assert presences(word, text) == tuple(presence(word, line) for line in lines)
    assert presences("水泵", text) == (1.0, 0.0, 0.0)


def test_a_question_of_cues_alone_keeps_its_words() -> None:
    assert asked_words("水泵怎么启动？") == ("水泵", "启动")
    assert asked_words("which steps?") != ()


def test_a_sentence_without_numbers_states_nothing_and_full_width_ones_count() -> None:
    assert claims("阀门应当关闭") == []
    assert [claim.value for claim in claims("压力为５ｋＰａ")] == ["5"]
    assert [claim.value for claim in claims("二〇二五年启用")][:1] == ["2025"]
    assert half_width("plain") == "plain"
    assert half_width("電壓１") == "电压1"


def test_a_constraint_is_read_once_per_passage() -> None:
    facet = {"id": "e", "kind": "entity", "text": "水泵", "terms": ["水泵"], "sub_question": ""}
    subject = Subject("水泵", [facet], {}, Lexicon(10, {}))  # type: ignore[list-item]
    none = np.zeros((0, 1), dtype=np.float32)
    first = subject.constraint(facet, _passage("水泵启动"), none)  # type: ignore[arg-type]
    assert first == subject.constraint(facet, _passage("水泵启动"), none) == 1.0  # type: ignore[arg-type]
