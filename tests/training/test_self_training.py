"""Mentions that annotation in doubt lacks."""

from __future__ import annotations

import json
import math
import random
import shutil
from pathlib import Path

import pytest

from fofe.decode import Candidate
from fofe.model.engine import Engine
from fofe.model.storage import load_model
from fofe.text.tokenise import tokeniser
from fofe.training.annotation import LabelledSentence
from fofe.training.callback import Callback
from fofe.training.config import RunConfig, load_config
from fofe.training.corpora import Corpora, read_corpora
from fofe.training.run import Run
from fofe.training.scoring import ScoredCorpus
from fofe.training.self_training import PseudoLabels, chances, find_missing, self_training_epochs

CORPUS = """\
[[corpus]]
name = "partial"
train = ["partial.jsonl"]
dev = "dev.jsonl"
unannotated = "in doubt"
nested = true

"""


class Recorder(Callback):
    """Keeps the messages, and interrupts a run if asked to."""

    def __init__(self, stop_in: int = 0) -> None:
        self.lines: list[str] = []
        self._stop_in = stop_in

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None:
        if epoch == self._stop_in:
            raise KeyboardInterrupt

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def partial(tiny_config: Path, tmp_path: Path) -> RunConfig:
    """The tiny corpus with half of its training mentions, whose sentences are in doubt."""
    shutil.copy(tiny_config.with_name("dev.jsonl"), tmp_path)
    draw = random.Random(1)
    lines = []
    for line in tiny_config.with_name("train.jsonl").read_text("utf-8").splitlines():
        document = json.loads(line)
        kept = [mention for mention in document["mentions"] if draw.random() < 0.5]
        lines.append(json.dumps({**document, "mentions": kept}) + "\n")
    (tmp_path / "partial.jsonl").write_text("".join(lines), encoding="utf-8")
    rest = "".join(tiny_config.read_text("utf-8").partition("[model]")[1:])
    (tmp_path / "partial.toml").write_text(CORPUS + rest, encoding="utf-8")
    return load_config(tmp_path / "partial.toml", {"training.epochs": 4})


def looked(config: RunConfig, model: Path) -> tuple[Corpora, PseudoLabels]:
    """What a trained model finds in the training sentences."""
    stored = load_model(model)
    corpora = read_corpora(config)
    engine = Engine(stored.config, stored.encoder, stored.weights)
    return corpora, find_missing(engine, corpora, stored.labels, nested=True)


def test_what_a_good_network_is_sure_of_was_missing(
    partial: RunConfig, tiny_config: Path, tiny_path: Path
) -> None:
    corpora, found = looked(partial, tiny_path)
    (whole,) = read_corpora(load_config(tiny_config)).parts
    (given,) = corpora.parts
    gone = {
        (number, *span)
        for number, (all_of_it, left) in enumerate(zip(whole.train, given.train, strict=True))
        for span in set(all_of_it.spans) - set(left.spans)
    }
    assert len(found.sure) > 0.4 * len(gone)
    assert sum(mention in gone for mention in found.sure) > 0.9 * len(found.sure)
    for number, start, end, _ in found.sure:
        assert all(end <= first or last <= start for first, last, _ in given.train[number].spans)
    made = found.added_to(given.train)
    assert sum(len(sentence.spans) for sentence in made) == len(found.sure) + sum(
        len(sentence.spans) for sentence in given.train
    )


@pytest.mark.parametrize("missing", [0.0, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("right", [0.6, 0.9, 0.99])
def test_the_dev_set_tells_how_much_of_what_is_found_was_missed(missing: float, right: float) -> None:
    """One candidate a sentence; a share of them are mentions, and a share of those is not annotated."""
    draw = random.Random(7)
    mention, found = (0, 1, "PER"), [Candidate(0, 1, "PER", 0.93)]
    dev = ScoredCorpus(
        "dev", [{mention} if draw.random() < right else set() for _ in range(4000)], [found] * 4000
    )
    is_mention = [draw.random() < right for _ in range(4000)]
    annotated = [one and draw.random() >= missing for one in is_mention]
    train = ScoredCorpus("train", [{mention} if one else set() for one in annotated], [found] * 4000)
    sentences = [LabelledSentence(["x"], [mention] if one else []) for one in annotated]
    clear = list(chances(dev, train, sentences))
    assert [number for number, _, _ in clear] == [number for number, one in enumerate(annotated) if not one]
    missed = sum(is_mention[number] for number, _, _ in clear) / len(clear)
    # Two samples of 4000 differ by so many mentions, at three standard deviations.
    differ = 3 * math.sqrt(2 * 4000 * right * (1 - right))
    assert clear[0][2] == pytest.approx(missed, abs=differ / len(clear) + 0.01)


def test_sure_ones_are_mentions_and_likely_ones_open() -> None:
    sentences = [LabelledSentence(["a", "b", "c"], [(0, 1, "PER")]), LabelledSentence(["d"], [])]
    made = PseudoLabels(((0, 1, 2, "ORG"),), ((1, 0, 1),)).added_to(sentences)
    assert made[0].spans == [(0, 1, "PER"), (1, 2, "ORG")]
    assert made[1].unknown == ((0, 1),)
    assert sentences[0].spans == [(0, 1, "PER")], "the corpus itself stays as it is"


def test_marked_negatives_are_never_found(partial: RunConfig, tiny_path: Path) -> None:
    _, found = looked(partial, tiny_path)
    number, start, end, _ = found.sure[0]
    corpus = Path(partial.corpus[0].train[0])
    documents = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    tokens = list(tokeniser("en").document(documents[number]["text"]).tokens)
    documents[number]["negatives"] = [[tokens[start].start, tokens[end - 1].end]]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    corpora, found = looked(partial, tiny_path)
    assert corpora.train[number].negatives == ((start, end),)
    assert (number, start, end) not in {mention[:3] for mention in found.sure}


def test_training_in_doubt_can_be_resumed(partial: RunConfig, tmp_path: Path) -> None:
    recorder = Recorder()
    Run(partial, tmp_path / "whole", recorder, command="test").train()
    found = [line for line in recorder.lines if "in doubt" in line]
    assert len(found) == 3, "before every epoch but the first"
    for epoch in (2, 3):
        folder = tmp_path / f"cut{epoch}"
        with pytest.raises(KeyboardInterrupt):
            Run(partial, folder, Recorder(epoch), command="test").train()
        Run(partial, folder, Recorder(), command="test").train(resume=True)
        weights = [one / "model" / "model.safetensors" for one in (folder, tmp_path / "whole")]
        assert weights[0].read_bytes() == weights[1].read_bytes()


def test_a_corpus_annotated_in_full_is_believed(tiny_config: Path, partial: RunConfig) -> None:
    assert self_training_epochs(read_corpora(partial), 4) == {1, 2, 3}
    assert not self_training_epochs(read_corpora(load_config(tiny_config)), 8)
