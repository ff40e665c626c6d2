"""`fofe suggest`: the sentences most worth annotating."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.report import Report, counted
from fofe.cli._command import command, option, repeated
from fofe.cli._io import files_read, refuse_corpus, refuse_input, say, say_report
from fofe.cli._options import A_MODEL, AS, count, output
from fofe.cli.tag import INPUT_FORMATS
from fofe.formats import format_function, read_corpus, with_tokens, write_corpus
from fofe.tagging.installed import model_path
from fofe.text.document import Document

LABEL_STUDIO = "label-studio"
FORMATS_OF_SUFFIXES = {"": LABEL_STUDIO, ".json": LABEL_STUDIO, ".jsonl": "jsonl", ".ndjson": "jsonl"}


@command(
    "choose the sentences most worth annotating",
    option("inputs CORPUS", "plain text, or corpora whose annotation is ignored", nargs="+"),
    option("-m --model MODEL", A_MODEL, required=True),
    output("FILE", "the chosen sentences with the model's mentions"),
    option("-n --number N", "how many sentences to choose", type=count, default=50),
    option("--to F", "format of FILE, such as doccano (default: label-studio for .json, jsonl for .jsonl)"),
    repeated("--done CORPUS", "leave out the sentences of this corpus, which are annotated"),
    option("--done-format F", "format of --done (default: recognised)"),
    AS,
    option(f"--input {INPUT_FORMATS}", "format of the input (default: by the file's suffix, else text)"),
    option("--unit line|file", "what a plain-text document is", default="line"),
    option("--text-column C", "column of the texts in csv and tsv input (default: text)"),
)
def suggest(args: argparse.Namespace) -> None:
    """Choose the sentences of a text that a model would learn most from: those that it
    is unsure about, each in another way. They are written with what the model finds,
    to be corrected in a tool for annotation. Give what was annotated before with
    --done; with --as, only the labels of that training corpus count.

    Examples:
      fofe suggest news.txt -m en -n 50 -o tasks.json
      fofe suggest news.txt -m runs/mine/model --as data --to doccano -o tasks.jsonl
      fofe suggest news.txt -m runs/mine/model --done train.jsonl -o more.json
    """
    from fofe.evaluate.corpus_labels import trained_scheme
    from fofe.evaluate.suggest import suggest
    from fofe.tagging.model import load
    from fofe.tagging.sources import find_sources, inputs

    format = args.to or FORMATS_OF_SUFFIXES.get(Path(args.output).suffix.lower())
    if format is None:
        remedy = "call it .json or .jsonl, or name a format with --to"
        raise InputError("has a suffix that names no format", path=args.output, remedy=remedy)
    format_function(format, "write")  # an error now, not after the work
    report = Report()
    sources = find_sources(args.inputs, args.input, args.unit, report, args.text_column)
    refuse_input(args.output, (file for source in sources for file in files_read(source.path, source.kind)))
    refuse_corpus(args.output, args.done, args.done_format)
    model = load(model_path(args.model))
    language = model.config.language
    done = {
        document.text[sentence.start : sentence.end]
        for path in args.done
        for document in read_corpus(path, args.done_format, report, language=language)
        for sentence in document.sentences
    }
    if args.scheme:
        model = trained_scheme(model, args.scheme).applied_to(model)

    def documents() -> Iterator[Document]:
        for one in filter(None, inputs(sources, report)):
            if (document := one.read(report)) is not None:
                yield with_tokens(document, language, Report())

    chosen = suggest(model, documents(), args.number, done)
    if not chosen:
        raise InputError(
            "has no sentence, or only annotated ones", path=args.inputs[0], remedy="give more text"
        )
    # A task without a mention would else be taken for an annotated one.
    options = {"predicted": True} if format in (LABEL_STUDIO, "prodigy") else {}
    write_corpus(chosen, args.output, format, report, **options)
    say_report(report)
    say(counted(len(chosen), "sentences chosen"))
