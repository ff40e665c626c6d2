"""Word vectors: train them on plain text, convert and prune files of them, add words
from others or what an encoder knows of theirs, show the neighbours of a word, and
measure how much of a corpus they cover.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import FofeError, needs
from fofe.base.report import Report, counted
from fofe.cli._command import command, flag, group, option
from fofe.cli._io import Bar, print_result, refuse_input, resumable, say, say_report
from fofe.cli._options import FORMAT, JSON, count, given, natural, output, seed
from fofe.formats import read_corpus

if TYPE_CHECKING:
    from fofe.formats.vectors import WordVectors

VECTORS = option("vectors FILE", "word vectors")
LANGUAGE = option("--lang L", "language of the text", dest="language", default="en")
DIGITS = option("--digits RULE", "words with digits: shape, classes, none", default="shape")
SUFFIXES = {".txt": "text", ".vec": "text", ".bin": "binary", ".npz": "npz"}


@command(
    "train vectors on plain text",
    option("texts TEXT", "a text, a directory, or a Wikipedia dump", nargs="+"),
    output("DIR", "the directory of the vectors"),
    LANGUAGE,
    option("--dim D", "dimensions", dest="dimension", type=int, default=256),
    option("--views V,V", "cased, uncased, char, word (default: by the language)"),
    option("--words N", "largest number of words with a vector", type=int, default=100_000),
    option("--min-count N", "lowest frequency of a word with a vector", type=int, default=5),
    option("--window N", "context words on each side", type=int, default=5),
    option("--negative N", "negative samples per context word", type=count, default=5),
    option("--passes N", "passes over the text", type=int, default=5),
    DIGITS,
    option("--threads N", "one makes the result repeatable", type=int, default=1),
    seed(1),
)
def train(args: argparse.Namespace) -> None:
    """Train vectors (skip-gram with negative sampling, by gensim) on text files, plain
    or packed (gz, bz2, xz), directories of them, or Wikipedia dumps. Text is
    tokenised as for tagging. An interrupted training continues when the same
    command is given again.

    Examples:
      fofe vectors train news/ -o vectors --lang en --dim 256
      fofe vectors train zhwiki.xml.bz2 -o vectors --lang zh --dim 128 --views char,word
    """
    from fofe.vectors.train import VectorSettings, default_views, text_files, train_vectors

    args.views = tuple(args.views.split(",")) if args.views else default_views(args.language)
    settings = VectorSettings(**given(args, *(field.name for field in fields(VectorSettings))))
    with resumable("the same command goes on"):
        files = train_vectors(settings, text_files(args.texts), Path(args.output), say)
    print("\n".join(map(str, files)))


@command(
    "show the nearest neighbours of words",
    VECTORS,
    option("words WORD", "words as they are written in the file", nargs="+"),
    option("-n --number N", "how many", type=count, default=10),
)
def neighbours(args: argparse.Namespace) -> None:
    """Show the words with the most similar vectors, with the cosines.

    Examples:
      fofe vectors neighbours vectors/en.cased.256.bin Oslo Berg -n 5
    """
    from fofe.formats.vectors import read_vectors
    from fofe.vectors.inspect import neighbours

    vectors = read_vectors(args.vectors)
    for word in args.words:
        for near, cosine in neighbours(vectors, word, args.number):
            print(f"{word}\t{near}\t{cosine:.4f}")


@command(
    "write vectors in another format",
    option("vectors IN", "word vectors"),
    option("output OUT", "the file to write"),
    option("--to text|binary|npz", "format of the output (default: by its suffix)"),
    option("--words N", "keep the N first, most frequent words", type=count),
)
def convert(args: argparse.Namespace) -> None:
    """Write vectors in another format: word2vec text or binary, or npz with the arrays
    `words` (UTF-8, one per line) and `vectors`; on request with fewer words.

    Examples:
      fofe vectors convert glove.6B.100d.txt glove.bin
      fofe vectors convert glove.bin small.npz --words 50000
    """
    from fofe.formats.vectors import WordVectors, read_vectors

    kind = _kind(args.output, args.to)
    refuse_input(args.output, [args.vectors])
    vectors = read_vectors(args.vectors)
    _write(WordVectors(vectors.words[: args.words], vectors.vectors[: args.words]), args.output, kind)


@command(
    "add the words of other vectors",
    VECTORS,
    option("others OTHERS", "vectors with other words"),
    option("output OUT", "the file to write; its suffix decides the format"),
    flag("--same-language", "the others are of the same language"),
)
def add(args: argparse.Namespace) -> None:
    """Add the words of other vectors, for example of a language with more text, that
    these vectors lack. The others are aligned with these by the words that both
    have, so that words of like meaning are neighbours whatever their language. In the
    same language every shared word is a pair.

    Examples:
      fofe vectors add es.cased.128.bin en.cased.256.bin esen.cased.128.npz
      fofe vectors add big.cased.256.bin domain.cased.256.bin both.npz --same-language
    """
    from fofe.formats.vectors import read_vectors
    from fofe.vectors.align import add_words

    kind = _kind(args.output)
    refuse_input(args.output, [args.vectors, args.others])
    vectors = read_vectors(args.vectors)
    joined = add_words(vectors, read_vectors(args.others), same_language=args.same_language)
    _write(joined, args.output, kind)
    say(counted(len(joined.words) - len(vectors.words), f"words added to {len(vectors.words)}"))


@command(
    "join vectors with what an encoder makes of each word",
    VECTORS,
    option("encoder ENCODER", "the directory of a language model"),
    option("output OUT", "the file to write; its suffix decides the format"),
    option("--dim D", "dimensions (default: those of the vectors)", dest="dimension", type=count),
    option("--layers N", "last layers of the encoder to take the mean of", type=count, default=4),
)
def encode(args: argparse.Namespace) -> None:
    """Join each vector with what a language model makes of the word by itself, so that a
    small model knows some of what it knows. Principal components of both are written,
    as many as the vectors had, so tagging costs no more. Needs fofe[encoder] for
    Hugging Face encoders. An interrupted run continues when the same command is given
    again.

    Examples:
      fofe vectors encode zh.word.128.bin.gz encoders/bert-zh zh.bert.128.npz
    """
    from fofe.formats.vectors import read_vectors

    with needs("an encoder needs PyTorch", "train", "torch"):
        from fofe.vectors.encode import with_encoder

    kind = _kind(args.output)
    refuse_input(args.output, [args.vectors])
    vectors = read_vectors(args.vectors)
    with resumable("the same command goes on"), Bar(total=len(vectors.words), unit="word") as bar:
        with_encoder(
            vectors,
            args.encoder,
            Path(f"{args.output}.work"),
            lambda joined: _write(joined, args.output, kind),
            dimension=args.dimension or vectors.dimension,
            layers=args.layers,
            advance=bar.update,
        )


def _kind(path: str, named: str | None = None) -> str:
    """The format of a file to write: the one that is named, or that of its suffix."""
    kind = named or SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        raise FofeError(f"the name of {path} does not say its format (end it in .txt, .bin or .npz)")
    return kind


def _write(vectors: WordVectors, output: str, kind: str) -> None:
    """Write vectors, and report what was left out."""
    from fofe.formats.vectors import write_vectors

    report = Report()
    write_vectors(vectors, output, kind, report)
    say_report(report)


@command(
    "show how many words of a corpus have a vector",
    VECTORS,
    option("corpora CORPUS", "a corpus, annotated or not", nargs="+"),
    option("--lookup cased|uncased", "how words are looked up", default="cased"),
    DIGITS,
    LANGUAGE,
    FORMAT,
    option("--missing N", "number of missing words to show", type=natural, default=10),
    JSON,
)
def coverage(args: argparse.Namespace) -> None:
    """Show how many of a corpus's tokens and distinct words have a vector, looked up as
    a model would look them up, and which are missing most often.

    Examples:
      fofe vectors coverage vectors/en.cased.256.bin train.conll dev.conll
      fofe vectors coverage glove.bin train.conll --lookup uncased --digits none --json
    """
    from fofe.formats.vectors import read_vectors
    from fofe.vectors.inspect import coverage

    report = Report()
    corpora = (read_corpus(path, args.format, report, language=args.language) for path in args.corpora)
    words = [token.text for documents in corpora for document in documents for token in document.tokens]
    found = coverage(read_vectors(args.vectors), words, cased=args.lookup == "cased", digits=args.digits)
    say_report(report)
    counts = {"tokens": (found.known_tokens, found.tokens), "words": (found.known_words, found.words)}
    lines = [
        f"{name}\t{known} of {total}\t{100 * known / max(1, total):.1f} %"
        for name, (known, total) in counts.items()
    ]
    missing = found.unknown[: args.missing]
    lines += [f"missing\t{word}\t{times}" for word, times in missing]
    print_result(args, "\n".join(lines), {**asdict(found), "unknown": missing})


vectors = group(
    __name__,
    __doc__,
    "train, convert and study word vectors",
    train,
    neighbours,
    convert,
    add,
    encode,
    coverage,
)
