"""`fofe evaluate`: score predictions against gold mentions."""

import argparse
from collections.abc import Iterator

from fofe.base.errors import FofeError
from fofe.cli._command import command, flag, option, repeated
from fofe.cli._io import predictions, print_sections, read_documents, say
from fofe.cli._options import AS, FORMAT, JSON, MAP, READING, natural, seed
from fofe.evaluate.scores import in_order_of, score_documents, without_unknown
from fofe.evaluate.tables import Section, breakdown_section, scores_section
from fofe.text.document import Document

SAMPLES = 10_000
"""How many corpora --against draws if --bootstrap gives no number."""


@command(
    "score predictions, or compare two",
    option("gold GOLD", "the annotated corpus"),
    option("predicted PREDICTED", "the same texts with predicted mentions", nargs="?"),
    option("-m --model MODEL", "a model to predict with, instead of PREDICTED"),
    option("--against FILE", "other predictions: test the difference to PREDICTED by paired bootstrap"),
    AS,
    MAP,
    flag("--heads", "reduce the nominals of GOLD to their head words first"),
    flag("--flat", "compare only the outermost mentions, on both sides"),
    option("--train CORPUS", "training corpus: separate scores for mentions seen there"),
    FORMAT,
    repeated(
        "--by length|seen|depth",
        "scores by length in tokens, by presence in --train, by depth of nesting",
    ),
    option("--bootstrap N", "95 %% intervals from N resampled corpora", type=natural, default=0),
    option("--unit document|sentence", "what --bootstrap and --against draw", default="document"),
    seed(0),
    option("--errors N", "kinds of errors, with N examples of each", type=natural),
    flag("--curve", "scores by threshold, if the predictions carry scores"),
    JSON,
    READING,
)
def evaluate(args: argparse.Namespace) -> None:
    """Score predicted mentions by exact span and label: a file of predictions, or what
    a model finds in the gold's own tokens. With --against, test whether one file of
    predictions is better than another: both are scored again and again on the same
    documents, drawn with replacement.

    Examples:
      fofe evaluate gold.jsonl predicted.jsonl
      fofe evaluate test.conll --model my-model --bootstrap 1000
      fofe evaluate test.conll predicted.conll --train train.conll --by length --by depth
      fofe evaluate gold.jsonl predicted.jsonl --errors 5 --json
      fofe evaluate gold.jsonl after.jsonl --against before.jsonl
      fofe evaluate eng.testb --model en-news --as conll2003
      fofe evaluate test.conll --model my-model --map LOC=GPE,LOC,FAC --map MISC=
    """
    if (args.predicted is None) == (args.model is None):
        raise FofeError("give either a file of predictions or --model")
    if args.against and args.model:
        raise FofeError("--against compares two files of predictions: give PREDICTED instead of --model")
    if "seen" in args.by and args.train is None:
        raise FofeError("--by seen needs the training corpus: --train CORPUS")
    if (args.scheme or args.map) and args.model is None:
        raise FofeError("--as and --map need --model: they add up the probabilities of its labels")
    print_sections(args, list(_sections(args, *_compared(args, *_both_sides(args)))))


def _compared(
    args: argparse.Namespace, gold: list[Document], predicted: list[Document]
) -> tuple[list[Document], list[Document]]:
    """Both sides as they are compared, in the order of the gold."""
    from fofe.evaluate.corpus_labels import flat

    predicted = in_order_of(gold, predicted)
    if args.flat:
        gold, predicted = list(map(flat, gold)), list(map(flat, predicted))
    if len(gold) == len(predicted):  # else the comparison reports what is missing
        predicted = without_unknown(gold, predicted)
    return gold, predicted


def _both_sides(args: argparse.Namespace) -> tuple[list[Document], list[Document]]:
    """The gold and the predictions: those of a file, or what the model finds in the gold's own tokens."""
    if args.model is None:
        from fofe.text.phrases import with_heads

        gold = read_documents(args.gold, args)
        return list(map(with_heads, gold)) if args.heads else gold, read_documents(args.predicted, args)
    _, gold, predicted = predictions(args, args.gold)
    return gold, predicted


def _sections(args: argparse.Namespace, gold: list[Document], predicted: list[Document]) -> Iterator[Section]:
    """The parts of the report that the arguments ask for."""
    from fofe.evaluate import bootstrap, errors, thresholds

    yield scores_section(score_documents(gold, predicted))
    if args.bootstrap or args.against:
        counts = bootstrap.unit_counts(gold, predicted, args.unit)
    if args.bootstrap:
        intervals = bootstrap.confidence(counts, args.bootstrap, args.seed)
        yield bootstrap.intervals_section(intervals, args.bootstrap, args.unit)
    if args.against:
        _, baseline = _compared(args, gold, read_documents(args.against, args))
        before = bootstrap.unit_counts(gold, baseline, args.unit)
        samples = args.bootstrap or SAMPLES
        compared = bootstrap.compare(before, counts, samples, args.seed)
        yield bootstrap.comparison_section(compared, (args.against, args.predicted), samples, args.unit)
    if "length" in args.by:
        yield breakdown_section("by_length", "tokens", errors.by_length(gold, predicted))
        yield errors.ceiling_section(errors.window_ceilings(gold))
    if args.train:
        groups = errors.by_seen(gold, predicted, read_documents(args.train, args))
        yield breakdown_section("by_seen", "in training", groups)
    if "depth" in args.by:
        yield breakdown_section("by_depth", "gold mentions around", errors.by_depth(gold, predicted))
    if args.curve:
        if all(mention.score == 1 for document in predicted for mention in document.mentions):
            say("the predictions carry no scores: every threshold gives the same")
        yield thresholds.curve_section(thresholds.threshold_curve(gold, predicted))
    if args.errors is not None:
        yield errors.errors_section(errors.find_errors(gold, predicted), gold, args.errors)
