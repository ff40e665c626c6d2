"""A model directory: data only, checked when it is loaded, written whole or not at all.

config.json        what the model is: sizes, features, labels, decoding, format version
model.safetensors  the weights; word tables may be float16 or int8 with scales, the others float16
vocabulary.*.txt   a word a line, JSON strings, one file for each view with a table
alphabet.json      the characters
names.gazetteer    the names, where the model has a gazetteer
README.md          the model card
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from fofe.base.errors import InputError, ModelError
from fofe.base.files import atomic_directory, read_text
from fofe.base.settings import build, to_table
from fofe.decode import Decoding
from fofe.features.config import ModelConfig
from fofe.features.encoded import Encoder
from fofe.features.feature import Sizes
from fofe.features.gazetteer import Gazetteer, GazetteerConfig, load_gazetteer, save_gazetteer
from fofe.features.name_table import NameTable
from fofe.features.table import FLOAT_KINDS, SCALES, TABLE_KINDS, TABLES, scales_name
from fofe.features.views import ViewConfig
from fofe.features.vocabulary import Alphabet, Vocabulary
from fofe.model.engine import weight_shapes
from fofe.model.gate import GateSettings

FORMAT_VERSION = 1
NAMES_FILE = "names.gazetteer"
ENSEMBLE = "ensemble.json"
"""The file that makes a directory one of several models; see `fofe.model.ensemble`."""
COPY_AGAIN = "copy the model again"
RENAMED = {"told.": "conditioned."}
"""The beginnings of the names of weights in older files, and what they are now."""


@dataclass(frozen=True)
class Storage:
    """The kinds of numbers that are on disk."""

    tables: str = "float32"
    """Of the word tables: one of `TABLE_KINDS`."""
    weights: str = "float32"
    """Of all other weights: one of `FLOAT_KINDS`. In memory they are float32."""

    def __post_init__(self) -> None:
        for key, value, kinds in (
            ("tables", self.tables, TABLE_KINDS),
            ("weights", self.weights, FLOAT_KINDS),
        ):
            if value not in kinds:
                raise ValueError(f"{key} must be one of {', '.join(kinds)}, not {value!r}")


@dataclass(frozen=True)
class StoredModel:
    """Everything that a model directory holds."""

    config: ModelConfig
    labels: tuple[str, ...]
    """NONE first."""
    decoding: Decoding
    vocabularies: dict[str, Vocabulary]
    alphabet: Alphabet | None
    weights: dict[str, NDArray[Any]]
    """float32, but for the word tables, which are as they are stored."""
    decodings: dict[str, Decoding] = field(default_factory=dict)
    """How it decodes when it is conditioned on an annotation scheme, by corpus."""
    names: NameTable | None = None
    gate: GateSettings | None = None
    storage: Storage = field(default_factory=Storage)
    ranked_words: dict[str, int] = field(default_factory=dict)
    """How many words of a view's table come first, in the order of their frequency; those after them are
    training words that the vectors lacked. It is unknown for some models."""
    card: str = ""
    training: dict[str, Any] = field(default_factory=dict)
    """How it was trained: seed, scores, command; for `fofe model inspect`."""

    @property
    def encoder(self) -> Encoder:
        return Encoder.for_model(self.config, self.vocabularies, self.alphabet, self.names)


def save_model(model: StoredModel, path: str | Path) -> None:
    """Write a model directory; one that was there is replaced when the new one is whole."""
    target = Path(path)
    if target.exists():
        _check_replaceable(target)
    with atomic_directory(target) as folder:
        _write(model, folder)


def _check_replaceable(target: Path) -> None:
    if not (target / "config.json").is_file():
        raise ModelError("exists and is not a model directory", path=target, remedy="choose another name")


def _write(model: StoredModel, folder: Path) -> None:
    config = {
        "format": FORMAT_VERSION,
        "model": to_table(model.config),
        "labels": list(model.labels),
        "decoding": to_table(model.decoding),
        **(
            {"decodings": {name: to_table(of) for name, of in model.decodings.items()}}
            if model.decodings
            else {}
        ),
        "training": model.training,
        **({} if model.gate is None else {"gate": to_table(model.gate)}),
        **({} if model.storage == Storage() else {"storage": to_table(model.storage)}),
        **({"ranked_words": model.ranked_words} if model.ranked_words else {}),
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", "utf-8")
    for name, vocabulary in model.vocabularies.items():
        # JSON separates words that contain line breaks or lone surrogates.
        lines = "".join(json.dumps(word) + "\n" for word in vocabulary.words)
        (folder / f"vocabulary.{name}.txt").write_text(lines, "utf-8")
    if model.alphabet is not None:
        (folder / "alphabet.json").write_text(json.dumps(model.alphabet.characters) + "\n", "utf-8")
    if model.names is not None:
        save_gazetteer(Gazetteer(model.names), folder / NAMES_FILE)
    (folder / "README.md").write_text(model.card, "utf-8")
    save_file(_on_disk(model.weights, model.storage), folder / "model.safetensors")
    (folder / "model.safetensors").chmod(0o644)  # safetensors keeps it to its owner


def load_model(path: str | Path) -> StoredModel:
    """Read a model directory; anything that does not fit is an error that names the file."""
    folder = Path(path)
    if not folder.is_dir():
        raise ModelError(
            "there is no such model directory", path=folder, remedy="give the output of fofe train"
        )
    if (folder / ENSEMBLE).is_file() and not (folder / "config.json").is_file():
        raise ModelError("is an ensemble, not one model", path=folder, remedy="give one of its members")
    if not any((folder / file).exists() for file in ("config.json", "model.safetensors")):
        raise ModelError("holds no model", path=folder, remedy=_where_a_model_is(folder))
    with _model_errors():
        return _load(folder)


def _where_a_model_is(folder: Path) -> str:
    """What to give instead of a directory without a model, such as that of a run."""
    if (folder / "model").is_dir():
        return f"give {folder / 'model'}"
    if (folder / "checkpoint.safetensors").is_file():
        return "its run is not finished: go on with fofe train --resume"
    return "give the directory model of a finished run, or the name of an installed model: fofe model list"


def size_on_disk(path: str | Path) -> int:
    """The bytes of the files of a model directory."""
    return sum(file.stat().st_size for file in Path(path).iterdir() if file.is_file())


def _load(folder: Path) -> StoredModel:
    table = _read_config(folder / "config.json")
    config = build(ModelConfig, table["model"], path=folder / "config.json")
    labels = _strings(table["labels"], folder / "config.json")
    vocabularies = {
        view.name: _read_vocabulary(folder / f"vocabulary.{view.name}.txt", view, config.digits)
        for view in config.views
        if view.holds_table
    }
    alphabet = None
    if config.uses_characters:
        alphabet = _read_alphabet(folder / "alphabet.json")
    names = None if config.gazetteer is None else _read_names(folder / NAMES_FILE, config.gazetteer)
    weights = _read_weights(folder / "model.safetensors")
    sizes = {name: len(vocabulary) for name, vocabulary in vocabularies.items()}
    gate = None
    if "gate" in table:
        gate = build(GateSettings, table["gate"], path=folder / "config.json")
    storage = build(Storage, table.get("storage", {}), path=folder / "config.json")
    shapes = weight_shapes(config, Sizes(sizes, len(alphabet) if alphabet else 0, len(labels)), gate)
    if storage.tables == "int8":
        shapes |= {scales_name(name): (size,) for name, size in sizes.items()}
    _check_weights(weights, shapes, storage, folder / "model.safetensors")
    return StoredModel(
        config=config,
        labels=tuple(labels),
        decoding=build(Decoding, table["decoding"], path=folder / "config.json"),
        decodings=_read_decodings(table.get("decodings", {}), config, folder / "config.json"),
        vocabularies=vocabularies,
        alphabet=alphabet,
        weights=_in_memory(weights),
        names=names,
        gate=gate,
        storage=storage,
        ranked_words=_ranked_words(table.get("ranked_words", {}), vocabularies, folder / "config.json"),
        card=read_text(folder / "README.md") if (folder / "README.md").is_file() else "",
        training=table.get("training", {}),
    )


def _read_decodings(table: Any, config: ModelConfig, path: Path) -> dict[str, Decoding]:
    if not isinstance(table, dict) or not table.keys() <= set(config.schemes):
        raise ModelError("decodings must be those of the model's schemes", path=path, remedy=COPY_AGAIN)
    return {name: build(Decoding, of_corpus, path=path) for name, of_corpus in table.items()}


@contextmanager
def _model_errors() -> Iterator[None]:
    """Whatever is wrong with a file of a model is wrong with the model."""
    try:
        yield
    except InputError as error:
        remedy = error.remedy or COPY_AGAIN
        raise ModelError(error.problem, path=error.path, line=error.line, remedy=remedy) from None


def _kind(name: str, storage: Storage) -> str:
    """The kind of numbers that a weight is stored as."""
    if name.endswith(SCALES):
        return "float32"
    return storage.tables if name.startswith(TABLES) else storage.weights


def _on_disk(weights: Mapping[str, NDArray[Any]], storage: Storage) -> dict[str, NDArray[Any]]:
    stored = {}
    for name, array in weights.items():
        kind = _kind(name, storage)
        if name.startswith(TABLES) and array.dtype != kind:
            raise ValueError(f"the storage says that {name!r} is {kind}, but it is {array.dtype}")
        stored[name] = np.ascontiguousarray(array, kind)
    return stored


def _in_memory(weights: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The weights as engines want them: tables as they are, since few of their rows will be read."""
    return {
        name: array if name.startswith(TABLES) else array.astype(np.float32, copy=False)
        for name, array in weights.items()
    }


