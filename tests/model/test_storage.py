"""Model directories: the same after a round trip, and clear errors for whatever is broken."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from fofe.base.errors import FofeError, ModelError
from fofe.features.vocabulary import Vocabulary
from fofe.model.compress import compress
from fofe.model.engine import Engine
from fofe.model.storage import Storage, StoredModel, _renamed, load_model, save_model

SENTENCES = [["Anna", "Berg", "met", "the", "mayor", "of", "Bergen", "."], ["😀"], ["1996", "\ud800"]]


@pytest.fixture
def broken(tiny_path: Path, tmp_path: Path) -> Path:
    """A copy of a model, to be broken."""
    return Path(shutil.copytree(tiny_path, tmp_path / "model"))


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    table = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**table, **changes}), "utf-8")


def change_weights(folder: Path, **changes: Any) -> None:
    path = folder / "model.safetensors"
    save_file(load_file(path) | {name.replace("__", "."): array for name, array in changes.items()}, path)


def scores(model: StoredModel) -> Any:
    return Engine(model.config, model.encoder, model.weights).score(SENTENCES).probabilities


def test_a_round_trip_changes_nothing(tiny_path: Path, tmp_path: Path) -> None:
    model = load_model(tiny_path)
    save_model(model, tmp_path / "deep" / "copy")
    copy = load_model(tmp_path / "deep" / "copy")
    assert np.array_equal(scores(copy), scores(model))
    for name in ("config", "labels", "decoding", "gate", "card", "training"):
        assert getattr(copy, name) == getattr(model, name)
    files = sorted(path.name for path in tiny_path.iterdir())
    assert files == [
        "README.md",
        "alphabet.json",
        "config.json",
        "model.safetensors",
        "vocabulary.cased.txt",
        "vocabulary.uncased.txt",
    ]
    for name in files:
        assert (tmp_path / "deep" / "copy" / name).read_bytes() == (tiny_path / name).read_bytes()


def test_odd_words_survive(tiny_path: Path, tmp_path: Path) -> None:
    model = load_model(tiny_path)
    odd = ["\n", "\u2028", '"', "\\", "\ud800", "\x00", "\x85"]
    words = [*odd, *model.vocabularies["cased"].words[len(odd) :]]
    vocabularies = {**model.vocabularies, "cased": Vocabulary(words, cased=True, digits="shape")}
    save_model(replace(model, vocabularies=vocabularies), tmp_path / "model")
    assert load_model(tmp_path / "model").vocabularies["cased"].words == words


@pytest.mark.parametrize(
    "name",
    ["config.json", "alphabet.json", "model.safetensors", "vocabulary.cased.txt", "vocabulary.uncased.txt"],
)
def test_a_missing_file_is_named(name: str, broken: Path) -> None:
    (broken / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}: .*\(.+\)") as caught:
        load_model(broken)
    assert caught.value.path == broken / name


def test_a_model_without_its_card_still_works(broken: Path) -> None:
    (broken / "README.md").unlink()
    assert load_model(broken).card == ""


def truncate_weights(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def write(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(text.encode("latin-1"))

    return change


def configured(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: change_config(folder, **changes)


def weighted(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: change_weights(folder, **changes)


def drop_bias(folder: Path) -> None:
    path = folder / "model.safetensors"
    save_file({name: array for name, array in load_file(path).items() if name != "layers.0.bias"}, path)


def repeat_a_word(folder: Path) -> None:
    lines = (folder / "vocabulary.cased.txt").read_text("utf-8").splitlines()
    (folder / "vocabulary.cased.txt").write_text("\n".join([*lines[:-1], lines[0]]), "utf-8")


def test_weights_under_their_former_names_are_found() -> None:
    assert _renamed("told.0.weight") == "conditioned.0.weight"
    assert _renamed("layers.0.weight") == "layers.0.weight"


@pytest.mark.parametrize(
    ("change", "file", "message"),
    [
        (truncate_weights, "model.safetensors", "is broken"),
        (write("model.safetensors", ""), "model.safetensors", "is broken"),
        (drop_bias, "model.safetensors", "lacks the weights 'layers.0.bias'"),
        (
            weighted(layers__0__bias=np.zeros(3, np.float32)),
            "model.safetensors",
            r"'layers.0.bias' is \[3\], config.json and vocabularies want \[32\]",
        ),
        (
            weighted(gate__layers__1__weight=np.zeros((1, 3), np.float32)),
            "model.safetensors",
            r"'gate.layers.1.weight' is \[1, 3\], config.json and vocabularies want \[3, 32\]",
        ),
        (configured(gate={"width": 32, "window": 2}), "config.json", "missing key 'gate.cut'"),
        (configured(gate={"width": 32, "cut": 0.5}), "config.json", "missing key 'gate.window'"),
        (weighted(layers__0__bias=np.zeros(32)), "model.safetensors", "'layers.0.bias' is float64"),
        (write("config.json", '{"format": 1,\n"model"'), "config.json:2", "is not JSON"),
        (write("config.json", "[]"), "config.json", "has format None, this version reads format 1"),
        (write("alphabet.json", '["a", "bc"]'), "alphabet.json", "has a string that is not one character"),
        (write("config.json", '{"caf\xe9": 1}'), "config.json:1", "byte 0xe9 .* is not UTF-8"),
        (configured(format=2), "config.json", "has format 2, this version reads format 1"),
        (write("config.json", '{"format": 1}'), "config.json", "missing key 'model'"),
        (configured(model={"max_wrods": 3}), "config.json", "unknown key 'model.max_wrods'"),
        (configured(labels="NONE"), "config.json", "labels must be a list"),
        (configured(labels=["NONE"]), "model.safetensors", "'layers.1.weight' is"),
        (configured(decoding={"strategy": "best"}), "config.json", "strategy must be one of"),
        (configured(decoding={"treshold": 1}), "config.json", "unknown key 'decoding.treshold'"),
        (write("alphabet.json", "{}"), "alphabet.json", "list of strings"),
        (write("alphabet.json", '["a"]'), "model.safetensors", r"want \[3, 8\]"),
        (write("vocabulary.cased.txt", '"the"\n'), "model.safetensors", "'tables.cased' is"),
        (write("vocabulary.cased.txt", "the\n"), "vocabulary.cased.txt", "not a JSON string"),
        (write("vocabulary.cased.txt", "3\n"), "vocabulary.cased.txt", "list of strings"),
        (repeat_a_word, "vocabulary.cased.txt", "lists each word once"),
        (
            configured(storage={"tables": "int4"}),
            "config.json",
            "tables must be one of float32, float16, int8",
        ),
        (configured(storage={"tabels": "int8"}), "config.json", "unknown key 'storage.tabels'"),
        (configured(storage={"tables": "int8"}), "model.safetensors", "'tables.cased' is float32, not int8"),
        (configured(storage={"weights": "float16"}), "model.safetensors", "is float32, not float16"),
        (configured(ranked_words={"cased": 10**6}), "config.json", "ranked_words does not fit the vocab"),
        (configured(ranked_words=[3]), "config.json", "ranked_words must be a table"),
        (configured(gate=3), "config.json", "gate must be a table, not 3"),
        (configured(training=["dev"]), "config.json", "training must be a table"),
    ],
)
def test_a_broken_file_is_named(
    change: Callable[[Path], None], file: str, message: str, broken: Path
) -> None:
    change(broken)
    with pytest.raises(ModelError, match=rf"/{file}: .*{message}.*\(.+\)"):
        load_model(broken)


@pytest.mark.parametrize(
    ("scales", "message"),
    [
        (np.zeros(3, np.float32), r"'tables.cased.scales' is \[3\], config.json and vocabularies want"),
        (np.zeros(3, np.float16), "'tables.cased.scales' is float16, not float32"),
        (None, "lacks the weights 'tables.cased.scales'"),
    ],
)
def test_an_int8_table_has_its_scales(scales: Any, message: str, tiny_path: Path, tmp_path: Path) -> None:
    save_model(compress(load_model(tiny_path), Storage("int8")), tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    weights = load_file(path)
    del weights["tables.cased.scales"]
    save_file(weights if scales is None else {**weights, "tables.cased.scales": scales}, path)
    with pytest.raises(ModelError, match=rf"/model.safetensors: .*{message}"):
        load_model(tmp_path / "model")


def test_tables_of_another_kind_than_the_storage_says_are_not_saved(tiny_path: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the storage says that 'tables.cased' is int8, but it is float32"):
        save_model(replace(load_model(tiny_path), storage=Storage("int8")), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_no_model_at_all(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="none: there is no such model directory"):
        load_model(tmp_path / "none")
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(ModelError, match="file: there is no such model directory"):
        load_model(tmp_path / "file")


def test_saving_over_a_model_replaces_it(tiny_path: Path, broken: Path) -> None:
    (broken / "vocabulary.old.txt").write_text("x", "utf-8")
    save_model(replace(load_model(tiny_path), card="new"), broken)
    assert load_model(broken).card == "new"
    assert not (broken / "vocabulary.old.txt").exists()
    assert [path.name for path in broken.parent.iterdir()] == ["model"], "nothing is left beside it"


def test_a_directory_that_holds_more_than_a_model_is_not_replaced(tiny_path: Path, broken: Path) -> None:
    (broken / ".git").mkdir()
    (broken / "notes.md").write_text("mine", "utf-8")
    before = sorted(broken.iterdir())
    with pytest.raises(FofeError, match=r"model: holds more than a model: .git, notes.md \(move that away"):
        save_model(load_model(tiny_path), broken)
    assert sorted(broken.iterdir()) == before


def test_saving_over_a_link_replaces_what_it_leads_to(tiny_path: Path, broken: Path) -> None:
    link = broken.parent / "link"
    link.symlink_to(broken.name)
    save_model(replace(load_model(tiny_path), card="new"), link)
    assert link.is_symlink()
    assert load_model(broken).card == "new"
    assert sorted(path.name for path in broken.parent.iterdir()) == ["link", "model"]


def test_a_failed_save_leaves_the_old_model(tiny_path: Path, broken: Path) -> None:
    unwritable: Any = {"self": object()}
    with pytest.raises(TypeError):
        save_model(replace(load_model(tiny_path), training=unwritable), broken)
    assert np.array_equal(scores(load_model(broken)), scores(load_model(tiny_path)))
    assert [path.name for path in broken.parent.iterdir()] == ["model"], "nothing is left beside it"


def test_what_is_no_model_is_not_overwritten(tiny_path: Path, tmp_path: Path) -> None:
    model = load_model(tiny_path)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("x", "utf-8")
    (tmp_path / "file").write_text("x", "utf-8")
    for name in ("thesis", "file"):
        with pytest.raises(FofeError, match=f"{name}: exists and is not a model directory"):
            save_model(model, tmp_path / name)
    assert (tmp_path / "thesis" / "chapter.tex").read_text("utf-8") == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "thesis"]
