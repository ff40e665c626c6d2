"""Random small models and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fofe.base.arrays import BoolArray, FloatArray
from fofe.features.config import CODES, CharacterConfig, GazetteerConfig, ModelConfig, ViewConfig
from fofe.features.encoded import EncodedText, Encoder
from fofe.features.fragments import Fragments
from fofe.features.gazetteer import make_table
from fofe.features.surroundings import importance, surroundings, weighted
from fofe.features.vocabulary import Alphabet, Vocabulary

if TYPE_CHECKING:
    from torch import Tensor

    from fofe.model.network import Network

collect_ignore = (
    [] if find_spec("torch") else ["test_network.py", "test_engine.py", "test_gate.py", "test_new_feature.py"]
)

KNOWN = ("the", "of", "Toronto", "Maple", "Leafs", "puck", "<num4>", "a", "b", "北", "北京", "ab")
POOL = (
    *KNOWN,
    "from",
    "Berg",
    "BERG",
    "iPhone",
    "1996",
    "x",
    "é",
    "😀",
    "\ud800",
    "New York",
    "ab" * 12,
    "--",
    *"北京大学中国人民北京ab",
)


NAMES = {"LOC": ["Toronto", "New York", "of the Toronto"], "PER": ["Maple Leafs", "toronto", "é"]}


@dataclass(frozen=True)
class RandomModel:
    """A model whose weights are all random, biases too."""

    config: ModelConfig
    encoder: Encoder
    network: Network
    tables: dict[str, FloatArray]

    @property
    def weights(self) -> dict[str, FloatArray]:
        """All weights, by the names under which they are stored."""
        learned = {name: value.detach().numpy() for name, value in self.network.named_parameters()}
        return learned | {f"tables.{name}": table for name, table in self.tables.items()}

    def rows_of_tables(self, rows: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """For each view with a table the vectors [U, D] of the distinct rows [U] that a batch needs."""
        import torch

        return {
            view.name: torch.from_numpy(self.tables[view.holder])[rows[view.name]]
            for view in self.config.views
            if view.has_table
        }

    @property
    def known_names(self) -> list[list[str]]:
        """The names of each type in the gazetteer."""
        return list(NAMES.values())

    def with_surroundings(self, text: EncodedText, opens: Sequence[bool] | None) -> EncodedText:
        """The text with what its sentences and those around them are about, where the model sees that."""
        view = self.config.surroundings
        if view is None:
            return text
        rows = text.words[view]
        words = weighted(self.tables[view][rows], importance(self.encoder.vocabularies[view])[rows])
        sums = np.add.reduceat(words, text.token_offsets[:-1], axis=0)
        documents = np.ones(len(text), dtype=bool) if opens is None else np.array(opens)
        return replace(text, surroundings=surroundings(sums, text.token_offsets, documents))

    def given(
        self, sentences: Sequence[Sequence[str]], fragments: Fragments, scheme: str | None = None
    ) -> dict[str, BoolArray]:
        """What a batch is given: the names that fragments match, and their annotation scheme."""
        given = {"schemes": np.array([[name == scheme for name in self.config.schemes]] * len(fragments))}
        if self.encoder.names is not None:
            words = [word for sentence in sentences for word in sentence]
            offsets = np.cumsum([0, *map(len, sentences)])
            given["names"] = self.encoder.names.look_up(words, offsets, fragments).of_fragments()
        return given


def _some(random: np.random.Generator, options: tuple[str, ...]) -> tuple[str, ...]:
    """Each of the options with a chance of two thirds."""
    return tuple(option for option in options if random.random() < 2 / 3)


def _random_config(random: np.random.Generator) -> ModelConfig:
    def view(name: str) -> ViewConfig:
        return ViewConfig(
            name=f"{name}-view",
            lookup=name,
            dimension=int(random.integers(1, 5)),
            codes=_some(random, CODES),
            dilations=tuple(random.integers(1, 4, random.integers(1, 4)).tolist()),
            context_layers=int(random.integers(0, 3)),
            context_factors=tuple(random.uniform(0.2, 0.9, random.integers(1, 4)).tolist()),
            height=int(random.integers(1, 5)),
            character_dimension=int(random.integers(1, 4)),
        )

    names = list(_some(random, ("cased", "uncased", "word", "lexicon", "spelling")))
    if names and random.random() < 2 / 3:
        names.append("window")
    views = [view(name) for name in names]
    views = [_sharing(one, views) if random.random() < 1 / 2 else one for one in views]
    random.shuffle(views)
    needed = not any(view.codes for view in views)
    subjects = [view.name for view in views if view.has_table and view.lookup != "lexicon"]
    fofe, cnn = random.random(2) < 2 / 3
    return ModelConfig(
        max_words=int(random.integers(1, 6)),
        factor=(0.3, 0.5, 0.7, 0.9, 0.95)[random.integers(5)],
        segmenter="jieba" if "word" in names else None,
        views=tuple(views),
        characters=CharacterConfig(
            fofe=bool(fofe) or needed,
            cnn=bool(cnn),
            dimension=int(random.integers(1, 4)),
            factor=float(random.choice([0.5, 0.8, 0.95])),
            heights=tuple(random.permutation(9)[: random.integers(1, 5)] + 1),
            kernels=int(random.integers(1, 4)),
            padding=bool(random.random() < 1 / 3),
            activation="tanh" if random.random() < 1 / 3 else "relu",
            spaces=bool(random.random() < 2 / 3) or "spelling" in names,
            initials=bool(random.random() < 1 / 3),
        ),
        gazetteer=GazetteerConfig("names", types=tuple(NAMES)) if random.random() < 1 / 2 else None,
        surroundings=subjects[0] if subjects and random.random() < 1 / 2 else None,
        hidden=tuple(random.integers(2, 8, random.integers(1, 4)).tolist()),
        schemes=("news", "novels", "letters") if random.random() < 1 / 2 else (),
    )


def _sharing(view: ViewConfig, views: Sequence[ViewConfig]) -> ViewConfig:
    """A lexicon that shares the table of another view, if it can; any other view as it is."""
    holder = next((one for one in views if one.lookup in ("cased", "word")), None)
    if holder is None or view.lookup != "lexicon":
        return view
    return replace(view, table=holder.name, dimension=holder.dimension)


def _make_model(seed: int, config: ModelConfig | None = None) -> RandomModel:
    import torch

    from fofe.model.network import Network

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    config = config or _random_config(random)
    vocabularies = {
        view.name: Vocabulary(
            KNOWN if view.is_cased else sorted({word.lower() for word in KNOWN}),
            cased=view.is_cased,
            digits=config.digits,
        )
        for view in config.views
        if view.holds_table
    }
    alphabet = Alphabet("abcdeimnortTxB") if config.uses_characters else None
    network = Network(config, alphabet_size=len(alphabet) if alphabet else 0, label_count=4)
    with torch.no_grad():
        for parameter in network.parameters():
            if not parameter.any():  # what starts at zero would be overlooked
                parameter.uniform_(-0.5, 0.5)
    tables = {
        view.name: random.normal(size=(len(vocabularies[view.name]), view.dimension)).astype(np.float32)
        for view in config.views
        if view.holds_table
    }
    names = make_table(NAMES) if config.gazetteer else None
    return RandomModel(config, Encoder(config, vocabularies, alphabet, names), network, tables)


def _make_text(seed: int, sentences: int = 5, longest: int = 12) -> list[list[str]]:
    random = np.random.default_rng([seed, 7])
    return [
        [POOL[number] for number in random.integers(len(POOL), size=random.integers(1, longest + 1))]
        for _ in range(sentences)
    ]


@pytest.fixture(scope="session")
def make_model() -> Callable[..., RandomModel]:
    """A random model from a seed; of random features, or of a given configuration."""
    return _make_model


@pytest.fixture(scope="session")
def make_text() -> Callable[..., list[list[str]]]:
    """Random sentences from a seed: known and unknown words, unknown characters, spaces inside words."""
    return _make_text
