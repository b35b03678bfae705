"""Fit the answer-bearing sentence scorer on CMRC 2018 and HotpotQA.

A sentence answers where the annotated span stands in it (CMRC) or where it is a supporting fact
(HotpotQA); every other sentence of the gold passages, and of the nearest other ones, does not. Prints
the weights to put into `graphs.evidence.bearing.SHIPPED`, and, five-fold cross-fitted, the AUROC and how
often the best sentence of a gold passage is one that answers, beside word coverage and meaning alone.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.adapters.embed_use import UseEmbedder
from graphs.evidence.bearing import SIGNS, Asked, Signs
from graphs.evidence.passages import Passage
from graphs.evidence.text import fold, language, load, sentences, words
from graphs.ports import Candidate, Matrix, RerankQuery

Floats = NDArray[np.float64]
FOLDS = 5
_RIDGE = 1.0
_NEAREST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question; `golds` maps the number of a paragraph to the answering spans in its text."""

    id: str
    question: str
    golds: dict[int, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Example:
    """The sentences of one passage for one question. `gold`: the passage answers it."""

    id: str
    gold: bool
    signs: Signs
    answers: NDArray[np.bool_]


def cmrc(folder: Path) -> tuple[list[Paragraph], list[Labelled]]:
    raw = json.loads((folder / "cmrc2018" / "cmrc2018_trial.json").read_text("utf-8"))
    paragraphs: list[Paragraph] = []
    questions: list[Labelled] = []
    for article in raw["data"] if isinstance(raw, dict) else raw:
        for paragraph in article["paragraphs"]:
            paragraphs.append(Paragraph("", paragraph["context"]))
            for qa in paragraph["qas"]:
                spans = [
                    (int(a["answer_start"]), int(a["answer_start"]) + len(a["text"]))
                    for a in qa["answers"]
                ]
                questions.append(Labelled(qa["id"], qa["question"], {len(paragraphs) - 1: spans}))
    return paragraphs, questions


def hotpot(folder: Path) -> tuple[list[Paragraph], list[Labelled]]:
    numbers: dict[tuple[str, str], int] = {}
    questions: list[Labelled] = []
    for line in (folder / "hotpotqa" / "hotpot_200.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        golds: dict[int, list[tuple[int, int]]] = {}
        for title, parts in row["context"]:
            text = "".join(parts)
            number = numbers.setdefault((title, text), len(numbers))
            wanted = [at for name, at in row["supporting_facts"] if name == title]
            for at in (at for at in wanted if at < len(parts)):
                start = sum(len(part) for part in parts[:at])
                golds.setdefault(number, []).append((start, start + len(parts[at])))
        questions.append(Labelled(row.get("_id") or row["id"], row["question"], golds))
    return [Paragraph(*key) for key in numbers], questions


def read(
    embedder: UseEmbedder, paragraphs: Sequence[Paragraph], questions: Sequence[Labelled]
) -> Iterator[Example]:
    """Yield the gold passages of every question and the nearest others."""
    spans = [sentences(each.text)[:64] for each in paragraphs]
    whole = embedded(embedder, [f"{each.title} {each.text}" for each in paragraphs])
    matrices = [
        embedder.embed([each.text[start:end] for start, end in found])
        for each, found in zip(paragraphs, spans, strict=True)
    ]
    bodies = [fold(f"{each.title} {each.text}") for each in paragraphs]
    for question in questions:
        vector = embedder.embed([question.question])[0]
        held = {word: sum(word in body for body in bodies) for word in words(question.question)}
        asked = Asked.of(RerankQuery(question.question, vector, len(paragraphs), held))
        near = [int(at) for at in np.argsort(-(whole @ vector)) if int(at) not in question.golds]
        for number in (*question.golds, *near[:_NEAREST_OTHERS]):
            passage = passage_of(paragraphs[number], number)
            signs = asked.signs(Candidate(passage, 0.0, 0.0, matrices[number]))
            golds = question.golds.get(number, [])
            answers = [any(a < end and start < b for a, b in golds) for start, end in spans[number]]
            count = min(len(signs), len(answers))
            yield Example(
                question.id, bool(golds), signs[:count], np.array(answers[:count], dtype=np.bool_)
            )


def embedded(embedder: UseEmbedder, texts: Sequence[str]) -> Matrix:
    return np.concatenate([embedder.embed(texts[i : i + 32]) for i in range(0, len(texts), 32)])


def passage_of(paragraph: Paragraph, number: int) -> Passage:
    return Passage(
        id=str(number), document_id=str(number), title=paragraph.title, section=(),
        text=paragraph.text, start=0, end=len(paragraph.text), version="", ordinal=0,
        content_hash="", language=language(paragraph.text),
    )  # fmt: skip


def fitted(examples: Sequence[Example], shares: Sequence[float]) -> Floats:
    """Return bias and weights of a ridge logistic regression by Newton's method."""
    inputs = np.concatenate([each.signs for each in examples]).astype(np.float64)
    inputs = np.hstack([np.ones((len(inputs), 1)), inputs])
    labels = np.concatenate([each.answers for each in examples]).astype(np.float64)
    counts = np.concatenate(
        [np.full(len(e.answers), share) for e, share in zip(examples, shares, strict=True)]
    )
    counts *= len(counts) / counts.sum()
    weights = np.zeros(inputs.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (counts * (likely - labels)) + _RIDGE * weights
        curve = (inputs * (counts * likely * (1 - likely))[:, None]).T @ inputs
        weights -= np.linalg.solve(curve + _RIDGE * np.eye(len(weights)), gradient)
    return weights


def auroc(scores: Floats, labels: NDArray[np.bool_]) -> float:
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    right = int(labels.sum())
    return float((ranks[labels].sum() - right * (right + 1) / 2) / (right * (len(labels) - right)))


def report(name: str, examples: Sequence[Example], scores: Sequence[Floats]) -> None:
    labels = np.concatenate([each.answers for each in examples])
    gold = [(e, s) for e, s in zip(examples, scores, strict=True) if e.gold and e.answers.any()]
    best = np.mean([e.answers[int(np.argmax(s))] for e, s in gold])
    print(f"{name:<28} AUROC {auroc(np.concatenate(scores), labels):.3f}  best sentence {best:.3f}")


def fold_of(id_: str) -> int:
    return hashlib.sha256(id_.encode()).digest()[0] % FOLDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of question sets")
    data: Path = parser.parse_args().data
    load()
    embedder = UseEmbedder()
    sets = {name: list(read(embedder, *take(data))) for name, take in
            (("cmrc2018", cmrc), ("hotpotqa", hotpot))}  # fmt: skip
    examples = [each for found in sets.values() for each in found]
    shares = [1 / len(found) for found in sets.values() for _ in found]
    models = [
        fitted(
            [e for e in examples if fold_of(e.id) != fold],
            [s for e, s in zip(examples, shares, strict=True) if fold_of(e.id) != fold],
        )
        for fold in range(FOLDS)
    ]
    for name, found in sets.items():
        crossed = [
            models[fold_of(e.id)][0] + e.signs.astype(np.float64) @ models[fold_of(e.id)][1:]
            for e in found
        ]
        report(f"{name}, the model", found, crossed)
        for sign in ("coverage", "around", "meaning"):
            alone = [e.signs[:, SIGNS.index(sign)].astype(np.float64) for e in found]
            report(f"{name}, {sign} alone", found, alone)
    bias, *weights = fitted(examples, shares)
    print(f"SHIPPED = Bearing({bias:.3f}, ({', '.join(f'{w:.3f}' for w in weights)}))")


if __name__ == "__main__":
    main()