def _check_weights(
    weights: Mapping[str, NDArray[Any]], expected: Mapping[str, tuple[int, ...]], storage: Storage, path: Path
) -> None:
    for name, shape in expected.items():
        if name not in weights:
            raise ModelError(f"lacks the weights {name!r}", path=path, remedy=COPY_AGAIN)
        found, wanted = weights[name].dtype, _kind(name, storage)
        if found != wanted:
            raise ModelError(f"{name!r} is {found}, not {wanted}", path=path, remedy=COPY_AGAIN)
        if weights[name].shape != shape:
            raise ModelError(
                f"{name!r} is {list(weights[name].shape)}, config.json and vocabularies want {list(shape)}",
                path=path,
                remedy="the files of this directory do not belong together; copy the model again",
            )


def _read_weights(path: Path) -> dict[str, NDArray[Any]]:
    try:
        return {_renamed(name): array for name, array in load_file(path).items()}
    except FileNotFoundError:
        raise ModelError("is missing", path=path, remedy=COPY_AGAIN) from None
    except (SafetensorError, OSError) as error:
        raise ModelError(f"is broken: {error}", path=path, remedy=COPY_AGAIN) from None


def _renamed(name: str) -> str:
    old = next((prefix for prefix in RENAMED if name.startswith(prefix)), "")
    return RENAMED.get(old, "") + name.removeprefix(old)


