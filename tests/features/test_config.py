"""A model that cannot work is refused before anything is computed."""

from __future__ import annotations

from typing import Any

import pytest

from fofe.features.config import BAG, CharacterConfig, ModelConfig, ViewConfig

CASED = ViewConfig("cased", "cased")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "a/b"}, "letters, digits, - and _"),
        ({"name": ""}, "letters, digits, - and _"),
        (
            {"lookup": "casd"},
            "lookup must be one of cased, uncased, word, lexicon, spelling, window, encoder, not",
        ),
        ({"codes": ("bag", "right")}, "codes must be one of bag, left_including"),
        ({"dimension": 0}, "dimension must be at least 1, not 0"),
        ({"height": 0}, "height must be at least 1"),
        ({"character_dimension": -1}, "character_dimension must be at least 1"),
        ({"dilations": ()}, "dilations must not be empty"),
        ({"dilations": (1, 0)}, "dilations must be at least 1"),
        ({"context_layers": -1}, "context_layers must be at least 0"),
        ({"context_factors": ()}, "context_factors must not be empty"),
        ({"context_factors": (0.5, 1.0)}, "context_factors must lie between"),
        ({"table": "other"}, "only a lexicon shares one, not a cased view"),
        ({"lookup": "lexicon", "table": "word", "vectors": "a.vec"}, "has no vectors of its own"),
        ({"lookup": "lexicon", "table": "word", "scale": 2.0}, "scale and min_count are those of 'word'"),
    ],
)
def test_views(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ViewConfig(**{"name": "view", "lookup": "cased", **settings})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"factor": 1.0}, "factor must lie between 0 and 1, not 1.0"),
        ({"dimension": 0}, "dimension must be at least 1"),
        ({"heights": (2, 0)}, "heights must be at least 1"),
        ({"heights": ()}, "heights must not be empty"),
        ({"kernels": 0}, "kernels must be at least 1"),
    ],
)
def test_characters(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CharacterConfig(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_words": 0}, "max_words must be at least 1"),
        ({"factor": 1.5}, "between 0 and 1, not 1.5"),
        ({"factor": 0.0}, "between 0 and 1, not 0.0"),
        ({"digits": "roman"}, "digits must be one of shape, classes, none, not 'roman'"),
        ({"hidden": ()}, "at least one layer"),
        ({"hidden": (16, 0)}, "hidden must be at least 1"),
        ({"views": (CASED, CASED)}, "views need different names, not cased, cased"),
        ({"views": (ViewConfig("w", "window"),)}, "a window view needs another view"),
        ({"views": (ViewConfig("a", "lexicon"), ViewConfig("b", "lexicon"))}, "one lexicon view at most"),
        ({"views": (CASED, ViewConfig("b", "lexicon", table="a"))}, "table must name a cased view .*: cased"),
        ({"views": (ViewConfig("b", "lexicon", table="b"),)}, "table must name .*: there are none"),
        ({"views": (CASED, ViewConfig("b", "lexicon", 8, table="cased"))}, "dimension 8, .* has 256"),
        ({"surroundings": "spelling"}, "surroundings must name a view that looks words up: cased, uncased"),
        ({"views": (), "characters": CharacterConfig(fofe=False, cnn=False)}, "no feature is switched on"),
        (
            {"views": (ViewConfig("s", "spelling"),), "characters": CharacterConfig(spaces=False)},
            "a spelling view reads the spaces around words",
        ),
    ],
)
def test_models(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ModelConfig(**settings)


def test_what_a_model_needs() -> None:
    no_characters = CharacterConfig(fofe=False, cnn=False)
    assert not ModelConfig(views=(CASED,), characters=no_characters).uses_characters
    spelling = (ViewConfig("s", "spelling", codes=(BAG,)),)
    assert ModelConfig(views=spelling, characters=no_characters).uses_characters
    assert ModelConfig(views=()).uses_characters


def test_how_far_other_sentences_are_seen() -> None:
    assert ModelConfig(views=(CASED,)).receptive_field == 0
    assert ModelConfig(views=(CASED,), surroundings="cased").receptive_field == 1000
