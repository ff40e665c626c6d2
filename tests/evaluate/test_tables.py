"""Plain-text tables."""

from __future__ import annotations

from fofe.evaluate.scores import Counts, score_documents
from fofe.evaluate.tables import score_table, scores_section, table
from fofe.text.document import Document, Mention


def test_columns_are_aligned() -> None:
    assert table(("name", "n"), [["a", "100"], ["longer", "7"]]) == "name      n\na       100\nlonger    7"


def test_table_without_rows_is_its_heading() -> None:
    assert table(("name", "n"), []) == "name  n"


def test_scores_have_two_decimals_and_plain_counts() -> None:
    heading, row = score_table("label", {"PER": Counts(tp=5, fp=2, fn=3)}).splitlines()
    assert heading.split() == ["label", "precision", "recall", "F1", "gold", "predicted", "right"]
    assert row.split() == ["PER", "71.43", "62.50", "66.67", "8", "7", "5"]


def test_names_and_nominals_have_rows_only_where_there_are_both() -> None:
    name = Document("Ann", mentions=[Mention(0, 3, "PER")])
    both = Document("Ann", mentions=[Mention(0, 3, "PER"), Mention(0, 1, "PER", "NOM")])
    assert "names" not in scores_section(score_documents([name], [name])).text
    assert "nominals" in scores_section(score_documents([both], [both])).text
