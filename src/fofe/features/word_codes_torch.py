"""Word codes and views in torch."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import torch
from torch import Tensor, nn

from fofe.features.batch import Dropping, TorchBatch, contextual_name, positions_name
from fofe.features.characters_torch import CharacterConvolution
from fofe.features.config import (
    BAG,
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
    ViewConfig,
)
from fofe.features.fofe_torch import SCATTERED, Sums, scan_both


class WordCodes:
    """The bag of a fragment's words and the codes of its contexts, for each view."""

    def __init__(self, config: ModelConfig, alphabet_size: int) -> None:
        self._views = config.views
        self._factor = config.factor
        spelt = [view for view in config.views if view.lookup == "spelling"]
        windows = [view for view in config.views if view.lookup == "window"]
        self._spelling = nn.ModuleDict(
            {view.name: CharacterConvolution(alphabet_size, view.kernels) for view in spelt}
        )
        self._windows = nn.ModuleDict({view.name: Windows(config.isolated_width, view) for view in windows})
        self._encoders = nn.ModuleDict({view.name: Projection(view) for view in config.encoders})
        self.modules: dict[str, nn.Module] = {
            "spelling": self._spelling,
            "windows": self._windows,
            "encoders": self._encoders,
        }

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """The codes [F, D] of all views, in the order of the columns."""
        scattered = len(batch["starts"]) > SCATTERED * len(batch["firsts"])
        if scattered and all(view.lookup in ("cased", "uncased") for view in self._views):
            return self._codes_one_by_one(batch, tables)
        vectors = self._word_vectors(batch, tables, dropping)
        parts: list[Tensor] = []
        in_bag = [vectors[view.name] for view in self._views if BAG in view.codes]
        if in_bag:
            words = torch.cat(in_bag, dim=1)
            parts.append(
                nn.functional.embedding_bag(batch["bag_words"], words, batch["bag_offsets"], mode="sum")
            )
        in_context = [view for view in self._views if set(view.codes) - {BAG}]
        if not in_context:
            return parts
        left, right = self._scanned(in_context, vectors, batch)
        for code, source, tokens in (
            (LEFT_INCLUDING, left, batch["lasts"]),
            (LEFT_EXCLUDING, left, batch["before"]),
            (RIGHT_INCLUDING, right, batch["firsts"]),
            (RIGHT_EXCLUDING, right, batch["after"]),
        ):
            used = _columns_of(source, in_context, code)
            if used is not None:
                parts.append(used.index_select(0, tokens))
        return parts

    def _scanned(
        self, views: Sequence[ViewConfig], vectors: Mapping[str, Tensor], batch: TorchBatch
    ) -> tuple[Tensor, Tensor]:
        """[T + 1, D] the codes of what ends and begins with each token, views side by side, then zeros."""
        both: list[tuple[Tensor, Tensor]] = []
        for factor, group in groupby(views, self._factor_of):
            words = torch.cat([vectors[view.name] for view in group], dim=1)
            both.append(scan_both(words, factor, batch["starts"], batch["ends"]))
        prefixes, suffixes = (torch.cat(parts, dim=1) for parts in zip(*both, strict=True))
        nothing = prefixes.new_zeros(1, prefixes.shape[1])
        return torch.cat([prefixes, nothing]), torch.cat([suffixes, nothing])

    def _factor_of(self, view: ViewConfig) -> float:
        return view.factor if view.lookup == "encoder" else self._factor

    def _codes_one_by_one(self, batch: TorchBatch, tables: Mapping[str, Tensor]) -> list[Tensor]:
        """The same codes as weighted sums of the rows of tables, for fragments from all over a corpus."""
        firsts, lasts, bag = batch["firsts"], batch["lasts"], batch["bag_words"]
        before, after = batch["from_start"], batch["to_end"]
        sums = {
            BAG: Sums(bag, torch.ones(len(bag), device=bag.device), lasts - firsts + 1),
            LEFT_INCLUDING: Sums.of_stretches(self._factor, lasts, before[lasts] + 1, -1),
            LEFT_EXCLUDING: Sums.of_stretches(self._factor, firsts - 1, before[firsts], -1),
            RIGHT_INCLUDING: Sums.of_stretches(self._factor, firsts, after[firsts] + 1, 1),
            RIGHT_EXCLUDING: Sums.of_stretches(self._factor, lasts + 1, after[lasts], 1),
        }
        codes: dict[tuple[str, str], Tensor] = {}
        for view in self._views:
            # All codes of a view at once: each backward pass fills a gradient as large as the table.
            used = [code for code in sums if code in view.codes]
            positions, weights, counts = map(torch.cat, zip(*(sums[code] for code in used), strict=True))
            rows = batch[positions_name(view.name)][positions]
            of_view = Sums(rows, weights, counts).of(tables[view.name]).view(len(used), len(firsts), -1)
            codes |= {(code, view.name): part for code, part in zip(used, of_view, strict=True)}
        return [codes[code, view.name] for code in sums for view in self._views if code in view.codes]

    def _word_vectors(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping
    ) -> dict[str, Tensor]:
        """For each view, the vectors [T, D] of the words of a batch."""
        vectors: dict[str, Tensor] = {}
        for view in self._views:
            positions = positions_name(view.name)
            if view.lookup == "lexicon":
                means = nn.functional.embedding_bag(
                    batch[positions], tables[view.name], batch["match_offsets"], mode="mean"
                )
                vectors[view.name] = means.view(-1, view.width)
            elif view.has_table:
                rows = tables[view.name].index_select(0, batch[positions])
                vectors[view.name] = rows * batch["shares"][:, None] if view.lookup == "word" else rows
            elif view.lookup == "spelling":
                # The space symbols around a word show the kernels where it begins and ends.
                starts, ends = batch["word_starts"] - 1, batch["word_ends"] + 1
                vectors[view.name] = self._spelling[view.name](batch, starts, ends)
            elif view.lookup == "encoder":
                vectors[view.name] = self._encoders[view.name](batch[contextual_name(view.name)])
        if self._windows:
            words = dropping.dropout(torch.cat(list(vectors.values()), dim=1), dropping.windows)
            for name, windows in self._windows.items():
                vectors[name] = windows(words, batch["from_start"], batch["to_end"], dropping)
        return vectors


