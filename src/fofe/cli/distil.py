"""`fofe distil`: a small model that learns from a large one over plain text."""

import argparse

from fofe.base.errors import needs
from fofe.base.report import Report
from fofe.cli._command import command, flag, option, repeated
from fofe.cli._io import training
from fofe.cli._options import SET, count, output, overrides
from fofe.tagging.installed import model_path


@command(
    "distil a large model into a small one",
    option("teacher TEACHER", "the model to learn from, or an ensemble"),
    option("texts TEXT", "plain text: files, packed or not, directories, Wikipedia dumps", nargs="+"),
    option("--config STUDENT.toml", "the student's configuration, with labelled corpora", required=True),
    output("DIR", "the directory of the run"),
    repeated("--teacher MODEL", "one more teacher; their probabilities are averaged", dest="more"),
    option("--workers N", "processes that label the text", type=count, default=1),
    flag("--resume", "continue the run in that directory"),
    SET,
)
def distil(args: argparse.Namespace) -> None:
    """Let a teacher label plain text once, and train a student on it and on labelled
    corpora. The student learns the teacher's probabilities, not only its decisions,
    so a small network comes close to a large one, or to one with a language model.
    Labels and training can be cut off at any time and continue with --resume.

    Examples:
      fofe distil runs/large/model news.txt --config small.toml -o runs/small
      fofe distil runs/a/model text/ --teacher runs/b/model --config small.toml -o runs/small --workers 2
      fofe distil runs/large/model news.txt --config small.toml -o runs/small --resume
    """
    from fofe.training.config import load_config

    with needs("distillation needs PyTorch", "train", "torch"):
        from fofe.training.run import distil
    from fofe.vectors.train import paragraphs, text_files

    config = load_config(args.config, overrides(args))
    teachers = [str(model_path(teacher).absolute()) for teacher in [args.teacher, *args.more]]
    with training(resume=args.resume) as (callback, command):
        report = Report()
        model = distil(
            config,
            teachers,
            text_files(args.texts),
            lambda path: paragraphs(path, config.model.language, report),
            args.output,
            callback,
            command=command,
            workers=args.workers,
            resume=args.resume,
        )
        for line in report.lines():
            callback.say(line)
    print(model)
