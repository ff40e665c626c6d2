"""The readers of fofe: each with a small file that it can read, for mutations and for measuring time."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fofe.base.journal import JOURNAL, Journal
from fofe.base.report import Report

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

Read = Callable[[Path], object]


@dataclass(frozen=True)
class Reader:
    """A reader of files, and the content of a small file that it can read."""

    name: str
    file: str
    """The name of the file, in a folder of its own."""
    seed: bytes
    read: Read
    """Gets the path of the file."""
    beside: Path | None = None
    """A folder that the file is one of."""


def _corpus(format: str, **options: Any) -> Read:
    from fofe.formats import read_corpus

    return lambda path: list(read_corpus(path, format, Report(), **options))


def _binary(write: Callable[[Path], object], suffix: str) -> bytes:
    """The content of a file that a function writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"seed{suffix}"
        write(path)
        return path.read_bytes()


JSONL = (EXAMPLES / "corpus" / "dev.jsonl").read_bytes()[:1500].rpartition(b"\n")[0] + b"\n"
CONLL = b"""-DOCSTART- -X- O O

Anna NNP I-NP B-PER
Berg NNP I-NP I-PER
met VBD O O
Bergen NNP I-NP B-GPE

Leeds NNP I-NP B-ORG
won VBD O O
"""
TASKS = json.dumps(
    [{"id": 7, "data": {"text": "Anna Berg met Li."}, "annotations": [{"result": [
        {"type": "labels", "from_name": "l", "to_name": "t",
         "value": {"start": 0, "end": 9, "text": "Anna Berg", "labels": ["PER"]}}]}]}]
).encode()  # fmt: skip
DOCCANO = b'{"id": 1, "text": "Anna Berg met Li.", "label": [[0, 9, "PER"], [14, 16, "PER"]]}\n' * 2
PRODIGY = b"""{"text": "Anna Berg met.", "spans": [{"start": 0, "end": 9, "label": "PER"}], "answer":"accept"}
{"text": "It rained.", "answer": "reject", "spans": []}
"""
ROWS = [{"id": "1", "tokens": ["Anna", "Berg", "met", "Li"], "ner_tags": [1, 2, 0, 1]}]
NAMES = ["O", "B-PER", "I-PER"]
GLINER = json.dumps(
    [{"tokenized_text": ROWS[0]["tokens"], "ner": [[0, 1, "person"], [3, 3, "person"]]}]
).encode()
LTF = b"""<?xml version="1.0" encoding="UTF-8"?>
<LCTL_TEXT lang="eng"><DOC id="NW_1" tokenization="tokenization" grammar="none" raw_text_char_length="20">
<TEXT><SEG id="segment-0" start_char="0" end_char="15"><ORIGINAL_TEXT>Anna met Li Wei.</ORIGINAL_TEXT>
<TOKEN id="token-0-0" pos="word" morph="none" start_char="0" end_char="3">Anna</TOKEN>
<TOKEN id="token-0-1" pos="word" morph="none" start_char="5" end_char="7">met</TOKEN>
<TOKEN id="token-0-2" pos="word" morph="none" start_char="9" end_char="15">Li Wei.</TOKEN>
</SEG></TEXT></DOC></LCTL_TEXT>
"""
WIKIDATA = b"""[
{"id": "Q1", "claims": {"P31": [{"mainsnak": {"datavalue": {"value": {"id": "Q5"}}}}]}, \
"sitelinks": {"enwiki": {"title": "Anna Berg"}}},
{"id": "Q5", "claims": {"P279": [{"mainsnak": {"datavalue": {"value": {"numeric-id": 7}}}}]}}
]
"""
MAPPING = b"""[infoboxes.en]
PER = ["person", "football*"]
[categories.en]
GPE = ["* in *"]
[wikidata]
PER = ["Q5"]
"""
SPACE = b"[training.rate]\nlow = 0.001\nhigh = 0.1\nlog = true\n[model]\nhidden.values = [[32], [32, 32]]\n"


