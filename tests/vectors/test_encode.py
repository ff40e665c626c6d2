"""Joining word vectors with what an encoder makes of the words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fofe.base.arrays import FloatArray
from fofe.cli import main
from fofe.features.language_models_torch import load_language_model
from fofe.formats.vectors import WordVectors, read_vectors, write_vectors
from fofe.vectors import encode

WORDS = [first + second + third for first in "abcde" for second in "aeiou" for third in "nrst"]


@pytest.fixture
def vectors() -> WordVectors:
    random = np.random.default_rng(3)
    return WordVectors(WORDS, random.normal(size=(len(WORDS), 6)).astype(np.float32))


@pytest.fixture
def file(vectors: WordVectors, tmp_path: Path) -> Path:
    write_vectors(vectors, tmp_path / "words.npz", "npz")
    return tmp_path / "words.npz"


def test_the_components_are_those_of_vectors_and_states(
    vectors: WordVectors, file: Path, encoder: Path, tmp_path: Path
) -> None:
    assert main(["vectors", "encode", str(file), str(encoder), str(tmp_path / "out.npz")]) == 0
    made = read_vectors(tmp_path / "out.npz")
    assert made.words == WORDS
    states = load_language_model(encoder).vectors([[word] for word in WORDS], 1).astype(np.float64)
    sides = [
        vectors.vectors - vectors.vectors.mean(axis=0),
        (states - states.mean(axis=0)) / states.std(axis=0),
    ]
    both = np.concatenate([side / np.linalg.norm(side, axis=1).mean() for side in sides], axis=1)
    left, singular, _ = np.linalg.svd(both, full_matrices=False)
    expected = left[:, :6] * singular[:6]
    # Components have no sign: compare the products of words.
    products, own = expected @ expected.T, made.vectors @ made.vectors.T
    assert own / np.abs(own).max() == pytest.approx(products / np.abs(products).max(), abs=0.01)
    lengths = [np.linalg.norm(part, axis=1).mean() for part in (vectors.vectors, made.vectors)]
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.npz", "words.npz"]


def test_an_interrupted_run_goes_on(
    file: Path, encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["vectors", "encode", str(file), str(encoder)]
    assert main([*command, str(tmp_path / "whole.npz"), "--dim", "3"]) == 0
    monkeypatch.setattr(encode, "WORDS_AT_ONCE", 40)
    vectors, given = read_vectors(file), {"dimension": 3, "layers": 1}
    write, read = (lambda made: write_vectors(made, tmp_path / "cut.npz", "npz")), 0

    def stop_once(words: int) -> None:
        nonlocal read
        read += words
        if read == 80:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode.with_encoder(vectors, encoder, tmp_path / "work", write, **given, advance=stop_once)
    model = load_language_model(encoder)
    asked: list[str] = []
    monkeypatch.setattr(encode, "load_language_model", lambda _: model)
    own = model.vectors

    def noted(words: list[list[str]], layers: int) -> FloatArray:
        asked.extend(one for (one,) in words)
        return own(words, layers)

    monkeypatch.setattr(model, "vectors", noted)
    encode.with_encoder(vectors, encoder, tmp_path / "work", write, **given, advance=lambda _: None)
    assert asked == WORDS[80:], "what was read before is not read again"
    whole, cut = (read_vectors(tmp_path / f"{name}.npz").vectors for name in ("whole", "cut"))
    assert cut == pytest.approx(whole, abs=1e-3)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize(
    ("encoder_name", "dimension", "problem"),
    [("encoder", "500", "500 dimensions are too many"), ("none", "3", "is no encoder: No such file")],
)
def test_what_cannot_be_joined_is_refused(
    encoder_name: str,
    dimension: str,
    problem: str,
    file: Path,
    encoder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = encoder if encoder_name == "encoder" else tmp_path / "none"
    out = tmp_path / "out.npz"
    assert main(["vectors", "encode", str(file), str(given), str(out), "--dim", dimension]) == 2
    assert problem in capsys.readouterr().err
    assert not out.exists()
