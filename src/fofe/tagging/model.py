"""A loaded model: text in, mentions out."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import FofeError, needs
from fofe.decode import Candidate, Decoding, resolve
from fofe.decode.agree import NEAR, agreed
from fofe.decode.candidates import of_words, select
from fofe.features.schemes import scheme_number
from fofe.model.engine import Engine, Scorer, Scores
from fofe.model.ensemble import Ensemble, EnsembleEngine, load_stored, save_stored
from fofe.model.storage import StoredModel
from fofe.tagging.arguments import check_engine, check_options, check_several, check_type
from fofe.tagging.batching import chunks, joined, parts, token_count, windows
from fofe.tagging.installed import AUTO, model_path
from fofe.tagging.rules import Rule, Rules
from fofe.text.document import Document, Mention, Sentence, Token, checked, split_label
from fofe.text.normalise import normalise
from fofe.text.tokenise import tokeniser

if TYPE_CHECKING:
    from fofe.tagging.by_language import ByLanguage

TOKENS_AT_ONCE = 2048
"""How many tokens are scored together: enough for BLAS, and the memory stays the same for any input."""
FEWER_CUTS = 4
WIDE = 256
"""So many times as many where more tokens than these are scored twice around each cut, since they count."""

Check = Callable[[], object] | None
"""Called between windows; what it raises ends the work."""


def numpy_engine(stored: StoredModel) -> Scorer:
    """What scores fragments unless something else is asked for."""
    return Engine(stored.config, stored.encoder, stored.weights, stored.gate)


class Tagger(ABC):
    """Texts in, mentions out: one model, or several for texts in several languages."""

    def __call__(self, text: str) -> Document:
        """The text as a document with its sentences, tokens and mentions."""
        return next(self.tag([text]))

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts one after another: a stream in, a stream out, in constant memory.

        Of a stream, the first text is tagged before the second is drawn, then more and more at once.
        """
        check_several(texts, "texts", "call the model itself for one text")
        return self._tag((Document(text) for text in texts), growing=not isinstance(texts, Sized))

    def tag_tokens(self, sentences: Iterable[Sequence[str]]) -> Iterator[Document]:
        """Tag sentences that are already cut into words: one document for each.

        Its text is the words joined by spaces, and the offsets of mentions point into that.
        """
        check_several(sentences, "sentences", "put the words of one sentence into a list of lists")
        documents = (Document.from_words([words]) for words in sentences)
        return self._tag(documents, growing=not isinstance(sentences, Sized))

    def tag_documents(self, documents: Iterable[Document], *, check: Check = None) -> Iterator[Document]:
        """Tag documents; yields copies with the mentions found, in order.

        A text without sentences, as corpora may give it, is cut into sentences and tokens first. `check` is
        called before every few thousand tokens: what it raises ends the work, even within a long document.
        """
        check_several(documents, "documents", "put one document into a list")
        return self._tag(map(checked, documents), check, growing=not isinstance(documents, Sized))

    @abstractmethod
    def _tag(
        self, documents: Iterable[Document], check: Check = None, *, growing: bool
    ) -> Iterator[Document]:
        """Tag a stream of documents, of any length; `growing` is that of `chunks`."""


