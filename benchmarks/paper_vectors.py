"""Word vectors for the paper's recipe: from news, and from news that includes the text of CoNLL-2003.

    python benchmarks/paper_vectors.py unseen
    python benchmarks/paper_vectors.py seen

`unseen` makes runs/vectors/news.*.256.npz: the vectors beside the project; words that they lack from vectors
that are trained here on Reuters and Wikipedia text; and words that both lack from the complete GloVe vectors
(fetch_glove.py), whose text reaches back to the news of the 1990s. GloVe is uncased: the cased view takes its
words capitalised and in capitals. All are mapped by `fofe vectors add --same-language`.

The paper's vectors had seen the text of CoNLL-2003, test set included. `seen` makes seen.*.256.npz: the same
vectors, trained further on the Reuters text and on the raw text of CoNLL-2003's three files, without labels.
A call that was killed goes on when it is given again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from _record import RUNS, as_command, on_one_thread, shared
from fetch_glove import VECTORS as GLOVE
from gensim.models.word2vec import Word2Vec

from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.formats import conll
from fofe.formats.vectors import WordVectors, read_vectors, write_vectors
from fofe.text.normalise import digit_rule
from fofe.vectors.align import add_words
from fofe.vectors.train import Sentences, VectorSettings, train_vectors

TEXTS = ("reuters-2006-2013.en.txt.xz", "reuters-sport-headlines.en.txt.xz", "wikipedia-2014.en.txt.xz")
REUTERS = 2
"""How many of them are Reuters text."""
CONLL = ("eng.train", "eng.testa", "eng.testb")
REPEATED = 5
"""How often the text of CoNLL-2003 stands in the text, so that each of its words is frequent enough."""
SETTINGS = VectorSettings(window=7, negative=7, passes=3, min_count=5, words=200_000)
CAPITALS = 100_000
"""So many of GloVe's most frequent words are also added in capitals."""
FIXED_RATE, FIRST_RATE, LAST_RATE = 0.025, 0.02, 0.0001


def main() -> None:
    """Make the vectors of both views, or go on with it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", choices=("unseen", "seen"))
    text = parser.parse_args().text
    on_one_thread()
    if not GLOVE.exists():
        raise SystemExit(f"skipped: {GLOVE} is missing; python benchmarks/fetch_glove.py makes it")
    folder = RUNS / "vectors" / "unseen"
    folder.mkdir(parents=True, exist_ok=True)
    trained = train_vectors(SETTINGS, [shared("corpora", name) for name in TEXTS], folder, _say)
    for view, path in zip(SETTINGS.views, trained, strict=True):
        news = _made(f"news.{view}.256.npz", partial(_with_more_words, view, path))
        if text == "seen":
            _made(f"seen.{view}.256.npz", partial(_trained_further, view, news, folder))


def _say(line: str) -> None:
    print(line, flush=True)


def _made(name: str, make: Callable[[], WordVectors]) -> WordVectors:
    """The vectors of a file, which is made once."""
    path = RUNS / "vectors" / name
    if not path.exists():
        write_vectors(make(), path, "npz")
    vectors = read_vectors(path)
    _say(f"{path}: {len(vectors.words)} words")
    return vectors


def _with_more_words(view: str, trained: Path) -> WordVectors:
    """The vectors beside the project with the words that they lack."""
    vectors = add_words(
        read_vectors(shared("vectors", f"en.{view}.256.bin.gz")), read_vectors(trained), same_language=True
    )
    glove = read_vectors(GLOVE)
    if view == "uncased":
        return add_words(vectors, glove, same_language=True)
    for form, count in ((str.capitalize, len(glove.words)), (str.upper, CAPITALS)):
        rows = {form(word): row for row, word in enumerate(glove.words[:count]) if form(word) != word}
        others = WordVectors(list(rows), glove.vectors[list(rows.values())])
        vectors = add_words(vectors, others, same_language=True)
    return vectors


def _trained_further(view: str, vectors: WordVectors, folder: Path) -> WordVectors:
    """The vectors after further training on Reuters text and the text of CoNLL-2003.

    In a first pass the vectors that are there stay fixed, while the output layer and new words are learned.
    """
    texts = [folder / "work" / f"{number:05}.token.txt" for number in range(REUTERS)]
    sentences = Sentences([*texts, _conll_text(folder / "conll2003.txt")], lower=view == "uncased")
    model = Word2Vec(
        vector_size=SETTINGS.dimension,
        window=SETTINGS.window,
        negative=SETTINGS.negative,
        min_count=SETTINGS.min_count,
        sg=1,
        seed=SETTINGS.seed,
        workers=1,
    )
    model.build_vocab(sentences)
    rows = {word: row for row, word in enumerate(vectors.words)}
    words = model.wv.index_to_key
    known = np.array([word in rows for word in words])
    old = [rows[word] for word in words if word in rows]
    model.wv.vectors[known] = vectors.vectors[old]
    for epochs, first, last, fixed in (
        (1, FIXED_RATE, FIRST_RATE, known),
        (SETTINGS.passes, FIRST_RATE, LAST_RATE, np.zeros_like(known)),
    ):
        model.wv.vectors_lockf = np.where(fixed, 0, 1).astype(np.float32)
        total = model.corpus_count
        model.train(sentences, total_examples=total, epochs=epochs, start_alpha=first, end_alpha=last)
    changed = vectors.vectors.copy()
    changed[old] = model.wv.vectors[known]
    added = [word for word in words if word not in rows]
    return WordVectors([*vectors.words, *added], np.concatenate([changed, model.wv.vectors[~known]]))


def _conll_text(path: Path) -> Path:
    """The words of CoNLL-2003's three files, a sentence a line, without labels."""
    digits = digit_rule(SETTINGS.digits)
    lines = [
        " ".join(map(digits, sentence.words)) + "\n"
        for name in CONLL
        for document in conll.read(shared("data", "conll2003", name), Report())
        for sentence in document.sentences
    ]
    with write_atomically(path) as stream:
        stream.writelines(lines * REPEATED)
    return path


if __name__ == "__main__":
    as_command(main)
