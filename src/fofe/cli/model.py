"""Work with trained models. MODEL is a model directory, the name of an installed model,
or hf://OWNER/NAME.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import FofeError, InputError
from fofe.base.files import STANDARD, open_output, write_atomically
from fofe.base.report import counted
from fofe.cli._command import command, flag, group, one_of, option, repeated
from fofe.cli._io import (
    check_suffix,
    predictions,
    print_result,
    print_sections,
    read_documents,
    refuse_corpus,
    refuse_input,
    say,
)
from fofe.cli._options import A_MODEL, AS, FORMAT, JSON, MAP, MODEL, READING, count, numbers, output
from fofe.evaluate.tables import table
from fofe.tagging.installed import INSTALL, installed_models, model_path

if TYPE_CHECKING:
    from fofe.model.storage import StoredModel

COLUMNS = ("name", "language", "types", "kinds", "megabytes", "F1", "licence")
TEXTS = (0, 1, 2, 3, 5, 6)


@command("list the models that are installed", JSON, name="list")
def list_models(args: argparse.Namespace) -> None:
    """List the models of installed packages. Wherever a command takes a model, it
    also takes the name of one of these.

    Examples:
      fofe model list
    """
    models = [model.facts() for model in installed_models().values()]
    none = f"no models are installed ({INSTALL.format('en')} brings one)"
    print_result(args, table(COLUMNS, list(map(_row, models)), left=TEXTS) if models else none, models)


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    """The line of a model; a score names the part of its corpus unless that is the test set."""
    parts = {corpus: f" {part}" for corpus, part in facts["parts"].items() if part != "test"}
    return (
        facts["name"],
        facts["language"],
        " ".join(facts["types"]),
        " ".join(facts["kinds"]),
        f"{facts['megabytes']:.1f}",
        ", ".join(f"{corpus}{parts.get(corpus, '')} {f1:.2f}" for corpus, f1 in facts["f1"].items()) or "-",
        facts["licence"],
    )


@command("show labels, features, sizes and scores of a model", MODEL, JSON)
def inspect(args: argparse.Namespace) -> None:
    """Show a model's labels, features, sizes, decoding and scores.

    Examples:
      fofe model inspect runs/tiny/model
    """
    from fofe.model.facts import model_facts

    facts = model_facts(model_path(args.model))
    texts = {name: ", ".join(map(str, of)) if isinstance(of, list) else of for name, of in facts.items()}
    width = max(map(len, facts))
    print_result(args, "\n".join(f"{name:{width}}  {text}" for name, text in texts.items()), facts)


@command(
    "write a page about a model, with curves and errors",
    MODEL,
    option("--corpus CORPUS", "an annotated corpus to score it on"),
    option("-o --output FILE", "where to write", default="report.html"),
    option("--errors N", "number of examples of each kind of error", type=count, default=10),
    AS,
    MAP,
    FORMAT,
    READING,
)
def report(args: argparse.Namespace) -> None:
    """Write a self-contained page about a model: its settings, its training history (if
    it is still in the directory of its run), and on an annotated corpus its scores,
    precision and recall by threshold, the reliability of its scores, its
    confusions of labels, and its errors in context.

    Examples:
      fofe model report runs/tiny/model
      fofe model report runs/tiny/model --corpus examples/corpus/dev.jsonl -o tiny.html
      fofe model report en-news --corpus eng.testb --as conll2003
    """
    import fofe
    from fofe.show.model_page import report_page

    if (args.scheme or args.map) and args.corpus is None:
        raise FofeError("--as and --map need --corpus, whose labels they explain")
    both = None
    if args.corpus:
        refuse_corpus(args.output, [args.corpus], args.format)
    check_suffix(args.output, ".html", ".htm")
    if args.corpus:
        model, *both = predictions(args, args.corpus)
    else:
        model = fofe.load(model_path(args.model))
        say("without a corpus the page has no scores, thresholds, confusions and errors: see --corpus")
    page = report_page(model, both, name=args.model, examples_of_each=args.errors)
    with open_output(args.output) as stream:
        stream.write(page)
    if args.output != STANDARD:
        print(args.output)


def percent(text: str) -> float:
    """A percentage. A number up to 1 is refused: 0.95 is almost certainly a fraction given by mistake."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not in percent: give 95 for 95 %")
    return number


