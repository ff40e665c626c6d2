from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fofe.base.errors import InputError
from fofe.base.report import EMPTY_SENTENCES, Report
from fofe.formats import jsonl
from fofe.text.document import Document, Mention, Region, Sentence, Token


def load(path: Path, *lines: str | bytes) -> tuple[list[Document], Report]:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    report = Report()
    return list(jsonl.read(path, report)), report


def dump(documents: list[Document], **options: Any) -> tuple[str, Report]:
    stream, report = io.StringIO(), Report()
    jsonl.write(documents, stream, report, **options)
    return stream.getvalue(), report


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "corpus.jsonl"


def test_character_spans(file: Path) -> None:
    line = {
        "text": "Ana, her mother",
        "mentions": [
            {"start": 0, "end": 3, "type": "PER", "text": "Ana"},
            {"start": 5, "end": 15, "type": "PER", "kind": "NOM", "score": 0.25},
        ],
    }
    (document,), report = load(file, json.dumps(line))
    assert document.text == "Ana, her mother"
    assert document.sentences == []
    assert document.mentions == [
        Mention(0, 3, "PER", text="Ana"),
        Mention(5, 15, "PER", "NOM", 0.25, "her mother"),
    ]
    assert not report


def test_one_sentence_with_token_spans_in_lists(file: Path) -> None:
    entities = [[0, 4, "DNA"], [0, 3, "protein"], [3, 4, "X_NOM"]]
    (document,), _ = load(file, json.dumps({"tokens": ["IL", "-", "2", "gene"], "entities": entities}))
    assert document.text == "IL - 2 gene"
    assert [(mention.text, mention.label) for mention in document.mentions] == [
        ("IL - 2 gene", "DNA"),
        ("IL - 2", "protein"),
        ("gene", "X_NOM"),
    ]


def test_sentences_with_token_spans(file: Path) -> None:
    line = {
        "id": "d1",
        "genre": "news",
        "sentences": [
            {"tokens": ["Hi"], "mentions": []},
            {"tokens": [], "mentions": []},
            {
                "tokens": ["the", "Ana"],
                "mentions": [
                    {"start": 0, "end": 2, "head": [1, 2], "type": "PER", "kind": "NAM", "coref": 3}
                ],
            },
        ],
    }
    (document,), report = load(file, json.dumps(line))
    assert (document.id, document.meta, document.text) == ("d1", {"genre": "news"}, "Hi\nthe Ana")
    assert [(mention.text, mention.head) for mention in document.mentions] == [("the Ana", (7, 10))]
    assert report.counts == {EMPTY_SENTENCES: 1, 'fields "coref" of a mention or sentence left out': 1}


def test_regions_of_a_text_and_of_sentences(file: Path) -> None:
    of_text = {"text": "Ana came. Bo left.", "unknown": [[10, 18]], "negatives": [[4, 8]], "known": []}
    of_tokens = {
        "sentences": [
            {"tokens": ["Ana", "came"], "unknown": True},
            {"tokens": ["Bo", "left"], "known": [[0, 1]], "negatives": [[1, 2]], "unknown": False},
        ]
    }
    (text, tokens), report = load(file, json.dumps(of_text), json.dumps(of_tokens))
    assert text.regions == [(10, 18, "unknown"), (4, 8, "negative")]
    assert tokens.regions == [(0, 8, "unknown"), (9, 11, "known"), (12, 16, "negative")]
    assert not report
    assert not text.meta


def test_token_offsets_beside_the_text(file: Path) -> None:
    line = '{"text": "A b. C", "sentences": [{"tokens": [[0, 1], [2, 3], [3, 4]]}, {"tokens": [[5, 6]]}]}'
    (document,), _ = load(file, line)
    assert document.sentences == [
        Sentence([Token("A", 0, 1), Token("b", 2, 3), Token(".", 3, 4)]),
        Sentence([Token("C", 5, 6)]),
    ]


def test_empty_file_blank_lines_and_byte_order_mark(file: Path) -> None:
    documents, report = load(file, "")
    assert documents == []
    assert report.counts == {"files without a document": 1}
    documents, report = load(file, '\ufeff{"text": "a"}\r', "", " \r", '{"text": ""}')
    assert [document.text for document in documents] == ["a", ""]
    assert not report


def test_numeric_ids_are_text(file: Path) -> None:
    (document,), _ = load(file, '{"id": 7, "text": "a"}')
    assert document.id == "7"


