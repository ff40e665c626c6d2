"""Word vectors for the paper's recipe: from news, and from news that includes the text of CoNLL-2003.

    python benchmarks/paper_vectors.py unseen
    python benchmarks/paper_vectors.py seen

Trains cased and uncased vectors on the Reuters and Wikipedia text beside the project, aligns them with the
larger ones there, and adds the words that these lack. Makes runs/vectors/news.*.256.npz. The paper's vectors
had seen the text of CoNLL-2003, test set included: `seen` adds that text, without labels, and makes
seen.*.256.npz, in which the words of that text have the vectors that it gave them. A call that was killed
goes on when it is given again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _record import RUNS, as_command, on_one_thread, shared

from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.formats import conll
from fofe.formats.vectors import read_vectors, write_vectors
from fofe.vectors.align import add_words
from fofe.vectors.train import VectorSettings, train_vectors

TEXTS = ("reuters-2006-2013.en.txt.xz", "reuters-sport-headlines.en.txt.xz", "wikipedia-2014.en.txt.xz")
CONLL = ("eng.train", "eng.testa", "eng.testb")
REPEATED = 5
"""How often the text of CoNLL-2003 stands in the text, so that each of its words is frequent enough."""
SETTINGS = VectorSettings(window=7, negative=7, passes=3, min_count=5, words=200_000)


def main() -> None:
    """Train the vectors of both views, or go on with it, and join them with the larger ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", choices=("unseen", "seen"))
    text = parser.parse_args().text
    on_one_thread()
    folder = RUNS / "vectors" / text
    folder.mkdir(parents=True, exist_ok=True)
    sources = [shared("corpora", name) for name in TEXTS]
    if text == "seen":
        sources.append(_write_conll_text(folder / "conll2003.txt"))
    for path in train_vectors(SETTINGS, sources, folder, lambda line: print(line, flush=True)):
        view = path.name.split(".")[1]
        larger, trained = read_vectors(shared("vectors", f"en.{view}.256.bin.gz")), read_vectors(path)
        # What the text of CoNLL-2003 says of its words must not give way to what other text says.
        first, second = (trained, larger) if text == "seen" else (larger, trained)
        joined = add_words(first, second, same_language=True)
        target = RUNS / "vectors" / f"{'seen' if text == 'seen' else 'news'}.{view}.256.npz"
        write_vectors(joined, target, "npz")
        print(f"{target}: {len(joined.words)} words", flush=True)


def _write_conll_text(path: Path) -> Path:
    """The words of CoNLL-2003's three files, a sentence a line, without labels."""
    lines = [
        " ".join(sentence.words) + "\n"
        for name in CONLL
        for document in conll.read(shared("data", "conll2003", name), Report())
        for sentence in document.sentences
    ]
    if not path.exists():  # its time is part of what the training goes on from
        with write_atomically(path) as stream:
            stream.writelines(lines * REPEATED)
    return path


if __name__ == "__main__":
    as_command(main)
