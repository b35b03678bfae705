"""Fit the weights of the clauses that answer, on CMRC 2018 and HotpotQA.

Every question comes with its gold passages and others: the four nearest paragraphs (CMRC), the
distractors it is published with (HotpotQA). A clause answers where it stands in a gold passage and holds
the labelled answer. Prints, five-fold cross-fitted by article (CMRC) and question (HotpotQA), how often
what is quoted holds the answer within 100 Chinese characters or 50 words, and the weights to put into
`graphs.evidence.answering.SHIPPED`.
"""

import argparse
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from app.adapters.embed_use import UseEmbedder
from app.evaluation.rag.answers import contained, cut
from benchmarks.fit_bearing import FOLDS, Floats, Paragraph, embedded, passage_of
from graphs.evidence.answer_signs import SIGNS, AnswerSpan, signs_of
from graphs.evidence.answering import Model, Reading, pick, scored
from graphs.evidence.candidates import Wanted
from graphs.evidence.text import fold, load, sentences, words
from graphs.ports import Candidate, Matrix, RerankQuery

_RIDGE = 10.0
_NEAREST = 4
_SHARE = {"cmrc2018": 1.0, "hotpotqa": 0.7}
"""How much a set counts: HotpotQA has few questions, and asks for more than one passage tells."""

_NEVER_AGAINST = ("agree_kind", "agree_any", "numbers", "year")
"""Signs that may only speak for a span: in these sets one or two passages of those given are gold, so
that a value that many passages agree on is mostly wrong there, and mostly right in use."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with the numbers of the paragraphs that it is put to; `group` is never divided."""

    group: str
    question: str
    answers: Sequence[str]
    given: Sequence[int]
    golds: frozenset[int]


@dataclass(frozen=True, slots=True)
class Example:
    """The spans of one question with their signs, and which of them answer."""

    labelled: Labelled
    language: str
    spans: Sequence[AnswerSpan]
    signs: Floats
    answers: NDArray[np.bool_]


def cmrc(folder: Path, embedder: UseEmbedder) -> tuple[list[Paragraph], list[Labelled]]:
    raw = json.loads((folder / "cmrc2018" / "cmrc2018_trial.json").read_text("utf-8"))
    articles = raw["data"] if isinstance(raw, dict) else raw
    found = [
        (str(n), Paragraph(article.get("title", ""), paragraph["context"]), paragraph["qas"])
        for n, article in enumerate(articles)
        for paragraph in article["paragraphs"]
    ]
    paragraphs = [paragraph for _, paragraph, _ in found]
    whole = embedded(embedder, [paragraph.text for paragraph in paragraphs])
    questions = []
    for number, (article, _, asked) in enumerate(found):
        for qa in asked:
            near = np.argsort(-(whole @ embedder.embed([qa["question"]])[0]))[: _NEAREST + 1]
            given = [number, *[int(n) for n in near if int(n) != number][:_NEAREST]]
            answers = [answer["text"] for answer in qa["answers"]]
            questions.append(Labelled(article, qa["question"], answers, given, frozenset({number})))
    return paragraphs, questions