def test_lone_surrogates_survive(file: Path) -> None:
    line = r'{"text": "a \ud800 b", "mentions": [{"start": 4, "end": 5, "type": "X"}]}'
    documents, _ = load(file, line)
    assert documents[0].text == "a \ud800 b"
    report = Report()
    jsonl.write(documents, file, report)
    assert r"\ud800" in file.read_text(encoding="utf-8")
    assert list(jsonl.read(file, report)) == documents
    assert not report


def test_a_surrogate_pair_in_two_characters_is_an_error() -> None:
    with pytest.raises(InputError, match="document 1 spells one character as two surrogates"):
        dump([Document("\ud83d\ude00")])


def test_unusual_characters_survive(file: Path) -> None:
    text = "Cafe\u0301 👩\u200d🚀 \u2028 \0 \x85 \ufeff"
    document = Document("\ufeff" + text, mentions=[Mention(7, 10, "X", text=(("\ufeff" + text)[7:10]))])
    written, report = dump([document])
    assert written.count("\n") == 1
    assert load(file, written)[0] == [document]
    assert not report


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"', "not JSON: .*one JSON object on each line"),
        ('{"text": "a\0"}', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "the line: a list where an object is needed"),
        ('{"id": "a"}', 'no text .*"text", "tokens" or "sentences"'),
        ('{"text": 5}', '"text" is 5, not a string'),
        ('{"text": null}', '"text" is null, not a string'),
        ('{"text": "a", "tokens": ["a"]}', 'both "text" and "tokens"'),
        ('{"text": "a", "mentions": [], "entities": []}', 'both "mentions" and "entities"'),
        ('{"text": "a", "mentions": {}}', '"mentions" is an object, not a list'),
        ('{"text": "a", "mentions": [7]}', 'number 1 of "mentions": 7 where an object'),
        ('{"text": "a", "mentions": [{"start": 0, "type": "X"}]}', '"end" is missing'),
        ('{"text": "a", "mentions": [{"start": 0, "end": 1}]}', '"type" is missing'),
        ('{"text": "a", "mentions": [{"start": 0, "end": 1, "type": ""}]}', '"type" is empty'),
        ('{"text": "a", "mentions": [{"start": 0, "end": 1, "type": "X", "kind": "PRO"}]}', "'PRO' .*NAM"),
        ('{"text": "a", "mentions": [{"start": "0", "end": 1, "type": "X"}]}', '"start" is a string'),
        ('{"text": "a", "mentions": [{"start": false, "end": 1, "type": "X"}]}', '"start" is true or false'),
        ('{"text": "a", "mentions": [{"start": 0, "end": 2, "type": "X"}]}', "0:2 lies outside the 1 char"),
        ('{"text": "a", "mentions": [{"start": -1, "end": 1, "type": "X"}]}', "-1:1 lies outside"),
        ('{"text": "a", "mentions": [{"start": 1, "end": 1, "type": "X"}]}', "1:1 is empty"),
        ('{"text": "ab", "mentions": [{"start": 0, "end": 1, "type": "X", "text": "b"}]}', "'b' but .* 'a'"),
        (
            '{"text": "a", "mentions": [{"start": 0, "end": 1, "type": "X", "score": NaN}]}',
            "NaN is no value of JSON",
        ),
        ('{"text": "a", "rating": -Infinity}', "not JSON: -Infinity is no value of JSON, null is"),
        ('{"text": "a", "views": [-1e400]}', "not JSON: -1e400 is out of the range of numbers"),
        ('{"text": "a", "score": 1.5, "views": 1' + "0" * 400 + ".0}", "not JSON: 1(0){19} is out of"),
        (
            f'{{"text": "a", "mentions": [{{"start": 0, "end": 1, "type": "X", "score": 1{"0" * 400}}}]}}',
            '"score" is 10',
        ),
        ('{"text": "a", "mentions": [[0, 1]]}', r'number 1 of "mentions" has 2 parts .*start, end, type'),
        ('{"tokens": ["a"], "entities": [[0, 2, "X"]]}', "0:2 lies outside the 1 token"),
        ('{"tokens": [], "entities": [[0, 1, "X"]]}', "0:1 lies outside the 0 tokens"),
        ('{"tokens": "a b"}', '"tokens" is a string, not a list of words'),
        ('{"tokens": ["a", 1]}', 'number 2 of "tokens" is 1, not a word'),
        ('{"tokens": ["a", ""]}', 'number 2 of "tokens" is an empty word'),
        ('{"sentences": [["a"]]}', 'number 1 of "sentences": a list where an object'),
        ('{"sentences": [{"words": ["a"]}]}', 'number 1 of "sentences": "tokens" is missing'),
        ('{"text": "ab", "sentences": [{"tokens": [[0, 2], [1, 2]]}]}', "token 1:2 begins before"),
        ('{"text": "ab", "sentences": [{"tokens": [[0, 1]], "mentions": []}]}', 'put them beside "text"'),
        ('{"text": "a", "id": []}', '"id" is a list, not a string'),
        ('{"text": "a", "unknown": [[0, 2]]}', "0:2 lies outside the 1 char"),
        ('{"text": "a", "unknown": "all"}', '"unknown" is a string, not a list'),
        ('{"tokens": ["a"], "negatives": [[0, 0]]}', "0:0 is empty"),
        ('{"sentences": [{"tokens": ["a"]}], "known": [[0, 1]]}', '"known" beside .*into the sentences'),
        ('{"text": "ab", "mentions": [{"start": 0, "end": 1, "type": "X", "head": [0, 2]}]}', "0:2 lies out"),
        (
            '{"text": "ab", "mentions": [{"start": 1, "end": 2, "type": "X", "head": [0, 1]}]}',
            "head 0:1 lies",
        ),
        (
            '{"text": "ab", "mentions": [{"start": 1, "end": 2, "type": "X", "head": 1}]}',
            '1 of "head": 1 whe',
        ),
    ],
)
def test_broken_lines_are_errors_that_name_the_line(file: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=f"corpus.jsonl:2: .*{message}"):
        load(file, '{"text": "fine"}', line)


