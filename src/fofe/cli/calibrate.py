"""`fofe calibrate`: scores that can be taken at their word, and the threshold for a purpose."""

from __future__ import annotations

import argparse

from fofe.cli._arguments import percent
from fofe.cli._corpus_options import add_corpus_options
from fofe.cli._outputs import refuse_input

DESCRIPTION = """\
Fit the temperature of a model's scores on an annotated corpus that it was not
trained on, so that of the mentions with a score of 0.8 four fifths are right;
and choose the threshold for the best F1, or for a wanted precision or recall.
With -o the calibrated model is written.
"""

EXAMPLES = """\
examples:
  fofe calibrate my-model dev.conll
  fofe calibrate my-model dev.conll --test test.conll -o calibrated
  fofe calibrate my-model dev.conll --precision 95 -o careful
  fofe calibrate my-model dev.conll --svg reliability.svg --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "calibrate",
        help="make a model's scores honest, and choose its threshold",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "model", metavar="MODEL", help="a model directory, that of an ensemble, or an installed model"
    )
    parser.add_argument("corpus", metavar="CORPUS", help="an annotated corpus, best the dev set")
    parser.add_argument("-o", "--output", metavar="OUT", help="the directory of the calibrated model")
    parser.add_argument("--test", metavar="CORPUS", help="another corpus to tell the calibration error on")
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "--precision",
        type=percent,
        metavar="P",
        help="the threshold of best F1 with at least this precision, in %%",
    )
    wanted.add_argument(
        "--recall",
        type=percent,
        metavar="R",
        help="the threshold of best F1 with at least this recall, in %%",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw the reliability diagram")
    parser.add_argument(
        "--format", help="the format of the corpora (default: recognised by name and content)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fit, tell, and write what was asked for."""
    from fofe.base.files import write_atomically
    from fofe.cli.evaluate import read_documents
    from fofe.evaluate.calibration import calibrate, calibration_sections
    from fofe.evaluate.tables import as_json, as_text
    from fofe.model.ensemble import Ensemble, copy_ensemble, load_stored
    from fofe.model.storage import save_model
    from fofe.show.svg import reliability_diagram
    from fofe.tagging.installed import model_path

    path = model_path(args.model)
    if args.output:
        refuse_input(args.output, [path], what="model", remedy="choose another directory")
    model = load_stored(path)
    language = (model.as_one if isinstance(model, Ensemble) else model).config.language
    corpus = read_documents(args.corpus, args, language)
    test = read_documents(args.test, args, language) if args.test else None
    made = calibrate(model, corpus, test, precision=args.precision, recall=args.recall)
    if args.svg:
        last = list(made.after)[-1]
        with write_atomically(args.svg) as stream:
            stream.write(reliability_diagram({"before": made.before[last], "after": made.after[last]}))
    if args.output:
        if isinstance(made.model, Ensemble):
            copy_ensemble(made.model, path, args.output)
        else:
            save_model(made.model, args.output)
    sections = calibration_sections(made)
    print(as_json(sections) if args.json else as_text(sections))
    return 0
