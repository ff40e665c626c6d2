"""A model directory: data only, checked when it is loaded, written whole or not at all.

config.json        what the model is: sizes, features, labels, decoding, format version
model.safetensors  the weights; word tables may be float16 or int8 with scales, the others float16
vocabulary.*.txt   a word a line, JSON strings, one file for each view with a table
alphabet.json      the characters
names.gazetteer    the names, where the model has a gazetteer
encoders/          the language models that views see words through, a directory each
README.md          the model card
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from fofe.base.errors import InputError, ModelError
from fofe.base.files import atomic_directory, read_text
from fofe.base.settings import build, parse_json, require, to_table
from fofe.decode import Decoding
from fofe.features.config import MOST_REACH, ModelConfig, ViewConfig
from fofe.features.encoded import Encoder
from fofe.features.feature import Shapes, Sizes
from fofe.features.gazetteer import Gazetteer, load_gazetteer, save_gazetteer
from fofe.features.name_table import NameTable
from fofe.features.schemes import CONDITIONED
from fofe.features.vocabulary import Alphabet, Vocabulary
from fofe.features.word_table import FLOAT_KINDS, SCALES, TABLE_KINDS, TABLES, scales_name
from fofe.model.engine import weight_shapes
from fofe.model.gate import GateSettings

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
NAMES_FILE = "names.gazetteer"
ENCODERS = "encoders"
REPLAY = "replay.txt"
ENSEMBLE = "ensemble.json"
"""The file that makes a directory one of several models; see `fofe.model.ensemble`."""
_OWN_FILES = re.compile(
    rf"{CONFIG}|{WEIGHTS}|{NAMES_FILE}|{ENCODERS}|{REPLAY}|{ENSEMBLE}"
    r"|README.md|alphabet.json|vocabulary\..*\.txt|member-\d+"
)
"""What a model directory can hold."""
FORMAT_VERSION = 1
MOST_TEXT = 1 << 28
"""The bytes that a text file of a model may have: twenty million words."""
_KINDS = {"F64": "float64", "F32": "float32", "F16": "float16", "I8": "int8"}
"""Kinds of numbers by their names in safetensors."""

Description = TypeVar("Description")


@dataclass(frozen=True)
class Storage:
    """The kinds of numbers that are on disk."""

    tables: str = "float32"
    """Of the word tables: one of `TABLE_KINDS`."""
    weights: str = "float32"
    """Of all other weights: one of `FLOAT_KINDS`. In memory they are float32."""

    def __post_init__(self) -> None:
        require(self, "tables", TABLE_KINDS.__contains__, f"must be one of {', '.join(TABLE_KINDS)}")
        require(self, "weights", FLOAT_KINDS.__contains__, f"must be one of {', '.join(FLOAT_KINDS)}")

    def kind(self, name: str) -> str:
        """The kind of numbers that a weight is stored as."""
        if name.endswith(SCALES):
            return "float32"
        return self.tables if name.startswith(TABLES) else self.weights


@dataclass(frozen=True)
class ModelDescription:
    """What config.json says of a model, key by key."""

    format: int = field(default=FORMAT_VERSION, kw_only=True)
    model: ModelConfig
    labels: tuple[str, ...]
    """NONE first."""
    decoding: Decoding
    decodings: dict[str, Decoding] = field(default_factory=dict)
    """How it decodes when it is conditioned on an annotation scheme, by corpus."""
    training: dict[str, Any] = field(default_factory=dict)
    """How it was trained: seed, scores, command; for `fofe model inspect`."""
    gate: GateSettings | None = None
    storage: Storage = field(default_factory=Storage)
    ranked_words: dict[str, int] = field(default_factory=dict)
    """How many words of a view's table come first, in the order of their frequency; those after them are
    training words that the vectors lacked. It is unknown for some models."""

    def __post_init__(self) -> None:
        if not self.decodings.keys() <= set(self.model.schemes):
            raise ValueError("decodings must be those of the model's schemes")

    @property
    def config(self) -> ModelConfig:
        return self.model

    @property
    def reach(self) -> int:
        """How many tokens away words of its sentence can change whether a fragment is scored, and how."""
        gated = 0 if self.gate is None else self.gate.window + self.model.max_words
        return max(self.model.reach, min(gated, MOST_REACH))


@dataclass(frozen=True, kw_only=True)
class StoredModel(ModelDescription):
    """Everything that a model directory holds."""

    vocabularies: dict[str, Vocabulary]
    alphabet: Alphabet | None
    weights: dict[str, NDArray[Any]]
    """float32, but for the word tables, which are as they are stored."""
    names: NameTable | None = None
    encoders: dict[str, Path] = field(default_factory=dict)
    """The directories of the language models of encoder views."""
    card: str = ""
    replay: str = ""
    """Text that shows what the model finds, a document a line, so that fine-tuning does not forget it."""

    @property
    def encoder(self) -> Encoder:
        return Encoder(self.config, self.vocabularies, self.alphabet, self.names)

    def tempered(self, temperatures: Mapping[str, float]) -> StoredModel:
        """The model with its labels' log-odds against NONE divided by temperatures; others stay.

        With the scores s = W x + b of the labels, the row of a label in the last layer becomes
        W_NONE + (W_label - W_NONE) / T, and likewise its bias: every engine scores as calibrated, at no cost.
        The same T for all labels is plain temperature scaling, which never changes what is likeliest.
        """
        last = len(self.config.hidden)
        divisors = np.array([temperatures.get(label, 1.0) for label in self.labels], dtype=np.float32)
        weights = dict(self.weights)
        layers = [f"layers.{last}", *([f"conditioned.{last - 1}"] if self.config.schemes else [])]
        for name in (f"{layer}.{part}" for layer in layers for part in ("weight", "bias")):
            # What a corpus adds to the last layer has a row for each label, too.
            rows = weights[name].reshape(-1, len(divisors), *weights[name].shape[1:])
            none = rows[:, :1]
            divided = (rows - none) / divisors.reshape(-1, *[1] * (rows.ndim - 2))
            weights[name] = (none + divided).reshape(weights[name].shape)
        return replace(self, weights=weights)


def save_model(model: StoredModel, path: str | Path) -> None:
    """Write a model directory; a model that was there is replaced when the new one is whole."""
    check_replaceable(Path(path))
    description = ModelDescription(
        **{described.name: getattr(model, described.name) for described in fields(ModelDescription)}
    )
    config = json.dumps(to_table(description), indent=2, ensure_ascii=False)
    with atomic_directory(Path(path)) as folder:
        (folder / CONFIG).write_text(config + "\n", "utf-8")
        for name, vocabulary in model.vocabularies.items():
            # JSON separates words that contain line breaks or lone surrogates.
            lines = "".join(json.dumps(word) + "\n" for word in vocabulary.words)
            (folder / f"vocabulary.{name}.txt").write_text(lines, "utf-8")
        if model.alphabet is not None:
            (folder / "alphabet.json").write_text(json.dumps(model.alphabet.characters) + "\n", "utf-8")
        if model.names is not None:
            save_gazetteer(Gazetteer(model.names), folder / NAMES_FILE)
        for name, path in model.encoders.items():
            shutil.copytree(path, folder / ENCODERS / name)
        (folder / "README.md").write_text(model.card, "utf-8")
        if model.replay:
            (folder / REPLAY).write_text(model.replay, "utf-8")
        stored = {}
        for name, array in model.weights.items():
            kind = model.storage.kind(name)
            if name.startswith(TABLES) and array.dtype != kind:
                raise ValueError(f"the storage says that {name!r} is {kind}, but it is {array.dtype}")
            stored[name] = np.ascontiguousarray(array, kind)
        try:
            save_file(stored, folder / WEIGHTS)
        except SafetensorError as error:  # a full disk, for one
            raise ModelError(
                f"cannot be written: {error}", path=path, remedy="make room on the disk"
            ) from None
        (folder / WEIGHTS).chmod(0o644)  # safetensors keeps it to its owner


def check_replaceable(target: Path) -> None:
    """Refuse to replace anything but a model, or one beside which other files lie."""
    if not target.exists():
        return
    if not any((target / file).is_file() for file in (CONFIG, ENSEMBLE)):
        raise ModelError("exists and is not a model directory", path=target, remedy="choose another name")
    others = sorted(file.name for file in target.iterdir() if not _OWN_FILES.fullmatch(file.name))
    if others:
        problem = f"holds more than a model: {', '.join(others)}"
        raise ModelError(problem, path=target, remedy="move that away, or choose another name")


def load_model(path: str | Path) -> StoredModel:
    """Read a model directory; anything that does not fit is an error that names the file."""
    folder = Path(path)
    if not folder.is_dir():
        raise ModelError(
            "there is no such model directory", path=folder, remedy="give the output of fofe train"
        )
    if (folder / ENSEMBLE).is_file() and not (folder / CONFIG).is_file():
        raise ModelError("is an ensemble, not one model", path=folder, remedy="give one of its members")
    if not any((folder / file).exists() for file in (CONFIG, WEIGHTS)):
        raise ModelError("holds no model", path=folder, remedy=_where_a_model_is(folder))
    try:
        return _load(folder)
    except InputError as error:
        # Whatever is wrong with a file of a model is wrong with the model.
        remedy = error.remedy or "copy the model again"
        raise ModelError(error.problem, path=error.path, line=error.line, remedy=remedy) from None


def _where_a_model_is(folder: Path) -> str:
    """What to give instead of a directory without a model, such as that of a run."""
    if (folder / "model").is_dir():
        return f"give {folder / 'model'}"
    if (folder / "checkpoint.safetensors").is_file():
        return "its run is not finished: go on with fofe train --resume"
    return "give the directory model of a finished run, or the name of an installed model: fofe model list"


def size_on_disk(path: str | Path) -> int:
    """The bytes of the files of a model directory."""
    return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())


def _load(folder: Path) -> StoredModel:
    described = read_description(ModelDescription, folder / CONFIG)
    config, storage = described.model, described.storage
    vocabularies = {
        view.name: _read_vocabulary(folder / f"vocabulary.{view.name}.txt", view, config.digits)
        for view in config.views
        if view.holds_table
    }
    alphabet = _read_alphabet(folder / "alphabet.json") if config.uses_characters else None
    names = None
    if config.gazetteer is not None:
        names = load_gazetteer(regular_file(folder / NAMES_FILE)).table
        if names.types != config.gazetteer.types:
            raise InputError("has other types than config.json", path=folder / NAMES_FILE)
    rows = {name: len(vocabulary) for name, vocabulary in vocabularies.items()}
    sizes = Sizes(rows, len(alphabet) if alphabet else 0, len(described.labels))
    shapes = weight_shapes(config, sizes, described.gate)
    if storage.tables == "int8":
        shapes |= {scales_name(name): (size,) for name, size in rows.items()}
    weights = _read_weights(folder / WEIGHTS, shapes, storage)
    for name, count in described.ranked_words.items():
        if name not in vocabularies or not 0 <= count <= len(vocabularies[name].words):
            raise InputError("ranked_words does not fit the vocabularies", path=folder / CONFIG)
    encoders = {view.name: folder / ENCODERS / view.name for view in config.encoders}
    for encoder in encoders.values():
        if not (encoder / CONFIG).is_file():
            raise InputError("is missing", path=encoder / CONFIG)
    return StoredModel(
        **vars(described),
        vocabularies=vocabularies,
        alphabet=alphabet,
        weights=weights,
        names=names,
        encoders=encoders,
        card=_text_if_there(folder / "README.md"),
        replay=_text_if_there(folder / REPLAY),
    )


def _text_if_there(path: Path) -> str:
    return _read_text(path) if os.path.lexists(path) else ""


def read_description(cls: type[Description], path: Path) -> Description:
    """What a JSON file of this format says of a model."""
    table = parse_json(_read_text(path), path)
    found = table.get("format") if isinstance(table, dict) else None
    if found != FORMAT_VERSION:
        raise InputError(
            f"has format {found!r}, this version reads format {FORMAT_VERSION}",
            path=path,
            remedy="use the version of fofe that wrote it, or train again",
        )
    return build(cls, table, path=path)


def _read_weights(path: Path, expected: Shapes, storage: Storage) -> dict[str, NDArray[Any]]:
    """The weights as engines want them: tables as they are, since few of their rows will be read."""
    try:
        with safe_open(regular_file(path), framework="np") as file:
            stored = {_renamed(name): name for name in file.keys()}  # noqa: SIM118
            # All headers are checked before any weights are read: they may claim more than memory has.
            for name, shape in expected.items():
                if name not in stored:
                    raise InputError(f"lacks the weights {name!r}", path=path)
                header = file.get_slice(stored[name])
                found, kind = header.get_dtype(), storage.kind(name)
                if _KINDS.get(found) != kind:
                    raise InputError(f"{name!r} is {_KINDS.get(found, found)}, not {kind}", path=path)
                if tuple(header.get_shape()) != shape:
                    raise InputError(
                        f"{name!r} is {header.get_shape()}, config.json and vocabularies want {list(shape)}",
                        path=path,
                        remedy="the files of this directory do not belong together; copy the model again",
                    )
            weights = {name: file.get_tensor(stored[name]) for name in expected}
    except (SafetensorError, OSError) as error:
        raise InputError(f"is broken: {error}", path=path) from None
    except MemoryError:
        raise InputError("needs more memory than there is", path=path, remedy="compress the model") from None
    return {
        name: array if name.startswith(TABLES) else array.astype(np.float32, copy=False)
        for name, array in weights.items()
    }


def _renamed(name: str) -> str:
    """The name of a weight, which may be another in older files."""
    return re.sub(r"^told\.", CONDITIONED, name)


def regular_file(path: Path) -> Path:
    """A file of a model directory, if it is one: no pipe, no device, no link that leads out of it."""
    check_inside(path, path.parent)
    if not path.exists():
        raise InputError("is missing", path=path)
    if not path.is_file():
        raise InputError("is not a regular file", path=path)
    return path


def check_inside(path: Path, folder: Path) -> None:
    """Refuse a path that leads out of a model directory, be it by a link."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        what = "is a link" if path.is_symlink() else "leads"
        raise ModelError(f"{what} out of the model directory", path=path, remedy="copy its target there")


def _read_text(path: Path) -> str:
    if regular_file(path).stat().st_size > MOST_TEXT:
        raise InputError(f"has more than {MOST_TEXT >> 20} MB", path=path)
    return read_text(path)


def _read_vocabulary(path: Path, view: ViewConfig, digits: str) -> Vocabulary:
    lines = _read_text(path).splitlines()
    try:
        # One array is parsed several times faster than a line at a time.
        words = _strings(json.loads(f"[{','.join(lines)}]"), path)
        return Vocabulary(words, cased=view.is_cased, digits=digits)
    except (json.JSONDecodeError, RecursionError):
        raise InputError("has a line that is not a JSON string", path=path) from None
    except ValueError as error:
        raise InputError(str(error), path=path) from None


def _read_alphabet(path: Path) -> Alphabet:
    characters = _strings(parse_json(_read_text(path), path), path)
    if any(len(character) != 1 for character in characters):
        raise InputError("has a string that is not one character", path=path)
    return Alphabet(characters)


def _strings(value: Any, path: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError("has something else where a list of strings belongs", path=path)
    return value
