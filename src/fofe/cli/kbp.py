"""Entity discovery as in TAC-KBP: source documents in, mentions as .tab files out, in
several languages, scored as the track scores.
"""

import argparse
from collections.abc import Sequence

from fofe.base.errors import FofeError, InputError
from fofe.base.journal import Journal
from fofe.base.report import Report, counted
from fofe.cli import PARTIAL
from fofe.cli._command import USAGE_ERROR, command, flag, group, one_of, option, repeated, titled
from fofe.cli._io import Bar, print_result, refuse_input, resumable, say, say_report
from fofe.cli._options import (
    A_MODEL,
    AGREEMENT,
    JSON,
    RULES,
    SCHEME,
    THRESHOLD,
    WORKERS,
    decoding_options,
    output,
    rules_and_inputs,
)
from fofe.kbp.entities import Titles
from fofe.kbp.source import Reading, language_code, read_all, source_files
from fofe.kbp.tab import problems, read_tab, write_tab
from fofe.tagging.installed import model_path

SOURCES = "source documents or LTF, or directories of them"
DOCUMENTS = option("documents DOCS", SOURCES, nargs="+")
TOKENS = option("--tokens own|ldc", "tokens of LTF documents: our own, or those of the file", default="own")
READING = titled(
    "reading",
    flag("--quotes", "treat quoted text as part of a document"),
    option(
        "--offsets-from tag|file",
        "where offsets start: at the document's tag, or at the file with its <?xml ...?>",
        default="tag",
    ),
)


def _reading(args: argparse.Namespace) -> Reading:
    ltf_tokens = getattr(args, "tokens", "own") == "ldc"
    return Reading(args.quotes, from_file=args.offsets_from == "file", ltf_tokens=ltf_tokens)


def _finish(report: Report, bad: Sequence[InputError] = (), done: int = 0) -> int:
    """Print the report and the documents that could not be read; returns the exit code."""
    say_report(report)
    for error in bad:
        say(str(error))
    if bad:
        say(f"{counted(len(bad), 'documents left out because of errors')}; {done} done")
        return PARTIAL if done else USAGE_ERROR
    return 0


@command(
    "find mentions in source documents",
    option("documents DOCS", SOURCES, nargs="*"),
    repeated(
        "-m --model LANG=MODEL", f"the model of a language (eng, cmn, spa ...): {A_MODEL}", required=True
    ),
    output("FILE", "the .tab file"),
    flag("--resume", "continue an interrupted run"),
    option("--run-id ID", "the first column", default="fofe"),
    option("--kb TITLES", "link names to this table: id, title, frequency, aliases, with tabs between"),
    option("--lang L", "the language of all documents (default: recognised for each)"),
    WORKERS,
    RULES,
    THRESHOLD,
    AGREEMENT,
    SCHEME,
    TOKENS,
    READING,
)
def tag(args: argparse.Namespace) -> int:
    """Find the mentions of source documents, each with the model of its language, and
    the authors of posts. The language follows from the document's id, else from its
    text. Names of one entity share an id: a KB id of --kb, else a NIL id. An
    interrupted run continues with --resume. A document that cannot be read is
    reported and skipped, and the exit code is 1.

    Examples:
      fofe kbp tag --model eng=en --model cmn=zh source/ -o run.tab
      fofe kbp tag --model eng=en --kb titles.tsv source/ -o run.tab
      fofe kbp tag --model eng=runs/news/model --workers 4 source/ -o run.tab --resume
      fofe kbp tag --model spa=es --lang spa a.xml b.xml -o run.tab
      fofe kbp tag --model eng=en source/ --rules titles.toml -o run.tab
    """
    from fofe.kbp.tag import SourceTagging, tag_files
    from fofe.tagging.rules import Rules

    rules, documents = rules_and_inputs(args, args.documents)
    if not documents:
        raise FofeError(f"give {SOURCES}")
    how = SourceTagging(
        models=_models(args.model),
        reading=_reading(args),
        language=None if args.lang is None else language_code(args.lang),
        options={**decoding_options(args), "rules": Rules.of(*rules).rule},
    )
    report = Report()
    bad: list[InputError] = []
    files = source_files(documents, report)
    refuse_input(args.output, [*files, *rules, args.kb])
    titles = Titles.read(args.kb) if args.kb else None
    for line in how.missing_types():
        say(line)
    with (
        resumable("give the same command with --resume to go on"),
        Journal(f"{args.output}.work", how.fingerprint(), resume=args.resume) as journal,
        Bar(total=sum(file.stat().st_size for file in files), unit="B", unit_scale=True) as bar,
    ):
        options = {"run": args.run_id, "titles": titles, "workers": args.workers}
        mentions, done = tag_files(how, files, journal, report, bad, **options, watch=bar.update)
        write_tab(mentions, args.output)
        journal.remove()
    return _finish(report, bad, done)


