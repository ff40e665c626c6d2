"""A corpus and a model so small that a trial takes a moment."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore = [] if find_spec("optuna") and find_spec("torch") else ["test_search.py", "test_space.py"]

SENTENCES = ["Anna/PER met Berg/PER in Oslo/LOC .", "Oslo/LOC is far from Leeds/LOC .", "He saw Anna/PER ."]

CONFIG = """
[data]
train = ["train.conll"]
dev = "train.conll"

[model]
max_words = 2
hidden = [8]

[[model.views]]
name = "cased"
lookup = "cased"
dimension = 4

[model.characters]
cnn = false
dimension = 2

[training]
epochs = 4
batch = 32
rate = 0.01
average = 0.0
"""


@pytest.fixture
def config_path(tmp_path: Path) -> Path:
    """A configuration beside its corpus."""
    lines = []
    for sentence in SENTENCES * 2:
        for word in sentence.split():
            text, _, label = word.partition("/")
            lines.append(f"{text} {'B-' + label if label else 'O'}")
        lines.append("")
    (tmp_path / "train.conll").write_text("\n".join(lines), "utf-8")
    path = tmp_path / "config.toml"
    path.write_text(CONFIG, "utf-8")
    return path
