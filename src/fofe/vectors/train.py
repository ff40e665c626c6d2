"""Training word vectors: skip-gram with negative sampling, on text as the tagger sees it.

Texts are plain or packed files, directories of them, and Wikipedia dumps. They are cut into words once, with
the tagger's own tokeniser and digit classes. gensim trains on them, and its state is saved after every pass.
Both lie in a work directory within that of the vectors, so an interrupted training continues with the next
source or pass.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from fofe.base.errors import FofeError, InputError, broken_file, needs
from fofe.base.files import read_valid_lines, write_atomically
from fofe.base.journal import Journal, stamp
from fofe.base.report import Report, counted
from fofe.base.version import __version__
from fofe.formats.vectors import WordVectors, write_vectors
from fofe.text.normalise import digit_rule
from fofe.text.segment import in_words, segmenter
from fofe.text.tokenise import tokeniser
from fofe.wiki.dump import is_dump, read_pages, read_site
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import parse

OTHER_VIEWS = ("cased", "uncased")
CHINESE_VIEWS = ("char", "word")
ALPHA, LAST_ALPHA = 0.025, 0.0001
MAX_SENTENCE = 10_000
"""gensim drops the words of a sentence beyond so many."""

CARD = """\
# Word vectors

Skip-gram, {dimension} dimensions, window {window}, {negative} negatives, {passes} passes, words seen at \
least {min_count} times, at most {words}; seed {seed}.

Language {language}; text tokenised by fofe {version}, digits by the rule `{digits}`: give a model \
the same ones.

