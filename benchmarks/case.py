"""The shipped English models on text in lower case and in capitals.

    python benchmarks/case.py

`en-news` on the test set of CoNLL-2003 and `en` on GUM (dev) and LitBank (test), each by the scheme and in
the labels of the corpus, as `fofe evaluate --as` scores them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from _abroad import CASES
from _record import as_command, on_one_thread, record, shared

import fofe
from fofe.base.report import Report
from fofe.evaluate.corpus_labels import predict, trained_scheme
from fofe.evaluate.scores import score_documents
from fofe.formats import read_corpus
from fofe.text.document import Document, Sentence

SETS = {
    "en_news": ("en-news", "conll2003", ("conll2003", "eng.testb")),
    "en_gum": ("en", "gum", ("gum", "dev.jsonl")),
    "en_litbank": ("en", "litbank", ("litbank", "test.jsonl")),
}
SHOWN = ("cased", "lower", "upper")


def main() -> None:
    """Score, print, record."""
    on_one_thread()
    metrics = {}
    for name, (model, corpus, place) in SETS.items():
        documents = list(read_corpus(shared("data", *place)))
        for case in SHOWN:
            change = CASES[case]
            metrics[f"{name}_{case}"] = round(
                _f1(model, corpus, [recased(one, change) for one in documents]), 2
            )
        print({key: value for key, value in metrics.items() if key.startswith(name)}, flush=True)
    record("case", metrics, "python benchmarks/case.py")


def recased(document: Document, change: Callable[[str], str]) -> Document:
    """The document in another case; a character whose length would change stays as it is."""
    text = "".join(other if len(other := change(one)) == 1 else one for one in document.text)
    sentences = [
        Sentence([token._replace(text=text[token.start : token.end]) for token in sentence.tokens])
        for sentence in document.sentences
    ]
    return replace(document, text=text, sentences=sentences)


def _f1(name: str, corpus: str, documents: list[Document]) -> float:
    model = fofe.load(name)
    gold, found = predict(model, documents, Report(), trained_scheme(model, corpus), heads=False)
    return score_documents(gold, found).overall.f1


if __name__ == "__main__":
    as_command(main)
