"""The gazetteer: names by type that fragments are looked up among; made from lists, stored as keys."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from fofe.base.arrays import FloatArray
from fofe.base.errors import InputError
from fofe.base.files import read_valid_lines, write_atomically
from fofe.base.report import Report
from fofe.base.settings import build, parse_json
from fofe.features.config import ModelConfig
from fofe.features.feature import Addend, Feature, ModelParts, ReadText
from fofe.features.fragments import Fragments
from fofe.features.name_table import EXACT, FOLDED, KINDS, LAST, NameTable, keys_of

FORMAT = "fofe-gazetteer-1"
NAMES = "names"
NO_TAB = "lines without a name, a tab and a type left out"
NAMELESS = "names without a letter or a digit left out"


class GazetteerMatches(Feature):
    """Which names a fragment matches: a column for each kind of match and type."""

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        return {} if config.gazetteer is None else {NAMES: len(KINDS) * len(config.gazetteer.types)}

    def __init__(self, model: ModelParts) -> None:
        assert model.encoder.names is not None, "a model with a gazetteer has its names"
        self._table = model.encoder.names
        self._weight = np.ascontiguousarray(model.columns[NAMES])

    def of(self, text: ReadText, fragments: Fragments) -> Addend:
        found = self._table.look_up(text.words, text.token_offsets, fragments)
        projected = found.patterns.astype(np.float32) @ self._weight

        def add_to(hidden: FloatArray, part: slice) -> None:
            rows = found.rows[part]
            matched = np.flatnonzero(rows)  # row 0 is that of no match
            hidden[matched] += projected[rows[matched]]

        return add_to


@dataclass(frozen=True)
class Gazetteer:
    """A table of names, and how many it has of each type."""

    table: NameTable
    counts: dict[str, int] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Facts:
    """What a file says of its gazetteer besides the arrays."""

    types: tuple[str, ...]
    counts: dict[str, int]
    sources: tuple[str, ...]


TypedName = tuple[str, str]
"""A name and its type."""


def build_gazetteer(names: Iterable[TypedName], report: Report, sources: Iterable[str] = ()) -> Gazetteer:
    """A gazetteer of typed names; each name counts once for a type, however often it comes."""
    by_type: dict[str, dict[str, None]] = {}
    for name, type in names:
        name = " ".join(name.split())
        if not any(map(str.isalnum, name)):
            report.note(NAMELESS, repr(name))
            continue
        by_type.setdefault(type, {})[name] = None
    types = sorted(by_type)
    table = make_table({type: list(by_type[type]) for type in types})
    return Gazetteer(table, {type: len(by_type[type]) for type in types}, tuple(sources))


def make_table(names: Mapping[str, list[str]]) -> NameTable:
    """The table of the names of each type: as they are, in any case, and their last words."""
    keys, numbers = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int64)]
    for number, of_type in enumerate(names.values()):
        lasts = sorted({name.rsplit(" ", 1)[1] for name in of_type if " " in name})
        found = [keys_of(of_type, EXACT), keys_of(of_type, FOLDED), keys_of(lasts, LAST)]
        keys += found
        numbers.append(np.full(sum(map(len, found)), number))
    return NameTable.from_pairs(list(names), np.concatenate(keys), np.concatenate(numbers))


def read_names(path: str | Path, report: Report) -> Iterator[TypedName]:
    """The names and types of a list: a line `name<TAB>type` each, plain or packed (gz, bz2, xz)."""
    for number, line in read_valid_lines(path, report):
        name, tab, type = line.rstrip("\r\n").partition("\t")
        if not line.strip():
            continue
        if not tab or not name.strip() or not type.strip() or "\t" in type:
            report.note(NO_TAB, f"{path}:{number}")
            continue
        yield name.strip(), type.strip()


def save_gazetteer(gazetteer: Gazetteer, path: str | Path) -> None:
    """Write a gazetteer to a file."""
    table = gazetteer.table
    facts = {"types": table.types, "counts": gazetteer.counts, "sources": gazetteer.sources}
    small = np.uint16 if len(table.members) < 1 << 16 else np.uint32
    arrays: dict[str, Any] = {"keys": table.keys, "sets": table.sets.astype(small), "members": table.members}
    packed = save(arrays, {"format": FORMAT, "facts": json.dumps(facts)})
    # The keys of the metadata come in random order; the same names shall make the same file.
    end = 8 + int.from_bytes(packed[:8], "little")
    header = json.dumps(json.loads(packed[8:end]), sort_keys=True).encode()
    header += b" " * (-len(header) % 8)
    with write_atomically(path, "wb") as stream:
        stream.write(len(header).to_bytes(8, "little") + header)
        stream.write(memoryview(packed)[end:])


def load_gazetteer(path: str | Path) -> Gazetteer:
    """Read a gazetteer that `save_gazetteer` wrote."""
    remedy = "give a file that fofe gazetteer build wrote"
    if not Path(path).is_file():
        raise InputError("there is no such gazetteer", path=path, remedy=remedy)
    try:
        with open(path, "rb") as stream:
            if not stream.read(9).endswith(b"{"):  # behind the length of the header
                make = "make one of a list of names: fofe gazetteer build NAMES.tsv -o FILE"
                raise InputError("is no gazetteer", remedy=make)
        with safe_open(path, framework="np") as stored:
            metadata = stored.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise InputError("is not a gazetteer of this version", path=path, remedy=remedy)
            keys, sets, members = (stored.get_tensor(name) for name in ("keys", "sets", "members"))
        facts = build(_Facts, parse_json(metadata["facts"]))
        if (keys.dtype, sets.dtype.kind, members.dtype) != (np.uint64, "u", bool):
            raise ValueError("its arrays have other kinds of numbers")
        if keys.ndim != 1 or keys.shape != sets.shape or members.shape[1:] != (len(facts.types),):
            raise ValueError("its parts do not fit together")
        if sets.max(initial=0) >= len(members):
            raise ValueError("it has names of sets that it lacks")
        table = NameTable(facts.types, keys, sets.astype(np.int32), members)
    except InputError as error:
        raise InputError(error.problem, path=path, remedy=error.remedy or remedy) from None
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError, MemoryError) as error:
        raise InputError(f"is broken: {error}", path=path, remedy="build it again") from None
    return Gazetteer(table, facts.counts, facts.sources)


def describe(gazetteer: Gazetteer, name: str) -> dict[str, list[str]]:
    """How a name matches: for each kind of match the types, where there are any."""
    table = gazetteer.table
    found = {}
    for kind, label in enumerate(KINDS):
        row = table.find(keys_of(["".join(name.split())], kind))[0]
        types = [type for type, member in zip(table.types, table.members[row], strict=True) if member]
        if types:
            found[label] = types
    return found
