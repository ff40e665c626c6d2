"""Word vectors of one's own: skip-gram with negative sampling, over text as the tagger would see it.

The text is cut into words once, with the tagger's own tokeniser and digit classes, and kept in the directory
of the vectors, a file for each source. Training is gensim's; after every pass its state is saved. So a run
that was cut off goes on with the source, or the pass, where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fofe import __version__
from fofe.base.errors import FofeError, InputError
from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.formats.vectors import WordVectors, write_vectors
from fofe.text.normalise import digit_rule
from fofe.text.segment import in_words, segmenter
from fofe.text.tokenise import tokeniser
from fofe.vectors.plain_text import paragraphs

VIEWS = {"zh": ("char", "word")}
OTHER_VIEWS = ("cased", "uncased")
SETTINGS = "settings.json"
LONGEST = 10_000
"""gensim drops what of a sentence goes beyond so many words."""
ALPHA, LAST_ALPHA = 0.025, 0.0001


@dataclass(frozen=True)
class VectorSettings:
    """How vectors are made."""

    language: str = "en"
    dimension: int = 256
    views: tuple[str, ...] = OTHER_VIEWS
    window: int = 5
    negative: int = 5
    min_count: int = 5
    passes: int = 5
    words: int = 100_000
    """At most so many words get a vector, the most frequent ones."""
    digits: str = "shape"
    segmenter: str = "jieba"
    """What cuts text into words for the view `word`."""
    seed: int = 1
    threads: int = 1
    """With one the same text gives the same vectors, bit for bit."""

    def __post_init__(self) -> None:
        for name in ("dimension", "window", "min_count", "passes", "words", "threads"):
            if getattr(self, name) < 1:
                raise FofeError(f"{name} must be at least 1, not {getattr(self, name)}")
        for view in self.views:
            if view not in (*OTHER_VIEWS, "char", "word"):
                raise FofeError(f"unknown view {view!r} (choose from cased, uncased, char, word)")


def default_views(language: str) -> tuple[str, ...]:
    """Cased and uncased vectors; for Chinese those of characters and of words."""
    return VIEWS.get(language.partition("-")[0].lower(), OTHER_VIEWS)


@dataclass(frozen=True)
class TextCounts:
    """What was read of a source."""

    source: str
    size: int
    sentences: int
    tokens: int


Tell = Callable[[str], None]


def train_vectors(settings: VectorSettings, sources: list[Path], folder: Path, tell: Tell) -> list[Path]:
    """Make the vectors of each view in a directory; returns their files."""
    _open(settings, folder)
    _check_sources(sources, folder)
    report = Report()
    counts = [
        _cut_text(settings, source, folder / "text" / f"{number:05}", report, tell)
        for number, source in enumerate(sources)
    ]
    for line in report.lines():
        tell(line)
    files = []
    for view in settings.views:
        name = f"{settings.language}.{view}.{settings.dimension}"
        texts = [folder / "text" / f"{number:05}.{_cut_of(view)}.txt" for number in range(len(sources))]
        if not (folder / f"{name}.bin").exists():
            vectors = _train(settings, Sentences(texts, lower=view == "uncased"), folder / name, tell)
            write_vectors(vectors, folder / f"{name}.bin", "binary")
            for file in folder.glob(f"{name}.state*"):
                file.unlink()
        files.append(folder / f"{name}.bin")
    with write_atomically(folder / "README.md") as stream:
        stream.write(_card(settings, counts, files))
    return files


class Sentences:
    """The sentences of cut text, again and again."""

    def __init__(self, texts: list[Path], *, lower: bool) -> None:
        self._texts = texts
        self._lower = lower

    def __iter__(self) -> Iterator[list[str]]:
        for text in self._texts:
            with open(text, encoding="utf-8", newline="\n") as stream:
                for line in stream:
                    words = line.rstrip("\n").split(" ")
                    if self._lower:
                        words = [word.lower() for word in words]
                    for start in range(0, len(words), LONGEST):
                        yield words[start : start + LONGEST]


def cut_sentences(text: str, settings: VectorSettings, cut: str) -> Iterator[list[str]]:
    """The sentences of a text as the tagger sees them: its tokens or segmented words, digits classed."""
    classed = digit_rule(settings.digits)
    for sentence in tokeniser(settings.language).document(text).sentences:
        if cut == "word":
            held = in_words(sentence.words, segmenter(settings.segmenter))
            yield [classed(token.word) for token in held if token.place == 0]
        else:
            yield [classed(word) for word in sentence.words]


def _cut_of(view: str) -> str:
    return "word" if view == "word" else "token"


def _open(settings: VectorSettings, folder: Path) -> None:
    """Make the directory, or make sure that what it holds was made with the same settings."""
    try:
        (folder / "text").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path=folder) from None
    told = json.dumps({**asdict(settings), "version": __version__})
    path = folder / SETTINGS
    if path.exists() and path.read_text("utf-8") != told:
        raise InputError(
            "holds vectors that were made with other settings",
            path=folder,
            remedy="give the same ones, or choose another directory",
        )
    with write_atomically(path) as stream:
        stream.write(told)


def _check_sources(sources: list[Path], folder: Path) -> None:
    """Make sure that vectors which were begun in a directory are those of these texts."""
    begun = any(folder.glob("*.bin")) or any(folder.glob("*.state"))
    known = [_counted(file) for file in sorted((folder / "text").glob("*.json"))] if begun else []
    given = [(str(source), source.stat().st_size) for source in sources]
    if known and [(text.source, text.size) for text in known] != given:
        raise InputError(
            "holds vectors of other texts",
            path=folder,
            remedy="give the same ones, or choose another directory",
        )


def _counted(file: Path) -> TextCounts:
    return TextCounts(**json.loads(file.read_text("utf-8")))


def _cut_text(settings: VectorSettings, source: Path, target: Path, report: Report, tell: Tell) -> TextCounts:
    """Cut the text of a source into words, if that has not been done."""
    size = source.stat().st_size
    counted = target.with_suffix(".json")
    if counted.exists():
        known = _counted(counted)
        if (known.source, known.size) == (str(source), size):
            return known
    tell(f"reading {source}")
    sentences = tokens = 0
    for number, cut in enumerate(sorted({_cut_of(view) for view in settings.views})):
        sentences = tokens = 0
        noted = Report() if number else report  # the same text is read again: what is wrong counts once
        with write_atomically(f"{target}.{cut}.txt") as stream:
            for paragraph in paragraphs(source, settings.language, noted):
                for words in cut_sentences(paragraph, settings, cut):
                    stream.write(" ".join(words) + "\n")
                    sentences += 1
                    tokens += len(words)
    counts = TextCounts(str(source), size, sentences, tokens)
    with write_atomically(counted) as stream:
        stream.write(json.dumps(asdict(counts)))
    return counts


def _train(settings: VectorSettings, sentences: Sentences, name: Path, tell: Tell) -> WordVectors:
    """Train to the end, from the last pass that was saved."""
    word2vec = _gensim()
    state = Path(f"{name}.state")
    if state.exists():
        model = word2vec.Word2Vec.load(str(state))
        tell(f"{name.name}: going on after pass {model.passes_done}")
    else:
        model = word2vec.Word2Vec(
            vector_size=settings.dimension,
            window=settings.window,
            sg=1,
            negative=settings.negative,
            min_count=settings.min_count,
            max_final_vocab=settings.words,
            seed=settings.seed,
            workers=settings.threads,
            alpha=ALPHA,
            min_alpha=LAST_ALPHA,
        )
        model.build_vocab(sentences)
        if not len(model.wv):
            raise InputError(
                f"no word occurs {settings.min_count} times", remedy="give more text, or a lower --min-count"
            )
        model.passes_done = 0
    done = model.passes_done
    model.train(
        sentences,
        total_examples=model.corpus_count,
        epochs=settings.passes - done,
        start_alpha=ALPHA - (ALPHA - LAST_ALPHA) * done / settings.passes,
        end_alpha=LAST_ALPHA,
        callbacks=[_Saver(state, settings.passes, tell)] if done < settings.passes else [],
    )
    return WordVectors(list(model.wv.index_to_key), np.asarray(model.wv.vectors, dtype=np.float32))


class _Saver:
    """Saves gensim's state after every pass but the last."""

    def __init__(self, path: Path, passes: int, tell: Tell) -> None:
        self._path = path
        self._passes = passes
        self._tell = tell

    def on_train_begin(self, model: Any) -> None:
        pass

    def on_epoch_begin(self, model: Any) -> None:
        pass

    def on_epoch_end(self, model: Any) -> None:
        model.passes_done += 1
        self._tell(f"{self._path.stem}: pass {model.passes_done} of {self._passes} done")
        if model.passes_done < self._passes:
            # All parts go into one file, which takes the place of the last one at once.
            aside = self._path.with_suffix(".state.writing")
            with open(aside, "wb") as stream:
                model.save(stream)
            aside.replace(self._path)

    def on_train_end(self, model: Any) -> None:
        pass


def _gensim() -> Any:
    try:
        from gensim.models import word2vec
    except ModuleNotFoundError as error:
        if error.name != "gensim":
            raise
        raise FofeError("training vectors needs gensim (pip install 'fofe[train]')") from None
    return word2vec


def _card(settings: VectorSettings, counts: list[TextCounts], files: list[Path]) -> str:
    total = sum(count.tokens for count in counts)
    lines = [
        "# Word vectors",
        "",
        f"Skip-gram, {settings.dimension} dimensions, window {settings.window}, {settings.negative} "
        f"negatives, {settings.passes} passes, words seen at least {settings.min_count} times, at most "
        f"{settings.words}; seed {settings.seed}.",
        "",
        f"Language {settings.language}; words cut by fofe {__version__}, digits by the rule "
        f"`{settings.digits}`: give a model the same ones.",
        "",
        "| source | sentences | tokens |",
        "| --- | ---: | ---: |",
        *(f"| {Path(count.source).name} | {count.sentences} | {count.tokens} |" for count in counts),
        f"| all | {sum(count.sentences for count in counts)} | {total} |",
        "",
        "Files, most frequent words first: " + ", ".join(file.name for file in files) + ".",
        "",
    ]
    return "\n".join(lines)
