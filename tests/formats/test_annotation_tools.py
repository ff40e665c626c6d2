"""Label Studio and doccano: what they export is read, and what is written they can import."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.formats import Report, read_corpus, write_corpus
from fofe.text.document import Document, Mention

TEXT = "🙂 Anna Berg met the mayor."

TASK: dict[str, Any] = {
    "id": 12,
    "data": {"text": TEXT, "source": "news"},
    "annotations": [
        {"was_cancelled": True, "result": []},
        {
            "id": 5,
            "result": [
                {
                    "id": "a1",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "labels",
                    "value": {"start": 2, "end": 11, "text": "Anna Berg", "labels": ["PER"]},
                },
                {"type": "labels", "value": {"start": 20, "end": 25, "text": "mayor", "labels": ["PER_NOM"]}},
                {"type": "relation", "from_id": "a1", "to_id": "a1"},
            ],
        },
    ],
}


def read(folder: Path, content: str, format: str, **options: Any) -> tuple[list[Document], Report]:
    path = folder / "export.json"
    path.write_text(content, "utf-8")
    report = Report()
    return list(read_corpus(path, format, report, **options)), report


def spans(document: Document) -> list[tuple[int, int, str, str]]:
    return [(m.start, m.end, m.label, m.text) for m in document.mentions]


@pytest.mark.parametrize("content", [json.dumps([TASK], indent=2), json.dumps(TASK) + "\n"])
def test_label_studio_export(tmp_path: Path, content: str) -> None:
    (document,), report = read(tmp_path, content, "label-studio")
    assert (document.id, document.text, document.meta) == ("12", TEXT, {"source": "news"})
    assert spans(document) == [(2, 11, "PER", "Anna Berg"), (20, 25, "PER_NOM", "mayor")]
    assert report.counts == {"cancelled annotations left out": 1, "results of type relation left out": 1}


def test_label_studio_tasks_that_nobody_has_annotated_are_left_out(tmp_path: Path) -> None:
    value = {"start": 2, "end": 11, "text": "Anna Berg", "labels": ["PER"]}
    predictions = [{"result": [{"type": "labels", "value": value}]}]
    cancelled = [{"was_cancelled": True, "result": []}]
    tasks = [
        {"data": {"text": TEXT}, "annotations": [], "predictions": []},
        {"data": {"text": TEXT}, "annotations": cancelled, "predictions": predictions},
        {"data": {"text": TEXT}, "annotations": cancelled},
        {"id": 4, "data": {"text": TEXT}, "annotations": [{"result": []}], "predictions": predictions},
    ]
    (document,), report = read(tmp_path, json.dumps(tasks), "label-studio")
    assert (document.id, document.mentions) == ("4", [])
    assert report.counts == {"tasks that nobody has annotated left out": 3}
    assert [line for line in report.lines() if "task 1" in line]


def test_label_studio_offsets_of_old_versions_are_converted(tmp_path: Path) -> None:
    value = {"start": 3, "end": 12, "text": "Anna Berg", "labels": ["PER"]}
    task = {
        "data": {"text": TEXT},
        "predictions": [{"result": [{"type": "labels", "value": value, "score": 0.5}]}],
    }
    (document,), report = read(tmp_path, json.dumps([task]), "label-studio")
    assert spans(document) == [(2, 11, "PER", "Anna Berg")]
    assert document.mentions[0].score == 0.5
    assert set(report.counts) == {"offsets in UTF-16 units converted"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[{", r"export.json:1: not JSON"),
        (
            '[\n{"data": {"text": "a", "views": 1e400}}]',
            r"export.json:2: not JSON: 1e400 is out of",
        ),
        ('[{"data": {"text": "a"}}', r"export.json: the list has no end"),
        ('[\n{"data": {"text": 3}}]', r'export.json:2: task 1, "data": "text" is 3, not a string'),
        ('[{"data": {"page": "a"}}]', r'"text" is missing'),
        ("[3]", "3 where an object is needed"),
        (
            json.dumps(
                [
                    {
                        "data": {"text": "Rome"},
                        "annotations": [
                            {
                                "result": [
                                    {
                                        "type": "labels",
                                        "value": {"start": 0, "end": 2, "text": "Rome", "labels": ["X"]},
                                    }
                                ]
                            }
                        ],
                    }
                ]
            ),
            "'Rome' but 0:2 of the text is 'Ro'",
        ),
    ],
)
def test_label_studio_mistakes(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read(tmp_path, content, "label-studio")


@pytest.mark.parametrize(
    "line",
    [
        {"id": 3, "text": TEXT, "label": [[3, 12, "PER"]], "Comments": []},
        {
            "id": 3,
            "text": TEXT,
            "Comments": [],
            "entities": [{"id": 1, "label": "PER", "start_offset": 3, "end_offset": 12}],
            "relations": [],
        },
    ],
)
def test_doccano_exports(tmp_path: Path, line: dict[str, Any]) -> None:
    (document,), _ = read(tmp_path, json.dumps(line) + "\n\n", "doccano")
    assert (document.id, document.meta) == ("3", {"Comments": []})
    assert spans(document) == [(2, 11, "PER", "Anna Berg")]


def test_doccano_offsets_in_code_points(tmp_path: Path) -> None:
    line = json.dumps({"text": TEXT, "label": [[2, 11, "PER"]]})
    (document,), _ = read(tmp_path, line, "doccano", offsets="codepoints")
    assert spans(document) == [(2, 11, "PER", "Anna Berg")]
    with pytest.raises(InputError, match=r"export.json:1: .*falls inside character 0"):
        read(tmp_path, json.dumps({"text": TEXT, "label": [[1, 11, "PER"]]}), "doccano")


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
    mentions = []
    for _ in range(draw(st.integers(0, 3)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        kind = draw(st.sampled_from(["NAM", "NOM"]))
        mentions.append(
            Mention(start, end, draw(st.sampled_from(["PER", "LOC"])), kind, text=text[start:end])
        )
    return Document(text, mentions=mentions, id=draw(st.sampled_from(["", "a 1"])), meta={"genre": "news"})


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(documents(), max_size=3), st.sampled_from(["label-studio", "doccano"]))
def test_round_trips(written: list[Document], format: str) -> None:
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.json")
        write_corpus(written, path, format, report)
        again = list(read_corpus(path, format, report))
    assert again == written
    assert not set(report.counts) - {"files without a document"}


def test_scores_become_predictions(tmp_path: Path) -> None:
    document = Document("Rome fell", mentions=[Mention(0, 4, "GPE", score=0.75, text="Rome")])
    path = tmp_path / "tasks.json"
    write_corpus([document], path, "label-studio")
    (task,) = json.loads(path.read_text("utf-8"))
    assert task["predictions"][0]["result"][0]["score"] == 0.75
    assert "annotations" not in task
    (again,) = read_corpus(path, "label-studio")
    assert again == document


def _tagged() -> Iterator[Document]:
    yield Document.from_words([["Rome", "fell"]])


def test_what_the_formats_cannot_hold_is_counted(tmp_path: Path) -> None:
    for format in ("label-studio", "doccano"):
        report = Report()
        write_corpus(_tagged(), tmp_path / "out.json", format, report)
        assert report.counts == {f"documents written without tokens, which {format} cannot hold": 1}


@pytest.mark.parametrize("format", ["label-studio", "doccano"])
def test_mentions_and_metadata_made_by_hand(tmp_path: Path, format: str) -> None:
    path, report = tmp_path / "corpus.json", Report()
    document = Document("Rome fell", mentions=[Mention(0, 4, "GPE")], meta={"text": 1, "genre": "news"})
    write_corpus([document], path, format, report)
    assert report.counts == {"values of metadata 'text' left out because the format uses that name": 1}
    (again,) = read_corpus(path, format)
    assert (spans(again), again.meta) == ([(0, 4, "GPE", "Rome")], {"genre": "news"})
    with pytest.raises(InputError, match="the metadata of document 1 is not JSON"):
        write_corpus([Document("Rome", meta={"when": object()})], path, format)


def test_the_error_of_a_later_task_names_its_line(tmp_path: Path) -> None:
    tasks = ",\n".join([json.dumps(TASK)] * 3)
    with pytest.raises(InputError, match=r"export.json:5: task 4: 3 where"):
        read(tmp_path, f"[\n{tasks},\n3]", "label-studio")


@pytest.mark.parametrize("format", ["label-studio", "prodigy"])
@pytest.mark.parametrize("found", [{"score": 0.9}, {"rule": "contact"}])
def test_what_was_tagged_is_not_annotated_even_without_mentions(
    format: str, found: dict[str, Any], tmp_path: Path
) -> None:
    nothing, one = Document("It rains."), Document("Ann left.")
    one.mentions.append(Mention(0, 3, "PER", **found))
    for gold, documents in ((False, [nothing, one, nothing]), (True, [nothing])):
        path = tmp_path / f"{gold}.json"
        write_corpus(documents, path, format)
        text = path.read_text("utf-8")
        tasks = json.loads(text) if format == "label-studio" else list(map(json.loads, text.splitlines()))
        assert all(("annotations" in task or "answer" in task) == gold for task in tasks)


def test_what_people_have_annotated_stays_so(tmp_path: Path) -> None:
    """Regions that they took over keep the scores of the model in an export."""
    value = {"start": 0, "end": 4, "text": "Rome", "labels": ["GPE"]}
    task = {"data": {"text": "Rome fell"}}
    task["annotations"] = [{"result": [{"type": "labels", "value": value, "score": 0.5}]}]  # type: ignore[assignment]
    export, again = tmp_path / "export.json", tmp_path / "again.json"
    export.write_text(json.dumps([task]), "utf-8")
    write_corpus(read_corpus(export, "label-studio"), again, "label-studio")
    (written,) = json.loads(again.read_text("utf-8"))
    assert [one["value"] for one in written["annotations"][0]["result"]] == [value]
