"""A smaller model from a trained one: word vectors with fewer bits, and fewer words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fofe.base.errors import FofeError, ModelError
from fofe.features.vocabulary import Vocabulary
from fofe.features.word_table import TABLES, Table, as_float
from fofe.model.storage import Storage, StoredModel

CARD_HEADING = "\n## Compression\n"


def compress(
    model: StoredModel,
    storage: Storage,
    *,
    words: int | Mapping[str, int] | None = None,
    keep: Iterable[str] = (),
) -> StoredModel:
    """The model with its weights stored in another way and, if `words` is given, with fewer words.

    Args:
        model: any model, also one that was compressed before.
        storage: the kinds of numbers to store.
        words: keep only so many of the most frequent words in each table, besides the training words that
            the word vectors lacked. The others become unknown words of their shape. A number for each view
            may be given; tables of views that are not named stay whole.
        keep: words that are kept whatever their rank.
    """
    smaller = model if words is None else prune(model, words, set(keep))
    settings: dict[str, Any] = {"tables": storage.tables, "weights": storage.weights}
    kept = words if words is not None else model.training.get("compression", {}).get("words")
    if kept is not None:
        settings["words"] = dict(kept) if isinstance(kept, Mapping) else kept
    return replace(
        smaller,
        weights=_stored_as(smaller, storage),
        storage=storage,
        card=_card(model.card, settings),
        training=_unscored(model.training) | {"compression": settings},
    )


def _unscored(training: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a training without what a package says of the model as it ships."""
    shipped = {key: of for key, of in training.get("shipped", {}).items() if key == "licence"}
    return {**training, "shipped": shipped} if "shipped" in training else dict(training)


def words_of(model: StoredModel, sentences: Sequence[Sequence[str]]) -> set[str]:
    """All words that the tables of a model look up in sentences: tokens, and words that hold them."""
    kept = {token for sentence in sentences for token in sentence}
    lexicons = [view.holder for view in model.config.views if view.lookup == "lexicon"]
    for token in model.encoder.in_words(sentences):
        kept.add(token.word)
        for name in lexicons:
            vocabulary = model.vocabularies[name]
            first = len(vocabulary.unknowns)
            kept.update(vocabulary.words[row - first] for rows in token.found for row in rows)
    return kept


def prune(model: StoredModel, words: int | Mapping[str, int], keep: Collection[str] = ()) -> StoredModel:
    """The model with the `words` most frequent words of each table, and those to keep in any case."""
    sizes = {view: len(vocabulary.words) for view, vocabulary in model.vocabularies.items()}
    given = words if isinstance(words, Mapping) else dict.fromkeys(sizes, words)
    for view, number in given.items():
        if number < 0:
            raise FofeError(f"the number of words to keep cannot be {number}")
        if view not in sizes:
            raise FofeError(f"the model has no table {view!r} (it has {', '.join(sizes)})")
    weights = dict(model.weights)
    vocabularies = {}
    ranked_words = {}
    for view, vocabulary in model.vocabularies.items():
        ranked = model.ranked_words.get(view)
        if ranked is None and not keep:
            raise ModelError(
                f"view {view!r} does not say which of its words come from the training corpus alone",
                remedy="name that corpus with --keep",
            )
        last_ranked = sizes[view] if ranked is None else ranked
        wanted = {vocabulary.normalise(word) for word in keep}
        chosen = [
            number
            for number, word in enumerate(vocabulary.words)
            if number < given.get(view, sizes[view]) or number >= last_ranked or word in wanted
        ]
        vocabularies[view] = Vocabulary(
            [vocabulary.words[number] for number in chosen], cased=vocabulary.cased, digits=vocabulary.digits
        )
        unknowns = len(vocabulary.unknowns)
        rows = np.concatenate([np.arange(unknowns), unknowns + np.array(chosen, dtype=np.int64)])
        weights |= Table.from_weights(weights, view).only(rows).to_weights(view)
        if ranked is not None:
            ranked_words[view] = sum(number < ranked for number in chosen)
    return replace(model, vocabularies=vocabularies, weights=weights, ranked_words=ranked_words)


def _stored_as(model: StoredModel, storage: Storage) -> dict[str, NDArray[Any]]:
    """The weights, rounded to what the storage can hold."""
    weights: dict[str, NDArray[Any]] = {}
    try:
        for name, array in model.weights.items():
            view = name.removeprefix(TABLES)
            if not name.startswith(TABLES):
                weights[name] = as_float(array, storage.weights).astype(np.float32, copy=False)
            elif view in model.vocabularies:
                weights |= Table.from_weights(model.weights, view).stored_as(storage.tables).to_weights(view)
    except ValueError as error:
        raise ModelError(f"{name!r} {error}", remedy="store it as float32") from None
    return weights


def _card(card: str, settings: Mapping[str, Any]) -> str:
    """The card with a section on what was done, in place of an earlier one."""
    lines = [f"Word tables are {settings['tables']}, other weights {settings['weights']}."]
    if "words" in settings:
        kept = settings["words"]
        if isinstance(kept, Mapping):
            kept = ", ".join(f"{number} ({view})" for view, number in kept.items())
        lines.append(f"Each table keeps its {kept} most frequent words, besides words of training.")
    lines.append("The scores above are those before compression.")
    return card.split(CARD_HEADING)[0] + CARD_HEADING + "\n" + "\n".join(lines) + "\n"
