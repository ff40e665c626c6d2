"""Fine-tuning that does not forget: a trained model grows, and all that it has learned stays as it was.

Every hidden layer gets new units, which see all that the old ones see and the old ones as well (progressive
networks, Rusu et al. 2016). Old units do not see them, and of the old labels only those that the new corpora
annotate do. The weights that were there are fixed, and so are vocabularies and word vectors. So the log-odds
between old labels cannot change unless there is new text for them. A replay text, which a model brings along,
shows where the new types are not, and what the model finds there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from fofe.decode import Decoding
from fofe.features.config import ModelConfig
from fofe.features.schemes import CONDITIONED
from fofe.model.network import Network
from fofe.model.storage import StoredModel
from fofe.tagging.model import Model
from fofe.text.document import NONE
from fofe.text.tokenise import tokeniser
from fofe.training.annotation import Annotation, labelled_sentences
from fofe.training.config import CorpusConfig, DecodingConfig
from fofe.training.corpora import Corpora, Corpus
from fofe.training.scoring import ScoredCorpus, Tuned, scores_with

UNITS = 64
"""How many units each hidden layer gets."""
UNLIKELY, IMPOSSIBLE = -4.0, -100.0
"""The bias that a new label starts with, and what the schemes of the model's own corpora add to it.

These corpora do not annotate it, and nothing shows how it would look under their schemes.
"""
REPLAY = "replay"
"""The name of the corpus that the replay text counts as."""


def widened(model: ModelConfig) -> ModelConfig:
    """The configuration of a model with more units."""
    return replace(model, hidden=tuple(width + UNITS for width in model.hidden))


def new_labels(corpora: Corpora, start: StoredModel) -> list[str]:
    """The labels of corpora that a model does not know."""
    return [label for label in corpora.labels() if label not in start.labels]


def relearned(corpora: Corpora, start: StoredModel) -> list[str]:
    """The labels of a model that corpora annotate, too, its replay text aside."""
    others = replace(corpora, parts=tuple(part for part in corpora.parts if part.name != REPLAY))
    return [label for label in others.labels() if label in start.labels and label != NONE]


def with_replay(corpora: Corpora, start: StoredModel) -> Corpora:
    """The corpora and the replay text of a model, with what it finds there and nothing of the new types."""
    documents = Model(start).tag(start.replay.splitlines())
    language = tokeniser(start.config.language).language
    sentences = labelled_sentences(documents, corpora.report, language=language)
    if not sentences:
        return corpora
    labels = {label: frozenset([label]) for label in (*start.labels[1:], *new_labels(corpora, start))}
    annotation = Annotation(labels, frozenset(labels), start.decoding.nested)
    config = CorpusConfig((REPLAY,), name=REPLAY, scored=False)
    return replace(corpora, parts=(*corpora.parts, Corpus(config, annotation, sentences, [], [])))


@dataclass(frozen=True)
class Fixed:
    """The part of a parameter that stays as it is."""

    parameter: nn.Parameter
    trained: Tensor
    """Which of its values may change."""
    values: Tensor

    def restore(self) -> None:
        """Undo what an optimiser did to what stays."""
        with torch.no_grad():
            self.parameter.copy_(torch.where(self.trained, self.parameter, self.values))


def grow(network: Network, start: StoredModel, relearned: Iterable[int]) -> list[Fixed]:
    """Take over the weights of a model into a wider network with more labels.

    `relearned` are the numbers of old labels that new units may change. Parameters that stay as a whole
    need no gradient; the others are returned with the part of them that stays.
    """
    fixed = []
    last = f"layers.{len(start.config.hidden)}."
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            old = torch.from_numpy(start.weights[name])
            trained = torch.zeros(parameter.shape, dtype=torch.bool)
            if name.startswith("layers."):
                trained[len(old) :] = True
                if name == f"{last}bias":
                    parameter.fill_(UNLIKELY)
                parameter[: len(old)] = 0
                if name == f"{last}weight":
                    trained[list(relearned), old.shape[1] :] = True
            # The conditioned layers have the rows of one corpus behind those of the other.
            corpora = len(start.config.schemes) if name.startswith(CONDITIONED) else 1
            rows = old.view(corpora, -1, *old.shape[1:])
            block = tuple(map(slice, rows.shape))
            of_corpora = parameter.view(corpora, -1, *parameter.shape[1:])
            of_corpora[block] = rows
            if name == f"{CONDITIONED}{len(start.config.hidden) - 1}.bias":
                of_corpora[:, rows.shape[1] :] = IMPOSSIBLE
            parameter.requires_grad_(bool(trained.any()))
            if parameter.requires_grad:
                fixed.append(Fixed(parameter, trained, parameter.detach().clone()))
    return fixed


def kept_decoding(start: StoredModel, config: DecodingConfig) -> DecodingConfig:
    """How fine-tuning decodes dev sets: as the model does, but for thresholds."""
    decoding = start.decoding
    return replace(
        config,
        nested=decoding.nested,
        strategies=(decoding.strategy,),
        agreements=(decoding.agreement,),
    )


def tune_new(
    corpora: Sequence[ScoredCorpus], config: DecodingConfig, decoding: Decoding, labels: Sequence[str]
) -> Tuned:
    """Try every threshold for new labels, while the others keep theirs, as the model will decode."""
    tried = (
        replace(scores_with(corpora, with_thresholds(decoding, labels, threshold)), threshold=threshold)
        for threshold in config.thresholds
    )
    return max(tried, key=lambda tuned: tuned.f1)


def with_thresholds(decoding: Decoding, labels: Sequence[str], threshold: float) -> Decoding:
    """A decoding with a threshold of their own for some labels."""
    return replace(decoding, thresholds=decoding.thresholds | dict.fromkeys(labels, threshold))
