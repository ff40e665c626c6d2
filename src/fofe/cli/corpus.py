"""Work with annotated corpora."""

import argparse
from itertools import chain
from pathlib import Path

from fofe.base.errors import FofeError, InputError
from fofe.base.files import STANDARD
from fofe.base.report import Report
from fofe.cli._command import command, flag, group, option
from fofe.cli._io import Bar, files_read, no_document, print_result, refuse_input, say_report
from fofe.cli._options import FORMAT, JSON, MASTER, READING, WORKERS, given, output, reading_options
from fofe.formats import corpus_files, guess_format, read_corpus, write_corpus

A_CORPUS = "a file, a directory, a quoted pattern, or - for stdin"


@command(
    "examine a corpus before training on it",
    option("corpus CORPUS", A_CORPUS),
    FORMAT,
    option("--max-words N", "longest fragment of the model, in words", type=int, default=7),
    JSON,
    READING,
)
def check(args: argparse.Namespace) -> None:
    """Examine a corpus: its size and labels, how deep mentions nest, strings with
    several labels, mentions that a model of at most N words cannot find, sentences
    that occur twice, and what the reader had to mend.

    Examples:
      fofe corpus check train.conll
      fofe corpus check 'corpus/*.jsonl' --max-words 10
      fofe corpus check annotated/ --lang en --json
    """
    from fofe.evaluate.check import check_corpus, describe

    report = Report()
    options = {"language": "en", **reading_options(args)}
    documents = read_corpus(args.corpus, args.format, report, **options)
    result = check_corpus(documents, max_words=args.max_words, report=report)
    if not result.documents:
        say_report(report, args.corpus)
        raise no_document(args.corpus)
    reading = {"facts": report.facts, "remarks": dict(report.counts)}
    print_result(args, describe(result, report), {**result.as_dict(), "reading": reading})


@command(
    "convert a corpus between formats",
    option("source IN", A_CORPUS),
    option("target OUT", "a file, a directory for brat, or - for stdout"),
    option("--from F", "format of IN (default: recognised)", dest="source_format"),
    option("--to F", "format of OUT (default: by its suffix)", dest="target_format"),
    option(
        "--tag-scheme S",
        "tag scheme of CoNLL output (default: that of a suffix as .bioes, else IOB2)",
        dest="scheme",
    ),
    option("--spans characters|tokens", "unit of spans in JSONL (default: characters)"),
    READING,
)
def convert(args: argparse.Namespace) -> None:
    """Convert a corpus between formats: conll, jsonl, brat, spacy (DocBin),
    hugging-face, prodigy, gliner, label-studio and doccano. At the end, the command
    reports what had to be mended in the input and what the new format cannot
    express, with counts.

    Examples:
      fofe corpus convert eng.train train.jsonl --from conll
      fofe corpus convert news.jsonl news.conll --tag-scheme BIOES
      fofe corpus convert annotated/ corpus.jsonl              (a directory of brat files)
      fofe corpus convert annotated/ corpus.conll --lang es    (brat has no tokens: tokenise)
      fofe corpus convert zh.iob2 zh.jsonl --token-column 1 --tag-column 2
      fofe corpus convert project.json corpus.jsonl --from label-studio
      fofe corpus convert news.jsonl train.spacy --lang en
      fofe corpus convert news.jsonl gliner.json --to gliner --lang en
      fofe corpus convert train.parquet train.jsonl            (a data set of Hugging Face)
      cat news.conll | fofe corpus convert - - --from conll --to jsonl
    """
    files = list(corpus_files(args.source, args.source_format, Report()))
    if not files:
        raise no_document(args.source)
    refuse_input(args.target, chain([args.source], (file for one in files for file in files_read(*one))))
    _check_writing(args)
    report = Report()
    documents = read_corpus(args.source, args.source_format, report, **reading_options(args))
    write_corpus(documents, args.target, args.target_format, report, **given(args, "scheme", "spans"))
    say_report(report)


def _check_writing(args: argparse.Namespace) -> None:
    """Refuse options of another format than that of the output."""
    format = args.target_format or ("" if args.target == STANDARD else guess_format(args.target))
    for name, value, of in (("--tag-scheme", args.scheme, "conll"), ("--spans", args.spans, "jsonl")):
        if value is not None and format not in ("", of):
            raise FofeError(f"{name} is for {of} output, not for {format} (leave it out)")


@command(
    "make a weakly labelled corpus from Wikipedia",
    option("dumps DUMP", "MediaWiki XML, plain or .bz2, .gz, .xz", nargs="+"),
    output("OUT", "where to write"),
    option("--types TABLE", "tables with the classes of pages", nargs="+", default=[]),
    option("--mapping FILE", "TOML file from classes to types"),
    option("--lang L", "language (default: that of the dump)", default=""),
    flag("--repeats", "also label later plain mentions of linked names, and of the page's title"),
    option("--engine processes|spark", "processes on this machine, or Apache Spark", default="processes"),
    MASTER,
    WORKERS,
    option("--work DIR", "directory of unfinished parts (default: OUT.work)"),
    JSON,
)
def wiki(args: argparse.Namespace) -> None:
    """Make a corpus from a Wikipedia dump, to train on beside annotated text. Links become
    mentions of the type of the page that they lead to. The class of a page follows
    from its infobox, categories, first sentence and title, and from the tables given:
    Wikidata's JSON, or lines `title<TAB>class`. A mapping gives the type of each
    class. Everything but the links is marked as unknown, except words that are
    safely no names.

    A job that was killed continues when the same command is given again.

    Examples:
      fofe corpus wiki dump.xml.bz2 -o weak.jsonl
      fofe corpus wiki dump.xml.bz2 --types classes.tsv.xz --repeats --workers 4 -o weak.jsonl
      fofe corpus wiki eswiki.xml.bz2 --mapping mine.toml -o weak.es.jsonl
      fofe corpus wiki enwiki-1.xml.bz2 enwiki-2.xml.bz2 --engine spark --master local[8] -o weak.parquet
    """
    from fofe.wiki.job import LabelSettings, label_dump

    if args.engine == "spark" and args.workers > 1:
        raise FofeError("--engine spark shares work by --master, not --workers")
    if args.engine != "spark" and args.master:
        raise FofeError("--master goes with --engine spark (leave it out)")
    if "://" not in args.output and not Path(args.output).absolute().parent.is_dir():
        raise InputError("cannot be written: its directory does not exist", path=args.output)
    refuse_input(args.output, [*args.dumps, *args.types, args.mapping])
    settings = LabelSettings(tuple(args.dumps), tuple(args.types), args.lang, args.mapping, args.repeats)
    folder = Path(args.work or f"{args.output.rstrip('/')}.work")
    if folder.resolve() in Path(args.output).resolve().parents:
        problem = "would hold the output, and is removed at the end"
        raise InputError(problem, path=folder, remedy="name another")
    if args.engine == "spark":
        from fofe import spark

        report = spark.label_dump(spark.make_session(args.master), settings, args.output, folder)
    else:
        with Bar(unit=" parts") as bar:
            report = label_dump(settings, args.output, folder, workers=args.workers, watch=bar.reach)
    text = "\n".join(f"{times} {what}" for what, times in sorted(report.totals.items()))
    data = {"counts": report.totals, "dropped": report.counts, "places": report.places}
    print_result(args, text, data)
    if not args.json:
        say_report(report)


corpus = group(
    __name__, __doc__, "check and convert corpora, or make one from Wikipedia", check, convert, wiki
)
