"""Ensembles: mean probabilities of several models."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fofe
from fofe.base.errors import ModelError
from fofe.cli import main
from fofe.features.fragments import all_fragments
from fofe.model.engine import Engine, Scores
from fofe.model.ensemble import Ensemble, load_ensemble, save_ensemble
from fofe.model.storage import StoredModel, load_model, save_model

TEXT = "Anna Berg met the mayor of Bergen at the University of Leeds."
SENTENCES = [TEXT[:-1].split(), ["In", "Lima", "it", "rained"]]


def other_model(stored: StoredModel) -> StoredModel:
    """A model of its own: the weights of another, shaken, and its labels in another order."""
    random = np.random.default_rng(5)
    last = f"layers.{len(stored.config.hidden)}"
    order = [0, *(1 + random.permutation(len(stored.labels) - 1))]
    weights = {
        name: array + random.normal(scale=0.1, size=array.shape).astype(np.float32)
        for name, array in stored.weights.items()
    }
    weights |= {f"{last}.{part}": weights[f"{last}.{part}"][order] for part in ("weight", "bias")}
    return replace(
        stored,
        weights=weights,
        labels=tuple(stored.labels[column] for column in order),
        decoding=replace(stored.decoding, threshold=0.4),
    )


@pytest.fixture(scope="module")
def members(tiny_path: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("members")
    save_model(other_model(load_model(tiny_path)), folder / "other")
    return [tiny_path, folder / "other"]


def probabilities(path: Path, *, exact: bool) -> dict[tuple[int, int], dict[str, float]]:
    """The label probabilities of each fragment that a model judges."""
    stored = load_model(path)
    scores = Engine(stored.config, stored.encoder, stored.weights, stored.gate).score(SENTENCES, exact=exact)
    return by_fragment(scores, stored.labels)


def by_fragment(scores: Scores, labels: tuple[str, ...]) -> dict[tuple[int, int], dict[str, float]]:
    spans = zip(scores.fragments.firsts.tolist(), scores.fragments.lasts.tolist(), strict=True)
    return {
        span: dict(zip(labels, row.tolist(), strict=True))
        for span, row in zip(spans, scores.probabilities, strict=True)
    }


@pytest.mark.parametrize("exact", [True, False])
def test_the_probabilities_are_averaged(members: list[Path], tmp_path: Path, exact: bool) -> None:
    save_ensemble(Ensemble.of(members, (1, 3)), tmp_path / "both")
    model = fofe.load(tmp_path / "both")
    scores = model._engine.score(SENTENCES, exact=exact)
    found = by_fragment(scores, model.labels)
    of_members = [probabilities(path, exact=exact) for path in members]
    certain_none = {label: float(label == "NONE") for label in model.labels}
    assert set(found) == set(of_members[0]) | set(of_members[1])
    for span, row in found.items():
        for label, probability in row.items():
            a, b = (of_member.get(span, certain_none)[label] for of_member in of_members)
            assert probability == pytest.approx(0.25 * a + 0.75 * b, abs=1e-6)
    assert scores.fragments.firsts.tolist() == sorted(scores.fragments.firsts.tolist())
    if exact:
        every = all_fragments(scores.token_offsets, model.config.max_words)
        for name in ("sentences", "firsts", "lasts"):
            assert (getattr(scores.fragments, name) == getattr(every, name)).all()


def test_a_model_with_itself_is_that_model(tiny_path: Path, tmp_path: Path) -> None:
    save_ensemble(Ensemble.of([tiny_path, tiny_path]), tmp_path / "twice")
    twice, once = fofe.load(tmp_path / "twice"), fofe.load(tiny_path)
    assert twice.labels == once.labels
    assert twice.decoding == once.decoding
    one, two = once(TEXT).mentions, twice(TEXT).mentions
    assert [replace(mention, score=0) for mention in two] == [replace(mention, score=0) for mention in one]
    assert [mention.score for mention in two] == pytest.approx([mention.score for mention in one])
    assert two
    fresh = twice.fresh().with_options(alternatives=1, threshold=0.1)(TEXT)
    assert all(mention.alternatives for mention in fresh.mentions)


def test_the_directory_stands_alone_and_decodes_as_its_members_on_average(
    members: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "both"
    assert main(["model", "average", *map(str, members), "-o", str(output), "--weights", "1,1"]) == 0
    moved = tmp_path / "moved"
    output.rename(moved)
    ensemble = load_ensemble(moved)
    thresholds = [load_model(member).decoding.threshold for member in members]
    assert ensemble.decoding.threshold == pytest.approx(sum(thresholds) / 2)
    assert ensemble.weights == (0.5, 0.5)
    capsys.readouterr()
    assert main(["tag", "-m", str(moved), "-t", TEXT, "-f", "tsv"]) == 0
    assert "Anna Berg" in capsys.readouterr().out
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"text": "Anna Berg left.", "mentions": [[0, 9, "PER"]]}\n', encoding="utf-8")
    assert main(["evaluate", str(gold), "--model", str(moved)]) == 0
    assert "100.00" in capsys.readouterr().out
    assert main(["model", "inspect", str(moved)]) == 0
    assert "member-1, member-2" in capsys.readouterr().out


def test_members_must_agree(tiny_path: Path, tmp_path: Path) -> None:
    stored = load_model(tiny_path)
    save_model(replace(stored, labels=(*stored.labels[:-1], "XXX")), tmp_path / "labels")
    with pytest.raises(ModelError, match=r"labels: has other labels than .* labels, max_words and language"):
        save_ensemble(Ensemble.of([tiny_path, tmp_path / "labels"]), tmp_path / "x")
    save_model(replace(stored, model=replace(stored.config, max_words=3)), tmp_path / "short")
    with pytest.raises(ModelError, match=r"short: has other max_words than .*: 3, not 4"):
        save_ensemble(Ensemble.of([tiny_path, tmp_path / "short"]), tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"format": 2, "members": ["m"], "weights": [1]}',
        '{"format": 1, "members": [], "weights": []}',
        '{"format": 1, "members": ["m"], "weights": [1, 2]}',
        '{"format": 1, "members": [3], "weights": [1]}',
        '{"format": 1, "members": ["m"], "weights": ["1"]}',
        '{"format": 1, "members": ["m"], "weights": [0]}',
    ],
)
def test_a_broken_description(text: str, tmp_path: Path) -> None:
    (tmp_path / "ensemble.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="is not the description of an ensemble"):
        fofe.load(tmp_path)


def test_a_missing_member_is_named(members: list[Path], tmp_path: Path) -> None:
    save_ensemble(Ensemble.of(members), tmp_path / "both")
    shutil.rmtree(tmp_path / "both" / "member-2")
    with pytest.raises(ModelError, match="member-2: there is no such model directory"):
        fofe.load(tmp_path / "both")


def test_what_needs_one_model_says_so(
    members: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_ensemble(Ensemble.of(members), tmp_path / "both")
    assert main(["model", "compress", str(tmp_path / "both"), "-o", str(tmp_path / "small")]) == 2
    assert "is an ensemble, not one model (give one of its members)" in capsys.readouterr().err
    assert main(["model", "average", *map(str, members), "-o", str(tmp_path / "both")]) == 2
    assert "exists (choose another directory)" in capsys.readouterr().err
    assert main(["model", "average", *map(str, members), "-o", str(tmp_path / "y"), "--weights", "1"]) == 2
    assert "give 2 weights, one per model" in capsys.readouterr().err