def test_latin1_is_an_error_with_its_line(file: Path) -> None:
    with pytest.raises(InputError, match=r"corpus.jsonl:2: byte 0xe9 .*iconv"):
        load(file, '{"text": "a"}', '{"text": "é"}'.encode("latin1"))


def test_missing_file_and_directory_are_input_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            list(jsonl.read(path, Report()))


def test_reading_is_lazy(file: Path) -> None:
    file.write_text('{"text": "first"}\nbroken\n')
    documents = jsonl.read(file, Report())
    assert next(documents).text == "first"
    with pytest.raises(InputError):
        next(documents)


def test_standard_streams(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO('{"text": "é"}'.encode())))
    jsonl.write(jsonl.read("-", Report()), "-", Report())
    print("still open")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == '{"text": "é", "mentions": []}\nstill open\n'.encode()


def test_own_output() -> None:
    document = Document.from_words([["Ana", "came"]], id="d", meta={"genre": "news"})
    document.mentions = [Mention(0, 3, "PER", "NAM", 0.5, "Ana", (("ORG", 0.25),))]
    line, report = dump([document])
    assert json.loads(line) == {
        "id": "d",
        "genre": "news",
        "text": "Ana came",
        "mentions": [
            {
                "start": 0,
                "end": 3,
                "type": "PER",
                "kind": "NAM",
                "score": 0.5,
                "alternatives": [["ORG", 0.25]],
                "text": "Ana",
            }
        ],
        "sentences": [{"tokens": [[0, 3], [4, 8]]}],
    }
    assert not report
    assert "sentences" not in json.loads(dump([document], tokens=False)[0])


def test_token_spans_on_request() -> None:
    document = Document.from_words([["Ana", "came"], ["Hi", "Bo"]])
    document.mentions = [Mention(12, 14, "PER"), Mention(0, 2, "PER"), Mention(4, 11, "X")]
    line, report = dump([document], spans="tokens")
    assert json.loads(line) == {
        "sentences": [
            {"tokens": ["Ana", "came"], "mentions": []},
            {
                "tokens": ["Hi", "Bo"],
                "mentions": [{"start": 1, "end": 2, "type": "PER", "kind": "NAM", "score": 1.0}],
            },
        ]
    }
    assert report.counts == {"mentions left out for not beginning and ending with a token of one sentence": 2}
    document.text = document.text.replace("\n", " ")
    report = dump([document], spans="tokens")[1]
    assert "documents written without the spacing of the text, which token spans cannot hold" in report.counts
    with pytest.raises(InputError, match="no tokens"):
        dump([Document("raw text")], spans="tokens")
    with pytest.raises(InputError, match="use characters or tokens"):
        dump([], spans="bytes")


