"""What a run would learn from its corpora, told before it is trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fofe.base.arrays import BoolArray
from fofe.evaluate.tables import table
from fofe.features.encoded import SentenceBounds
from fofe.text.document import split_label
from fofe.training.annotation import LabelledSentence
from fofe.training.config import RunConfig, SamplingConfig
from fofe.training.corpora import Corpus, read_corpora
from fofe.training.examples import DISJOINT, EXACT, OVERLAPPING, UNSEEN, make_examples

CATEGORIES = {
    EXACT: "mentions",
    OVERLAPPING: "others that overlap a mention",
    DISJOINT: "others that overlap none",
    UNSEEN: "not drawn",
}


def plan(config: RunConfig) -> str:
    """Read the corpora of a configuration and tell what everything in them will count as."""
    corpora = read_corpora(config)
    labels = corpora.labels()
    parts = [_model(config, labels), *(_corpus(corpus, labels, config) for corpus in corpora.parts)]
    remarks = corpora.report.lines()
    if remarks:
        parts.append("\n".join(["read, mended and left out:", *(f"  {line}" for line in remarks)]))
    return "\n\n".join(parts)


def _model(config: RunConfig, labels: Sequence[str]) -> str:
    nested = "nested" if config.decoding.nested else "flat"
    return "\n".join(
        [
            f"labels of the model: {', '.join(labels[1:])}",
            f"mentions are {nested}; fragments have up to {config.model.max_words} words",
        ]
    )


def _corpus(corpus: Corpus, labels: Sequence[str], config: RunConfig) -> str:
    parts = [
        "\n".join([f"corpus {corpus.name}", *(f"  {line}" for line in _facts(corpus, labels))]),
        _label_table(corpus, config.model.max_words),
        _fragment_table(corpus, labels, config),
    ]
    return "\n\n".join(parts)


def _facts(corpus: Corpus, labels: Sequence[str]) -> Iterator[str]:
    annotation, config = corpus.annotation, corpus.config
    inside, around = annotation.inside, annotation.around
    flat = f"flat: fragments inside a mention count as {inside}, those around one as {around}"
    yield "nested mentions are annotated" if annotation.nested else flat
    if not config.scored:
        yield "not scored: all of it is learned from, and it chooses nothing"
    yield f"without a label: {describe(annotation.absent(labels), labels)}"
    if config.unannotated != "negative":
        yield f"fragments that are not annotated and overlap no mention: {config.unannotated}"
    if config.heads:
        yield "nominals are reduced to their head words"
    if config.bare_names:
        yield "names lose a determiner before them and a possessive 's behind them"
    yield f"weight {config.weight:g}, share {config.share:g}"
    for name in ("train", "dev", "test"):
        sentences = corpus.part(name)
        if sentences:
            yield f"{name}: {_sizes(sentences)}"


def _sizes(sentences: Sequence[LabelledSentence]) -> str:
    words = sum(len(sentence.words) for sentence in sentences)
    mentions = sum(len(sentence.spans) for sentence in sentences)
    sizes = f"{len(sentences)} sentences, {words} words, {mentions} mentions"
    unknown = sum(len(_positions(sentence)) for sentence in sentences)
    negatives = sum(len(sentence.negatives) for sentence in sentences)
    sizes += f", {unknown} words in unknown text" if unknown else ""
    return sizes + (f", {negatives} marked negatives" if negatives else "")


def _positions(sentence: LabelledSentence) -> set[int]:
    return {position for start, end in sentence.unknown for position in range(start, end)}


def _label_table(corpus: Corpus, max_words: int) -> str:
    """Every label of the corpus: how often it occurs, what it counts as, whether it is annotated in full."""
    counts = {
        part: Counter(label for sentence in corpus.part(part) for _, _, label in sentence.spans)
        for part in ("train", "dev", "test")
    }
    long = Counter(
        label for sentence in corpus.train for start, end, label in sentence.spans if end - start > max_words
    )
    rows = []
    for label, stands_for in corpus.annotation.labels.items():
        full = "all annotated" if label in corpus.annotation.exhaustive else "some annotated"
        meaning = " or ".join(sorted(stands_for)) or "left out"
        rows.append(
            [
                label,
                *(str(counts[part][label]) for part in counts),
                str(long[label]),
                split_label(label)[1],
                full,
                meaning,
            ]
        )
    header = ("label", "train", "dev", "test", f"over {max_words} words", "kind", "", "counts as")
    return table(header, rows, left=(0, 5, 6, 7))


def _fragment_table(corpus: Corpus, labels: Sequence[str], config: RunConfig) -> str:
    """The fragments of the training text by category and target set, as training will draw them."""
    offsets = SentenceBounds.of([sentence.words for sentence in corpus.train]).token_offsets
    annotations = [(corpus.annotation, len(corpus.train))]
    examples = make_examples(corpus.train, offsets, labels, config.model.max_words, annotations)
    sets = len(examples.target_sets)
    numbers = np.bincount(examples.categories.astype(np.int64) * sets + examples.targets)
    rows = []
    for number in np.flatnonzero(numbers).tolist():
        category, target = divmod(number, sets)
        drawn = _rate(category, config.sampling) * corpus.config.share * numbers[number]
        rows.append(
            [
                "marked negatives" if (category, target) == (EXACT, 0) else CATEGORIES[category],
                str(numbers[number]),
                f"{drawn:.0f}",
                describe(_members(examples.target_sets[target], labels), labels),
            ]
        )
    return table(
        ("fragments of the training text", "number", "an epoch draws", "count as"), rows, left=(0, 3)
    )


def _rate(category: int, sampling: SamplingConfig) -> float:
    return {EXACT: sampling.exact, OVERLAPPING: sampling.overlapping, DISJOINT: sampling.disjoint}.get(
        category, 0.0
    )


def _members(target_set: BoolArray, labels: Sequence[str]) -> frozenset[str]:
    return frozenset(label for label, admissible in zip(labels, target_set, strict=True) if admissible)


def describe(admissible: frozenset[str], labels: Sequence[str]) -> str:
    """A set of labels in words, by those in it or, if these are fewer, by those that are not."""
    named = [label for label in labels if label in admissible]
    others = [label for label in labels if label not in admissible]
    if not others:
        return "anything: nothing is learned"
    if len(named) > len(others) + 2:
        return f"anything but {', '.join(others)}"
    return " or ".join(named)