@command(
    "calibrate a model's scores, and choose its threshold",
    MODEL,
    option("corpus CORPUS", "an annotated corpus, best the dev set"),
    output("OUT", "the directory of the calibrated model", required=False),
    option("--test CORPUS", "another corpus to measure the calibration error on"),
    one_of(
        option("--precision P", "best F1 with at least this precision, in %%", type=percent),
        option("--recall R", "best F1 with at least this recall, in %%", type=percent),
    ),
    option("--svg FILE", "draw the reliability diagram"),
    FORMAT,
    JSON,
    READING,
)
def calibrate(args: argparse.Namespace) -> None:
    """Fit the temperature of a model's scores on an annotated corpus that it was not
    trained on, so that of the mentions with a score of 0.8 four fifths are right;
    and choose the threshold for the best F1, or for a given precision or recall.
    With -o the calibrated model is written.

    Examples:
      fofe model calibrate my-model dev.conll
      fofe model calibrate my-model dev.conll --test test.conll -o calibrated
      fofe model calibrate my-model dev.conll --precision 95 -o careful
      fofe model calibrate my-model dev.conll --svg reliability.svg --json
    """
    from fofe.evaluate.calibration import calibrate, calibration_sections
    from fofe.model.ensemble import Ensemble, load_stored, save_stored
    from fofe.show.svg import reliability_diagram

    path = model_path(args.model)
    if args.output:
        refuse_input(args.output, [path], what="model", remedy="choose another directory")
    if args.svg:
        refuse_corpus(args.svg, filter(None, [args.corpus, args.test]), args.format)
        check_suffix(args.svg, ".svg")
    model = load_stored(path)
    known = model.as_one if isinstance(model, Ensemble) else model
    language = known.config.language
    corpus = read_documents(args.corpus, args, language)
    labels = {mention.label for document in corpus for mention in document.mentions}
    if any(document.sentences for document in corpus) and labels.isdisjoint(known.labels):
        remedy = (
            f"the labels of the model are {', '.join(known.labels[1:])}" if labels else "give annotated text"
        )
        raise InputError("has no mention to calibrate on", path=args.corpus, remedy=remedy)
    _warn_of_labels(args.corpus, labels, known)
    test = read_documents(args.test, args, language) if args.test else None
    made = calibrate(model, corpus, test, precision=args.precision, recall=args.recall)
    if args.svg:
        last = list(made.after)[-1]
        with write_atomically(args.svg) as stream:
            stream.write(reliability_diagram({"before": made.before[last], "after": made.after[last]}))
    if args.output:
        save_stored(made.model, args.output)
    print_sections(args, calibration_sections(made))
    # A given precision or recall costs F1.
    if worse := made.worse(f1_counts=args.precision is None and args.recall is None):
        say(f"calibration made it worse ({'; '.join(worse)}): give more text, or keep the old model")


def _warn_of_labels(path: str, annotated: set[str], model: StoredModel) -> None:
    """Say what calibrating on a corpus with other labels, or on one threshold for all, changes."""
    own = set(model.labels[1:])
    for what, labels in (
        (f"{path} has labels that the model lacks, whose mentions count as missed", annotated - own),
        (f"{path} has no mention of labels of the model, which count as wrong", own - annotated),
        ("one threshold for all labels takes the place of those for", set(model.decoding.thresholds)),
    ):
        if labels:
            say(f"{what}: {', '.join(sorted(labels))}")


