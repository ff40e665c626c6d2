"""Documents written and read again are the same documents, for all that a format can hold."""

from __future__ import annotations

import io
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fofe.base.report import Report
from fofe.formats import brat, conll, jsonl
from fofe.formats.common import parse_label
from fofe.formats.tag_schemes import TAG_SCHEMES
from fofe.text.align import tokens_of
from fofe.text.document import Document, Mention, Region, Sentence, Token

UTF8 = st.characters(exclude_categories=["Cs"])
NO_BLANKS = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\v\f")

# Building the tables of characters can take seconds the first time.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

words = st.text(NO_BLANKS, min_size=1, max_size=6).filter(lambda word: not word.startswith("-DOCSTART-"))
types = st.text(st.characters(categories=["L", "N", "Pd"]), min_size=1, max_size=6).filter(
    lambda label: parse_label(label) == (label, "NAM")
)
kinds = st.sampled_from(["NAM", "NOM"])
few_types = st.sampled_from(["PER", "LOC", "creative-work"])
scores = st.floats(0, 1, allow_nan=False)


@st.composite
def mentions_in(draw: st.DrawFn, text: str, *, scored: bool) -> list[Mention]:
    """Any spans of a text, nested, crossing and repeated ones included."""
    found = []
    for _ in range(draw(st.integers(0, 4)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        mention = Mention(start, end, draw(types), draw(kinds), text=text[start:end])
        if scored:
            alternatives = tuple(draw(st.lists(st.tuples(types, scores), max_size=2)))
            head = draw(st.none() | st.just((start, draw(st.integers(start + 1, end)))))
            mention = Mention(
                start, end, mention.type, mention.kind, draw(scores), mention.text, alternatives, head
            )
        found.append(mention)
    return found


@st.composite
def regions_in(draw: st.DrawFn, length: int) -> list[tuple[int, int, str]]:
    """Spans of something of that length with a status, in the order in which they are read."""
    found = []
    for status in ("unknown", "known", "negative"):
        for _ in range(draw(st.integers(0, 2)) if length else 0):
            start = draw(st.integers(0, length - 1))
            found.append((start, draw(st.integers(start + 1, length)), status))
    return found


@st.composite
def marked_documents(draw: st.DrawFn) -> Document:
    """Words with flat mentions, some of them with heads, and regions of tokens."""
    document = draw(flat_documents())
    for number, mention in enumerate(document.mentions):
        span = tokens_of(document, mention.start, mention.end)
        assert span is not None
        word = document.sentences[span.sentence].tokens[draw(st.integers(span.start, span.end - 1))]
        document.mentions[number] = replace(mention, head=draw(st.sampled_from([None, word[1:]])))
    for sentence in document.sentences:
        document.regions += [
            Region(sentence.tokens[start].start, sentence.tokens[end - 1].end, status)
            for start, end, status in draw(regions_in(len(sentence)))
        ]
    return document


@st.composite
def flat_documents(draw: st.DrawFn) -> Document:
    """Words with mentions that do not overlap, as columns can hold them."""
    document = Document.from_words(draw(st.lists(st.lists(words, min_size=1, max_size=8), max_size=4)))
    for sentence in document.sentences:
        position = 0
        while position < len(sentence):
            length = draw(st.integers(0, 3))
            tokens = sentence.tokens[position : position + length]
            if tokens:
                start, end = tokens[0].start, tokens[-1].end
                mention = Mention(start, end, draw(few_types), draw(kinds), text=document.text[start:end])
                document.mentions.append(mention)
            position += length + 1 if length == 0 else length
    return document


@st.composite
def tokenised_documents(draw: st.DrawFn) -> Document:
    """A text with lone surrogates and sentences of tokens in order, with any mentions, ids and metadata."""
    alphabet = st.one_of(st.characters(exclude_categories=[]), st.sampled_from("\ud800\n\0\ufeff"))
    text = "".join(draw(st.lists(alphabet, max_size=30)))
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=10)))
    tokens = [Token(text[a:b], a, b) for a, b in pairwise(borders)]
    cut = draw(st.integers(0, len(tokens)))
    sentences = [Sentence(part) for part in (tokens[:cut], tokens[cut:]) if part]
    meta = draw(st.dictionaries(st.sampled_from(["genre", "comments"]), st.integers() | st.text()))
    id = draw(st.text(max_size=5))
    regions = [Region(*region) for region in draw(regions_in(len(text)))]
    return Document(text, sentences, draw(mentions_in(text, scored=True)), id, dict(meta), regions)


@st.composite
def raw_documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(UTF8, max_size=30))
    return Document(text, mentions=draw(mentions_in(text, scored=False)))


@patient
@given(st.lists(flat_documents(), max_size=3), st.sampled_from(TAG_SCHEMES))
def test_conll(documents: list[Document], scheme: object) -> None:
    name = getattr(scheme, "name", "")
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        conll.write(documents, path, report, scheme=name)
        assert not report
        again = list(conll.read(path, report, scheme=name))
        guessed = list(conll.read(path, report))
    if len(documents) == 1 and not documents[0].text:
        documents = []  # a document without tokens leaves no trace when it is the only one
    assert again == documents
    assert guessed == documents
    assert not set(report.counts) - {"files without a document"}


@patient
@given(st.lists(tokenised_documents(), max_size=3))
def test_jsonl_with_character_spans(documents: list[Document]) -> None:
    assert _through_jsonl(documents, "characters") == documents


@patient
@given(st.lists(marked_documents(), max_size=3))
def test_jsonl_with_token_spans(documents: list[Document]) -> None:
    assert _through_jsonl(documents, "tokens") == documents


def _through_jsonl(documents: list[Document], spans: str) -> list[Document]:
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.jsonl")
        jsonl.write(documents, path, report, spans=spans)
        again = list(jsonl.read(path, report))
    assert not set(report.counts) - {"files without a document"}
    return again


@settings(patient, max_examples=50)
@given(st.lists(raw_documents(), max_size=3))
def test_brat(documents: list[Document]) -> None:
    report = Report()
    for number, document in enumerate(documents):
        document.id = f"d{number}"
    with tempfile.TemporaryDirectory() as folder:
        brat.write(documents, folder, report)
        assert not report
        assert list(brat.read(folder, report)) == documents


@patient
@given(flat_documents(), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), max_size=4))
def test_conll_counts_every_mention_that_it_leaves_out(
    document: Document, spans: list[tuple[int, int]]
) -> None:
    size = len(document.text)
    document.mentions += [
        Mention(start, start + length, "X") for start, length in spans if start + length <= size
    ]
    stream, report = io.StringIO(), Report()
    conll.write([document], stream, report)
    left_out = sum(count for what, count in report.counts.items() if what.startswith("mentions left out"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        path.write_text(stream.getvalue(), encoding="utf-8", newline="\n")
        kept = [mention for again in conll.read(path, Report()) for mention in again.mentions]
    assert len(kept) + left_out == len(document.mentions)
    assert {(m.start, m.end, m.label) for m in kept} <= {(m.start, m.end, m.label) for m in document.mentions}
