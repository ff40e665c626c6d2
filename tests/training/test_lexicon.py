"""Training with a view of all words that could hold a character."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fofe.cli import main
from fofe.model.storage import load_model
from fofe.tagging.model import load

CHINESE = """\
[data]
train = ["{corpus}"]
dev = "{corpus}"

[model]
language = "zh"
segmenter = "jieba"
max_words = 4
hidden = [16]

[[model.views]]
name = "character"
lookup = "cased"
dimension = 8

[[model.views]]
name = "word"
lookup = "word"
dimension = 8

[[model.views]]
name = "lexicon"
lookup = "lexicon"
dimension = 8
vectors = "{vectors}"
codes = []

[[model.views]]
name = "window"
lookup = "window"
dimension = 8

[model.characters]
fofe = false
cnn = false

[training]
epochs = 12
batch = 64
rate = 0.01
"""


def test_a_lexicon_is_learned_with_and_comes_along(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cities whose words the vectors list: a model finds them, and one that goes on from it knows them."""
    cities, random = ["北京", "上海", "天津", "大连"], np.random.default_rng(1)
    documents = []
    for number in range(60):
        city = cities[number % 4]
        text = f"我{'们' * int(random.integers(2))}在{city}住。"
        start = text.index(city)
        mention = {"start": start, "end": start + 2, "type": "GPE", "kind": "NAM"}
        documents.append(json.dumps({"id": str(number), "text": text, "mentions": [mention]}))
    corpus, vectors = tmp_path / "zh.jsonl", tmp_path / "words.vec"
    corpus.write_text("\n".join(documents), encoding="utf-8")
    rows = [
        f"{word} {' '.join(map(str, random.normal(size=8).round(3)))}" for word in [*cities, "我们", "住"]
    ]
    vectors.write_text("\n".join([f"{len(rows)} 8", *rows]), encoding="utf-8")
    config = tmp_path / "zh.toml"
    config.write_text(CHINESE.format(corpus=corpus, vectors=vectors), encoding="utf-8")
    run = tmp_path / "run"
    assert main(["train", str(config), "-o", str(run)]) == 0
    assert [mention.text for mention in load(run / "model")("我在上海住。").mentions] == ["上海"]
    further = ["train", str(config), "--from", str(run / "model"), "-o", str(tmp_path / "further")]
    assert main([*further, "--set", "training.epochs=1"]) == 0
    assert load_model(tmp_path / "further" / "model").vocabularies["lexicon"].words == [*cities, "我们", "住"]
    sharing = CHINESE.replace('vectors = "{vectors}"', 'table = "word"').replace(
        'lookup = "word"', 'lookup = "word"\nvectors = "{vectors}"'
    )
    config.write_text(sharing.format(corpus=corpus, vectors=vectors), "utf-8")
    one_table = tmp_path / "one-table"
    assert main(["train", str(config), "-o", str(one_table)]) == 0
    assert [mention.text for mention in load(one_table / "model")("我在上海住。").mentions] == ["上海"]
    assert not (one_table / "model" / "vocabulary.lexicon.txt").exists()
    config.write_text(CHINESE.format(corpus=corpus, vectors=vectors).replace("vectors =", "# "), "utf-8")
    assert main(["train", str(config), "--plan"]) == 2
    assert "a lexicon needs vectors" in capsys.readouterr().err
