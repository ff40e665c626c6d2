"""spaCy's DocBin, with spaCy itself as the other side."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.formats import Report, guess_format, read_corpus, write_corpus
from fofe.text.document import Document, Mention
from fofe.text.tokenise import tokeniser

spacy = pytest.importorskip("spacy", reason="DocBin needs fofe[spacy]")


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Tokenised text with mentions of whole tokens, nested and crossing ones included."""
    letters = st.sampled_from("ab.é北🙂 \n\t\u3000-")
    document = tokeniser("en").document("".join(draw(st.lists(letters, max_size=25))))
    document.id = draw(st.sampled_from(["", "d1"]))
    tokens = list(document.tokens)
    for _ in range(draw(st.integers(0, 3)) if tokens else 0):
        first = draw(st.integers(0, len(tokens) - 1))
        last = draw(st.integers(first, len(tokens) - 1))
        start, end = tokens[first].start, tokens[last].end
        label, kind = draw(st.sampled_from(["PER", "LOC"])), draw(st.sampled_from(["NAM", "NOM"]))
        score = draw(st.sampled_from([1.0, 0.5]))
        document.mentions.append(Mention(start, end, label, kind, score, document.text[start:end]))
    return document


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(documents(), max_size=3))
def test_round_trip(written: list[Document]) -> None:
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.spacy")
        write_corpus(written, path, report=report)
        again = list(read_corpus(path, report=report))
    for document in again:
        document.mentions.sort(key=lambda m: (m.start, m.end, m.label, m.score))
    for document in written:
        document.mentions.sort(key=lambda m: (m.start, m.end, m.label, m.score))
    assert again == written
    assert not set(report.counts) - {"files without a document"}


def test_spacy_reads_what_is_written(tmp_path: Path) -> None:
    from spacy.tokens import DocBin

    document = tokeniser("en").document("She left  the University of Bergen.\nIt rained.", id="d7")
    document.mentions = [
        Mention(14, 34, "ORG", score=0.9, text="University of Bergen"),
        Mention(28, 34, "GPE", score=0.8, text="Bergen"),
    ]
    path = tmp_path / "corpus.spacy"
    assert guess_format(path) == "spacy"
    write_corpus([document], path)
    (doc,) = DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
    assert doc.text == document.text
    assert [sentence.text.strip() for sentence in doc.sents] == [
        "She left  the University of Bergen.",
        "It rained.",
    ]
    assert [(span.text, span.label_) for span in doc.spans["fofe"]] == [
        ("University of Bergen", "ORG"),
        ("Bergen", "GPE"),
    ]
    assert doc.spans["fofe"].attrs["scores"] == [0.9, 0.8]
    assert [(span.text, span.label_) for span in doc.ents] == [("University of Bergen", "ORG")]
    assert doc.user_data["id"] == "d7"


def test_a_file_of_spacy_is_read_from_its_ents(tmp_path: Path) -> None:
    from spacy.tokens import DocBin, Span

    nlp = spacy.blank("en")
    doc = nlp("Anna Berg left Oslo.")
    doc.ents = [Span(doc, 0, 2, "PERSON"), Span(doc, 3, 4, "GPE")]
    DocBin(docs=[doc]).to_disk(tmp_path / "train.spacy")
    report = Report()
    (document,) = read_corpus(tmp_path / "train.spacy", report=report)
    assert [(m.text, m.label) for m in document.mentions] == [("Anna Berg", "PERSON"), ("Oslo", "GPE")]
    assert [token.text for token in document.tokens] == ["Anna", "Berg", "left", "Oslo", "."]
    assert report.counts == {"documents without sentence borders read as one sentence": 1}


def test_mentions_that_are_no_tokens_are_counted(tmp_path: Path) -> None:
    document = tokeniser("en").document("Oslo-based")
    document.mentions = [Mention(0, 2, "GPE", text="Os")]
    report = Report()
    write_corpus([document], tmp_path / "a.spacy", report=report)
    assert report.counts == {"mentions left out for not beginning and ending with a token": 1}


def test_mistakes(tmp_path: Path) -> None:
    (tmp_path / "broken.spacy").write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match=r"broken\.spacy: is no DocBin"):
        list(read_corpus(tmp_path / "broken.spacy"))
    with pytest.raises(InputError, match="has no tokens"):
        write_corpus([Document("Oslo")], tmp_path / "a.spacy")
    with pytest.raises(InputError, match="not a stream"):
        write_corpus([], "-", "spacy")
    assert not (tmp_path / "a.spacy").exists()
