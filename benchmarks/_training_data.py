"""What more training data is worth: a small base, the same with weak labels, the same with a second corpus.

The base is a tenth of CoNLL-2003's training sentences, as in benchmarks/weak.py, which labels Wikipedia too.
The second corpus is LitBank: its names, cut as CoNLL-2003 cuts them. All rows see the base equally often,
and threshold and strategy are chosen on the base's dev set alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from _conll import CONFIGS, Outcome, read_outcome, score_on_conll
from _mention_runs import trained
from _record import RUNS, shared
from _resources import with_resources
from weak import FOLDER, few_sentences, weak_corpus, weak_pages

from fofe.formats import Report, read_corpus, write_corpus
from fofe.text.document import NAME, Document, Mention
from fofe.training.config import CorpusConfig, RunConfig, load_config

RESULT = "result.json"
EPOCHS = 20
SECOND = "LitBank"
SECOND_SHARE = 0.25
"""LitBank is much longer than the base: an epoch sees a quarter of it, another each time."""


def train_row(row: str, seed: int, command: str, *, smoke: bool = False) -> Outcome:
    """Train the model of a row, or go on with it, or look up what came of it."""
    folder = _folder(row, seed, smoke)
    if not (folder / RESULT).exists():
        model = trained(_config(row, seed, smoke), folder.name, command)
        score_on_conll(model, folder / RESULT, smoke=smoke)
    return read_outcome(folder / RESULT)


def row_is_done(row: str, seed: int) -> bool:
    """Whether a row has been trained and scored."""
    return (_folder(row, seed) / RESULT).exists()


def _folder(row: str, seed: int, smoke: bool = False) -> Path:
    return RUNS / "-".join(["table3", row, *(["smoke"] if smoke else []), str(seed)])


def _config(row: str, seed: int, smoke: bool) -> RunConfig:
    epochs = 1 if smoke else EPOCHS
    # The last epoch is the only one that is looked at, so nothing but the base's dev set chooses anything.
    changes = {"training.seed": seed, "training.epochs": epochs, "training.evaluate_every": epochs}
    config = load_config(CONFIGS / "compact.toml", changes)
    return replace(
        config,
        data=None,
        corpus=_corpora(row, seed),
        model=with_resources(config.model),
        gate=replace(config.gate, enabled=False),
    )


def _corpora(row: str, seed: int) -> tuple[CorpusConfig, ...]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    dev = str(shared("data", "conll2003", "eng.testa"))
    base = CorpusConfig((str(few_sentences(seed)),), dev, name="conll2003", nested=False)
    if row == "weak":
        return base, weak_pages(weak_corpus(), dev)
    if row == "second":
        return base, CorpusConfig(
            (str(_litbank_names()),),
            dev,
            name="litbank",
            types=("PER", "ORG", "GPE", "LOC", "FAC"),  # it has no MISC: whether something is one stays open
            kinds=(NAME,),
            labels={"GPE": "LOC", "FAC": "LOC", "VEH": []},
            nested=False,
            share=SECOND_SHARE,
        )
    return (base,)


def _litbank_names() -> Path:
    """LitBank with names alone, as CoNLL-2003 would have them, made once."""
    path = FOLDER / "litbank-names.jsonl"
    if not path.exists():
        documents = read_corpus(shared("data", "litbank", "train.jsonl"))
        write_corpus([_as_in_conll(document) for document in documents], path, "jsonl", Report())
    return path


def _as_in_conll(document: Document) -> Document:
    """LitBank marks whole phrases, CoNLL-2003 bare names: no articles, no 's, no names around names."""
    names = [_bare(mention, document.text) for mention in document.mentions if mention.kind == NAME]
    inmost = [name for name in names if not any(_inside(other, name) for other in names)]
    return replace(document, mentions=inmost)


def _bare(mention: Mention, text: str) -> Mention:
    start, end = mention.start, mention.end
    if text[start:end].lower().startswith("the "):
        start += len("the ")
    for ending in (" 's", " ’s", " '"):
        if text[start:end].endswith(ending):
            end -= len(ending)
    return replace(mention, start=start, end=end, text=text[start:end], head=None)


def _inside(inner: Mention, outer: Mention) -> bool:
    return (
        outer.start <= inner.start
        and inner.end <= outer.end
        and inner.end - inner.start < outer.end - outer.start
    )
