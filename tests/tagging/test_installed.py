"""Models that packages bring: found by name, and resolved wherever a model is taken."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import fofe
from fofe.base.errors import ModelError
from fofe.tagging.installed import installed_models, model_of_language, model_path, models_by_language

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = "Anna Berg met the mayor of Bergen."
FOUND = ["Anna Berg", "mayor", "Bergen"]

Install = Callable[[str, str], Path]


def test_a_name_stands_for_the_model_of_its_package(install_model: Install) -> None:
    folder = install_model("xx", "en")
    assert model_path("xx") == folder
    model = fofe.load("xx")
    assert model.path == folder
    assert [mention.text for mention in model(TEXT).mentions] == FOUND


def test_a_path_that_exists_wins(
    install_model: Install, tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_model("xx", "en")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xx").symlink_to(tiny_path)
    assert model_path("xx") == Path("xx")
    assert fofe.load("xx").labels == fofe.load(tiny_path).labels


def test_an_unknown_name_tells_those_that_are_installed(install_model: Install) -> None:
    install_model("xx", "en")
    install_model("yy", "es")
    with pytest.raises(
        ModelError, match=r"^nn: there is no such .+\(installed: .*xx, yy.*; pip install ./models/NAME"
    ):
        fofe.load("nn")


def test_installed_models_tell_what_they_are(install_model: Install) -> None:
    folder = install_model("xx", "eo")
    model = installed_models()["xx"]
    facts = model.facts()
    assert (model.path, model.language, facts["licence"]) == (folder, "eo", "CC0-1.0")
    assert facts["package"] == "fofe-xx 0.1.0"
    assert model.labels == ["GPE", "ORG", "ORG_NOM", "PER", "PER_NOM"]
    assert list(facts["f1"]) == ["dev"]


def test_a_language_prefers_the_model_of_its_name(install_model: Install) -> None:
    install_model("aa", "eo")
    assert models_by_language()["eo"].name == "aa"
    install_model("eo", "eo")
    assert model_of_language("eo", models_by_language()).name == "eo"
    with pytest.raises(
        ModelError,
        match=r"no model of the language 'tlh' is installed \(.*; give one of these, or choose a model by",
    ):
        model_of_language("tlh", models_by_language())


def test_a_package_without_its_model_says_so(install_model: Install) -> None:
    (install_model("xx", "en") / "config.json").unlink()
    with pytest.raises(ModelError, match=r"the package fofe-xx 0.1.0 contains no model \(install it again\)"):
        model_path("xx")


@pytest.mark.parametrize("content", ["{", "[]", '{"model": {}}'])
def test_a_broken_description_is_told(install_model: Install, content: str) -> None:
    (install_model("xx", "en") / "config.json").write_text(content, "utf-8")
    with pytest.raises(ModelError, match=r"config.json: is not the description of a model"):
        models_by_language()


@pytest.fixture
def built(tiny_path: Path, tmp_path: Path) -> Path:
    """A directory with the package of `models/en` as pip would install it, with the tiny model inside."""
    import shutil

    source = tmp_path / "en"
    shutil.copytree(ROOT / "models" / "en", source, ignore=shutil.ignore_patterns("model", "__pycache__"))
    shutil.copytree(tiny_path, source / "src" / "fofe_en" / "model")
    for name in ("README.md", "LICENSE"):
        if not (source / name).exists():  # they come with the weights
            (source / name).write_text("Text.\n", "utf-8")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("fofe_en-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    return tmp_path / "installed"


def test_the_package_of_the_source_tree_works_once_it_is_built(built: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fofe", "tag", "-f", "text", "-t", TEXT],
        env={**os.environ, "PYTHONPATH": str(built)},
        cwd=built,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "[Anna Berg PER] met the [mayor PER_NOM] of [Bergen GPE].\n"


@pytest.mark.parametrize("name", ["en", "es", "zh"])
def test_packages_differ_in_their_names_alone(name: str) -> None:
    folder = ROOT / "models" / name
    package = (folder / "pyproject.toml").read_text("utf-8")
    assert f'name = "fofe-{name}"' in package
    assert f'{name} = "fofe_{name}"' in package
    assert (folder / "src" / f"fofe_{name}" / "__init__.py").is_file()
