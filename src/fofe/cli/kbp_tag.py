"""`fofe kbp tag`: mentions in source documents."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from fofe.cli import INTERRUPTED
from fofe.cli._arguments import count
from fofe.cli._kbp_options import add_reading_options, reading, tell

if TYPE_CHECKING:
    from fofe.kbp.tag import TagJob

DESCRIPTION = """\
Find the mentions of source documents, each with the model of its language,
and the authors of posts. The language is told by the document's id, else by
its text. A run that was cut off goes on with --resume. A document that cannot
be read is told and left out, and the exit code is 1.
"""

EXAMPLES = """\
examples:
  fofe kbp tag --model eng=en --model cmn=zh source/ -o run.tab
  fofe kbp tag --model eng=runs/news/model --workers 4 source/ -o run.tab --resume
  fofe kbp tag --model spa=es --lang spa a.xml b.xml -o run.tab
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "tag",
        help="find mentions in source documents",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "documents", nargs="+", metavar="DOCS", help="source documents, or directories of them"
    )
    parser.add_argument(
        "-m",
        "--model",
        dest="models",
        action="append",
        required=True,
        metavar="LANG=MODEL",
        help="the model of a language (eng, cmn, spa ...), a directory or an installed one; may be repeated",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the .tab file")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was cut off")
    parser.add_argument("--run-id", default="fofe", metavar="ID", help="the first column (default: fofe)")
    parser.add_argument("--lang", metavar="L", help="the language of all documents (default: told by each)")
    parser.add_argument(
        "--workers", type=count, default=1, metavar="N", help="how many processes share the work (default: 1)"
    )
    parser.add_argument(
        "--threshold", type=float, metavar="P", help="least score of a mention (default: as tuned)"
    )
    parser.add_argument(
        "--agreement",
        type=float,
        metavar="W",
        help="what the types of the same text in nearby sentences count; 0: nothing (default: as tuned)",
    )
    parser.add_argument(
        "--conventions",
        metavar="CORPUS",
        help="mark mentions as this training corpus of all given models does; fofe inspect lists them",
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tag to the end, or leave what a resumed run needs."""
    from fofe.base.journal import Journal
    from fofe.cli._input_bar import InputBar
    from fofe.kbp.source import source_files
    from fofe.kbp.tab import write_tab
    from fofe.kbp.tag import tag_files

    job = _job(args)
    files = source_files(args.documents)
    with (
        Journal(f"{args.output}.work", job.fingerprint(), resume=args.resume) as journal,
        InputBar(sum(file.stat().st_size for file in files), shown=sys.stderr.isatty()) as bar,
    ):
        try:
            tagged = tag_files(job, files, journal, run=args.run_id, workers=args.workers, watch=bar.update)
        except KeyboardInterrupt:
            bar.say("fofe: interrupted; give the same command with --resume to go on")
            return INTERRUPTED
        write_tab(tagged.mentions, args.output)
        journal.remove()
    return tell(tagged.report, tagged.bad, tagged.documents)


def _job(args: argparse.Namespace) -> TagJob:
    from fofe.base.errors import FofeError
    from fofe.kbp.language import language_code
    from fofe.kbp.tag import TagJob
    from fofe.tagging.installed import model_path

    models: dict[str, str] = {}
    for given in args.models:
        language, separator, path = given.partition("=")
        if not separator or not path:
            raise FofeError(f"--model {given} is not LANG=MODEL (for example eng={given})")
        if language_code(language) in models:
            raise FofeError(f"there are two models for {language} (make an ensemble of them)")
        models[language_code(language)] = path
    return TagJob(
        models={language: str(model_path(path)) for language, path in models.items()},
        reading=reading(args),
        language=None if args.lang is None else language_code(args.lang),
        options={
            "threshold": args.threshold,
            "agreement": args.agreement,
            "conventions": args.conventions,
        },
    )
