"""Several models as one: each text goes to the model of its language."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fofe.base.errors import FofeError, in_file
from fofe.base.report import Report
from fofe.tagging.batching import chunks
from fofe.tagging.installed import DEFAULT, model_of_language, models_by_language
from fofe.tagging.model import Check, Model, Tagger, load
from fofe.tagging.rules import Rule, Rules
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
        self.scheme: str | None = None
        """The corpus whose annotation scheme is followed by the models that know it."""
        self._installed = models_by_language()
        if not self._installed:
            model_of_language(DEFAULT, {})  # which says how to get a model
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

    def with_options(self, **options: Any) -> ByLanguage:
        """The same with models that decode as given; see `Model.with_options`.

        A model that does not know the scheme is used without it, since a corpus has only one language. A
        scheme that no model knows is an error.
        """
        other = copy.copy(self)
        other._options = {**self._options, **options}
        Rules.of(*other._options.get("rules") or ())  # an error now, not with the first text
        other._loaded = {}
        other.scheme = other._options.get("scheme")
        if not any(map(other._follows, self._installed)):
            known = dict.fromkeys(name for language in self._installed for name in self._known(language))
            raise FofeError(
                f"no installed model knows the annotation scheme of {other.scheme!r} "
                f"(they know: {', '.join(known) or 'none'})"
            )
        return other

    def with_rules(self, *rules: str | Path | Rule) -> ByLanguage:
        """The same with models that follow rules; see `Model.with_rules`."""
        return self.with_options(rules=rules)

    def _follows(self, language: str) -> bool:
        """Whether the model of a language knows the scheme that is asked for; true where none is."""
        return self.scheme is None or self.scheme in self._known(language)

    def _known(self, language: str) -> list[str]:
        """The annotation schemes that the model of a language knows, without loading it."""
        return list(self._installed[language].settings["model"].get("schemes", ()))

    def model(self, language: str) -> Model:
        """The model of a language."""
        if language not in self._loaded:
            path = model_of_language(language, self._installed).path
            model = load(path, engine=self._engine, device=self._device)
            scheme = self.scheme if self._follows(language) else None
            self._loaded[language] = model.with_options(**{**self._options, "scheme": scheme})
        return self._loaded[language]

    def model_for(self, text: str, name: str, report: Report) -> Model:
        """The model of the language of a text, which errors and the report call by a name."""
        recognised = recognise(text)
        language = recognised or DEFAULT
        with in_file(name or None):
            model = self.model(language)
        if recognised is None and text.strip():
            report.note(f"documents in an unclear language, taken for {language}", name)
        if not self._follows(language):
            unknown = f"the model of {language!r} does not know that of {self.scheme}"
            report.note(f"documents tagged without --scheme because {unknown}", name)
        return model

    def _tag(
        self, documents: Iterable[Document], check: Check = None, *, growing: bool
    ) -> Iterator[Document]:
        for group in chunks(documents, lambda _: 0, DOCUMENTS_AT_ONCE, growing=growing):
            # What is no text, such as a missing value, has no language: the tokeniser reports what is wrong.
            texts = [document.text if isinstance(document.text, str) else "" for document in group]
            models = [self.model_for(text, "", Report()) for text in texts]
            yield from tag_each(list(zip(models, group, strict=True)), check)


def tag_each(documents: Sequence[tuple[Model, Document]], check: Check = None) -> Iterator[Document]:
    """Tag documents, each by the model beside it; yields them in order. Those of one model share batches.

    `check` is that of `tag_documents`.
    """
    by_model: dict[Model, list[Document]] = {}
    for model, document in documents:
        by_model.setdefault(model, []).append(document)
    tagged = {model: model.tag_documents(theirs, check=check) for model, theirs in by_model.items()}
    return (next(tagged[model]) for model, _ in documents)
