"""Recipes, and the packages that `models/build.py` makes from finished runs."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from fofe.base.errors import ConfigError
from fofe.cli import main
from fofe.evaluate.corpus_labels import trained_corpora, trained_scheme
from fofe.model.storage import load_model, size_on_disk
from fofe.tagging.model import load
from fofe.training.annotation import Annotation, LabelledSentence
from fofe.training.config import CorpusConfig, load_config
from fofe.training.corpora import Corpus

ROOT = Path(__file__).resolve().parent.parent

RECIPE = """\
name = "tiny"
title = "a test"
config = "CONFIG"
run = "tiny-1"
example = "Anna Berg met the mayor of Bergen."
limits = ["It knows little."]

[compression]
words = { cased = 40, uncased = 30 }
keep = ["data"]
megabytes = 1

[tests]
data = "dev"

[[data]]
name = "templates"
what = "sentences"
terms = "CC0"

[licence]
short = "free"
text = "Do what you like.\\n"
"""


@pytest.fixture(scope="module")
def scripts() -> Any:
    """The modules of `models/`; they import those of `benchmarks/`, which need torch."""
    pytest.importorskip("torch")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        patch.syspath_prepend(str(ROOT / "models"))
        yield importlib.import_module("build")


@pytest.fixture
def recipe(tiny_config: Path, tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(RECIPE.replace("CONFIG", str(tiny_config)), "utf-8")
    return path


def build(scripts: Any, recipe: Path, run: Path, package: Path) -> int:
    package.mkdir(exist_ok=True)
    code: int = scripts.main([str(recipe), "--run", str(run), "--into", str(package)])
    return code


def test_a_run_becomes_a_package(
    scripts: Any, recipe: Path, tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "package"
    assert build(scripts, recipe, tiny_run, package) == 0
    folder = package / "src" / "fofe_tiny" / "model"
    assert capsys.readouterr().out.startswith(f"{folder}: 0.")
    model = load_model(folder)
    assert (model.storage.tables, model.storage.weights) == ("int8", "float16")
    assert size_on_disk(folder) < size_on_disk(tiny_run / "model")
    found = load(folder)("Anna Berg met the mayor of Bergen.").mentions
    assert [mention.text for mention in found] == ["Anna Berg", "mayor", "Bergen"]
    shipped = model.training["shipped"]
    assert shipped["licence"] == "free"
    for part in ("scores", "uncompressed"):
        found = shipped[part]["data"]
        assert set(found) == {"precision", "recall", "f1", "sentences_f1", "names_f1", "nominals_f1"}
        assert found["sentences_f1"] == found["f1"], "the documents have one sentence each"
    assert shipped["uncompressed"]["data"]["f1"] == pytest.approx(model.training["dev"]["f1"], abs=0.01)
    assert (package / "LICENSE").read_text("utf-8") == "Do what you like.\n"


def test_a_model_is_scored_as_its_users_see_it(scripts: Any, tiny_path: Path) -> None:
    """In the labels of the corpus: a label may stand for several of the model's, others do not count."""
    of_scores = importlib.import_module("_scores")
    words = ["The", "University", "of", "Leeds", "hired", "Omar", "Haddad", "in", "2014", "."]
    spans = [(1, 4, "ORG"), (3, 4, "PLACE"), (5, 7, "PER")]
    sentences = [LabelledSentence(words, spans, opens) for opens in (True, False, True)]
    assert [len(one.sentences) for one in of_scores.documents(sentences)] == [2, 1]
    assert [len(one.sentences) for one in of_scores.documents(sentences, by_sentence=True)] == [1, 1, 1]
    stands_for = {"ORG": ["ORG"], "PLACE": ["GPE", "LOC"], "PER": ["PER"]}
    labels = {own: frozenset(of_model) for own, of_model in stands_for.items()}

    def scores(nested: bool, **options: Any) -> dict[str, float]:
        annotation = Annotation(labels, frozenset(labels), nested)
        corpus = Corpus(CorpusConfig(name="data", train=("train.jsonl",)), annotation, [], [], sentences)
        found: dict[str, float] = of_scores.scores(load(tiny_path).with_options(**options), corpus, "test")
        return found

    all_found = {"precision": 100.0, "recall": 100.0, "f1": 100.0, "sentences_f1": 100.0, "names_f1": 100.0}
    assert scores(nested=True) == all_found
    assert scores(nested=False) == all_found, "outermost mentions alone, on both sides"
    assert scores(nested=True, threshold=1.0)["recall"] == 0.0


