"""The taggers that the speed benchmark compares with, trained on the same files and kept under runs/."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from _record import RUNS, shared

from fofe.formats.schemes import TagSpan, scheme_named
from fofe.resources.vectors import read_vectors
from fofe.train.examples import LabelledSentence

Spans = list[set[tuple[int, int, str]]]


class Spacy:
    """spaCy's tok2vec + ner in its efficiency configuration, with the same static vectors."""

    name = "spaCy"

    def __init__(
        self,
        train: Sequence[LabelledSentence],
        dev: Sequence[LabelledSentence],
        folder: Path = RUNS / "spacy-conll2003",
    ) -> None:
        import spacy

        if not (folder / "model-best").exists():
            _train_spacy(folder, train, dev)
        self.nlp: Any = spacy.load(folder / "model-best")

    def tag_words(self, sentences: Sequence[Sequence[str]]) -> Spans:
        """The mentions of sentences of words."""
        return [
            {(span.start, span.end, span.label_) for span in document.ents}
            for document in self.tagged(sentences)
        ]

    def tagged(self, sentences: Sequence[Sequence[str]]) -> Iterator[Any]:
        """Sentences of words as spaCy's own documents."""
        from spacy.tokens import Doc

        documents: Iterator[Any] = self.nlp.pipe(
            Doc(self.nlp.vocab, words=list(words)) for words in sentences
        )
        return documents


def _train_spacy(folder: Path, train: Sequence[LabelledSentence], dev: Sequence[LabelledSentence]) -> None:
    """Train with spaCy's own command, to its own patience."""
    import spacy
    from spacy.tokens import Doc, DocBin, Span

    folder.mkdir(parents=True, exist_ok=True)
    blank = spacy.blank("en")
    for name, sentences in (("train", train), ("dev", dev)):
        store = DocBin()
        for sentence in sentences:
            document = Doc(blank.vocab, words=sentence.words)
            document.ents = [Span(document, start, end, label) for start, end, label in sentence.spans]
            store.add(document)
        store.to_disk(folder / f"{name}.spacy")
    vectors = read_vectors(shared("vectors", "glove.6B.100d.bin.gz"))
    with open(folder / "glove.txt", "w", encoding="utf-8") as stream:
        stream.write(f"{len(vectors.words)} {vectors.dimension}\n")
        for word, row in zip(vectors.words, vectors.vectors, strict=True):
            stream.write(f"{word} {' '.join(f'{number:.4f}' for number in row)}\n")
    _spacy("init", "vectors", "en", folder / "glove.txt", folder / "vectors", "--attr", "LOWER")
    config = folder / "config.cfg"
    _spacy(
        "init", "config", config, "--lang", "en", "--pipeline", "ner", "--optimize", "efficiency", "--force"
    )
    _spacy(
        *("train", config, "--output", folder),
        *("--paths.train", folder / "train.spacy", "--paths.dev", folder / "dev.spacy"),
        *("--initialize.vectors", folder / "vectors"),
        *("--components.tok2vec.model.embed.include_static_vectors", "true"),
    )


def _spacy(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "spacy", *map(str, words)], check=True)


class Crf:
    """sklearn-crfsuite with the usual features: affixes and shapes of the word and its neighbours."""

    name = "CRF"

    def __init__(self, train: Sequence[LabelledSentence]) -> None:
        from sklearn_crfsuite import CRF

        path = RUNS / "crf-conll2003.pickle"  # our own file, never shipped
        self._scheme = scheme_named("IOB2")
        if path.exists():
            self._model = pickle.loads(path.read_bytes())
            return
        self._model = CRF(
            algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True
        )
        tags = [
            self._scheme.encode([TagSpan(*span) for span in sentence.spans], len(sentence.words))
            for sentence in train
        ]
        self._model.fit([_features(sentence.words) for sentence in train], tags)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pickle.dumps(self._model))

    def tag_words(self, sentences: Sequence[Sequence[str]]) -> Spans:
        """The mentions of sentences of words."""
        tags = self._model.predict([_features(words) for words in sentences])
        return [set(self._scheme.decode(list(row))[0]) for row in tags]


def _features(words: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for place, word in enumerate(words):
        row: dict[str, Any] = {"bias": 1.0, **_of_word("", word), "suffix3": word[-3:], "prefix3": word[:3]}
        row |= _of_word("-1:", words[place - 1]) if place else {"BOS": True}
        row |= _of_word("+1:", words[place + 1]) if place + 1 < len(words) else {"EOS": True}
        rows.append(row)
    return rows


def _of_word(prefix: str, word: str) -> dict[str, Any]:
    return {
        prefix + "word": word.lower(),
        prefix + "suffix2": word[-2:],
        prefix + "upper": word.isupper(),
        prefix + "title": word.istitle(),
        prefix + "digit": word.isdigit(),
    }
