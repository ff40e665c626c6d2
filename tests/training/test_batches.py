"""Which fragments an epoch sees."""

from __future__ import annotations

from collections import Counter
from itertools import compress
from typing import Any

import numpy as np
import pytest

from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.encoded import Encoder
from fofe.features.vocabulary import Vocabulary
from fofe.training.annotation import LabelledSentence
from fofe.training.batches import RareWords, Sampler
from fofe.training.config import SamplingConfig
from fofe.training.examples import DISJOINT, EXACT, OVERLAPPING, Examples, make_examples
from fofe.training.recase import copies

WORDS = ["The", "mayor", "of", "New", "Delhi", "met", "seven", "people", "today", "."]
SENTENCE = LabelledSentence(WORDS, [(1, 2, "PER_NOM"), (3, 5, "GPE")])
SENTENCES = [SENTENCE] * 300
LABELS = ["NONE", "GPE", "PER_NOM"]


def sampler(
    config: SamplingConfig | None = None, *, seed: int = 1, batch: int = 64, shuffle: str = "sentences"
) -> tuple[Sampler, Examples]:
    vocabulary = Vocabulary(["the", "mayor", "seven"], cased=False, digits="shape")
    text = Encoder(ModelConfig(), {"uncased": vocabulary}, None).encode([s.words for s in SENTENCES])
    examples = make_examples(SENTENCES, LABELS, 4)
    config = config or SamplingConfig()
    words = WORDS * len(SENTENCES)
    rare = {"uncased": RareWords.of(words, np.ones(len(words), bool), vocabulary, config.replace_rare)}
    return Sampler(text, examples, rare, config, batch_size=batch, seed=seed, shuffle=shuffle), examples


def drawn(made: Sampler, epoch: int) -> Counter[int]:
    """How many fragments of each category an epoch has, by the places of the mentions."""
    counts: Counter[int] = Counter()
    mentions = {(start, end) for start, end, _ in SENTENCE.spans}
    for batch in made.epoch(epoch):
        for first, last, target in zip(
            batch.fragments.firsts % 10, batch.fragments.lasts % 10 + 1, batch.arrays["targets"], strict=True
        ):
            exact = (first, last) in mentions
            touching = any(first < end and start < last for start, end in mentions)
            counts[EXACT if exact else OVERLAPPING if touching else DISJOINT] += 1
            assert bool(target) == exact, "a fragment keeps its target"
    return counts


def test_sentences_in_other_cases() -> None:
    config = SamplingConfig(lower=0.3, upper=0.2, replace_rare=0)
    vocabulary = Vocabulary(["New", "new", "NEW", "Delhi", "delhi", "DELHI"], cased=True, digits="shape")
    words = [sentence.words for copy in copies(SENTENCES, config.cases) for sentence in copy]
    text = Encoder(ModelConfig(), {"cased": vocabulary}, None).encode(words)
    made = Sampler(text, make_examples(SENTENCES, LABELS, 4), {}, config, batch_size=64, seed=1)
    assert drawn(made, 0) == drawn(sampler(SamplingConfig(replace_rare=0))[0], 0)
    seen: Counter[str] = Counter()
    for batch in made.epoch(0):
        rows = batch.text.words["cased"] - len(vocabulary.unknowns)
        for first, last, target in zip(
            batch.fragments.firsts, batch.fragments.lasts, batch.arrays["targets"], strict=True
        ):
            if target and last > first:
                seen[" ".join(vocabulary.words[row] for row in rows[first : last + 1])] += 1
    assert set(seen) == {"New Delhi", "new delhi", "NEW DELHI"}
    assert seen["new delhi"] / 300 == pytest.approx(0.3, abs=0.08)
    assert seen["NEW DELHI"] / 300 == pytest.approx(0.2, abs=0.08)


