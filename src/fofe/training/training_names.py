"""The names that a model sees: those of its gazetteer and, if wanted, those of its training mentions.

A mention of the training text is in that text, of course: a network that saw it there would learn to trust
what it will not find in other text. So a training name counts only in documents other than its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import BoolArray, IntArray
from fofe.features import name_table
from fofe.features.config import GazetteerConfig
from fofe.features.fragments import Fragments, offsets_of
from fofe.features.gazetteer import load_gazetteer, make_table
from fofe.features.name_table import KINDS, FragmentKeys, Keys, NameBits, NameTable, keys_of, keys_within
from fofe.model.storage import StoredModel
from fofe.training.annotation import Sentences

ENOUGH_DOCUMENTS = 10
"""With fewer documents a name is left out for the sentences around it alone, or hardly any would be left."""
NEIGHBOURS = 20
"""How many sentences count as a document then: text that stands together mentions the same names."""


@dataclass(frozen=True)
class TrainingNames:
    """The table that a model takes along, and what of it is to be left out in training."""

    table: NameTable
    own: NameTable | None
    """By names within documents: the types that such a name has there and in no other document."""

    def training_bits(self, sentences: Sentences, fragments: Fragments) -> NameBits:
        """What the fragments of the training sentences match, less what comes from their own document."""
        words = [word for sentence in sentences for word in sentence.words]
        keys = FragmentKeys(words, offsets_of(sentences))
        sets, members = self.table.sets_of(keys, fragments), self.table.members
        if self.own is None:
            return NameBits.of(sets, members)
        documents = _documents(sentences)[fragments.sentences]
        for kind in range(len(KINDS)):
            chosen = np.flatnonzero(sets[:, kind])
            matched = keys.of(kind, fragments.firsts[chosen], fragments.lasts[chosen])
            own = self.own.find(keys_within(matched, documents[chosen]))
            sets[chosen, kind], members = _reduced(sets[chosen, kind], own, members, self.own.members)
        return NameBits.of(sets, members)


def prepare_names(
    config: GazetteerConfig | None, sentences: Sentences, start: StoredModel | None = None
) -> TrainingNames | None:
    """Load the gazetteer of a configuration, and add the names of the training sentences if it says so.

    A model that training starts from brings its names along, and keeps them as they are.
    """
    if config is None:
        return None
    if start is not None and start.names is not None:
        return TrainingNames(start.names, None)
    table = None if config.file is None else load_gazetteer(config.file).table
    if not config.training_names:
        assert table is not None, "a gazetteer has a file or the names of the training text"
        return TrainingNames(table, None)
    named: dict[str, dict[str, None]] = {}
    for type, name, _ in _mentions(sentences):
        named.setdefault(type, {})[name] = None
    mentions = make_table({type: list(named[type]) for type in sorted(named)})
    return without_own_names(mentions if table is None else table.merged(mentions), sentences)


def without_own_names(table: NameTable, sentences: Sentences) -> TrainingNames:
    """The names of a model for the text that it is trained on: a document's own are left out.

    Those are training names of one document only, each by its key within that document.
    """
    mentions = [mention for mention in _mentions(sentences) if mention[0] in table.types]
    texts = [text for _, text, _ in mentions]
    types = np.array([table.types.index(type) for type, _, _ in mentions], dtype=np.int64)
    owners = np.array([document for _, _, document in mentions], dtype=np.int64)
    long = np.flatnonzero([" " in text for text in texts])
    last_words = [texts[number].rsplit(" ", 1)[1] for number in long.tolist()]
    found = [
        _in_one_document(keys_of(texts, name_table.EXACT), types, owners),
        _in_one_document(keys_of(texts, name_table.FOLDED), types, owners),
        _in_one_document(keys_of(last_words, name_table.LAST), types[long], owners[long]),
    ]
    keys, types = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return TrainingNames(table, NameTable.from_pairs(table.types, keys, types) if len(keys) else None)


def _mentions(sentences: Sentences) -> Iterator[tuple[str, str, int]]:
    """The type, the text and the document of each mention.

    The types are separate from those of a gazetteer, since training names deserve different trust.
    """
    for sentence, document in zip(sentences, _documents(sentences).tolist(), strict=True):
        for start, end, label in sentence.spans:
            yield f"{label} in training", " ".join(sentence.words[start:end]), document


def _documents(sentences: Sentences) -> IntArray:
    """[S] the number of the document of each sentence, or of its neighbourhood where documents are few."""
    documents = np.cumsum([sentence.opens for sentence in sentences])
    if documents[-1] >= ENOUGH_DOCUMENTS:
        return documents
    together = min(NEIGHBOURS, -(-len(sentences) // ENOUGH_DOCUMENTS))
    return np.arange(len(sentences)) // together


def _in_one_document(keys: Keys, types: IntArray, documents: IntArray) -> tuple[Keys, IntArray]:
    """Of names with types in documents [M] those that no other document has: keys within it, and types."""
    order = np.lexsort((documents, types, keys))
    keys, types, documents = keys[order], types[order], documents[order]
    begins = np.append(True, (keys[1:] != keys[:-1]) | (types[1:] != types[:-1]))[: len(keys)]
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(keys))[: len(firsts)] - 1
    alone = firsts[documents[firsts] == documents[lasts]]
    return keys_within(keys[alone], documents[alone]), types[alone]


def _reduced(
    sets: IntArray, own: IntArray, members: BoolArray, own_members: BoolArray
) -> tuple[IntArray, BoolArray]:
    """The sets [M] less their own ones [M], as rows of members that may have grown by some."""
    changed = np.flatnonzero(own)
    pairs = sets[changed] * len(own_members) + own[changed]
    distinct, positions = np.unique(pairs, return_inverse=True)
    left = members[distinct // len(own_members)] & ~own_members[distinct % len(own_members)]
    reduced = sets.copy()
    # A set of which nothing is left is the empty one, in row 0.
    reduced[changed] = np.where(left.any(axis=1), len(members) + np.arange(len(left)), 0)[positions]
    return reduced, np.concatenate([members, left])