def readers() -> Iterator[Reader]:
    """The readers of what users bring."""
    from fofe.base.settings import read_toml
    from fofe.features.gazetteer import build_gazetteer, load_gazetteer, read_names, save_gazetteer
    from fofe.formats.vectors import WordVectors, read_vectors, write_vectors
    from fofe.kbp.entities import Titles
    from fofe.kbp.source import Reading, read_sources
    from fofe.kbp.tab import read_tab
    from fofe.tagging.rules import Rules
    from fofe.tagging.sources import find_sources, inputs
    from fofe.training.config import load_config
    from fofe.wiki.dump import read_pages, read_site
    from fofe.wiki.mapping import load_mapping
    from fofe.wiki.page import read_page
    from fofe.wiki.types import read_table

    mapping = load_mapping("en")
    vectors = WordVectors(["Bergen", "the", "café"], np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))
    names = build_gazetteer([("Anna Berg", "PER"), ("Leeds", "GPE")], Report(), ["a.tsv"])
    pages = (EXAMPLES / "wikipedia" / "dump.xml").read_bytes()

    def sources(path: Path, reading: Reading = Reading()) -> None:  # noqa: B008
        for found in read_sources(path, reading, Report()):
            if isinstance(found, Exception):
                raise found

    def tag_lines(path: Path) -> None:
        report = Report()
        for one in filter(None, inputs(find_sources([str(path)], None, "line", report), report)):
            one.read(report)

    rows = _corpus("hugging-face", tag_names=NAMES)

    def dump(path: Path) -> None:
        namespaces = read_site(path).namespaces
        for page in read_pages(path, Report()):
            read_page(page, mapping, namespaces, Report())

    yield Reader("conll", "x.conll", CONLL, _corpus("conll"))
    yield Reader("jsonl", "x.jsonl", JSONL, _corpus("jsonl", language="en"))
    yield Reader("label-studio", "x.json", TASKS, _corpus("label-studio"))
    yield Reader("doccano", "x.jsonl", DOCCANO, _corpus("doccano"))
    yield Reader("prodigy", "x.jsonl", PRODIGY, _corpus("prodigy"))
    yield Reader("gliner", "x.json", GLINER, _corpus("gliner"))
    yield Reader("hugging-face", "x.jsonl", json.dumps(ROWS[0]).encode() + b"\n", rows)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.txt").write_text("Anna Berg met Li.", "utf-8")
        brat = b"T1\tPER 0 9\tAnna Berg\nT2\tPER 14 16\tLi\n#1\tAnnotatorNotes T1\tx\n"
        yield Reader("brat", "x.ann", brat, _corpus("brat"), beside=Path(folder))
    yield Reader("tag", "x.jsonl", JSONL, tag_lines)
    yield Reader("table", "x.csv", b'id,text\n1,"Anna Berg, ""x"""\n2,Li left.\n', tag_lines)
    yield Reader("text", "x.txt", (EXAMPLES / "plain.txt").read_bytes()[:400], tag_lines)
    yield Reader(
        "tab",
        "x.tab",
        b"".join((EXAMPLES / "kbp" / "gold.tab").read_bytes().splitlines(keepends=True)[:5]),
        lambda path: read_tab(path, Report()),
    )
    yield Reader("titles", "x.tsv", b"E1\tBergen\t12\tBjorgvin\nE2\tLeeds\t\n", Titles.read)
    yield Reader("ltf", "x.ltf.xml", LTF, lambda path: sources(path, Reading(ltf_tokens=True)))
    for file in sorted((EXAMPLES / "kbp" / "source").iterdir()):
        yield Reader(f"source-{file.stem[4:6]}", file.name, file.read_bytes(), sources)
    yield Reader("toml", "x.toml", MAPPING, read_toml)
    yield Reader("config", "x.toml", (EXAMPLES / "tiny.toml").read_bytes(), load_config)
    yield Reader("rules", "x.toml", (EXAMPLES / "rules" / "orders.toml").read_bytes(), Rules.of)
    yield Reader("mapping", "x.toml", MAPPING, lambda path: load_mapping("en", path))
    yield Reader(
        "names", "x.tsv", b"Anna Berg\tPER\nLeeds\tGPE\n", lambda path: list(read_names(path, Report()))
    )
    save = lambda path: save_gazetteer(names, path)  # noqa: E731
    yield Reader("gazetteer", "x.gazetteer", _binary(save, ""), load_gazetteer)
    for kind in ("text", "binary", "npz"):
        written = _binary(partial(write_vectors, vectors, kind=kind), "")
        yield Reader(f"vectors-{kind}", "x.vectors", written, read_vectors)
    yield Reader("dump", "x.xml", pages[:900] + pages[pages.rindex(b"<page>") :], dump)
    yield Reader(
        "classes",
        "x.tsv",
        b"Bergen\tcity\nAnna Berg\tperson\n",
        lambda path: list(read_table(path, "en", Report())),
    )
    yield Reader("wikidata", "x.json", WIKIDATA, lambda path: list(read_table(path, "en", Report())))
    head = Journal(".", "job")._head.encode()
    yield Reader("journal", JOURNAL, head + b'\n{"key": "a", "value": {"length": 3}}\n', _journal)