def _ranked_words(counts: Any, vocabularies: Mapping[str, Vocabulary], path: Path) -> dict[str, int]:
    fits = isinstance(counts, dict) and all(
        name in vocabularies and type(count) is int and 0 <= count <= len(vocabularies[name].words)
        for name, count in counts.items()
    )
    if not fits:
        raise ModelError("ranked_words does not fit the vocabularies", path=path, remedy=COPY_AGAIN)
    return dict(counts)


def _read_config(path: Path) -> dict[str, Any]:
    table = _read_json(path)
    if not isinstance(table, dict) or table.get("format") != FORMAT_VERSION:
        found = table.get("format") if isinstance(table, dict) else None
        raise ModelError(
            f"has format {found!r}, this version reads format {FORMAT_VERSION}",
            path=path,
            remedy="use the version of fofe that wrote it, or train again",
        )
    for key in ("model", "labels", "decoding"):
        if key not in table:
            raise ModelError(f"lacks {key!r}", path=path, remedy=COPY_AGAIN)
    for key in ("gate", "training"):
        if not isinstance(table.get(key, {}), dict):
            raise ModelError(f"{key} must be a table, not {table[key]!r}", path=path, remedy=COPY_AGAIN)
    return table


def _read_json(path: Path) -> Any:
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ModelError(
            f"is not JSON: {error.msg}", path=path, line=error.lineno, remedy=COPY_AGAIN
        ) from None


def _read_vocabulary(path: Path, view: ViewConfig, digits: str) -> Vocabulary:
    text = read_text(path)
    try:
        # One array is parsed several times faster than a line at a time.
        words = json.loads("[" + ",".join(text.splitlines()) + "]")
    except json.JSONDecodeError:
        raise ModelError("has a line that is not a JSON string", path=path, remedy=COPY_AGAIN) from None
    try:
        return Vocabulary(_strings(words, path), cased=view.is_cased, digits=digits)
    except ValueError as error:
        raise ModelError(str(error), path=path, remedy=COPY_AGAIN) from None


def _read_names(path: Path, config: GazetteerConfig) -> NameTable:
    names = load_gazetteer(path).table
    if names.types != config.types:
        raise ModelError("has other types than config.json", path=path, remedy=COPY_AGAIN)
    return names


def _read_alphabet(path: Path) -> Alphabet:
    characters = _strings(_read_json(path), path)
    if any(len(character) != 1 for character in characters):
        raise ModelError("has a string that is not one character", path=path, remedy=COPY_AGAIN)
    return Alphabet(characters)


def _strings(value: Any, path: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ModelError("has something else where a list of strings belongs", path=path, remedy=COPY_AGAIN)
    return value
