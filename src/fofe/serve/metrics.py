"""Counts and times of a server, for Prometheus."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

CONTENT_TYPE = CONTENT_TYPE_LATEST

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What happened since the server started. Each server has its own registry."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()

        def counter(name: str, help: str) -> Counter:
            return Counter(f"fofe_{name}", help, registry=registry)

        self._requests = Counter(
            "fofe_requests", "Answered requests.", ["method", "path", "status"], registry=registry
        )
        self._seconds = Histogram(
            "fofe_request_seconds", "Seconds per request.", ["path"], registry=registry, buckets=_SECONDS
        )
        self.under_way = Gauge("fofe_requests_under_way", "Requests in progress.", registry=registry)
        self.waiting = Gauge("fofe_requests_waiting", "Requests that wait for a batch.", registry=registry)
        self.documents = counter("documents", "Tagged documents.")
        self.tokens = counter("tokens", "Tagged tokens.")
        self.mentions = counter("mentions", "Mentions found.")
        self._batches = counter("batches", "Tagged batches.")
        self._batched_requests = counter("batched_requests", "Requests, or parts of long ones, in batches.")
        self._batched_tokens = counter("batched_tokens", "Tokens in batches.")

    def request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(method, path, status).inc()
        self._seconds.labels(path).observe(seconds)

    def batch(self, requests: int, tokens: int) -> None:
        """Count a batch that is tagged for some requests."""
        self._batches.inc()
        self._batched_requests.inc(requests)
        self._batched_tokens.inc(tokens)

    def text(self) -> bytes:
        """All metrics in the exposition format of Prometheus."""
        return generate_latest(self._registry)
