"""Learning from partly labelled text: CoNLL-2003 with 0, 25, 50 and 75 % of the training mentions removed.

    python benchmarks/partial.py --fast --system fofe --share 50      (trains one model)
    python benchmarks/partial.py --fast                               (trains what is missing, records)

Three systems learn from the same files: fofe with `unannotated = "in doubt"`, fofe with missing mentions as
negatives, and spaCy's ner. Mentions are removed at random, always the same ones, and those that are missing
at 25 % are among those at 50 %. Dev and test sets are whole. The rule was chosen on testa.
A call that was killed goes on when it is given again.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from _conll import CONFIGS, FAST
from _mention_runs import trained
from _plots import lines
from _record import HERE, RUNS, as_command, record, shared
from _resources import with_resources
from _rivals import Spacy

from fofe.evaluate.scores import score_spans
from fofe.formats import Report, read_corpus, write_corpus
from fofe.training.annotation import IN_DOUBT, NEGATIVE, LabelledSentence, labelled_sentences
from fofe.training.config import CorpusConfig, RunConfig, load_config

SHARES = (0, 25, 50, 75)
SEED = 1
CORPUS = "conll2003"


def main() -> None:
    """Train one model, or all that are missing, and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fast", action="store_true", help="12 epochs for fofe, as in other studies")
    parser.add_argument("--system", choices=SYSTEMS)
    parser.add_argument("--share", type=int, choices=SHARES)
    args = parser.parse_args()
    systems = [args.system] if args.system else list(SYSTEMS)
    shares = SHARES if args.share is None else (args.share,)
    f1 = {system: {share: SYSTEMS[system](share, args.fast) for share in shares} for system in systems}
    for system, by_share in f1.items():
        print(system, by_share)
    if args.system is None and args.share is None:
        _record(f1, args.fast)


def _record(f1: dict[str, dict[int, float]], fast: bool) -> None:
    metrics = {f"f1_at_{share}": f1["fofe"][share] for share in SHARES}
    metrics["loss_at_50"] = round(f1["fofe"][0] - f1["fofe"][50], 2)
    for system in ("spacy", "negative"):
        metrics |= {f"{system}_f1_at_{share}": f1[system][share] for share in SHARES}
    record("partial", metrics, "python benchmarks/partial.py" + (" --fast" if fast else ""))
    (HERE / "partial.svg").write_text(partial_chart(metrics), "utf-8")


def partial_chart(metrics: Mapping[str, float]) -> str:
    """What is recorded, plotted: for each system the F1 by share."""
    systems = {"": "fofe, in doubt", "negative_": "fofe, missing = negative", "spacy_": "spaCy"}
    series = {
        name: {f"{share} %": metrics[f"{system}f1_at_{share}"] for share in SHARES}
        for system, name in systems.items()
    }
    return lines("test F1 by the share of training mentions that are missing", series)


def _file(share: int) -> Path:
    """The training file without that share of its mentions."""
    path = RUNS / "partial" / f"train-{share}.conll"
    if path.exists():
        return path
    draw = random.Random(7)
    documents = []
    for document in read_corpus(shared("data", CORPUS, "eng.train"), "conll"):
        kept = [mention for mention in document.mentions if 100 * draw.random() >= share]
        documents.append(replace(document, mentions=kept))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_corpus(documents, path, "conll", Report())
    return path


def _fofe(share: int, fast: bool, *, unannotated: str) -> float:
    name = "negative" if unannotated == NEGATIVE else "doubt"
    folder = "-".join(["partial", name, *(["fast"] if fast else []), str(share)])
    model = trained(_config(share, fast, unannotated), folder, "python benchmarks/partial.py")
    return round(float(model.training["test"]["f1"]), 2)


def _config(share: int, fast: bool, unannotated: str) -> RunConfig:
    config = load_config(CONFIGS / "compact.toml", {"training.seed": SEED} | (FAST if fast else {}))
    corpus = CorpusConfig(
        (str(_file(share)),),
        str(shared("data", CORPUS, "eng.testa")),
        str(shared("data", CORPUS, "eng.testb")),
        name=CORPUS,
        format="conll",
        nested=False,
        unannotated=unannotated,
    )
    no_gate = replace(config.gate, enabled=False)  # it makes tagging faster, not better
    return replace(config, data=None, corpus=(corpus,), model=with_resources(config.model), gate=no_gate)


def _spacy(share: int, fast: bool) -> float:  # noqa: ARG001  it is trained to its own patience
    test = _sentences(shared("data", CORPUS, "eng.testb"))
    rival = Spacy(
        _sentences(_file(share)),
        _sentences(shared("data", CORPUS, "eng.testa")),
        folder=RUNS / f"spacy-partial-{share}",
    )
    found = rival.tag_words([sentence.words for sentence in test])
    return round(score_spans([set(sentence.spans) for sentence in test], found).f1, 2)


def _sentences(path: Path) -> list[LabelledSentence]:
    report = Report()
    return labelled_sentences(read_corpus(path, "conll", report), report)


SYSTEMS: dict[str, Callable[[int, bool], float]] = {
    "fofe": lambda share, fast: _fofe(share, fast, unannotated=IN_DOUBT),
    "negative": lambda share, fast: _fofe(share, fast, unannotated=NEGATIVE),
    "spacy": _spacy,
}


if __name__ == "__main__":
    as_command(main)
