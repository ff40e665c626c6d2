"""Counts and times of a server, in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What happened since the server was started; all of it is counted in the event loop's thread."""

    def __init__(self, waiting: Callable[[], int] = lambda: 0) -> None:
        self._waiting = waiting
        self.under_way = 0
        self.documents = 0
        self.tokens = 0
        self.mentions = 0
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._seconds_sum: defaultdict[str, float] = defaultdict(float)
        self._batches = 0
        self._batched_requests = 0
        self._batched_tokens = 0

    def request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests[method, path, status] += 1
        counts = self._seconds.setdefault(path, [0] * (len(_SECONDS) + 1))
        counts[bisect_left(_SECONDS, seconds)] += 1
        self._seconds_sum[path] += seconds

    def batch(self, requests: int, tokens: int) -> None:
        """Count a batch that is tagged for some requests."""
        self._batches += 1
        self._batched_requests += requests
        self._batched_tokens += tokens

    def text(self) -> str:
        """All of it, as `/metrics` tells it."""
        return "\n".join([*self._counters(), *self._histogram()]) + "\n"

    def _counters(self) -> Iterator[str]:
        yield "# HELP fofe_requests_total Requests that were answered."
        yield "# TYPE fofe_requests_total counter"
        for (method, path, status), count in sorted(self._requests.items()):
            yield f'fofe_requests_total{{method="{method}",path="{path}",status="{status}"}} {count}'
        for name, kind, help, value in (
            ("requests_under_way", "gauge", "Requests that are being answered.", self.under_way),
            ("requests_waiting", "gauge", "Requests that wait for a batch.", self._waiting()),
            ("documents_total", "counter", "Documents that were tagged.", self.documents),
            ("tokens_total", "counter", "Tokens that were tagged.", self.tokens),
            ("mentions_total", "counter", "Mentions that were found.", self.mentions),
            ("batches_total", "counter", "Batches that were tagged.", self._batches),
            (
                "batched_requests_total",
                "counter",
                "Requests, or parts of long ones, in those batches.",
                self._batched_requests,
            ),
            ("batched_tokens_total", "counter", "Tokens in those batches.", self._batched_tokens),
        ):
            yield f"# HELP fofe_{name} {help}"
            yield f"# TYPE fofe_{name} {kind}"
            yield f"fofe_{name} {value}"

    def _histogram(self) -> Iterator[str]:
        name = "fofe_request_seconds"
        yield f"# HELP {name} How long requests took."
        yield f"# TYPE {name} histogram"
        for path, counts in sorted(self._seconds.items()):
            borders = [*(f"{border:g}" for border in _SECONDS), "+Inf"]
            for border, count in zip(borders, accumulate(counts), strict=True):
                yield f'{name}_bucket{{path="{path}",le="{border}"}} {count}'
            yield f'{name}_sum{{path="{path}"}} {self._seconds_sum[path]:.6f}'
            yield f'{name}_count{{path="{path}"}} {sum(counts)}'