def test_shares_of_each_category() -> None:
    made, examples = sampler()
    whole = Counter(examples.categories.tolist())
    counts = drawn(made, 0)
    assert counts[EXACT] == whole[EXACT] == 600
    assert counts[OVERLAPPING] / whole[OVERLAPPING] == pytest.approx(0.36, abs=0.03)
    assert counts[DISJOINT] / whole[DISJOINT] == pytest.approx(0.09, abs=0.03)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_none_or_all(share: float) -> None:
    made, examples = sampler(SamplingConfig(overlapping=share, disjoint=share))
    whole = Counter(examples.categories.tolist())
    counts = drawn(made, 0)
    assert counts[OVERLAPPING] == share * whole[OVERLAPPING]
    assert counts[DISJOINT] == share * whole[DISJOINT]


def epoch_of(made: Sampler, number: int) -> list[list[int]]:
    return [
        [
            *batch.fragments.firsts.tolist(),
            *batch.arrays["targets"].tolist(),
            *batch.text.words["uncased"].tolist(),
        ]
        for batch in made.epoch(number)
    ]


def test_every_epoch_is_drawn_anew_and_again_the_same() -> None:
    made, _ = sampler()
    assert epoch_of(made, 0) == epoch_of(sampler()[0], 0)
    assert epoch_of(made, 0) == epoch_of(made, 0), "whatever was drawn before"
    assert epoch_of(made, 0) != epoch_of(made, 1)
    assert epoch_of(made, 0) != epoch_of(sampler(seed=2)[0], 0)


def test_batches_are_about_as_large_as_wanted() -> None:
    made, _ = sampler(batch=100)
    sizes = [len(batch.fragments) for batch in made.epoch(0)]
    assert np.mean(sizes) == pytest.approx(100, rel=0.1)
    assert max(sizes) <= 100 + 34, "never more than one sentence over"
    assert len(sizes) == pytest.approx(made.batches_per_epoch(), rel=0.1)


def test_shuffled_fragments_are_the_same_in_other_company() -> None:
    whole, _ = sampler()
    mixed, _ = sampler(shuffle="fragments")
    assert drawn(mixed, 0) == drawn(whole, 0), "the draws of an epoch do not depend on what is shuffled"
    sizes = [len(batch.arrays["targets"]) for batch in mixed.epoch(0)]
    assert set(sizes[:-1]) == {64}
    assert 0 < sizes[-1] <= 64
    sentences = {"whole": next(whole.epoch(0)), "mixed": next(mixed.epoch(0))}
    assert len(sentences["mixed"].text) > 3 * len(sentences["whole"].text)
    assert epoch_of(mixed, 1) == epoch_of(mixed, 1) != epoch_of(mixed, 2)


def test_nothing_to_train_on_is_an_empty_epoch() -> None:
    made, _ = sampler(SamplingConfig(exact=0, overlapping=0, disjoint=0))
    assert list(made.epoch(0)) == []


def test_rare_words_are_shown_as_unknown_now_and_then() -> None:
    words = ["once", "twice", "twice", "Unlisted"] + ["often"] * 96
    vocabulary = Vocabulary(["once", "twice", "often"], cased=True, digits="shape")
    rare = RareWords.of(words, np.ones(len(words), bool), vocabulary, 0.5)
    chances = dict(zip(words, rare.probabilities.tolist(), strict=True))
    assert chances["once"] == pytest.approx(0.5 / 1.5)
    assert chances["twice"] == pytest.approx(0.5 / 2.5)
    assert chances["often"] == pytest.approx(0.5 / 96.5)
    assert chances["Unlisted"] == 0, "it is unknown anyway"
    unknowns = dict(zip(words, rare.unknown_rows.tolist(), strict=True))
    assert unknowns["once"] == 0
    assert unknowns["Unlisted"] == 1