def hotpot(folder: Path, _: UseEmbedder) -> tuple[list[Paragraph], list[Labelled]]:
    numbers: dict[Paragraph, int] = {}
    questions = []
    for line in (folder / "hotpotqa" / "hotpot_200.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["answer"].lower() in ("yes", "no"):
            continue
        named = {title for title, _ in row["supporting_facts"]}
        given, golds = [], set()
        for title, parts in row["context"]:
            number = numbers.setdefault(Paragraph(title, "".join(parts)), len(numbers))
            given.append(number)
            golds |= {number} if title in named else set()
        questions.append(
            Labelled(row["question"], row["question"], [row["answer"]], given, frozenset(golds))
        )
    return list(numbers), questions


def read(
    embedder: UseEmbedder,
    paragraphs: Sequence[Paragraph],
    questions: Sequence[Labelled],
    language: str,
) -> Iterator[Example]:
    bodies = [fold(f"{each.title} {each.text}") for each in paragraphs]
    matrices: dict[int, Matrix] = {}
    frequency: dict[str, int] = {}
    for labelled in questions:
        for number in labelled.given:
            if number not in matrices:
                text = paragraphs[number].text
                matrices[number] = embedder.embed([text[a:b] for a, b in sentences(text)])
        for word in words(labelled.question):
            if word not in frequency:
                frequency[word] = sum(word in body for body in bodies)
        vector = embedder.embed([labelled.question])[0]
        query = RerankQuery(labelled.question, vector, len(paragraphs), frequency)
        order = list(labelled.given)
        random.Random(labelled.question).shuffle(order)
        given = [Candidate(passage_of(paragraphs[n], n), 0.0, 0.0, matrices[n]) for n in order]
        found = signs_of(query, given)
        answers = [
            int(span.passage) in labelled.golds
            and contained(span.text, [labelled.answers], language)
            for span, _ in found
        ]
        signs = np.array([row for _, row in found]).reshape(len(found), len(SIGNS))
        yield Example(labelled, language, [s for s, _ in found], signs, np.array(answers, bool))


def fitted(examples: Sequence[Example], shares: Sequence[float]) -> Model:
    """Return the likeliest model of which span of a question answers; a question counts its share.

    A conditional logit: exp(score) over its sum in the question, summed over all spans that answer.
    Both languages share the weights; Chinese has an offset to each, held down by the ridge alike.
    """
    kept = [(e, s) for e, s in zip(examples, shares, strict=True) if e.answers.any()]
    raw = np.concatenate([_by_language(e.signs) for e, _ in kept])
    mean, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-6
    inputs = (raw - mean) / spread
    sizes = [len(e.answers) for e, _ in kept]
    starts = np.cumsum([0, *sizes[:-1]])
    counts = np.array([share for _, share in kept])
    counts *= len(counts) / counts.sum()
    answers = np.concatenate([e.answers for e, _ in kept])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = inputs @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        each = np.exp(scores)
        every, right = (
            np.add.reduceat(each, starts),
            np.add.reduceat(each * answers, starts) + 1e-12,
        )
        pull = each / np.repeat(every, sizes) - each * answers / np.repeat(right, sizes)
        gradient = inputs.T @ (pull * np.repeat(counts, sizes)) + _RIDGE * weights
        return float(counts @ np.log(every / right) + _RIDGE * weights @ weights / 2), gradient

    bounds = 2 * [(0.0 if sign in _NEVER_AGAINST else None, None) for sign in SIGNS]
    start = np.zeros(inputs.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x / spread
    shared, offset = np.split(found, 2)
    return Model(_reading(kept, "zh", shared + offset), _reading(kept, "en", shared))


def _by_language(signs: Floats) -> Floats:
    """Return the signs and, beside them, the signs of Chinese spans; shape (spans, 2 len(SIGNS))."""
    return np.hstack([signs, signs * signs[:, [SIGNS.index("chinese")]]])


def _reading(kept: Sequence[tuple[Example, float]], language: str, weights: Floats) -> Reading:
    """Return weights with the bias that makes the likelihoods of a usual question add up to 1."""
    sums = [logsumexp(e.signs @ weights) for e, _ in kept if e.language == language]
    return Reading(-float(np.mean(sums)) if sums else 0.0, tuple(float(w) for w in weights))


def right(example: Example, model: Model) -> bool:
    """Tell whether what is quoted holds the answer within a short answer."""
    spans = scored(example.spans, example.signs, model)
    asks_value = Wanted.of(example.labelled.question).asks_value
    joint = "" if example.language == "zh" else " "
    text = joint.join(span.text for span in pick(spans, asks_value))
    return contained(cut(text, example.language), [example.labelled.answers], example.language)


def fold_of(example: Example) -> int:
    return hashlib.sha256(example.labelled.group.encode()).digest()[0] % FOLDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of question sets")
    data: Path = parser.parse_args().data
    load()
    embedder = UseEmbedder()
    sets = {
        name: list(read(embedder, *take(data, embedder), language))
        for name, take, language in (("cmrc2018", cmrc, "zh"), ("hotpotqa", hotpot, "en"))
    }
    examples = [each for found in sets.values() for each in found]
    shares = [_SHARE[name] / len(found) for name, found in sets.items() for _ in found]
    crossed = [
        fitted(
            [e for e in examples if fold_of(e) != fold],
            [s for e, s in zip(examples, shares, strict=True) if fold_of(e) != fold],
        )
        for fold in range(FOLDS)
    ]
    for name, found in sets.items():
        held = [right(e, crossed[fold_of(e)]) for e in found]
        print(f"{name:<10} {len(held):>5} questions, quoted answers right {np.mean(held):.3f}")
    model = fitted(examples, shares)
    print("SHIPPED = Model(")
    for name in ("chinese", "other"):
        reading: Reading = getattr(model, name)
        print(f"    {name}=Reading({reading.bias:.3f}, (")
        for sign, weight in zip(SIGNS, reading.weights, strict=True):
            print(f"        {weight:.3f},  # {sign}")
        print("    )),")
    print(")")


if __name__ == "__main__":
    main()
