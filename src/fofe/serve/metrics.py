"""Counts and times of a server, for Prometheus."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What happened since the server started. Each server has its own registry."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        self._requests = counter("fofe_requests", "Answered requests.", ["method", "path", "status"])
        self._seconds = Histogram(
            "fofe_request_seconds", "Seconds per request.", ["path"], registry=registry, buckets=_SECONDS
        )
        self.under_way = gauge("fofe_requests_under_way", "Requests in progress.")
        self.waiting = gauge("fofe_requests_waiting", "Requests that wait for a batch.")
        self.documents = counter("fofe_documents", "Tagged documents.")
        self.tokens = counter("fofe_tokens", "Tagged tokens.")
        self.mentions = counter("fofe_mentions", "Mentions found.")
        self._batches = counter("fofe_batches", "Tagged batches.")
        self._batched_requests = counter("fofe_batched_requests", "Requests, or parts of them, in batches.")
        self._batched_tokens = counter("fofe_batched_tokens", "Tokens in batches.")

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
