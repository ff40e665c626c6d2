from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from fofe.base.errors import ConfigError
from fofe.wiki.mapping import CATEGORY, INFOBOX, SENTENCE, TABLE, TITLE, WIKIDATA, load_mapping


@pytest.mark.parametrize(
    ("language", "source", "text", "types"),
    [
        ("en", SENTENCE, "polish professional footballer", {"PER"}),
        ("en", TABLE, "railway station", {"FAC"}),
        ("en", SENTENCE, "football club", {"ORG"}),
        ("en", TABLE, "museum", {"FAC", "ORG"}),
        ("en", INFOBOX, "officeholder", {"PER"}),
        ("en", CATEGORY, "1809 births", {"PER"}),
        ("en", TITLE, "Lake Como", {"LOC"}),
        ("en", TITLE, "Solaris (1972 film)", {"MISC"}),
        ("en", TITLE, "Battle of Valcour Island", {"MISC"}),
        ("en", TITLE, "Valcour Island", {"LOC"}),
        ("es", SENTENCE, "futbolista polaco", {"PER"}),
        ("es", SENTENCE, "equipo de fútbol español", {"ORG"}),
        ("es", CATEGORY, "Nacidos en 1900", {"PER"}),
        ("zh", SENTENCE, "中国著名演员", {"PER"}),
        ("zh", SENTENCE, "日本的城市", {"GPE"}),
        ("zh", TITLE, "北京大学", {"ORG"}),
        ("zh", WIKIDATA, "Q5", {"PER"}),
    ],
)
def test_the_shipped_mapping_knows_common_classes(
    language: str, source: str, text: str, types: set[str]
) -> None:
    assert load_mapping(language).types(source, text) == frozenset(types)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (SENTENCE, "chemical element"),
        (TITLE, "Albedo"),
        (TITLE, "Miracle on the Han River"),
        (TITLE, "President of the European Council"),
        (INFOBOX, ""),
        (TABLE, ""),
    ],
)
def test_an_unknown_class_gives_no_type(source: str, text: str) -> None:
    assert load_mapping("en").types(source, text) is None


def test_a_mapping_of_ones_own_replaces_the_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[classes.en]\nSHIP = ["frigate"]\n"A|B" = ["boat"]\n', "utf-8")
    mapping = pickle.loads(pickle.dumps(load_mapping("en", file)))
    assert mapping.types(TABLE, "steam frigate") == {"SHIP"}
    assert mapping.types(TABLE, "boat") == {"A", "B"}
    assert mapping.types(TABLE, "city") is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[clases.en]\nPER = []", r"unknown table \[clases\]"),
        ('[classes.en]\nPER = "actor"', "must be a list"),
        ("classes = 3", r"classes must be a table, not 3"),
        ('[classes]\nen = ["actor"]', r"classes.en must be a table"),
        ("[classes.en", "not valid TOML"),
        ('[classes.en]\nPER = ["model"]\nMISC = ["model"]', "'model' .* two types"),
    ],
)
def test_a_broken_mapping_is_an_error(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=problem):
        load_mapping("en", file)
