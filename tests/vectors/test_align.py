"""Adding the words of other vectors to word vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fofe.base.errors import FofeError
from fofe.cli import main
from fofe.formats.vectors import WordVectors, read_vectors, write_vectors
from fofe.vectors import align as align_vectors
from fofe.vectors.align import add_words

SHARED = 400
"""How many words are written the same in both languages."""


@pytest.fixture
def languages() -> tuple[WordVectors, WordVectors]:
    """Two languages whose words mean the same, one after the other, and whose spaces are rotated and noisy.

    The first words are names that both have; the others are written differently.
    """
    random = np.random.default_rng(3)
    meanings = random.normal(size=(1200, 12))
    rotation, _ = np.linalg.qr(random.normal(size=(12, 12)))
    some = meanings + 0.05 * random.normal(size=meanings.shape) + 2
    other = np.concatenate([3 * meanings @ rotation, np.zeros((1200, 4))], axis=1)
    other += 0.05 * random.normal(size=other.shape) - 1
    names = [f"name{number}" for number in range(SHARED)]
    words = [[*names, *(f"{language}{number}" for number in range(SHARED, 1200))] for language in "ab"]
    return WordVectors(words[0], some.astype(np.float32)), WordVectors(words[1], other.astype(np.float32))


def test_words_of_like_meaning_lie_together(languages: tuple[WordVectors, WordVectors]) -> None:
    some, others = languages
    joined = add_words(some, others)
    assert joined.words == [*some.words, *others.words[SHARED:]]
    assert np.array_equal(joined.vectors[:1200], some.vectors), "the vectors themselves stay"
    centred = joined.vectors - some.vectors.mean(axis=0)
    own, aligned = centred[SHARED:1200], centred[1200:]
    cosines = (own @ aligned.T) / np.linalg.norm(own, axis=1)[:, None] / np.linalg.norm(aligned, axis=1)
    assert (cosines.argmax(axis=1) == np.arange(len(own))).mean() > 0.95
    lengths = [np.linalg.norm(part, axis=1).mean() for part in (own, aligned)]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.05)


def test_vectors_of_the_same_language_keep_their_lengths() -> None:
    random = np.random.default_rng(3)
    here = random.normal(size=(600, 12)) * random.uniform(0.2, 3, size=(600, 1))
    rotation, _ = np.linalg.qr(random.normal(size=(12, 12)))
    there = 3 * here @ rotation - 1
    words = [str(number) for number in range(600)]
    some = WordVectors(words[:500], here[:500].astype(np.float32))
    joined = add_words(some, WordVectors(words[100:], there[100:].astype(np.float32)), same_language=True)
    assert joined.words == words
    difference = np.linalg.norm(joined.vectors[500:] - here[500:], axis=1)
    assert (difference < 0.1 * np.linalg.norm(here[500:], axis=1) + 0.1).all()


def test_pairs_are_looked_for_in_parts(
    languages: tuple[WordVectors, WordVectors], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = add_words(*languages).vectors
    monkeypatch.setattr(align_vectors, "ROWS_AT_ONCE", 100)
    assert np.allclose(add_words(*languages).vectors, whole, atol=1e-4)


def test_languages_that_share_nothing_are_refused(languages: tuple[WordVectors, WordVectors]) -> None:
    some, others = languages
    strange = WordVectors([f"x{word}" for word in others.words], others.vectors)
    with pytest.raises(FofeError, match="the vectors share 0 words of 4 letters or more"):
        add_words(some, strange)


def test_the_command(
    languages: tuple[WordVectors, WordVectors], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / name) for name in ("some.bin", "others.bin", "joined.npz")]
    for vectors, path in zip(languages, paths, strict=False):
        write_vectors(vectors, path, "binary")
    assert main(["vectors", "add", *paths]) == 0
    assert "800 words added to 1200" in capsys.readouterr().err
    assert read_vectors(paths[2]).words == add_words(*languages).words
    assert main(["vectors", "add", *paths[:2], str(tmp_path / "joined")]) == 2
    assert main(["vectors", "add", *paths[:2], paths[0]]) == 2
    assert "is the input itself" in capsys.readouterr().err
    assert len(read_vectors(paths[0]).words) == 1200, "nothing is lost"
