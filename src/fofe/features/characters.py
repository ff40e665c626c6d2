"""The characters of fragments: their FOFE codes, what a convolution makes of them, and the initials of words.

The code of a fragment is a difference of prefix codes of the text, and its maxima are those of a range of the
convolved text: so all fragments share one scan and one convolution.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fofe.base.arrays import FloatArray, IntArray, running_sums
from fofe.features.config import CharacterConfig, ModelConfig
from fofe.features.encoded import Encoder, Spelling
from fofe.features.feature import Addend, Feature, ModelParts, ReadText, Shapes, Sizes
from fofe.features.fofe import scan, scan_back
from fofe.features.fragments import Fragments, covered_tokens

CNN = "character_cnn"
SPELT = "spelt"


SpeltFragments = tuple[Spelling, IntArray, IntArray]
"""The characters of F fragments: a spelling, where each begins in it [F], and where it ends [F]."""


def spelt_fragments(text: ReadText, fragments: Fragments, encoder: Encoder) -> SpeltFragments:
    """Spell the words of fragments, once for all features that read the same ones.

    Only runs of words that fragments cover are spelt: behind a gate these are few.
    """
    if SPELT not in text.shared:
        covered = covered_tokens(fragments, text.token_count)
        tokens = np.flatnonzero(covered)
        previous = np.append(False, covered[:-1]) & ~text.starts()
        run_starts = np.flatnonzero(covered & ~previous)
        position = running_sums(covered) - 1
        spelling = encoder.spell(
            [text.words[token] for token in tokens.tolist()], np.append(position[run_starts], len(tokens))
        )
        starts, ends = spelling.word_starts, spelling.word_ends
        text.shared[SPELT] = spelling, starts[position[fragments.firsts]], ends[position[fragments.lasts]]
    spelt: SpeltFragments = text.shared[SPELT]
    return spelt


class CharacterFofe(Feature):
    """The codes of a fragment's characters, left to right and right to left."""

    torch_module = "fofe.features.characters_torch"
    setting, module = "fofe", "characters"
    sides = ("character_left", "character_right")

    @classmethod
    def columns(cls, config: ModelConfig) -> dict[str, int]:
        used = getattr(config.characters, cls.setting)
        return dict.fromkeys(cls.sides if used else (), config.characters.dimension)

    @classmethod
    def shapes(cls, config: ModelConfig, sizes: Sizes) -> Shapes:
        """The vectors of characters."""
        return {f"{cls.module}.weight": (sizes.alphabet, config.characters.dimension)}

    def __init__(self, model: ModelParts) -> None:
        self._encoder = model.encoder
        self._factor = model.config.characters.factor
        self._vectors = model.weights[f"{self.module}.weight"]
        self._left, self._right = (np.ascontiguousarray(model.columns[side]) for side in self.sides)

    def of(self, text: ReadText, fragments: Fragments) -> Addend:
        spelling, first, end = spelt_fragments(text, fragments, self._encoder)
        vectors = self._vectors.take(spelling.characters, axis=0)
        # [C, D]: the codes up to each character, and from the end back to it.
        prefixes = scan(vectors, self._factor, spelling.starts(), few_and_long=True)
        suffixes = scan_back(vectors, self._factor, spelling.ends(), few_and_long=True)
        suffixes = np.ascontiguousarray(suffixes)

        def add_to(hidden: FloatArray, part: slice) -> None:
            starts, ends = first[part], end[part]
            # Every word follows a space symbol and is followed by one: start - 1 and end always exist.
            forgotten = (self._factor ** (ends - starts)).astype(np.float32)[:, None]
            left = prefixes.take(ends - 1, axis=0) - forgotten * prefixes.take(starts - 1, axis=0)
            right = suffixes.take(starts, axis=0) - forgotten * suffixes.take(ends, axis=0)
            hidden += left @ self._left
            hidden += right @ self._right

        return add_to


class Initials(CharacterFofe):
    """The codes of the first characters of a fragment's words: sums over these words, which are few.

    The authors' program has this feature, the paper does not mention it.
    """

    setting = module = "initials"
    sides = ("initials_left", "initials_right")

    def of(self, text: ReadText, fragments: Fragments) -> Addend:
        assert self._encoder.alphabet is not None, "a model that reads characters has an alphabet"
        initials = self._vectors[self._encoder.alphabet.rows("".join([word[0] for word in text.words]))]
        # [T, H] what the initials of words add as the last and as the first of a fragment.
        last_adds, first_adds = initials @ self._left, initials @ self._right

        def add_to(hidden: FloatArray, part: slice) -> None:
            firsts, lasts = fragments.firsts[part], fragments.lasts[part]
            for distance in range(int((lasts - firsts).max(initial=-1)) + 1):
                longer = np.flatnonzero(lasts - firsts >= distance)
                added = last_adds[lasts[longer] - distance] + first_adds[firsts[longer] + distance]
                hidden[longer] += np.float32(self._factor**distance) * added

        return add_to


