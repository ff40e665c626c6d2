"""The taggers that benchmarks compare with, trained on the same files and kept under runs/."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

from _record import RUNS, shared

from fofe.base.files import write_atomically
from fofe.formats.tag_schemes import TagSpan, tag_scheme
from fofe.formats.vectors import read_vectors
from fofe.training.annotation import LabelledSentence

CRF_SCHEME = tag_scheme("IOB2")

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
    """Train with spaCy's own command, to its own patience.

    spaCy writes the best model so far again and again: it gets its place only when training has ended, lest
    one that was cut off be taken for a whole one.
    """
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
    unfinished = folder / "unfinished"
    _spacy(
        *("train", config, "--output", unfinished),
        *("--paths.train", folder / "train.spacy", "--paths.dev", folder / "dev.spacy"),
        *("--initialize.vectors", folder / "vectors"),
        *("--components.tok2vec.model.embed.include_static_vectors", "true"),
    )
    (unfinished / "model-best").rename(folder / "model-best")
    shutil.rmtree(unfinished)


def _spacy(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "spacy", *map(str, words)], check=True)


class Crf:
    """sklearn-crfsuite with the usual features: affixes and shapes of the word and its neighbours."""

    name = "CRF"

    def __init__(self, train: Sequence[LabelledSentence]) -> None:
        self._model = trained_crf(RUNS / "crf-conll2003.pickle", lambda: train)

    def tag_words(self, sentences: Sequence[Sequence[str]]) -> Spans:
        """The mentions of sentences of words."""
        tags = self._model.predict([crf_features(words) for words in sentences])
        return [set(CRF_SCHEME.decode(list(row))[0]) for row in tags]


def trained_crf(path: Path, corpus: Callable[[], Sequence[LabelledSentence]], iterations: int = 100) -> Any:
    """The CRF of a file, trained on the corpus if it is not there, on the outermost of nested mentions."""
    model_type = crf_type()
    if path.exists():
        return pickle.loads(path.read_bytes())  # our own file, never shipped
    model = model_type(
        algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=iterations, all_possible_transitions=True
    )
    train = corpus()
    tags = [CRF_SCHEME.encode(_outermost(sentence.spans), len(sentence.words)) for sentence in train]
    model.fit([crf_features(sentence.words) for sentence in train], tags)
    path.parent.mkdir(exist_ok=True)
    with write_atomically(path, "wb") as stream:
        pickle.dump(model, cast(IO[bytes], stream))
    return model


def crf_type() -> Any:
    """sklearn-crfsuite's model; says how it is installed, and ends, where it is missing."""
    try:
        from sklearn_crfsuite import CRF
    except ModuleNotFoundError:
        raise SystemExit("skipped: needs sklearn-crfsuite (pip install 'fofe[bench]')") from None
    return CRF


def _outermost(spans: Iterable[tuple[int, int, str]]) -> list[TagSpan]:
    kept: list[TagSpan] = []
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, label))
    return kept


def crf_features(words: Sequence[str]) -> list[dict[str, Any]]:
    """What the CRF sees of each word and its neighbours."""
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
