"""Tagging with the network itself gives what the NumPy engine gives."""

from __future__ import annotations

import pytest

import fofe
from fofe.base.errors import FofeError
from fofe.tagging.model import Model

pytest.importorskip("torch")

TEXTS = [
    "Anna Berg met the mayor of Bergen.",
    "",
    "It was a quiet morning.",
    "Omar Haddad left Acme in Lima.",
]


def test_the_network_finds_the_same_mentions(tiny_model: Model) -> None:
    assert tiny_model.path is not None
    with_torch = fofe.load(tiny_model.path, engine="torch", device="cpu")
    exact = tiny_model.with_options(exact=True)
    for one, other in zip(with_torch.tag(TEXTS), exact.tag(TEXTS), strict=True):
        assert [(m.start, m.end, m.label) for m in one.mentions] == [
            (m.start, m.end, m.label) for m in other.mentions
        ]
        assert [m.score for m in one.mentions] == pytest.approx([m.score for m in other.mentions], abs=1e-5)


def test_an_unknown_engine_or_device_is_an_error(tiny_model: Model) -> None:
    assert tiny_model.path is not None
    with pytest.raises(FofeError, match="numpy, torch"):
        fofe.load(tiny_model.path, engine="tensorflow")
    with pytest.raises(FofeError, match="nowhere"):
        fofe.load(tiny_model.path, engine="torch", device="nowhere")