def _journal(path: Path) -> None:
    with Journal(path.parent, "job") as journal:
        journal.done("a")


def more_readers() -> Iterator[Reader]:
    """The readers that need packages of extras, as far as these are installed."""
    try:
        from spacy.tokens import Doc, DocBin, Span
        from spacy.vocab import Vocab

        doc = Doc(Vocab(), ["Anna", "Berg", "met", "Li"])
        doc.spans["fofe"] = [Span(doc, 0, 2, "PER")]
        yield Reader("spacy", "x.spacy", DocBin(docs=[doc]).to_bytes(), _corpus("spacy"))
    except ModuleNotFoundError:
        pass
    try:
        import pyarrow as pa
        from pyarrow.parquet import write_table

        from fofe.tagging.parquet import _batches, _schema

        table = pa.table({"text": [f"text {number}" for number in range(20)]})
        written = _binary(lambda path: write_table(table, path), ".parquet")
        read: Read = lambda path: list(_batches([str(path)], _schema([str(path)], "text")))  # noqa: E731
        yield Reader("parquet", "x.parquet", written, read)
        feature = {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "List"}
        info = json.dumps({"info": {"features": {"tokens": {}, "ner_tags": feature}}})
        tagged = pa.Table.from_pylist(ROWS * 3).replace_schema_metadata({"huggingface": info})
        written = _binary(lambda path: write_table(tagged, path), ".parquet")
        yield Reader("hugging-face-parquet", "x.parquet", written, _corpus("hugging-face"))
    except ModuleNotFoundError:
        pass
    try:
        from fofe.tune.space import read_space

        yield Reader("space", "x.toml", SPACE, read_space)
    except ModuleNotFoundError:
        pass


def model_readers(model: Path) -> Iterator[Reader]:
    """The readers of the files of a model directory."""
    from fofe.model.ensemble import load_stored

    for file in sorted(path for path in model.iterdir() if path.is_file() and path.suffix != ".md"):
        read: Read = lambda path: load_stored(path.parent)  # noqa: E731
        yield Reader(f"model-{file.name}", file.name, file.read_bytes(), read, beside=model)


def run_readers(run: Path, config: Path) -> Iterator[Reader]:
    """The readers of what a training, a search and a training of vectors keep to go on from."""
    from fofe.training.callback import Callback
    from fofe.training.checkpoint import load_checkpoint, load_weights
    from fofe.training.config import load_config
    from fofe.training.plain_text import _read, _sentences
    from fofe.training.run import BEST, CHECKPOINT, Run
    from fofe.tune.search import JOURNAL as SEARCH
    from fofe.tune.search import Search
    from fofe.tune.space import choices
    from fofe.vectors.train import VectorSettings, _load_state, _model, _save_state

    with tempfile.TemporaryDirectory() as folder:
        trained = Run(load_config(config), folder, Callback(), command="")
        learner, fingerprint = trained.setup.learner, trained.setup.fingerprint
        read: Read = lambda path: load_checkpoint(path, learner, fingerprint, {})  # noqa: E731
        yield Reader("checkpoint", CHECKPOINT, (run / CHECKPOINT).read_bytes(), read)
        yield Reader("best", BEST, (run / BEST).read_bytes(), lambda path: load_weights(path, learner))
        found: dict[str, Any] = {"words": np.frombuffer(b'[["a", "b"]]', np.uint8), "opens": np.array([True])}
        labels = _binary(lambda path: np.savez_compressed(path, **found), ".npz")
        yield Reader("labels", "00000.npz", labels, lambda path: _sentences(_read(path)))
        search = Search(str(config), {}, {"training.epochs": choices([1, 2])}, folder)
        search.run(0, 1, print)
        log = (Path(folder) / SEARCH).read_bytes()
        yield Reader(
            "search", SEARCH, log, lambda path: replace(search, folder=str(path.parent)).run(0, 1, print)
        )
        settings = VectorSettings(dimension=4, min_count=1)
        model = _model(settings, min_count=1)
        model.build_vocab([["a", "b"], ["b", "c"]])
        model.passes_done = 1
        state = _binary(lambda path: _save_state(model, path), ".npz")
        yield Reader("state", "x.npz", state, lambda path: _load_state(settings, path))
