"""What a model finds in a corpus as its users see it: by the public API, in the corpus's own types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fofe.decode import outermost
from fofe.evaluate.scores import Counts, Evaluation, count_by
from fofe.tagging.model import Model
from fofe.text.align import align
from fofe.text.document import Document
from fofe.training.annotation import LabelledSentence
from fofe.training.corpora import Corpus
from fofe.training.scoring import gold_of


def scores(model: Model, corpus: Corpus, part: str) -> dict[str, float]:
    """Precision, recall and F1 on whole documents, and F1 where each sentence is a document.

    F1 of names and of nominals are there if the corpus has such mentions.
    """
    found = _evaluation(model, corpus, part, by_sentence=False)
    alone = _evaluation(model, corpus, part, by_sentence=True)
    kinds = {"names_f1": found.names, "nominals_f1": found.nominals}
    return {
        "precision": round(found.overall.precision, 2),
        "recall": round(found.overall.recall, 2),
        "f1": round(found.overall.f1, 2),
        "sentences_f1": round(alone.overall.f1, 2),
        **{name: round(of.f1, 2) for name, of in kinds.items() if of != Counts()},
    }


def documents(sentences: Sequence[LabelledSentence], *, by_sentence: bool = False) -> Iterator[Document]:
    """The documents that the sentences come from, or one for each sentence; without mentions."""
    words: list[list[str]] = []
    for sentence in sentences:
        if words and (sentence.opens or by_sentence):
            yield Document.from_words(words)
            words = []
        words.append(sentence.words)
    if words:
        yield Document.from_words(words)


def _evaluation(model: Model, corpus: Corpus, part: str, *, by_sentence: bool) -> Evaluation:
    annotation = corpus.annotation
    own = {
        of_model: name for label, name in annotation.names.items() for of_model in annotation.labels[label]
    }
    sentences = corpus.part(part)
    wanted = gold_of(sentences, annotation)
    gold = {(number, *span) for number, spans in enumerate(wanted) for span in spans}
    predicted = set()
    first = 0
    for document in model.tag_documents(documents(sentences, by_sentence=by_sentence)):
        mentions = [mention for mention in document.mentions if mention.label in own]
        document.mentions = mentions if annotation.nested else outermost(mentions)
        spans, _ = align(document)
        predicted |= {
            (first + span.sentence, span.start, span.end, own[mention.label]) for span, mention in spans
        }
        first += len(document.sentences)
    assert first == len(sentences), "each sentence has words"
    return Evaluation.of(count_by(gold, predicted, key=lambda span: str(span[3])))
