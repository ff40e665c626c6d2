"""`fofe evaluate`: score predictions against gold mentions."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import FofeError, InputError
from fofe.cli._arguments import natural
from fofe.cli._corpus_options import add_corpus_options, corpus_options

if TYPE_CHECKING:
    from collections.abc import Collection

    from fofe.evaluate.scheme import AnnotationScheme
    from fofe.evaluate.tables import Section
    from fofe.tagging.model import Model
    from fofe.text.document import Document

DESCRIPTION = """\
Score predicted mentions by exact span and label: a file of predictions,
or what a model finds in the gold's own tokens.
"""

EXAMPLES = """\
examples:
  fofe evaluate gold.jsonl predicted.jsonl
  fofe evaluate test.conll --model my-model --bootstrap 1000
  fofe evaluate test.conll predicted.conll --train train.conll --by length --by depth
  fofe evaluate gold.jsonl predicted.jsonl --errors 5 --json
  fofe evaluate eng.testb --model en --as conll2003
  fofe evaluate test.conll --model my-model --map LOC=GPE,LOC,FAC --map MISC=
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "evaluate",
        help="score predictions against gold mentions",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("gold", metavar="GOLD", help="the annotated corpus")
    parser.add_argument(
        "predicted", metavar="PREDICTED", nargs="?", help="the same texts with predicted mentions"
    )
    parser.add_argument("--model", metavar="MODEL", help="a model to predict with, instead of PREDICTED")
    parser.add_argument(
        "--as",
        dest="corpus",
        metavar="NAME",
        help="score the model in the labels, and by the conventions, of a corpus that it was trained on;"
        " data is the name of the one under [data]",
    )
    parser.add_argument(
        "--map",
        dest="mapping",
        action="append",
        default=[],
        metavar="LABEL=L,L...",
        help="which of the model's labels a label of GOLD stands for; nothing after =: it is left out;"
        " may be repeated",
    )
    parser.add_argument(
        "--heads", action="store_true", help="reduce the nominals of GOLD to their head words first"
    )
    parser.add_argument(
        "--flat", action="store_true", help="compare only mentions that lie in no other, on both sides"
    )
    parser.add_argument(
        "--train", metavar="CORPUS", help="training corpus: scores apart for mentions it has and has not"
    )
    parser.add_argument(
        "--format", help="the format of the corpora (default: recognised by name and content)"
    )
    parser.add_argument(
        "--by",
        action="append",
        choices=("length", "seen", "depth"),
        default=[],
        help="scores by length in tokens, by presence in --train, by depth of nesting; may be repeated"
        " (those of names and nominals are always told)",
    )
    parser.add_argument(
        "--bootstrap", metavar="N", type=natural, default=0, help="95 %% intervals from N resampled corpora"
    )
    parser.add_argument(
        "--unit",
        choices=("document", "sentence"),
        default="document",
        help="what --bootstrap draws (default: document)",
    )
    parser.add_argument("--seed", type=natural, default=0, help="seed of --bootstrap (default: 0)")
    parser.add_argument(
        "--errors", metavar="N", type=natural, help="kinds of errors, with N examples of each"
    )
    parser.add_argument(
        "--curve", action="store_true", help="scores by threshold, if the predictions carry scores"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from fofe.evaluate.tables import as_json, as_text

    if (args.predicted is None) == (args.model is None):
        raise FofeError("give either a file of predictions or --model")
    if "seen" in args.by and args.train is None:
        raise FofeError("--by seen needs the training corpus: --train CORPUS")
    if (args.corpus or args.mapping) and args.model is None:
        raise FofeError("--as and --map need --model: they add up the probabilities of its labels")
    if args.corpus and args.mapping:
        raise FofeError("give either --as or --map")
    gold, predicted = _compared(args, *(_tagged(args) if args.model else _read_both(args)))
    sections = _sections(args, gold, predicted)
    print(as_json(sections) if args.json else as_text(sections))
    return 0


def read_documents(path: str, args: argparse.Namespace, language: str | None = None) -> list[Document]:
    """Read a corpus whole; what the reader mended or dropped goes to standard error.

    Text without tokens is tokenised by --lang, else by `language`, else left as it is.
    """
    from fofe.formats import Report, read_corpus

    report = Report()
    options = {"language": language, **corpus_options(args)}
    documents = list(read_corpus(path, args.format, report, **options))
    for line in report.lines():
        print(f"{path}: {line}", file=sys.stderr)
    if not documents:
        raise no_document(path)
    return documents


def no_document(path: str) -> InputError:
    """The error of a corpus that nothing can be said of: a score of nothing would pass for a bad one."""
    from fofe.base.files import display_name

    inside = "of a directory only the files right in it are read: give a pattern such as 'DIR/**/*.jsonl'"
    remedy = inside if Path(path).is_dir() else "give a corpus of at least one"
    return InputError("holds no document", path=display_name(path), remedy=remedy)


def _compared(
    args: argparse.Namespace, gold: list[Document], predicted: list[Document]
) -> tuple[list[Document], list[Document]]:
    """Both sides as they are to be compared."""
    from fofe.evaluate.scheme import flat, without_unknown

    if args.flat:
        gold, predicted = list(map(flat, gold)), list(map(flat, predicted))
    if len(gold) == len(predicted):  # else the comparison tells what is missing
        predicted = without_unknown(gold, predicted)
    return gold, predicted


def _read_both(args: argparse.Namespace) -> tuple[list[Document], list[Document]]:
    from fofe.text.phrases import with_heads

    gold = read_documents(args.gold, args)
    return list(map(with_heads, gold)) if args.heads else gold, read_documents(args.predicted, args)


def _tagged(args: argparse.Namespace) -> tuple[list[Document], list[Document]]:
    """The gold and what the model finds in its tokens."""
    from fofe.evaluate.scheme import flat, with_labels, without_inner
    from fofe.tagging.installed import model_path
    from fofe.tagging.model import load
    from fofe.text.phrases import with_bare_names, with_heads

    model = load(model_path(args.model))
    gold = read_documents(args.gold, args, model.config.language)
    scheme = _scheme(args, model, gold)
    if args.heads or (scheme and scheme.heads):
        gold = list(map(with_heads, gold))
    if scheme and scheme.bare_names:
        gold = list(map(with_bare_names, gold))
    if scheme is None:
        predicted = list(model.tag_documents(gold))
        _tell_mismatch(args, model, gold, predicted)
        return gold, predicted
    model = scheme.applied_to(model)
    _tell_left_out(args, gold, model.labels)
    gold = [with_labels(document, model.labels) for document in gold]
    predicted = list(model.tag_documents(gold))
    if not scheme.flat:
        return gold, predicted
    outer = list(map(without_inner, gold))
    _tell_inner(args, gold, outer)
    return outer, list(map(flat, predicted))


def _tell_mismatch(
    args: argparse.Namespace, model: Model, gold: list[Document], predicted: list[Document]
) -> None:
    """Say which labels only one side has: they count as errors, which may not be what was meant."""
    from fofe.evaluate.scheme import trained_corpora

    annotated, found = _label_counts(gold), _label_counts(predicted)
    unknown = {label: annotated[label] for label in sorted(annotated.keys() - set(model.labels))}
    strange = {label: found[label] for label in sorted(found.keys() - annotated.keys())}
    if unknown:
        told = f"mentions with a label that the model does not have: {', '.join(unknown)}"
        print(f"{args.gold}: {sum(unknown.values())} {told}", file=sys.stderr)
    if strange:
        told = f"mentions that the model found have a label that no mention here has: {', '.join(strange)}"
        print(f"{args.gold}: {sum(strange.values())} {told}", file=sys.stderr)
    if unknown or strange:
        corpora = [name for name in trained_corpora(model) if name != "data"]
        as_corpus = [f"--as {' or '.join(corpora)} for a corpus annotated like that one"] if corpora else []
        remedies = [*as_corpus, "--map LABEL=LABEL,... to say which labels of the model one here stands for"]
        print(f"{args.gold}: these count as errors; give {'; or '.join(remedies)}", file=sys.stderr)


def _label_counts(documents: list[Document]) -> Counter[str]:
    return Counter(mention.label for document in documents for mention in document.mentions)


def _tell_left_out(args: argparse.Namespace, gold: list[Document], labels: Collection[str]) -> None:
    """Say which mentions of the gold are not counted, and which settings of --map no mention has."""
    from fofe.formats import Report

    report = Report()
    named = {setting.partition("=")[0].strip() for setting in args.mapping}
    for mention in (mention for document in gold for mention in document.mentions):
        named -= {mention.label, mention.type}
        if mention.label not in labels:
            report.note(f"mentions of {mention.label} left out because no label of the model stands for them")
    for label in sorted(named):
        report.found("--map names a label that no mention has", label)
    for line in report.lines():
        print(f"{args.gold}: {line}", file=sys.stderr)


def _tell_inner(args: argparse.Namespace, gold: list[Document], outer: list[Document]) -> None:
    """Say how many mentions of the gold are not counted because the model took such corpora for flat."""
    inner = sum(len(one.mentions) - len(left.mentions) for one, left in zip(gold, outer, strict=True))
    if inner:
        told = f"mentions inside others left out because {args.corpus} is annotated flat"
        print(f"{args.gold}: {inner} {told}", file=sys.stderr)


def _scheme(args: argparse.Namespace, model: Model, gold: list[Document]) -> AnnotationScheme | None:
    """How the labels of the gold are to be read, if not as those of the model."""
    from fofe.evaluate.scheme import given_scheme, trained_scheme

    if args.corpus:
        return trained_scheme(model, args.corpus)
    if args.mapping:
        scheme = given_scheme(args.mapping, gold, model.labels[1:])  # without NONE
        _tell_shared(args, scheme, model.labels)
        return scheme
    return None


def _tell_shared(args: argparse.Namespace, scheme: AnnotationScheme, labels: Collection[str]) -> None:
    """Say which labels of the model stand for two here: the one that has others too gets most mentions."""
    shared = {label: owners for label, owners in scheme.shared.items() if label in labels}
    for label, owners in shared.items():
        told = f"by --map, {label} of the model stands for {' and '.join(owners)} alike"
        print(f"{args.gold}: {told}", file=sys.stderr)
    if shared:
        remedy = "let each label of the model stand for one here (what is not mapped stands for itself)"
        print(f"{args.gold}: {remedy}", file=sys.stderr)


def _sections(args: argparse.Namespace, gold: list[Document], predicted: list[Document]) -> list[Section]:
    """The parts of the report that the arguments ask for."""
    from fofe.evaluate import errors
    from fofe.evaluate.bootstrap import confidence, intervals_section, unit_counts
    from fofe.evaluate.scores import score_documents
    from fofe.evaluate.tables import breakdown_section, scores_section
    from fofe.evaluate.thresholds import curve_section, threshold_curve

    sections = [scores_section(score_documents(gold, predicted))]
    if args.bootstrap:
        intervals = confidence(unit_counts(gold, predicted, args.unit), args.bootstrap, args.seed)
        sections.append(intervals_section(intervals, args.bootstrap, args.unit))
    if "length" in args.by:
        groups = errors.by_length(gold, predicted)
        sections.append(breakdown_section("by_length", "tokens", groups))
        sections.append(errors.ceiling_section(errors.window_ceilings(gold)))
    if args.train:
        groups = errors.by_seen(gold, predicted, read_documents(args.train, args))
        sections.append(breakdown_section("by_seen", "in training", groups))
    if "depth" in args.by:
        groups = errors.by_depth(gold, predicted)
        sections.append(breakdown_section("by_depth", "gold mentions around", groups))
    if args.curve:
        sections.append(curve_section(threshold_curve(gold, predicted)))
    if args.errors is not None:
        sections.append(errors.errors_section(errors.find_errors(gold, predicted), gold, args.errors))
    return sections
