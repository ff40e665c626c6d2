"""`fofe vectors`: make word vectors, convert them, and look into them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.cli import INTERRUPTED
from fofe.cli._arguments import count, natural
from fofe.cli._outputs import refuse_input

if TYPE_CHECKING:
    from fofe.formats.vectors import WordVectors

DESCRIPTION = """\
Word vectors: train them on plain text, convert and prune files of them, add
those of another language, show the neighbours of a word, and tell how much of
a corpus they know.
"""

EXAMPLES = """\
examples:
  fofe vectors train news/ wiki.xml.bz2 -o vectors --lang en --dim 256
  fofe vectors neighbours vectors/en.cased.256.bin Oslo
  fofe vectors convert vectors/en.cased.256.bin small.txt --words 50000
  fofe vectors coverage vectors/en.cased.256.bin train.conll
"""

TRAIN = """\
Train vectors (skip-gram with negative sampling, by gensim) on text files, plain
or packed (gz, bz2, xz), directories of them, or Wikipedia dumps. Text is cut
into words as the tagger cuts it. Given again, the command goes on where it was.
"""

TRAIN_EXAMPLES = """\
examples:
  fofe vectors train news/ -o vectors --lang en --dim 256
  fofe vectors train zhwiki.xml.bz2 -o vectors --lang zh --dim 128 --views char,word
"""

NEIGHBOURS = "Show the words whose vectors point most nearly the same way, with the cosines."

NEIGHBOURS_EXAMPLES = """\
examples:
  fofe vectors neighbours vectors/en.cased.256.bin Oslo Berg -n 5
"""

CONVERT = """\
Write vectors in another format: word2vec text or binary, or npz with the arrays
`words` (UTF-8, a line each) and `vectors`; all of them with fewer words, if told.
"""

CONVERT_EXAMPLES = """\
examples:
  fofe vectors convert glove.6B.100d.txt glove.bin
  fofe vectors convert glove.bin small.npz --words 50000
"""

ADD = """\
Add the words of other vectors, of a language with more text say, that these
vectors lack. The others are brought into the space of these by the words that
both have, so that words of like meaning lie together whatever their language.
"""

ADD_EXAMPLES = """\
examples:
  fofe vectors add es.cased.128.bin en.cased.256.bin esen.cased.128.npz
"""

COVERAGE = """\
Tell how many of a corpus's tokens and distinct words have a vector, looked up as
a model would look them up, and which are missing most often.
"""

COVERAGE_EXAMPLES = """\
examples:
  fofe vectors coverage vectors/en.cased.256.bin train.conll dev.conll
  fofe vectors coverage glove.bin train.conll --lookup uncased --digits none --json
"""

SUFFIXES = {".txt": "text", ".vec": "text", ".bin": "binary", ".npz": "npz"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its actions."""
    parser = subparsers.add_parser(
        "vectors",
        help="train, convert and study word vectors",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_train(actions)
    near = _action(actions, "neighbours", "show the neighbours of words", NEIGHBOURS, NEIGHBOURS_EXAMPLES)
    near.add_argument("vectors", metavar="FILE", help="word vectors")
    near.add_argument("words", nargs="+", metavar="WORD", help="words as they stand in the file")
    near.add_argument("-n", "--number", type=count, default=10, help="how many (default: 10)")
    near.set_defaults(run=run_neighbours)
    convert = _action(actions, "convert", "write vectors in another format", CONVERT, CONVERT_EXAMPLES)
    convert.add_argument("vectors", metavar="IN", help="word vectors")
    convert.add_argument("output", metavar="OUT", help="the file to write")
    convert.add_argument(
        "--to", choices=("text", "binary", "npz"), help="format of the output (default: by its suffix)"
    )
    convert.add_argument("--words", type=count, metavar="N", help="keep the N first, most frequent words")
    convert.set_defaults(run=run_convert)
    add = _action(actions, "add", "add the words of another language", ADD, ADD_EXAMPLES)
    add.add_argument("vectors", metavar="FILE", help="word vectors")
    add.add_argument("others", metavar="OTHERS", help="those of the other language")
    add.add_argument("output", metavar="OUT", help="the file to write, with a suffix that tells its format")
    add.set_defaults(run=run_add)
    cover = _action(actions, "coverage", "tell how much of a corpus is known", COVERAGE, COVERAGE_EXAMPLES)
    cover.add_argument("vectors", metavar="FILE", help="word vectors")
    cover.add_argument("corpora", nargs="+", metavar="CORPUS", help="a corpus, annotated or not")
    cover.add_argument(
        "--lookup",
        choices=("cased", "uncased"),
        default="cased",
        help="how words are looked up (default: cased)",
    )
    _add_digits(cover)
    cover.add_argument(
        "--lang", default="en", metavar="L", help="language of text without tokens (default: en)"
    )
    cover.add_argument("--format", help="the format of the corpora (default: recognised)")
    cover.add_argument(
        "--missing", type=natural, default=10, metavar="N", help="missing words to show (default: 10)"
    )
    cover.add_argument("--json", action="store_true", help="print JSON")
    cover.set_defaults(run=run_coverage)


def _add_digits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--digits",
        default="shape",
        metavar="RULE",
        help="what words with digits become: shape, classes, none (default: shape)",
    )


