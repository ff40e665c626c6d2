"""Every feature of a fragment against its definition, computed for that fragment alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
import rjieba
import torch

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.batch import make_batch
from fofe.features.config import CODES, CharacterConfig, ModelConfig, ViewConfig
from fofe.features.encoded import Encoder
from fofe.features.fofe import encode
from fofe.features.fofe_torch import SCATTERED
from fofe.features.fragments import Fragments, all_fragments
from fofe.features.registry import input_columns
from fofe.features.vocabulary import Vocabulary
from fofe.model.network import Network

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]


def network_inputs(
    model: RandomModel,
    sentences: Sequence[Sequence[str]],
    opens: Sequence[bool] | None = None,
    chosen: IntArray | None = None,
) -> tuple[Fragments, FloatArray]:
    """All fragments, or those that are chosen, and their inputs [F, D], as the network computes them."""
    text = model.with_surroundings(model.encoder.encode(sentences), opens)
    fragments = all_fragments(text.token_offsets, model.config.max_words)
    fragments = fragments if chosen is None else fragments.take(chosen)
    batch, rows = make_batch(text, fragments, model.given(sentences, fragments))
    return fragments, model.network.inputs(batch, model.rows_of_tables(rows)).detach().numpy()


class Definitions:
    """The features of one fragment, straight from their definitions, in double precision."""

    def __init__(self, model: RandomModel) -> None:
        self.config = model.config
        self.encoder = model.encoder
        self.known_names = model.known_names
        self.weights = {name: array.astype(np.float64) for name, array in model.weights.items()}

    def inputs(self, document: Sequence[Sequence[str]], own: int, first: int, last: int) -> FloatArray:
        """Those of the words from `first` to `last` of the sentence number `own` of a document."""
        sentence = document[own]
        vectors = self.word_vectors(sentence)
        parts = [
            self.word_code(code, vectors[view.name], first, last)
            for code in CODES
            for view in self.config.views
            if code in view.codes
        ]
        characters = self.config.characters
        spelt = self.spell((" " if characters.spaces else "").join(sentence[first : last + 1]))
        if characters.fofe:
            embedded = self.weights["characters.weight"][spelt]
            parts += [fofe(embedded, characters.factor), fofe(embedded[::-1], characters.factor)]
        if characters.cnn:
            parts.append(self.character_maxima(spelt))
        if characters.initials:
            initials = self.spell("".join(word[0] for word in sentence[first : last + 1]))
            embedded = self.weights["initials.weight"][initials]
            parts += [fofe(embedded, characters.factor), fofe(embedded[::-1], characters.factor)]
        if self.config.surroundings is not None:
            parts += self.surroundings(self.config.surroundings, document, own)
        if self.config.gazetteer is not None:
            parts.append(self.names(sentence[first : last + 1]))
        parts.append(np.zeros(len(self.config.schemes)))
        return np.concatenate(parts)

    def surroundings(self, view: str, sentences: Sequence[Sequence[str]], own: int) -> list[FloatArray]:
        """The means of the words of a sentence, and of those of the sentences around it."""
        vocabulary, table = self.encoder.vocabularies[view], self.weights[f"tables.{view}"]
        sums = [np.zeros(table.shape[1]), np.zeros(table.shape[1])]
        counts = [1.0, 5.0]
        for number, sentence in enumerate(sentences):
            held = sentence
            if view in {other.name for other in self.config.views if other.lookup == "word"}:
                held = [token.word for token in self.encoder.in_words([sentence])]
            for word in held:
                row = vocabulary.row(word)
                rank = row - len(vocabulary.unknowns)
                faded = 0.8 ** (abs(number - own) - 1) if number != own else 1.0
                counted = faded * rank / (rank + 300) if rank >= 0 else 0.0
                sums[number != own] += counted * table[row]
                counts[number != own] += counted
        return [total / count for total, count in zip(sums, counts, strict=True)]

    def names(self, words: Sequence[str]) -> FloatArray:
        text = "".join(words).replace(" ", "")
        exact = [text in {name.replace(" ", "") for name in names} for names in self.known_names]
        folded = [
            text.lower() in {name.replace(" ", "").lower() for name in names} for names in self.known_names
        ]
        last = [
            len(words) == 1 and any(name.endswith(f" {text}") for name in names) for names in self.known_names
        ]
        return np.array(exact + folded + last, dtype=np.float64)

    def word_code(self, code: str, vectors: FloatArray, first: int, last: int) -> FloatArray:
        if code == "bag":
            return fofe(vectors[first : last + 1], 1.0)
        read = {
            "left_including": vectors[: last + 1],
            "left_excluding": vectors[:first],
            "right_including": vectors[first:][::-1],
            "right_excluding": vectors[last + 1 :][::-1],
        }
        return fofe(read[code], self.config.factor)

    def word_vectors(self, words: Sequence[str]) -> dict[str, FloatArray]:
        vectors: dict[str, FloatArray] = {}
        for view in self.config.views:
            if view.lookup == "word":
                vectors[view.name] = self.shared_words(view, words)
            elif view.lookup == "lexicon":
                vectors[view.name] = self.lexicon(view, words)
            elif view.has_table:
                rows = [self.encoder.vocabularies[view.name].row(word) for word in words]
                vectors[view.name] = self.weights[f"tables.{view.name}"][rows]
            elif view.lookup == "spelling":
                vectors[view.name] = np.array(
                    [
                        self.maxima(f"spelling.{view.name}", self.spell(f" {word} "), (view.height,))
                        for word in words
                    ]
                )
        alone = [np.concatenate(views) for views in zip(*vectors.values(), strict=True)]
        for view in self.config.views:
            if view.lookup == "window":
                vectors[view.name] = self.windows(view, alone)
        return vectors

    def shared_words(self, view: ViewConfig, tokens: Sequence[str]) -> FloatArray:
        rows: list[FloatArray] = []
        run = ""
        for token in [*tokens, ""]:
            if len(token) == 1 and token.isalnum():
                run += token
                continue
            for word in [*rjieba.cut(run), token]:
                length = len(word) if word is not token else 1
                row = self.weights[f"tables.{view.name}"][self.encoder.vocabularies[view.name].row(word)]
                rows += [row / length] * length
            run = ""
        return np.array(rows[:-1])

    def lexicon(self, view: ViewConfig, tokens: Sequence[str]) -> FloatArray:
        """The means of the words that each token begins, is inside of, ends and is."""
        vocabulary = self.encoder.vocabularies[view.holder]
        listed = {word: row for row, word in enumerate(vocabulary.words, len(vocabulary.unknowns))}
        found: list[list[list[FloatArray]]] = [[[], [], [], []] for _ in tokens]
        for start, end in itertools.combinations(range(len(tokens) + 1), 2):
            letters = all(len(token) == 1 and token.isalnum() for token in tokens[start:end])
            word = "".join(tokens[start:end])
            if word in listed and (letters or end == start + 1):
                row = self.weights[f"tables.{view.holder}"][listed[word]]
                for place in range(start, end):
                    where = 3 if end == start + 1 else 0 if place == start else 2 if place == end - 1 else 1
                    found[place][where].append(row)
        nothing = np.zeros(view.dimension)
        return np.array(
            [np.concatenate([np.mean(rows or [nothing], axis=0) for rows in places]) for places in found]
        )

    def windows(self, view: ViewConfig, words: list[FloatArray]) -> FloatArray:
        for number, dilation in enumerate(view.dilations):
            weight = self.weights[f"windows.{view.name}.layers.{number}.weight"]
            bias = self.weights[f"windows.{view.name}.layers.{number}.bias"]
            nothing = np.zeros_like(words[0])
            seen = [
                np.concatenate(
                    [
                        words[place - dilation] if place >= dilation else nothing,
                        words[place],
                        words[place + dilation] if place + dilation < len(words) else nothing,
                    ]
                )
                for place in range(len(words))
            ]
            words = [np.maximum(weight @ vector + bias, 0) for vector in seen]
        for number in range(len(view.dilations), view.window_layers):
            weight = self.weights[f"windows.{view.name}.layers.{number}.weight"]
            bias = self.weights[f"windows.{view.name}.layers.{number}.bias"]
            seen = [
                np.concatenate(
                    [
                        self.around(view, words[:place]),
                        words[place],
                        self.around(view, words[:place:-1]),
                    ]
                )
                for place in range(len(words))
            ]
            words = [
                word + np.maximum(weight @ vector + bias, 0) for word, vector in zip(words, seen, strict=True)
            ]
        return np.array(words)

    def around(self, view: ViewConfig, words: Sequence[FloatArray]) -> FloatArray:
        """The code of the words before a word, or of those after it, backwards: one step at a time."""
        shares = np.array_split(np.arange(view.dimension), len(view.context_factors))
        code = np.zeros(view.dimension)
        for word in words:
            for share, factor in zip(shares, view.context_factors, strict=True):
                code[share] = factor * code[share] + 2 * (1 - factor) * word[share]
        return code

    def spell(self, characters: str) -> list[int]:
        return self.encoder.alphabet.rows(characters).tolist() if self.encoder.alphabet else []

    def character_maxima(self, spelt: list[int]) -> FloatArray:
        characters = self.config.characters
        embedded = self.weights["character_cnn.embedding.weight"][spelt]
        if characters.padding:
            embedded = np.pad(embedded, [(1, max(characters.heights)), (0, 0)])
        values = self.window_maxima("character_cnn", embedded, characters.heights)
        return np.tanh(values) if characters.activation == "tanh" else np.maximum(values, 0)

    def maxima(self, name: str, spelt: list[int], heights: tuple[int, ...]) -> FloatArray:
        embedded = self.weights[f"{name}.embedding.weight"][spelt]
        return np.maximum(self.window_maxima(name, embedded, heights), 0)

    def window_maxima(self, name: str, embedded: FloatArray, heights: tuple[int, ...]) -> FloatArray:
        parts = []
        for number, height in enumerate(heights):
            bias = self.weights[f"{name}.biases.{number}"]
            kernels = self.weights[f"{name}.weights.{number}"].reshape(-1, height, len(bias))
            windows = [embedded[start : start + height] for start in range(len(embedded) - height + 1)]
            values = [np.einsum("hd,dhk->k", window, kernels) + bias for window in windows]
            parts.append(np.max(values or [np.zeros(len(bias))], axis=0))
        return np.concatenate(parts)


def fofe(vectors: FloatArray, factor: float) -> FloatArray:
    code = np.zeros(vectors.shape[1])
    for vector in vectors:
        code = factor * code + vector
    return code


@pytest.mark.parametrize("seed", range(30))
def test_inputs_are_those_of_the_definitions(seed: int, make_model: MakeModel, make_text: MakeText) -> None:
    model = make_model(seed)
    sentences = make_text(seed)
    opens = [True, False, False, True, False]
    fragments, inputs = network_inputs(model, sentences, opens)
    definitions = Definitions(model)
    offsets = np.cumsum([0, *map(len, sentences)])
    for number, (sentence, first, last) in enumerate(
        zip(fragments.sentences.tolist(), fragments.firsts, fragments.lasts, strict=True)
    ):
        document, own = (sentences[:3], sentence) if sentence < 3 else (sentences[3:], sentence - 3)
        before = offsets[sentence]
        expected = definitions.inputs(document, own, first - before, last - before)
        assert inputs[number] == pytest.approx(expected, abs=1e-4, rel=1e-4)


ALL_FEATURES = ModelConfig(
    max_words=3,
    views=(
        ViewConfig("cased", "cased", 3),
        ViewConfig("spelling", "spelling", 2),
        ViewConfig("window", "window", 2),
    ),
    characters=CharacterConfig(dimension=2, heights=(2, 9), kernels=2),
    hidden=(3,),
)


def test_a_sentence_does_not_see_its_neighbours(make_model: MakeModel, make_text: MakeText) -> None:
    model = make_model(1, ALL_FEATURES)
    sentences = make_text(1)
    _, together = network_inputs(model, sentences)
    alone = np.concatenate([network_inputs(model, [sentence])[1] for sentence in sentences])
    assert together == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_few_fragments_of_a_long_text_have_the_same_inputs(
    seed: int, make_model: MakeModel, make_text: MakeText
) -> None:
    """Fragments from all over a corpus are encoded one by one, not by a scan."""
    views = (
        ViewConfig("cased", "cased", 3),
        ViewConfig("uncased", "uncased", 2, codes=("bag", "left_excluding")),
    )
    characters = CharacterConfig(dimension=2, heights=(2, 3), kernels=2, initials=True)
    model = make_model(seed, ModelConfig(max_words=3, views=views, characters=characters, hidden=(3,)))
    sentences = make_text(seed)
    fragments, inputs = network_inputs(model, sentences)
    few = np.random.default_rng(seed).choice(len(fragments), 3, replace=False)
    assert sum(map(len, sentences)) > SCATTERED * len(few)
    _, alone = network_inputs(model, sentences, chosen=few)
    assert alone == pytest.approx(inputs[few], abs=1e-6)


def test_a_fragment_shorter_than_a_kernel_has_zeros(make_model: MakeModel) -> None:
    model = make_model(1, ALL_FEATURES)
    _, inputs = network_inputs(model, [["ab"]])
    columns = input_columns(ALL_FEATURES)["character_cnn"]
    assert inputs[0, columns][-2:].tolist() == [0, 0]  # height 9 over two characters


@pytest.mark.parametrize("factor", [0.5, 0.7])
def test_five_word_features_of_a_name_in_its_sentence(factor: float) -> None:
    """The worked example of the method: one-hot words, so that inputs are the codes themselves."""
    left = ["puck", "from", "space", "for", "the"]
    name = ["Toronto", "Maple", "Leafs"]
    right = ["'", "home", "opener", "against"]
    words = {word.lower() for word in left + name + right}
    vocabulary = Vocabulary(sorted(words), cased=False, digits="none")
    config = ModelConfig(
        factor=factor,
        views=(ViewConfig("uncased", "uncased", dimension=len(vocabulary)),),
        characters=CharacterConfig(fofe=False, cnn=False),
        hidden=(1,),
    )
    text = Encoder(config, {"uncased": vocabulary}, None).encode([left + name + right])
    fragment = Fragments(np.array([0]), np.array([len(left)]), np.array([len(left) + len(name) - 1]))
    batch, rows = make_batch(text, fragment)
    table = torch.eye(len(vocabulary))[rows["uncased"]]
    network = Network(config, alphabet_size=0, label_count=2)
    codes = network.inputs(batch, {"uncased": table}).reshape(5, len(vocabulary)).tolist()

    def told(row: list[float]) -> dict[str, float]:
        return {
            word: weight
            for word, weight in zip([*vocabulary.unknowns, *vocabulary.words], row, strict=True)
            if weight
        }

    def wanted(sequence: list[str]) -> dict[str, float]:
        return encode([word.lower() for word in sequence], factor)

    bag, left_including, left_excluding, right_including, right_excluding = map(told, codes)
    assert bag == {"toronto": 1, "maple": 1, "leafs": 1}
    assert left_including == pytest.approx(wanted(left + name))
    assert left_excluding == pytest.approx(wanted(left))
    assert right_including == pytest.approx(wanted((name + right)[::-1]))
    assert right_excluding == pytest.approx(wanted(right[::-1]))
    assert right_excluding["'"] == 1, "the word beside the fragment weighs most"
    assert left_excluding["the"] == 1
