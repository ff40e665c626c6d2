"""Mentions drawn over their text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from fofe.show.documents import redacted
from fofe.text.document import Document, Mention
from fofe.text.html import marked_up, page, rows


class Drawn(HTMLParser):
    """Reads the text and the label of each `mark` back from HTML; elements must nest."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.labels: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1] == "small":
            self.labels.append(data)
        elif self._open[-1] in ("mark", "div"):
            self.text += data


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any text, and any mentions in it: nested, crossing, the same twice."""
    text = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=20))
    mentions = []
    for _ in range(draw(st.integers(0, 5)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        type = draw(st.sampled_from(["PER", "ORG", "<b>&"]))
        mentions.append(Mention(start, end, type, draw(st.sampled_from(["NAM", "NOM"])), 0.5))
    return Document(text, mentions=mentions)


@given(documents())
def test_the_text_stays_and_every_mention_is_labelled_once(document: Document) -> None:
    drawn = Drawn(marked_up(document))
    assert drawn.text == document.text
    assert sorted(drawn.labels) == sorted(f"{mention.label} 0.50" for mention in document.mentions)


@given(documents())
def test_underlines_of_a_row_do_not_overlap(document: Document) -> None:
    found = rows(document.mentions)
    for number, one in enumerate(document.mentions):
        for other_number, other in enumerate(document.mentions[:number]):
            if found[number] == found[other_number]:
                assert one.end <= other.start or other.end <= one.start


def test_inner_mentions_lie_nearer_to_the_text() -> None:
    inner, outer = Mention(14, 20, "GPE"), Mention(0, 20, "ORG")
    assert rows([outer, inner]) == [1, 0]


def test_nominals_differ_from_names_and_scores_are_shown() -> None:
    document = Document("the mayor left", mentions=[Mention(4, 9, "PER", "NOM", 0.875)])
    drawn = marked_up(document)
    assert '<mark class="nom"' in drawn
    assert 'title="PER, nominal, score 0.875"' in drawn
    assert "<small>PER_NOM 0.88</small>" in drawn
    assert "<small>PER_NOM</small>" in marked_up(document, scores=False)


def test_a_document_shows_itself_in_a_notebook() -> None:
    document = Document("Oslo & co", mentions=[Mention(0, 4, "GPE")])
    assert document._repr_html_().endswith(marked_up(document))
    assert "<style>" in document._repr_html_()
    assert "Oslo" in document._repr_html_()


def test_a_page_stands_alone_and_lone_surrogates_do_no_harm() -> None:
    whole = page([Document("a \ud800 b"), Document("two")], title="A & B")
    assert whole.startswith("<!DOCTYPE html>")
    assert "<title>A &amp; B</title>" in whole
    assert whole.count("<article>") == 2
    assert "http" not in whole
    whole.encode()


def test_redaction_replaces_mentions_by_their_labels() -> None:
    text = "Anna Berg met the mayor of Bergen."
    found = [Mention(0, 9, "PER"), Mention(18, 23, "PER", "NOM"), Mention(27, 33, "GPE")]
    assert redacted(Document(text, mentions=found)) == "[PER] met the [PER_NOM] of [GPE]."


@given(documents())
def test_redaction_leaves_no_character_of_a_mention(document: Document) -> None:
    plain = Document("x" * len(document.text), mentions=document.mentions)
    covered = {place for mention in document.mentions for place in range(mention.start, mention.end)}
    assert redacted(plain).count("x") == len(plain.text) - len(covered)