def _models(arguments: Sequence[str]) -> dict[str, str]:
    """The model directories by language, from arguments like `eng=en`."""
    models: dict[str, str] = {}
    for argument in arguments:
        language, separator, model = argument.partition("=")
        if not separator or not model:
            raise FofeError(f"--model {argument} is not LANG=MODEL (for example eng={argument})")
        if language_code(language) in models:
            raise FofeError(f"there are two models for {language} (make one of them by fofe model average)")
        models[language_code(language)] = model
    return {language: str(model_path(model)) for language, model in models.items()}


@command(
    "score runs by language and kind",
    option("gold GOLD", "the gold .tab file"),
    option("runs RUN", "the .tab files of runs", nargs="+"),
    JSON,
)
def score(args: argparse.Namespace) -> int:
    """Score mentions as the entity discovery track does, by three measures of neleval:
    the same span and type, the same span without a KB id, and the same entities. For
    names, for nominals, and for both regardless of kind. The language of a document
    follows from its id.

    Examples:
      fofe kbp score gold.tab run.tab
      fofe kbp score gold.tab run1.tab run2.tab --json
    """
    from fofe.kbp.score import MEASURES, layout, score

    report = Report()
    gold = read_tab(args.gold, report)
    runs = {path: read_tab(path, report) for path in args.runs}
    tables = {
        path: {name: score(gold, run, measure=measure) for name, measure in MEASURES.items()}
        for path, run in runs.items()
    }
    texts = (
        "\n\n".join([path, *(f"{name}\n{layout(table)}" for name, table in by_measure.items())])
        for path, by_measure in tables.items()
    )
    print_result(args, "\n\n".join(texts), tables)
    return _finish(report)


@command(
    "check mentions against the source documents",
    option("tab TAB", "a .tab file"),
    DOCUMENTS,
    READING,
)
def check(args: argparse.Namespace) -> int:
    """Check that every mention string of a .tab file equals the text of the source
    documents at its offsets, and that no mention id is used twice.

    Examples:
      fofe kbp check run.tab source/
      fofe kbp check gold.tab a.xml b.xml --offsets-from file
    """
    report = Report()
    bad: list[InputError] = []
    mentions = read_tab(args.tab, report)
    files = source_files(args.documents, report)
    sources = {source.id: source for source in read_all(files, _reading(args), report, bad)}
    found = list(problems(mentions, sources))
    for problem in found:
        print(problem)
    print(f"{counted(len(mentions), 'mentions')}, {counted(len(found), 'problems')}")
    return _finish(report, bad, len(sources)) or (PARTIAL if found else 0)


@command(
    "convert documents and gold mentions into training data, and back",
    DOCUMENTS,
    one_of(
        option("--gold TAB", "the gold mentions of the documents"),
        option("--corpus JSONL", "the corpus that was made from the documents"),
        required=True,
    ),
    output("FILE", "the corpus (jsonl, conll, brat), or the .tab file"),
    option("--lang L", "only documents in this language: eng, cmn, spa"),
    option("--run-id ID", "run id of mentions that have none", default="fofe"),
    TOKENS,
    READING,
)
def convert(args: argparse.Namespace) -> int:
    """Turn source documents and their gold mentions (--gold) into a corpus to train
    on, or such a corpus (--corpus) with the same documents into gold mentions. A
    mention whose string is not that of the document is left out and reported: fofe
    kbp check lists all of them.

    Examples:
      fofe kbp convert source/ --gold gold.tab -o train.jsonl
      fofe kbp convert source/ --gold gold.tab --lang spa -o spanish.jsonl
      fofe kbp convert source/ --corpus train.jsonl -o gold.tab
    """
    from fofe.kbp.convert import KEPT_MENTIONS, MENTIONS, corpus_to_gold, gold_to_corpus, in_language

    report = Report()
    bad: list[InputError] = []
    files = source_files(args.documents, report)
    refuse_input(args.output, [*files, args.gold, args.corpus])
    sources = read_all(files, _reading(args), report, bad)
    if args.lang is not None:
        sources = in_language(sources, args.lang, report)
    if args.gold:
        done, others = gold_to_corpus(sources, args.gold, args.output, report)
        if gold := report.totals[MENTIONS]:
            kept = report.totals[KEPT_MENTIONS]
            say(f"{kept} of {gold} gold mentions kept ({100 * kept / gold:.2f} %)")
        if args.lang is None:
            for id, mentions in others.items():
                report.note(f"documents of the gold not given ({counted(len(mentions), 'mentions')})", id)
    else:
        done = corpus_to_gold(sources, args.corpus, args.output, report, bad, run=args.run_id)
    return _finish(report, bad, done)


kbp = group(__name__, __doc__, "entity discovery from source documents to scores", tag, score, check, convert)