def test_the_card_has_data_scores_limits_and_how_to_build_it(
    scripts: Any, recipe: Path, tiny_run: Path, tmp_path: Path
) -> None:
    package = tmp_path / "package"
    build(scripts, recipe, tiny_run, package)
    card = (package / "README.md").read_text("utf-8")
    folder = package / "src" / "fofe_tiny" / "model"
    assert card == (folder / "README.md").read_text("utf-8")
    f1 = json.loads((folder / "config.json").read_text("utf-8"))["training"]["shipped"]["scores"]["data"][
        "f1"
    ]
    for line in (
        "# fofe-tiny: a test",
        "Finds names and nominals of GPE, ORG, PER in text (language: en).",
        "| templates | sentences | CC0 |",
        "**free**",
        f"| {f1:.2f} |",
        "tokens a CPU second",
        "- It knows little.",
        "python models/build.py models/recipes/tiny.toml",
        "are a little kind: data.",
    ):
        assert line in card


def test_a_model_that_is_too_large_fails_and_leaves_nothing(
    scripts: Any, recipe: Path, tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text(recipe.read_text("utf-8").replace("megabytes = 1", "megabytes = 0.01"), "utf-8")
    assert build(scripts, recipe, tiny_run, tmp_path / "package") == 2
    assert "MB, and at most 0.01 are allowed (lower compression.words in" in capsys.readouterr().err
    assert not list((tmp_path / "package").iterdir())


def test_a_run_with_other_settings_fails(
    scripts: Any, recipe: Path, tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text("seed = 7\n" + recipe.read_text("utf-8"), "utf-8")
    assert build(scripts, recipe, tiny_run, tmp_path / "package") == 2
    assert "was trained with other settings: training.seed is 1, not 7" in capsys.readouterr().err


def test_teachers_are_those_of_a_benchmark(
    scripts: Any,
    recipe: Path,
    tiny_config: Path,
    tiny_run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The card says how they were trained. Without them nothing is built."""
    teachers = '[teachers]\nbenchmark = "some"\nseeds = [1, 2]\n\n'
    recipe.write_text(recipe.read_text("utf-8").replace("[compression]", f"{teachers}[compression]"), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scripts, "RUNS", tmp_path)
        patch.setitem(importlib.import_module("mentions").BENCHMARKS, "some", str(tiny_config))
        for seed in (1, 2):
            missing = f"this teacher is missing (python benchmarks/mentions.py some --seed {seed})"
            assert build(scripts, recipe, tiny_run, tmp_path / "package") == 2
            assert missing in capsys.readouterr().err
            teacher = ["train", str(tiny_config), "-o", str(tmp_path / f"some-{seed}"), "--set"]
            assert main([*teacher, f"training.seed={seed}", "--set", "gate.enabled=false"]) == 0
        taught = [f"--teacher={tmp_path / f'some-{seed}' / 'model'}" for seed in (1, 2)]
        assert main(["train", str(tiny_config), "-o", str(tmp_path / "taught"), *taught]) == 0
        assert build(scripts, recipe, tmp_path / "taught", tmp_path / "package") == 0
        (tmp_path / "some-2").rename(tmp_path / "2")
        (tmp_path / "some-2").symlink_to(tmp_path / "some-1")
        assert build(scripts, recipe, tmp_path / "taught", tmp_path / "package") == 2
        assert "some-2/model: was trained with other settings" in capsys.readouterr().err
    assert "mentions.py some --seed 2\npython models" in (tmp_path / "package" / "README.md").read_text(
        "utf-8"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("words = {", "word = {", r"unknown key 'compression.word'"),
        ("cased = 40", 'cased = "40"', r"compression.words.cased must be a whole number, not '40'"),
        ('data = "dev"', 'data = "train"', r"tests.data must be one of dev, test, not 'train'"),
        ('data = "dev"', "", r"tests must name at least one corpus"),
        ('short = "free"', "", r"missing key 'licence.short'"),
    ],
)
def test_a_recipe_that_cannot_be_used(scripts: Any, recipe: Path, old: str, new: str, message: str) -> None:
    recipe.write_text(recipe.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ConfigError, match=message):
        scripts.read_recipe(recipe)


def test_a_corpus_that_the_configuration_lacks(
    scripts: Any, recipe: Path, tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text(recipe.read_text("utf-8").replace('keep = ["data"]', 'keep = ["news"]'), "utf-8")
    assert build(scripts, recipe, tiny_run, tmp_path / "package") == 2
    assert "no corpus 'news' in the configuration (data)" in capsys.readouterr().err


def test_a_free_model_has_free_data(scripts: Any, recipe: Path) -> None:
    text = recipe.read_text("utf-8").replace('short = "free"', 'short = "free"\ncommercial = true')
    recipe.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="allows commercial use, but the terms of templates do not"):
        scripts.read_recipe(recipe)
    recipe.write_text(text.replace('terms = "CC0"', 'terms = "CC0"\ncommercial = true'), "utf-8")
    assert scripts.read_recipe(recipe).licence.commercial


SHIPPED = ("en", "en-news", "es", "zh")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_recipes_of_the_source_tree(scripts: Any, name: str) -> None:
    recipe = scripts.read_recipe(ROOT / "models" / "recipes" / f"{name}.toml")
    config = load_config(recipe.config)
    corpora = {corpus.name for corpus in config.corpora}
    assert (recipe.name, config.model.language) == (name, name[:2])
    assert set(recipe.compression.keep) <= set(recipe.tests) <= corpora
    assert set(recipe.compression.words) == {view.name for view in config.model.views if view.holds_table}
    assert recipe.compression.megabytes <= 12
    assert recipe.licence.text.startswith(f"fofe-{name}: ")
    assert recipe.licence.short in recipe.licence.text
    package = (ROOT / "models" / name / "pyproject.toml").read_text("utf-8")
    if recipe.licence.commercial:
        assert 'license = { text = "CC-BY-SA-4.0" }' in package
        assert {corpus for source in recipe.data for corpus in source.corpora} == corpora
        teacher = load_config(Path(recipe.config).with_name(recipe.distillation.config))
        assert {corpus.name for corpus in teacher.corpora} <= corpora
        for source in recipe.data:
            assert source.authors, f"{source.name} is not attributed"
            assert source.address
            assert source.changes
            assert "research" not in source.terms
    else:
        assert 'license = "LicenseRef-Research-Use-Only"' in package


def test_paths_of_this_machine_do_not_ship(scripts: Any) -> None:
    shared = importlib.import_module("_record").SHARED
    table = {"run": {"train": [f"{shared}/data/a.conll"]}, "file": f"{scripts.RUNS}/b", "other": "/elsewhere"}
    wanted = {"run": {"train": ["../data/a.conll"]}, "file": "runs/b", "other": "/elsewhere"}
    assert scripts.portable_paths(table) == wanted


@pytest.mark.parametrize("name", SHIPPED)
def test_the_weights_of_the_source_tree(scripts: Any, name: str) -> None:
    recipe = scripts.read_recipe(ROOT / "models" / "recipes" / f"{name}.toml")
    folder = ROOT / "models" / name / "src" / recipe.module / "model"
    if not folder.exists():
        pytest.skip(f"the weights of {name} are not here")
    if name == "zh":
        pytest.importorskip("rjieba", reason="needs fofe[zh]")
    scripts.check_size(recipe, folder)
    model = load(folder)
    assert model.config.language == name[:2]
    assert model(recipe.example).mentions
    for corpus in trained_corpora(model):
        assert trained_scheme(model, corpus).decoding is not None, "its own decoding is for its own labels"
    assert (ROOT / "models" / name / "README.md").read_text("utf-8") == model.card
    assert (ROOT / "models" / name / "LICENSE").read_text("utf-8") == recipe.licence.text
    assert str(ROOT.parent) + "/" not in (folder / "config.json").read_text("utf-8")
