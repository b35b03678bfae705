"""What the service counts of its questions, for Prometheus. Nothing of a question's text is in it."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from app.run_records import RunStatus
from app.schemas import Answer

MEDIA_TYPE = CONTENT_TYPE_LATEST
_NODE_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_QUESTION_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """Counts runs that ended. One instance a service, with a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        here = self._registry
        self._active = Gauge(
            "youju_runs_active", "Questions that this process works on", registry=here
        )
        self._runs = Counter(
            "youju_runs", "Questions that ended, by how the run and its answer stand",
            ("run", "answer", "decision"), registry=here,
        )  # fmt: skip
        self._seconds = Histogram(
            "youju_question_seconds", "From the question to its answer",
            buckets=_QUESTION_SECONDS, registry=here,
        )  # fmt: skip
        self._nodes = Histogram(
            "youju_node_seconds", "Time in a node of the graph, all its runs in one question",
            ("node",), buckets=_NODE_SECONDS, registry=here,
        )  # fmt: skip
        self._retrievals = Counter(
            "youju_retrievals", "Retrievals, the first ones too", registry=here
        )
        self._warnings = Counter("youju_warnings", "Warnings in answers", ("code",), registry=here)
        self._calls = Counter(
            "youju_model_calls", "Calls of the language model", ("node",), registry=here
        )
        self._cached = Counter(
            "youju_model_cache_hits", "Calls that a kept reply saved", registry=here
        )
        self._tokens = Counter(
            "youju_model_tokens", "Tokens of the language model", ("direction",), registry=here
        )

    def watch(self, active: Callable[[], int]) -> None:
        """Take the number of questions at work from here, whenever somebody looks."""
        self._active.set_function(active)

    def ended(self, status: RunStatus, answer: Answer | None = None) -> None:
        """Count a run that ended, with its answer where it has one."""
        if answer is None:
            self._runs.labels(status, "", "").inc()
            return
        decision = answer.decisions[-1].decision if answer.decisions else ""
        self._runs.labels(status, answer.status, decision).inc()
        usage = answer.usage
        self._seconds.observe(usage.elapsed_ms / 1000)
        self._retrievals.inc(usage.retrievals)
        self._cached.inc(usage.cache_hits)
        self._tokens.labels("input").inc(usage.input_tokens)
        self._tokens.labels("output").inc(usage.output_tokens)
        for node, spent in usage.nodes.items():
            self._nodes.labels(node).observe(spent.elapsed_ms / 1000)
            if spent.calls:
                self._calls.labels(node).inc(spent.calls)
        for warning in answer.warnings:
            self._warnings.labels(warning.code).inc()

    def render(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)
