"""Mentions that annotation in doubt lacks, looked for by the network while it is trained.

At a quarter, a half and three quarters of the training the network reads the training text of such corpora.
What it is sure of counts as annotated from then on, what it finds likely is left open; all else stays
negative. The missing mentions do little harm in the meantime, since an epoch sees only a small share of the
fragments without a label.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fofe._files import write_whole
from fofe.decode import Candidate, resolve
from fofe.model.tagger import Scorer
from fofe.train.annotation import IN_DOUBT
from fofe.train.corpora import Corpora
from fofe.train.examples import LabelledSentence
from fofe.train.tuning import judge

POINTS = (0.25, 0.5, 0.75)
SURE = 0.9
LIKELY = 0.5
FILE = "missing.json"


@dataclass(frozen=True)
class Found:
    """What was found in the training sentences of a run, which are numbered."""

    epoch: int
    """How many epochs had been done."""
    sure: list[tuple[int, int, int, str]]
    """Sentence, start, end and label of mentions, in the labels of the corpus."""
    likely: list[tuple[int, int, int]]
    """Sentence, start and end of what may be mentions."""

    def added_to(self, sentences: Sequence[LabelledSentence]) -> list[LabelledSentence]:
        """The sentences with what was found in them."""
        made = list(sentences)
        for number, start, end, label in self.sure:
            made[number] = replace(made[number], spans=[*made[number].spans, (start, end, label)])
        for number, start, end in self.likely:
            made[number] = replace(made[number], unknown=(*made[number].unknown, (start, end)))
        return made


class MissingMentions:
    """Looks for them when it is time, and remembers what was found, for a run that is resumed."""

    def __init__(self, corpora: Corpora, labels: Sequence[str], epochs: int, folder: Path) -> None:
        self._corpora = corpora
        self._labels = labels
        self._path = folder / FILE
        in_doubt = any(part.config.unannotated == IN_DOUBT for part in corpora.parts)
        self._epochs = {math.ceil(point * epochs) for point in POINTS} if in_doubt else set()

    def due(self, epoch: int) -> bool:
        """Whether it is time, after so many epochs."""
        return epoch in self._epochs

    def look(self, engine: Scorer, epoch: int, *, nested: bool) -> Found:
        """Read the training sentences of all corpora in doubt."""
        found = Found(epoch, [], [])
        first = 0
        for part in self._corpora.parts:
            if part.config.unannotated == IN_DOUBT:
                judged = judge(
                    part.name,
                    engine,
                    part.train,
                    self._labels,
                    LIKELY,
                    annotation=part.annotation,
                    nested=nested,
                )
                for number, (sentence, pool) in enumerate(
                    zip(part.train, judged.candidates, strict=True), first
                ):
                    for start, end, label, score in resolve(_away_from_labels(sentence, pool)):
                        if score >= SURE:
                            found.sure.append((number, start, end, label))
                        else:
                            found.likely.append((number, start, end))
            first += len(part.train)
        return found

    def remember(self, found: Found) -> None:
        """Write down what was found."""
        with write_whole(self._path) as stream:
            json.dump(vars(found), stream)

    def remembered(self, epoch: int) -> Found | None:
        """What was found before so many epochs were done, if anything was looked for."""
        if not self._epochs or epoch <= min(self._epochs) or not self._path.exists():
            return None
        stored: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
        sure = [(number, start, end, label) for number, start, end, label in stored["sure"]]
        likely = [(number, start, end) for number, start, end in stored["likely"]]
        return Found(stored["epoch"], sure, likely)


def _away_from_labels(sentence: LabelledSentence, pool: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that overlap no mention and are not marked as negatives."""
    return [
        candidate
        for candidate in pool
        if (candidate.start, candidate.end) not in sentence.negatives
        and not any(start < candidate.end and candidate.start < end for start, end, _ in sentence.spans)
    ]
