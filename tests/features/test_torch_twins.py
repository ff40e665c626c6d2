"""What the network is built from: gradients against finite differences, ranges, dropout."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fofe.features import fofe
from fofe.features.batch import NOTHING_DROPPED, Dropout, contextual_name, positions_name
from fofe.features.characters_torch import range_maximum, window_sums
from fofe.features.config import LEFT_EXCLUDING, LEFT_INCLUDING, RIGHT_INCLUDING, ModelConfig, ViewConfig
from fofe.features.fofe_torch import codes_both, scan_both
from fofe.features.word_codes_torch import WordCodes


def doubles(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)


def marks(length: int, *places: int) -> torch.Tensor:
    made = torch.zeros(length, dtype=torch.bool)
    made[list(places)] = True
    return made


@pytest.mark.parametrize("factor", [0.3, 0.9])
def test_scans_and_their_gradients(factor: float) -> None:
    values = doubles(9, 2)
    starts, ends = marks(9, 0, 1, 5), marks(9, 0, 4, 8)
    plain = values.detach().numpy()
    left, right = scan_both(values, factor, starts, ends)
    assert left.detach().numpy() == pytest.approx(fofe.scan(plain, factor, starts.numpy()), abs=1e-6)
    assert right.detach().numpy() == pytest.approx(fofe.scan_back(plain, factor, ends.numpy()), abs=1e-6)
    assert torch.autograd.gradcheck(lambda rows: scan_both(rows, factor, starts, ends), values)


@pytest.mark.parametrize("factor", [0.3, 0.9])
def test_codes_of_stretches_are_those_of_a_scan(factor: float) -> None:
    values = doubles(60, 2)
    starts, ends = torch.tensor([0, 3, 10, 59]), torch.tensor([60, 3, 25, 60])
    left, right = codes_both(values, factor, starts, ends)
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        first, last = marks(end - start, *[0][: end - start]), marks(end - start, *[-1][: end - start])
        prefixes, suffixes = scan_both(values[start:end], factor, first, last)
        nothing = torch.zeros(2, dtype=torch.float64)
        assert torch.allclose(left[row], prefixes[-1] if end > start else nothing, atol=1e-6)
        assert torch.allclose(right[row], suffixes[0] if end > start else nothing, atol=1e-6)
    assert torch.autograd.gradcheck(lambda rows: codes_both(rows, factor, starts, ends), values)


def test_contextual_vectors_have_a_factor_of_their_own() -> None:
    codes = (LEFT_INCLUDING, LEFT_EXCLUDING, RIGHT_INCLUDING)
    words = ViewConfig("words", "cased", dimension=2, codes=codes)
    lm = ViewConfig("lm", "encoder", dimension=3, codes=codes, encoder="lm", encoder_width=4, factor=0.2)
    made = WordCodes(ModelConfig(views=(words, lm), factor=0.5), alphabet_size=0)
    table, contextual = doubles(6, 2).detach().float(), doubles(6, 4).detach().float()
    batch = {
        "starts": marks(6, 0),
        "ends": marks(6, 5),
        positions_name("words"): torch.arange(6),
        "firsts": torch.tensor([2, 4]),
        "lasts": torch.tensor([3, 4]),
        "before": torch.tensor([1, 3]),
        "after": torch.tensor([4, 5]),
        contextual_name("lm"): contextual,
    }
    found = made(batch, {"words": table}, NOTHING_DROPPED)
    projected = made.modules["encoders"]["lm"](contextual)  # type: ignore[index]
    for fragment, (first, end) in enumerate([(2, 4), (4, 5)]):
        for code, read in zip(found, (range(end), range(first), range(first, 6)[::-1]), strict=True):
            steps = list(read)[::-1]  # the nearest first
            expected = [
                sum(factor**distance * vectors[token] for distance, token in enumerate(steps))
                for vectors, factor in ((table, 0.5), (projected, 0.2))
            ]
            assert torch.allclose(code[fragment], torch.cat(expected), atol=1e-6)  # type: ignore[arg-type]


def test_sums_over_windows_and_their_gradients() -> None:
    places = doubles(4, 3, 2)
    symbols = torch.tensor([3, 0, 0, 2, 3, 1])
    sums = window_sums(places, symbols)
    for window in range(4):
        expected = sum(places[symbols[window + place], place] for place in range(3))
        assert torch.allclose(sums[window], torch.as_tensor(expected))
    assert torch.autograd.gradcheck(lambda rows: window_sums(rows, symbols), places)
    assert window_sums(places, symbols[:2]).shape == (0, 2), "too short for a window"


def test_maximum_of_ranges() -> None:
    values = doubles(6, 2)
    starts, ends = torch.tensor([0, 2, 5, 4, 3]), torch.tensor([6, 3, 5, 2, 6])
    found = range_maximum(values, starts, ends)
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        expected = values[start:end].amax(0) if end > start else torch.zeros(2, dtype=torch.float64)
        assert torch.equal(found[row], expected)
    assert range_maximum(values, starts[:1], starts[:1]).tolist() == [[0, 0]]


@pytest.mark.parametrize("share", [0.1, 0.41, 0.9])
def test_dropout_drops_its_share_and_keeps_the_mean(share: float) -> None:
    dropped = Dropout(1)(torch.ones(400, 501), share).numpy()
    assert float((dropped == 0).mean()) == pytest.approx(share, abs=0.005)
    assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
    assert len(np.unique(dropped)) == 2


def test_dropout_is_drawn_from_its_seed_alone() -> None:
    ones = torch.ones(3, 7)
    assert torch.equal(Dropout(5)(ones, 0.5), Dropout(5)(ones, 0.5))
    assert not torch.equal(Dropout(5)(ones, 0.5), Dropout(6)(ones, 0.5))
    assert Dropout(5)(ones, 0.0) is ones


def test_dropout_of_nearly_everything_leaves_finite_numbers() -> None:
    assert torch.isfinite(Dropout(1)(torch.ones(50, 50), 0.999)).all()
