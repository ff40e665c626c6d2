"""Several models as one: each text goes to the model of its language."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from fofe.base.errors import FofeError
from fofe.tagging.installed import DEFAULT, InstalledModel, model_of_language, models_by_language
from fofe.tagging.model import Model, Tagger, load
from fofe.text.detect import recognise
from fofe.text.document import Document

DOCUMENTS_AT_ONCE = 256
"""How many are sorted by language together; those of one language are tagged at once."""


class ByLanguage(Tagger):
    """Finds mentions with the installed model of each text's language: what `fofe.load("auto")` gives.

    A model is loaded when its language is first met. Text whose language is unclear, such as a few names,
    is taken for English.
    """

    def __init__(self, *, engine: str = "numpy", device: str = "auto") -> None:
        self._installed: dict[str, InstalledModel] = models_by_language()
        if not self._installed:
            self.fitting(DEFAULT)  # which says how to get a model
        self._engine = engine
        self._device = device
        self._options: Mapping[str, Any] = {}
        self._loaded: dict[str, Model] = {}

    @property
    def languages(self) -> list[str]:
        """Those that there are models for."""
        return list(self._installed)

    @property
    def labels(self) -> list[str]:
        """The labels of all models, without NONE."""
        return list(dict.fromkeys(label for model in self._installed.values() for label in model.labels))

    @property
    def scheme(self) -> str | None:
        """The corpus whose annotation scheme is followed by the models that know it."""
        scheme: str | None = self._options.get("scheme")
        return scheme

    def with_options(self, **options: Any) -> ByLanguage:
        """The same with models that decode as given; see `Model.with_options`.

        A model that does not know the scheme is used without it, since a corpus has only one language. A
        scheme that no model knows is an error.
        """
        other = copy.copy(self)
        other._options = {**self._options, **options}
        other._loaded = {}
        if not any(map(other.follows, self._installed)):
            known = dict.fromkeys(name for language in self._installed for name in self._known(language))
            raise FofeError(
                f"no installed model knows the annotation scheme of {other.scheme!r} "
                f"(they know: {', '.join(known) or 'none'})"
            )
        return other

    def follows(self, language: str) -> bool:
        """Whether the model of a language knows the scheme that is asked for; true where none is."""
        return self.scheme is None or self.scheme in self._known(language)

    def _known(self, language: str) -> list[str]:
        """The annotation schemes that the model of a language knows, without loading it."""
        return list(self._installed[language].settings["model"].get("schemes", ()))

    def model(self, language: str) -> Model:
        """The model of a language."""
        if language not in self._loaded:
            path = self._installed[self.fitting(language)].path
            model = load(path, engine=self._engine, device=self._device)
            scheme = self.scheme if self.follows(language) else None
            self._loaded[language] = model.with_options(**{**self._options, "scheme": scheme})
        return self._loaded[language]

    def fitting(self, language: str | None) -> str:
        """The language whose model is to tag a text of a language, or of an unclear one."""
        return model_of_language(language or DEFAULT, self._installed).language

    def _tag(self, documents: Iterable[Document]) -> Iterator[Document]:
        waiting = iter(documents)
        while group := list(islice(waiting, DOCUMENTS_AT_ONCE)):
            yield from tag_each([(self._model_for(document.text), document) for document in group])

    def _model_for(self, text: str) -> Model:
        # What is no text, such as a missing value, has no language: the tokeniser reports what is wrong.
        return self.model(self.fitting(recognise(text) if isinstance(text, str) else None))


def tag_each(documents: Sequence[tuple[Model, Document]]) -> Iterator[Document]:
    """Tag documents, each by the model beside it; yields them in order. Those of one model share batches."""
    by_model: dict[Model, list[Document]] = {}
    for model, document in documents:
        by_model.setdefault(model, []).append(document)
    tagged = {model: model.tag_documents(theirs) for model, theirs in by_model.items()}
    return (next(tagged[model]) for model, _ in documents)
