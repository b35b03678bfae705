"""Fit the default confidence model on the labelled sample questions.

Prints the weights to put into `graphs.evidence.calibration.ConfidenceModel`, their AUROC and what
each preset's threshold keeps and lets through, all five-fold cross-fitted. The label of a question
is whether the documents answer it in full.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import Core, open_core, policy_of
from benchmarks.samples import FOLDERS, labelled
from graphs.ask.graph import Collaborators, build_graph
from graphs.ask.nodes.finalize import Models
from graphs.evidence.calibration import ConfidenceModel, Features
from graphs.reasoners.local import LocalReasoner

Floats = NDArray[np.float64]
_FOLDS = 5
_RIDGE = 1.0
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Recording(ConfidenceModel):
    """The model in use, remembering what it was asked about."""

    seen: list[Features] = field(default_factory=list)

    def confidence(self, features: Features) -> float:
        self.seen.append(features)
        return ConfidenceModel().confidence(features)


async def collect() -> tuple[Floats, Floats]:
    """Return features, shape (questions, 5), and labels, of the last grading of each question."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), llm="off", _env_file=None)
        async with open_core(settings) as core:
            return await _graded(core, settings)


async def _graded(core: Core, settings: Settings) -> tuple[Floats, Floats]:
    model = Recording()
    search = core.searcher.search_with
    models = Models(**core.models)
    graph = build_graph(
        Collaborators(
            core.library, LocalReasoner(search.embedder), search, policy_of(settings), models, model
        )
    ).compile()
    rows: list[tuple[float, ...]] = []
    labels: list[float] = []
    for kb, folder in FOLDERS.items():
        files = [p for p in sorted(folder.iterdir()) if p.suffix in (".md", ".txt")]
        await core.indexer.ingest(kb, [Source(p.name, p.read_bytes()) for p in files])
    for label in labelled(None, tuple(FOLDERS)):
        model.seen.clear()
        await graph.ainvoke({"question": label.question, "kb": label.kb})
        if not model.seen:
            continue
        # A grading asks once for all facets and, where some are covered, once for those alone.
        full = [f for f in model.seen if f.coverage < 1.0] or model.seen
        rows.append(astuple(full[-1] if model.seen[-1].coverage == 1.0 else model.seen[-1]))
        labels.append(float(label.expect == "answered"))
    return np.array(rows), np.array(labels)


def fit(x: Floats, y: Floats) -> Floats:
    """Return bias and weights of a ridge-regularised logistic regression (Newton's method)."""
    a = np.c_[np.ones(len(x)), x]
    w = np.zeros(a.shape[1])
    ridge = _RIDGE * np.diag([0.0, *np.ones(x.shape[1])])
    for _ in range(50):
        p = 1 / (1 + np.exp(-a @ w))
        hessian = (a * (p * (1 - p))[:, None]).T @ a + ridge + 1e-9 * np.eye(len(w))
        w -= np.linalg.solve(hessian, a.T @ (p - y) + ridge @ w)
    return w


def cross_fitted(x: Floats, y: Floats) -> Floats:
    """Return the confidence of every question by a model that did not see it."""
    fold = np.random.default_rng(_SEED).permutation(len(y)) % _FOLDS
    p = np.zeros(len(y))
    for k in range(_FOLDS):
        w = fit(x[fold != k], y[fold != k])
        p[fold == k] = 1 / (1 + np.exp(-(np.c_[np.ones((fold == k).sum()), x[fold == k]] @ w)))
    return p


def auroc(p: Floats, y: Floats) -> float:
    """Return the probability that an answerable question ranks above an unanswerable one."""
    above = p[y == 1][:, None] - p[y == 0][None, :]
    return float((above > 0).mean() + 0.5 * (above == 0).mean())


def main(names: Sequence[str] = tuple(f.name for f in fields(Features))) -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    x, y = asyncio.run(collect())
    weights, p = fit(x, y), cross_fitted(x, y)
    for name, value in zip(("bias", *names), weights, strict=True):
        print(f"{name:12} {value:6.2f}")
    print(f"questions    {len(y)} ({int(y.sum())} answerable)")
    print(f"AUROC        {auroc(p, y):.3f}")
    for preset, threshold in (
        ("critical", 0.8),
        ("general", 0.7),
        ("research", 0.6),
        ("recall", 0.5),
    ):
        kept, passed = (p[y == 1] >= threshold).mean(), (p[y == 0] >= threshold).mean()
        print(
            f"{preset:12} θ {threshold:.1f}: keeps {kept:.0%} of the answerable, lets {passed:.0%} of the others through"
        )


if __name__ == "__main__":
    main()
