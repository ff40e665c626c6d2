from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from fofe.base.errors import FofeError, InputError
from fofe.cli import make_parser


def fofe(*arguments: str | Path) -> int:
    args = make_parser(["corpus"]).parse_args(["corpus", "convert", *map(str, arguments)])
    return int(args.run(args) or 0)


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.conll"
    path.write_text("Ana I-PER\nRuiz I-PER\nof O\nRio I-LOC\n")
    return path


def test_columns_to_json_and_back_in_another_scheme(
    news: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fofe(news, tmp_path / "news.jsonl") == 0
    assert capsys.readouterr().err == "fofe: tag scheme: IOB1\n"
    line = json.loads((tmp_path / "news.jsonl").read_text())
    assert [(mention["text"], mention["type"]) for mention in line["mentions"]] == [
        ("Ana Ruiz", "PER"),
        ("Rio", "LOC"),
    ]
    assert fofe(tmp_path / "news.jsonl", tmp_path / "again.conll", "--tag-scheme", "bioes") == 0
    assert (tmp_path / "again.conll").read_text() == "Ana B-PER\nRuiz E-PER\nof O\nRio S-LOC\n\n"
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("suffix", "tag"), [("bioes", "S"), ("bilou", "U"), ("bmes", "S"), ("iob2", "B")])
def test_the_suffix_names_the_tag_scheme(suffix: str, tag: str, tmp_path: Path) -> None:
    source, target = tmp_path / "news.jsonl", tmp_path / f"news.{suffix}"
    source.write_text(json.dumps({"tokens": ["Ana", "left"], "entities": [[0, 1, "PER"]]}), "utf-8")
    assert fofe(source, target) == 0
    assert target.read_text("utf-8").startswith(f"Ana {tag}-PER\n")


def test_every_format_to_every_other(news: Path, tmp_path: Path) -> None:
    fofe(news, tmp_path / "a.jsonl")
    fofe(tmp_path / "a.jsonl", tmp_path / "b", "--to", "brat")
    fofe(tmp_path / "b", tmp_path / "c.conll", "--lang", "en")
    assert (tmp_path / "c.conll").read_text() == "Ana B-PER\nRuiz I-PER\nof O\nRio B-LOC\n\n"


def test_what_is_lost_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "nested.jsonl"
    source.write_text('{"tokens": ["Bank", "of", "Rio"], "entities": [[0, 3, "ORG"], [2, 3, "LOC"]]}')
    fofe(source, tmp_path / "flat.conll")
    assert capsys.readouterr().err == (
        "fofe: 1 mention left out for overlapping one at least as long (first: document 1 8:11)\n"
    )


def test_columns_are_options_and_streams_are_dashes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "# text = 李白\n1\t李白\tB-PER\t-\n# O\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.encode())))
    options = ("--token-column", "1", "--tag-column", "2", "--comments", "--spans", "tokens")
    assert fofe("-", "-", "--from", "conll", "--to", "jsonl", *options) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {
        "sentences": [
            {
                "tokens": ["李白"],
                "mentions": [{"start": 0, "end": 1, "type": "PER", "kind": "NAM", "score": 1.0}],
            }
        ]
    }
    assert "2 comment lines left out" in printed.err


def test_errors_say_what_to_do(news: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    raw.write_text('{"text": "Ana Ruiz"}')
    with pytest.raises(InputError, match=r"has no tokens .*--lang"):
        fofe(raw, tmp_path / "out.conll")
    with pytest.raises(InputError, match="the format cannot be guessed"):
        fofe(news, tmp_path / "out.xyz")
    with pytest.raises(FofeError, match="--tag-scheme is for conll output, not for jsonl"):
        fofe(news, tmp_path / "out.jsonl", "--tag-scheme", "BIO")
    with pytest.raises(FofeError, match="--spans is for jsonl output, not for conll"):
        fofe(news, tmp_path / "out.conll", "--spans", "tokens")
    assert not list(tmp_path.glob("out*"))


def test_the_corpus_is_not_written_over(news: Path, tmp_path: Path) -> None:
    before = news.read_text()
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "brat").mkdir()
    (tmp_path / "brat" / "a.txt").write_text("Ana")
    (tmp_path / "brat" / "a.ann").write_text("")
    for arguments in (
        [news, news],
        [news, tmp_path / "link" / "news.conll", "--to", "jsonl"],
        [tmp_path / "*.conll", news],
        [tmp_path / "brat", tmp_path / "brat"],
        [tmp_path / "brat", tmp_path / "brat" / "a.txt", "--to", "jsonl"],
    ):
        with pytest.raises(InputError, match=r"is the input itself \(choose another name\)"):
            fofe(*arguments)
    assert news.read_text() == before
    assert (tmp_path / "brat" / "a.txt").read_text() == "Ana"


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fofe("--help")
    assert "fofe corpus convert eng.train train.jsonl --from conll\n" in capsys.readouterr().out


def test_an_empty_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no document"):
        fofe(tmp_path / "empty", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
