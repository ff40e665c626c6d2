"""What a run would learn from its corpora, stated before it is trained."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np

from fofe.base.report import counted
from fofe.evaluate.tables import table
from fofe.text.document import split_label
from fofe.training.annotation import Sentences
from fofe.training.config import RunConfig
from fofe.training.corpora import Corpus, read_corpora
from fofe.training.examples import EXACT, make_examples

CATEGORIES = ("mentions", "others that overlap a mention", "others that overlap none", "not drawn")
"""In the order of the numbers that `fofe.training.examples` gives them."""


def plan(config: RunConfig) -> str:
    """Read the corpora of a configuration and state what everything in them will count as."""
    corpora = read_corpora(config)
    labels = corpora.labels()
    nested = "nested" if config.decoding.nested else "flat"
    parts = [
        f"labels of the model: {', '.join(labels[1:])}\n"
        f"mentions are {nested}; fragments have up to {counted(config.model.max_words, 'words')}"
    ]
    for corpus in corpora.parts:
        parts += [
            "\n  ".join([f"corpus {corpus.name}", *_facts(corpus, labels)]),
            _label_table(corpus, config.model.max_words),
            _fragment_table(corpus, labels, config),
        ]
    if remarks := corpora.report.lines():
        parts.append("\n  ".join(["changed or skipped:", *remarks]))
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
        if sentences := corpus.part(name):
            yield f"{name}: {_sizes(sentences)}"


def _sizes(sentences: Sentences) -> str:
    words = mentions = unknown = negatives = 0
    for sentence in sentences:
        words += len(sentence)
        mentions += len(sentence.spans)
        unknown += len(set().union(*(range(*region) for region in sentence.unknown)))
        negatives += len(sentence.negatives)
    sizes = [
        counted(len(sentences), "sentences"),
        counted(words, "words"),
        counted(mentions, "mentions"),
    ]
    sizes += [counted(unknown, "words in unknown text")] if unknown else []
    return ", ".join(sizes + ([counted(negatives, "marked negatives")] if negatives else []))


def _label_table(corpus: Corpus, max_words: int) -> str:
    """Every label of the corpus: how often it occurs, what it counts as, whether it is annotated in full."""
    parts = (corpus.train, corpus.dev, corpus.test)
    train, *others = ([span for sentence in part for span in sentence.spans] for part in parts)
    long = [span for span in train if span[1] - span[0] > max_words]
    counts = [Counter(label for _, _, label in spans) for spans in (train, *others, long)]
    rows = []
    for label, stands_for in corpus.annotation.labels.items():
        full = "all annotated" if label in corpus.annotation.exhaustive else "some annotated"
        numbers = [str(count[label]) for count in counts]
        counts_as = " or ".join(sorted(stands_for)) or "left out"
        rows.append([label, *numbers, split_label(label)[1], full, counts_as])
    header = ("label", "train", "dev", "test", f"over {max_words} words", "kind", "", "counts as")
    return table(header, rows, left=(0, 5, 6, 7))


def _fragment_table(corpus: Corpus, labels: Sequence[str], config: RunConfig) -> str:
    """The fragments of the training text by category and target set, as training will draw them."""
    annotations = [(corpus.annotation, len(corpus.train))]
    examples = make_examples(corpus.train, labels, config.model.max_words, annotations)
    sets = len(examples.target_sets)
    numbers = np.bincount(examples.categories.astype(np.int64) * sets + examples.targets)
    rows = []
    for number in np.flatnonzero(numbers).tolist():
        category, target = divmod(number, sets)
        what = "marked negatives" if (category, target) == (EXACT, 0) else CATEGORIES[category]
        drawn = config.sampling.rates[category] * corpus.config.share * numbers[number]
        admissible = frozenset(compress(labels, examples.target_sets[target]))
        rows.append([what, str(numbers[number]), f"{drawn:.0f}", describe(admissible, labels)])
    header = ("fragments of the training text", "number", "an epoch draws", "count as")
    return table(header, rows, left=(0, 3))


def describe(admissible: frozenset[str], labels: Sequence[str]) -> str:
    """A set of labels in words, by those in it or, if these are fewer, by those that are not."""
    named = [label for label in labels if label in admissible]
    others = [label for label in labels if label not in admissible]
    if not others:
        return "anything: nothing is learned"
    if len(named) > len(others) + 2:
        return f"anything but {', '.join(others)}"
    return " or ".join(named)
