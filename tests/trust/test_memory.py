"""Memory is bounded for any text, sentences without end and endless lines, and scores stay the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.conftest import make_model, make_text

from fofe.base.report import counted
from fofe.cli import main
from fofe.decode import Decoding
from fofe.features import config as config_module
from fofe.features import surroundings
from fofe.features.config import ModelConfig, ViewConfig
from fofe.model.engine import Engine
from fofe.model.ensemble import Ensemble
from fofe.model.gate import GateSettings
from fofe.model.storage import StoredModel
from fofe.tagging import batching, sources
from fofe.tagging import model as tagger
from fofe.tagging.model import Model, load
from fofe.text.document import Document

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

__all__ = ["make_model", "make_text"]

LABELS = ("NONE", "A", "B", "C")
MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]


def gated(parts: RandomModel, seed: int) -> StoredModel:
    """A random model with a random gate."""
    random = np.random.default_rng(seed)
    gate = GateSettings(width=4, window=2, cut=-0.5, recall=1.0, passed=0.5)
    weights = {
        name: random.normal(size=shape).astype(np.float32)
        for name, shape in gate.shapes(parts.config.isolated_width).items()
    }
    return StoredModel(
        model=parts.config,
        labels=LABELS,
        decoding=Decoding(threshold=0.3, nested=bool(seed % 2), agreement=float(seed % 3)),
        vocabularies=parts.encoder.vocabularies,
        alphabet=parts.encoder.alphabet,
        names=parts.encoder.names,
        weights=parts.weights | weights,
        gate=gate,
    )


def without_surroundings(make_model: MakeModel, seed: int) -> RandomModel:
    return make_model(seed, replace(make_model(seed).config, surroundings=None))


def cut_up(monkeypatch: pytest.MonkeyPatch, *, part: int = 8) -> None:
    """Make windows small, so that texts of a few hundred words are long."""
    monkeypatch.setattr(batching, "LONG_SENTENCE", 2 * part)
    monkeypatch.setattr(batching, "PART", part)
    monkeypatch.setattr(tagger, "TOKENS_AT_ONCE", 2 * part)


def same(found: Document, expected: Document) -> None:
    """Assert that two documents have the same mentions, with scores within 1e-6."""
    spans = [[(one.start, one.end, one.label) for one in document.mentions] for document in (found, expected)]
    assert spans[0] == spans[1]
    for one, other in zip(found.mentions, expected.mentions, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-6)
        assert dict(one.alternatives) == pytest.approx(dict(other.alternatives), abs=2e-6)


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("kind", ["numpy", "torch", "ensemble"])
def test_windows_of_a_sentence_have_its_scores(
    kind: str, seed: int, make_model: MakeModel, make_text: MakeText
) -> None:
    """All features: window views, context layers, gates, gazetteers, segmenters, agreement, nesting."""
    member = gated(without_surroundings(make_model, seed), seed)
    stored: StoredModel | Ensemble = member
    if kind == "ensemble":
        config = replace(member.config, characters=replace(member.config.characters, cnn=True))
        other = gated(make_model(seed + 1, config), seed + 1)
        stored = Ensemble((Path("a"), Path("b")), (member, other), (0.4, 0.6), member.decoding)
    scorer = partial(tagger._torch_engine, device="cpu") if kind == "torch" else tagger.numpy_engine
    model = Model(stored, scorer=scorer).with_options(alternatives=3)
    (long,) = make_text(seed, sentences=1, longest=600)
    short = make_text(seed + 1, sentences=2)
    documents = [Document.from_words([short[0], long, short[1]]), Document.from_words([long])]
    whole = list(model.tag_documents(documents))
    with pytest.MonkeyPatch.context() as monkeypatch:
        cut_up(monkeypatch)
        for found, expected in zip(model.tag_documents(documents), whole, strict=True):
            same(found, expected)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_windows_with_installed_models(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(f"fofe_{language}")
    text = {
        "en": "Anna Berg met the mayor of Bergen , the founder of Acme and Li Wei of the University , ",
        "zh": "北京大学的李伟在中国人民银行说上海市长王小明来了，他们都住在广州市东山区的朋友家里",
    }[language]
    random = np.random.default_rng(1)
    pieces = text.split() if " " in text else list(text)
    order = [number for start in random.integers(len(pieces), size=90) for number in range(start, start + 9)]
    words = [pieces[number % len(pieces)] for number in order]
    model = load(language).with_options(alternatives=1)
    (whole,) = model.tag_tokens([words])
    assert len(whole.mentions) > 20
    cut_up(monkeypatch, part=64)
    (found,) = model.tag_tokens([words])
    same(found, whole)


def test_sentences_beside_one_without_end_see_the_same_subjects(
    make_model: MakeModel, make_text: MakeText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a sentence is about is that of its window where it is cut, but others see it as before."""
    for module in (surroundings, config_module):
        monkeypatch.setattr(module, "FAR", 40)
    views = (ViewConfig("cased", "cased", 4), ViewConfig("window", "window", 3, dilations=(1, 2)))
    config = ModelConfig(max_words=3, surroundings="cased", views=views, hidden=(8,))
    model = Model(replace(gated(make_model(3, config), 3), gate=None)).with_options(for_recall=True)
    text = make_text(4, sentences=12)
    text[5] = make_text(5, sentences=1, longest=900)[0]
    (whole,) = model.tag_documents([Document.from_words(text)])
    cut_up(monkeypatch)
    (found,) = model.tag_documents([Document.from_words(text)])
    long = found.sentences[5]
    for document in (found, whole):
        document.mentions = [one for one in document.mentions if not long.start <= one.start < long.end]
    assert len(found.mentions) > 20
    same(found, whole)


