"""Make a shipped model from its recipe: train, compress, score, and write its package.

    python models/build.py models/recipes/en.toml
    python models/build.py models/recipes/en.toml --run runs/english-1

Training goes on where it was cut off; with --run it is skipped and a finished run is taken. The corpora and
vectors of the configuration are those beside the project. A model that is larger than its recipe allows, or
a run with other settings than those of the recipe, is an error, and nothing is written.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "benchmarks"))

from _card import Measured, mean_f1, write_attribution, write_card
from _decoding import with_decoding
from _mention_runs import configured, trained
from _recipe import Distillation, Recipe, read_recipe
from _record import RUNS, shared
from _scores import documents, scores
from _settings import check_trained_with, portable_paths
from mentions import check_teacher

from fofe.base.errors import FofeError
from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.base.settings import build as from_table
from fofe.base.settings import to_table
from fofe.cli._io import TerminalCallback
from fofe.evaluate.cost import measure
from fofe.features.config import ModelConfig
from fofe.model.compress import compress, words_of
from fofe.model.storage import REPLAY, StoredModel, load_model, save_model, size_on_disk
from fofe.tagging.model import Model, load
from fofe.training.config import RunConfig
from fofe.training.corpora import Corpora, read_corpora
from fofe.training.run import distil
from fofe.vectors.train import paragraphs

MODEL = "model"


def main(arguments: list[str] | None = None) -> int:
    """Build the model of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", metavar="RECIPE")
    parser.add_argument("--run", metavar="DIR", help="a finished run, instead of training")
    parser.add_argument("--into", metavar="DIR", help="the package to fill (default: models/NAME)")
    args = parser.parse_args(arguments)
    try:
        recipe = read_recipe(args.recipe)
        build(recipe, args.run, Path(args.into or HERE / recipe.name))
    except FofeError as error:
        print(f"build: {error}", file=sys.stderr)
        return 2
    return 0


def build(recipe: Recipe, run: str | None, package: Path) -> None:
    """Train if need be, compress, score, and fill the package."""
    settings = {"training.seed": recipe.seed, "training.teachers": _teachers(recipe)}
    config = configured(Path(recipe.config), settings)
    path = Path(run or RUNS / recipe.run) / MODEL
    if run is None and not path.exists():
        command = f"python models/build.py {recipe.path}"
        if recipe.distillation is None:
            trained(config, recipe.run, command)
        else:
            _distilled(config, recipe, recipe.distillation, command)
    trained_model = load_model(path)
    check_trained_with(config, trained_model, path)
    corpora = read_corpora(config)
    model = with_decoding(trained_model, corpora, config.decoding)
    smaller = compress(
        portable(model),
        recipe.compression.storage,
        words=recipe.compression.words,
        keep=words_of(model, _kept_text(recipe, corpora)),
    )
    with tempfile.TemporaryDirectory() as folder:
        aside = Path(folder) / MODEL
        save_model(smaller, aside)
        check_size(recipe, aside)
        tested = [(one, recipe.tests[one.name]) for one in corpora.parts if one.name in recipe.tests]
        texts = [text for corpus, part in tested for text in documents(corpus.part(part))]
        measured = Measured(
            before={corpus.name: scores(Model(model), corpus, part) for corpus, part in tested},
            after={corpus.name: scores(load(aside), corpus, part) for corpus, part in tested},
            cost_before=measure(path, texts),
            cost_after=measure(aside, texts),
        )
    _write(recipe, smaller, measured, package)


def _teachers(recipe: Recipe) -> list[str]:
    """The directories of the models that it learns from."""
    if recipe.teachers is None:
        return []
    paths = []
    for run, command in recipe.teachers.runs.items():
        path = RUNS / run / MODEL
        if not path.exists():
            raise FofeError(f"{path}: this teacher is missing ({command})")
        check_teacher(recipe.teachers.benchmark, load_model(path), path)
        paths.append(str(path))
    return paths


def _distilled(config: RunConfig, recipe: Recipe, settings: Distillation, command: str) -> None:
    """Train the teacher if need be, let it label the text, and train the model on that and its corpora."""
    teacher = RUNS / settings.run / MODEL
    of_teacher = configured(Path(recipe.config).with_name(settings.config), {"training.seed": recipe.seed})
    if not teacher.exists():
        trained(of_teacher, settings.run, command)
    check_trained_with(of_teacher, load_model(teacher), teacher)
    distil(
        config,
        [str(teacher)],
        [shared("corpora", settings.text)],
        lambda path: first_words(paragraphs(path, config.model.language, Report()), settings.words),
        RUNS / recipe.run,
        TerminalCallback(sys.stderr),
        resume=True,
        command=command,
    )


def first_words(texts: Iterable[str], words: int) -> Iterator[str]:
    """The texts until they have so many words together."""
    for text in texts:
        if words <= 0:
            return
        yield text
        words -= len(text.split())


def _write(recipe: Recipe, model: StoredModel, measured: Measured, package: Path) -> None:
    card = write_card(recipe, model, measured)
    shipped = {
        "licence": recipe.licence.short,
        "scores": measured.after,
        "uncompressed": measured.before,
        "parts": recipe.tests,
        "tokens_per_second": measured.speed,
    }
    target = package / "src" / recipe.module / MODEL
    replay = target / REPLAY  # written by hand, and kept from one build to the next
    model = replace(
        model,
        card=card,
        training={**model.training, "shipped": shipped},
        replay=replay.read_text("utf-8") if replay.exists() else "",
    )
    save_model(model, target)
    check_size(recipe, target)
    texts = {"README.md": card, "LICENSE": recipe.licence.text, "ATTRIBUTION.md": write_attribution(recipe)}
    for name, text in texts.items():
        with write_atomically(package / name) as stream:
            stream.write(text)
    print(
        f"{target}: {size_on_disk(target) / 1e6:.2f} MB, mean F1 {mean_f1(measured.after):.2f} "
        f"({mean_f1(measured.before):.2f} before compression)"
    )


def check_size(recipe: Recipe, folder: Path) -> None:
    """Fail where a model directory is larger than the recipe allows."""
    megabytes = size_on_disk(folder) / 1e6
    if megabytes > recipe.compression.megabytes:
        raise FofeError(
            f"the model takes {megabytes:.2f} MB, and at most {recipe.compression.megabytes:g} are allowed "
            f"(lower compression.words in {recipe.path}: {recipe.compression.words})"
        )


def portable(model: StoredModel) -> StoredModel:
    """The model with paths as configurations have them, not those of this machine."""
    config = from_table(ModelConfig, portable_paths(to_table(model.config)))
    return replace(model, model=config, training=portable_paths(model.training))


def _kept_text(recipe: Recipe, corpora: Corpora) -> list[list[str]]:
    """The training sentences of the corpora that the recipe names."""
    known = {part.name: part for part in corpora.parts}
    for name in (*recipe.compression.keep, *recipe.tests):
        if name not in known:
            raise FofeError(f"{recipe.path}: no corpus {name!r} in the configuration ({', '.join(known)})")
    return [sentence.words for name in recipe.compression.keep for sentence in known[name].train]


if __name__ == "__main__":
    raise SystemExit(main())