| source | sentences | tokens |
| --- | ---: | ---: |
{rows}
Files, most frequent words first: {files}.
"""

Say = Callable[[str], None]


@dataclass(frozen=True)
class VectorSettings:
    """How vectors are trained."""

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
    """Cuts text into words for the view `word`."""
    seed: int = 1
    threads: int = 1
    """With one, the same text gives the same vectors, bit for bit."""

    def __post_init__(self) -> None:
        for name in ("dimension", "window", "negative", "min_count", "passes", "words", "threads"):
            if getattr(self, name) < 1:
                raise FofeError(f"{name} must be at least 1, not {getattr(self, name)}")
        for view in self.views:
            if view not in (*OTHER_VIEWS, *CHINESE_VIEWS):
                raise FofeError(f"unknown view {view!r} (choose from cased, uncased, char, word)")


def default_views(language: str) -> tuple[str, ...]:
    """Cased and uncased vectors; for Chinese those of characters and of words."""
    return CHINESE_VIEWS if language.partition("-")[0].lower() == "zh" else OTHER_VIEWS


def text_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files of some paths, those of a directory sorted by name."""
    files: list[Path] = []
    for path in map(Path, paths):
        stamp(path)  # an error if it cannot be read
        inside = [file for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")]
        files += sorted(inside) if path.is_dir() else [path]
    if not files:
        raise InputError("there is no text", remedy="give files, or directories with files")
    return files


def paragraphs(path: Path, language: str, report: Report) -> Iterator[str]:
    """The lines of a text, or the paragraphs of the articles of a Wikipedia dump."""
    if not is_dump(path):
        yield from (line.rstrip("\r\n") for _, line in read_valid_lines(path, report) if line.strip())
        return
    namespaces = read_site(path).namespaces
    for page in read_pages(path, report):
        if page.namespace or page.redirect is not None:
            continue
        markup = parse(page.markup, wiki_language(language), report, namespaces=namespaces, place=page.title)
        yield from (line for line in markup.text.splitlines() if line.strip())


def train_vectors(settings: VectorSettings, sources: list[Path], folder: Path, say: Say) -> list[Path]:
    """Train the vectors of each view and write them to a directory; returns their files."""
    job = [asdict(settings), [[str(source), *stamp(source)] for source in sources]]
    files = []
    with Journal(folder / "work", job) as journal:
        report = Report()
        for number, source in enumerate(sources):
            if journal.done(f"{number:05}") is None:
                _cut_text(settings, source, f"{number:05}", journal, report, say)
        for line in report.lines():
            say(line)
        for view in settings.views:
            name = f"{settings.language}.{view}.{settings.dimension}"
            file = folder / f"{name}.bin"
            if journal.done(name) is None or not file.exists():
                texts = [journal.file(f"{number:05}.{_unit(view)}.txt") for number in range(len(sources))]
                for text in texts:
                    stamp(text)  # an error if it cannot be read
                state = journal.file(f"{name}.npz")
                vectors = _train(settings, Sentences(texts, lower=view == "uncased"), state, say)
                write_vectors(vectors, file, "binary")
                journal.add(name)
                state.unlink(missing_ok=True)
            files.append(file)
        sizes = [(source.name, *journal.done(f"{number:05}")) for number, source in enumerate(sources)]
    with write_atomically(folder / "README.md") as stream:
        stream.write(_card(settings, sizes, files))
    return files


def _unit(view: str) -> str:
    return "word" if view == "word" else "token"


def _cut_text(
    settings: VectorSettings, source: Path, name: str, journal: Journal, report: Report, say: Say
) -> None:
    """Cut the text of a source into units, a sentence a line, and record how many there are."""
    say(f"reading {source}")
    for number, unit in enumerate(sorted({_unit(view) for view in settings.views})):
        sentences = tokens = 0
        noted = Report() if number else report  # the same text is read again: count its faults only once
        with write_atomically(journal.file(f"{name}.{unit}.txt")) as stream:
            for paragraph in paragraphs(source, settings.language, noted):
                for words in cut_sentences(paragraph, settings, unit):
                    stream.write(" ".join(words) + "\n")
                    sentences += 1
                    tokens += len(words)
    journal.add(name, [sentences, tokens])


def cut_sentences(text: str, settings: VectorSettings, unit: str) -> Iterator[list[str]]:
    """The sentences of a text as the tagger sees them: tokens or segmented words, digits as classes."""
    digits = digit_rule(settings.digits)
    for sentence in tokeniser(settings.language).document(text).sentences:
        words = sentence.words
        if unit == "word":
            tokens = in_words(words, segmenter(settings.segmenter))
            words = [token.word for token in tokens if token.position == 0]
        yield [digits(word) for word in words]


@dataclass(frozen=True)
class Sentences:
    """The sentences of files, one a line with spaces between words; they can be iterated over many times."""

    texts: list[Path]
    lower: bool

    def __iter__(self) -> Iterator[list[str]]:
        for text in self.texts:
            # An error in the thread that reads would let gensim wait without end.
            with open(text, encoding="utf-8", errors="replace", newline="\n") as stream:
                for line in stream:
                    words = (line.lower() if self.lower else line).rstrip("\n").split(" ")
                    for start in range(0, len(words), MAX_SENTENCE):
                        yield words[start : start + MAX_SENTENCE]


def _train(settings: VectorSettings, sentences: Sentences, state: Path, say: Say) -> WordVectors:
    """Train to the end, from the last pass whose state was saved."""
    if state.exists():
        model = _load_state(settings, state)
        say(f"{state.stem}: continuing after pass {model.passes_done}")
    else:
        model = _model(settings, min_count=settings.min_count, max_final_vocab=settings.words)
        model.build_vocab(sentences)
        if not len(model.wv):
            remedy = "give more text, or a lower --min-count"
            raise InputError(f"no word occurs {counted(settings.min_count, 'times')}", remedy=remedy)
        model.passes_done = 0
    rates = np.linspace(ALPHA, LAST_ALPHA, settings.passes + 1).tolist()
    for number in range(model.passes_done, settings.passes):
        alphas = {"start_alpha": rates[number], "end_alpha": rates[number + 1]}
        model.train(sentences, total_examples=model.corpus_count, epochs=1, **alphas)
        model.passes_done = number + 1
        say(f"{state.stem}: pass {number + 1} of {settings.passes} done")
        if number + 1 < settings.passes:
            _save_state(model, state)
    return WordVectors(list(model.wv.index_to_key), np.asarray(model.wv.vectors, dtype=np.float32))


def _model(settings: VectorSettings, **options: Any) -> Any:
    with needs("training vectors needs gensim", "train", "gensim"):
        from gensim.models.word2vec import Word2Vec
    return Word2Vec(
        vector_size=settings.dimension,
        window=settings.window,
        sg=1,
        negative=settings.negative,
        seed=settings.seed,
        workers=settings.threads,
        alpha=ALPHA,
        min_alpha=LAST_ALPHA,
        **options,
    )


def _save_state(model: Any, path: Path) -> None:
    """Write what training goes on from: words, counts, both layers and the random generator, as arrays."""
    _, keys, position, *_ = model.random.get_state()
    with write_atomically(path, "wb") as stream:
        np.savez(
            cast(IO[bytes], stream),
            words=np.frombuffer("\n".join(model.wv.index_to_key).encode(), dtype=np.uint8),
            counts=model.wv.expandos["count"],
            vectors=model.wv.vectors,
            hidden=model.syn1neg,
            random_keys=keys,
            numbers=np.array([position, model.corpus_count, model.passes_done]),
        )


def _load_state(settings: VectorSettings, path: Path) -> Any:
    """The model that `_save_state` wrote; its words stay in their order."""
    model = _model(settings, min_count=1, sorted_vocab=0)
    remedy = f"remove {path.parent} to start anew"
    with broken_file(path, remedy), open(path, "rb") as stream, np.load(stream, allow_pickle=False) as state:
        position, corpus_count, model.passes_done = state["numbers"].tolist()
        words = state["words"].tobytes().decode().split("\n")
        counts = dict(zip(words, state["counts"].tolist(), strict=True))
        model.build_vocab_from_freq(counts, corpus_count=corpus_count)
        model.wv.vectors[:] = state["vectors"]
        model.syn1neg[:] = state["hidden"]
        model.random.set_state(("MT19937", state["random_keys"], position))
    return model


def _card(settings: VectorSettings, sizes: list[tuple[str, int, int]], files: list[Path]) -> str:
    total = ("all", sum(size[1] for size in sizes), sum(size[2] for size in sizes))
    rows = "".join("| {} | {} | {} |\n".format(*row) for row in (*sizes, total))
    names = ", ".join(file.name for file in files)
    return CARD.format(**vars(settings), version=__version__, rows=rows, files=names)
