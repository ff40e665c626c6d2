"""Where each feature stands in the network's input."""

from __future__ import annotations

from dataclasses import dataclass

from fofe.features.config import CODES, ModelConfig
from fofe.features.name_table import KINDS


@dataclass(frozen=True)
class Block:
    """A run of columns of the input, made from one feature.

    `code` is one of the word codes, with the `view` it is made from; or `character_left`, `character_right`,
    `character_cnn`; or `names`: which names of a gazetteer it matches; or
    `surroundings`: what its sentence and those around it are about; or
    `schemes`: of which corpus they are that a mention must meet, all zero where that is not told.
    """

    code: str
    view: str
    start: int
    end: int


CHARACTER_LEFT = "character_left"
CHARACTER_RIGHT = "character_right"
CHARACTER_CNN = "character_cnn"
NAMES = "names"
SCHEMES = "schemes"
SURROUNDINGS = "surroundings"


def input_blocks(config: ModelConfig) -> list[Block]:
    """The blocks of the input: words by code and view, then characters and the rest."""
    wanted = [(code, view.name, view.width) for code in CODES for view in config.views if code in view.codes]
    characters = config.characters
    if characters.fofe:
        wanted += [(code, "", characters.dimension) for code in (CHARACTER_LEFT, CHARACTER_RIGHT)]
    if characters.cnn:
        wanted.append((CHARACTER_CNN, "", characters.kernels * len(characters.heights)))
    if config.surroundings is not None:
        (width,) = (view.width for view in config.views if view.name == config.surroundings)
        wanted.append((SURROUNDINGS, "", 2 * width))
    if config.gazetteer is not None:
        wanted.append((NAMES, "", len(KINDS) * len(config.gazetteer.types)))
    if config.schemes:
        wanted.append((SCHEMES, "", len(config.schemes)))
    blocks: list[Block] = []
    start = 0
    for code, name, width in wanted:
        blocks.append(Block(code, name, start, start + width))
        start += width
    return blocks
