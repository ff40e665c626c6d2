"""A component for spaCy pipelines: `nlp.add_pipe("fofe")`, with `config={"model": "PATH"}` for another model.

It tags spaCy's own tokens. Mentions become `doc.spans["fofe"]`, nested ones included, with their scores in
`doc.spans["fofe"].attrs["scores"]`; and those that lie in no other become `doc.ents` unless `ents` is false.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import filter_spans

from fofe.base.errors import InputError, broken_file
from fofe.base.files import atomic_directory
from fofe.base.settings import build, read_toml, to_table, to_toml
from fofe.formats.spacy import GROUP, SCORES, sentences_of
from fofe.tagging.installed import model_of_language, model_path, models_by_language
from fofe.tagging.model import Model, load
from fofe.tagging.rules import Rules
from fofe.text.document import Document, Sentence
from fofe.text.tokenise import tokeniser

MODEL, RULES = "model", "rules.toml"
"""What the component keeps in its directory of a pipeline."""


@Language.factory("fofe", assigns=["doc.spans", "doc.ents"])
def make_fofe(
    nlp: Language,
    name: str,
    model: str | None = None,
    spans_key: str = GROUP,
    ents: bool = True,
    overwrite: bool = False,
    threshold: float | None = None,
    strategy: str | None = None,
    nested: bool | None = None,
    agreement: float | None = None,
    scheme: str | None = None,
    names: bool | None = None,
    rules: list[str] | None = None,
) -> FofePipe:
    """What spaCy calls to make the component; without a model it has the installed one of the language."""
    decoding = {"threshold": threshold, "strategy": strategy, "nested": nested, "agreement": agreement}
    options = {**decoding, "scheme": scheme, "names": names}
    pipe = FofePipe(name, options, spans_key, ents=ents, overwrite=overwrite)
    try:
        path = model_path(model) if model else model_of_language(str(nlp.lang), models_by_language()).path
        pipe.use(path, Rules.of(*rules or ()))
    except InputError as error:
        # A pipeline that is read from disk brings its files along: those that it was made with may be gone.
        pipe.missing = error
    return pipe


class FofePipe(Pipe):
    """Finds mentions in spaCy docs."""

    def __init__(
        self, name: str, options: dict[str, Any], spans_key: str, *, ents: bool, overwrite: bool
    ) -> None:
        """Make a component without a model; the options are those of `Model.with_options`."""
        self.name = name
        self.spans_key = spans_key
        self.ents = ents
        self.overwrite = overwrite
        self.missing: InputError | None = None
        """Why there is no model, which counts when one is needed."""
        self._options = options

    def use(self, path: Path, rules: Rules) -> None:
        """Take the model of a directory, and rules."""
        self._model = load(path).with_options(**self._options, rules=rules.rule)
        self._source: Path | bytes = path
        self._rules, self.missing = rules, None

    @property
    def model(self) -> Model:
        """What finds the mentions."""
        if self.missing:
            raise self.missing
        return self._model

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the model and of the rules; none as long as there is no model."""
        if self.missing:
            return ()
        return tuple(dict.fromkeys([*self.model.labels[1:], *self._rules.labels]))

    def __call__(self, doc: Doc) -> Doc:
        """Add the mentions of one doc."""
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Add the mentions of docs, so many at a time."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            try:
                self._annotate(batch)
            except Exception as error:  # noqa: PERF203
                self.get_error_handler()(self.name, self, batch, error)
            else:
                yield from batch

    def score(self, examples: Iterable[Example], **_: Any) -> dict[str, Any]:
        """The scores of `doc.spans`, nested ones included, and of `doc.ents`, as `nlp.evaluate` has them."""
        examples = list(examples)
        key = self.spans_key
        scores: dict[str, Any] = Scorer.score_spans(
            examples,
            f"spans_{key}",
            getter=lambda doc, _: doc.spans.get(key, []),
            has_annotation=lambda doc: key in doc.spans,
            allow_overlap=True,
        )
        return {**scores, **get_ner_prf(examples)} if self.ents else scores

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:  # noqa: ARG002
        """Write the model as it was loaded, and the rules, into a directory; the pipeline has the options."""
        if self.missing:
            raise self.missing
        with atomic_directory(Path(path)) as folder:
            if isinstance(self._source, bytes):
                ZipFile(BytesIO(self._source)).extractall(folder)
                return
            load(self._source).save(folder / MODEL)
            rules = [to_table(rule.alone()) for rule in self._rules.rule]
            (folder / RULES).write_text(to_toml({"rule": rules}), "utf-8")

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> FofePipe:  # noqa: ARG002
        """Take the model and the rules of such a directory."""
        rules = Path(path) / RULES
        self.use(Path(path) / MODEL, build(Rules, read_toml(rules), path=rules))
        return self

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:  # noqa: ARG002
        """What `to_disk` writes, as a zip archive."""
        packed = BytesIO()
        with TemporaryDirectory() as folder, ZipFile(packed, "w") as archive:
            self.to_disk(folder)
            for file in sorted(filter(Path.is_file, Path(folder).rglob("*"))):
                # No time of its own: the same component has the same bytes.
                archive.writestr(ZipInfo(file.relative_to(folder).as_posix()), file.read_bytes())
        return packed.getvalue()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> FofePipe:  # noqa: ARG002
        """Take the model and the rules of such an archive."""
        with TemporaryDirectory() as folder, broken_file("the component's bytes", "make them with to_bytes"):
            ZipFile(BytesIO(data)).extractall(folder)
            self.from_disk(folder)
        self._source = data  # the directory is gone
        return self

    def _annotate(self, docs: list[Doc]) -> None:
        tagged = self.model.tag_documents(self._document(doc) for doc in docs)
        for doc, document in zip(docs, tagged, strict=True):
            # What a rule matches may begin or end inside of a token, which the span then takes whole.
            spans: list[Any] = [
                doc.char_span(one.start, one.end, label=one.label, alignment_mode="expand")
                for one in document.mentions
            ]
            doc.spans[self.spans_key] = spans
            scores = np.array([mention.score for mention in document.mentions], dtype=np.float32)
            doc.spans[self.spans_key].attrs[SCORES] = scores
            if self.ents:
                own = filter_spans(spans if self.overwrite else _apart(spans, doc.ents))
                doc.ents = [*own, *_apart(doc.ents, own)]

    def _document(self, doc: Doc) -> Document:
        """The doc as a document: its own tokens, and its own sentences where it has them."""
        sentences = sentences_of(doc)
        if not doc.has_annotation("SENT_START"):
            sentences = _cut(sentences, tokeniser(self.model.config.language).document(doc.text))
        return Document(doc.text, sentences)


def _apart(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """The spans that share no token with any of the others."""
    taken = {place for other in others for place in range(other.start, other.end)}
    return [span for span in spans if taken.isdisjoint(range(span.start, span.end))]


def _cut(sentences: list[Sentence], like: Document) -> list[Sentence]:
    """The tokens of the sentences, cut where another document of the same text begins its sentences."""
    borders = [sentence.start for sentence in like.sentences[1:]]
    tokens = (token for sentence in sentences for token in sentence.tokens)
    by_place = groupby(tokens, lambda token: bisect_right(borders, token.start))
    return [Sentence(list(group)) for _, group in by_place]
