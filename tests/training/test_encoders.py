"""Models that see words through language models, frozen or fine-tuned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import fofe
from fofe.base.errors import FofeError
from fofe.model.storage import load_model
from fofe.training.callback import Callback
from fofe.training.config import RunConfig, load_config
from fofe.training.run import Run, train


def configured(path: Path, encoder: Path, **overrides: Any) -> RunConfig:
    views = [
        {"name": "words", "lookup": "cased", "dimension": 8},
        {"name": "lm", "lookup": "encoder", "dimension": 5, "encoder": str(encoder)},
        {"name": "window", "lookup": "window", "dimension": 4},
    ]
    settings = {"model.views": views, "training.epochs": 2} | overrides
    return load_config(path, settings)


def test_a_model_with_an_encoder_is_stored_whole(tiny_config: Path, encoder: Path, tmp_path: Path) -> None:
    path = train(configured(tiny_config, encoder), tmp_path / "run")
    assert (path / "encoders" / "lm" / "model.safetensors").read_bytes() == (
        encoder / "model.safetensors"
    ).read_bytes()
    with pytest.raises(FofeError, match="distil"):
        fofe.load(path)
    text = "Anna Berg met the mayor of Bergen."
    found = fofe.load(path, engine="torch")(text)
    moved = path.rename(tmp_path / "elsewhere")
    assert fofe.load(moved, engine="torch")(text) == found, "a model needs nothing outside its directory"


def test_a_run_with_an_encoder_goes_on_after_a_kill(tiny_config: Path, encoder: Path, tmp_path: Path) -> None:
    config = configured(tiny_config, encoder, **{"training.encoder_cache": str(tmp_path / "cache")})
    whole = load_file(train(config, tmp_path / "whole") / "model.safetensors")
    run = Run(config, tmp_path / "killed", Callback(), command="test")
    run.callback.end_epoch = interrupt  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        run.train()
    resumed = load_file(train(config, tmp_path / "killed", resume=True) / "model.safetensors")
    assert resumed.keys() == whole.keys()
    assert all(np.array_equal(resumed[name], whole[name]) for name in whole)


def interrupt(metrics: dict[str, Any]) -> None:
    raise KeyboardInterrupt


def test_fine_tuning_changes_the_encoder_of_the_model_alone(
    tiny_config: Path, encoder: Path, tmp_path: Path
) -> None:
    before = (encoder / "model.safetensors").read_bytes()
    config = configured(tiny_config, encoder, **{"training.encoder_rate": 0.01, "training.epochs": 3})
    path = train(config, tmp_path / "run")
    assert (encoder / "model.safetensors").read_bytes() == before
    assert (path / "encoders" / "lm" / "model.safetensors").read_bytes() != before
    metrics = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert metrics[-1]["loss"] < metrics[0]["loss"]
    stored = load_model(path)
    assert stored.training["dev"]["f1"] == pytest.approx(
        max(line.get("dev_f1", 0) for line in metrics), abs=1e-3
    )


def test_an_encoder_view_needs_an_encoder(tiny_config: Path, encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(FofeError, match="directory of a language model"):
        load_config(tiny_config, {"model.views": [{"name": "lm", "lookup": "encoder"}]})
    with pytest.raises(FofeError, match=r"config\.json"):
        train(configured(tiny_config, tmp_path / "nothing"), tmp_path / "run")
    views = [{"name": "lm", "lookup": "encoder", "encoder": str(encoder), "layers": 2}]
    with pytest.raises(FofeError, match="only 1 layer"):
        train(load_config(tiny_config, {"model.views": views}), tmp_path / "run")