def _columns_of(source: Tensor, views: Sequence[ViewConfig], code: str) -> Tensor | None:
    """Of the codes [T, D] of views side by side, the columns of those that use a code; none without any."""
    if all(code in view.codes for view in views):
        return source
    parts = torch.split(source, [view.width for view in views], dim=1)
    chosen = [part for part, view in zip(parts, views, strict=True) if code in view.codes]
    return torch.cat(chosen, dim=1) if chosen else None


class Projection(nn.Module):
    """The vectors of a language model, its last layers mixed, in fewer dimensions."""

    def __init__(self, view: ViewConfig) -> None:
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(view.layers))
        self.projection = nn.Parameter(torch.empty(view.dimension, view.encoder_width))
        nn.init.xavier_uniform_(self.projection)

    def forward(self, layers: Tensor) -> Tensor:
        """[T, D'] from the layers side by side [T, L * D]."""
        read = layers.to(self.projection.dtype).view(len(layers), len(self.mix), -1)
        return torch.einsum("tld,l->td", read, torch.softmax(self.mix, 0)) @ self.projection.T


class Windows(nn.Module):
    """The layers of a window view."""

    def __init__(self, width: int, view: ViewConfig) -> None:
        super().__init__()
        self.dilations = view.dilations
        self.factors = view.context_factors
        widths = [width] + [view.dimension] * (view.window_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(3 * width, view.dimension) for width in widths)
        for layer in self.layers:
            initialise(layer)

    def forward(self, words: Tensor, from_start: Tensor, to_end: Tensor, dropping: Dropping) -> Tensor:
        """[T, D'] from word vectors [T, D] and the distances [T] to the bounds of the sentence."""
        for dilation, layer in zip(self.dilations, self.layers, strict=False):
            before = words.roll(dilation, 0).masked_fill((from_start < dilation)[:, None], 0.0)
            after = words.roll(-dilation, 0).masked_fill((to_end < dilation)[:, None], 0.0)
            words = torch.relu(layer(torch.cat([before, words, after], dim=1)))
        starts, ends = from_start == 0, to_end == 0
        for layer in self.layers[len(self.dilations) :]:
            words = dropping.dropout(words, dropping.contexts)
            left, right = _codes_around(words, self.factors, starts, ends)
            words = words + torch.relu(layer(torch.cat([left, words, right], dim=1)))
        return words


def _codes_around(
    words: Tensor, factors: Sequence[float], starts: Tensor, ends: Tensor
) -> tuple[Tensor, Tensor]:
    """[T, D] twice: the codes of the words before each word, and of those after it, read backwards.

    Each factor serves a share of the dimensions of `words` [T, D]; all codes are as large as with 1/2.
    """
    lefts, rights = [], []
    for part, factor in zip(words.tensor_split(len(factors), dim=1), factors, strict=True):
        left, right = scan_both(part * (2 * (1 - factor)), factor, starts, ends)
        lefts.append(left)
        rights.append(right)
    left = torch.cat(lefts, dim=1).roll(1, 0).masked_fill(starts[:, None], 0.0)
    right = torch.cat(rights, dim=1).roll(-1, 0).masked_fill(ends[:, None], 0.0)
    return left, right


def initialise(layer: nn.Module) -> None:
    """Glorot-uniform weights and no bias."""
    assert isinstance(layer, nn.Linear)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
