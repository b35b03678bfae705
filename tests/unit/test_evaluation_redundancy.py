"""How redundant a list of passages is, on vectors chosen by hand."""

import numpy as np
import pytest

from app.evaluation.redundancy import LISTS, lists_of, measure
from graphs.evidence.passages import Evidence, Hit, Passage
from graphs.policy import Profile
from graphs.retrieval.hybrid import Found
from graphs.retrieval.trace import Trace

KEYS = {name: name.upper() for name in "abcde"}
VECTORS = {
    "a": np.array([1, 0, 0], dtype=np.float32),
    "b": np.array([0.9, np.sqrt(1 - 0.81), 0], dtype=np.float32),
    "c": np.array([0, 0, 1], dtype=np.float32),
}


def _evidence(name: str, score: float) -> Evidence:
    return Evidence(Passage(name, "d", "", (), name, 0, 1, "v", 0, "h"), score)


def test_passage_near_one_above_it_is_redundant() -> None:
    found = measure(["a", "b", "c"], VECTORS, KEYS, {"A": 1, "D": 1})
    assert (found.passages, found.redundant) == (3, 1)
    assert found.cosine == pytest.approx(0.9 / 3, abs=1e-6)
    assert found.recall == 0.5


def test_single_passage_has_no_pairs() -> None:
    found = measure(["b"], VECTORS, KEYS, {"A": 1})
    assert (found.redundant, found.cosine, found.recall) == (0, None, 0)


def test_lists_follow_the_gates_of_the_trace() -> None:
    ranked = [_evidence(name, 1 - at / 10) for at, name in enumerate("abcde")]
    dropped = {"b": "duplicate", "c": "noise", "e": "threshold"}
    trace = Trace(reranked=tuple(Hit(e.passage.id, e.score) for e in ranked), dropped=dropped)
    found = Found([ranked[0], ranked[3]], ranked, True, trace)
    lists = lists_of(found, Profile("initial", 0.2, 3, 0.6, 0.4))
    assert [lists[name] for name in LISTS] == [["a", "b", "c"], ["a", "c", "d"], ["a", "d"]]
