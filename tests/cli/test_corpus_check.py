from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fofe.base.errors import InputError
from fofe.cli import make_parser


def fofe(*arguments: str | Path) -> int:
    args = make_parser(["corpus"]).parse_args(["corpus", "check", *map(str, arguments)])
    return int(args.run(args) or 0)


ROWS = """\
Rio B-LOC
wins O

Rio B-ORG
wins O

I-tag I-ORG
of O

the B-ORG
Bank I-ORG
of I-ORG
China I-ORG
"""


@pytest.mark.parametrize("content", [ROWS, '{"text": "Rio wins"}\n'], ids=["conll", "jsonl"])
def test_a_corpus_on_standard_input_is_recognised(content: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(content)
    with (tmp_path / "file").open("rb") as piped:
        command = [sys.executable, "-m", "fofe", "corpus", "check", "--lang", "en", "--json"]
        ended = subprocess.run([*command, "-"], stdin=piped, capture_output=True, check=True)
        named = subprocess.run([*command, tmp_path / "file"], capture_output=True, check=True)
    assert json.loads(ended.stdout) == json.loads(named.stdout)


def test_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.conll"
    corpus.write_text(ROWS)
    assert fofe(corpus, "--max-words", "3") == 0
    assert (
        capsys.readouterr().out
        == f"""\
corpus
documents   1
sentences   4
tokens     10
mentions    4

label  mentions   share  strings
ORG           3  75.0 %        3
LOC           1  25.0 %        1

nesting: 4 at depth 1
longest mention on token borders: 4 words
recall ceiling of fragments of at most 3 words: 75.00 %

1 mention of more than 3 words
  document 1 27:44 'the Bank of China'
1 sentence that occurred before
  'Rio wins'
1 of these, labelled differently then
  'Rio wins'

1 string labelled in more than one way
  'Rio': LOC 1, ORG 1

reading
  tag scheme: IOB2
  1 tag without a mention to continue, read as the start of one (first: {corpus}:7)
"""
    )


def test_ids_that_occur_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(f'{{"tokens": ["w{one}"], "id": "{one % 3}"}}\n' for one in range(5)))
    assert fofe(corpus) == 0
    assert "2 documents with the id of an earlier one\n  0\n  1\n" in capsys.readouterr().out
    corpus.write_text('{"tokens": ["a"]}\n{"tokens": ["b"]}\n')
    assert fofe(corpus, "--json") == 0
    assert json.loads(capsys.readouterr().out)["repeated_ids"]["count"] == 0


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.conll"
    corpus.write_text(ROWS)
    assert fofe(corpus, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["labels"] == {"ORG": 3, "LOC": 1}
    assert result["words"] == {"1": 3, "4": 1}
    assert result["recall_ceiling"] == 100.0
    assert result["two_ways"] == {
        "strings": 1,
        "mentions_outside_main_label": 1,
        "examples": {"Rio": {"LOC": 1, "ORG": 1}},
    }
    assert result["repeated_sentences"] == {"count": 1, "examples": ["'Rio wins'"]}
    assert result["reading"]["facts"] == {"tag scheme": ["IOB2"]}
    assert result["reading"]["remarks"] == {"tags without a mention to continue, read as the start of one": 1}


def test_text_without_tokens_is_tokenised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.jsonl"
    lines = [
        {"text": "Ana came.", "mentions": [{"start": 0, "end": 3, "type": "PER"}]},
        {"text": "Riots", "mentions": [{"start": 0, "end": 3, "type": "LOC"}]},
        {"text": ""},
        {"sentences": [{"tokens": []}]},
    ]
    corpus.write_text("\n".join(map(json.dumps, lines)))
    assert fofe(corpus, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["documents"], result["sentences"], result["tokens"]) == (4, 2, 4)
    assert result["unaligned"] == {"count": 1, "examples": ["document 2 0:3 'Rio'"]}
    assert result["recall_ceiling"] == 50.0
    assert result["documents_without_tokens"]["count"] == 2
    assert result["empty_sentences"]["count"] == 1
    assert result["reading"]["remarks"]["documents without tokens tokenised as en"] == 2


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_a_corpus_of_no_document_is_an_error(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus.jsonl").write_text("")
    (tmp_path / "above" / "inside").mkdir(parents=True)
    (tmp_path / "above" / "inside" / "corpus.conll").write_text(ROWS)
    (tmp_path / "empty").mkdir()
    for name, remark, remedy in (
        ("corpus.jsonl", "1 file without a document", "at least one"),
        ("above", "1 directory inside of one left out", "a pattern such as"),
        ("empty", "", "a pattern such as"),
    ):
        corpus = tmp_path / name
        with pytest.raises(InputError, match=rf"{name}: holds no document \(.*{remedy}"):
            fofe(corpus, *option)
        captured = capsys.readouterr()
        assert captured.out == ""
        assert remark in captured.err
    assert fofe(tmp_path / "above" / "**" / "*.conll", *option) == 0


def test_odd_characters_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.jsonl"
    sentence = r'{"id": "\ud800", "tokens": ["\ud800"], "entities": [[0, 1, "\ud800"], [0, 1, "X"]]}'
    corpus.write_text(f"{sentence}\n{sentence}")
    assert fofe(corpus) == 0
    assert r"'\ud800': \ud800 2, X 2" in capsys.readouterr().out
    assert fofe(corpus, "--json") == 0


def test_impossible_width_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"text": "a"}')
    with pytest.raises(InputError, match="at most 0 words"):
        fofe(tmp_path / "corpus.jsonl", "--max-words", "0")