class CharacterCnn(Feature):
    """Kernels of several heights over a fragment's characters, and the maximum of each."""

    torch_module = "fofe.features.characters_torch"

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        characters = config.characters
        return {CNN: characters.kernels * len(characters.heights)} if characters.cnn else {}

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """The vectors of characters and the kernels."""
        return Convolution.shapes(CNN, sizes.alphabet, config.characters)

    def __init__(self, model: ModelParts) -> None:
        self._encoder = model.encoder
        self._settings = model.config.characters
        self._convolution = Convolution(CNN, model.weights, self._settings)
        self._weight = np.ascontiguousarray(model.columns[CNN])

    def of(self, text: ReadText, fragments: Fragments) -> Addend:
        spelling, starts, ends = spelt_fragments(text, fragments, self._encoder)
        characters = spelling.characters
        if self._settings.padding:
            behind = max(self._settings.heights)
            characters, starts, ends = padded(characters, starts, ends, self._convolution.zero, behind)
        maxima = self._convolution.of(characters, int((ends - starts).max(initial=1)))

        def add_to(hidden: FloatArray, part: slice) -> None:
            hidden += maxima(starts[part], ends[part]) @ self._weight

        return add_to


def padded(
    characters: IntArray, starts: IntArray, ends: IntArray, zero: int, behind: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Some ranges [R] of characters [C] as a stream of their own, with one zero before and some behind each.

    Returns the stream and the half-open ranges [R] in it, zeros included.
    """
    lengths = ends - starts + 1 + behind
    new_ends = running_sums(lengths)
    new_starts = new_ends - lengths
    source = np.arange(lengths.sum()) - np.repeat(new_starts + 1 - starts, lengths)
    inside = (source >= np.repeat(starts, lengths)) & (source < np.repeat(ends, lengths))
    stream = np.full(len(source), zero, dtype=characters.dtype)
    stream[inside] = characters[source[inside]]
    return stream, new_starts, new_ends


class Convolution:
    """Kernels of several heights over characters."""

    @staticmethod
    def shapes(name: str, alphabet: int, settings: CharacterConfig) -> Shapes:
        """The weights of a convolution that is stored under a name."""
        shapes: Shapes = {f"{name}.embedding.weight": (alphabet, settings.dimension)}
        for number, height in enumerate(settings.heights):
            shapes[f"{name}.weights.{number}"] = (settings.dimension, height * settings.kernels)
            shapes[f"{name}.biases.{number}"] = (settings.kernels,)
        return shapes

    def __init__(self, name: str, weights: Mapping[str, FloatArray], settings: CharacterConfig) -> None:
        self._activation = settings.activation
        # For each height, what the characters add at each place of a kernel: [A + 1, kernels]. The last row
        # is that of a zero vector, with which ranges are padded.
        self.zero = len(weights[f"{name}.embedding.weight"])
        self._projected: list[Sequence[FloatArray]] = []
        for number, height in enumerate(settings.heights):
            added = weights[f"{name}.embedding.weight"] @ weights[f"{name}.weights.{number}"]
            added = np.append(added, np.zeros_like(added[:1]), axis=0)
            places = [np.ascontiguousarray(place) for place in np.split(added, height, axis=1)]
            places[0] += weights[f"{name}.biases.{number}"]
            self._projected.append(places)

    def of(self, characters: IntArray, longest: int) -> Callable[[IntArray, IntArray], FloatArray]:
        """A function of half-open ranges [R] of the characters [C], each of at most `longest` of them.

        It gives the maxima [R, kernels * heights] over the windows wholly inside each range, 0 without any.
        """
        tables = []
        for projected in self._projected:
            count = max(0, len(characters) - len(projected) + 1)
            sums = projected[0].take(characters[:count], axis=0)
            for place in range(1, len(projected)):
                sums += projected[place].take(characters[place : place + count], axis=0)
            tables.append((len(projected), RangeMaxima(sums, longest)))

        def maxima(starts: IntArray, ends: IntArray) -> FloatArray:
            parts = [table.maxima(starts, ends - height + 1) for height, table in tables]
            sums: FloatArray = np.concatenate(parts, axis=1)
            return np.tanh(sums) if self._activation == "tanh" else np.maximum(sums, 0, out=sums)

        return maxima


class RangeMaxima:
    """Maxima of any range of rows in constant time: level k holds those of all windows of 2^k rows."""

    def __init__(self, rows: FloatArray, longest: int) -> None:
        """`rows` is [T, D]; ranges are at most `longest` rows long."""
        self._count, width = rows.shape
        levels = max(1, min(longest, self._count).bit_length())
        # One row more than there are: the zeros that an empty range gives.
        table = np.zeros((levels * self._count + 1, width), dtype=rows.dtype)
        table[: self._count] = rows
        for level in range(1, levels):
            half = 1 << (level - 1)
            start, end = level * self._count, (level + 1) * self._count - 2 * half + 1
            below = table[start - self._count : start]
            np.maximum(below[: end - start], below[half : half + end - start], out=table[start:end])
        self._table = table

    def maxima(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The maximum [R, D] of each half-open range; 0 where a range is empty."""
        levels = np.frexp(ends - starts)[1] - 1  # floor(log2)
        first = levels * self._count + starts
        last = levels * self._count + ends - (1 << np.maximum(levels, 0))
        empty = ends <= starts
        first[empty] = last[empty] = len(self._table) - 1
        result: FloatArray = self._table.take(first, axis=0)
        np.maximum(result, self._table.take(last, axis=0), out=result)
        return result
