"""The parts of a report as text and as data."""

from __future__ import annotations

import json

from fofe.evaluate import score_documents
from fofe.evaluate.errors import find_errors
from fofe.evaluate.report import as_json, as_text, ceiling_section, errors_section, scores_section
from fofe.text.document import Document, Mention


def test_names_and_nominals_have_rows_only_where_there_are_both() -> None:
    name = Document("Ann", mentions=[Mention(0, 3, "PER")])
    both = Document("Ann", mentions=[Mention(0, 3, "PER"), Mention(0, 1, "PER", "NOM")])
    assert "names" not in scores_section(score_documents([name], [name])).text
    assert "nominals" in scores_section(score_documents([both], [both])).text


def test_ceiling_stops_where_nothing_is_gained() -> None:
    section = ceiling_section({1: 50.0, 2: 75.0, 3: 75.0, 4: 100.0, 5: 100.0})
    assert [line.split()[0] for line in section.text.splitlines()[1:]] == ["1", "2", "4"]


def test_text_that_utf8_cannot_hold_is_escaped() -> None:
    gold = [Document("\ud800 东京", mentions=[Mention(0, 1, "X"), Mention(2, 4, "GPE")])]
    section = errors_section(find_errors(gold, [Document(gold[0].text)]), gold, 2)
    assert "[东京]" in as_text([section]).encode("utf-8").decode("utf-8")
    shown = as_json([section]).encode("utf-8")
    assert json.loads(shown)["errors"]["examples"][0]["gold"]["text"] == "\ud800"