def peak(work: Callable[[], object]) -> int:
    """The most bytes that were in use at a time during some work, beside those before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_a_sentence(tiny_model: Model) -> None:
    short, long = ([Document.from_words([["a"] * count])] for count in (8_000, 30_000))
    tag = tiny_model.tag_documents
    next(tag(short))  # words that are new, and what is imported late
    # A kilobyte a token would be 22 MB more. Where its parts begin takes 70 bytes for each 256.
    assert peak(lambda: next(tag(long))) < peak(lambda: next(tag(short))) + 2_000_000


def test_work_on_a_long_sentence_can_be_stopped(tiny_model: Model) -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        next(tiny_model.tag_documents([Document.from_words([["a"] * 20_000])], check=check))
    assert calls == 3


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab \n\té😀")))
def test_parts_of_lines_are_the_lines(text: str) -> None:
    lines = text.encode().splitlines(keepends=True)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(sources, "LONG_LINE", 9)
        read = list(sources._text_lines(BytesIO(text.encode())))
    for number, line in enumerate(lines, start=1):
        parts = [(part, content.decode()) for of, part, content in read if of == number]
        if len(line) < 9:
            assert parts == [(0, line.decode())]
        assert "".join(content for _, content in parts).split() == line.decode().split()
        assert all(len(content.encode()) <= 9 for _, content in parts)
    assert {number for number, _, _ in read} == set(range(1, len(lines) + 1))


def tag_in_parts(
    path: Path, model: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, list[dict[str, Any]], str]:
    """The exit code of `fofe tag`, the documents that it wrote, and its messages."""
    code = main(["tag", "-m", str(model), *options, str(path)])
    output, messages = capsys.readouterr()
    return code, [json.loads(line) for line in output.splitlines()], messages


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_line_that_is_too_long_is_tagged_in_parts(
    workers: str,
    tiny_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "long.txt"
    path.write_text(f"Nobody came.\n{'Anna Berg met Omar Haddad. ' * 3}\nIt rained.\n", "utf-8")
    monkeypatch.setattr(sources, "LONG_LINE", 30)
    code, documents, messages = tag_in_parts(path, tiny_path, capsys, "--workers", workers)
    assert code == 0
    parts = [(f"{path}:2:{number}", "Anna Berg met Omar Haddad. ") for number in (1, 2, 3)]
    assert [(one["id"], one["text"]) for one in documents] == [
        (f"{path}:1", "Nobody came."),
        *parts,
        (f"{path}:3", "It rained."),
    ]
    for document in documents[1:4]:
        assert "Anna Berg" in [document["text"][one["start"] : one["end"]] for one in document["mentions"]]
    assert f"{counted(1, sources.IN_PARTS)} (first: {path}:2)" in messages


def test_a_line_of_json_that_is_too_long_is_left_out(
    tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.jsonl"
    lines = [json.dumps({"id": str(number), "text": "a " * number}) for number in (1, 500, 2)]
    path.write_text("\n".join(lines), "utf-8")
    monkeypatch.setattr(sources, "MOST_BYTES", 100)
    code, documents, messages = tag_in_parts(path, tiny_path, capsys)
    assert code == 1
    assert [document["id"] for document in documents] == ["1", "2"]
    assert f"{path}:2: is longer than" in messages
    path = path.with_suffix(".txt")
    path.write_text("a " * 500, "utf-8")
    code, documents, messages = tag_in_parts(path, tiny_path, capsys, "--unit", "file")
    assert (code, documents) == (2, [])
    assert f"{path}: is longer than" in messages
    assert "leave --unit file out" in messages


@pytest.mark.skipif(sys.platform != "linux", reason="the most memory is known from /proc")
def test_a_long_line_takes_no_more_memory_than_a_short_one(tiny_path: Path) -> None:
    """From a pipe, whose length nobody knows."""

    def most(megabytes: int) -> int:
        code = (
            "import sys; from pathlib import Path; from fofe.cli import main; assert main(sys.argv[1:]) == 0;"
            "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
        )
        command = [sys.executable, "-c", code, "tag", "-m", str(tiny_path), "-o", os.devnull]
        ended = subprocess.run(
            command, input=(b"Anna" + b" " * 65_532) * megabytes * 16, stdout=subprocess.PIPE, check=True
        )
        return int(ended.stdout) >> 10

    assert most(64) < most(4) + 30


def test_scores_do_not_depend_on_what_came_before(make_model: MakeModel, make_text: MakeText) -> None:
    """Not even in the last bit: words are computed alike whichever are new together."""
    views = (
        ViewConfig("cased", "cased", 100),
        ViewConfig("spelling", "spelling", 64),
        ViewConfig("window", "window", 128, dilations=(1, 2), context_layers=1),
    )
    for seed in range(3):
        stored = gated(make_model(seed, ModelConfig(views=views, hidden=(64,))), seed)
        text = make_text(seed, sentences=20)
        engine = Engine(stored.config, stored.encoder, stored.weights, stored.gate)
        expected = engine.score(text).probabilities
        for sentences in (text[:1], text[7:], [[word] for sentence in text for word in sentence]):
            used = engine.fresh()
            for sentence in sentences:
                used.score([sentence])
            assert np.array_equal(used.score(text).probabilities, expected)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_tagged_together_has_the_scores_that_it_has_alone(
    seed: int, make_model: MakeModel, make_text: MakeText
) -> None:
    """Within 1e-6; the same call again has them to the last bit."""
    config = replace(make_model(seed, ModelConfig(hidden=(256, 128))).config, surroundings=None)
    model = Model(gated(make_model(seed, config), seed)).with_options(alternatives=2, for_recall=True)
    text = make_text(seed, sentences=60)
    together = list(model.tag_tokens(text))
    assert sum(len(document.mentions) for document in together) > 20
    for found, sentence in zip(together, text, strict=True):
        (alone,) = model.tag_tokens([sentence])
        same(found, alone)
    assert list(model.tag_tokens(text)) == together
    assert list(model.fresh().tag_tokens(text)) == together


def test_memory_of_a_long_text_is_given_back(tiny_path: Path) -> None:
    """Of a text that was tagged several times, no more than half of what it took remains."""
    code = (
        "import sys, fofe\n"
        "def megabytes():\n"
        "    return int(open('/proc/self/status').read().split('VmRSS:')[1].split()[0]) >> 10\n"
        "model = fofe.load(sys.argv[1])\n"
        "model('Anna Berg met Li Wei. ' * 50)\n"
        "before = megabytes()\n"
        "for _ in range(4):\n"
        "    document = model('Anna Berg met Li Wei. ' * 40_000)\n"
        "    most = megabytes()\n"
        "    del document\n"
        "print(before, most, megabytes())\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tiny_path)], check=True, capture_output=True, text=True
    )
    before, most, after = map(int, told.stdout.split())
    assert after - before < (most - before) / 2, f"{before} MB before, {most} with the text, {after} after"
