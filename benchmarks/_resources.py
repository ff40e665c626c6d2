"""What benchmarks train with besides corpora: found, or made once under runs/."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from _record import RUNS, shared

from fofe.base.report import Report
from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.gazetteer import build_gazetteer, save_gazetteer
from fofe.formats import read_corpus
from fofe.formats.vectors import read_vectors
from fofe.training.annotation import labelled_sentences
from fofe.vectors.inspect import coverage
from fofe.wiki.types import titled_names

TITLES = ("enwiki-classes.tsv.xz", "enwiki-206-pages.xml.bz2", "enwiki-27-pages.xml.bz2")
FETCHED = (
    ("glove.6B.100d.all", "the complete GloVe vectors", "fetch_glove.py"),
    (".brown.", "Brown clusters", "fetch_brown.py"),
    (".bert.", "the Chinese vectors with what a language model makes of words", "encoded_vectors.py"),
    ("zh.names.", "the Chinese vectors with the names of a dictionary", "fetch_zh_names.py"),
    ("news.", "word vectors of news", "paper_vectors.py unseen"),
    ("seen.", "word vectors that have seen the text of CoNLL-2003", "paper_vectors.py seen"),
    ("esen.", "the Spanish vectors with English words", "join_vectors.py"),
)
"""Parts of the names of vectors that do not come with the corpora, what they are, and what makes them."""


def vectors_named(name: str) -> Path:
    """A file of word vectors: one that was made under runs/, or one beside the project."""
    made = RUNS / "vectors" / name
    for fetched, what, script in FETCHED:
        if fetched in name and not made.exists():
            raise SystemExit(f"skipped: needs {what}; python benchmarks/{script} makes them")
    return made if made.exists() else shared("vectors", name)


def trained_model(path: Path, command: str) -> Path:
    """A model that another benchmark leaves; says which, and ends, where it is missing."""
    if not path.exists():
        raise SystemExit(f"skipped: there is no model {path}; {command} trains one")
    return path


def wikipedia_gazetteer() -> Path:
    """The gazetteer of the titles beside the project, built once."""
    path = RUNS / "wikipedia.gazetteer"
    if not path.exists():
        sources = [shared("data", "wikipedia", name) for name in TITLES]
        names = titled_names(sources, "en", None, Report())
        save_gazetteer(build_gazetteer(names, Report(), [source.name for source in sources]), path)
    return path


def that_have_seen_the_text(model: ModelConfig) -> ModelConfig:
    """The model with vectors that have seen the text of CoNLL-2003, as the paper's had."""
    views = (
        replace(view, vectors=view.vectors and view.vectors.replace("news.", "seen.")) for view in model.views
    )
    return replace(model, views=tuple(views))


def coverage_of_mentions(model: ModelConfig) -> dict[str, float]:
    """The share of the tokens in the mentions of CoNLL-2003's test set that have a vector, by view."""
    corpus = read_corpus(shared("data", "conll2003", "eng.testb"), "conll")
    sentences = labelled_sentences(corpus, Report())
    words = [
        word
        for sentence in sentences
        for start, end, _ in sentence.spans
        for word in sentence.words[start:end]
    ]
    shares = {}
    for view in model.views:
        if view.vectors:
            found = coverage(
                read_vectors(view.vectors), words, cased=view.lookup == "cased", digits=model.digits
            )
            shares[f"coverage_{view.name}"] = round(100 * found.known_tokens / found.tokens, 1)
    return shares


def _with_files(view: ViewConfig) -> ViewConfig:
    """The view with the vectors or the language model that is here."""
    if view.vectors and not Path(view.vectors).exists():
        return replace(view, vectors=str(vectors_named(Path(view.vectors).name)))
    if view.encoder and not Path(view.encoder).exists():
        return replace(view, encoder=str(encoder_named(Path(view.encoder).name)))
    return view


def encoder_named(name: str) -> Path:
    """The directory of a language model under runs/; says what makes it, and ends, where it is missing."""
    path = RUNS / "encoders" / name
    if not path.exists():
        raise SystemExit(f"skipped: needs {path}; python benchmarks/fetch_encoders.py {name} makes it")
    return path


def with_resources(model: ModelConfig) -> ModelConfig:
    """The model of a configuration with the vectors and the gazetteer that are here."""
    views = tuple(map(_with_files, model.views))
    gazetteer = model.gazetteer
    if gazetteer is not None and gazetteer.file and not Path(gazetteer.file).exists():
        gazetteer = replace(gazetteer, file=str(wikipedia_gazetteer()))
    return replace(model, views=views, gazetteer=gazetteer)
