"""The weights that a model has, by what its configuration tells."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from fofe.features.config import ModelConfig
from fofe.features.layout import input_blocks
from fofe.model.gate import GateSettings
from fofe.model.table import table_name


def expected_shapes(
    config: ModelConfig,
    vocabulary_sizes: Mapping[str, int],
    alphabet_size: int,
    label_count: int,
    gate: GateSettings | None = None,
) -> dict[str, tuple[int, ...]]:
    """The name and shape of every weight of a model."""
    shapes: dict[str, tuple[int, ...]] = {}

    def convolution(prefix: str, dimension: int, heights: tuple[int, ...], kernels: int) -> None:
        shapes[f"{prefix}.embedding.weight"] = (alphabet_size, dimension)
        for number, height in enumerate(heights):
            shapes[f"{prefix}.weights.{number}"] = (dimension, height * kernels)
            shapes[f"{prefix}.biases.{number}"] = (kernels,)

    read = sum(view.width for view in config.views if view.lookup != "window")
    for view in config.views:
        if view.holds_table:
            shapes[table_name(view.name)] = (vocabulary_sizes[view.name], view.dimension)
        elif view.lookup == "spelling":
            convolution(f"spelling.{view.name}", view.character_dimension, (view.height,), view.dimension)
        elif view.lookup == "window":
            for number in range(view.window_layers):
                width = view.dimension if number else read
                shapes[f"windows.{view.name}.layers.{number}.weight"] = (view.dimension, 3 * width)
                shapes[f"windows.{view.name}.layers.{number}.bias"] = (view.dimension,)
    characters = config.characters
    if characters.fofe:
        shapes["characters.weight"] = (alphabet_size, characters.dimension)
    if characters.cnn:
        convolution("character_cnn", characters.dimension, characters.heights, characters.kernels)
    sizes = (input_blocks(config)[-1].end, *config.hidden, label_count)
    for number, (wide, narrow) in enumerate(pairwise(sizes)):
        shapes[f"layers.{number}.weight"] = (narrow, wide)
        shapes[f"layers.{number}.bias"] = (narrow,)
        if number and config.schemes:
            shapes[f"conditioned.{number - 1}.weight"] = (narrow * len(config.schemes), wide)
            shapes[f"conditioned.{number - 1}.bias"] = (narrow * len(config.schemes),)
    return shapes if gate is None else shapes | gate.shapes(read)