def _add_train(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    train = _action(actions, "train", "train vectors on plain text", TRAIN, TRAIN_EXAMPLES)
    train.add_argument("texts", nargs="+", metavar="TEXT", help="a text, a directory, or a Wikipedia dump")
    train.add_argument("-o", "--output", required=True, metavar="DIR", help="the directory of the vectors")
    train.add_argument("--lang", default="en", metavar="L", help="language of the text (default: en)")
    train.add_argument("--dim", type=int, default=256, metavar="D", help="dimensions (default: 256)")
    train.add_argument(
        "--views",
        metavar="V,V",
        help="cased, uncased, char, word (default: cased,uncased; for Chinese char,word)",
    )
    train.add_argument(
        "--words",
        type=int,
        default=100_000,
        metavar="N",
        help="at most so many words get a vector (default: 100000)",
    )
    train.add_argument(
        "--min-count",
        type=int,
        default=5,
        metavar="N",
        help="how often a word must occur to get one (default: 5)",
    )
    train.add_argument(
        "--window",
        type=int,
        default=5,
        metavar="N",
        help="words on each side that a word shall predict (default: 5)",
    )
    train.add_argument(
        "--negative", type=count, default=5, metavar="N", help="words drawn against each of them (default: 5)"
    )
    train.add_argument("--passes", type=int, default=5, metavar="N", help="passes over the text (default: 5)")
    _add_digits(train)
    train.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="threads of gensim; with one the result is always the same (default: 1)",
    )
    train.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="of all that is random (default: 1)"
    )
    train.set_defaults(run=run_train)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help: str,
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    return actions.add_parser(
        name,
        help=help,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run_train(args: argparse.Namespace) -> int:
    """Train to the end; print the files."""
    from fofe.vectors.plain_text import text_files
    from fofe.vectors.train import VectorSettings, default_views, train_vectors

    views = tuple(args.views.split(",")) if args.views else default_views(args.lang)
    settings = VectorSettings(
        language=args.lang,
        dimension=args.dim,
        views=views,
        window=args.window,
        negative=args.negative,
        min_count=args.min_count,
        passes=args.passes,
        words=args.words,
        digits=args.digits,
        seed=args.seed,
        threads=args.threads,
    )
    try:
        files = train_vectors(settings, text_files(args.texts), Path(args.output), _say)
    except KeyboardInterrupt:
        print("\nfofe: interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    print("\n".join(map(str, files)))
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def run_neighbours(args: argparse.Namespace) -> int:
    """Print the neighbours of each word."""
    from fofe.formats.vectors import read_vectors
    from fofe.vectors.study import neighbours

    vectors = read_vectors(args.vectors)
    for word in args.words:
        for near, cosine in neighbours(vectors, word, args.number):
            print(f"{word}\t{near}\t{cosine:.4f}")
    return 0


def run_convert(args: argparse.Namespace) -> int:
    """Write the vectors."""
    from fofe.base.errors import FofeError
    from fofe.formats.vectors import WordVectors, read_vectors

    kind = args.to or SUFFIXES.get(Path(args.output).suffix.lower())
    if kind is None:
        raise FofeError(f"what {args.output} shall be is not clear (add --to text, binary or npz)")
    refuse_input(args.output, [args.vectors])
    vectors = read_vectors(args.vectors)
    _write(WordVectors(vectors.words[: args.words], vectors.vectors[: args.words]), args.output, kind)
    return 0


def run_add(args: argparse.Namespace) -> int:
    """Write the vectors with those of the other language."""
    from fofe.base.errors import FofeError
    from fofe.formats.vectors import read_vectors
    from fofe.vectors.align import added

    kind = SUFFIXES.get(Path(args.output).suffix.lower())
    if kind is None:
        raise FofeError(f"the name of {args.output} does not tell its format (end it in .bin, .txt or .npz)")
    refuse_input(args.output, [args.vectors, args.others])
    vectors = read_vectors(args.vectors)
    joined = added(vectors, read_vectors(args.others))
    _write(joined, args.output, kind)
    _say(f"{len(joined.words) - len(vectors.words)} words added to {len(vectors.words)}")
    return 0


def _write(vectors: WordVectors, output: str, kind: str) -> None:
    """Write vectors, and tell what was left out."""
    from fofe.base.report import Report
    from fofe.formats.vectors import write_vectors

    report = Report()
    write_vectors(vectors, output, kind, report)
    for line in report.lines():
        _say(line)


def run_coverage(args: argparse.Namespace) -> int:
    """Print what share of the corpora is known."""
    from dataclasses import asdict

    from fofe.base.report import Report
    from fofe.formats import read_corpus
    from fofe.formats.vectors import read_vectors
    from fofe.vectors.study import coverage

    report = Report()
    words = [
        token.text
        for path in args.corpora
        for document in read_corpus(path, args.format, report, language=args.lang)
        for token in document.tokens
    ]
    found = coverage(read_vectors(args.vectors), words, cased=args.lookup == "cased", digits=args.digits)
    for line in report.lines():
        _say(line)
    if args.json:
        print(json.dumps({**asdict(found), "unknown": found.unknown[: args.missing]}, ensure_ascii=False))
        return 0
    for name, known, total in (
        ("tokens", found.known_tokens, found.tokens),
        ("words", found.known_words, found.words),
    ):
        print(f"{name}\t{known} of {total}\t{100 * known / max(1, total):.1f} %")
    for word, times in found.unknown[: args.missing]:
        print(f"missing\t{word}\t{times}")
    return 0