@command(
    "make a smaller model from a trained one",
    MODEL,
    output("OUT", "the directory of the smaller model"),
    option("--tables int8|float16|float32", "storage of word vectors", default="int8"),
    option("--weights float16|float32", "storage of all other weights", default="float16"),
    option(
        "--words N",
        "keep the N most frequent words of each table, and training words without a vector",
        type=int,
    ),
    repeated("--keep CORPUS", "with --words: also keep the words of this corpus"),
    option("--corpus CORPUS", "annotated corpus to compare speed and scores on"),
    FORMAT,
    JSON,
    READING,
)
def compress(args: argparse.Namespace) -> None:
    """Make a smaller model: word vectors of 8 or 16 bits a number, other weights of
    16 bits and, on request, fewer words. Shows what that saves and, on a corpus,
    what it costs.

    Examples:
      fofe model compress runs/tiny/model -o small
      fofe model compress my-model -o small --corpus dev.conll
      fofe model compress my-model -o small --words 50000 --keep train.conll --corpus dev.conll
      fofe model compress my-model -o half --tables float16 --weights float32 --json
    """
    from fofe.evaluate.cost import costs_section, measure
    from fofe.model.compress import compress, words_of
    from fofe.model.storage import Storage, load_model, save_model

    if args.keep and args.words is None:
        raise FofeError("--keep goes with --words: without it all words are kept")
    if args.words == 0 and not args.keep:
        raise FofeError("--words 0 leaves no word that has a vector: give a number, or a corpus with --keep")
    path = model_path(args.model)
    refuse_input(args.output, [path], what="model", remedy="choose another directory")
    if Path(args.output).exists():
        raise InputError("exists already", path=args.output, remedy="choose another directory, or remove it")
    model = load_model(path)
    language = model.config.language
    kept = (document for path in args.keep for document in read_documents(path, args, language))
    kept_text = [sentence.words for document in kept for sentence in document.sentences]
    gold = read_documents(args.corpus, args, language) if args.corpus else None
    storage = Storage(args.tables, args.weights)
    smaller = compress(model, storage, words=args.words, keep=words_of(model, kept_text))
    save_model(smaller, args.output)
    print_sections(args, [costs_section(measure(path, gold), measure(args.output, gold))])


@command(
    "make an ensemble that averages several models",
    option("models MODEL", f"{A_MODEL}; all of them are copied", nargs="+"),
    output("DIR", "the directory of the ensemble"),
    option("--weights W,W,...", "weight of each model (default: equal)"),
)
def average(args: argparse.Namespace) -> None:
    """Make an ensemble: a model directory that contains several models and averages the
    probabilities that they give to each fragment. It is used like any other model,
    by fofe tag, fofe kbp tag, fofe serve and fofe.load. The models must have the same
    labels, language and longest fragment. Tagging takes as long as with all of them.

    Examples:
      fofe model average runs/seed1/model runs/seed2/model runs/seed3/model -o together
      fofe model average small large -o together --weights 1,2
    """
    from fofe.model.ensemble import Ensemble, save_ensemble

    weights = numbers("--weights", args.weights)
    if weights and (len(weights) != len(args.models) or min(weights) < 0 or not any(weights)):
        raise FofeError(
            f"give {counted(len(args.models), 'weights')}, one per model, none negative and not all 0"
        )
    if Path(args.output).exists():
        raise FofeError(f"{args.output}: exists (choose another directory)")
    save_ensemble(Ensemble.of([model_path(model) for model in args.models], weights or ()), args.output)
    print(args.output)


@command(
    "share a model on the Hugging Face Hub",
    MODEL,
    option("address ADDRESS", "hf://OWNER/NAME, or hf://OWNER/NAME@BRANCH"),
    option("--message TEXT", "the message of the commit", default="Upload a fofe model"),
    option("--licence ID", "the model's licence, such as cc-by-4.0 (default: what the model states)"),
    flag("--private", "create a private repository"),
)
def push(args: argparse.Namespace) -> None:
    """Upload a model to the Hugging Face Hub, whose repository is created if need be; a
    model that was there is replaced. The card gets what the Hub lists models by. The
    token is that of HF_TOKEN or hf auth login.

    Examples:
      fofe model push runs/tiny/model hf://anna/tiny --private
      fofe model push my-model hf://anna/news@trial --licence cc-by-4.0 --message "More corpora"
    """
    from fofe.tagging.hub import push

    path = model_path(args.model)
    print(push(path, args.address, message=args.message, private=args.private, licence=args.licence))


model = group(
    __name__,
    __doc__,
    "list, inspect, report on, calibrate, compress, average and share models",
    *(list_models, inspect, report, calibrate, compress, average, push),
)