def test_segmented_words_are_counted_and_replaced_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = LabelledSentence([*"北京人"], [(0, 2, "GPE")])
    vocabularies = {
        "character": Vocabulary([*"北京人"], cased=True, digits="shape"),
        "word": Vocabulary(["北京", "人"], cased=True, digits="shape"),
    }
    monkeypatch.setattr("fofe.features.encoded.segmenter", lambda _: lambda run: [run[:2], *run[2:]])
    made = Encoder(ModelConfig(segmenter="jieba", views=(ViewConfig("word", "word"),)), vocabularies, None)
    words = [sentence.words] * 3
    text = made.encode(words)
    assert text.positions_in_word is not None
    looked_up = {
        "character": ([*"北京人"] * 3, np.ones(9, bool)),
        "word": ([token.word for token in made.in_words(words)], text.positions_in_word == 0),
    }
    assert list(compress(*looked_up["word"])) == ["北京", "人"] * 3
    rare = {name: RareWords.of(*seen, vocabularies[name], 3.0) for name, seen in looked_up.items()}
    assert rare["word"].probabilities == pytest.approx(0.5), "three occurrences, however many characters"
    examples = make_examples([sentence] * 3, ["NONE", "GPE"], 3)
    drawn = Sampler(text, examples, rare, SamplingConfig(1, 1, 1), batch_size=100, seed=1)
    rows = np.concatenate(
        [batch.text.words["word"].reshape(-1, 3) for n in range(20) for batch in drawn.epoch(n)]
    )
    assert np.array_equal(rows[:, 0], rows[:, 1])
    assert len(np.unique(rows[:, 0])) == 2


def drawn_of_each(**options: Any) -> tuple[Counter[int], set[tuple[bool, float]]]:
    """How many fragments ten epochs draw of each of 300 sentences with one word, and their weights."""
    words = {"uncased": Vocabulary([], cased=False, digits="shape")}
    sentences = [LabelledSentence([f"w{number}"], [(0, 1, "GPE")]) for number in range(300)]
    text = Encoder(ModelConfig(), words, None).encode([sentence.words for sentence in sentences])
    examples = make_examples(sentences, LABELS, 1)
    numbers = {"uncased": RareWords(np.arange(300, dtype=np.int32), np.ones(300, np.float32), False)}
    made = Sampler(text, examples, numbers, SamplingConfig(), batch_size=64, seed=1, **options)
    counts: Counter[int] = Counter()
    weights: set[tuple[bool, float]] = set()
    for epoch in range(10):
        for batch in made.epoch(epoch):
            rows = batch.text.words["uncased"][batch.fragments.firsts]
            counts.update(rows.tolist())
            if "weights" in batch.arrays:
                weights |= set(zip((rows < 100).tolist(), batch.arrays["weights"].tolist(), strict=True))
    expected = sum(counts.values()) / 10 / 64
    assert made.batches_per_epoch() == pytest.approx(expected, abs=1)
    return counts, weights


def test_an_epoch_sees_a_share_of_a_corpus() -> None:
    shares = np.where(np.arange(300) < 100, 0.3, 1.0).astype(np.float32)
    counts, _ = drawn_of_each(shares=shares)
    assert all(counts[number] == 10 for number in range(100, 300))
    assert sum(counts[number] for number in range(100)) == pytest.approx(300, abs=50)
    assert len([number for number in range(100) if counts[number]]) > 90, "drawn anew each time"


def test_every_fragment_has_the_weight_of_its_corpus() -> None:
    weights = np.where(np.arange(300) < 100, 0.5, 2.0).astype(np.float32)
    assert drawn_of_each(weights=weights)[1] == {(True, 0.5), (False, 2.0)}
    assert drawn_of_each()[1] == set()


def test_without_replacement_words_stay() -> None:
    made, _ = sampler(SamplingConfig(replace_rare=0))
    row = Vocabulary(["the", "mayor", "seven"], cased=False, digits="shape").rows(WORDS).tolist()
    for batch in made.epoch(0):
        assert batch.text.words["uncased"].reshape(-1, 10).tolist() == [row] * len(batch.text)