def test_heads_and_regions_as_tokens() -> None:
    document = Document.from_words([["the", "old", "man", "slept"], ["Bo", "left"]])
    document.mentions = [
        Mention(0, 11, "PER", "NOM", head=(8, 11)),
        Mention(0, 7, "X", head=(0, 5)),
    ]
    document.regions = [
        Region(5, 20, "unknown"),
        Region(2, 11, "known"),
        Region(18, 20, "negative"),
        Region(1, 2, "known"),
        Region(4, 6, "negative"),
    ]
    line, report = dump([document], spans="tokens")
    first, second = json.loads(line)["sentences"]
    assert [mention.get("head") for mention in first["mentions"]] == [[2, 3], None]
    assert (first["unknown"], first["known"]) == ([[1, 4]], [[1, 3]])
    assert (second["unknown"], second["negatives"]) == ([[0, 1]], [[0, 1]])
    assert report.counts == {
        "regions left out for holding no tokens": 2,
        "heads left out for not beginning and ending with a token": 1,
    }


def test_what_cannot_be_written_is_counted_or_an_error() -> None:
    document = Document("isn't", [Sentence([Token("is", 0, 2), Token("not", 2, 5)])], meta={"text": "x"})
    line, report = dump([document])
    assert json.loads(line)["text"] == "isn't"
    assert report.counts == {
        "values of metadata 'text' left out because the format uses that name": 1,
        "tokens unlike the text at that place, written by offsets alone": 1,
    }
    with pytest.raises(InputError, match="the metadata of d is not JSON"):
        dump([Document("a", id="d", meta={"when": object()})])
    with pytest.raises(InputError, match="the metadata of d is not JSON"):
        dump([Document("a", id="d", meta={"rating": float("nan")})])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"text": "Ana left.", "spans": [{"start": 0, "end": 3, "label": "PER"}]}, "name the format prodigy"),
        ({"text": "Ana left.", "label": [[0, 3, "PER"]]}, "name the format doccano"),
        ({"text": "Ana left.", "labels": [[0, 3, "PER"]]}, "name the format doccano"),
        ({"text": "Ana left.", "mention": [{"start": 0, "end": 3, "type": "PER"}]}, 'call them "mentions"'),
        ({"tokens": ["Ana", "left"], "entity": [[0, 1, "PER"]]}, 'call them "mentions"'),
        ({"tokens": ["Ana", "left"], "ner_tags": ["B-PER", "O"]}, "name the format hugging-face"),
        ({"tokens": ["Ana", "left"], "tags": [1, 0]}, "name the format hugging-face"),
    ],
)
def test_annotation_under_another_name_is_counted(file: Path, line: dict[str, Any], expected: str) -> None:
    documents, report = load(file, json.dumps(line), json.dumps(line))
    assert [document.mentions for document in documents] == [[], []]
    (remark,) = report.lines()
    (key,) = set(line) - {"text", "tokens"}
    assert remark.startswith(f'2 lines with "{key}" but no "mentions", read as without mentions')
    assert expected in remark
    assert f"{file}:1" in remark


@pytest.mark.parametrize(
    "line",
    [
        {"text": "Ana left.", "mentions": [], "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"tokens": ["Ana", "left"], "entities": [[0, 1, "PER"]], "ner_tags": ["B-PER", "O"]},
        {"text": "Ana left.", "label": "positive", "tags": ["sport", "news"], "spans": []},
        {"tokens": ["Ana", "left"], "tags": ["sport"]},
    ],
)
def test_other_fields_are_carried_along_without_a_word(file: Path, line: dict[str, Any]) -> None:
    (document,), report = load(file, json.dumps(line))
    assert not report
    assert document.meta == {key: line[key] for key in ("label", "tags", "spans", "ner_tags") if key in line}


def test_a_type_may_be_called_label(file: Path) -> None:
    mentions = [{"start": 0, "end": 3, "label": "PER_NOM"}, {"start": 0, "end": 3, "type": "X", "label": "Y"}]
    (document,), report = load(file, json.dumps({"text": "Ana left.", "mentions": mentions}))
    assert [mention.label for mention in document.mentions] == ["PER_NOM", "X"]
    assert report.counts == {'fields "label" of a mention or sentence left out': 1}


@pytest.mark.parametrize(
    ("line", "format"),
    [
        ('{"text": "Ana", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]}', "doccano"),
        ('[{"data": {"text": "Ana"}, "annotations": []}]', "label-studio"),
        ("[", "label-studio"),
        ('{"data": {"text": "Ana"}, "annotations": []}', "label-studio"),
    ],
)
def test_the_format_of_another_tool_is_named(file: Path, line: str, format: str) -> None:
    with pytest.raises(InputError, match=rf"corpus.jsonl:1: .*name the format {format}\)"):
        load(file, line)
