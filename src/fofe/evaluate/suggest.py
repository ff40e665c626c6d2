"""Which sentences are most worth annotating: those that a model is unsure about, each in another way.

The uncertainty of a fragment is the entropy of its label probabilities, 1 if all labels are equally likely.
That of a sentence is the sum over fragments that do not overlap, the most uncertain first. Sentences are
chosen one after another; a fragment counts less the more often its words were uncertain in those before.
"""

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fofe.decode import Candidate, resolve
from fofe.decode.resolve import HIGHEST_FIRST
from fofe.tagging.batching import chunks
from fofe.tagging.model import TOKENS_AT_ONCE, Model
from fofe.text.document import NONE, Document, Sentence

LEAST = 0.05
"""Fragments of less uncertainty do not count."""
BREADTH = 20
"""Of so many times as many of the most uncertain sentences are some chosen: no more are kept in memory."""
SMALLEST = 1e-30
DIGITS = 4


@dataclass(frozen=True, eq=False)
class Unsure:
    """A sentence as a document of its own, and the words and uncertainties of its fragments."""

    document: Document
    fragments: list[tuple[frozenset[str], float]]

    @property
    def uncertainty(self) -> float:
        return sum(value for _, value in self.fragments)

    def gain(self, seen: Counter[str]) -> float:
        """Its uncertainty if its words have been uncertain so often."""
        return sum(
            value / (1 + sum(map(seen.__getitem__, words)) / len(words)) for words, value in self.fragments
        )


def suggest(
    model: Model, documents: Iterable[Document], number: int, done: Collection[str] = ()
) -> list[Document]:
    """The sentences most worth annotating, best first, as documents with what the model finds in them.

    `documents` have sentences, and `done` are the texts of those that are annotated. `meta` tells the
    uncertainty.
    """
    pool = heapq.nlargest(
        BREADTH * number, _different(model, documents, done), key=lambda one: one.uncertainty
    )
    seen: Counter[str] = Counter()
    chosen: list[Unsure] = []
    while pool and len(chosen) < number:
        best = max(pool, key=lambda one: one.gain(seen))
        pool.remove(best)
        chosen.append(best)
        seen.update(word for words, _ in best.fragments for word in words)
    return list(model.tag_documents(one.document for one in chosen))


def _different(model: Model, documents: Iterable[Document], done: Collection[str]) -> Iterator[Unsure]:
    """The sentences of documents that are not annotated, each only once."""
    known = set(done)
    for document in documents:
        for one in unsure(model, document):
            if one.document.text not in known:
                known.add(one.document.text)
                yield one


def unsure(model: Model, document: Document) -> Iterator[Unsure]:
    """The sentences of a document with what a model is unsure about in each."""
    number = 0
    for group in chunks(filter(None, document.sentences), len, TOKENS_AT_ONCE):
        scores = model.score(replace(document, sentences=group))
        probabilities = scores.probabilities.astype(np.float64)
        entropies = -(probabilities * np.log(np.maximum(probabilities, SMALLEST))).sum(axis=1)
        entropies /= np.log(len(model.labels))
        pools: list[list[Candidate]] = [[] for _ in group]
        for row in np.flatnonzero(entropies >= LEAST).tolist():
            of = int(scores.fragments.sentences[row])
            offset = int(scores.token_offsets[of])
            first, last = int(scores.fragments.firsts[row]), int(scores.fragments.lasts[row])
            pools[of].append(Candidate(first - offset, last + 1 - offset, NONE, float(entropies[row])))
        for sentence, pool in zip(group, pools, strict=True):
            number += 1
            kept = resolve(pool, HIGHEST_FIRST, False)
            words = [token.text.lower() for token in sentence.tokens]
            fragments = [(frozenset(words[one.start : one.end]), one.score) for one in kept]
            found = Unsure(_alone(document, sentence, number), fragments)
            found.document.meta["uncertainty"] = round(found.uncertainty, DIGITS)
            yield found


def _alone(document: Document, sentence: Sentence, number: int) -> Document:
    """A sentence as a document."""
    start = sentence.start
    tokens = [token._replace(start=token.start - start, end=token.end - start) for token in sentence.tokens]
    text = document.text[start : sentence.end]
    id = f"{document.id}:{number}" if document.id and len(document.sentences) > 1 else document.id
    return Document(text, [Sentence(tokens)], id=id)