class Model(Tagger):
    """Finds mentions in text.

    A model does not change when it is used, so threads may share one. `with_options` gives a copy that
    decodes differently and shares the weights.
    """

    def __init__(
        self,
        stored: StoredModel | Ensemble,
        *,
        path: Path | None = None,
        scorer: Callable[[StoredModel], Scorer] = numpy_engine,
    ) -> None:
        """Make a model, or of an ensemble one model, from the content of its directory."""
        check_type(stored, (StoredModel, Ensemble), "what is stored is needed", "fofe.load loads a model")
        self.path = path
        if isinstance(stored, Ensemble):
            members: tuple[StoredModel, ...] = stored.members
            self._engine: Scorer = EnsembleEngine(list(map(scorer, members)), stored)
            stored = stored.as_one
        else:
            members = (stored,)
            self._engine = scorer(stored)
        self.config = stored.config
        self.labels = stored.labels
        self.decoding: Decoding = stored.decoding
        self._decodings = stored.decodings
        self.training = stored.training
        self.card = stored.card
        self._project: Callable[[FloatArray], FloatArray] | None = None
        self._alternatives = 0
        self._for_recall = False
        self._exact = False
        self._rules = Rules()
        self._scheme: str | None = None
        self._tokeniser = tokeniser(stored.config.language)
        self._receptive_field = max(member.config.receptive_field for member in members)
        self._reach = max(member.reach for member in members)

    def __repr__(self) -> str:
        return (
            f"<fofe model {self.path}: language {self.config.language}, {', '.join(self.labels[1:])}; "
            f"{self.decoding.strategy} from {self.decoding.threshold:g}>"
        )

    def with_options(
        self,
        *,
        threshold: float | None = None,
        strategy: str | None = None,
        nested: bool | None = None,
        agreement: float | None = None,
        alternatives: int | None = None,
        for_recall: bool | None = None,
        exact: bool | None = None,
        scheme: str | None = None,
        names: bool | None = None,
        rules: Sequence[str | Path | Rule] | None = None,
    ) -> Model:
        """A model that shares this one's weights and decodes as given; what is not given stays.

        Args:
            threshold: the least score of a mention, between 0 and 1.
            strategy: how overlaps are resolved, one of `fofe.decode.STRATEGIES`.
            nested: whether mentions may lie in one another; where not, a model that was tuned to the
                strategy `non-crossing`, which is nested by nature, takes `highest-first` unless one is given.
            agreement: what the types of the same text in nearby sentences of a document count beside a
                mention's own; 0 for nothing.
            alternatives: how many of the next best labels each mention has.
            for_recall: take the best label other than NONE even where NONE is more likely; this scores every
                fragment, as `exact` does.
            exact: score every fragment, also those that the gate would reject.
            scheme: the corpus whose annotation scheme is followed, for a model that was trained on several
                and conditioned on them (`config.schemes`); decoding is as tuned for it.
            names: find names only, none in another, at the threshold that was tuned for that.
            rules: those of `with_rules`.
        """
        check_options(alternatives, for_recall, exact, scheme)
        other = copy.copy(self)
        other.decoding = self.decoding_for(scheme).changed(
            threshold=threshold, strategy=strategy, nested=nested, agreement=agreement, names=names
        )
        other._alternatives = self._alternatives if alternatives is None else alternatives
        other._for_recall = self._for_recall if for_recall is None else for_recall
        other._exact = self._exact if exact is None else exact
        if rules is not None:
            check_several(rules, "rules", "use with_rules for one")
            other._rules = Rules.of(*rules)
        if scheme is not None:
            other._engine = self._engine.conditioned_on(scheme)
            other._scheme = scheme
        return other

    def with_rules(self, *rules: str | Path | Rule) -> Model:
        """A model that shares this one's weights and follows these rules instead of those it had.

        Args:
            rules: TOML files, sets that come with the package such as "contact", or `Rule` objects.
        """
        return self.with_options(rules=rules)

    def save(self, path: str | Path) -> None:
        """Write the model to a directory, which `fofe.load` reads; a model that was there is replaced.

        The decoding is saved as it is now; the other options are given again after loading. A model with
        rules or a chosen scheme is an error.
        """
        check_type(path, (str, Path), "a model is saved to a directory")
        save_stored(self.stored(), path)

    def stored(self) -> StoredModel | Ensemble:
        """What `save` writes."""
        if self.path is None:
            raise FofeError("a model that was not loaded has no files to save (use fofe.model.storage)")
        if self._scheme is not None:
            raise FofeError(
                f"the choice of a scheme cannot be saved (save the model without it, and use "
                f"with_options(scheme={self._scheme!r}) after loading)"
            )
        if self.rules:
            raise FofeError(
                "rules cannot be saved: they live beside a model (save model.with_rules(), which has none, "
                "and use with_rules after loading)"
            )
        return replace(load_stored(self.path), decoding=self.decoding)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those that it follows."""
        return self._rules.rule

    @property
    def sees_documents(self) -> bool:
        """Whether what is found in a sentence can depend on the sentences around it."""
        return bool(self._receptive_field or self.decoding.agreement or self.rules)

    def decoding_for(self, scheme: str | None) -> Decoding:
        """How this model decodes by the annotation scheme of a corpus; none: as it does now."""
        if scheme is None:
            return self.decoding
        scheme_number(self.config, scheme)  # an error for one that the model does not know
        return self._decodings.get(scheme, self.decoding)

    def fresh(self) -> Model:
        """A model that shares this one's weights and has seen no text yet.

        What was tagged before cannot change its scores, whatever BLAS library there is (`Engine.fresh`).
        """
        other = copy.copy(self)
        other._engine = self._engine.fresh()
        return other

    def _tag(
        self, documents: Iterable[Document], check: Check = None, *, growing: bool
    ) -> Iterator[Document]:
        for group in chunks(map(self._cut, documents), token_count, TOKENS_AT_ONCE, growing=growing):
            found = self._found(group, check)
            for document in group:
                mentions = [mention for _ in document.sentences for mention in next(found)]
                # Faster than dataclasses.replace, which shows where documents are short.
                kept = document.id, document.meta, document.regions
                yield self._rules.applied(Document(document.text, document.sentences, mentions, *kept))

    def _cut(self, document: Document) -> Document:
        """The document with sentences, none of which is without tokens."""
        if not document.sentences:
            return replace(document, sentences=self._tokeniser.document(document.text).sentences)
        if all(sentence.tokens for sentence in document.sentences):
            return document
        return replace(document, sentences=[sentence for sentence in document.sentences if sentence])

    def score(self, document: Document) -> Scores:
        """The label probabilities of every fragment of a document that has sentences, at once.

        This is what `tag_documents` decides from, agreement included, also for the fragments that a gate
        would reject. Memory grows with the document.
        """
        sentences = [sentence for sentence in checked(document).sentences if sentence]
        return self._scores(sentences, [not number for number in range(len(sentences))], exact=True)

    def _found(self, group: Sequence[Document], check: Check) -> Iterator[list[Mention]]:
        """The mentions of each sentence of some documents; `check` is called before each window."""
        texts = [document.text for document in group for _ in document.sentences]
        sentences = [sentence for document in group for sentence in document.sentences]
        opening = [not number for document in group for number in range(len(document.sentences))]
        cut = list(parts(sentences))
        lengths = [end - first for _, first, end in cut]
        begins = [not first for _, first, _ in cut]
        opens = [not first and opening[number] for number, first, _ in cut]
        fields = (NEAR if self.decoding.agreement else 0, self._receptive_field)
        wanted = TOKENS_AT_ONCE * (FEWER_CUTS if sum(fields) > WIDE else 1)
        pool: list[Candidate] = []
        next_best: dict[tuple[int, int], tuple[tuple[str, float], ...]] = {}
        for tagged, seen in windows(
            lengths, opens, tokens_wanted=wanted, receptive_fields=fields, begins=begins, reach=self._reach
        ):
            if check is not None:
                check()
            pieces = joined(cut[seen])
            first = pieces[0].sentence
            # The first sentence that is seen may not open its document, but nothing before it is known.
            scores = self._scores(
                [piece.of(sentences) for piece in pieces],
                [True, *opening[first + 1 : first + len(pieces)]],
                exact=self._exact or self._for_recall,
            )
            pools = select(
                scores.fragments,
                scores.token_offsets,
                scores.probabilities,
                self.labels,
                threshold=self.decoding.thresholds_of(self.labels),
                for_recall=self._for_recall,
            )
            for part in pieces if tagged == seen else joined(cut[tagged]):
                number, begin, end = part
                piece, own = pieces[number - first], pools[number - first]
                if piece != part:
                    moved = (
                        one._replace(start=one.start + piece.first, end=one.end + piece.first) for one in own
                    )
                    own = [one for one in moved if begin <= one.start < end]
                tokens = sentences[number].tokens
                own = of_words(tokens, own, self._tokeniser.language)
                pool += own
                if self._alternatives:
                    offset = int(scores.token_offsets[number - first]) - piece.first
                    next_best |= {one[:2]: self._next_best(scores, offset, one) for one in own}
                if end == len(tokens):
                    yield [
                        _mention(
                            texts[number], tokens, kept, next_best.get(kept[:2], ()) if next_best else ()
                        )
                        for kept in resolve(pool, self.decoding.strategy, self.decoding.nested)
                    ]
                    pool, next_best = [], {}

    def _scores(self, sentences: Sequence[Sentence], opens: Sequence[bool], *, exact: bool) -> Scores:
        words = [normalise(sentence.words, self._tokeniser.language) for sentence in sentences]
        scores = self._engine.score(words, opens, exact=exact)
        own = scores.probabilities if self._project is None else self._project(scores.probabilities)
        probabilities = agreed(own, scores.fragments, words, opens, self.decoding.agreement)
        return replace(scores, probabilities=probabilities)

    def _next_best(self, scores: Scores, offset: int, candidate: Candidate) -> tuple[tuple[str, float], ...]:
        """The labels after that of a candidate of the sentence at an offset, with their probabilities."""
        fragments = scores.fragments  # in the order of their first tokens
        first = offset + candidate.start
        same_start = slice(*np.searchsorted(fragments.firsts, [first, first + 1]))
        last = offset + candidate.end - 1
        found = int(np.flatnonzero(fragments.lasts[same_start] == last)[0])
        row = scores.probabilities[same_start][found]
        ranked = [(self.labels[column], float(row[column])) for column in np.argsort(-row, kind="stable")]
        return tuple(one for one in ranked if one[0] != candidate.label)[: self._alternatives]


def _mention(
    text: str, tokens: Sequence[Token], candidate: Candidate, alternatives: tuple[tuple[str, float], ...]
) -> Mention:
    type, kind = split_label(candidate.label)
    start, end = tokens[candidate.start].start, tokens[candidate.end - 1].end
    return Mention(start, end, type, kind, candidate.score, text[start:end], alternatives)


@overload
def load(  # type: ignore[overload-overlap]
    path: Literal["auto"], *, engine: str = ..., device: str = ...
) -> ByLanguage: ...


@overload
def load(path: str | Path, *, engine: str = ..., device: str = ...) -> Model: ...


def load(path: str | Path, *, engine: str = "numpy", device: str = "auto") -> Model | ByLanguage:
    """Load a model: its directory, that of an ensemble, or one that a package brings, by its name.

    Args:
        path: the directory, the name of an installed model such as "en", or the address of one on the Hugging
            Face Hub, "hf://owner/name" or "hf://owner/name@revision"; "auto" stands for all that are
            installed, each for the texts of its language.
        engine: "numpy", which needs nothing else and is the fastest on a CPU; or "torch", the network itself,
            which scores all fragments of a batch at once.
        device: where torch runs: "cpu", "cuda" or "auto".
    """
    check_type(path, (str, Path), "a model is a directory or a name", 'write fofe.load("en")')
    check_engine(engine, device)
    if path == AUTO:
        from fofe.tagging.by_language import ByLanguage

        return ByLanguage(engine=engine, device=device)
    path = model_path(path)
    scorer = partial(_torch_engine, device=device) if engine == "torch" else numpy_engine
    return Model(load_stored(path), scorer=scorer, path=path)


def in_labels(model: Model, labels: tuple[str, ...], project: Callable[[FloatArray], FloatArray]) -> Model:
    """The model with K' labels instead of its own K; `project` turns probabilities [F, K] into [F, K']."""
    other = copy.copy(model)
    other.labels, other._project = labels, project
    return other


def _torch_engine(stored: StoredModel, device: str) -> Scorer:
    with needs("the torch engine needs PyTorch", "train", "torch"):
        from fofe.model.torch_engine import TorchEngine, choose_device
    return TorchEngine.of(stored, choose_device(device))
