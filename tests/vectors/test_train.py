"""Vectors of one's own, against gensim called by hand."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import pickle
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fofe.base.errors import FofeError, InputError
from fofe.base.report import Report
from fofe.cli import main
from fofe.formats.vectors import read_vectors
from fofe.text.normalise import shape_class
from fofe.text.tokenise import tokeniser
from fofe.vectors import train
from fofe.vectors.train import VectorSettings, cut_sentences, paragraphs, text_files, train_vectors

if TYPE_CHECKING:
    from tests.conftest import DiskStates

word2vec = pytest.importorskip("gensim.models.word2vec")

SMALL = VectorSettings(dimension=8, min_count=2, passes=3, views=("cased", "uncased"))


def silent(_: str) -> None:
    pass


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Text that is generated: sentences of some words, with capitals and numbers."""
    draw = random.Random(1)
    words = ["Oslo", "oslo", "river", "Berg", "the", "of", "1996", "3.5", "12-year", "U.S.", "walks"]
    lines = [" ".join(draw.choices(words, k=draw.randint(3, 9))) + "." for _ in range(300)]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def by_hand(text: Path, *, lower: bool) -> Any:
    sentences = [
        [shape_class(word).lower() if lower else shape_class(word) for word in sentence.words]
        for line in text.read_text("utf-8").splitlines()
        for sentence in tokeniser("en").document(line).sentences
    ]
    return word2vec.Word2Vec(
        sentences, vector_size=8, window=5, sg=1, negative=5, min_count=2, epochs=3, seed=1, workers=1
    )


def test_vectors_are_those_of_gensim_called_by_hand(text: Path, tmp_path: Path) -> None:
    files = train_vectors(SMALL, [text], tmp_path / "vectors", silent)
    assert [file.name for file in files] == ["en.cased.8.bin", "en.uncased.8.bin"]
    for file, lower in zip(files, (False, True), strict=True):
        made, wanted = read_vectors(file), by_hand(text, lower=lower)
        assert made.words == wanted.wv.index_to_key
        assert np.array_equal(made.vectors, wanted.wv.vectors)
    assert "<num4>" in made.words
    assert "| all | 300 |" in (tmp_path / "vectors" / "README.md").read_text("utf-8").replace("  ", " ")


def test_an_interrupted_training_continues_with_the_next_pass(text: Path, tmp_path: Path) -> None:
    whole = train_vectors(SMALL, [text], tmp_path / "whole", silent)

    class CutError(Exception):
        pass

    def cut(line: str) -> None:
        if "pass 2 of" in line:
            raise CutError

    with pytest.raises(CutError):
        train_vectors(SMALL, [text], tmp_path / "cut", cut)
    said: list[str] = []
    resumed = train_vectors(SMALL, [text], tmp_path / "cut", said.append)
    assert said[0] == "en.cased.8: continuing after pass 1"
    for one, other in zip(whole, resumed, strict=True):
        assert np.allclose(read_vectors(one).vectors, read_vectors(other).vectors, atol=1e-6)
    assert not list((tmp_path / "cut" / "work").glob("*.npz"))


def test_a_training_killed_at_any_point_continues_to_the_same_vectors(
    disk_states: DiskStates, text: Path, tmp_path: Path
) -> None:
    settings = VectorSettings(dimension=4, passes=2, views=("cased",))
    (tmp_path / "job").mkdir()
    states = disk_states(
        tmp_path / "job",
        tmp_path / "copies",
        lambda: train_vectors(settings, [text], tmp_path / "job" / "vectors", silent),
    )
    (expected,) = train_vectors(settings, [text], tmp_path / "vectors", silent)
    assert len(states) > 10
    for state in states:
        (file,) = train_vectors(settings, [text], state / "vectors", silent)
        assert np.allclose(read_vectors(file).vectors, read_vectors(expected).vectors, atol=1e-6)
        assert "en.cased.4.bin" in (state / "vectors" / "README.md").read_text("utf-8")


def test_a_state_that_is_loaded_is_the_one_that_was_saved(text: Path, tmp_path: Path) -> None:
    settings = VectorSettings(dimension=8, min_count=2, words=9)
    model = train._model(settings, min_count=settings.min_count, max_final_vocab=settings.words)
    sentences = [line.split() for line in text.read_text("utf-8").splitlines()]
    model.build_vocab(sentences)
    model.train(sentences, total_examples=model.corpus_count, epochs=2)
    model.passes_done = 2
    train._save_state(model, tmp_path / "state.npz")
    loaded = train._load_state(settings, tmp_path / "state.npz")
    assert loaded.wv.index_to_key == model.wv.index_to_key
    assert (loaded.passes_done, loaded.corpus_count) == (2, model.corpus_count)
    for name in ("count", "sample_int"):
        assert np.array_equal(loaded.wv.expandos[name], model.wv.expandos[name])
    assert np.array_equal(loaded.cum_table, model.cum_table)
    for one in (model, loaded):
        one.train(sentences, total_examples=one.corpus_count, epochs=1)
    assert np.array_equal(loaded.wv.vectors, model.wv.vectors)
    assert np.array_equal(loaded.syn1neg, model.syn1neg)


