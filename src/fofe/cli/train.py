"""`fofe train`: a model from a configuration, or from corpora alone."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import FofeError, InputError, needs
from fofe.cli._command import command, flag, option, repeated
from fofe.cli._io import say, training
from fofe.cli._options import SET, count, output, overrides
from fofe.tagging.installed import model_path

if TYPE_CHECKING:
    from fofe.training.config import RunConfig


@command(
    "train a model",
    option("config CONFIG.toml", "the configuration; or give --train", nargs="?"),
    repeated("--train CORPUS", "train on this corpus, as configs/start.toml does"),
    option("--dev CORPUS", "with --train: the dev set (default: 5 %% of the sentences, 5 %% more to test)"),
    option("--lang L", "with --train: the language (default: that of --from, else en)"),
    output("DIR", "the directory of the run", required=False),
    flag("--plan", "print what the corpora will count as, and train nothing"),
    flag("--resume", "continue the run in that directory"),
    option("--folds K", "average K models, each trained without one K-th of the sentences", type=count),
    option("--from MODEL", "add to what a trained model knows", dest="start"),
    flag("--forget", "with --from: train all weights of the model, and forget what the corpora lack"),
    repeated("--teacher MODEL", "learn from the soft targets of this model, not of the configured teachers"),
    SET,
)
def train(args: argparse.Namespace) -> None:
    """Train a model from a configuration, or with --train from corpora alone, which
    need none. The directory given with -o holds the checkpoint, metrics.jsonl
    and, at the end, model/. A run that was killed continues with --resume and ends
    with the same weights as one that was not. With --folds several models are
    trained, each without another part of the sentences, and model/ averages them,
    at several times the cost. With --plan nothing is trained: the command prints
    what every label, kind and region of the corpora will count as.

    Examples:
      fofe train --train train.jsonl --dev dev.jsonl --from en -o runs/mine
      fofe train examples/tiny.toml -o runs/tiny
      fofe train my.toml -o runs/my --set training.epochs=20 --set training.seed=3
      fofe train my.toml -o runs/my --resume
      fofe train my.toml -o runs/my5 --folds 5
      fofe train my.toml --plan
      fofe train more.toml -o runs/more --from runs/my/model    (new types are added)
      fofe train my.toml -o runs/student --teacher runs/1/model --teacher runs/2/model
    """
    given = overrides(args)
    if args.teacher:
        given["training.teachers"] = [str(model_path(teacher).absolute()) for teacher in args.teacher]
    config = _config(args, given)
    if args.plan:
        from fofe.training.plan import plan

        print(plan(config))
        if args.start and not args.forget:
            from fofe.model.storage import load_model

            labels = load_model(model_path(args.start)).labels[1:]
            print(f"\nlabels that stay from {args.start}: {', '.join(labels)}")
        return
    if args.output is None:
        raise FofeError("training needs a directory for the run: -o DIR")
    start = None if args.start is None else model_path(args.start)
    if args.forget and not start:
        raise FofeError("--forget goes with --from (leave it out)")
    if start and (unused := [key for key in given if key.startswith("model.")]):
        raise FofeError(
            f"--set {unused[0]} has no effect with --from: the model keeps its own views and layers"
        )
    with needs("training needs PyTorch", "train", "torch"):
        from fofe.training.run import CHECKPOINT, train, train_folds
    if args.resume and not any(Path(args.output).glob("**/" + CHECKPOINT)):
        say(f"there is no run to resume in {args.output}: training begins anew")
    with training(resume=args.resume) as (callback, command):
        options: dict[str, Any] = {"command": command, "start": start, "resume": args.resume}
        options["forget"] = args.forget
        if args.folds:
            folder = train_folds(config, args.output, callback, args.folds, **options)
        else:
            folder = train(config, args.output, callback, **options)
    if os.environ.get("RANK", "0") == "0":  # only one process of a group prints
        print(folder)


def _config(args: argparse.Namespace, given: dict[str, Any]) -> RunConfig:
    """The configuration that is given, or one for the corpora of --train."""
    from fofe.training.config import load_config
    from fofe.training.corpora import start_config

    if args.config is None:
        if not args.train:
            raise FofeError("say what to train on: fofe train CONFIG.toml, or --train CORPUS")
        if args.lang and args.start:
            raise FofeError("--lang has no effect with --from, which has a language (leave it out)")
        language = {"model.language": args.lang} if args.lang else {}
        return start_config(args.train, args.dev, {**language, **given})
    for name, key in ("train", "data.train"), ("dev", "data.dev"), ("lang", "model.language"):
        if getattr(args, name):
            raise FofeError(
                f"--{name} goes without a configuration (leave out {args.config}, or give --set {key}=...)"
            )
    if Path(args.config).suffix in (".jsonl", ".json", ".conll", ".parquet"):
        raise InputError("is no configuration in TOML", path=args.config, remedy="give a corpus with --train")
    return load_config(args.config, given)