class Bomb:
    """Fails when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("a state was unpickled",)


def test_nothing_is_unpickled(text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    folder.mkdir()
    (folder / "en.cased.8.state").write_bytes(pickle.dumps(Bomb()))
    train_vectors(SMALL, [text], folder, silent)
    (folder / "en.cased.8.bin").unlink()
    for content in (pickle.dumps(Bomb()), _pickled_array()):
        (folder / "work" / "en.cased.8.npz").write_bytes(content)
        with pytest.raises(InputError, match=r"npz: is broken: .*pickle"):
            train_vectors(SMALL, [text], folder, silent)


def _pickled_array() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, numbers=np.array([Bomb()], dtype=object))
    return stream.getvalue()


def test_the_same_directory_takes_only_the_same_settings(text: Path, tmp_path: Path) -> None:
    train_vectors(SMALL, [text], tmp_path / "vectors", silent)
    with pytest.raises(InputError, match="belongs to a job with other files, options or version"):
        train_vectors(VectorSettings(dimension=9), [text], tmp_path / "vectors", silent)


def test_vectors_of_other_texts_are_not_taken_for_those_of_these(text: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    train_vectors(SMALL, [text], folder, silent)
    more = tmp_path / "more.txt"
    more.write_text("More of it.\n", "utf-8")
    for sources in ([text, more], [more]):
        with pytest.raises(InputError, match="belongs to a job with other files"):
            train_vectors(SMALL, sources, folder, silent)
    assert train_vectors(SMALL, [text], folder, silent)


def test_what_is_wrong_with_a_text_counts_once_however_often_it_is_cut(tmp_path: Path) -> None:
    text = tmp_path / "zh.txt"
    text.write_bytes("我住在北京。\n".encode() * 5 + b"\xff\n")
    settings = VectorSettings(language="zh", views=("char", "word"), dimension=8, passes=1)
    said: list[str] = []
    train_vectors(settings, [text], tmp_path / "vectors", said.append)
    assert f"1 line not in UTF-8 left out (first: {text}:6)" in said


def test_chinese_has_characters_and_words() -> None:
    settings = VectorSettings(language="zh", views=("char", "word"))
    sentences = list(cut_sentences("我住在北京。", settings, "token"))
    assert sentences == [["我", "住", "在", "北", "京", "。"]]
    (words,) = cut_sentences("我住在北京。", settings, "word")
    assert "北京" in words


def test_sources_may_be_packed_directories_or_dumps(tmp_path: Path) -> None:
    (tmp_path / "texts" / "deep").mkdir(parents=True)
    (tmp_path / "texts" / "b.txt.gz").write_bytes(gzip.compress(b"One line.\n\nAnother.\n"))
    (tmp_path / "texts" / "deep" / "a.txt").write_bytes(b"Good \xc3\xa9\nbad \xff\n")
    dump = (
        '<mediawiki xml:lang="en"><page><title>Oslo</title><ns>0</ns><revision><text>'
        "'''Oslo''' is the capital of [[Norway]].</text></revision></page>"
        "<page><title>X</title><ns>0</ns><redirect title='Oslo'/><revision><text>#REDIRECT [[Oslo]]</text>"
        "</revision></page></mediawiki>"
    )
    (tmp_path / "wiki.xml.bz2").write_bytes(bz2.compress(dump.encode()))
    report = Report()
    files = text_files([tmp_path / "texts", tmp_path / "wiki.xml.bz2"])
    assert [line for file in files for line in paragraphs(file, "en", report)] == [
        "One line.",
        "Another.",
        "Good é",
        "Oslo is the capital of Norway.",
    ]
    assert report.counts == {"lines not in UTF-8 left out": 1}
    with pytest.raises(InputError, match="No such file"):
        text_files([tmp_path / "none"])


def test_too_little_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("once each word\n", "utf-8")
    with pytest.raises(InputError, match="no word occurs"):
        train_vectors(SMALL, [tmp_path / "a.txt"], tmp_path / "vectors", silent)
    with pytest.raises(FofeError, match="unknown view"):
        VectorSettings(views=("upper",))


def test_commands(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "vectors"
    command = ["vectors", "train", str(text), "-o", str(folder), "--dim", "8", "--min-count", "2"]
    assert main([*command, "--passes", "1", "--views", "cased"]) == 0
    vectors = str(folder / "en.cased.8.bin")
    assert capsys.readouterr().out == f"{vectors}\n"
    assert main(["vectors", "neighbours", vectors, "Oslo", "-n", "2"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["Oslo", "Oslo"]
    assert float(rows[0][2]) >= float(rows[1][2])
    assert main(["vectors", "neighbours", vectors, "Nowhere"]) == 2
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({"text": "Oslo 2024 unheard"}) + "\n", "utf-8")
    assert main(["vectors", "coverage", vectors, str(corpus), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "tokens": 3,
        "known_tokens": 2,
        "words": 3,
        "known_words": 2,
        "unknown": [["unheard", 1]],
    }


@pytest.mark.parametrize("suffix", [".txt", ".bin", ".npz"])
def test_converting_changes_nothing_but_what_is_asked(text: Path, tmp_path: Path, suffix: str) -> None:
    (source,) = train_vectors(
        VectorSettings(dimension=4, min_count=1, passes=1, views=("cased",)), [text], tmp_path / "v", silent
    )
    target = tmp_path / f"small{suffix}"
    assert main(["vectors", "convert", str(source), str(target), "--words", "5"]) == 0
    before, after = read_vectors(source), read_vectors(target)
    assert after.words == before.words[:5]
    assert np.array_equal(after.vectors, before.vectors[:5])


def test_words_with_spaces_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "spaced.txt"
    source.write_text("a 1 2\nb c 3 4\n", "utf-8")
    assert main(["vectors", "convert", str(source), str(tmp_path / "out.bin")]) == 0
    assert read_vectors(tmp_path / "out.bin").words == ["a"]
    assert "1 word with white space left out" in capsys.readouterr().err


def test_broken_npz_files_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "broken.npz"
    path.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(InputError, match="not an npz file"):
        read_vectors(path)
    np.savez(path, words=np.zeros(3, dtype=np.uint8), vectors=np.zeros((5, 2)))
    with pytest.raises(InputError, match="1 word and vectors"):
        read_vectors(path)
